-- What was open when a backup was put back: what was sent for it after the backup
-- left no row, so whatever is sent for it next is looked for first.

-- +goose Up
ALTER TABLE orders ADD COLUMN restored_at timestamptz;
ALTER TABLE voucher_redemptions ADD COLUMN restored_at timestamptz;
ALTER TABLE treasury_moves ADD COLUMN restored_at timestamptz;

-- +goose Down
ALTER TABLE orders DROP COLUMN restored_at;
ALTER TABLE voucher_redemptions DROP COLUMN restored_at;
ALTER TABLE treasury_moves DROP COLUMN restored_at;
