-- Holds on cards that nobody has decided about yet, by when they end.

-- +goose Up
CREATE INDEX payments_held ON payments (capture_before)
  WHERE admin_approval_status = 'pending' AND authorised_at IS NOT NULL AND captured_at IS NULL;

-- +goose Down
DROP INDEX payments_held;
