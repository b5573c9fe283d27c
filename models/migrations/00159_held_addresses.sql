-- Another address that a customer without a second factor named for an order. Its link is mailed; what is kept of the
-- link is a hash for each time the mail went out.

-- +goose Up
CREATE TABLE held_addresses (
  order_id     uuid PRIMARY KEY REFERENCES orders (id),
  user_id      uuid NOT NULL REFERENCES users (id),
  address      text NOT NULL,
  address_key  text NOT NULL,
  refused_at   timestamptz NOT NULL,
  token_hashes bytea[] NOT NULL DEFAULT '{}',
  expires_at   timestamptz NOT NULL
);
CREATE INDEX held_addresses_user ON held_addresses (user_id);
GRANT SELECT, INSERT, UPDATE, DELETE ON held_addresses TO tradepost_app;

-- +goose Down
DROP TABLE held_addresses;
