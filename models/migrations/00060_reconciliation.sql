-- Reconciliation: what providers say happened on our accounts beside what the
-- ledger says, effect by effect.

-- +goose Up

-- What a provider told, in one currency. Amount is by how much what we have there
-- changed. A line that is not settled is read again and may change.
CREATE TABLE statement_lines (
  holder   text NOT NULL CHECK (holder IN ('stripe', 'kraken', 'bitgo')),
  id       text NOT NULL, -- the provider's
  currency text NOT NULL,
  amount   numeric(38,0) NOT NULL,
  kind     text NOT NULL,
  key      text NOT NULL, -- the effect it belongs to
  at       timestamptz NOT NULL,
  state    text NOT NULL, -- the provider's word
  settled  boolean NOT NULL,
  network  text,
  ours     text, -- our identity for it, where the provider tells one
  txid     text,
  replaces text, -- the transaction whose place it took
  read_at  timestamptz NOT NULL DEFAULT clock_now(),
  PRIMARY KEY (holder, id, currency)
);
CREATE INDEX statement_lines_by_key ON statement_lines (holder, key);
CREATE INDEX statement_lines_by_txid ON statement_lines (holder, txid) WHERE txid IS NOT NULL;
CREATE INDEX statement_lines_replacing ON statement_lines (holder, replaces) WHERE replaces IS NOT NULL;
CREATE INDEX statement_lines_by_ours ON statement_lines (holder, ours) WHERE ours IS NOT NULL;
CREATE INDEX statement_lines_open ON statement_lines (holder, at) WHERE NOT settled;
GRANT SELECT, INSERT ON statement_lines TO tradepost_app;
GRANT UPDATE (amount, kind, key, state, settled, txid, replaces, read_at) ON statement_lines TO tradepost_app;

-- One effect in one currency: what is booked of it, and what its provider told.
CREATE TABLE reconciled_effects (
  holder    text NOT NULL,
  key       text NOT NULL,
  currency  text NOT NULL,
  booked    numeric(38,0) NOT NULL DEFAULT 0,
  told      numeric(38,0) NOT NULL DEFAULT 0,
  network   text,
  last_at   timestamptz NOT NULL, -- the newest that either says of it
  order_id  uuid,
  matter    text,
  matter_id uuid,
  PRIMARY KEY (holder, key, currency)
);
CREATE INDEX reconciled_effects_apart ON reconciled_effects (holder, last_at) WHERE booked <> told;
GRANT SELECT, INSERT ON reconciled_effects TO tradepost_app;
GRANT UPDATE (booked, told, network, last_at, order_id, matter, matter_id) ON reconciled_effects TO tradepost_app;

-- How far the ledger has been walked, and when the two were last compared.
CREATE TABLE reconciliation_progress (
  one         boolean PRIMARY KEY DEFAULT true CHECK (one),
  through_id  bigint NOT NULL DEFAULT 0,
  compared_at timestamptz
);
INSERT INTO reconciliation_progress DEFAULT VALUES;
GRANT SELECT, UPDATE ON reconciliation_progress TO tradepost_app;

-- Breaks: effects on which the two have not agreed in time. One ends when they
-- agree after all, or when a person books the difference.
CREATE TABLE reconciliation_breaks (
  id          uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  holder      text NOT NULL,
  key         text NOT NULL,
  currency    text NOT NULL,
  booked      numeric(38,0) NOT NULL, -- as it was found, and once closed as it ended
  told        numeric(38,0) NOT NULL,
  created_at  timestamptz NOT NULL DEFAULT clock_now(),
  -- what somebody wants booked that a second person has to approve
  wanted_account text REFERENCES accounts (code),
  wanted_reason  text,
  wanted_by      uuid REFERENCES users,
  wanted_at      timestamptz,
  -- how it ended
  closed_at   timestamptz,
  outcome     text CHECK (outcome IN ('agreed', 'booked')),
  account     text REFERENCES accounts (code),
  reason      text,
  closed_by   uuid REFERENCES users,
  CHECK ((closed_at IS NULL) = (outcome IS NULL)),
  CHECK ((outcome IS NOT DISTINCT FROM 'booked') = (account IS NOT NULL)),
  CHECK (num_nonnulls(wanted_account, wanted_reason, wanted_by, wanted_at) IN (0, 4))
);
CREATE UNIQUE INDEX reconciliation_breaks_open ON reconciliation_breaks (holder, key, currency) WHERE closed_at IS NULL;
CREATE INDEX reconciliation_breaks_of ON reconciliation_breaks (holder, key, currency);
CREATE INDEX reconciliation_breaks_waiting ON reconciliation_breaks (created_at, id) WHERE closed_at IS NULL;
CREATE INDEX reconciliation_breaks_over ON reconciliation_breaks (created_at, id) WHERE closed_at IS NOT NULL;
GRANT SELECT, INSERT ON reconciliation_breaks TO tradepost_app;
GRANT UPDATE (booked, told, wanted_account, wanted_reason, wanted_by, wanted_at, closed_at, outcome, account, reason, closed_by) ON reconciliation_breaks TO tradepost_app;

-- Counted as orders are (migration 00008).
-- +goose StatementBegin
CREATE FUNCTION tally_break() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO tally_changes VALUES ('breaks', NULL, NEW.holder || '/' || coalesce(NEW.outcome, 'open'), 1, 0);
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO tally_changes VALUES ('breaks', NULL, OLD.holder || '/' || coalesce(OLD.outcome, 'open'), -1, 0);
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER tally_new AFTER INSERT ON reconciliation_breaks FOR EACH ROW EXECUTE FUNCTION tally_break();
CREATE TRIGGER tally_changed AFTER UPDATE ON reconciliation_breaks FOR EACH ROW
  WHEN (OLD.outcome IS DISTINCT FROM NEW.outcome) EXECUTE FUNCTION tally_break();

-- Who holds what an account of the ledger stands for; nobody outside for most.
-- +goose StatementBegin
CREATE FUNCTION holder_of(account text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN account = 'stripe_clearing' THEN 'stripe' WHEN account = 'exchange' THEN 'kraken'
              WHEN account LIKE 'wallet:%' OR account LIKE 'wallet_reserved:%' THEN 'bitgo' END
$$;
-- +goose StatementEnd

-- +goose Down
DELETE FROM alert_calls WHERE alert_id IN (SELECT id FROM alerts WHERE kind = 'breaks');
DELETE FROM mails WHERE alert_id IN (SELECT id FROM alerts WHERE kind = 'breaks');
DELETE FROM alerts WHERE kind = 'breaks';
DROP TABLE reconciliation_breaks, reconciliation_progress, reconciled_effects, statement_lines;
DROP FUNCTION tally_break;
DROP FUNCTION holder_of;
DELETE FROM tallies WHERE list = 'breaks';
DELETE FROM tally_changes WHERE list = 'breaks';
