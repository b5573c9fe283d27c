-- Money that arrives by a rail without a card, one row each time it does, and
-- the history of customers' balances.

-- +goose Up

-- What a person saw on our bank account. Several may belong to one order. The
-- bank's own reference is unique: the same money is never confirmed twice.
CREATE TABLE receipts (
  id             uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  order_id       uuid NOT NULL REFERENCES orders,
  decision_id    uuid UNIQUE REFERENCES decisions,
  amount         numeric(38,0) NOT NULL CHECK (amount > 0),
  received_on    date NOT NULL,
  bank_reference text NOT NULL,
  created_at     timestamptz NOT NULL DEFAULT clock_now()
);
CREATE UNIQUE INDEX receipts_bank_reference ON receipts (lower(bank_reference));
CREATE INDEX receipts_by_order ON receipts (order_id, created_at);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON receipts
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();
GRANT SELECT, INSERT ON receipts TO tradepost_app;

INSERT INTO receipts (order_id, decision_id, amount, received_on, bank_reference, created_at)
SELECT p.order_id, (SELECT d.id FROM decisions d WHERE d.order_id = p.order_id AND d.kind = 'confirm_receipt' AND d.outcome = 'done' LIMIT 1),
       p.received_amount, p.received_on, p.bank_reference, coalesce(p.decided_at, p.updated_at)
  FROM payments p WHERE p.received_amount > 0 AND p.received_on IS NOT NULL AND p.bank_reference IS NOT NULL;

-- One row each time a customer's balance changes, with the balance after it, so
-- that its history is one walk over an index. The number is given out under the
-- balance row's lock: it counts in the order in which the balance changed.
CREATE TABLE balance_entries (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account       text NOT NULL REFERENCES accounts (code),
  currency      text NOT NULL,
  posting_id    bigint NOT NULL REFERENCES postings,
  amount        numeric(38,0) NOT NULL CHECK (amount <> 0),
  balance_after numeric(38,0) NOT NULL CHECK (balance_after >= 0)
);
CREATE INDEX balance_entries_by_account ON balance_entries (account, currency, id DESC);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON balance_entries
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();
GRANT SELECT ON balance_entries TO tradepost_app;

INSERT INTO balance_entries (account, currency, posting_id, amount, balance_after)
SELECT account, currency, id, amount, sum(amount) OVER (PARTITION BY account, currency ORDER BY id)
  FROM (SELECT p.from_account AS account, p.currency, p.id, p.amount FROM postings p
        UNION ALL SELECT p.to_account, p.currency, p.id, -p.amount FROM postings p) moved
 WHERE EXISTS (SELECT FROM customer_balances b WHERE b.account = moved.account AND b.currency = moved.currency)
 ORDER BY id;

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION keep_customer_balance() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE left_over numeric;
BEGIN
  -- A liability grows when value leaves through it: from = credit, to = debit.
  INSERT INTO customer_balances (account, user_id, currency, amount)
    SELECT code, user_id, NEW.currency, 0 FROM accounts
     WHERE code IN (NEW.from_account, NEW.to_account) AND user_id IS NOT NULL AND kind = 'liability'
     ORDER BY code
    ON CONFLICT DO NOTHING;
  UPDATE customer_balances SET amount = amount + NEW.amount WHERE account = NEW.from_account AND currency = NEW.currency RETURNING amount INTO left_over;
  IF FOUND THEN
    INSERT INTO balance_entries (account, currency, posting_id, amount, balance_after) VALUES (NEW.from_account, NEW.currency, NEW.id, NEW.amount, left_over);
  END IF;
  UPDATE customer_balances SET amount = amount - NEW.amount WHERE account = NEW.to_account AND currency = NEW.currency RETURNING amount INTO left_over;
  IF FOUND THEN
    INSERT INTO balance_entries (account, currency, posting_id, amount, balance_after) VALUES (NEW.to_account, NEW.currency, NEW.id, -NEW.amount, left_over);
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION keep_customer_balance() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
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
DROP TABLE balance_entries;
DROP TABLE receipts;
