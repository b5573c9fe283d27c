-- +goose Up
-- When the card processor was last asked about a payment: a notice made before
-- that tells nothing new.
ALTER TABLE payments ADD COLUMN read_at timestamptz;

-- +goose Down
ALTER TABLE payments DROP COLUMN read_at;
