-- How much unplaced money is open, and how many proposals about money wait.

-- +goose Up
-- +goose StatementBegin
CREATE FUNCTION tally_money_case() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO tally_changes VALUES (TG_TABLE_NAME, NULL, NEW.status, 1, 0);
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO tally_changes VALUES (TG_TABLE_NAME, NULL, OLD.status, -1, 0);
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER tally_new AFTER INSERT ON unplaced_money FOR EACH ROW EXECUTE FUNCTION tally_money_case();
CREATE TRIGGER tally_changed AFTER UPDATE ON unplaced_money FOR EACH ROW
  WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION tally_money_case();
CREATE TRIGGER tally_new AFTER INSERT ON money_proposals FOR EACH ROW EXECUTE FUNCTION tally_money_case();
CREATE TRIGGER tally_changed AFTER UPDATE ON money_proposals FOR EACH ROW
  WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION tally_money_case();

-- +goose Down
DROP TRIGGER tally_new ON unplaced_money;
DROP TRIGGER tally_changed ON unplaced_money;
DROP TRIGGER tally_new ON money_proposals;
DROP TRIGGER tally_changed ON money_proposals;
DROP FUNCTION tally_money_case;
DELETE FROM tallies WHERE list IN ('unplaced_money', 'money_proposals');
DELETE FROM tally_changes WHERE list IN ('unplaced_money', 'money_proposals');
