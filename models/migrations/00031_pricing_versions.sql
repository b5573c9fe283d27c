-- Prices that people change: what a country pays on top, every change kept with
-- who made it, and one number that says whether a process's copy is still true.

-- +goose Up

-- Read with every quote: a copy of the configuration is used while its version
-- is this one, so a change is in force in every process at once.
CREATE TABLE pricing_state (
  single  boolean PRIMARY KEY DEFAULT true CHECK (single),
  version bigint NOT NULL
);
INSERT INTO pricing_state (version) VALUES (1);
-- +goose StatementBegin
CREATE FUNCTION pricing_changed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  UPDATE pricing_state SET version = version + 1;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER pricing_changed AFTER INSERT OR UPDATE OR DELETE ON payment_methods FOR EACH STATEMENT EXECUTE FUNCTION pricing_changed();
CREATE TRIGGER pricing_changed AFTER INSERT OR UPDATE OR DELETE ON volume_tiers FOR EACH STATEMENT EXECUTE FUNCTION pricing_changed();
CREATE TRIGGER pricing_changed AFTER INSERT OR UPDATE OR DELETE ON kyc_pricing FOR EACH STATEMENT EXECUTE FUNCTION pricing_changed();

-- What customers of a country pay on top of a method's margin, or that they
-- cannot buy.
CREATE TABLE country_pricing (
  id                uuid PRIMARY KEY,
  country           text NOT NULL UNIQUE CHECK (country ~ '^[A-Z]{2}$'),
  adjustment_percent numeric(7,4) NOT NULL CHECK (adjustment_percent >= 0),
  is_blocked        boolean NOT NULL,
  version           int NOT NULL DEFAULT 1,
  updated_at        timestamptz NOT NULL DEFAULT clock_now()
);
CREATE TRIGGER pricing_changed AFTER INSERT OR UPDATE OR DELETE ON country_pricing FOR EACH STATEMENT EXECUTE FUNCTION pricing_changed();

-- One row a change, kept for good.
CREATE TABLE pricing_versions (
  id         uuid PRIMARY KEY,
  kind       text NOT NULL CHECK (kind IN ('payment_method', 'country')),
  subject_id uuid NOT NULL,
  name       text NOT NULL, -- the method's code, or the country's
  version    int NOT NULL,
  actor_id   uuid NOT NULL REFERENCES users,
  before     jsonb, -- null: it was added
  after      jsonb, -- null: it was removed
  reason     text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_now(),
  UNIQUE (subject_id, version)
);
CREATE INDEX pricing_versions_newest ON pricing_versions (created_at DESC, id DESC);
CREATE INDEX pricing_versions_by_kind ON pricing_versions (kind, created_at DESC, id DESC);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON pricing_versions
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();

GRANT SELECT ON pricing_state, country_pricing, pricing_versions TO tradepost_app;
GRANT INSERT, UPDATE, DELETE ON country_pricing TO tradepost_app;
GRANT INSERT ON pricing_versions TO tradepost_app;

-- +goose Down
-- There is no way down: who changed which price would be lost. Restore a backup.
SELECT 1;
