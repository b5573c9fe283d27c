-- Each line of the ledger says which role wrote it: a default that no process
-- may give another value, since none has the right to the column. Lines from
-- before are the owner's.

-- +goose Up
ALTER TABLE postings ADD COLUMN written_by name NOT NULL DEFAULT session_user;
CREATE INDEX postings_captured_by_the_api ON postings (order_id) WHERE event = 'captured' AND written_by = 'tradepost_api';

-- +goose Down
ALTER TABLE postings DROP COLUMN written_by;
