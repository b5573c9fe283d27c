-- What the dashboard says of the business, counted as it happens (migration
-- 00008): volume and revenue by day, hour and minute, so that "the last 24
-- hours" is a few hundred rows whatever was sold; customers by how they stand.

-- +goose Up

-- By hour and by minute only for the whole house; days last, the finer ones are
-- forgotten once no figure asks for them.
-- +goose StatementBegin
CREATE FUNCTION count_at(list text, at timestamptz, n int, amount numeric) RETURNS void LANGUAGE sql AS $$
  INSERT INTO tally_changes VALUES
    (list, NULL, utc_day(at), n, amount),
    (list || ' by hour', NULL, to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24'), n, amount),
    (list || ' by minute', NULL, to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI'), n, amount)
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION forget_fine_tallies(before timestamptz) RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = public AS $$
  DELETE FROM tallies WHERE owner = '00000000-0000-0000-0000-000000000000' AND facet < utc_day(before)
    AND list IN (SELECT name || finer FROM unnest(ARRAY['volume', 'revenue', 'recognised', 'joined']) name, unnest(ARRAY[' by hour', ' by minute']) finer)
$$;
-- +goose StatementEnd
REVOKE ALL ON FUNCTION forget_fine_tallies FROM PUBLIC;
GRANT EXECUTE ON FUNCTION forget_fine_tallies TO tradepost_app;

-- Orders whose payment was approved, at that moment, at their totals; of each
-- customer by day, without those whose money went back; and how long it took
-- from there until the coin was sent, in seconds.
-- +goose StatementBegin
CREATE FUNCTION seconds_to_sent(o orders) RETURNS numeric LANGUAGE sql IMMUTABLE AS $$ SELECT floor(extract(epoch FROM o.sent_at - o.paid_at)) $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION tally_sale() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  IF NEW.paid_at IS NOT NULL THEN
    PERFORM count_at('volume', NEW.paid_at, 1, NEW.total);
    IF NEW.resolution IS NULL THEN
      INSERT INTO tally_changes VALUES ('bought', NEW.user_id, utc_day(NEW.paid_at), 1, NEW.total);
    END IF;
    IF NEW.sent_at IS NOT NULL THEN
      INSERT INTO tally_changes VALUES ('time to sent', NULL, utc_day(NEW.sent_at), 1, seconds_to_sent(NEW));
    END IF;
  END IF;
  IF TG_OP = 'UPDATE' AND OLD.paid_at IS NOT NULL THEN
    PERFORM count_at('volume', OLD.paid_at, -1, -OLD.total);
    IF OLD.resolution IS NULL THEN
      INSERT INTO tally_changes VALUES ('bought', OLD.user_id, utc_day(OLD.paid_at), -1, -OLD.total);
    END IF;
    IF OLD.sent_at IS NOT NULL THEN
      INSERT INTO tally_changes VALUES ('time to sent', NULL, utc_day(OLD.sent_at), -1, -seconds_to_sent(OLD));
    END IF;
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER tally_new_sale AFTER INSERT ON orders FOR EACH ROW WHEN (NEW.paid_at IS NOT NULL) EXECUTE FUNCTION tally_sale();
CREATE TRIGGER tally_changed_sale AFTER UPDATE ON orders FOR EACH ROW
  WHEN (OLD.paid_at IS DISTINCT FROM NEW.paid_at OR (NEW.paid_at IS NOT NULL AND (OLD.total IS DISTINCT FROM NEW.total
        OR OLD.resolution IS DISTINCT FROM NEW.resolution OR OLD.sent_at IS DISTINCT FROM NEW.sent_at OR OLD.user_id IS DISTINCT FROM NEW.user_id)))
  EXECUTE FUNCTION tally_sale();

-- What the ledger recognised as earned: fees and margins less discounts (they
-- are one posting), less the bonuses of tiers; and the volume it was earned on.
-- +goose StatementBegin
CREATE FUNCTION revenue_of(p postings) RETURNS numeric LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN p.currency <> 'USD' THEN 0 ELSE
    CASE WHEN p.from_account = 'fees_earned' THEN p.amount WHEN p.to_account = 'fees_earned' THEN -p.amount ELSE 0 END
    + CASE WHEN p.event = 'bonus_credited' AND p.to_account = 'promotions' THEN -p.amount
           WHEN p.event = 'bonus_taken_back' AND p.from_account = 'promotions' THEN p.amount ELSE 0 END END
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION recognised_by(p postings) RETURNS numeric LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN p.currency <> 'USD' THEN 0
    WHEN p.to_account = 'prepaid_orders' AND p.from_account IN ('conversion', 'fees_earned') THEN p.amount
    WHEN p.from_account = 'prepaid_orders' AND p.to_account IN ('conversion', 'fees_earned') THEN -p.amount ELSE 0 END
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION tally_posting() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  IF revenue_of(NEW) <> 0 THEN
    PERFORM count_at('revenue', NEW.at, 1, revenue_of(NEW));
  END IF;
  IF recognised_by(NEW) <> 0 THEN
    PERFORM count_at('recognised', NEW.at, 1, recognised_by(NEW));
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER tally_new AFTER INSERT ON postings FOR EACH ROW
  WHEN (NEW.currency = 'USD' AND (NEW.from_account IN ('fees_earned', 'prepaid_orders') OR NEW.to_account IN ('fees_earned', 'prepaid_orders')
        OR NEW.event IN ('bonus_credited', 'bonus_taken_back')))
  EXECUTE FUNCTION tally_posting();

-- Customers by how their identity stands, in the words of the list of them
-- (rules §1), and by tier; and when they came. A closed account is nobody's.
ALTER TABLE users ADD COLUMN kyc_status text NOT NULL DEFAULT 'not_started'
  CHECK (kyc_status IN ('not_started', 'pending', 'verified', 'enhanced', 'rejected'));
-- +goose StatementBegin
CREATE FUNCTION kyc_status_of(k kyc_records) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN k.level = 'enhanced' AND k.revoked_at IS NULL THEN 'enhanced' WHEN k.level <> 'none' AND k.revoked_at IS NULL THEN 'verified'
    WHEN k.status = 'approved' THEN 'rejected' ELSE k.status END
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION keep_kyc_status() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  UPDATE users SET kyc_status = kyc_status_of(NEW) WHERE id = NEW.user_id AND kyc_status <> kyc_status_of(NEW);
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER keep_kyc_status AFTER INSERT OR UPDATE OF level, status, revoked_at ON kyc_records FOR EACH ROW EXECUTE FUNCTION keep_kyc_status();
UPDATE users u SET kyc_status = kyc_status_of(k) FROM kyc_records k WHERE k.user_id = u.id;

-- +goose StatementBegin
CREATE FUNCTION tally_customer() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  IF NEW.closed_at IS NULL THEN
    INSERT INTO tally_changes VALUES ('customers', NULL, NEW.kyc_status || '/' || NEW.volume_tier, 1, 0);
  END IF;
  IF TG_OP = 'UPDATE' AND OLD.closed_at IS NULL THEN
    INSERT INTO tally_changes VALUES ('customers', NULL, OLD.kyc_status || '/' || OLD.volume_tier, -1, 0);
  END IF;
  IF TG_OP = 'INSERT' AND NEW.closed_at IS NULL THEN
    PERFORM count_at('joined', NEW.created_at, 1, 0);
  ELSIF TG_OP = 'UPDATE' AND (OLD.closed_at IS NULL) <> (NEW.closed_at IS NULL) THEN
    PERFORM count_at('joined', NEW.created_at, CASE WHEN NEW.closed_at IS NULL THEN 1 ELSE -1 END, 0);
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER tally_new AFTER INSERT ON users FOR EACH ROW EXECUTE FUNCTION tally_customer();
CREATE TRIGGER tally_changed AFTER UPDATE ON users FOR EACH ROW
  WHEN (OLD.kyc_status IS DISTINCT FROM NEW.kyc_status OR OLD.volume_tier IS DISTINCT FROM NEW.volume_tier
        OR (OLD.closed_at IS NULL) IS DISTINCT FROM (NEW.closed_at IS NULL))
  EXECUTE FUNCTION tally_customer();

-- What happened before.
SELECT count_at('volume', paid_at, 1, total) FROM orders WHERE paid_at IS NOT NULL;
INSERT INTO tally_changes SELECT 'bought', user_id, utc_day(paid_at), count(*), sum(total) FROM orders WHERE paid_at IS NOT NULL AND resolution IS NULL GROUP BY 2, 3;
INSERT INTO tally_changes SELECT 'time to sent', NULL, utc_day(sent_at), count(*), sum(seconds_to_sent(o)) FROM orders o WHERE sent_at IS NOT NULL AND paid_at IS NOT NULL GROUP BY 3;
SELECT count_at('revenue', at, 1, revenue_of(p)) FROM postings p WHERE revenue_of(p) <> 0;
SELECT count_at('recognised', at, 1, recognised_by(p)) FROM postings p WHERE recognised_by(p) <> 0;
SELECT count_at('joined', created_at, 1, 0) FROM users WHERE closed_at IS NULL;
INSERT INTO tally_changes SELECT 'customers', NULL, kyc_status || '/' || volume_tier, count(*), 0 FROM users WHERE closed_at IS NULL GROUP BY 3;
SELECT fold_tallies();

-- What the dashboard shows of the newest, and of what waits longest.
CREATE INDEX users_by_time ON users (created_at DESC, id DESC) WHERE closed_at IS NULL;
CREATE INDEX voucher_redemptions_by_time ON voucher_redemptions (created_at DESC, id DESC);

-- When each provider last answered the process that holds its key (named by its
-- task queue), and when it last did not.
CREATE TABLE provider_answers (
  queue       text PRIMARY KEY,
  answered_at timestamptz,
  failed_at   timestamptz
);
GRANT SELECT, INSERT, UPDATE ON provider_answers TO tradepost_app;

-- +goose Down
-- There is no way down: what was counted by the hour is nowhere else. Restore a backup.
SELECT 1;
