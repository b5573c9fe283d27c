-- The purpose of a batch of vouchers, stated by the admin who made it. A batch that was made voucher by voucher has none.

-- +goose Up
ALTER TABLE voucher_batches ADD COLUMN purpose text NOT NULL DEFAULT '';
ALTER TABLE voucher_batches ADD CONSTRAINT voucher_batches_purpose_check CHECK (length(purpose) <= 500) NOT VALID;

-- +goose Down
ALTER TABLE voucher_batches DROP COLUMN purpose;
