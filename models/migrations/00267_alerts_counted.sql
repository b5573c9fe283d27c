-- The alerts that are over are counted as they end: a page of their history does not read them all.

-- +goose Up
-- +goose StatementBegin
CREATE FUNCTION tally_alert() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO tally_changes VALUES ('alerts', NULL, 'past', 1, 0);
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER tally_new AFTER INSERT ON alerts FOR EACH ROW
  WHEN (NEW.closed_at IS NOT NULL) EXECUTE FUNCTION tally_alert();
CREATE TRIGGER tally_changed AFTER UPDATE ON alerts FOR EACH ROW
  WHEN (OLD.closed_at IS NULL AND NEW.closed_at IS NOT NULL) EXECUTE FUNCTION tally_alert();
INSERT INTO tally_changes SELECT 'alerts', NULL, 'past', count(*), 0 FROM alerts WHERE closed_at IS NOT NULL;

-- +goose Down
DROP TRIGGER tally_new ON alerts;
DROP TRIGGER tally_changed ON alerts;
DROP FUNCTION tally_alert;
DELETE FROM tallies WHERE list = 'alerts';
DELETE FROM tally_changes WHERE list = 'alerts';
