-- The open breaks by difference: two of opposite amounts are probably the two sides of one transaction.

-- +goose NO TRANSACTION
-- +goose Up
SET lock_timeout = 0;
CREATE INDEX CONCURRENTLY IF NOT EXISTS reconciliation_breaks_difference
  ON reconciliation_breaks (currency, (told - booked)) WHERE closed_at IS NULL;

-- +goose Down
DROP INDEX CONCURRENTLY reconciliation_breaks_difference;
