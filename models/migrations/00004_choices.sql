-- What a customer chooses about an order that does not go on, and until when;
-- how much was given back; disputes of card payments.

-- +goose Up

ALTER TABLE orders
  -- the choice that is open: why it is offered, and when its default comes
  ADD choice_reason text CHECK (choice_reason IN ('failed', 'price_moved', 'money_short', 'money_over', 'money_late')),
  ADD choice_due_at timestamptz,
  -- until when the customer wants us to keep trying, and when we try next
  ADD kept_from     timestamptz,
  ADD kept_until    timestamptz,
  ADD try_next_at   timestamptz,
  -- when it was last put back before a step that had failed or waited
  ADD resumed_at    timestamptz,
  -- cents given back so far
  ADD refunded      numeric(38,0) NOT NULL DEFAULT 0 CHECK (refunded >= 0),
  ADD CHECK ((kept_from IS NULL) = (kept_until IS NULL));

UPDATE orders o SET resumed_at = (SELECT max(d.created_at) FROM decisions d WHERE d.order_id = o.id AND d.kind = 'retry')
 WHERE o.closed_at IS NULL;
UPDATE orders SET refunded = total WHERE resolution = 'refunded';

-- Open orders with a choice to lapse, or to be tried again, by when.
CREATE INDEX orders_to_wake ON orders (least(choice_due_at, try_next_at)) WHERE closed_at IS NULL AND (choice_due_at IS NOT NULL OR try_next_at IS NOT NULL);

-- A refund is ours, or was made at the provider by itself.
ALTER TABLE refunds
  ADD origin      text NOT NULL DEFAULT 'ours' CHECK (origin IN ('ours', 'provider')),
  ADD decision_id uuid REFERENCES decisions;
CREATE UNIQUE INDEX refunds_provider_id ON refunds (provider_id) WHERE provider_id IS NOT NULL;

-- A customer's bank taking a card payment back, as the provider tells it.
CREATE TABLE disputes (
  id             uuid PRIMARY KEY,
  order_id       uuid NOT NULL REFERENCES orders,
  provider_id    text NOT NULL UNIQUE,
  amount         numeric(38,0) NOT NULL CHECK (amount > 0),
  fee            numeric(38,0) NOT NULL DEFAULT 0 CHECK (fee >= 0),
  reason         text NOT NULL DEFAULT '',
  status         text NOT NULL,
  due_by         timestamptz,
  withdrawn_at   timestamptz,
  reinstated_at  timestamptz,
  contested_at   timestamptz,
  send_started_at timestamptz,
  created_at     timestamptz NOT NULL DEFAULT clock_now(),
  updated_at     timestamptz NOT NULL DEFAULT clock_now(),
  closed_at      timestamptz
);
CREATE INDEX disputes_by_order ON disputes (order_id, created_at);
CREATE INDEX disputes_open ON disputes (updated_at) WHERE closed_at IS NULL;
GRANT SELECT, INSERT, UPDATE ON disputes TO tradepost_app;

INSERT INTO accounts (code, kind, protected) VALUES ('chargebacks', 'expense', false), ('goodwill', 'expense', false)
ON CONFLICT (code) DO NOTHING;

-- +goose Down
DROP TABLE disputes;
DROP INDEX refunds_provider_id;
ALTER TABLE refunds DROP COLUMN origin, DROP COLUMN decision_id;
DROP INDEX orders_to_wake;
ALTER TABLE orders DROP COLUMN choice_reason, DROP COLUMN choice_due_at, DROP COLUMN kept_from, DROP COLUMN kept_until,
  DROP COLUMN try_next_at, DROP COLUMN resumed_at, DROP COLUMN refunded;
