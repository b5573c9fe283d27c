-- +goose Up

-- A sign-up that waits for the code sent to its address. Whether the address has an
-- account is looked at when the mail leaves and when its code comes back, never before.
CREATE TABLE signups (
    id            uuid PRIMARY KEY,
    browser_hash  bytea NOT NULL,
    email         text NOT NULL CHECK (length(email) BETWEEN 3 AND 254),
    email_key     text NOT NULL CHECK (email_key = lower(email_key)),
    password_hash text NOT NULL,
    given_name    text NOT NULL CHECK (length(given_name) BETWEEN 1 AND 60),
    family_name   text NOT NULL CHECK (length(family_name) BETWEEN 1 AND 60),
    country       text NOT NULL CHECK (country ~ '^[A-Z]{2}$'),
    terms_version text NOT NULL CHECK (terms_version <> ''),
    code_number   int NOT NULL DEFAULT 1, -- which code is in force; codes are derived, never stored
    tries         int NOT NULL DEFAULT 0, -- wrong codes since it was sent
    created_at    timestamptz NOT NULL DEFAULT now(),
    expires_at    timestamptz NOT NULL
);
CREATE INDEX signups_expiry ON signups (expires_at);

ALTER TABLE outbox ADD COLUMN signup_id uuid REFERENCES signups (id) ON DELETE CASCADE;
ALTER TABLE outbox DROP CONSTRAINT outbox_kind_check,
    ADD CONSTRAINT outbox_kind_check CHECK (kind IN ('reset', 'verify', 'password_changed', 'signed_out', 'signup')),
    ADD CONSTRAINT outbox_signup_check CHECK ((kind = 'signup') = (signup_id IS NOT NULL));

-- +goose Down
DELETE FROM outbox WHERE kind = 'signup';
ALTER TABLE outbox DROP CONSTRAINT outbox_signup_check, DROP COLUMN signup_id, DROP CONSTRAINT outbox_kind_check,
    ADD CONSTRAINT outbox_kind_check CHECK (kind IN ('reset', 'verify', 'password_changed', 'signed_out'));
DROP TABLE signups;
