-- Staff look for a move of coin and for a break by what the provider calls it,
-- and by the transaction on the chain.

-- +goose Up
CREATE INDEX treasury_moves_by_txid ON treasury_moves (lower(txid)) WHERE txid IS NOT NULL;
CREATE INDEX reconciliation_breaks_by_subject ON reconciliation_breaks (lower(substr(key, strpos(key, ':') + 1)));

-- +goose Down
DROP INDEX treasury_moves_by_txid, reconciliation_breaks_by_subject;
