-- How long statements and books could differ in the last comparison before that was a break, so that the API can say
-- when a difference becomes one.

-- +goose Up
ALTER TABLE reconciliation_progress ADD COLUMN grace interval;

-- +goose Down
ALTER TABLE reconciliation_progress DROP COLUMN grace;
