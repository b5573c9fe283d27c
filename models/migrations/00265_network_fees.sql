-- What sending a coin costs is the median of its last transfers, which are found by this index.

-- +goose NO TRANSACTION
-- +goose Up
SET lock_timeout = 0;
DROP INDEX CONCURRENTLY IF EXISTS withdrawals_by_fee;
CREATE INDEX CONCURRENTLY withdrawals_by_fee ON withdrawals (asset, network, created_at DESC) WHERE fee > 0;
RESET lock_timeout;

-- +goose Down
DROP INDEX CONCURRENTLY withdrawals_by_fee;
