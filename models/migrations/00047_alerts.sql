-- Alerts: what goes wrong for longer than it may, told to those who can act on it
-- by mail, and by a webhook where one is set.

-- +goose Up

CREATE TABLE alerts (
  id        uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  kind      text NOT NULL CHECK (kind IN ('stale_prices', 'provider_silent', 'ageing_queue', 'stuck_orders')),
  subject   text NOT NULL, -- the asset, the task queue of the worker that holds the provider's key, or the queue people work off
  count     int NOT NULL CHECK (count >= 0),
  since     timestamptz NOT NULL, -- since when it has been so
  opened_at timestamptz NOT NULL DEFAULT clock_now(),
  gone_at   timestamptz, -- since when it is not so any more; it closes when that has lasted
  closed_at timestamptz
);
-- One trouble is told once, however many look at it at the same time.
CREATE UNIQUE INDEX alerts_open ON alerts (kind, subject) WHERE closed_at IS NULL;
GRANT SELECT, INSERT ON alerts TO tradepost_app;
GRANT UPDATE (count, since, gone_at, closed_at) ON alerts TO tradepost_app;

-- What the webhook is to be told. The id is the message's, however often it is sent.
CREATE TABLE alert_calls (
  id          uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  alert_id    uuid NOT NULL REFERENCES alerts,
  state       text NOT NULL CHECK (state IN ('opened', 'closed')),
  created_at  timestamptz NOT NULL DEFAULT clock_now(),
  next_try_at timestamptz NOT NULL DEFAULT clock_now(),
  attempts    int NOT NULL DEFAULT 0,
  last_error  text, -- a code, never the other side's words
  sent_at     timestamptz,
  given_up_at timestamptz
);
CREATE INDEX alert_calls_due ON alert_calls (next_try_at) WHERE sent_at IS NULL AND given_up_at IS NULL;
CREATE INDEX alert_calls_of ON alert_calls (alert_id);
GRANT SELECT, INSERT ON alert_calls TO tradepost_app;
GRANT UPDATE (next_try_at, attempts, last_error, sent_at, given_up_at) ON alert_calls TO tradepost_app;

-- Mails about an alert hang on it, with what became of it.
ALTER TABLE mails DROP CONSTRAINT mails_about_one;
ALTER TABLE mails ADD COLUMN alert_id uuid REFERENCES alerts,
  ADD CONSTRAINT mails_about_one CHECK (num_nonnulls(event_id, gift_card_event_id, matter_event_id, alert_id) = 1
    AND (event_id IS NULL) = (order_id IS NULL) AND (gift_card_event_id IS NULL) = (gift_card_id IS NULL));
CREATE INDEX mails_of_alert ON mails (alert_id) WHERE alert_id IS NOT NULL;

-- +goose Down
DELETE FROM mails WHERE alert_id IS NOT NULL;
DROP INDEX mails_of_alert;
ALTER TABLE mails DROP CONSTRAINT mails_about_one, DROP COLUMN alert_id,
  ADD CONSTRAINT mails_about_one CHECK (num_nonnulls(event_id, gift_card_event_id, matter_event_id) = 1
    AND (event_id IS NULL) = (order_id IS NULL) AND (gift_card_event_id IS NULL) = (gift_card_id IS NULL));
DROP TABLE alert_calls;
DROP TABLE alerts;
