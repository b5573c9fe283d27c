-- What a customer without a second factor asked for, and confirms by a mailed
-- link: a payout, a copy of their data, an order from the balance to an address
-- that is new. Of the link a hash is kept for each time the mail went out.

-- +goose Up
CREATE TABLE mailed_links (
  subject      uuid PRIMARY KEY, -- the payout, data export or order
  kind         text NOT NULL CHECK (kind IN ('payout', 'data_export', 'order')),
  user_id      uuid NOT NULL REFERENCES users (id),
  token_hashes bytea[] NOT NULL DEFAULT '{}',
  expires_at   timestamptz NOT NULL,
  used_at      timestamptz
);
CREATE INDEX mailed_links_user ON mailed_links (user_id);
CREATE INDEX mailed_links_expired ON mailed_links (expires_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON mailed_links TO tradepost_app;

-- A payout that is not confirmed is reserved until confirm_by. The name of its
-- account's holder is compared with the verified name as it is requested.
ALTER TABLE payouts ADD COLUMN confirm_by timestamptz, ADD COLUMN holder_differs boolean NOT NULL DEFAULT false;
ALTER TABLE payouts DROP CONSTRAINT payouts_status_check;
ALTER TABLE payouts ADD CONSTRAINT payouts_status_check
  CHECK (status IN ('unconfirmed', 'requested', 'approved', 'paid', 'rejected', 'cancelled', 'returned')) NOT VALID;
ALTER TABLE payouts ADD CONSTRAINT payouts_confirm_by CHECK ((status = 'unconfirmed') = (confirm_by IS NOT NULL)) NOT VALID;

-- The API confirms a payout; a worker does all else that changes its status.
-- +goose StatementBegin
CREATE FUNCTION payout_moved_by_others() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the API does not make a payout that is % become %', OLD.status, NEW.status USING ERRCODE = 'insufficient_privilege';
END $$;
-- +goose StatementEnd
CREATE TRIGGER payout_moved_by_others BEFORE UPDATE ON payouts FOR EACH ROW
  WHEN (session_user = 'tradepost_api' AND OLD.status <> NEW.status AND NOT (OLD.status = 'unconfirmed' AND NEW.status = 'requested'))
  EXECUTE FUNCTION payout_moved_by_others();

ALTER TABLE data_exports DROP CONSTRAINT data_exports_status_check;
ALTER TABLE data_exports ADD CONSTRAINT data_exports_status_check
  CHECK (status IN ('unconfirmed', 'requested', 'ready', 'expired')) NOT VALID;

-- The addresses that a customer confirmed by a mailed link.
CREATE TABLE confirmed_addresses (
  user_id      uuid NOT NULL REFERENCES users (id),
  network      text NOT NULL,
  address      text NOT NULL,
  confirmed_at timestamptz NOT NULL DEFAULT clock_now(),
  PRIMARY KEY (user_id, network, address)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON confirmed_addresses TO tradepost_app;

-- +goose Down
DROP TABLE confirmed_addresses;
ALTER TABLE data_exports DROP CONSTRAINT data_exports_status_check;
ALTER TABLE data_exports ADD CONSTRAINT data_exports_status_check CHECK (status IN ('requested', 'ready', 'expired')) NOT VALID;
DROP TRIGGER payout_moved_by_others ON payouts;
DROP FUNCTION payout_moved_by_others;
ALTER TABLE payouts DROP CONSTRAINT payouts_confirm_by, DROP CONSTRAINT payouts_status_check, DROP COLUMN confirm_by, DROP COLUMN holder_differs;
ALTER TABLE payouts ADD CONSTRAINT payouts_status_check
  CHECK (status IN ('requested', 'approved', 'paid', 'rejected', 'cancelled', 'returned')) NOT VALID;
DROP TABLE mailed_links;
