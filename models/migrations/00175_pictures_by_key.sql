-- Which key sealed a file in the bucket, by the first bytes of what it sealed; empty
-- until the API has read the file. A file that another key sealed is sealed anew.

-- +goose Up
ALTER TABLE evidence ADD COLUMN sealed_with bytea;
ALTER TABLE gift_card_images ADD COLUMN sealed_with bytea;

-- +goose Down
ALTER TABLE gift_card_images DROP COLUMN sealed_with;
ALTER TABLE evidence DROP COLUMN sealed_with;
