-- Staff look for what a transaction on the chain was made for.

-- +goose Up
CREATE INDEX orders_by_txid ON orders (lower(txid)) WHERE txid IS NOT NULL;
CREATE INDEX voucher_redemptions_by_txid ON voucher_redemptions (lower(txid)) WHERE txid IS NOT NULL;

-- +goose Down
DROP INDEX orders_by_txid, voucher_redemptions_by_txid;
