-- Which provider an installation has for each capability: the migration sets it from
-- its configuration, so that statements, transfers and notices are matched by it. A
-- transfer keeps the provider that sent it.

-- +goose Up
CREATE TABLE providers (
  capability text PRIMARY KEY CHECK (capability IN ('payments', 'exchange', 'custody')),
  name       text NOT NULL UNIQUE CHECK (name ~ '^[a-z][a-z0-9_]{1,31}$')
);
INSERT INTO providers VALUES ('payments', 'stripe'), ('exchange', 'kraken'), ('custody', 'bitgo');
GRANT SELECT ON providers TO tradepost_app;

-- +goose StatementBegin
CREATE FUNCTION provider_of(capability text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT name FROM providers p WHERE p.capability = $1
$$;
CREATE OR REPLACE FUNCTION holder_of(account text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN account = 'stripe_clearing' THEN provider_of('payments') WHEN account = 'exchange' THEN provider_of('exchange')
              WHEN account LIKE 'wallet:%' OR account LIKE 'wallet_reserved:%' THEN provider_of('custody') END
$$;
-- +goose StatementEnd
ALTER TABLE statement_lines DROP CONSTRAINT statement_lines_holder_check;
ALTER TABLE withdrawals ADD COLUMN provider text NOT NULL DEFAULT 'bitgo';
ALTER TABLE withdrawals ALTER COLUMN provider SET DEFAULT provider_of('custody');

-- +goose Down
ALTER TABLE withdrawals DROP COLUMN provider;
ALTER TABLE statement_lines ADD CONSTRAINT statement_lines_holder_check CHECK (holder IN ('stripe', 'kraken', 'bitgo'));
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION holder_of(account text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN account = 'stripe_clearing' THEN 'stripe' WHEN account = 'exchange' THEN 'kraken'
              WHEN account LIKE 'wallet:%' OR account LIKE 'wallet_reserved:%' THEN 'bitgo' END
$$;
-- +goose StatementEnd
DROP FUNCTION provider_of;
DROP TABLE providers;
