-- Refunds that wait for a second person and compliance's reviews are counted as
-- orders are (migration 00008).

-- +goose Up

-- +goose StatementBegin
CREATE FUNCTION tally_proposal() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO tally_changes VALUES ('proposals', NULL, NEW.status, 1, 0);
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO tally_changes VALUES ('proposals', NULL, OLD.status, -1, 0);
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER tally_new AFTER INSERT ON order_proposals FOR EACH ROW EXECUTE FUNCTION tally_proposal();
CREATE TRIGGER tally_changed AFTER UPDATE ON order_proposals FOR EACH ROW
  WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION tally_proposal();
INSERT INTO tally_changes SELECT 'proposals', NULL, status, 1, 0 FROM order_proposals;

-- +goose StatementBegin
CREATE FUNCTION tally_review() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO tally_changes VALUES ('risk_reviews', NULL, CASE WHEN NEW.closed_at IS NULL THEN 'open' ELSE 'closed' END, 1, 0);
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO tally_changes VALUES ('risk_reviews', NULL, CASE WHEN OLD.closed_at IS NULL THEN 'open' ELSE 'closed' END, -1, 0);
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER tally_new AFTER INSERT ON risk_reviews FOR EACH ROW EXECUTE FUNCTION tally_review();
CREATE TRIGGER tally_changed AFTER UPDATE ON risk_reviews FOR EACH ROW
  WHEN ((OLD.closed_at IS NULL) IS DISTINCT FROM (NEW.closed_at IS NULL)) EXECUTE FUNCTION tally_review();
INSERT INTO tally_changes SELECT 'risk_reviews', NULL, CASE WHEN closed_at IS NULL THEN 'open' ELSE 'closed' END, 1, 0 FROM risk_reviews;

-- +goose Down
DROP TRIGGER tally_new ON order_proposals;
DROP TRIGGER tally_changed ON order_proposals;
DROP FUNCTION tally_proposal;
DROP TRIGGER tally_new ON risk_reviews;
DROP TRIGGER tally_changed ON risk_reviews;
DROP FUNCTION tally_review;
DELETE FROM tallies WHERE list IN ('proposals', 'risk_reviews');
DELETE FROM tally_changes WHERE list IN ('proposals', 'risk_reviews');
