-- Matters: whatever has a story, people's decisions and mails beside orders and
-- gift cards. One table for each of the three, whatever the matter is.

-- +goose Up

CREATE TABLE matter_events (
  id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  matter    text NOT NULL,
  matter_id uuid NOT NULL,
  user_id   uuid NOT NULL REFERENCES users, -- whose matter it is
  reference text NOT NULL,
  at        timestamptz NOT NULL DEFAULT clock_now(),
  kind      text NOT NULL,
  actor     text NOT NULL DEFAULT 'system' CHECK (actor IN ('system', 'customer', 'staff', 'provider')),
  status    text NOT NULL,
  internal  boolean NOT NULL DEFAULT false,
  data      jsonb NOT NULL DEFAULT '{}',
  dedupe    text,
  UNIQUE (matter_id, matter, dedupe)
);
CREATE INDEX matter_events_by_matter ON matter_events (matter_id, matter, id);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON matter_events
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();
GRANT SELECT, INSERT ON matter_events TO tradepost_app;

-- +goose StatementBegin
CREATE FUNCTION announce_matter_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('matter_changed', NEW.matter_id::text || ' ' || NEW.user_id::text || ' ' || NEW.matter);
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER announce AFTER INSERT ON matter_events
  FOR EACH ROW EXECUTE FUNCTION announce_matter_event();

-- A person's decision: a row first, then an Update with the row's id.
CREATE TABLE matter_decisions (
  id           uuid PRIMARY KEY,
  matter       text NOT NULL,
  matter_id    uuid NOT NULL,
  kind         text NOT NULL,
  actor_id     uuid NOT NULL REFERENCES users,
  reason       text NOT NULL DEFAULT '',
  data         jsonb NOT NULL DEFAULT '{}', -- what the kind needs: ids, amounts, references
  created_at   timestamptz NOT NULL DEFAULT clock_now(),
  delivered_at timestamptz,
  settled_at   timestamptz,
  outcome_code text
);
CREATE UNIQUE INDEX matter_decisions_one_open ON matter_decisions (matter_id, matter) WHERE settled_at IS NULL;
CREATE INDEX matter_decisions_undelivered ON matter_decisions (created_at) WHERE settled_at IS NULL;
CREATE INDEX matter_decisions_by_matter ON matter_decisions (matter_id, matter, created_at);
GRANT SELECT, INSERT ON matter_decisions TO tradepost_app;
GRANT UPDATE (delivered_at, settled_at, outcome_code) ON matter_decisions TO tradepost_app;

-- What a matter moved in the ledger.
ALTER TABLE postings ADD COLUMN matter text, ADD COLUMN matter_id uuid, ADD CHECK ((matter IS NULL) = (matter_id IS NULL));
CREATE INDEX postings_by_matter ON postings (matter_id, matter, id) WHERE matter_id IS NOT NULL;

-- Mails hang on the event they tell of, whatever that is about.
ALTER TABLE mails DROP CONSTRAINT mails_check;
ALTER TABLE mails ADD COLUMN matter_event_id bigint REFERENCES matter_events,
  ADD CONSTRAINT mails_about_one CHECK (num_nonnulls(event_id, gift_card_event_id, matter_event_id) = 1
    AND (event_id IS NULL) = (order_id IS NULL) AND (gift_card_event_id IS NULL) = (gift_card_id IS NULL)),
  ADD UNIQUE (matter_event_id, kind, user_id);

-- +goose Down
-- There is no way down: payouts and vouchers are money that moved. Restore a backup.
SELECT 1;
