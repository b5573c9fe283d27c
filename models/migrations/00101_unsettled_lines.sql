-- A line of a statement that never settles ends as a break, which a person ends
-- without a booking: nothing more is expected of the line.

-- +goose Up
ALTER TABLE reconciliation_breaks DROP CONSTRAINT reconciliation_breaks_outcome_check;
ALTER TABLE reconciliation_breaks ADD CONSTRAINT reconciliation_breaks_outcome_check CHECK (outcome IN ('agreed', 'booked', 'ended'));

-- +goose Down
-- There is no way down: breaks have ended so. Restore a backup.
SELECT 1;
