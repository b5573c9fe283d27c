-- +goose Up

-- A person with an account here. The subject of every token is the id; the
-- e-mail address may change hands and is never an identity.
CREATE TABLE users (
    id                  uuid PRIMARY KEY,
    email               text NOT NULL CHECK (length(email) BETWEEN 3 AND 254),
    email_key           text NOT NULL UNIQUE CHECK (email_key = lower(email_key)),
    email_verified_at   timestamptz,
    password_hash       text NOT NULL,
    password_changed_at timestamptz NOT NULL DEFAULT now(),
    given_name          text NOT NULL CHECK (length(given_name) BETWEEN 1 AND 60),
    family_name         text NOT NULL CHECK (length(family_name) BETWEEN 1 AND 60),
    country             text NOT NULL CHECK (country ~ '^[A-Z]{2}$'),
    locale              text NOT NULL DEFAULT 'en-US',
    adult_confirmed_at  timestamptz NOT NULL,
    terms_version       text NOT NULL CHECK (terms_version <> ''),
    terms_accepted_at   timestamptz NOT NULL,
    demo                boolean NOT NULL DEFAULT false,
    disabled_at         timestamptz,
    created_at          timestamptz NOT NULL DEFAULT now()
);

-- A browser that signed in here. Only the hash of its token is kept.
CREATE TABLE sessions (
    token_hash bytea PRIMARY KEY,
    user_id    uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    auth_time  timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_expiry ON sessions (expires_at);

-- Browsers in which an account signed in before: their guesses are counted
-- apart, so that a stranger's guesses cannot lock the owner out.
CREATE TABLE known_browsers (
    user_id      uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    browser_hash bytea NOT NULL,
    seen_at      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, browser_hash)
);

-- One authorisation request of the client, bound to the browser that brought
-- it. Its code is used once; the row outlives it so that reuse is noticed.
CREATE TABLE auth_requests (
    id              uuid PRIMARY KEY,
    client_id       text NOT NULL,
    redirect_uri    text NOT NULL,
    response_mode   text NOT NULL DEFAULT '',
    state           text NOT NULL,
    nonce           text NOT NULL,
    scopes          text[] NOT NULL,
    prompts         text[] NOT NULL,
    max_age         bigint,
    login_hint      text NOT NULL DEFAULT '',
    code_challenge  text NOT NULL CHECK (code_challenge <> ''),
    browser_hash    bytea NOT NULL,
    user_id         uuid REFERENCES users (id) ON DELETE CASCADE,
    auth_time       timestamptz,
    code_hash       bytea UNIQUE,
    code_expires_at timestamptz,
    code_used_at    timestamptz,
    created_at      timestamptz NOT NULL DEFAULT now(),
    expires_at      timestamptz NOT NULL
);
CREATE INDEX auth_requests_expiry ON auth_requests (expires_at);

-- An opaque access token, good for the userinfo call only.
CREATE TABLE access_tokens (
    id              uuid PRIMARY KEY,
    auth_request_id uuid NOT NULL REFERENCES auth_requests (id) ON DELETE CASCADE,
    user_id         uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    scopes          text[] NOT NULL,
    expires_at      timestamptz NOT NULL
);
CREATE INDEX access_tokens_request ON access_tokens (auth_request_id);

-- A link sent by mail: good once, for a while, kept as a hash.
CREATE TABLE mail_links (
    token_hash bytea PRIMARY KEY,
    user_id    uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    purpose    text NOT NULL CHECK (purpose IN ('reset', 'verify')),
    email_key  text NOT NULL,
    expires_at timestamptz NOT NULL,
    used_at    timestamptz
);
CREATE INDEX mail_links_user ON mail_links (user_id, purpose);

-- Mails to be sent. A row says to whom and which, never a link: links are made
-- as the mail leaves. A row for an address without an account sends nothing.
CREATE TABLE outbox (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind        text NOT NULL CHECK (kind IN ('reset', 'verify', 'password_changed')),
    email_key   text NOT NULL,
    attempts    int NOT NULL DEFAULT 0,
    last_error  text NOT NULL DEFAULT '',
    next_try_at timestamptz NOT NULL DEFAULT now(),
    expires_at  timestamptz NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX outbox_due ON outbox (next_try_at);

-- One leaky bucket (GCRA) a key: the theoretical arrival time of the next
-- attempt, and how many were turned away since one was let through.
CREATE TABLE limits (
    key    text PRIMARY KEY,
    tat    timestamptz NOT NULL,
    denied bigint NOT NULL DEFAULT 0
);
CREATE INDEX limits_tat ON limits (tat);

-- Signing keys. The private half is sealed; the public half stays published
-- until everything it signed has lost its use.
CREATE TABLE signing_keys (
    id             text PRIMARY KEY,
    sealed_private bytea NOT NULL,
    public_key     bytea NOT NULL,
    active_from    timestamptz NOT NULL,
    created_at     timestamptz NOT NULL DEFAULT now()
);

-- What happened to accounts, for those who investigate. Ids and addresses
-- only; no e-mail, no password, no token.
CREATE TABLE events (
    id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at      timestamptz NOT NULL DEFAULT now(),
    kind    text NOT NULL,
    user_id uuid,
    address text NOT NULL DEFAULT ''
);
CREATE INDEX events_user ON events (user_id, at);
CREATE INDEX events_at ON events (at);

-- +goose Down
DROP TABLE events, signing_keys, limits, outbox, mail_links, access_tokens,
    auth_requests, known_browsers, sessions, users;
