-- Money of the rails without a card that goes back out of the books: a receipt
-- reversed, a return by the bank, money that belongs to no order yet, and a manual
-- journal. Each is proposed by one person and approved by another.

-- +goose Up

-- A reversed receipt gives its bank reference free. Nothing else of a receipt changes.
ALTER TABLE receipts ADD COLUMN reversed_at timestamptz;
DROP INDEX receipts_bank_reference;
CREATE UNIQUE INDEX receipts_bank_reference ON receipts (lower(bank_reference)) WHERE reversed_at IS NULL;
DROP TRIGGER append_only ON receipts;
CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON receipts
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();
-- +goose StatementBegin
CREATE FUNCTION receipt_only_reversed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.reversed_at IS NOT NULL OR NEW.reversed_at IS NULL OR to_jsonb(NEW) - 'reversed_at' IS DISTINCT FROM to_jsonb(OLD) - 'reversed_at' THEN
    RAISE EXCEPTION 'receipts is append-only' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER only_reversed BEFORE UPDATE ON receipts FOR EACH ROW EXECUTE FUNCTION receipt_only_reversed();
GRANT UPDATE (reversed_at) ON receipts TO tradepost_app;

INSERT INTO accounts (code, kind, protected) VALUES ('unplaced_receipts', 'liability', true);

-- Money on our bank account that belongs to no order yet.
CREATE TABLE unplaced_money (
  id             uuid PRIMARY KEY,
  amount         numeric(38,0) NOT NULL CHECK (amount > 0),
  bank_reference text NOT NULL,
  received_on    date NOT NULL,
  rail           text NOT NULL,
  sender         text NOT NULL DEFAULT '',
  note           text NOT NULL DEFAULT '',
  opened_by      uuid NOT NULL REFERENCES users,
  from_order_id  uuid REFERENCES orders, -- where it had been confirmed before
  status         text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'placed', 'credited', 'sent_back')),
  order_id       uuid REFERENCES orders,
  decision_id    uuid REFERENCES decisions, -- confirms it on that order
  user_id        uuid REFERENCES users,  -- whose it turned out to be
  sent_reference text,
  sent_on        date,
  created_at     timestamptz NOT NULL DEFAULT clock_now(),
  closed_at      timestamptz,
  CHECK ((status = 'open') = (closed_at IS NULL)),
  CHECK ((status = 'sent_back') = (sent_reference IS NOT NULL))
);
-- Once it is placed, its receipt keeps the reference.
CREATE UNIQUE INDEX unplaced_bank_reference ON unplaced_money (lower(bank_reference)) WHERE status <> 'placed';
CREATE UNIQUE INDEX unplaced_sent_reference ON unplaced_money (lower(sent_reference)) WHERE sent_reference IS NOT NULL;
CREATE INDEX unplaced_open ON unplaced_money (created_at, id) WHERE status = 'open';
CREATE INDEX unplaced_by_time ON unplaced_money (created_at DESC, id DESC);
CREATE INDEX unplaced_by_decision ON unplaced_money (decision_id) WHERE decision_id IS NOT NULL;
CREATE INDEX unplaced_by_user ON unplaced_money (user_id) WHERE user_id IS NOT NULL;
CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON unplaced_money
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();
GRANT SELECT, INSERT ON unplaced_money TO tradepost_app;
GRANT UPDATE (status, order_id, decision_id, user_id, sent_reference, sent_on, closed_at, sender, note) ON unplaced_money TO tradepost_app;

-- What left an order's money again: a receipt reversed, or a return by the bank.
-- from_waiting, from_order and from_customer say which account gave how much of it.
CREATE TABLE receipt_returns (
  id                   uuid PRIMARY KEY,
  order_id             uuid NOT NULL REFERENCES orders,
  receipt_id           uuid NOT NULL REFERENCES receipts,
  kind                 text NOT NULL CHECK (kind IN ('reversal', 'return')),
  amount               numeric(38,0) NOT NULL CHECK (amount > 0),
  bank_reference       text,
  returned_on          date,
  code                 text NOT NULL DEFAULT '',
  from_waiting         numeric(38,0) NOT NULL CHECK (from_waiting >= 0),
  from_order           numeric(38,0) NOT NULL CHECK (from_order >= 0),
  from_customer        numeric(38,0) NOT NULL CHECK (from_customer >= 0),
  borne_by             text NOT NULL CHECK (borne_by IN ('order', 'customer', 'unpaid')), -- who bears from_order
  owed                 numeric(38,0) NOT NULL DEFAULT 0, -- what no balance covered as it was booked
  created_at           timestamptz NOT NULL DEFAULT clock_now(),
  reinstated_at        timestamptz,
  reinstated_on        date,
  reinstated_reference text,
  CHECK (amount = from_waiting + from_order + from_customer),
  CHECK ((kind = 'return') = (bank_reference IS NOT NULL)),
  CHECK ((reinstated_at IS NULL) = (reinstated_reference IS NULL))
);
CREATE UNIQUE INDEX receipt_returns_bank_reference ON receipt_returns (lower(bank_reference)) WHERE bank_reference IS NOT NULL;
CREATE UNIQUE INDEX receipt_returns_reinstated ON receipt_returns (lower(reinstated_reference)) WHERE reinstated_reference IS NOT NULL;
CREATE UNIQUE INDEX receipt_returns_reversal ON receipt_returns (receipt_id) WHERE kind = 'reversal';
CREATE INDEX receipt_returns_by_order ON receipt_returns (order_id, created_at);
CREATE INDEX receipt_returns_by_time ON receipt_returns (created_at);
CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON receipt_returns
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();
GRANT SELECT, INSERT ON receipt_returns TO tradepost_app;
GRANT UPDATE (borne_by, reinstated_at, reinstated_on, reinstated_reference) ON receipt_returns TO tradepost_app;

-- Pictures of the documents that stand behind a proposal.
CREATE TABLE money_documents (
  id           uuid PRIMARY KEY,
  file_key     text NOT NULL UNIQUE,
  content_type text NOT NULL,
  size         int NOT NULL,
  added_by     uuid NOT NULL REFERENCES users,
  created_at   timestamptz NOT NULL DEFAULT clock_now()
);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON money_documents
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();
GRANT SELECT, INSERT ON money_documents TO tradepost_app;

-- What one person proposes and another approves. Nothing is booked before.
CREATE TABLE money_proposals (
  id          uuid PRIMARY KEY,
  kind        text NOT NULL,
  subject_id  uuid,                   -- the receipt, return or unplaced money it is about
  order_id    uuid REFERENCES orders, -- whose coin waits while it is open
  data        jsonb NOT NULL,
  document_id uuid REFERENCES money_documents,
  reason      text NOT NULL CHECK (reason <> ''),
  proposed_by uuid NOT NULL REFERENCES users,
  created_at  timestamptz NOT NULL DEFAULT clock_now(),
  status      text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'approved', 'rejected', 'withdrawn', 'lapsed')),
  decided_by  uuid REFERENCES users,
  decided_at  timestamptz,
  answer      text NOT NULL DEFAULT '',
  CHECK ((status = 'open') = (decided_at IS NULL)),
  CHECK (status <> 'approved' OR decided_by <> proposed_by),
  CHECK (kind <> 'journal' OR document_id IS NOT NULL)
);
CREATE UNIQUE INDEX money_proposals_one_open ON money_proposals (subject_id) WHERE status = 'open' AND subject_id IS NOT NULL;
CREATE INDEX money_proposals_open ON money_proposals (created_at, id) WHERE status = 'open';
CREATE INDEX money_proposals_by_subject ON money_proposals (subject_id) WHERE subject_id IS NOT NULL;
CREATE INDEX money_proposals_by_order ON money_proposals (order_id) WHERE order_id IS NOT NULL;
CREATE INDEX money_proposals_by_time ON money_proposals (created_at DESC, id DESC);
CREATE INDEX money_proposals_by_kind ON money_proposals (kind, created_at DESC, id DESC);
CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON money_proposals
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();
GRANT SELECT, INSERT ON money_proposals TO tradepost_app;
GRANT UPDATE (status, decided_by, decided_at, answer) ON money_proposals TO tradepost_app;

-- +goose Down
DROP TABLE money_proposals, money_documents, receipt_returns, unplaced_money;
DELETE FROM accounts WHERE code = 'unplaced_receipts';
DROP TRIGGER only_reversed ON receipts;
DROP FUNCTION receipt_only_reversed;
DROP TRIGGER append_only ON receipts;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON receipts
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();
DROP INDEX receipts_bank_reference;
CREATE UNIQUE INDEX receipts_bank_reference ON receipts (lower(bank_reference));
ALTER TABLE receipts DROP COLUMN reversed_at;
