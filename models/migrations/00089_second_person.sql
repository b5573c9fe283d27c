-- What one person's word alone no longer does: receipts, changed destinations,
-- gift cards and releases above a limit wait for a second person.

-- +goose Up
ALTER TABLE order_proposals DROP CONSTRAINT order_proposals_kind_check;
ALTER TABLE order_proposals ADD CONSTRAINT order_proposals_kind_check
  CHECK (kind IN ('refund', 'mark_sent', 'confirm_receipt', 'amend_address'));
-- Whether a decision had a second person, and whose: read with each receipt.
CREATE INDEX order_proposals_by_decision ON order_proposals (decision_id) WHERE decision_id IS NOT NULL;

-- The first approval of a card whose credit needs two; the second one's decision
-- names the first.
ALTER TABLE gift_cards ADD COLUMN first_approved_by uuid REFERENCES users, ADD COLUMN first_approved_at timestamptz,
  ADD COLUMN first_value numeric(38,0) CHECK (first_value > 0),
  ADD CHECK (num_nonnulls(first_approved_by, first_approved_at, first_value) IN (0, 3));
ALTER TABLE gift_card_decisions ADD COLUMN first_by uuid REFERENCES users, ADD CHECK (first_by <> actor_id);

-- The first release of a review that needs two.
ALTER TABLE risk_reviews ADD COLUMN first_by uuid REFERENCES users, ADD COLUMN first_at timestamptz, ADD COLUMN first_reason text NOT NULL DEFAULT '',
  ADD CHECK ((first_by IS NULL) = (first_at IS NULL)),
  ADD CHECK (outcome IS DISTINCT FROM 'released' OR first_by IS NULL OR first_by IS DISTINCT FROM decided_by);
CREATE INDEX risk_reviews_released ON risk_reviews (user_id, closed_at) WHERE outcome = 'released';

-- +goose Down
-- There is no way down: who agreed to what would be lost. Restore a backup.
SELECT 1;
