-- What each account at a provider held, reading by reading, with what the books
-- said at that moment. It is looked at, and nothing depends on it: it is forgotten
-- after TREASURY_KEPT.

-- +goose Up
CREATE TABLE treasury_history (
  account  text NOT NULL REFERENCES accounts,
  currency text NOT NULL,
  read_at  timestamptz NOT NULL,
  held     numeric(38,0) NOT NULL,
  expected numeric(38,0) NOT NULL,
  PRIMARY KEY (account, currency, read_at)
);
CREATE INDEX treasury_history_by_age ON treasury_history (read_at);
GRANT SELECT, INSERT, DELETE ON treasury_history TO tradepost_app;
INSERT INTO treasury_history SELECT account, currency, read_at, held, expected FROM treasury_readings;

-- +goose Down
DROP TABLE treasury_history;
