-- When the person of a session proved to the issuer who they are, by the wall's
-- clock: a second factor is enrolled from a fresh sign-in only. Wrong codes of
-- sessions that owe the factor are counted apart, so that whoever knows the password
-- alone does not lock the step-up of a session that has shown the factor.

-- +goose Up
ALTER TABLE sessions ADD COLUMN authenticated_at timestamptz;
ALTER TABLE second_factors
  ADD COLUMN owing_failures integer NOT NULL DEFAULT 0,
  ADD COLUMN owing_lockouts integer NOT NULL DEFAULT 0,
  ADD COLUMN owing_locked_until timestamptz;

-- +goose Down
ALTER TABLE second_factors DROP COLUMN owing_locked_until, DROP COLUMN owing_lockouts, DROP COLUMN owing_failures;
ALTER TABLE sessions DROP COLUMN authenticated_at;
