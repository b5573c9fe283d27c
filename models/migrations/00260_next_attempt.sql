-- When the step of an order that failed last is tried again. NULL: it is not, or nobody knows.

-- +goose Up
ALTER TABLE orders ADD COLUMN next_attempt_at timestamptz;

-- +goose Down
ALTER TABLE orders DROP COLUMN next_attempt_at;
