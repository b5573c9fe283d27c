-- Who wanted a break booked that a second person then approved: what has nobody here
-- was booked by one person, whose breaks of a day count together.

-- +goose Up
ALTER TABLE reconciliation_breaks ADD COLUMN proposed_by uuid REFERENCES users;
GRANT UPDATE (proposed_by) ON reconciliation_breaks TO tradepost_app;
CREATE INDEX reconciliation_breaks_by_one ON reconciliation_breaks (closed_at) WHERE outcome = 'booked' AND proposed_by IS NULL;

-- +goose Down
ALTER TABLE reconciliation_breaks DROP COLUMN proposed_by;
