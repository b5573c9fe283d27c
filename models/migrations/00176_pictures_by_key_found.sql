-- Files are found by the key that sealed them.

-- +goose NO TRANSACTION
-- +goose Up
SET lock_timeout = 0;
DROP INDEX CONCURRENTLY IF EXISTS evidence_by_key;
CREATE INDEX CONCURRENTLY evidence_by_key ON evidence ((coalesce(sealed_with, ''))) WHERE purged_at IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS gift_card_images_by_key;
CREATE INDEX CONCURRENTLY gift_card_images_by_key ON gift_card_images ((coalesce(sealed_with, ''))) WHERE purged_at IS NULL;
RESET lock_timeout;

-- +goose Down
DROP INDEX CONCURRENTLY gift_card_images_by_key;
DROP INDEX CONCURRENTLY evidence_by_key;
