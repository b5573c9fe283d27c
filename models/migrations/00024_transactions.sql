-- A customer's history is orders, gift cards and vouchers in one list: each is
-- walked by its own index, also where a text is looked for.

-- +goose Up
CREATE INDEX gift_cards_by_user_and_status ON gift_cards (user_id, status, created_at DESC, id DESC);
CREATE INDEX gift_cards_search ON gift_cards USING gin (lower(CAST(id AS text) || ' ' || reference || ' ' || brand_label) gin_trgm_ops);

-- +goose Down
DROP INDEX gift_cards_search, gift_cards_by_user_and_status;
