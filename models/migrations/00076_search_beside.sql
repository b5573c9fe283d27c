-- What gift cards and redemptions are searched by stands beside them, as what
-- orders are searched by does (migration 00009): each step of theirs wrote every
-- three letters of it into the index anew.

-- +goose Up
CREATE TABLE gift_card_search (
  card_id uuid PRIMARY KEY REFERENCES gift_cards,
  text    text NOT NULL
);
CREATE TABLE redemption_search (
  redemption_id uuid PRIMARY KEY REFERENCES voucher_redemptions,
  text          text NOT NULL
);

-- +goose StatementBegin
CREATE FUNCTION keep_gift_card_search() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO gift_card_search VALUES (NEW.id, lower(NEW.id::text || ' ' || NEW.reference || ' ' || NEW.brand_label))
    ON CONFLICT (card_id) DO UPDATE SET text = excluded.text;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER keep_search_new AFTER INSERT ON gift_cards FOR EACH ROW EXECUTE FUNCTION keep_gift_card_search();
CREATE TRIGGER keep_search_changed AFTER UPDATE ON gift_cards FOR EACH ROW
  WHEN (OLD.reference IS DISTINCT FROM NEW.reference OR OLD.brand_label IS DISTINCT FROM NEW.brand_label)
  EXECUTE FUNCTION keep_gift_card_search();

-- +goose StatementBegin
CREATE FUNCTION keep_redemption_search() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO redemption_search VALUES (NEW.id, lower(NEW.id::text || ' ' || NEW.reference || ' ' || NEW.dest_address))
    ON CONFLICT (redemption_id) DO UPDATE SET text = excluded.text;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER keep_search_new AFTER INSERT ON voucher_redemptions FOR EACH ROW EXECUTE FUNCTION keep_redemption_search();
CREATE TRIGGER keep_search_changed AFTER UPDATE ON voucher_redemptions FOR EACH ROW
  WHEN (OLD.reference IS DISTINCT FROM NEW.reference OR OLD.dest_address IS DISTINCT FROM NEW.dest_address)
  EXECUTE FUNCTION keep_redemption_search();

INSERT INTO gift_card_search SELECT id, lower(id::text || ' ' || reference || ' ' || brand_label) FROM gift_cards;
INSERT INTO redemption_search SELECT id, lower(id::text || ' ' || reference || ' ' || dest_address) FROM voucher_redemptions;
CREATE INDEX gift_card_search_text ON gift_card_search USING gin (text gin_trgm_ops);
CREATE INDEX redemption_search_text ON redemption_search USING gin (text gin_trgm_ops);
DROP INDEX gift_cards_search;
DROP INDEX voucher_redemptions_search;
GRANT SELECT ON gift_card_search, redemption_search TO tradepost_app;
ALTER TABLE gift_cards SET (fillfactor = 70);
ALTER TABLE voucher_redemptions SET (fillfactor = 70);
ALTER TABLE vouchers SET (fillfactor = 80);

-- +goose Down
ALTER TABLE gift_cards RESET (fillfactor);
ALTER TABLE voucher_redemptions RESET (fillfactor);
ALTER TABLE vouchers RESET (fillfactor);
CREATE INDEX gift_cards_search ON gift_cards USING gin (lower(CAST(id AS text) || ' ' || reference || ' ' || brand_label) gin_trgm_ops);
CREATE INDEX voucher_redemptions_search ON voucher_redemptions USING gin (lower(CAST(id AS text) || ' ' || reference || ' ' || dest_address) gin_trgm_ops);
DROP TRIGGER keep_search_new ON gift_cards;
DROP TRIGGER keep_search_changed ON gift_cards;
DROP TRIGGER keep_search_new ON voucher_redemptions;
DROP TRIGGER keep_search_changed ON voucher_redemptions;
DROP FUNCTION keep_gift_card_search, keep_redemption_search;
DROP TABLE gift_card_search, redemption_search;
