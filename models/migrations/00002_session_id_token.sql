-- Signing out at the identity provider takes the ID token of the sign-in as a
-- hint of who signs out. It opens nothing here and is cleared with the session.

-- +goose Up
ALTER TABLE sessions ADD COLUMN id_token text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE sessions DROP COLUMN id_token;
