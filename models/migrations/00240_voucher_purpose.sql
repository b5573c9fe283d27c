-- The purpose of a batch of vouchers, stated by the admin who made it. A batch that was made voucher by voucher has none.

-- +goose Up
ALTER TABLE voucher_batches ADD COLUMN purpose text NOT NULL DEFAULT '' CHECK (length(purpose) <= 500);

-- +goose Down
ALTER TABLE voucher_batches DROP COLUMN purpose;
