-- The site speaks Spanish too, and a customer can choose it.

-- +goose Up
ALTER TABLE preferences DROP CONSTRAINT preferences_language_check,
  ADD CONSTRAINT preferences_language_check CHECK (language IN ('en', 'es'));
