-- A transfer that a restored backup lost, and whose order ended meanwhile, is taken up
-- from custody's statement as one that was declared dead and confirmed; it has no
-- decision.

-- +goose Up
ALTER TABLE withdrawals DROP CONSTRAINT withdrawals_check1, ADD CONSTRAINT withdrawals_check1 CHECK (dead_by IS NULL OR dead_at IS NOT NULL);

-- +goose Down
ALTER TABLE withdrawals DROP CONSTRAINT withdrawals_check1, ADD CONSTRAINT withdrawals_check1 CHECK ((dead_at IS NULL) = (dead_by IS NULL));
