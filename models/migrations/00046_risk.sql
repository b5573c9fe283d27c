-- What speaks against an order, and what waits for compliance because of it.

-- +goose Up

-- Few rules, each with a limit and a window; an order's score is the sum of what
-- it runs into. The row "threshold" says from which score on it is reviewed.
CREATE TABLE risk_rules (
  code       text PRIMARY KEY,
  enabled    boolean NOT NULL,
  most       bigint NOT NULL CHECK (most >= 0), -- a number, or cents
  hours      int NOT NULL CHECK (hours BETWEEN 0 AND 8760),
  score      int NOT NULL CHECK (score BETWEEN 0 AND 100),
  version    int NOT NULL DEFAULT 1,
  changed_by uuid REFERENCES users,
  changed_at timestamptz NOT NULL DEFAULT clock_now()
);
INSERT INTO risk_rules (code, enabled, most, hours, score) VALUES
  ('threshold',               true,       0,   0, 100),
  ('orders_per_hour',         true,      10,   1,  30),
  ('orders_per_day',          true,      30,  24,  30),
  ('volume_per_hour',         true, 1500000,   1,  50),
  ('volume_per_day',          true, 4000000,  24,  50),
  ('new_account_large_order', true,  500000, 168,  60),
  ('shared_address',          true,       3, 720,  60),
  ('failed_payments',         true,       5,  24,  60),
  ('shared_card',             true,       2, 720,  30);
GRANT SELECT, UPDATE ON risk_rules TO tradepost_app;

ALTER TABLE orders ADD COLUMN under_review boolean NOT NULL DEFAULT false,
  ADD COLUMN risk_score int NOT NULL DEFAULT 0, ADD COLUMN risk_reasons text[] NOT NULL DEFAULT '{}';
ALTER TABLE voucher_redemptions ADD COLUMN under_review boolean NOT NULL DEFAULT false;
ALTER TABLE payments ADD COLUMN card_fingerprint text;

-- What the rules count is found by these, and bounded where it is counted.
CREATE INDEX orders_by_address ON orders (dest_address, created_at DESC);
CREATE INDEX payments_by_user ON payments (user_id, created_at DESC);
CREATE INDEX payments_by_card ON payments (card_fingerprint, created_at DESC) WHERE card_fingerprint IS NOT NULL;

-- One review of an order or a redemption is open at a time.
CREATE TABLE risk_reviews (
  id            uuid PRIMARY KEY,
  order_id      uuid REFERENCES orders,
  redemption_id uuid REFERENCES voucher_redemptions,
  user_id       uuid NOT NULL REFERENCES users,
  address_key   text NOT NULL, -- where the coin was to go when it was opened
  score         int NOT NULL,
  reasons       text[] NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT clock_now(),
  closed_at     timestamptz,
  outcome       text CHECK (outcome IN ('released', 'refused', 'ended')),
  decided_by    uuid REFERENCES users,
  reason        text NOT NULL DEFAULT '',
  CHECK ((order_id IS NULL) <> (redemption_id IS NULL)),
  CHECK ((closed_at IS NULL) = (outcome IS NULL))
);
CREATE UNIQUE INDEX risk_reviews_one_of_order ON risk_reviews (order_id) WHERE closed_at IS NULL AND order_id IS NOT NULL;
CREATE UNIQUE INDEX risk_reviews_one_of_redemption ON risk_reviews (redemption_id) WHERE closed_at IS NULL AND redemption_id IS NOT NULL;
CREATE INDEX risk_reviews_of_order ON risk_reviews (order_id, created_at);
CREATE INDEX risk_reviews_of_redemption ON risk_reviews (redemption_id, created_at);
CREATE INDEX risk_reviews_by_user ON risk_reviews (user_id);
CREATE INDEX risk_reviews_open ON risk_reviews (created_at, id) WHERE closed_at IS NULL;
CREATE INDEX risk_reviews_closed ON risk_reviews (created_at DESC, id DESC) WHERE closed_at IS NOT NULL;
GRANT SELECT, INSERT, UPDATE ON risk_reviews TO tradepost_app;

-- +goose Down
-- There is no way down: what people decided would be lost. Restore a backup.
SELECT 1;
