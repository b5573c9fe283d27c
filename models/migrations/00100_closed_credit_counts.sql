-- How many credits to closed accounts wait to be sent back: a queue like any other.

-- +goose Up
-- +goose StatementBegin
CREATE FUNCTION tally_stranded() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO tally_changes VALUES ('stranded_credits', NULL, 'open', -1, 0);
  END IF;
  INSERT INTO tally_changes VALUES ('stranded_credits', NULL, CASE WHEN NEW.paid_at IS NULL THEN 'open' ELSE 'sent_back' END, 1, 0);
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER tally_new AFTER INSERT ON stranded_credits FOR EACH ROW EXECUTE FUNCTION tally_stranded();
CREATE TRIGGER tally_changed AFTER UPDATE ON stranded_credits FOR EACH ROW
  WHEN (OLD.paid_at IS NULL AND NEW.paid_at IS NOT NULL) EXECUTE FUNCTION tally_stranded();
INSERT INTO tally_changes SELECT 'stranded_credits', NULL, CASE WHEN paid_at IS NULL THEN 'open' ELSE 'sent_back' END, count(*), 0
  FROM stranded_credits GROUP BY 3;
CREATE INDEX stranded_by_time ON stranded_credits (created_at DESC, id DESC);

-- +goose Down
DROP TRIGGER tally_new ON stranded_credits;
DROP TRIGGER tally_changed ON stranded_credits;
DROP FUNCTION tally_stranded;
DROP INDEX stranded_by_time;
DELETE FROM tallies WHERE list = 'stranded_credits';
DELETE FROM tally_changes WHERE list = 'stranded_credits';
