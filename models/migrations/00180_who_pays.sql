-- A payment of an order, and money received for one, is booked by a worker: the
-- API asks for it. A payment from the balance says nothing that is not in the
-- database, so that Postgres books it itself, with the order.

-- +goose Up

-- +goose StatementBegin
CREATE FUNCTION pay_from_balance(paid uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO postings (group_key, line, event, order_id, from_account, to_account, currency, amount, written_by)
  SELECT 'order:' || id || ':from_balance', 1, 'paid_from_balance', id, 'prepaid_orders', 'customer:' || user_id || ':balance', 'USD', total, current_user
    FROM orders WHERE id = paid AND payment_method = 'balance' AND status = 'pending';
  IF NOT FOUND THEN
    RAISE EXCEPTION 'order % does not wait for a payment from the balance', paid USING ERRCODE = 'insufficient_privilege';
  END IF;
END $$;
-- +goose StatementEnd
REVOKE ALL ON FUNCTION pay_from_balance FROM PUBLIC;

-- +goose StatementBegin
CREATE FUNCTION booked_by_others() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the API does not book %', NEW.event USING ERRCODE = 'insufficient_privilege';
END $$;
-- +goose StatementEnd
CREATE TRIGGER booked_by_others BEFORE INSERT ON postings FOR EACH ROW
  WHEN (NEW.written_by = 'tradepost_api' AND NEW.event IN ('captured', 'receipt_confirmed', 'receipt_allocated', 'paid_from_balance', 'money_received', 'money_left_over'))
  EXECUTE FUNCTION booked_by_others();

-- A payment is held against the order's total, so that the API makes no order for less than its coin costs. What its coin
-- costs is checked by core when it is reserved.
-- +goose StatementBegin
CREATE FUNCTION below_its_coin() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the API does not sell coin of % for %', NEW.base_price, NEW.total USING ERRCODE = 'insufficient_privilege';
END $$;
-- +goose StatementEnd
CREATE TRIGGER below_its_coin BEFORE INSERT ON orders FOR EACH ROW
  WHEN (session_user = 'tradepost_api' AND NEW.total < NEW.base_price)
  EXECUTE FUNCTION below_its_coin();

-- +goose Down
DROP TRIGGER below_its_coin ON orders;
DROP FUNCTION below_its_coin;
DROP TRIGGER booked_by_others ON postings;
DROP FUNCTION booked_by_others;
DROP FUNCTION pay_from_balance;
