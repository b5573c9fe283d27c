-- A partial refund before delivery can come with less coin, if the customer agrees. A coin offer holds the terms before
-- and after; the order's own terms change when it is agreed to.

-- +goose Up
CREATE TABLE coin_offers (
  id                     uuid PRIMARY KEY,
  order_id               uuid NOT NULL REFERENCES orders,
  decision_id            uuid NOT NULL REFERENCES decisions,
  status                 text NOT NULL DEFAULT 'open'
    CHECK (status IN ('open', 'agreed', 'declined', 'expired', 'withdrawn', 'ended', 'undone')),
  refund                 numeric(38,0) NOT NULL CHECK (refund > 0),
  destination            text NOT NULL CHECK (destination IN ('card', 'balance')),
  amount_before          numeric(38,0) NOT NULL,
  base_price_before      numeric(38,0) NOT NULL,
  payment_fee_before     numeric(38,0) NOT NULL,
  volume_discount_before numeric(38,0) NOT NULL,
  amount                 numeric(38,0) NOT NULL CHECK (amount > 0 AND amount < amount_before),
  base_price             numeric(38,0) NOT NULL CHECK (base_price > 0),
  payment_fee            numeric(38,0) NOT NULL CHECK (payment_fee >= 0),
  volume_discount        numeric(38,0) NOT NULL CHECK (volume_discount >= 0),
  refund_sequence        int, -- of the refund that it became
  created_at             timestamptz NOT NULL DEFAULT clock_now(),
  due_at                 timestamptz NOT NULL,
  ended_at               timestamptz,
  CHECK ((status = 'open') = (ended_at IS NULL)),
  CHECK (base_price + payment_fee - volume_discount + refund
    = base_price_before + payment_fee_before - volume_discount_before)
);
CREATE UNIQUE INDEX coin_offers_one_open ON coin_offers (order_id) WHERE status = 'open';
CREATE INDEX coin_offers_due ON coin_offers (due_at) WHERE status = 'open';
CREATE INDEX coin_offers_by_order ON coin_offers (order_id, created_at);

-- reduced: the cents of the total that were refunded with less coin. offer_until: the customer's time to answer.
ALTER TABLE orders ADD COLUMN reduced numeric(38,0) NOT NULL DEFAULT 0,
  ADD COLUMN offer_until timestamptz;
ALTER TABLE orders ADD CONSTRAINT orders_reduced_check CHECK (reduced >= 0) NOT VALID;
-- reduces: the refund comes with less coin, so that our debt bears it, before and after the coin is sent.
ALTER TABLE refunds ADD COLUMN reduces boolean NOT NULL DEFAULT false;

-- The API lowers what an order delivers, when its customer agrees; it never raises it.
-- +goose StatementBegin
CREATE FUNCTION never_more_coin() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the API does not raise the coin of an order' USING ERRCODE = 'insufficient_privilege';
END $$;
-- +goose StatementEnd
CREATE TRIGGER never_more_coin BEFORE UPDATE OF amount, base_price, payment_fee, volume_discount, reduced ON orders FOR EACH ROW
  WHEN (session_user = 'tradepost_api' AND (NEW.amount > OLD.amount OR NEW.base_price > OLD.base_price OR NEW.reduced < OLD.reduced))
  EXECUTE FUNCTION never_more_coin();

-- +goose Down
-- There is no way down: orders whose customers agreed to less coin would be sent at the wrong price.
SELECT 1;
