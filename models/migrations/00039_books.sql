-- What makes the ledger and the audit log readable at any size: balances as they
-- were, kept now and then, so that those of any moment are one of them and a
-- little more; indexes by time, by event and by who did it; and seals, which
-- show that no line of the audit log was changed after the fact.

-- +goose Up

-- The ledger as staff read it: all customers' accounts of a kind are one.
-- +goose StatementBegin
CREATE FUNCTION ledger_account(code text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN code LIKE 'customer:%' THEN 'customers:' || split_part(code, ':', 3) ELSE code END
$$;
-- +goose StatementEnd

-- Balances after all postings up to an id. No posting of them is later than max_at.
CREATE TABLE ledger_snapshots (
  through_id bigint PRIMARY KEY,
  max_at     timestamptz NOT NULL
);
CREATE INDEX ledger_snapshots_by_time ON ledger_snapshots (max_at, through_id);
CREATE TABLE ledger_snapshot_balances (
  through_id bigint NOT NULL REFERENCES ledger_snapshots,
  account    text NOT NULL,
  currency   text NOT NULL,
  balance    numeric(38,0) NOT NULL,
  PRIMARY KEY (through_id, account, currency)
);
GRANT SELECT, INSERT ON ledger_snapshots, ledger_snapshot_balances TO tradepost_app;

-- A row has the time at which its transaction began, and a number from when it
-- was written. No transaction that writes here is older than ten minutes, so a
-- row with a greater number is at most ten minutes older: that is what lets a
-- period of time be found by numbers.
-- +goose StatementBegin
CREATE FUNCTION begun_lately() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF clock_timestamp() - now() > interval '10 minutes' THEN
    RAISE EXCEPTION 'this transaction began too long ago to write to %', TG_TABLE_NAME USING ERRCODE = 'serialization_failure';
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER begun_lately BEFORE INSERT ON postings FOR EACH STATEMENT EXECUTE FUNCTION begun_lately();
CREATE TRIGGER begun_lately BEFORE INSERT ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION begun_lately();

CREATE INDEX postings_by_time  ON postings (at);
CREATE INDEX postings_by_event ON postings (event, id);
CREATE INDEX postings_in_coin  ON postings (currency, id) WHERE currency <> 'USD';

CREATE INDEX audit_by_time   ON audit_log (at);
CREATE INDEX audit_by_actor  ON audit_log (actor_id, id);
CREATE INDEX audit_by_action ON audit_log (action, id);
CREATE INDEX audit_by_kind   ON audit_log (object_kind, id);
CREATE INDEX audit_by_thing  ON audit_log (object_id, id);

-- Each seal is a hash over the one before it and all lines since, in order. A
-- line is sealed once none with a smaller number can still appear, for which its
-- transaction must be known by then (migration 00008).
CREATE TRIGGER take_transaction_id BEFORE INSERT ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION take_transaction_id();
CREATE TABLE audit_seals (
  through_id bigint PRIMARY KEY,
  sealed_at  timestamptz NOT NULL DEFAULT clock_now(),
  hash       bytea NOT NULL
);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_seals
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();
GRANT SELECT, INSERT ON audit_seals TO tradepost_app;

-- A line as it is hashed: every column, none of which can run into the next.
-- +goose StatementBegin
CREATE FUNCTION audit_line(a audit_log) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CAST(jsonb_build_array(a.id, extract(epoch FROM a.at), a.actor_id, a.actor_role, a.action, a.object_kind, a.object_id, a.before, a.after, a.reason, a.request_id) AS text)
$$;
-- +goose StatementEnd

-- +goose Down
DROP TABLE audit_seals, ledger_snapshot_balances, ledger_snapshots;
DROP FUNCTION audit_line, ledger_account;
DROP TRIGGER take_transaction_id ON audit_log;
DROP TRIGGER begun_lately ON postings;
DROP TRIGGER begun_lately ON audit_log;
DROP FUNCTION begun_lately;
DROP INDEX postings_by_time, postings_by_event, postings_in_coin, audit_by_time, audit_by_actor, audit_by_action, audit_by_kind, audit_by_thing;
