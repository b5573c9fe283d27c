-- The rules of 00196 are held by the rows that were there before.

-- +goose Up
ALTER TABLE payouts VALIDATE CONSTRAINT payouts_status_check;
ALTER TABLE payouts VALIDATE CONSTRAINT payouts_confirm_by;
ALTER TABLE data_exports VALIDATE CONSTRAINT data_exports_status_check;

-- +goose Down
-- There is no way down: a constraint that is validated stays validated.
SELECT 1;
