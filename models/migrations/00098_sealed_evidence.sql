-- Customers' receipts lie sealed in the bucket, as pictures of gift cards do. Those of
-- before are sealed by the API; until then sealed_at is empty.

-- +goose Up
ALTER TABLE evidence ADD COLUMN sealed_at timestamptz;
CREATE INDEX evidence_unsealed ON evidence (id) WHERE sealed_at IS NULL AND erased_at IS NULL;

-- +goose Down
DROP INDEX evidence_unsealed;
ALTER TABLE evidence DROP COLUMN sealed_at;
