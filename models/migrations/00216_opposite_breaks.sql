-- The effects that differ by difference: two of opposite amounts are probably the two sides of one transaction.

-- +goose NO TRANSACTION
-- +goose Up
SET lock_timeout = 0;
DROP INDEX CONCURRENTLY IF EXISTS reconciled_effects_difference;
CREATE INDEX CONCURRENTLY reconciled_effects_difference
  ON reconciled_effects (currency, (told - booked)) WHERE booked <> told;
RESET lock_timeout;

-- +goose Down
DROP INDEX CONCURRENTLY reconciled_effects_difference;
