-- A seal of the audit log has a MAC, by a key that is not in the database: who
-- owns the database cannot seal anew what they changed. Seals before this have
-- none; the hash of the first that has one covers them.

-- +goose Up
ALTER TABLE audit_seals ADD COLUMN mac bytea;

-- +goose Down
ALTER TABLE audit_seals DROP COLUMN mac;
