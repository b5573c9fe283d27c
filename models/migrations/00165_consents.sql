-- What each customer has agreed to. What sign-ups recorded until now is there without
-- language and hash, which were not kept.

-- +goose Up
CREATE TABLE consents (
  user_id        uuid NOT NULL REFERENCES users,
  document       text NOT NULL,
  version        text NOT NULL,
  language       text NOT NULL,
  text_sha256    text NOT NULL,
  address_prefix text NOT NULL DEFAULT '',
  at_sign_up     boolean NOT NULL DEFAULT false,
  given_at       timestamptz NOT NULL DEFAULT clock_now(),
  PRIMARY KEY (user_id, document, version)
);
INSERT INTO consents (user_id, document, version, language, text_sha256, at_sign_up, given_at)
SELECT id, document, terms_version, '', '', true, terms_accepted_at
  FROM users, unnest(ARRAY['terms', 'privacy']) document WHERE terms_version <> '' AND terms_accepted_at IS NOT NULL;
GRANT SELECT, INSERT, UPDATE (address_prefix) ON consents TO tradepost_app;

-- +goose Down
DROP TABLE consents;
