-- What waits for a second person is walked by since when it waits.

-- +goose NO TRANSACTION
-- +goose Up
SET lock_timeout = 0;
CREATE INDEX CONCURRENTLY IF NOT EXISTS gift_cards_approved_once ON gift_cards (first_approved_at, id) WHERE first_approved_by IS NOT NULL AND status = 'in_review';
CREATE INDEX CONCURRENTLY IF NOT EXISTS payouts_approved_once ON payouts (first_approved_at, id) WHERE first_approved_by IS NOT NULL AND status = 'requested';
CREATE INDEX CONCURRENTLY IF NOT EXISTS risk_reviews_released_once ON risk_reviews (first_at, id) WHERE first_by IS NOT NULL AND closed_at IS NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS reconciliation_breaks_proposed ON reconciliation_breaks (wanted_at, id) WHERE wanted_by IS NOT NULL AND closed_at IS NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS vouchers_awaiting ON vouchers (batch_id, created_at, id) WHERE status = 'awaiting_approval';
CREATE INDEX CONCURRENTLY IF NOT EXISTS voucher_batches_asked ON voucher_batches (asked_at, id) WHERE asked_by IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS stranded_paid_once ON stranded_credits (first_at, id) WHERE first_by IS NOT NULL AND paid_at IS NULL AND taken_at IS NULL;
RESET lock_timeout;

-- +goose Down
DROP INDEX CONCURRENTLY gift_cards_approved_once;
DROP INDEX CONCURRENTLY payouts_approved_once;
DROP INDEX CONCURRENTLY risk_reviews_released_once;
DROP INDEX CONCURRENTLY reconciliation_breaks_proposed;
DROP INDEX CONCURRENTLY vouchers_awaiting;
DROP INDEX CONCURRENTLY voucher_batches_asked;
DROP INDEX CONCURRENTLY stranded_paid_once;
