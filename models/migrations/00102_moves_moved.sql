-- When a treasury move last moved on. updated_at is rewritten by each failed attempt.

-- +goose Up
ALTER TABLE treasury_moves ADD COLUMN moved_at timestamptz NOT NULL DEFAULT clock_now();
UPDATE treasury_moves SET moved_at = updated_at;
-- +goose StatementBegin
CREATE FUNCTION treasury_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.moved_at := clock_now();
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER moved BEFORE UPDATE ON treasury_moves FOR EACH ROW
  WHEN ((OLD.status, OLD.generation) IS DISTINCT FROM (NEW.status, NEW.generation)) EXECUTE FUNCTION treasury_moved();
CREATE INDEX treasury_moves_moving ON treasury_moves (moved_at) WHERE status IN ('approved', 'sending', 'sent');

-- +goose Down
DROP TRIGGER moved ON treasury_moves;
DROP FUNCTION treasury_moved;
ALTER TABLE treasury_moves DROP COLUMN moved_at;
