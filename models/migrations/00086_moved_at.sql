-- When an order or a redemption last moved on. updated_at is rewritten by each failed
-- attempt, so that one which fails for a day looked young all the while.

-- +goose Up
ALTER TABLE orders ADD COLUMN moved_at timestamptz;
ALTER TABLE voucher_redemptions ADD COLUMN moved_at timestamptz;
UPDATE orders SET moved_at = updated_at WHERE closed_at IS NULL;
UPDATE voucher_redemptions SET moved_at = updated_at WHERE closed_at IS NULL;
CREATE INDEX orders_moving ON orders (moved_at) WHERE closed_at IS NULL AND attention_reason IS NULL AND status IN ('fulfilling', 'filled');
CREATE INDEX voucher_redemptions_moving ON voucher_redemptions (moved_at) WHERE closed_at IS NULL AND attention_reason IS NULL;

-- +goose Down
ALTER TABLE orders DROP COLUMN moved_at;
ALTER TABLE voucher_redemptions DROP COLUMN moved_at;
