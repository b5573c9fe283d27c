-- What orders are searched by stands beside them. An order's row changes a dozen
-- times; its id, reference, asset and address hardly ever: an index of every
-- three letters in them is not rewritten with each step of the order.

-- +goose Up
CREATE TABLE order_search (
  order_id uuid PRIMARY KEY REFERENCES orders,
  text     text NOT NULL
);

-- +goose StatementBegin
CREATE FUNCTION keep_order_search() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO order_search VALUES (NEW.id, lower(NEW.id::text || ' ' || NEW.reference || ' ' || NEW.asset || ' ' || NEW.dest_address))
    ON CONFLICT (order_id) DO UPDATE SET text = excluded.text;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER keep_search_new AFTER INSERT ON orders FOR EACH ROW EXECUTE FUNCTION keep_order_search();
CREATE TRIGGER keep_search_changed AFTER UPDATE ON orders FOR EACH ROW
  WHEN (OLD.reference IS DISTINCT FROM NEW.reference OR OLD.asset IS DISTINCT FROM NEW.asset OR OLD.dest_address IS DISTINCT FROM NEW.dest_address)
  EXECUTE FUNCTION keep_order_search();

INSERT INTO order_search SELECT id, lower(id::text || ' ' || reference || ' ' || asset || ' ' || dest_address) FROM orders;
CREATE INDEX order_search_text ON order_search USING gin (text gin_trgm_ops);
DROP INDEX orders_search;
GRANT SELECT ON order_search TO tradepost_app;

-- The sweep asks for open orders by their age, which does not change either.
-- Rows leave themselves room, so that a step that changes no index stays on its
-- page.
DROP INDEX orders_open;
CREATE INDEX orders_open ON orders (created_at) WHERE closed_at IS NULL;
ALTER TABLE orders SET (fillfactor = 60);
ALTER TABLE payments SET (fillfactor = 70);

-- +goose Down
DROP INDEX orders_open;
CREATE INDEX orders_open ON orders (updated_at) WHERE closed_at IS NULL;
CREATE INDEX orders_search ON orders USING gin ((lower(id::text || ' ' || reference || ' ' || asset || ' ' || dest_address)) gin_trgm_ops);
DROP TRIGGER keep_search_new ON orders;
DROP TRIGGER keep_search_changed ON orders;
DROP FUNCTION keep_order_search;
DROP TABLE order_search;
