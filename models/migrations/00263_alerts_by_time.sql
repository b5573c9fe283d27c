-- The pages of the alerts that are over, newest first; open ones are few.

-- +goose NO TRANSACTION
-- +goose Up
SET lock_timeout = 0;
DROP INDEX CONCURRENTLY IF EXISTS alerts_over;
CREATE INDEX CONCURRENTLY alerts_over ON alerts (opened_at, id) WHERE closed_at IS NOT NULL;
RESET lock_timeout;

-- +goose Down
SET lock_timeout = 0;
DROP INDEX CONCURRENTLY IF EXISTS alerts_over;
RESET lock_timeout;
