-- The site speaks Spanish too, and a customer can choose it.

-- +goose Up
ALTER TABLE preferences DROP CONSTRAINT preferences_language_check,
  ADD CONSTRAINT preferences_language_check CHECK (language IN ('en', 'es'));

-- +goose Down
-- There is no way down: rows of those who chose Spanish would be refused.
SELECT 1;
