-- Gift cards: what customers sell us, how it was decided, and what it paid.

-- +goose Up

CREATE TABLE gift_cards (
  id                   uuid PRIMARY KEY,
  reference            text NOT NULL UNIQUE,
  user_id              uuid NOT NULL REFERENCES users,
  brand                text NOT NULL,
  brand_label          text NOT NULL,
  card_type            text NOT NULL CHECK (card_type IN ('regular', 'prepaid')),
  status               text NOT NULL CHECK (status IN ('received', 'in_review', 'approved', 'realised', 'rejected', 'expired')),
  -- cents: what the customer says it holds and would be paid for it, then what a
  -- reviewer found and it paid
  value                numeric(38,0) NOT NULL CHECK (value > 0),
  payout               numeric(38,0) NOT NULL CHECK (payout > 0),
  confirmed_value      numeric(38,0) CHECK (confirmed_value > 0 AND confirmed_value <= value),
  paid                 numeric(38,0) CHECK (paid > 0),
  reject_reason        text,
  -- The card itself, sealed (internal/secret); gone once secrets_destroyed_at is
  -- set, the security code at the decision already. The fingerprint is keyed.
  fingerprint          bytea NOT NULL,
  sealed_code          bytea,
  sealed_pin           bytea,
  sealed_expiry        bytea,
  sealed_security_code bytea,
  secrets_destroyed_at timestamptz,
  -- deadlines and who decided
  review_due_at        timestamptz,
  remind_at            timestamptz,
  reminders            int NOT NULL DEFAULT 0,
  decided_by           uuid REFERENCES users,
  decided_at           timestamptz,
  realised_amount      numeric(38,0) CHECK (realised_amount >= 0),
  realised_reference   text,
  realised_by          uuid REFERENCES users,
  realised_at          timestamptz,
  -- the workflow that carries it
  workflow_started_at  timestamptz,
  swept_at             timestamptz,
  created_at           timestamptz NOT NULL DEFAULT clock_now(),
  updated_at           timestamptz NOT NULL DEFAULT clock_now(),
  closed_at            timestamptz,
  CHECK ((status = 'rejected') = (reject_reason IS NOT NULL)),
  CHECK ((status IN ('approved', 'realised')) = (paid IS NOT NULL)),
  CHECK ((status = 'realised') = (realised_amount IS NOT NULL)),
  CHECK (closed_at IS NULL OR secrets_destroyed_at IS NOT NULL),
  CHECK (secrets_destroyed_at IS NULL OR num_nonnulls(sealed_code, sealed_pin, sealed_expiry, sealed_security_code) = 0)
);
CREATE INDEX gift_cards_by_user   ON gift_cards (user_id, created_at DESC, id DESC);
CREATE INDEX gift_cards_by_time   ON gift_cards (created_at DESC, id DESC);
CREATE INDEX gift_cards_by_status ON gift_cards (status, created_at DESC, id DESC);
CREATE INDEX gift_cards_open      ON gift_cards (created_at) WHERE closed_at IS NULL;
CREATE INDEX gift_cards_sealed    ON gift_cards (id) WHERE secrets_destroyed_at IS NULL;
CREATE INDEX gift_cards_alike     ON gift_cards (fingerprint, created_at);
-- The same card is never paid for twice, whoever sends it and whoever decides.
CREATE UNIQUE INDEX gift_cards_paid_once ON gift_cards (fingerprint) WHERE paid IS NOT NULL;
GRANT SELECT, INSERT, UPDATE ON gift_cards TO tradepost_app;

CREATE TABLE gift_card_images (
  id           uuid PRIMARY KEY,
  card_id      uuid NOT NULL REFERENCES gift_cards,
  user_id      uuid NOT NULL REFERENCES users,
  file_key     text NOT NULL UNIQUE, -- sealed in the bucket: a photo shows the code
  content_type text NOT NULL,
  size         int NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT clock_now(),
  purged_at    timestamptz,
  erased_at    timestamptz
);
CREATE INDEX gift_card_images_by_card ON gift_card_images (card_id, id);
CREATE INDEX gift_card_images_to_erase ON gift_card_images (purged_at) WHERE purged_at IS NOT NULL AND erased_at IS NULL;
GRANT SELECT, INSERT ON gift_card_images TO tradepost_app;
GRANT UPDATE (purged_at, erased_at) ON gift_card_images TO tradepost_app;

CREATE TABLE gift_card_events (
  id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  card_id  uuid NOT NULL REFERENCES gift_cards,
  at       timestamptz NOT NULL DEFAULT clock_now(),
  kind     text NOT NULL,
  actor    text NOT NULL DEFAULT 'system' CHECK (actor IN ('system', 'customer', 'staff')),
  status   text NOT NULL,
  internal boolean NOT NULL DEFAULT false,
  data     jsonb NOT NULL DEFAULT '{}',
  dedupe   text,
  UNIQUE (card_id, dedupe)
);
CREATE INDEX gift_card_events_by_card ON gift_card_events (card_id, id);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON gift_card_events
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();
GRANT SELECT, INSERT ON gift_card_events TO tradepost_app;

-- +goose StatementBegin
CREATE FUNCTION announce_gift_card_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE owner uuid;
BEGIN
  SELECT user_id INTO owner FROM gift_cards WHERE id = NEW.card_id;
  PERFORM pg_notify('gift_card_changed', NEW.card_id::text || ' ' || owner::text);
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER announce AFTER INSERT ON gift_card_events
  FOR EACH ROW EXECUTE FUNCTION announce_gift_card_event();

-- A person's decision: a row first, then an Update with the row's id.
CREATE TABLE gift_card_decisions (
  id           uuid PRIMARY KEY,
  card_id      uuid NOT NULL REFERENCES gift_cards,
  kind         text NOT NULL CHECK (kind IN ('approve', 'reject', 'realise')),
  actor_id     uuid NOT NULL REFERENCES users,
  amount       numeric(38,0) CHECK (amount >= 0),
  reason       text NOT NULL DEFAULT '', -- of a rejection, or the reference of a realisation
  created_at   timestamptz NOT NULL DEFAULT clock_now(),
  delivered_at timestamptz,
  settled_at   timestamptz,
  outcome_code text
);
CREATE UNIQUE INDEX gift_card_decisions_one_open ON gift_card_decisions (card_id) WHERE settled_at IS NULL;
CREATE INDEX gift_card_decisions_undelivered ON gift_card_decisions (created_at) WHERE settled_at IS NULL;
CREATE INDEX gift_card_decisions_by_card ON gift_card_decisions (card_id, created_at);
GRANT SELECT, INSERT ON gift_card_decisions TO tradepost_app;
GRANT UPDATE (delivered_at, settled_at, outcome_code) ON gift_card_decisions TO tradepost_app;

-- What a card moved in the ledger.
ALTER TABLE postings ADD COLUMN gift_card_id uuid REFERENCES gift_cards;
CREATE INDEX postings_by_gift_card ON postings (gift_card_id, id) WHERE gift_card_id IS NOT NULL;
UPDATE accounts SET protected = true WHERE code = 'gift_card_inventory';

-- Counted as orders are (migration 00008): by status, with their values.
-- +goose StatementBegin
CREATE FUNCTION tally_gift_card() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO tally_changes VALUES ('gift_cards', NEW.user_id, NEW.status, 1, NEW.value);
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO tally_changes VALUES ('gift_cards', OLD.user_id, OLD.status, -1, -OLD.value);
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER tally_new AFTER INSERT ON gift_cards FOR EACH ROW EXECUTE FUNCTION tally_gift_card();
CREATE TRIGGER tally_changed AFTER UPDATE ON gift_cards FOR EACH ROW
  WHEN (OLD.status IS DISTINCT FROM NEW.status OR OLD.user_id IS DISTINCT FROM NEW.user_id) EXECUTE FUNCTION tally_gift_card();

-- Mails about gift cards lie beside those about orders.
ALTER TABLE mails ALTER COLUMN order_id DROP NOT NULL, ALTER COLUMN event_id DROP NOT NULL,
  ADD COLUMN gift_card_id uuid REFERENCES gift_cards, ADD COLUMN gift_card_event_id bigint REFERENCES gift_card_events,
  ADD CHECK (num_nonnulls(order_id, gift_card_id) = 1 AND num_nonnulls(event_id, gift_card_event_id) = 1),
  ADD UNIQUE (gift_card_id, dedupe, user_id);

-- +goose Down
-- There is no way down: gift cards are money that was paid. Restore a backup.
SELECT 1;
