-- Batches of vouchers: who made, approved and voided one, and what became of its
-- vouchers; and what a voucher is looked up by at a customer's word.

-- +goose Up

-- The last digits of a code, as a card's are kept: whoever asks about a voucher
-- can read them out, and staff find it without the code, which is kept as a hash
-- and sealed. They tell nobody the twelve others, which are tried no faster than
-- the limits on attempts allow. Codes made before have none until the API has
-- noted them (ResealVouchers, every hour): no digit can be read here.
ALTER TABLE vouchers ADD COLUMN last4 text CHECK (last4 ~ '^[0-9]{4}$');
CREATE INDEX vouchers_by_last4 ON vouchers (last4, created_at DESC, id DESC) WHERE last4 IS NOT NULL;
CREATE INDEX vouchers_newest_by_currency ON vouchers (currency, created_at DESC, id DESC);
CREATE INDEX vouchers_newest_by_both ON vouchers (currency, status, created_at DESC, id DESC);
DROP INDEX vouchers_by_batch;
CREATE INDEX vouchers_by_batch ON vouchers (batch_id, status, currency, created_at DESC, id DESC);

CREATE TABLE voucher_batches (
  id          uuid PRIMARY KEY,
  created_by  uuid NOT NULL REFERENCES users,
  created_at  timestamptz NOT NULL DEFAULT clock_now(),
  approved_by uuid REFERENCES users,
  approved_at timestamptz,
  -- voiding that waits for another admin
  asked_by    uuid REFERENCES users,
  asked_at    timestamptz,
  asked_why   text NOT NULL DEFAULT '',
  -- the last time its vouchers were voided: nothing is made in it after that
  voided_by   uuid REFERENCES users,
  voided_at   timestamptz,
  void_reason text NOT NULL DEFAULT '',
  CHECK (approved_by <> created_by),
  CHECK (num_nonnulls(asked_by, asked_at) <> 1 AND num_nonnulls(voided_by, voided_at) <> 1 AND num_nonnulls(approved_by, approved_at) <> 1)
);
CREATE INDEX voucher_batches_newest ON voucher_batches (created_at DESC, id DESC);
GRANT SELECT, INSERT, UPDATE ON voucher_batches TO tradepost_app;
INSERT INTO voucher_batches (id, created_by, created_at, approved_by, approved_at)
  SELECT batch_id, (array_agg(created_by ORDER BY created_at))[1], min(created_at), (array_agg(approved_by ORDER BY approved_at) FILTER (WHERE approved_by IS NOT NULL))[1], min(approved_at)
    FROM vouchers GROUP BY batch_id;

-- The first voucher of a batch begins it, whichever release makes it.
-- +goose StatementBegin
CREATE FUNCTION begin_voucher_batch() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO voucher_batches (id, created_by, created_at) VALUES (NEW.batch_id, NEW.created_by, NEW.created_at) ON CONFLICT (id) DO NOTHING;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER begin_batch BEFORE INSERT ON vouchers FOR EACH ROW EXECUTE FUNCTION begin_voucher_batch();
ALTER TABLE vouchers ADD FOREIGN KEY (batch_id) REFERENCES voucher_batches;

-- Counted twice more: by status and currency, and each batch by status.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION tally_voucher() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO tally_changes VALUES ('vouchers', NULL, NEW.status, 1, NEW.usd_value),
    ('vouchers by currency', NULL, NEW.status || '/' || NEW.currency, 1, NEW.usd_value), ('voucher batch', NEW.batch_id, NEW.status, 1, NEW.usd_value);
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO tally_changes VALUES ('vouchers', NULL, OLD.status, -1, -OLD.usd_value),
      ('vouchers by currency', NULL, OLD.status || '/' || OLD.currency, -1, -OLD.usd_value), ('voucher batch', OLD.batch_id, OLD.status, -1, -OLD.usd_value);
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
INSERT INTO tally_changes SELECT 'vouchers by currency', NULL, status || '/' || currency, count(*), sum(usd_value) FROM vouchers GROUP BY 3;
INSERT INTO tally_changes SELECT 'voucher batch', batch_id, status, count(*), sum(usd_value) FROM vouchers GROUP BY 2, 3;

-- Batches are counted one by one as they begin.
-- +goose StatementBegin
CREATE FUNCTION tally_batch() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO tally_changes VALUES ('voucher batches', NULL, '', 1, 0);
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER tally_new AFTER INSERT ON voucher_batches FOR EACH ROW EXECUTE FUNCTION tally_batch();
INSERT INTO tally_changes SELECT 'voucher batches', NULL, '', count(*), 0 FROM voucher_batches;

-- +goose Down
-- There is no way down: vouchers are money that is owed. Restore a backup.
SELECT 1;
