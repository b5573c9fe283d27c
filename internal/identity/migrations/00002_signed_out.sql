-- +goose Up

-- The site is told, by the same queue as the mails, that an account's sessions
-- there must end.
ALTER TABLE outbox DROP CONSTRAINT outbox_kind_check,
    ADD CONSTRAINT outbox_kind_check CHECK (kind IN ('reset', 'verify', 'password_changed', 'signed_out'));

-- +goose Down
DELETE FROM outbox WHERE kind = 'signed_out';
ALTER TABLE outbox DROP CONSTRAINT outbox_kind_check,
    ADD CONSTRAINT outbox_kind_check CHECK (kind IN ('reset', 'verify', 'password_changed'));
