-- Lists of addresses that coin is not sent to: an address can be on several, and
-- every import is a version of its list.

-- +goose Up

ALTER TABLE blocked_addresses DROP CONSTRAINT blocked_addresses_pkey, ADD PRIMARY KEY (network, address_key, source);
CREATE INDEX blocked_addresses_by_source ON blocked_addresses (source);

CREATE TABLE address_lists (
  id          uuid PRIMARY KEY,
  source      text NOT NULL,
  version     int NOT NULL CHECK (version > 0),
  kind        text NOT NULL CHECK (kind IN ('own', 'blocked')),
  format      text NOT NULL,
  sha256      text NOT NULL, -- of the file
  held        int NOT NULL,  -- addresses on the list since
  added       int NOT NULL,
  removed     int NOT NULL,
  unchanged   int NOT NULL,
  refused     int NOT NULL,  -- entries that are no address we could send to
  imported_by uuid REFERENCES users, -- null: by the command
  reason      text NOT NULL DEFAULT '',
  created_at  timestamptz NOT NULL DEFAULT clock_now(),
  UNIQUE (source, version)
);
CREATE INDEX address_lists_by_time ON address_lists (created_at DESC, id DESC);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON address_lists
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();
GRANT SELECT, INSERT ON address_lists TO tradepost_app;

-- +goose Down
-- There is no way down: an address on two lists would be lost from one of them.
SELECT 1;
