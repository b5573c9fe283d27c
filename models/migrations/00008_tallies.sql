-- What keeps lists, counts and balances as quick with a million orders as with
-- a thousand: tallies, which are counted as rows change; roll-ups of the ledger
-- that may be taken while others write; and the indexes that lists walk.

-- +goose Up

-- ── Tallies ──────────────────────────────────────────────────────────────────
-- How many rows a list has, and their sum, by owner and by facet (what filters
-- and counters ask for). A row that changes adds to tally_changes, to which
-- everybody only ever adds, so that no row is hot; fold_tallies sums them up now
-- and then. A count is the tally plus the changes since: exact at any moment,
-- because folding takes from one and adds to the other in one transaction.

CREATE TABLE tallies (
  list   text NOT NULL,
  owner  uuid NOT NULL, -- a customer, or all zeros for everybody
  facet  text NOT NULL,
  n      bigint NOT NULL,
  amount numeric(38,0) NOT NULL,
  PRIMARY KEY (list, owner, facet)
);

CREATE TABLE tally_changes (
  list   text NOT NULL,
  owner  uuid, -- none: counts for everybody only
  facet  text NOT NULL,
  n      bigint NOT NULL,
  amount numeric(38,0) NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
CREATE INDEX tally_changes_by_owner ON tally_changes (list, owner);

-- +goose StatementBegin
CREATE FUNCTION fold_tallies() RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = public AS $$
  WITH gone AS (DELETE FROM tally_changes RETURNING *),
  sums AS (
    SELECT list, owner, facet, sum(n) AS n, sum(amount) AS amount FROM gone WHERE owner IS NOT NULL GROUP BY list, owner, facet
    UNION ALL
    SELECT list, '00000000-0000-0000-0000-000000000000', facet, sum(n), sum(amount) FROM gone GROUP BY list, facet
  ),
  kept AS (
    INSERT INTO tallies AS t SELECT list, owner, facet, n, amount FROM sums ORDER BY list, owner, facet
    ON CONFLICT (list, owner, facet) DO UPDATE SET n = t.n + excluded.n, amount = t.amount + excluded.amount
  )
  SELECT count(*) FROM gone
$$;
-- +goose StatementEnd

-- Facets of an order: asset, status, resolution, and whether it waits for a
-- person. What a customer has ordered on a day counts against their limits
-- unless it ended without coin.
-- +goose StatementBegin
CREATE FUNCTION order_facet(o orders) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT o.asset || '/' || o.status || '/' || coalesce(o.resolution, '') || '/' || CASE WHEN o.attention_reason IS NULL THEN '' ELSE 'waits' END
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION utc_day(at timestamptz) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT CAST(CAST(at AT TIME ZONE 'UTC' AS date) AS text) $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION tally_order() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
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
CREATE TRIGGER tally_new AFTER INSERT ON orders FOR EACH ROW EXECUTE FUNCTION tally_order();
CREATE TRIGGER tally_changed AFTER UPDATE ON orders FOR EACH ROW
  WHEN (OLD.status IS DISTINCT FROM NEW.status OR OLD.resolution IS DISTINCT FROM NEW.resolution OR OLD.total IS DISTINCT FROM NEW.total
        OR (OLD.attention_reason IS NULL) IS DISTINCT FROM (NEW.attention_reason IS NULL)
        OR OLD.asset IS DISTINCT FROM NEW.asset OR OLD.created_at IS DISTINCT FROM NEW.created_at)
  EXECUTE FUNCTION tally_order();

-- Payments are counted for everybody only: by method and decision.
-- +goose StatementBegin
CREATE FUNCTION tally_payment() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO tally_changes VALUES ('payments', NULL, NEW.payment_method || '/' || NEW.admin_approval_status, 1, NEW.amount);
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO tally_changes VALUES ('payments', NULL, OLD.payment_method || '/' || OLD.admin_approval_status, -1, -OLD.amount);
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER tally_new AFTER INSERT ON payments FOR EACH ROW EXECUTE FUNCTION tally_payment();
CREATE TRIGGER tally_changed AFTER UPDATE ON payments FOR EACH ROW
  WHEN (OLD.admin_approval_status IS DISTINCT FROM NEW.admin_approval_status OR OLD.amount IS DISTINCT FROM NEW.amount
        OR OLD.payment_method IS DISTINCT FROM NEW.payment_method)
  EXECUTE FUNCTION tally_payment();

-- Transfers: how many a customer has, and what custody has let out on a day
-- (base prices, in cents), which its daily cap is held against.
-- +goose StatementBegin
CREATE FUNCTION let_out(w withdrawals) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT w.send_started_at IS NOT NULL AND w.status NOT IN ('refused', 'rejected', 'failed')
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION tally_withdrawal() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO tally_changes VALUES ('withdrawals', NEW.user_id, '', 1, 0);
  END IF;
  IF let_out(NEW) THEN
    INSERT INTO tally_changes SELECT 'let out', NULL, utc_day(NEW.send_started_at), 1, base_price FROM orders WHERE id = NEW.order_id;
  END IF;
  IF TG_OP = 'UPDATE' AND let_out(OLD) THEN
    INSERT INTO tally_changes SELECT 'let out', NULL, utc_day(OLD.send_started_at), -1, -base_price FROM orders WHERE id = OLD.order_id;
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER tally_new AFTER INSERT ON withdrawals FOR EACH ROW EXECUTE FUNCTION tally_withdrawal();
CREATE TRIGGER tally_changed AFTER UPDATE ON withdrawals FOR EACH ROW
  WHEN (let_out(OLD) IS DISTINCT FROM let_out(NEW) OR OLD.send_started_at IS DISTINCT FROM NEW.send_started_at)
  EXECUTE FUNCTION tally_withdrawal();

INSERT INTO tally_changes SELECT 'orders', user_id, order_facet(o), count(*), sum(total) FROM orders o GROUP BY 2, 3;
INSERT INTO tally_changes SELECT 'spent', user_id, utc_day(created_at), count(*), sum(total) FROM orders WHERE resolution IS NULL GROUP BY 2, 3;
INSERT INTO tally_changes SELECT 'payments', NULL, payment_method || '/' || admin_approval_status, count(*), sum(amount) FROM payments GROUP BY 3;
INSERT INTO tally_changes SELECT 'withdrawals', user_id, '', count(*), 0 FROM withdrawals GROUP BY 2;
INSERT INTO tally_changes SELECT 'let out', NULL, utc_day(w.send_started_at), count(*), sum(o.base_price)
  FROM withdrawals w JOIN orders o ON o.id = w.order_id WHERE let_out(w) GROUP BY 3;
SELECT fold_tallies();

GRANT SELECT ON tallies, tally_changes TO tradepost_app;

-- ── Roll-ups ─────────────────────────────────────────────────────────────────
-- A roll-up may cover a posting only when none with a smaller id can still
-- appear. Ids are drawn before the row is visible, so a transaction that draws
-- one must be known by then: it takes its transaction id first. (DB.RollUp
-- waits until all transactions of before have ended.)

-- +goose StatementBegin
CREATE FUNCTION take_transaction_id() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_current_xact_id();
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER take_transaction_id BEFORE INSERT ON postings FOR EACH STATEMENT EXECUTE FUNCTION take_transaction_id();

-- ── Indexes ──────────────────────────────────────────────────────────────────

CREATE INDEX orders_by_user_and_status ON orders (user_id, status, created_at DESC, id DESC);
CREATE INDEX orders_waiting ON orders (created_at DESC, id DESC) WHERE attention_reason IS NOT NULL;
CREATE INDEX payments_by_method ON payments (payment_method, created_at DESC, id DESC);
CREATE INDEX payments_by_method_and_status ON payments (payment_method, admin_approval_status, created_at DESC, id DESC);
CREATE INDEX kyc_records_open ON kyc_records (created_at) WHERE status IN ('pending', 'not_started');

-- +goose Down
DROP INDEX orders_by_user_and_status, orders_waiting, payments_by_method, payments_by_method_and_status, kyc_records_open;
DROP TRIGGER take_transaction_id ON postings;
DROP TRIGGER tally_new ON orders;
DROP TRIGGER tally_changed ON orders;
DROP TRIGGER tally_new ON payments;
DROP TRIGGER tally_changed ON payments;
DROP TRIGGER tally_new ON withdrawals;
DROP TRIGGER tally_changed ON withdrawals;
DROP FUNCTION take_transaction_id, tally_order, tally_payment, tally_withdrawal, order_facet, let_out, utc_day, fold_tallies;
DROP TABLE tallies, tally_changes;
