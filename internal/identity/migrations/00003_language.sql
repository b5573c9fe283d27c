-- +goose Up

-- A mail is in the language of the page on which it was asked for.
ALTER TABLE outbox ADD COLUMN language text NOT NULL DEFAULT 'en' CHECK (length(language) <= 8);

-- +goose Down
ALTER TABLE outbox DROP COLUMN language;
