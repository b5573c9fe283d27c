-- A promised role is for who proves the address after the promise: an account that had
-- the address confirmed before may be a squatter's. By the wall's clock, as the
-- issuer's; promises from before count from now.

-- +goose Up
ALTER TABLE pending_grants ADD COLUMN promised_at timestamptz NOT NULL DEFAULT clock_timestamp();

-- +goose Down
ALTER TABLE pending_grants DROP COLUMN promised_at;
