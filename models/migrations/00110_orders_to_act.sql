-- The orders that wait for their customer, newest first: few of all that a customer has.

-- +goose Up
CREATE INDEX orders_to_act ON orders (user_id, created_at DESC, id DESC)
  WHERE closed_at IS NULL AND (status = 'pending' OR choice_due_at IS NOT NULL OR attention_reason IN ('address_refused', 'kyc_revoked'));

-- +goose Down
DROP INDEX orders_to_act;
