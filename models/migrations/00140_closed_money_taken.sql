-- A credit to a closed account can be taken back before it was sent back: by its bank,
-- or with the money that it was made of. What is left of it is what is sent back.

-- +goose Up
ALTER TABLE stranded_credits ADD COLUMN taken numeric(38,0) NOT NULL DEFAULT 0,
  ADD COLUMN taken_at timestamptz, -- when nothing was left
  ADD CHECK (taken BETWEEN 0 AND amount AND (taken = amount) = (taken_at IS NOT NULL)),
  ADD CHECK (num_nonnulls(first_by, paid_by) = 0 OR taken_at IS NULL);
GRANT UPDATE (taken, taken_at) ON stranded_credits TO tradepost_app;
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION tally_stranded() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO tally_changes VALUES ('stranded_credits', NULL, 'open', -1, 0);
  END IF;
  INSERT INTO tally_changes VALUES ('stranded_credits', NULL,
    CASE WHEN NEW.taken_at IS NOT NULL THEN 'taken_back' WHEN NEW.paid_at IS NULL THEN 'open' ELSE 'sent_back' END, 1, 0);
  RETURN NULL;
END $$;
-- +goose StatementEnd
DROP TRIGGER tally_changed ON stranded_credits;
CREATE TRIGGER tally_changed AFTER UPDATE ON stranded_credits FOR EACH ROW
  WHEN (OLD.paid_at IS NULL AND NEW.paid_at IS NOT NULL OR OLD.taken_at IS NULL AND NEW.taken_at IS NOT NULL) EXECUTE FUNCTION tally_stranded();
DROP INDEX stranded_open;
CREATE INDEX stranded_open ON stranded_credits (created_at, id) WHERE paid_at IS NULL AND taken_at IS NULL;

-- +goose Down
-- There is no way down: what was taken back would be owed again. Restore a backup.
SELECT 1;
