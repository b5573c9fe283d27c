-- What one person wants risk rules or lists to let through from now on, until a second
-- one wants the same.

-- +goose Up
CREATE TABLE risk_loosenings (
  thing    text PRIMARY KEY, -- a rule or a list
  wish     text NOT NULL,    -- the rule's values, or the list's digest, upon the version that was seen
  first_by uuid NOT NULL REFERENCES users,
  first_at timestamptz NOT NULL DEFAULT clock_now()
);
GRANT SELECT, INSERT, UPDATE, DELETE ON risk_loosenings TO tradepost_app;

-- +goose Down
DROP TABLE risk_loosenings;
