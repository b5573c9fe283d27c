-- A move of which another amount left, or arrived, than was asked for waits for a
-- person.

-- +goose Up
ALTER TABLE treasury_moves DROP CONSTRAINT treasury_moves_status_check;
ALTER TABLE treasury_moves ADD CONSTRAINT treasury_moves_status_check
  CHECK (status IN ('proposed', 'approved', 'sending', 'unknown', 'sent', 'differs', 'arrived', 'rejected', 'withdrawn', 'failed'));
ALTER TABLE treasury_moves ADD COLUMN differing numeric(38,0) CHECK (differing >= 0); -- the amount that was not expected
ALTER TABLE treasury_moves ADD CONSTRAINT treasury_moves_differs CHECK (status <> 'differs' OR differing IS NOT NULL AND exchange_ref IS NOT NULL);
DROP INDEX treasury_moves_waiting;
CREATE INDEX treasury_moves_waiting ON treasury_moves (created_at, id) WHERE status IN ('proposed', 'unknown', 'differs');

-- +goose Down
-- There is no way down: moves may wait so. Restore a backup.
SELECT 1;
