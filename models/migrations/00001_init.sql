-- The whole first schema. Read it as the list of what Tradepost keeps:
-- time, people, identity checks, prices, orders and their payments, the ledger,
-- decisions, and the guards (idempotency, webhooks, limits, audit).
--
-- Two roles: the owner runs migrations; tradepost_app runs the product and may
-- only add to postings, events and audit rows, never change or remove them.
-- Fiat amounts are cents, coin amounts base units: NUMERIC(38,0), never floats.

-- +goose Up

CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- +goose StatementBegin
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'tradepost_app') THEN
    CREATE ROLE tradepost_app NOLOGIN;
  END IF;
END $$;
-- +goose StatementEnd

-- ── Time ─────────────────────────────────────────────────────────────────────
-- Time is the database's. The offset moves forward only, and only its owner
-- (local mode) may move it, so that a month can be lived through in minutes.

CREATE TABLE clock (
  only_row  boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  ahead     interval NOT NULL DEFAULT '0' CHECK (ahead >= '0')
);
INSERT INTO clock DEFAULT VALUES;

CREATE FUNCTION clock_now() RETURNS timestamptz LANGUAGE sql STABLE
AS 'SELECT now() + ahead FROM clock';

-- +goose StatementBegin
CREATE FUNCTION clock_forward_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.ahead < OLD.ahead THEN RAISE EXCEPTION 'the clock only moves forward'; END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER clock_forward_only BEFORE UPDATE ON clock
  FOR EACH ROW EXECUTE FUNCTION clock_forward_only();

-- +goose StatementBegin
CREATE FUNCTION append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END $$;
-- +goose StatementEnd

-- ── People ───────────────────────────────────────────────────────────────────

CREATE TABLE users (
  id                 uuid PRIMARY KEY,
  issuer             text NOT NULL,
  subject            text NOT NULL,
  email              text NOT NULL,
  email_verified     boolean NOT NULL DEFAULT false,
  first_name         text NOT NULL DEFAULT '',
  last_name          text NOT NULL DEFAULT '',
  profile_image_url  text NOT NULL DEFAULT '',
  country            text NOT NULL DEFAULT '',
  terms_version      text NOT NULL DEFAULT '',
  terms_accepted_at  timestamptz,
  adult_confirmed_at timestamptz,
  volume_tier        text NOT NULL DEFAULT 'bronze',
  tier_until         timestamptz,
  disabled_at        timestamptz,
  frozen_at          timestamptz,
  created_at         timestamptz NOT NULL DEFAULT clock_now(),
  updated_at         timestamptz NOT NULL DEFAULT clock_now(),
  UNIQUE (issuer, subject)
);

CREATE TABLE user_roles (
  user_id    uuid NOT NULL REFERENCES users,
  role       text NOT NULL CHECK (role IN ('support', 'compliance', 'finance', 'admin')),
  granted_by text NOT NULL,
  granted_at timestamptz NOT NULL DEFAULT clock_now(),
  PRIMARY KEY (user_id, role)
);

-- A role promised to an e-mail address before its first sign-in; honoured once,
-- and only when the issuer says the address is verified.
CREATE TABLE pending_grants (
  issuer     text NOT NULL,
  email      text NOT NULL,
  role       text NOT NULL,
  granted_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_now(),
  PRIMARY KEY (issuer, email, role)
);

CREATE TABLE sessions (
  token_hash    bytea PRIMARY KEY,
  user_id       uuid NOT NULL REFERENCES users,
  user_agent    text NOT NULL DEFAULT '',
  ip            text NOT NULL DEFAULT '',
  two_factor_at timestamptz,
  created_at    timestamptz NOT NULL DEFAULT clock_now(),
  last_seen_at  timestamptz NOT NULL DEFAULT clock_now(),
  expires_at    timestamptz NOT NULL,
  revoked_at    timestamptz
);
CREATE INDEX sessions_by_user ON sessions (user_id, last_seen_at DESC);

CREATE TABLE login_attempts (
  state_hash   bytea PRIMARY KEY,
  browser_hash bytea NOT NULL,
  nonce        text NOT NULL,
  verifier     text NOT NULL,
  return_to    text NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT clock_now(),
  used_at      timestamptz
);

-- ── Identity checks ──────────────────────────────────────────────────────────

CREATE TABLE kyc_records (
  user_id      uuid PRIMARY KEY REFERENCES users,
  level        text NOT NULL DEFAULT 'none' CHECK (level IN ('none', 'standard', 'enhanced')),
  status       text NOT NULL DEFAULT 'not_started' CHECK (status IN ('not_started', 'pending', 'approved', 'rejected')),
  can_retry    boolean NOT NULL DEFAULT true,
  on_hold      boolean NOT NULL DEFAULT false,
  reason       text NOT NULL DEFAULT '',
  applicant_id text NOT NULL DEFAULT '',
  revoked_at   timestamptz,
  provider_at  timestamptz,
  polled_at    timestamptz,
  created_at   timestamptz NOT NULL DEFAULT clock_now(),
  updated_at   timestamptz NOT NULL DEFAULT clock_now()
);

CREATE TABLE kyc_events (
  id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users,
  at      timestamptz NOT NULL DEFAULT clock_now(),
  level   text NOT NULL,
  status  text NOT NULL,
  source  text NOT NULL
);
CREATE INDEX kyc_events_by_user ON kyc_events (user_id, id);

-- Addresses we never send to: our own, and those on an imported list. The key is
-- the canonical form (lower case where the network ignores case).
CREATE TABLE blocked_addresses (
  network     text NOT NULL,
  address_key text NOT NULL,
  kind        text NOT NULL CHECK (kind IN ('own', 'blocked')),
  source      text NOT NULL,
  added_at    timestamptz NOT NULL DEFAULT clock_now(),
  PRIMARY KEY (network, address_key)
);

-- ── Prices and pricing ───────────────────────────────────────────────────────

-- One row an asset: the exchange's rules and its last price, with the age of each.
CREATE TABLE markets (
  asset          text PRIMARY KEY,
  pair           text NOT NULL,
  lot_decimals   int NOT NULL,
  price_decimals int NOT NULL,
  tick_size      numeric NOT NULL,
  min_amount     numeric NOT NULL,
  min_cost       numeric NOT NULL,
  taker_fee      numeric NOT NULL,
  tradable       boolean NOT NULL,
  rules_at       timestamptz NOT NULL,
  ask            numeric NOT NULL DEFAULT 0,
  bid            numeric NOT NULL DEFAULT 0,
  last           numeric NOT NULL DEFAULT 0,
  priced_at      timestamptz,
  -- when the ask last moved by more than a believable step: not quoted for a while
  jumped_at      timestamptz
);

CREATE TABLE payment_methods (
  id                  uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  payment_method      text NOT NULL UNIQUE,
  base_margin_percent numeric(7,4) NOT NULL CHECK (base_margin_percent >= 0),
  processing_fee      numeric(38,0) NOT NULL DEFAULT 0 CHECK (processing_fee >= 0),
  min_order_amount    numeric(38,0) NOT NULL DEFAULT 0 CHECK (min_order_amount >= 0),
  max_order_amount    numeric(38,0) CHECK (max_order_amount > 0),
  is_enabled          boolean NOT NULL DEFAULT true,
  description         text NOT NULL DEFAULT '',
  is_public           boolean NOT NULL,
  in_buy_flow         boolean NOT NULL,
  timing              text NOT NULL,
  window_minutes      int NOT NULL CHECK (window_minutes > 0),
  wants_card_photo    boolean NOT NULL DEFAULT false,
  position            int NOT NULL,
  version             int NOT NULL DEFAULT 1,
  updated_at          timestamptz NOT NULL DEFAULT clock_now()
);

INSERT INTO payment_methods
  (position, payment_method, base_margin_percent, processing_fee, min_order_amount, max_order_amount, is_public, in_buy_flow, window_minutes, timing, description) VALUES
  ( 1, 'card',               3.5,   0, 5000,  1000000, true,  true,    30, 'instant',           'Visa, Mastercard, American Express and Discover'),
  ( 2, 'domestic_wire',      1.0,1500, 5000, 25000000, false, true,  2880, 'same day',          'Wire from a US bank'),
  ( 3, 'international_wire', 1.2,3000, 5000, 25000000, false, true,  7200, '1-2 business days', 'SWIFT wire from abroad'),
  ( 4, 'bank_transfer',      1.5,   0, 5000,  2500000, false, true,  7200, '1-3 business days', 'ACH transfer from a US bank account'),
  ( 5, 'paypal',             4.0,   0, 5000,   500000, false, true,  1440, 'instant',           'PayPal balance or linked account'),
  ( 6, 'zelle',              2.0,   0, 5000,   500000, false, true,  1440, 'instant',           'Zelle from your bank''s app'),
  ( 7, 'zelle_pay',          2.0,   0, 5000,   500000, false, true,  1440, 'instant',           'Zelle Pay'),
  ( 8, 'chime',              2.0,   0, 5000,   500000, false, true,  1440, 'instant',           'Chime transfer'),
  ( 9, 'revolut',            2.0,   0, 5000,   500000, false, true,  1440, 'instant',           'Revolut transfer'),
  (10, 'ach',                1.5,   0, 5000,  2500000, true,  false, 7200, '1-3 business days', 'ACH bank transfer'),
  (11, 'wire',               1.0,1500, 5000, 25000000, true,  false, 2880, 'same day',          'Bank wire'),
  (12, 'cash',               5.0, 500, 5000,   100000, true,  false, 2880, 'same day',          'Cash deposit at a partner branch'),
  (13, 'balance',            1.0,   0, 5000,     NULL, false, false,   30, 'instant',           'Your account balance');
UPDATE payment_methods SET is_enabled = false WHERE payment_method IN ('cash', 'balance');

CREATE TABLE volume_tiers (
  id                      uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  tier_name               text NOT NULL UNIQUE,
  min_volume_30_days      numeric(38,0) NOT NULL,
  margin_discount_percent numeric(7,4) NOT NULL CHECK (margin_discount_percent >= 0),
  bonus_reward_percent    numeric(7,4) NOT NULL CHECK (bonus_reward_percent >= 0),
  is_active               boolean NOT NULL DEFAULT true
);
INSERT INTO volume_tiers (tier_name, min_volume_30_days, margin_discount_percent, bonus_reward_percent) VALUES
  ('bronze',         0, 0,    0),
  ('silver',   1000000, 0.10, 0),
  ('gold',     5000000, 0.20, 0.05),
  ('platinum',25000000, 0.30, 0.10);

CREATE TABLE kyc_pricing (
  id                        uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  kyc_level                 text NOT NULL UNIQUE,
  margin_adjustment_percent numeric(7,4) NOT NULL,
  max_single_transaction    numeric(38,0),
  max_daily_volume          numeric(38,0),
  max_monthly_volume        numeric(38,0)
);
INSERT INTO kyc_pricing (kyc_level, margin_adjustment_percent, max_single_transaction, max_daily_volume, max_monthly_volume) VALUES
  ('none',      0,         0,        0,         0),
  ('standard',  0,   1000000,  2500000,  10000000),
  ('enhanced', -0.10, 10000000, 25000000,      NULL);

-- ── Orders ───────────────────────────────────────────────────────────────────

CREATE TABLE orders (
  id                  uuid PRIMARY KEY,
  reference           text NOT NULL UNIQUE,
  user_id             uuid NOT NULL REFERENCES users,
  asset               text NOT NULL,
  network             text NOT NULL,
  amount              numeric(38,0) NOT NULL CHECK (amount > 0),
  dest_address        text NOT NULL,
  payment_method      text NOT NULL REFERENCES payment_methods (payment_method),
  channel             text NOT NULL DEFAULT 'web',
  status              text NOT NULL CHECK (status IN ('pending', 'payment_approved', 'fulfilling', 'filled', 'sent', 'failed')),
  resolution          text CHECK (resolution IN ('declined', 'cancelled', 'expired', 'refunded')),
  attention_reason    text,
  attention_since     timestamptz,
  attention_choices   text[] NOT NULL DEFAULT '{}',
  held                boolean NOT NULL DEFAULT false,
  -- the locked price, in cents
  unit_price          numeric NOT NULL,
  base_price          numeric(38,0) NOT NULL CHECK (base_price > 0),
  payment_fee         numeric(38,0) NOT NULL CHECK (payment_fee >= 0),
  volume_discount     numeric(38,0) NOT NULL CHECK (volume_discount >= 0),
  total               numeric(38,0) NOT NULL CHECK (total > 0),
  bonus_percent       numeric(7,4) NOT NULL DEFAULT 0,
  quote_id            uuid UNIQUE,
  payment_due_at      timestamptz NOT NULL,
  -- how fulfilment went
  kraken_order_id     text,
  bitgo_transfer_id   text,
  txid                text,
  failed_step         text,
  fulfillment_code    text,
  fulfillment_error   text,
  retry_count         int NOT NULL DEFAULT 0,
  last_error          text,
  last_error_at       timestamptz,
  -- the workflow that carries it
  workflow_started_at timestamptz,
  swept_at            timestamptz,
  -- when things happened
  created_at          timestamptz NOT NULL DEFAULT clock_now(),
  updated_at          timestamptz NOT NULL DEFAULT clock_now(),
  paid_at             timestamptz,
  sent_at             timestamptz,
  confirmed_at        timestamptz,
  closed_at           timestamptz,
  CHECK (resolution IS NULL OR status = 'failed'),
  CHECK (status <> 'sent' OR txid IS NOT NULL),
  CHECK ((attention_reason IS NULL) = (attention_since IS NULL))
);
CREATE INDEX orders_by_user    ON orders (user_id, created_at DESC, id DESC);
CREATE INDEX orders_by_time    ON orders (created_at DESC, id DESC);
CREATE INDEX orders_by_status  ON orders (status, created_at DESC, id DESC);
CREATE INDEX orders_open       ON orders (updated_at) WHERE closed_at IS NULL;
CREATE INDEX orders_unstarted  ON orders (created_at) WHERE workflow_started_at IS NULL AND closed_at IS NULL;
CREATE INDEX orders_search     ON orders USING gin ((lower(id::text || ' ' || reference || ' ' || asset || ' ' || dest_address)) gin_trgm_ops);

-- What happened to an order, as people read it. data holds codes and figures,
-- never a provider's text. dedupe makes an event that is told twice one event.
CREATE TABLE order_events (
  id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  order_id uuid NOT NULL REFERENCES orders,
  at       timestamptz NOT NULL DEFAULT clock_now(),
  kind     text NOT NULL,
  actor    text NOT NULL DEFAULT 'system' CHECK (actor IN ('system', 'customer', 'staff', 'provider')),
  status   text NOT NULL,
  internal boolean NOT NULL DEFAULT false,
  data     jsonb NOT NULL DEFAULT '{}',
  dedupe   text,
  UNIQUE (order_id, dedupe)
);
CREATE INDEX order_events_by_order ON order_events (order_id, id);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON order_events
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();

-- +goose StatementBegin
CREATE FUNCTION announce_order_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE owner uuid;
BEGIN
  SELECT user_id INTO owner FROM orders WHERE id = NEW.order_id;
  PERFORM pg_notify('order_changed', NEW.order_id::text || ' ' || owner::text);
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER announce AFTER INSERT ON order_events
  FOR EACH ROW EXECUTE FUNCTION announce_order_event();

-- ── What an order does to the world, each with its identity ──────────────────
-- *_started_at is committed before the first send: when it is set, look up
-- before sending again.

CREATE TABLE payments (
  id                       uuid PRIMARY KEY,
  order_id                 uuid NOT NULL UNIQUE REFERENCES orders,
  user_id                  uuid NOT NULL REFERENCES users,
  payment_method           text NOT NULL,
  amount                   numeric(38,0) NOT NULL CHECK (amount > 0),
  admin_approval_status    text NOT NULL DEFAULT 'pending' CHECK (admin_approval_status IN ('pending', 'approved', 'declined')),
  due_at                   timestamptz NOT NULL,
  submitted_at             timestamptz,
  -- card
  checkout_generation      int NOT NULL DEFAULT 0,
  checkout_started_at      timestamptz,
  checkout_id              text,
  checkout_url             text,
  checkout_expires_at      timestamptz,
  stripe_payment_intent_id text UNIQUE,
  authorised_at            timestamptz,
  capture_before           timestamptz,
  card_brand               text,
  card_last4               text,
  decline_code             text,
  declines                 int NOT NULL DEFAULT 0,
  capture_generation       int NOT NULL DEFAULT 1,
  capture_started_at       timestamptz,
  captured_at              timestamptz,
  cancel_started_at        timestamptz,
  cancelled_at             timestamptz,
  -- other rails
  received_amount          numeric(38,0),
  received_on              date,
  bank_reference           text,
  -- the decision
  decided_by               uuid REFERENCES users,
  decided_at               timestamptz,
  decline_reason           text,
  created_at               timestamptz NOT NULL DEFAULT clock_now(),
  updated_at               timestamptz NOT NULL DEFAULT clock_now()
);
CREATE UNIQUE INDEX payments_bank_reference ON payments (lower(bank_reference)) WHERE bank_reference IS NOT NULL;
CREATE INDEX payments_by_status ON payments (admin_approval_status, created_at DESC, id DESC);
CREATE INDEX payments_by_time   ON payments (created_at DESC, id DESC);

CREATE TABLE evidence (
  id           uuid PRIMARY KEY,
  order_id     uuid NOT NULL REFERENCES orders,
  user_id      uuid NOT NULL REFERENCES users,
  kind         text NOT NULL CHECK (kind IN ('receipt', 'card_photo')),
  file_key     text NOT NULL UNIQUE,
  content_type text NOT NULL,
  size         int NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT clock_now(),
  purged_at    timestamptz
);
CREATE INDEX evidence_by_order ON evidence (order_id, id);

CREATE TABLE exchange_orders (
  order_id        uuid NOT NULL REFERENCES orders,
  generation      int NOT NULL,
  client_id       uuid NOT NULL UNIQUE,
  asset           text NOT NULL,
  asked           numeric(38,0) NOT NULL CHECK (asked > 0),
  limit_price     numeric NOT NULL CHECK (limit_price > 0),
  send_started_at timestamptz,
  deadline        timestamptz,
  exchange_id     text UNIQUE,
  filled          numeric(38,0) NOT NULL DEFAULT 0,
  cost            numeric(38,0) NOT NULL DEFAULT 0,
  fee             numeric(38,0) NOT NULL DEFAULT 0,
  done_at         timestamptz,
  created_at      timestamptz NOT NULL DEFAULT clock_now(),
  PRIMARY KEY (order_id, generation)
);

CREATE TABLE withdrawals (
  id              uuid PRIMARY KEY,
  order_id        uuid NOT NULL REFERENCES orders,
  user_id         uuid NOT NULL REFERENCES users,
  generation      int NOT NULL,
  asset           text NOT NULL,
  network         text NOT NULL,
  address         text NOT NULL,
  amount          numeric(38,0) NOT NULL CHECK (amount > 0),
  sequence_id     text NOT NULL UNIQUE,
  send_started_at timestamptz,
  transfer_id     text UNIQUE,
  approval_id     text,
  txid            text,
  status          text NOT NULL DEFAULT 'requested',
  fee             numeric(38,0) NOT NULL DEFAULT 0,
  fee_currency    text,
  created_at      timestamptz NOT NULL DEFAULT clock_now(),
  updated_at      timestamptz NOT NULL DEFAULT clock_now(),
  UNIQUE (order_id, generation)
);
CREATE INDEX withdrawals_by_user ON withdrawals (user_id, created_at DESC, id DESC);

CREATE TABLE refunds (
  order_id        uuid NOT NULL REFERENCES orders,
  sequence        int NOT NULL,
  amount          numeric(38,0) NOT NULL CHECK (amount > 0),
  destination     text NOT NULL CHECK (destination IN ('card', 'balance')),
  key             text NOT NULL UNIQUE,
  send_started_at timestamptz,
  provider_id     text,
  status          text NOT NULL DEFAULT 'requested',
  created_at      timestamptz NOT NULL DEFAULT clock_now(),
  done_at         timestamptz,
  PRIMARY KEY (order_id, sequence)
);

-- A person's decision: a row first, then an Update with the row's id.
CREATE TABLE decisions (
  id           uuid PRIMARY KEY,
  order_id     uuid NOT NULL REFERENCES orders,
  kind         text NOT NULL,
  actor_id     uuid NOT NULL REFERENCES users,
  reason       text NOT NULL DEFAULT '',
  data         jsonb NOT NULL DEFAULT '{}',
  created_at   timestamptz NOT NULL DEFAULT clock_now(),
  delivered_at timestamptz,
  settled_at   timestamptz,
  outcome      text,
  outcome_code text
);
CREATE UNIQUE INDEX decisions_one_open ON decisions (order_id) WHERE settled_at IS NULL;
CREATE INDEX decisions_undelivered ON decisions (created_at) WHERE settled_at IS NULL;

-- ── The ledger ───────────────────────────────────────────────────────────────
-- One posting moves an amount from one account to another; an account's balance
-- is what came in less what went out (so liabilities and income are negative).

CREATE TABLE accounts (
  code      text PRIMARY KEY,
  kind      text NOT NULL CHECK (kind IN ('asset', 'liability', 'income', 'expense', 'equity', 'conversion')),
  user_id   uuid REFERENCES users,
  protected boolean NOT NULL DEFAULT false
);
CREATE INDEX accounts_by_user ON accounts (user_id) WHERE user_id IS NOT NULL;

CREATE TABLE postings (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at           timestamptz NOT NULL DEFAULT clock_now(),
  group_key    text NOT NULL,
  line         int NOT NULL,
  event        text NOT NULL,
  from_account text NOT NULL REFERENCES accounts (code),
  to_account   text NOT NULL REFERENCES accounts (code),
  currency     text NOT NULL CHECK (currency IN ('USD', 'BTC', 'ETH', 'USDT', 'USDC')),
  amount       numeric(38,0) NOT NULL CHECK (amount > 0),
  order_id     uuid REFERENCES orders,
  UNIQUE (group_key, line),
  CHECK (from_account <> to_account)
);
CREATE INDEX postings_by_order ON postings (order_id, id) WHERE order_id IS NOT NULL;
CREATE INDEX postings_from ON postings (from_account, currency, id);
CREATE INDEX postings_to   ON postings (to_account, currency, id);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON postings
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();

-- Customers' balances are cached, by the database itself, in the transaction of
-- the posting. The check is what keeps a balance from ever going below zero.
CREATE TABLE customer_balances (
  account  text NOT NULL REFERENCES accounts (code),
  user_id  uuid NOT NULL REFERENCES users,
  currency text NOT NULL,
  amount   numeric(38,0) NOT NULL DEFAULT 0 CONSTRAINT balance_not_negative CHECK (amount >= 0),
  PRIMARY KEY (account, currency)
);
CREATE INDEX customer_balances_by_user ON customer_balances (user_id);

-- +goose StatementBegin
CREATE FUNCTION keep_customer_balance() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  -- A liability grows when value leaves through it: from = credit, to = debit.
  INSERT INTO customer_balances (account, user_id, currency, amount)
    SELECT code, user_id, NEW.currency, 0 FROM accounts
     WHERE code IN (NEW.from_account, NEW.to_account) AND user_id IS NOT NULL AND kind = 'liability'
     ORDER BY code
    ON CONFLICT DO NOTHING;
  UPDATE customer_balances SET amount = amount + NEW.amount WHERE account = NEW.from_account AND currency = NEW.currency;
  UPDATE customer_balances SET amount = amount - NEW.amount WHERE account = NEW.to_account   AND currency = NEW.currency;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER keep_customer_balance AFTER INSERT ON postings
  FOR EACH ROW EXECUTE FUNCTION keep_customer_balance();

-- House accounts are not cached in a row (none may be hot): their balances are
-- the last roll-up plus the postings since.
CREATE TABLE account_rollups (
  account    text NOT NULL REFERENCES accounts (code),
  currency   text NOT NULL,
  through_id bigint NOT NULL,
  balance    numeric(38,0) NOT NULL,
  PRIMARY KEY (account, currency)
);

INSERT INTO accounts (code, kind, protected) VALUES
  ('prepaid_orders',       'liability', true),
  ('unallocated_receipts', 'liability', true),
  ('voucher_liability',    'liability', true),
  ('stripe_clearing',      'asset',     false),
  ('bank_clearing',        'asset',     false),
  ('exchange',             'asset',     true),
  ('wallet:bitcoin',       'asset',     true),
  ('wallet:ethereum',      'asset',     true),
  ('wallet:tron',          'asset',     true),
  ('wallet_reserved:bitcoin',  'asset', true),
  ('wallet_reserved:ethereum', 'asset', true),
  ('wallet_reserved:tron',     'asset', true),
  ('gift_card_inventory',  'asset',     false),
  ('receivables',          'asset',     false),
  ('conversion',           'conversion', false),
  ('fees_earned',          'income',    false),
  ('trading_difference',   'income',    false),
  ('provider_fees',        'expense',   false),
  ('network_fees',         'expense',   false),
  ('promotions',           'expense',   false),
  ('chargebacks',          'expense',   false),
  ('equity',               'equity',    false);

-- ── Guards ───────────────────────────────────────────────────────────────────

CREATE TABLE idempotency_keys (
  user_id    uuid NOT NULL REFERENCES users,
  key        text NOT NULL,
  route      text NOT NULL,
  body_hash  bytea NOT NULL,
  status     int,
  body       text,
  created_at timestamptz NOT NULL DEFAULT clock_now(),
  PRIMARY KEY (user_id, key)
);

CREATE TABLE webhook_inbox (
  provider    text NOT NULL,
  event_id    text NOT NULL,
  type        text NOT NULL,
  subject     text NOT NULL,
  order_id    uuid,
  received_at timestamptz NOT NULL DEFAULT clock_now(),
  handled_at  timestamptz,
  PRIMARY KEY (provider, event_id)
);
CREATE INDEX webhook_inbox_open ON webhook_inbox (received_at) WHERE handled_at IS NULL;

CREATE TABLE audit_log (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at          timestamptz NOT NULL DEFAULT clock_now(),
  actor_id    uuid,
  actor_role  text NOT NULL,
  action      text NOT NULL,
  object_kind text NOT NULL,
  object_id   text NOT NULL,
  before      jsonb,
  after       jsonb,
  reason      text NOT NULL DEFAULT '',
  request_id  text NOT NULL DEFAULT ''
);
CREATE INDEX audit_by_object ON audit_log (object_kind, object_id, id);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();

-- Sliding limits shared by all replicas (GCRA: one "theoretical arrival time" a
-- key). Unlogged: losing them in a crash only forgets who was in a hurry.
CREATE UNLOGGED TABLE rate_limits (
  key text PRIMARY KEY,
  tat timestamptz NOT NULL
);

-- ── What the application may do ──────────────────────────────────────────────

GRANT USAGE ON SCHEMA public TO tradepost_app;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO tradepost_app;
GRANT INSERT, UPDATE ON users, user_roles, sessions, login_attempts, kyc_records, markets,
  payment_methods, volume_tiers, kyc_pricing, orders, payments, evidence, exchange_orders,
  withdrawals, refunds, decisions, idempotency_keys, webhook_inbox, rate_limits, blocked_addresses,
  account_rollups TO tradepost_app;
GRANT DELETE ON user_roles, pending_grants, login_attempts, sessions, idempotency_keys, rate_limits,
  blocked_addresses TO tradepost_app;
GRANT INSERT ON accounts, postings, order_events, kyc_events, audit_log, pending_grants TO tradepost_app;

-- +goose Down
-- There is no way down: nothing is there before the first schema. Restore a backup.
SELECT 1;
