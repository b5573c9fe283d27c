-- Treasury: what the providers say they hold against what the books expect, and
-- moves of coin from the exchange to our wallets.

-- +goose Up

INSERT INTO accounts (code, kind, protected) VALUES
  ('coin_in_transit:bitcoin',  'asset', true),
  ('coin_in_transit:ethereum', 'asset', true),
  ('coin_in_transit:tron',     'asset', true);

-- The last reading of each account of ours at a provider, with what the books
-- said at that moment. less and more are what was under way then: the account may
-- lack the one already, and may have the other already, though it is not booked.
CREATE TABLE treasury_readings (
  account  text NOT NULL REFERENCES accounts, -- as the ledger calls it; of a wallet what can be sent
  currency text NOT NULL,
  held     numeric(38,0) NOT NULL,
  free     numeric(38,0) NOT NULL,
  expected numeric(38,0) NOT NULL,
  less     numeric(38,0) NOT NULL CHECK (less >= 0),
  more     numeric(38,0) NOT NULL CHECK (more >= 0),
  read_at  timestamptz NOT NULL,
  PRIMARY KEY (account, currency)
);
GRANT SELECT, INSERT, UPDATE ON treasury_readings TO tradepost_app;

CREATE TABLE treasury_moves (
  id              uuid PRIMARY KEY,
  reference       text NOT NULL UNIQUE,
  asset           text NOT NULL,
  network         text NOT NULL,
  amount          numeric(38,0) NOT NULL CHECK (amount > 0), -- what leaves the exchange; its fee comes out of it
  status          text NOT NULL CHECK (status IN ('proposed', 'approved', 'sending', 'unknown', 'sent', 'arrived', 'rejected', 'withdrawn', 'failed')),
  reason          text NOT NULL CHECK (reason <> ''),
  proposed_by     uuid REFERENCES users, -- nobody: the wallet ran low
  decided_by      uuid REFERENCES users,
  decided_at      timestamptz,
  answer          text NOT NULL DEFAULT '', -- why it was rejected or withdrawn
  -- the send: which registered address, when, and what came of it
  withdraw_key    text,
  most_fee        numeric(38,0),
  generation      int NOT NULL DEFAULT 1,
  first_sent_at   timestamptz,
  send_started_at timestamptz, -- of a send whose outcome is not known to be nothing
  exchange_ref    text UNIQUE,
  adopted_at      timestamptz, -- a person named that withdrawal
  fee             numeric(38,0),
  txid            text,
  settled_at      timestamptz, -- done, as the exchange sees it
  arrived         numeric(38,0),
  receipt_id      text,
  arrived_at      timestamptz,
  problem         text, -- a code: what holds it up, or why it failed
  workflow_started_at timestamptz,
  swept_at        timestamptz,
  wake_at         timestamptz,
  created_at      timestamptz NOT NULL DEFAULT clock_now(),
  updated_at      timestamptz NOT NULL DEFAULT clock_now(),
  closed_at       timestamptz,
  CHECK ((status IN ('arrived', 'rejected', 'withdrawn', 'failed')) = (closed_at IS NOT NULL)),
  CHECK ((status = 'arrived') = (arrived_at IS NOT NULL)),
  CHECK ((status IN ('sending', 'unknown', 'sent', 'arrived')) <= (first_sent_at IS NOT NULL)),
  CHECK (status NOT IN ('sent', 'arrived') OR exchange_ref IS NOT NULL),
  -- four eyes, also where the program is wrong
  CHECK (status IN ('proposed', 'withdrawn') OR decided_by IS NOT NULL AND decided_by IS DISTINCT FROM proposed_by),
  CHECK (status <> 'withdrawn' OR decided_by IS NOT DISTINCT FROM proposed_by)
);
-- One move at a time for each wallet: the exchange takes no identity of ours, so
-- that what is open must say by itself which withdrawal is whose.
CREATE UNIQUE INDEX treasury_moves_one_open ON treasury_moves (asset, network) WHERE closed_at IS NULL;
CREATE INDEX treasury_moves_by_time   ON treasury_moves (created_at DESC, id DESC);
CREATE INDEX treasury_moves_by_status ON treasury_moves (status, created_at DESC, id DESC);
CREATE INDEX treasury_moves_by_asset  ON treasury_moves (asset, created_at DESC, id DESC);
CREATE INDEX treasury_moves_by_status_and_asset ON treasury_moves (status, asset, created_at DESC, id DESC);
CREATE INDEX treasury_moves_by_wallet ON treasury_moves (asset, network, created_at DESC);
CREATE INDEX treasury_moves_waiting   ON treasury_moves (created_at, id) WHERE status IN ('proposed', 'unknown');
GRANT SELECT, INSERT, UPDATE ON treasury_moves TO tradepost_app;

CREATE TABLE treasury_move_events (
  id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  move_id  uuid NOT NULL REFERENCES treasury_moves,
  at       timestamptz NOT NULL DEFAULT clock_now(),
  kind     text NOT NULL,
  actor_id uuid REFERENCES users, -- nobody: the system
  status   text NOT NULL,
  data     jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX treasury_move_events_by_move ON treasury_move_events (move_id, id);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON treasury_move_events
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();
GRANT SELECT, INSERT ON treasury_move_events TO tradepost_app;

-- Counted by status, as payouts are.
-- +goose StatementBegin
CREATE FUNCTION tally_treasury_move() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO tally_changes VALUES ('treasury_moves', NULL, NEW.asset || '/' || NEW.status, 1, 0);
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO tally_changes VALUES ('treasury_moves', NULL, OLD.asset || '/' || OLD.status, -1, 0);
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER tally_new AFTER INSERT ON treasury_moves FOR EACH ROW EXECUTE FUNCTION tally_treasury_move();
CREATE TRIGGER tally_changed AFTER UPDATE ON treasury_moves FOR EACH ROW
  WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION tally_treasury_move();

ALTER TABLE alerts DROP CONSTRAINT alerts_kind_check;
ALTER TABLE alerts ADD CONSTRAINT alerts_kind_check CHECK (kind ~ '^[a-z]+(_[a-z]+)*$');

-- +goose Down
-- There is no way down: moves are coin that went. Restore a backup.
SELECT 1;
