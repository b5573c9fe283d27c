-- The second factor: its seed and codes, the devices a person signs in from, and
-- the way back for who has lost it.

-- +goose Up

-- One row a person. The seed is sealed (internal/secret); it is pending until a
-- code made with it was entered. A time step is accepted once: last_step only
-- grows. Guesses are counted here, under the row's lock, for all replicas.
CREATE TABLE second_factors (
  user_id       uuid PRIMARY KEY REFERENCES users,
  sealed_seed   bytea,
  enabled_at    timestamptz,
  pending_seed  bytea,
  pending_since timestamptz,
  last_step     bigint NOT NULL DEFAULT 0,
  failures      int NOT NULL DEFAULT 0,
  lockouts      int NOT NULL DEFAULT 0, -- in a row: each lasts longer
  locked_until  timestamptz,
  created_at    timestamptz NOT NULL DEFAULT clock_now(),
  updated_at    timestamptz NOT NULL DEFAULT clock_now(),
  CHECK ((sealed_seed IS NULL) = (enabled_at IS NULL)),
  CHECK ((pending_seed IS NULL) = (pending_since IS NULL))
);
GRANT SELECT, INSERT, UPDATE ON second_factors TO tradepost_app;

-- 80 random bits each, so their SHA-256 gives nothing away.
CREATE TABLE backup_codes (
  user_id    uuid NOT NULL REFERENCES users,
  code_hash  bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_now(),
  used_at    timestamptz,
  PRIMARY KEY (user_id, code_hash)
);
GRANT SELECT, INSERT, DELETE ON backup_codes TO tradepost_app;
GRANT UPDATE (used_at) ON backup_codes TO tradepost_app;

-- Sessions have a name their owner can be shown: the token's hash is none.
ALTER TABLE sessions ADD COLUMN id uuid NOT NULL DEFAULT gen_random_uuid() UNIQUE;

-- The browsers a person has signed in from, by the hash of a cookie.
CREATE TABLE devices (
  user_id       uuid NOT NULL REFERENCES users,
  device_hash   bytea NOT NULL,
  first_seen_at timestamptz NOT NULL DEFAULT clock_now(),
  last_seen_at  timestamptz NOT NULL DEFAULT clock_now(),
  PRIMARY KEY (user_id, device_hash)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON devices TO tradepost_app;

-- Asking for a lost factor to be taken away: a matter (00017). Two admins agree,
-- and time passes in which whoever has the account can stop it.
CREATE TABLE two_factor_recoveries (
  id                  uuid PRIMARY KEY,
  reference           text NOT NULL UNIQUE,
  user_id             uuid NOT NULL REFERENCES users,
  status              text NOT NULL CHECK (status IN ('asked', 'vouched', 'recovered', 'cancelled', 'refused', 'expired')),
  ready_at            timestamptz NOT NULL, -- no earlier
  expires_at          timestamptz NOT NULL CHECK (expires_at > ready_at),
  vouched_by          uuid REFERENCES users,
  vouched_at          timestamptz,
  approved_by         uuid REFERENCES users,
  workflow_started_at timestamptz,
  swept_at            timestamptz,
  wake_at             timestamptz,
  created_at          timestamptz NOT NULL DEFAULT clock_now(),
  updated_at          timestamptz NOT NULL DEFAULT clock_now(),
  closed_at           timestamptz,
  CHECK (status <> 'recovered' OR approved_by <> vouched_by AND vouched_by IS NOT NULL),
  CHECK (user_id <> vouched_by AND user_id <> approved_by),
  CHECK ((closed_at IS NULL) = (status IN ('asked', 'vouched')))
);
CREATE UNIQUE INDEX two_factor_recoveries_one_open ON two_factor_recoveries (user_id) WHERE closed_at IS NULL;
CREATE INDEX two_factor_recoveries_open ON two_factor_recoveries (created_at) WHERE closed_at IS NULL;
CREATE INDEX two_factor_recoveries_by_time ON two_factor_recoveries (created_at DESC);
GRANT SELECT, INSERT, UPDATE ON two_factor_recoveries TO tradepost_app;

-- +goose Down
DROP TABLE two_factor_recoveries;
DROP TABLE devices;
ALTER TABLE sessions DROP COLUMN id;
DROP TABLE backup_codes;
DROP TABLE second_factors;
