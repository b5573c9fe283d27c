-- Vouchers: codes that pay coin to whoever redeems them (specification §2, rules §5),
-- and their redemptions, which buy and send as orders do.

-- +goose Up

CREATE TABLE vouchers (
  id             uuid PRIMARY KEY,
  reference      text NOT NULL UNIQUE,
  batch_id       uuid NOT NULL,
  -- cents, or base units of the coin it is in; what that was worth in cents when
  -- it was made
  amount         numeric(38,0) NOT NULL CHECK (amount > 0),
  currency       text NOT NULL CHECK (currency IN ('USD', 'BTC', 'ETH')),
  usd_value      numeric(38,0) NOT NULL CHECK (usd_value > 0),
  status         text NOT NULL CHECK (status IN ('awaiting_approval', 'active', 'redeemed', 'paid', 'voided', 'expired')),
  -- The code is nowhere in clear (internal/secret): a keyed hash finds it, and
  -- what an export shows is sealed until nobody can redeem it any more.
  code_hash      bytea NOT NULL,
  sealed_code    bytea,
  expires_at     timestamptz NOT NULL,
  created_by     uuid NOT NULL REFERENCES users,
  approved_by    uuid REFERENCES users CHECK (approved_by <> created_by),
  approved_at    timestamptz,
  ended_by       uuid REFERENCES users,
  end_reason     text,
  redemption_id  uuid, -- the one that counts now
  created_at     timestamptz NOT NULL DEFAULT clock_now(),
  updated_at     timestamptz NOT NULL DEFAULT clock_now(),
  CHECK ((status IN ('redeemed', 'paid')) = (redemption_id IS NOT NULL)),
  CHECK (status NOT IN ('paid', 'voided', 'expired') OR sealed_code IS NULL)
);
CREATE UNIQUE INDEX vouchers_by_code ON vouchers (code_hash);
CREATE INDEX vouchers_newest ON vouchers (created_at DESC, id DESC);
CREATE INDEX vouchers_newest_by_status ON vouchers (status, created_at DESC, id DESC);
CREATE INDEX vouchers_by_batch ON vouchers (batch_id, created_at);
CREATE INDEX vouchers_by_maker ON vouchers (created_by, created_at) WHERE approved_by IS NULL;
CREATE INDEX vouchers_to_expire ON vouchers (expires_at) WHERE status IN ('awaiting_approval', 'active');
GRANT SELECT, INSERT, UPDATE ON vouchers TO tradepost_app;

CREATE TABLE voucher_redemptions (
  id                  uuid PRIMARY KEY,
  reference           text NOT NULL UNIQUE,
  voucher_id          uuid NOT NULL REFERENCES vouchers,
  user_id             uuid NOT NULL REFERENCES users,
  status              text NOT NULL CHECK (status IN ('accepted', 'fulfilling', 'filled', 'sent', 'restored')),
  -- what the voucher is worth, and the coin it pays for that
  value               numeric(38,0) NOT NULL CHECK (value > 0),
  currency            text NOT NULL,
  asset               text NOT NULL,
  network             text NOT NULL,
  dest_address        text NOT NULL,
  amount              numeric(38,0) NOT NULL CHECK (amount > 0),
  unit_price          numeric NOT NULL CHECK (unit_price > 0),
  price_limit         numeric NOT NULL CHECK (price_limit > 0), -- what buying may cost before slippage
  margin_percent      numeric(7,4) NOT NULL DEFAULT 0,
  base_price          numeric(38,0) NOT NULL CHECK (base_price > 0), -- cents the coin cost at unit_price
  needs_identity      boolean NOT NULL,
  -- coin taken out of what was bought for others and not sold, and its price
  from_stock          numeric(38,0) NOT NULL DEFAULT 0 CHECK (from_stock >= 0 AND from_stock <= amount),
  stock_cost          numeric(38,0) NOT NULL DEFAULT 0 CHECK (stock_cost >= 0),
  attention_reason    text,
  attention_since     timestamptz,
  retry_count         int NOT NULL DEFAULT 0,
  last_error          text,
  last_error_at       timestamptz,
  resumed_at          timestamptz,
  txid                text,
  sent_at             timestamptz,
  confirmed_at        timestamptz,
  workflow_started_at timestamptz,
  swept_at            timestamptz,
  wake_at             timestamptz,
  created_at          timestamptz NOT NULL DEFAULT clock_now(),
  updated_at          timestamptz NOT NULL DEFAULT clock_now(),
  closed_at           timestamptz
);
-- A voucher pays once: whatever else goes wrong, the database refuses a second.
CREATE UNIQUE INDEX voucher_redemptions_once ON voucher_redemptions (voucher_id) WHERE status <> 'restored';
CREATE INDEX voucher_redemptions_by_user ON voucher_redemptions (user_id, created_at DESC, id DESC);
CREATE INDEX voucher_redemptions_by_user_and_status ON voucher_redemptions (user_id, status, created_at DESC, id DESC);
CREATE INDEX voucher_redemptions_by_user_and_asset ON voucher_redemptions (user_id, asset, created_at DESC, id DESC);
CREATE INDEX voucher_redemptions_search ON voucher_redemptions USING gin (lower(CAST(id AS text) || ' ' || reference || ' ' || dest_address) gin_trgm_ops);
CREATE INDEX voucher_redemptions_open ON voucher_redemptions (created_at) WHERE closed_at IS NULL;
CREATE INDEX voucher_redemptions_waiting ON voucher_redemptions (id) WHERE closed_at IS NULL AND attention_reason IS NOT NULL;
GRANT SELECT, INSERT, UPDATE ON voucher_redemptions TO tradepost_app;
ALTER TABLE vouchers ADD FOREIGN KEY (redemption_id) REFERENCES voucher_redemptions;
CREATE UNIQUE INDEX vouchers_by_redemption ON vouchers (redemption_id) WHERE redemption_id IS NOT NULL;

-- Purchases and transfers are made for orders and for redemptions alike.
ALTER TABLE exchange_orders DROP CONSTRAINT exchange_orders_pkey, ALTER COLUMN order_id DROP NOT NULL;
ALTER TABLE exchange_orders DROP CONSTRAINT exchange_orders_client_id_key, ADD PRIMARY KEY (client_id),
  ADD UNIQUE (order_id, generation),
  ADD COLUMN redemption_id uuid REFERENCES voucher_redemptions,
  ADD UNIQUE (redemption_id, generation),
  ADD CHECK (num_nonnulls(order_id, redemption_id) = 1);
ALTER TABLE withdrawals ALTER COLUMN order_id DROP NOT NULL,
  ADD COLUMN redemption_id uuid REFERENCES voucher_redemptions,
  ADD UNIQUE (redemption_id, generation),
  ADD CHECK (num_nonnulls(order_id, redemption_id) = 1);
-- A notice of the custodian may be about either.
CREATE INDEX withdrawals_by_approval ON withdrawals (approval_id) WHERE approval_id IS NOT NULL;
ALTER TABLE webhook_inbox ADD COLUMN redemption_id uuid;

-- What custody has let out on a day counts redemptions at what their coin was
-- worth (migration 00008).
-- +goose StatementBegin
CREATE FUNCTION worth(w withdrawals) RETURNS numeric LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN w.order_id IS NOT NULL THEN (SELECT base_price FROM orders WHERE id = w.order_id)
              ELSE (SELECT base_price FROM voucher_redemptions WHERE id = w.redemption_id) END
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION tally_withdrawal() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO tally_changes VALUES ('withdrawals', NEW.user_id, '', 1, 0);
  END IF;
  IF let_out(NEW) THEN
    INSERT INTO tally_changes VALUES ('let out', NULL, utc_day(NEW.send_started_at), 1, worth(NEW));
  END IF;
  IF TG_OP = 'UPDATE' AND let_out(OLD) THEN
    INSERT INTO tally_changes VALUES ('let out', NULL, utc_day(OLD.send_started_at), -1, -worth(OLD));
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd

-- Counted as orders are: vouchers by status with what they are worth in cents,
-- redemptions by status and coin, and those that stand by the day they were made.
-- +goose StatementBegin
CREATE FUNCTION tally_voucher() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO tally_changes VALUES ('vouchers', NULL, NEW.status, 1, NEW.usd_value);
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO tally_changes VALUES ('vouchers', NULL, OLD.status, -1, -OLD.usd_value);
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER tally_new AFTER INSERT ON vouchers FOR EACH ROW EXECUTE FUNCTION tally_voucher();
CREATE TRIGGER tally_changed AFTER UPDATE ON vouchers FOR EACH ROW
  WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION tally_voucher();

-- +goose StatementBegin
CREATE FUNCTION tally_redemption() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO tally_changes VALUES ('redemptions', NEW.user_id, NEW.status || '/' || NEW.asset, 1, NEW.base_price);
  IF TG_OP = 'INSERT' THEN
    INSERT INTO tally_changes VALUES ('redeemed', NULL, utc_day(NEW.created_at), 1, NEW.base_price);
    RETURN NULL;
  END IF;
  INSERT INTO tally_changes VALUES ('redemptions', OLD.user_id, OLD.status || '/' || OLD.asset, -1, -OLD.base_price);
  IF NEW.status = 'restored' THEN
    INSERT INTO tally_changes VALUES ('redeemed', NULL, utc_day(OLD.created_at), -1, -OLD.base_price);
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER tally_new AFTER INSERT ON voucher_redemptions FOR EACH ROW EXECUTE FUNCTION tally_redemption();
CREATE TRIGGER tally_changed AFTER UPDATE ON voucher_redemptions FOR EACH ROW
  WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION tally_redemption();

-- +goose Down
-- There is no way down: vouchers are money that is owed. Restore a backup.
SELECT 1;
