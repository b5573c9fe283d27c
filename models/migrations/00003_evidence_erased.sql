-- A purged file is out of reach at once; this says when its bytes were deleted
-- from the bucket, which may be a moment later.

-- +goose Up
ALTER TABLE evidence ADD COLUMN erased_at timestamptz;
CREATE INDEX evidence_to_erase ON evidence (purged_at) WHERE purged_at IS NOT NULL AND erased_at IS NULL;

-- +goose Down
ALTER TABLE evidence DROP COLUMN erased_at;
