-- Payouts of the balance to a bank account, what customers owe us, and orders
-- that are paid from the balance.

-- +goose Up

-- ── What customers owe us ────────────────────────────────────────────────────
-- A claim that their balance did not cover: an account a customer, cached as the
-- other two are, so that it can be netted under the same locks. It never goes
-- below zero. The account of all customers that was there before was never used.

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION keep_customer_balance() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  touched record;
  left_over numeric;
BEGIN
  -- A liability (what we owe) grows when value leaves through it, an asset (what
  -- they owe) when it comes in. Rows are taken in the order of their names, so
  -- that two postings never wait for each other crosswise.
  FOR touched IN
    SELECT a.code, a.user_id, CASE WHEN (a.kind = 'liability') = (a.code = NEW.from_account) THEN NEW.amount ELSE -NEW.amount END AS change
      FROM accounts a WHERE a.code IN (NEW.from_account, NEW.to_account) AND a.user_id IS NOT NULL
     ORDER BY a.code
  LOOP
    INSERT INTO customer_balances (account, user_id, currency, amount) VALUES (touched.code, touched.user_id, NEW.currency, 0)
      ON CONFLICT DO NOTHING;
    UPDATE customer_balances SET amount = amount + touched.change WHERE account = touched.code AND currency = NEW.currency
      RETURNING amount INTO left_over;
    INSERT INTO balance_entries (account, currency, posting_id, amount, balance_after)
      VALUES (touched.code, NEW.currency, NEW.id, touched.change, left_over);
  END LOOP;
  RETURN NULL;
END $$;
-- +goose StatementEnd

INSERT INTO accounts (code, kind, user_id, protected)
  SELECT 'customer:' || user_id || ':receivable', 'asset', user_id, true FROM accounts WHERE code = 'customer:' || user_id || ':balance'
  ON CONFLICT DO NOTHING;
DELETE FROM accounts WHERE code = 'receivables';

-- ── Payouts ──────────────────────────────────────────────────────────────────

CREATE TABLE payouts (
  id                  uuid PRIMARY KEY,
  reference           text NOT NULL UNIQUE,
  user_id             uuid NOT NULL REFERENCES users,
  amount              numeric(38,0) NOT NULL CHECK (amount > 0), -- cents
  status              text NOT NULL CHECK (status IN ('requested', 'approved', 'paid', 'rejected', 'cancelled', 'returned')),
  -- where to: everybody sees the kind and the end of the number; holder and
  -- number are sealed (internal/secret), and destroyed when nobody needs them
  account_kind        text NOT NULL CHECK (account_kind IN ('iban', 'us')),
  account_country     text NOT NULL CHECK (account_country ~ '^[A-Z]{2}$'),
  account_last4       text NOT NULL CHECK (length(account_last4) = 4),
  sealed_account      bytea,
  account_destroyed_at timestamptz,
  -- who agreed: above a limit, two people
  approvals_needed    int NOT NULL CHECK (approvals_needed IN (1, 2)),
  first_approved_by   uuid REFERENCES users,
  first_approved_at   timestamptz,
  approved_by         uuid REFERENCES users,
  approved_at         timestamptz,
  -- the transfer, made by hand
  bank_reference      text,
  paid_by             uuid REFERENCES users,
  paid_at             timestamptz,
  -- how it ended otherwise
  reason              text, -- of a rejection or a return, as the customer reads it
  ended_by            uuid REFERENCES users,
  ended_at            timestamptz,
  -- deadlines: when staff are reminded, until when a bank may send it back
  remind_at           timestamptz,
  reminders           int NOT NULL DEFAULT 0,
  returnable_until    timestamptz,
  wake_at             timestamptz,
  -- the workflow that carries it
  workflow_started_at timestamptz,
  swept_at            timestamptz,
  created_at          timestamptz NOT NULL DEFAULT clock_now(),
  updated_at          timestamptz NOT NULL DEFAULT clock_now(),
  closed_at           timestamptz,
  CHECK ((status IN ('rejected', 'returned')) = (reason IS NOT NULL)),
  CHECK ((status IN ('paid', 'returned')) = (bank_reference IS NOT NULL)),
  CHECK (first_approved_by IS NULL OR approved_by IS NULL OR first_approved_by <> approved_by),
  CHECK (status NOT IN ('approved', 'paid', 'returned') OR approved_by IS NOT NULL AND (approvals_needed = 1 OR first_approved_by IS NOT NULL)),
  CHECK (user_id NOT IN (first_approved_by, approved_by, paid_by)),
  CHECK ((sealed_account IS NULL) = (account_destroyed_at IS NOT NULL)),
  CHECK (closed_at IS NULL OR sealed_account IS NULL)
);
CREATE INDEX payouts_by_user   ON payouts (user_id, created_at DESC, id DESC);
CREATE INDEX payouts_by_time   ON payouts (created_at DESC, id DESC);
CREATE INDEX payouts_by_status ON payouts (status, created_at DESC, id DESC);
CREATE INDEX payouts_open      ON payouts (created_at) WHERE closed_at IS NULL;
CREATE INDEX payouts_sealed    ON payouts (id) WHERE sealed_account IS NOT NULL;
-- One bank transfer is told as one payout's.
CREATE UNIQUE INDEX payouts_bank_reference ON payouts (lower(bank_reference)) WHERE bank_reference IS NOT NULL;
GRANT SELECT, INSERT, UPDATE ON payouts TO tradepost_app;

-- Counted as gift cards are (migration 00016): by status, with their amounts.
-- +goose StatementBegin
CREATE FUNCTION tally_payout() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO tally_changes VALUES ('payouts', NEW.user_id, NEW.status, 1, NEW.amount);
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO tally_changes VALUES ('payouts', OLD.user_id, OLD.status, -1, -OLD.amount);
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER tally_new AFTER INSERT ON payouts FOR EACH ROW EXECUTE FUNCTION tally_payout();
CREATE TRIGGER tally_changed AFTER UPDATE ON payouts FOR EACH ROW
  WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION tally_payout();

-- ── Paying from the balance ──────────────────────────────────────────────────
UPDATE payment_methods SET is_enabled = true, version = version + 1, updated_at = clock_now() WHERE payment_method = 'balance';

-- +goose Down
-- There is no way down: payouts are money that was paid. Restore a backup.
SELECT 1;
