-- Referrals and the sign-up bonus: a code per customer, and rewards that are
-- promised at sign-up, earned by the first order that is sent, and taken back
-- when its money goes back.

-- +goose Up

CREATE TABLE referral_codes (
  user_id    uuid PRIMARY KEY REFERENCES users,
  code       text NOT NULL UNIQUE CHECK (code ~ '^[0-9A-HJKMNP-TV-Z]{8}$'), -- Crockford's base 32
  created_at timestamptz NOT NULL DEFAULT clock_now()
);
GRANT SELECT ON referral_codes TO tradepost_app;

-- +goose StatementBegin
CREATE FUNCTION give_referral_code(customer uuid) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  random bytea;
  word text;
BEGIN
  LOOP
    random := uuid_send(gen_random_uuid());
    -- bytes 6 and 8 of such an id are not wholly random
    SELECT string_agg(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + (get_byte(random, n) & 31), 1), '') INTO word
      FROM unnest(ARRAY[0, 1, 2, 3, 4, 5, 10, 11]) n;
    INSERT INTO referral_codes (user_id, code) VALUES (customer, word) ON CONFLICT DO NOTHING;
    EXIT WHEN FOUND OR EXISTS (SELECT FROM referral_codes WHERE user_id = customer);
  END LOOP;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION give_new_referral_code() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  PERFORM give_referral_code(NEW.id);
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER give_referral_code AFTER INSERT ON users FOR EACH ROW EXECUTE FUNCTION give_new_referral_code();
SELECT give_referral_code(id) FROM users;

CREATE TABLE rewards (
  id                  uuid PRIMARY KEY,
  reference           text NOT NULL UNIQUE,
  kind                text NOT NULL CHECK (kind IN ('referral', 'signup_bonus')),
  user_id             uuid NOT NULL REFERENCES users, -- who is paid
  friend_id           uuid NOT NULL REFERENCES users, -- whose first order earns it; themselves for the bonus
  amount              numeric(38,0) NOT NULL CHECK (amount > 0), -- cents, as promised at sign-up
  revocable_seconds   bigint NOT NULL CHECK (revocable_seconds >= 0), -- how long after it was paid it can be taken back
  status              text NOT NULL DEFAULT 'registered' CHECK (status IN ('registered', 'active', 'held', 'rewarded', 'refused', 'clawed_back')),
  -- why a person looks at it first: signs that friend and payee are one person
  signals             text[] NOT NULL DEFAULT '{}',
  order_id            uuid REFERENCES orders, -- the one that earned it
  address_hash        bytea, -- of where that order's coin went
  rewarded_at         timestamptz,
  revocable_until     timestamptz,
  workflow_started_at timestamptz,
  swept_at            timestamptz,
  wake_at             timestamptz,
  created_at          timestamptz NOT NULL DEFAULT clock_now(),
  updated_at          timestamptz NOT NULL DEFAULT clock_now(),
  closed_at           timestamptz,
  UNIQUE (friend_id, kind), -- a friend is referred once, by one person
  CHECK ((kind = 'signup_bonus') = (user_id = friend_id)), -- nobody refers themselves
  CHECK ((status IN ('rewarded', 'refused', 'clawed_back')) = (closed_at IS NOT NULL)),
  CHECK (status <> 'held' OR order_id IS NOT NULL),
  CHECK ((status IN ('rewarded', 'clawed_back')) = (rewarded_at IS NOT NULL))
);
CREATE INDEX rewards_by_user   ON rewards (user_id, created_at DESC, id DESC) WHERE kind = 'referral';
CREATE INDEX rewards_by_order  ON rewards (order_id) WHERE order_id IS NOT NULL;
CREATE INDEX rewards_by_wallet ON rewards (address_hash) WHERE address_hash IS NOT NULL;
CREATE INDEX rewards_by_time   ON rewards (created_at DESC, id DESC) WHERE order_id IS NOT NULL;
CREATE INDEX rewards_by_status ON rewards (status, created_at DESC, id DESC) WHERE order_id IS NOT NULL;
CREATE INDEX rewards_open      ON rewards (created_at) WHERE closed_at IS NULL AND order_id IS NOT NULL;
GRANT SELECT, INSERT, UPDATE ON rewards TO tradepost_app;

-- Those that somebody has to do something about: a workflow carries these. A
-- promise that nobody has earned waits in its row alone.
CREATE VIEW earned_rewards AS SELECT * FROM rewards WHERE order_id IS NOT NULL AND status IN ('active', 'held', 'rewarded', 'refused', 'clawed_back');
GRANT SELECT, UPDATE ON earned_rewards TO tradepost_app;

-- Nobody refers those who brought them here, at any distance.
-- +goose StatementBegin
CREATE FUNCTION refuse_referral_circles() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.kind = 'referral' AND EXISTS (
    WITH RECURSIVE before_them AS (
      SELECT NEW.user_id AS id
      UNION SELECT r.user_id FROM before_them b JOIN rewards r ON r.friend_id = b.id AND r.kind = 'referral')
    SELECT FROM before_them WHERE id = NEW.friend_id) THEN
    RAISE EXCEPTION 'this referral closes a circle' USING ERRCODE = 'check_violation', CONSTRAINT = 'rewards_no_circles';
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER no_circles BEFORE INSERT OR UPDATE OF user_id, friend_id, kind ON rewards
  FOR EACH ROW EXECUTE FUNCTION refuse_referral_circles();

-- A promise is active while its friend's identity is verified.
-- +goose StatementBegin
CREATE FUNCTION follow_verification() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  now_is text := CASE WHEN NEW.level <> 'none' AND NEW.revoked_at IS NULL THEN 'active' ELSE 'registered' END;
BEGIN
  UPDATE rewards SET status = now_is, updated_at = clock_now()
   WHERE friend_id = NEW.user_id AND status IN ('registered', 'active') AND status <> now_is;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER follow_verification AFTER INSERT OR UPDATE OF level, revoked_at ON kyc_records
  FOR EACH ROW EXECUTE FUNCTION follow_verification();

-- Counted as orders are (migration 00008): each customer's referrals by status,
-- and for staff all that were earned.
-- +goose StatementBegin
CREATE FUNCTION tally_reward() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  IF NEW.kind = 'referral' THEN
    INSERT INTO tally_changes VALUES ('referrals', NEW.user_id, NEW.status, 1, NEW.amount);
  END IF;
  IF NEW.order_id IS NOT NULL THEN
    INSERT INTO tally_changes VALUES ('earned', NULL, NEW.status, 1, NEW.amount);
  END IF;
  IF TG_OP = 'INSERT' THEN RETURN NULL; END IF;
  IF OLD.kind = 'referral' THEN
    INSERT INTO tally_changes VALUES ('referrals', OLD.user_id, OLD.status, -1, -OLD.amount);
  END IF;
  IF OLD.order_id IS NOT NULL THEN
    INSERT INTO tally_changes VALUES ('earned', NULL, OLD.status, -1, -OLD.amount);
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER tally_new AFTER INSERT ON rewards FOR EACH ROW EXECUTE FUNCTION tally_reward();
CREATE TRIGGER tally_changed AFTER UPDATE ON rewards FOR EACH ROW
  WHEN (OLD.status IS DISTINCT FROM NEW.status OR OLD.order_id IS DISTINCT FROM NEW.order_id) EXECUTE FUNCTION tally_reward();

-- +goose Down
-- There is no way down: rewards are money that was paid. Restore a backup.
SELECT 1;
