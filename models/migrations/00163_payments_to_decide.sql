-- Payments that staff can decide, in the order they came: the condition is order.ActionablePayment.

-- +goose Up
CREATE INDEX payments_to_decide ON payments (created_at, id) INCLUDE (payment_method)
  WHERE admin_approval_status = 'pending'
    AND (authorised_at IS NOT NULL OR payment_method <> 'card' AND (submitted_at IS NOT NULL OR received_amount IS NOT NULL));

-- +goose Down
DROP INDEX payments_to_decide;
