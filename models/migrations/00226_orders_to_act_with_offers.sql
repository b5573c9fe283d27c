-- An order whose customer has an offer of less coin waits for them too.

-- +goose NO TRANSACTION
-- +goose Up
SET lock_timeout = 0;
DROP INDEX CONCURRENTLY IF EXISTS orders_to_act;
CREATE INDEX CONCURRENTLY orders_to_act ON orders (user_id, created_at DESC, id DESC)
  WHERE closed_at IS NULL AND (status = 'pending' OR choice_due_at IS NOT NULL OR offer_until IS NOT NULL OR attention_reason IN ('address_refused', 'kyc_revoked'));
RESET lock_timeout;

-- +goose Down
SET lock_timeout = 0;
DROP INDEX CONCURRENTLY IF EXISTS orders_to_act;
CREATE INDEX CONCURRENTLY orders_to_act ON orders (user_id, created_at DESC, id DESC)
  WHERE closed_at IS NULL AND (status = 'pending' OR choice_due_at IS NOT NULL OR attention_reason IN ('address_refused', 'kyc_revoked'));
RESET lock_timeout;
