-- That somebody's address has changed is told to the one they had: whoever took the
-- account over at the identity provider would else be the only one to hear of it.

-- +goose Up
ALTER TABLE mails ADD COLUMN to_address text; -- instead of its reader's present one
GRANT UPDATE (to_address) ON mails TO tradepost_app;

-- +goose Down
ALTER TABLE mails DROP COLUMN to_address;
