-- Kill switches: what people have paused, and what waits for it.

-- +goose Up

CREATE TABLE switches (
  kind       text NOT NULL CHECK (kind IN ('rail', 'asset', 'fulfilment', 'signups')),
  name       text NOT NULL, -- the payment method's code, the asset; '' where there is one only
  paused     boolean NOT NULL,
  reason     text NOT NULL,
  actor_id   uuid NOT NULL REFERENCES users,
  changed_at timestamptz NOT NULL,
  version    int NOT NULL,
  PRIMARY KEY (kind, name)
);
CREATE TRIGGER pricing_changed AFTER INSERT OR UPDATE OR DELETE ON switches FOR EACH STATEMENT EXECUTE FUNCTION pricing_changed();
GRANT SELECT, INSERT, UPDATE ON switches TO tradepost_app;

-- What goes on when its switch is turned back is found by these.
CREATE INDEX orders_paused ON orders (updated_at) WHERE attention_reason = 'paused';
CREATE INDEX voucher_redemptions_paused ON voucher_redemptions (updated_at) WHERE attention_reason = 'paused';

-- +goose Down
DROP INDEX voucher_redemptions_paused;
DROP INDEX orders_paused;
DROP TABLE switches;
