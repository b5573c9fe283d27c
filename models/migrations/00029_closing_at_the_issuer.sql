-- +goose Up

-- An account that is closed here is erased at the identity provider as well;
-- until that is done its closure is not over ('closing').
ALTER TABLE account_closures
  DROP CONSTRAINT account_closures_status_check,
  DROP CONSTRAINT account_closures_check,
  ADD CONSTRAINT account_closures_status_check CHECK (status IN ('waiting', 'cancelled', 'refused', 'closing', 'closed')),
  ADD CONSTRAINT account_closures_open_check CHECK ((status IN ('waiting', 'closing')) = (closed_at IS NULL));

-- +goose Down
UPDATE account_closures SET status = 'closed', closed_at = clock_now() WHERE status = 'closing';
ALTER TABLE account_closures
  DROP CONSTRAINT account_closures_open_check,
  DROP CONSTRAINT account_closures_status_check,
  ADD CONSTRAINT account_closures_status_check CHECK (status IN ('waiting', 'cancelled', 'refused', 'closed')),
  ADD CONSTRAINT account_closures_check CHECK ((status = 'waiting') = (closed_at IS NULL));
