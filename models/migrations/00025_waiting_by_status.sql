-- What waits for a person, by its status: without this index a list of the failed
-- ones among them was every failed order set against every waiting one.

-- +goose Up
CREATE INDEX orders_waiting_by_status ON orders (status, created_at DESC, id DESC) WHERE attention_reason IS NOT NULL;

-- +goose Down
DROP INDEX orders_waiting_by_status;
