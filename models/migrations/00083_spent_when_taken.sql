-- What counts against a customer's limits: an unpaid order at any moment until it
-- ends, since its money may come at any moment; a paid one on the day (UTC) its
-- money was taken. It used to be the day the order was made, whenever its money
-- came. Rows from before keep their day until they change: null.

-- +goose Up
ALTER TABLE orders ADD COLUMN spent_on text; -- the facet of the tally "spent": 'unpaid', or a day

-- +goose StatementBegin
CREATE FUNCTION date_spent() RETURNS trigger LANGUAGE plpgsql SET search_path = public AS $$
BEGIN
  NEW.spent_on := CASE WHEN NEW.paid_at IS NULL THEN 'unpaid' ELSE utc_day(NEW.paid_at) END;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER date_spent BEFORE INSERT OR UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION date_spent();

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION tally_order() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO tally_changes VALUES ('orders', NEW.user_id, order_facet(NEW), 1, NEW.total);
  IF NEW.resolution IS NULL THEN
    INSERT INTO tally_changes VALUES ('spent', NEW.user_id, coalesce(NEW.spent_on, utc_day(NEW.created_at)), 1, NEW.total);
  END IF;
  IF TG_OP = 'INSERT' THEN RETURN NULL; END IF;
  INSERT INTO tally_changes VALUES ('orders', OLD.user_id, order_facet(OLD), -1, -OLD.total);
  IF OLD.resolution IS NULL THEN
    INSERT INTO tally_changes VALUES ('spent', OLD.user_id, coalesce(OLD.spent_on, utc_day(OLD.created_at)), -1, -OLD.total);
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd

DROP TRIGGER tally_changed ON orders;
CREATE TRIGGER tally_changed AFTER UPDATE ON orders FOR EACH ROW
  WHEN (OLD.status IS DISTINCT FROM NEW.status OR OLD.resolution IS DISTINCT FROM NEW.resolution OR OLD.total IS DISTINCT FROM NEW.total
        OR (OLD.attention_reason IS NULL) IS DISTINCT FROM (NEW.attention_reason IS NULL)
        OR OLD.asset IS DISTINCT FROM NEW.asset OR OLD.created_at IS DISTINCT FROM NEW.created_at OR OLD.spent_on IS DISTINCT FROM NEW.spent_on)
  EXECUTE FUNCTION tally_order();

-- +goose Down
DROP TRIGGER tally_changed ON orders;
DROP TRIGGER date_spent ON orders;
INSERT INTO tally_changes SELECT 'spent', user_id, spent_on, -1, -total FROM orders WHERE resolution IS NULL AND spent_on IS NOT NULL;
INSERT INTO tally_changes SELECT 'spent', user_id, utc_day(created_at), 1, total FROM orders WHERE resolution IS NULL AND spent_on IS NOT NULL;
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION tally_order() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO tally_changes VALUES ('orders', NEW.user_id, order_facet(NEW), 1, NEW.total);
  IF NEW.resolution IS NULL THEN
    INSERT INTO tally_changes VALUES ('spent', NEW.user_id, utc_day(NEW.created_at), 1, NEW.total);
  END IF;
  IF TG_OP = 'INSERT' THEN RETURN NULL; END IF;
  INSERT INTO tally_changes VALUES ('orders', OLD.user_id, order_facet(OLD), -1, -OLD.total);
  IF OLD.resolution IS NULL THEN
    INSERT INTO tally_changes VALUES ('spent', OLD.user_id, utc_day(OLD.created_at), -1, -OLD.total);
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER tally_changed AFTER UPDATE ON orders FOR EACH ROW
  WHEN (OLD.status IS DISTINCT FROM NEW.status OR OLD.resolution IS DISTINCT FROM NEW.resolution OR OLD.total IS DISTINCT FROM NEW.total
        OR (OLD.attention_reason IS NULL) IS DISTINCT FROM (NEW.attention_reason IS NULL)
        OR OLD.asset IS DISTINCT FROM NEW.asset OR OLD.created_at IS DISTINCT FROM NEW.created_at)
  EXECUTE FUNCTION tally_order();
DROP FUNCTION date_spent;
ALTER TABLE orders DROP COLUMN spent_on;
