-- +goose Up

-- A failure of its own is kept by the provider under the key of the call: the
-- next attempt to release a hold needs another key.
ALTER TABLE payments ADD cancel_generation int NOT NULL DEFAULT 1;

-- +goose Down
ALTER TABLE payments DROP COLUMN cancel_generation;
