-- A customer's orders of which money went back: GET /api/transactions?status=refunded walks them.

-- +goose Up
CREATE INDEX orders_returned ON orders (user_id, created_at DESC, id DESC) WHERE refunded > 0;

-- +goose Down
DROP INDEX orders_returned;
