-- What a person names as evidence that coin was sent is looked up among all transfers.

-- +goose NO TRANSACTION
-- +goose Up
SET lock_timeout = 0;
DROP INDEX CONCURRENTLY IF EXISTS orders_by_transfer;
CREATE INDEX CONCURRENTLY orders_by_transfer ON orders (lower(bitgo_transfer_id)) WHERE bitgo_transfer_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS withdrawals_by_transfer;
CREATE INDEX CONCURRENTLY withdrawals_by_transfer ON withdrawals (lower(transfer_id)) WHERE transfer_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS withdrawals_by_txid;
CREATE INDEX CONCURRENTLY withdrawals_by_txid ON withdrawals (lower(txid)) WHERE txid IS NOT NULL;
RESET lock_timeout;

-- +goose Down
DROP INDEX CONCURRENTLY orders_by_transfer;
DROP INDEX CONCURRENTLY withdrawals_by_transfer;
DROP INDEX CONCURRENTLY withdrawals_by_txid;
