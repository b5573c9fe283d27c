-- Sessions that somebody ended stay ended: the identity provider's own session in
-- that browser would let it in again without a password.

-- +goose Up
ALTER TABLE users ADD COLUMN sign_in_after timestamptz;
ALTER TABLE login_attempts ADD COLUMN anew boolean NOT NULL DEFAULT false;

-- +goose Down
ALTER TABLE login_attempts DROP COLUMN anew;
ALTER TABLE users DROP COLUMN sign_in_after;
