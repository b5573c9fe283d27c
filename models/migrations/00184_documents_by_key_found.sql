-- Pictures of documents are found by the key that sealed them.

-- +goose NO TRANSACTION
-- +goose Up
SET lock_timeout = 0;
DROP INDEX CONCURRENTLY IF EXISTS money_documents_by_key;
CREATE INDEX CONCURRENTLY money_documents_by_key ON money_documents ((coalesce(sealed_with, '')));
RESET lock_timeout;

-- +goose Down
DROP INDEX CONCURRENTLY money_documents_by_key;
