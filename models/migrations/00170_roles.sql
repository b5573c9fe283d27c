-- A role for each process. What each may write is granted by the program at the
-- end (models/store/grants.go). What a table's rights cannot say is said here:
-- the API makes an order and records how it was paid; that it is bought, filled
-- or sent is for the workers to write.

-- +goose Up

-- +goose StatementBegin
CREATE FUNCTION workers_alone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the API does not write % %', TG_TABLE_NAME, NEW.status USING ERRCODE = 'insufficient_privilege';
END $$;
-- +goose StatementEnd
CREATE TRIGGER workers_alone_made BEFORE INSERT ON orders FOR EACH ROW
  WHEN (session_user = 'tradepost_api' AND NEW.status <> 'pending')
  EXECUTE FUNCTION workers_alone();
CREATE TRIGGER workers_alone_moved BEFORE UPDATE OF status ON orders FOR EACH ROW
  WHEN (session_user = 'tradepost_api' AND NEW.status IS DISTINCT FROM OLD.status AND NEW.status NOT IN ('payment_approved', 'failed'))
  EXECUTE FUNCTION workers_alone();
CREATE TRIGGER workers_alone_made BEFORE INSERT ON voucher_redemptions FOR EACH ROW
  WHEN (session_user = 'tradepost_api' AND NEW.status <> 'accepted')
  EXECUTE FUNCTION workers_alone();

-- +goose Down
DROP TRIGGER workers_alone_made ON voucher_redemptions;
DROP TRIGGER workers_alone_moved ON orders;
DROP TRIGGER workers_alone_made ON orders;
DROP FUNCTION workers_alone;
