-- The attempt whose decline was counted last: the next one may have the same code.

-- +goose Up
ALTER TABLE payments ADD COLUMN decline_charge text;

-- +goose Down
ALTER TABLE payments DROP COLUMN decline_charge;
