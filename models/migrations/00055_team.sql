-- The team: roles that are proposed by one admin and approved by another.

-- +goose Up

CREATE TABLE role_proposals (
  id          uuid PRIMARY KEY,
  user_id     uuid NOT NULL REFERENCES users, -- whose roles
  had         text[] NOT NULL,                -- as they were when it was proposed: what was looked at
  roles       text[] NOT NULL CHECK (cardinality(roles) > 0 AND roles <@ ARRAY['support', 'compliance', 'finance', 'admin']),
  reason      text NOT NULL CHECK (reason <> ''),
  proposed_by uuid NOT NULL REFERENCES users,
  created_at  timestamptz NOT NULL DEFAULT clock_now(),
  status      text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'approved', 'rejected', 'withdrawn', 'lapsed')),
  decided_by  uuid REFERENCES users,
  decided_at  timestamptz,
  answer      text NOT NULL DEFAULT '', -- why it was rejected or withdrawn
  CHECK ((status = 'open') = (decided_at IS NULL)),
  -- four eyes, and nobody's own, also where the program is wrong
  CHECK (proposed_by <> user_id AND decided_by <> user_id),
  CHECK (status NOT IN ('approved', 'rejected') OR decided_by IS NOT NULL AND decided_by <> proposed_by),
  CHECK (status <> 'withdrawn' OR decided_by = proposed_by)
);
CREATE UNIQUE INDEX role_proposals_one_open ON role_proposals (user_id) WHERE status = 'open';
CREATE INDEX role_proposals_newest ON role_proposals (created_at, id);
CREATE INDEX role_proposals_by_status ON role_proposals (status, created_at, id);
CREATE INDEX role_proposals_by_proposer ON role_proposals (proposed_by) WHERE status = 'open';
GRANT SELECT, INSERT ON role_proposals TO tradepost_app;
GRANT UPDATE (status, decided_by, decided_at, reason, answer) ON role_proposals TO tradepost_app;

-- +goose StatementBegin
CREATE FUNCTION tally_role_proposal() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO tally_changes VALUES ('role_proposals', NULL, NEW.status, 1, 0);
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO tally_changes VALUES ('role_proposals', NULL, OLD.status, -1, 0);
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER tally_new AFTER INSERT ON role_proposals FOR EACH ROW EXECUTE FUNCTION tally_role_proposal();
CREATE TRIGGER tally_changed AFTER UPDATE ON role_proposals FOR EACH ROW
  WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION tally_role_proposal();

-- The last admin stays, whoever takes roles away and however many at once: each
-- looks after the one before has committed.
-- +goose StatementBegin
CREATE FUNCTION keep_an_admin() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('team', 0));
  IF NOT EXISTS (SELECT FROM user_roles r JOIN users u ON u.id = r.user_id WHERE r.role = 'admin' AND u.disabled_at IS NULL) THEN
    RAISE EXCEPTION 'the last admin stays' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER keep_an_admin AFTER DELETE OR UPDATE ON user_roles FOR EACH ROW
  WHEN (OLD.role = 'admin') EXECUTE FUNCTION keep_an_admin();

-- Somebody is found by the address they have shown to be theirs.
CREATE INDEX users_by_email ON users (lower(email)) WHERE email_verified AND closed_at IS NULL;

-- +goose Down
DROP INDEX users_by_email;
DROP TRIGGER keep_an_admin ON user_roles;
DROP FUNCTION keep_an_admin;
DROP TABLE role_proposals;
DROP FUNCTION tally_role_proposal;
DELETE FROM tallies WHERE list = 'role_proposals';
DELETE FROM tally_changes WHERE list = 'role_proposals';
