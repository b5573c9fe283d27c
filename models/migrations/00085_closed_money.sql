-- Money credited to an account that is closed: nobody can sign in to its balance,
-- so it is owed from an account of its own until staff have sent it back.

-- +goose Up
INSERT INTO accounts (code, kind, protected) VALUES ('closed_accounts', 'liability', true);

CREATE TABLE stranded_credits (
  id              uuid PRIMARY KEY,
  user_id         uuid NOT NULL REFERENCES users,
  order_id        uuid REFERENCES orders,
  amount          numeric(38,0) NOT NULL CHECK (amount > 0), -- cents
  event           text NOT NULL,        -- of the postings that would have credited the balance
  group_key       text NOT NULL UNIQUE, -- of those postings
  created_at      timestamptz NOT NULL DEFAULT clock_now(),
  first_by        uuid REFERENCES users, -- above a limit, two people
  first_at        timestamptz,
  bank_reference  text, -- of the transfer back
  reason          text,
  paid_by         uuid REFERENCES users,
  paid_at         timestamptz,
  CHECK (first_by <> paid_by),
  CHECK (user_id NOT IN (first_by, paid_by)),
  CHECK ((paid_by IS NULL) = (paid_at IS NULL)),
  CHECK ((first_by IS NULL AND paid_by IS NULL) = (bank_reference IS NULL)),
  CHECK ((bank_reference IS NULL) = (reason IS NULL))
);
CREATE UNIQUE INDEX stranded_bank_reference ON stranded_credits (lower(bank_reference));
CREATE INDEX stranded_open ON stranded_credits (created_at, id) WHERE paid_at IS NULL;
CREATE INDEX stranded_by_user ON stranded_credits (user_id);
CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON stranded_credits
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();
GRANT SELECT, INSERT ON stranded_credits TO tradepost_app;
GRANT UPDATE (first_by, first_at, bank_reference, reason, paid_by, paid_at) ON stranded_credits TO tradepost_app;

-- What one admin has voided within a day.
CREATE INDEX vouchers_voided ON vouchers (ended_by, updated_at) WHERE status = 'voided';

-- +goose Down
-- There is no way down: the account has postings. Restore a backup.
SELECT 1;
