-- Payments that the API booked are found by their order: there are none, but those from before 00180.

-- +goose NO TRANSACTION
-- +goose Up
SET lock_timeout = 0;
DROP INDEX CONCURRENTLY IF EXISTS postings_paid_by_the_api;
CREATE INDEX CONCURRENTLY postings_paid_by_the_api ON postings (order_id)
 WHERE event IN ('captured', 'receipt_confirmed', 'receipt_allocated', 'paid_from_balance') AND written_by = 'tradepost_api';
DROP INDEX CONCURRENTLY postings_captured_by_the_api;
RESET lock_timeout;

-- +goose Down
CREATE INDEX CONCURRENTLY postings_captured_by_the_api ON postings (order_id) WHERE event = 'captured' AND written_by = 'tradepost_api';
DROP INDEX CONCURRENTLY postings_paid_by_the_api;
