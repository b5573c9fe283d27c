-- What waits for a person about a redemption is walked by since when it waits.

-- +goose Up
DROP INDEX voucher_redemptions_waiting;
CREATE INDEX voucher_redemptions_waiting ON voucher_redemptions (attention_since, voucher_id) WHERE closed_at IS NULL AND attention_reason IS NOT NULL;

-- +goose Down
DROP INDEX voucher_redemptions_waiting;
CREATE INDEX voucher_redemptions_waiting ON voucher_redemptions (id) WHERE closed_at IS NULL AND attention_reason IS NOT NULL;
