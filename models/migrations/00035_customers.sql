-- Customers as staff see them: found by name, address or id, noted about, frozen
-- and unfrozen; and tiers that somebody set by hand.

-- +goose Up

-- What a customer is found by, beside their row as orders' is (migration 00009).
CREATE TABLE customer_search (
  user_id uuid PRIMARY KEY REFERENCES users,
  text    text NOT NULL
);
-- +goose StatementBegin
CREATE FUNCTION keep_customer_search() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO customer_search VALUES (NEW.id, lower(NEW.id::text || ' ' || NEW.first_name || ' ' || NEW.last_name || ' ' || NEW.email))
    ON CONFLICT (user_id) DO UPDATE SET text = excluded.text;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER keep_search_new AFTER INSERT ON users FOR EACH ROW EXECUTE FUNCTION keep_customer_search();
CREATE TRIGGER keep_search_changed AFTER UPDATE ON users FOR EACH ROW
  WHEN (OLD.first_name IS DISTINCT FROM NEW.first_name OR OLD.last_name IS DISTINCT FROM NEW.last_name OR OLD.email IS DISTINCT FROM NEW.email)
  EXECUTE FUNCTION keep_customer_search();
INSERT INTO customer_search SELECT id, lower(id::text || ' ' || first_name || ' ' || last_name || ' ' || email) FROM users;
CREATE INDEX customer_search_text ON customer_search USING gin (text gin_trgm_ops);
GRANT SELECT ON customer_search TO tradepost_app;

CREATE INDEX users_by_kyc          ON users (kyc_status, created_at DESC, id DESC) WHERE closed_at IS NULL;
CREATE INDEX users_by_tier         ON users (volume_tier, created_at DESC, id DESC) WHERE closed_at IS NULL;
CREATE INDEX users_by_kyc_and_tier ON users (kyc_status, volume_tier, created_at DESC, id DESC) WHERE closed_at IS NULL;

-- Who froze an account and why, and who set its tier by hand (until tier_until).
ALTER TABLE users ADD COLUMN frozen_by uuid REFERENCES users, ADD COLUMN frozen_reason text NOT NULL DEFAULT '',
  ADD COLUMN tier_set_by uuid REFERENCES users, ADD COLUMN version int NOT NULL DEFAULT 1;
CREATE INDEX users_tiers_by_hand ON users (tier_until) WHERE tier_until IS NOT NULL;

-- What staff noted about a customer: never changed; its text goes with the
-- customer's records.
CREATE TABLE customer_notes (
  id         uuid PRIMARY KEY,
  user_id    uuid NOT NULL REFERENCES users,
  author_id  uuid NOT NULL REFERENCES users,
  body       text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_now(),
  erased_at  timestamptz,
  CHECK ((erased_at IS NULL) = (body <> ''))
);
CREATE INDEX customer_notes_by_user ON customer_notes (user_id, created_at DESC, id DESC);
GRANT SELECT, INSERT ON customer_notes TO tradepost_app;
GRANT UPDATE (body, erased_at) ON customer_notes TO tradepost_app;
-- +goose StatementBegin
CREATE FUNCTION only_erase_note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' OR NEW.body <> '' THEN
    RAISE EXCEPTION 'notes are append-only' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON customer_notes FOR EACH ROW EXECUTE FUNCTION only_erase_note();

-- What waits because its customer is frozen, to go on when they are not.
CREATE INDEX orders_of_frozen ON orders (user_id) WHERE attention_reason = 'customer_frozen';
CREATE INDEX redemptions_of_frozen ON voucher_redemptions (user_id) WHERE attention_reason = 'account_frozen' AND closed_at IS NULL;

-- +goose Down
-- There is no way down: what staff noted would be lost. Restore a backup.
SELECT 1;
