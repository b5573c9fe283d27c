-- Mails about orders. A row is written with the event it tells of, and sent
-- afterwards: what happened is told, once, however often it was reported.

-- +goose Up

CREATE TABLE mails (
  id          uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  order_id    uuid NOT NULL REFERENCES orders,
  event_id    bigint NOT NULL REFERENCES order_events,
  kind        text NOT NULL,
  user_id     uuid NOT NULL REFERENCES users,
  staff       boolean NOT NULL, -- whether it speaks to the customer or to who can act
  dedupe      text NOT NULL,
  created_at  timestamptz NOT NULL DEFAULT clock_now(),
  next_try_at timestamptz NOT NULL DEFAULT clock_now(),
  attempts    int NOT NULL DEFAULT 0,
  last_error  text, -- a code, never a mail server's words
  sent_at     timestamptz,
  given_up_at timestamptz,
  UNIQUE (order_id, dedupe, user_id)
);
CREATE INDEX mails_due ON mails (next_try_at) WHERE sent_at IS NULL AND given_up_at IS NULL;
GRANT SELECT, INSERT ON mails TO tradepost_app;
GRANT UPDATE (next_try_at, attempts, last_error, sent_at, given_up_at) ON mails TO tradepost_app;

-- +goose Down
DROP TABLE mails;
