-- Everything customers do, as one list for staff: orders, gift cards, redeemed
-- vouchers, payouts and refunds, each walked by indexes of its own, and counted
-- by month and by day, by everything the list can be filtered by.

-- +goose Up

-- Where each of them stands, in the five words of customers' history.
-- +goose StatementBegin
CREATE FUNCTION trade_state(kind text, status text, resolution text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE kind || ' ' || status
    WHEN 'order pending' THEN 'pending' WHEN 'order sent' THEN 'completed'
    WHEN 'order failed' THEN CASE WHEN resolution IN ('declined', 'cancelled', 'expired') THEN 'cancelled' ELSE 'failed' END
    WHEN 'gift_card received' THEN 'pending' WHEN 'gift_card in_review' THEN 'pending'
    WHEN 'gift_card approved' THEN 'completed' WHEN 'gift_card realised' THEN 'completed'
    WHEN 'gift_card rejected' THEN 'failed' WHEN 'gift_card expired' THEN 'cancelled'
    WHEN 'voucher accepted' THEN 'pending' WHEN 'voucher fulfilling' THEN 'pending' WHEN 'voucher filled' THEN 'pending'
    WHEN 'voucher sent' THEN 'completed' WHEN 'voucher restored' THEN 'cancelled'
    WHEN 'payout requested' THEN 'pending' WHEN 'payout approved' THEN 'pending' WHEN 'payout paid' THEN 'completed'
    WHEN 'payout rejected' THEN 'failed' WHEN 'payout returned' THEN 'failed' WHEN 'payout cancelled' THEN 'cancelled'
    WHEN 'refund requested' THEN 'pending' WHEN 'refund pending' THEN 'pending'
    WHEN 'refund succeeded' THEN 'completed' WHEN 'refund failed' THEN 'failed'
    ELSE 'payment_processing' END
$$;
-- +goose StatementEnd

-- A refund is a row of lists, too: it has an id, and is somebody's.
ALTER TABLE refunds ADD COLUMN id uuid NOT NULL DEFAULT gen_random_uuid(), ADD COLUMN user_id uuid REFERENCES users;
UPDATE refunds r SET user_id = o.user_id FROM orders o WHERE o.id = r.order_id;
ALTER TABLE refunds ALTER COLUMN user_id SET NOT NULL;
CREATE UNIQUE INDEX refunds_by_id ON refunds (id);
-- +goose StatementBegin
CREATE FUNCTION whose_refund() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.user_id := (SELECT user_id FROM orders WHERE id = NEW.order_id);
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER whose_refund BEFORE INSERT ON refunds FOR EACH ROW EXECUTE FUNCTION whose_refund();

-- What the list walks. Orders that failed and are open, or were refunded, are
-- few among those that ended as failed, and redemptions that are not sent few
-- among all. What a coin or a rail narrows is an expression, which no query of a
-- customer's own list can mistake for a way to their rows.
CREATE INDEX orders_by_rail ON orders ((payment_method || '/' || trade_state('order', status, resolution)), created_at DESC, id DESC);
CREATE INDEX orders_by_coin ON orders ((asset || '/' || trade_state('order', status, resolution)), created_at DESC, id DESC);
CREATE INDEX orders_failed  ON orders (created_at DESC, id DESC) WHERE status = 'failed' AND (resolution IS NULL OR resolution = 'refunded');
CREATE INDEX voucher_redemptions_by_coin ON voucher_redemptions ((asset || '/' || trade_state('voucher', status, NULL)), created_at DESC, id DESC);
CREATE INDEX voucher_redemptions_unsent  ON voucher_redemptions (status, created_at DESC, id DESC) WHERE status <> 'sent';
CREATE INDEX refunds_by_time   ON refunds (created_at DESC, id DESC);
CREATE INDEX refunds_by_status ON refunds (status, created_at DESC, id DESC);
CREATE INDEX refunds_by_user   ON refunds (user_id, created_at DESC, id DESC);

-- Counted by month in one list, and by day in one list a month, so that any
-- period of whole days is a few hundred rows, whatever was done in it.
-- +goose StatementBegin
CREATE FUNCTION count_trade(kind text, at timestamptz, state text, rail text, asset text, n int, amount numeric) RETURNS void LANGUAGE sql AS $$
  INSERT INTO tally_changes VALUES
    ('trades', NULL, left(utc_day(at), 7) || '/' || kind || '/' || state || '/' || rail || '/' || asset, n, amount),
    ('trades ' || left(utc_day(at), 7), NULL, utc_day(at) || '/' || kind || '/' || state || '/' || rail || '/' || asset, n, amount)
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION count_trade(o orders, n int) RETURNS void LANGUAGE sql AS $$
  SELECT count_trade('order', o.created_at, trade_state('order', o.status, o.resolution), o.payment_method, o.asset, n, n * o.total)
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION count_trade(g gift_cards, n int) RETURNS void LANGUAGE sql AS $$
  SELECT count_trade('gift_card', g.created_at, trade_state('gift_card', g.status, NULL), '', '', n, n * coalesce(g.paid, g.payout))
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION count_trade(r voucher_redemptions, n int) RETURNS void LANGUAGE sql AS $$
  SELECT count_trade('voucher', r.created_at, trade_state('voucher', r.status, NULL), '', r.asset, n, n * r.base_price)
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION count_trade(p payouts, n int) RETURNS void LANGUAGE sql AS $$
  SELECT count_trade('payout', p.created_at, trade_state('payout', p.status, NULL), '', '', n, n * p.amount)
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION count_trade(r refunds, n int) RETURNS void LANGUAGE sql AS $$
  SELECT count_trade('refund', r.created_at, trade_state('refund', r.status, NULL), '', '', n, n * r.amount)
$$;
-- +goose StatementEnd

-- One trigger for all of them: which count_trade is meant, the row's type says.
-- +goose StatementBegin
CREATE FUNCTION tally_trade() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  PERFORM count_trade(NEW, 1);
  IF TG_OP = 'UPDATE' THEN
    PERFORM count_trade(OLD, -1);
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER tally_new_trade AFTER INSERT ON orders FOR EACH ROW EXECUTE FUNCTION tally_trade();
CREATE TRIGGER tally_new_trade AFTER INSERT ON gift_cards FOR EACH ROW EXECUTE FUNCTION tally_trade();
CREATE TRIGGER tally_new_trade AFTER INSERT ON voucher_redemptions FOR EACH ROW EXECUTE FUNCTION tally_trade();
CREATE TRIGGER tally_new_trade AFTER INSERT ON payouts FOR EACH ROW EXECUTE FUNCTION tally_trade();
CREATE TRIGGER tally_new_trade AFTER INSERT ON refunds FOR EACH ROW EXECUTE FUNCTION tally_trade();
CREATE TRIGGER tally_changed_trade AFTER UPDATE ON orders FOR EACH ROW
  WHEN (trade_state('order', OLD.status, OLD.resolution) IS DISTINCT FROM trade_state('order', NEW.status, NEW.resolution) OR OLD.total IS DISTINCT FROM NEW.total
        OR OLD.asset IS DISTINCT FROM NEW.asset OR OLD.payment_method IS DISTINCT FROM NEW.payment_method OR OLD.created_at IS DISTINCT FROM NEW.created_at)
  EXECUTE FUNCTION tally_trade();
CREATE TRIGGER tally_changed_trade AFTER UPDATE ON gift_cards FOR EACH ROW
  WHEN (trade_state('gift_card', OLD.status, NULL) IS DISTINCT FROM trade_state('gift_card', NEW.status, NULL)
        OR coalesce(OLD.paid, OLD.payout) IS DISTINCT FROM coalesce(NEW.paid, NEW.payout) OR OLD.created_at IS DISTINCT FROM NEW.created_at)
  EXECUTE FUNCTION tally_trade();
CREATE TRIGGER tally_changed_trade AFTER UPDATE ON voucher_redemptions FOR EACH ROW
  WHEN (trade_state('voucher', OLD.status, NULL) IS DISTINCT FROM trade_state('voucher', NEW.status, NULL) OR OLD.base_price IS DISTINCT FROM NEW.base_price
        OR OLD.asset IS DISTINCT FROM NEW.asset OR OLD.created_at IS DISTINCT FROM NEW.created_at)
  EXECUTE FUNCTION tally_trade();
CREATE TRIGGER tally_changed_trade AFTER UPDATE ON payouts FOR EACH ROW
  WHEN (trade_state('payout', OLD.status, NULL) IS DISTINCT FROM trade_state('payout', NEW.status, NULL) OR OLD.amount IS DISTINCT FROM NEW.amount
        OR OLD.created_at IS DISTINCT FROM NEW.created_at)
  EXECUTE FUNCTION tally_trade();
CREATE TRIGGER tally_changed_trade AFTER UPDATE ON refunds FOR EACH ROW
  WHEN (trade_state('refund', OLD.status, NULL) IS DISTINCT FROM trade_state('refund', NEW.status, NULL) OR OLD.amount IS DISTINCT FROM NEW.amount
        OR OLD.created_at IS DISTINCT FROM NEW.created_at)
  EXECUTE FUNCTION tally_trade();

-- What happened before: counted together, so that no row is written for each.
WITH done AS (
  SELECT 'order' AS kind, created_at, trade_state('order', status, resolution) AS state, payment_method AS rail, asset, total AS amount FROM orders
  UNION ALL SELECT 'gift_card', created_at, trade_state('gift_card', status, NULL), '', '', coalesce(paid, payout) FROM gift_cards
  UNION ALL SELECT 'voucher', created_at, trade_state('voucher', status, NULL), '', asset, base_price FROM voucher_redemptions
  UNION ALL SELECT 'payout', created_at, trade_state('payout', status, NULL), '', '', amount FROM payouts
  UNION ALL SELECT 'refund', created_at, trade_state('refund', status, NULL), '', '', amount FROM refunds),
days AS (
  SELECT utc_day(created_at) AS day, '/' || kind || '/' || state || '/' || rail || '/' || asset AS facet, count(*) AS n, sum(amount) AS amount FROM done GROUP BY 1, 2)
INSERT INTO tally_changes
  SELECT 'trades', CAST(NULL AS uuid), left(day, 7) || facet, n, amount FROM days
  UNION ALL SELECT 'trades ' || left(day, 7), NULL, day || facet, n, amount FROM days;
SELECT fold_tallies();

-- +goose Down
DROP TRIGGER tally_new_trade ON orders;
DROP TRIGGER tally_new_trade ON gift_cards;
DROP TRIGGER tally_new_trade ON voucher_redemptions;
DROP TRIGGER tally_new_trade ON payouts;
DROP TRIGGER tally_new_trade ON refunds;
DROP TRIGGER tally_changed_trade ON orders;
DROP TRIGGER tally_changed_trade ON gift_cards;
DROP TRIGGER tally_changed_trade ON voucher_redemptions;
DROP TRIGGER tally_changed_trade ON payouts;
DROP TRIGGER tally_changed_trade ON refunds;
DROP FUNCTION tally_trade;
DROP FUNCTION count_trade(orders, int);
DROP FUNCTION count_trade(gift_cards, int);
DROP FUNCTION count_trade(voucher_redemptions, int);
DROP FUNCTION count_trade(payouts, int);
DROP FUNCTION count_trade(refunds, int);
DROP FUNCTION count_trade(text, timestamptz, text, text, text, int, numeric);
DELETE FROM tallies WHERE list LIKE 'trades%';
DELETE FROM tally_changes WHERE list LIKE 'trades%';
DROP INDEX orders_by_rail, orders_by_coin, orders_failed, voucher_redemptions_by_coin, voucher_redemptions_unsent, refunds_by_time, refunds_by_status, refunds_by_user, refunds_by_id;
DROP TRIGGER whose_refund ON refunds;
DROP FUNCTION whose_refund;
ALTER TABLE refunds DROP COLUMN id, DROP COLUMN user_id;
DROP FUNCTION trade_state;
