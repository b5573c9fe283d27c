-- Support tickets, what customers want to be told of, and the rights that the
-- privacy page promises: a copy of one's data, a restriction, the end of an
-- account.

-- +goose Up

-- ── Tickets ──────────────────────────────────────────────────────────────────

CREATE TABLE tickets (
  id           uuid PRIMARY KEY,
  reference    text NOT NULL UNIQUE,
  user_id      uuid NOT NULL REFERENCES users,
  subject      text NOT NULL CHECK (subject IN ('general', 'transaction', 'account', 'technical', 'kyc', 'voucher')),
  status       text NOT NULL CHECK (status IN ('open', 'in_progress', 'closed')),
  -- what it is about, when it was opened from there
  order_id     uuid REFERENCES orders,
  gift_card_id uuid REFERENCES gift_cards,
  -- whose turn it is; a customer who stays silent until then has been helped
  awaits       text NOT NULL CHECK (awaits IN ('staff', 'customer')),
  closes_at    timestamptz,
  created_at   timestamptz NOT NULL DEFAULT clock_now(),
  updated_at   timestamptz NOT NULL DEFAULT clock_now(),
  closed_at    timestamptz,
  CHECK (num_nonnulls(order_id, gift_card_id) <= 1),
  CHECK ((status = 'closed') = (closed_at IS NOT NULL)),
  CHECK (closes_at IS NULL OR status <> 'closed' AND awaits = 'customer')
);
CREATE INDEX tickets_by_user   ON tickets (user_id, created_at DESC, id DESC);
CREATE INDEX tickets_by_time   ON tickets (created_at DESC, id DESC);
CREATE INDEX tickets_by_status ON tickets (status, created_at DESC, id DESC);
CREATE INDEX tickets_silent    ON tickets (closes_at) WHERE closes_at IS NOT NULL;
GRANT SELECT, INSERT, UPDATE ON tickets TO tradepost_app;

-- What was written, by whom. A message is never changed; its text goes when its
-- writer's account does.
CREATE TABLE ticket_messages (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  ticket_id  uuid NOT NULL REFERENCES tickets,
  author     text NOT NULL CHECK (author IN ('staff', 'customer')),
  author_id  uuid NOT NULL REFERENCES users,
  body       text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_now(),
  erased_at  timestamptz,
  CHECK ((erased_at IS NULL) = (body <> ''))
);
CREATE INDEX ticket_messages_by_ticket ON ticket_messages (ticket_id, id);
GRANT SELECT, INSERT ON ticket_messages TO tradepost_app;
GRANT UPDATE (body, erased_at) ON ticket_messages TO tradepost_app;

-- Counted as orders are (migration 00008): by status.
-- +goose StatementBegin
CREATE FUNCTION tally_ticket() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO tally_changes VALUES ('tickets', NEW.user_id, NEW.status, 1, 0);
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO tally_changes VALUES ('tickets', OLD.user_id, OLD.status, -1, 0);
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER tally_new AFTER INSERT ON tickets FOR EACH ROW EXECUTE FUNCTION tally_ticket();
CREATE TRIGGER tally_changed AFTER UPDATE ON tickets FOR EACH ROW
  WHEN (OLD.status IS DISTINCT FROM NEW.status OR OLD.user_id IS DISTINCT FROM NEW.user_id) EXECUTE FUNCTION tally_ticket();

-- ── What a customer chooses ──────────────────────────────────────────────────

CREATE TABLE preferences (
  user_id    uuid PRIMARY KEY REFERENCES users,
  language   text NOT NULL DEFAULT 'en' CHECK (language IN ('en')),
  muted      text[] NOT NULL DEFAULT '{}', -- topics they get no mails about
  news       boolean NOT NULL DEFAULT false,
  updated_at timestamptz NOT NULL DEFAULT clock_now()
);
GRANT SELECT, INSERT, UPDATE ON preferences TO tradepost_app;

-- A name that its owner has put right is theirs, whatever the identity provider
-- says at the next sign-in. A restricted account makes no new orders. A closed
-- one is kept from erase_after on no longer.
ALTER TABLE users ADD COLUMN name_corrected_at timestamptz, ADD COLUMN restricted_at timestamptz,
  ADD COLUMN closed_at timestamptz, ADD COLUMN erase_after timestamptz, ADD COLUMN erased_at timestamptz;
CREATE INDEX users_to_erase ON users (erase_after) WHERE erase_after IS NOT NULL AND erased_at IS NULL;

-- ── A copy of one's data ─────────────────────────────────────────────────────
-- The file lies sealed in the bucket, its key here: either alone says nothing.
-- Both go when it expires.

CREATE TABLE data_exports (
  id                  uuid PRIMARY KEY,
  reference           text NOT NULL UNIQUE,
  user_id             uuid NOT NULL REFERENCES users,
  status              text NOT NULL CHECK (status IN ('requested', 'ready', 'expired')),
  file_key            text NOT NULL UNIQUE,
  seal_key            bytea,
  size                int,
  ready_at            timestamptz,
  wake_at             timestamptz, -- when it expires
  workflow_started_at timestamptz,
  swept_at            timestamptz,
  created_at          timestamptz NOT NULL DEFAULT clock_now(),
  updated_at          timestamptz NOT NULL DEFAULT clock_now(),
  closed_at           timestamptz,
  CHECK (CASE status WHEN 'ready' THEN seal_key IS NOT NULL WHEN 'expired' THEN seal_key IS NULL ELSE true END),
  CHECK ((status = 'expired') = (closed_at IS NOT NULL))
);
CREATE UNIQUE INDEX data_exports_one_open ON data_exports (user_id) WHERE status = 'requested';
CREATE INDEX data_exports_by_user ON data_exports (user_id, created_at DESC);
CREATE INDEX data_exports_open ON data_exports (created_at) WHERE closed_at IS NULL;
GRANT SELECT, INSERT, UPDATE ON data_exports TO tradepost_app;

-- ── The end of an account ────────────────────────────────────────────────────

CREATE TABLE account_closures (
  id                  uuid PRIMARY KEY,
  reference           text NOT NULL UNIQUE,
  user_id             uuid NOT NULL REFERENCES users,
  status              text NOT NULL CHECK (status IN ('waiting', 'cancelled', 'refused', 'closed')),
  wake_at             timestamptz NOT NULL, -- when the account ends
  refused_because     text, -- a code: what was open then
  workflow_started_at timestamptz,
  swept_at            timestamptz,
  created_at          timestamptz NOT NULL DEFAULT clock_now(),
  updated_at          timestamptz NOT NULL DEFAULT clock_now(),
  closed_at           timestamptz,
  CHECK ((status = 'waiting') = (closed_at IS NULL)),
  CHECK ((status = 'refused') = (refused_because IS NOT NULL))
);
CREATE UNIQUE INDEX account_closures_one_open ON account_closures (user_id) WHERE status = 'waiting';
CREATE INDEX account_closures_by_user ON account_closures (user_id, created_at DESC);
CREATE INDEX account_closures_open ON account_closures (created_at) WHERE closed_at IS NULL;
GRANT SELECT, INSERT, UPDATE ON account_closures TO tradepost_app;

-- +goose Down
-- There is no way down: tickets are what customers wrote. Restore a backup.
SELECT 1;
