-- Two people end a transfer that custody calls removed for good; should it confirm
-- later nonetheless, its coin is booked.

-- +goose Up
ALTER TABLE withdrawals
  ADD COLUMN dead_at timestamptz,
  ADD COLUMN dead_by uuid, -- the decision, of an order or of a redemption
  ADD COLUMN revived_at timestamptz,
  ADD CHECK ((dead_at IS NULL) = (dead_by IS NULL)),
  ADD CHECK (status NOT IN ('dead', 'revived') OR dead_at IS NOT NULL),
  ADD CHECK (revived_at IS NULL OR dead_at IS NOT NULL AND status IN ('confirmed', 'revived'));
CREATE INDEX withdrawals_dead ON withdrawals (id) WHERE status = 'dead';
CREATE INDEX withdrawals_revived ON withdrawals (revived_at) WHERE revived_at IS NOT NULL;

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION let_out(w withdrawals) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN w.send_started_at IS NOT NULL AND w.status NOT IN ('refused', 'rejected', 'failed', 'dead');
END $$;
-- +goose StatementEnd

INSERT INTO accounts (code, kind, protected) VALUES ('losses', 'expense', false);

ALTER TABLE order_proposals DROP CONSTRAINT order_proposals_kind_check;
ALTER TABLE order_proposals ADD CONSTRAINT order_proposals_kind_check
  CHECK (kind IN ('refund', 'mark_sent', 'confirm_receipt', 'amend_address', 'transfer_dead'));

-- Orders that wait for such a transfer already offer it from now on.
UPDATE orders o SET attention_choices = array_append(attention_choices, 'transfer_dead')
  WHERE closed_at IS NULL AND status IN ('filled', 'sent') AND attention_reason IS NOT NULL
    AND 'removed' = (SELECT w.status FROM withdrawals w WHERE w.order_id = o.id ORDER BY generation DESC LIMIT 1);

-- +goose Down
-- There is no way down: coin that was booked as lost would belong to no account. Restore a backup.
SELECT 1;
