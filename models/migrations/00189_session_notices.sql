-- Whoever follows a person's event stream is told at once that a session of theirs
-- ended, or that it may show less (api/event).

-- +goose Up

-- +goose StatementBegin
CREATE FUNCTION announce_session() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  person text := CASE TG_TABLE_NAME WHEN 'users' THEN to_jsonb(NEW)->>'id' ELSE to_jsonb(coalesce(NEW, OLD))->>'user_id' END;
BEGIN
  PERFORM pg_notify('session_changed', person || ' ' || person);
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER announce_session AFTER UPDATE OF revoked_at ON sessions FOR EACH ROW
  WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL) EXECUTE FUNCTION announce_session();
CREATE TRIGGER announce_session AFTER UPDATE OF frozen_at, disabled_at, closed_at ON users FOR EACH ROW
  WHEN ((OLD.frozen_at, OLD.disabled_at, OLD.closed_at) IS DISTINCT FROM (NEW.frozen_at, NEW.disabled_at, NEW.closed_at))
  EXECUTE FUNCTION announce_session();
CREATE TRIGGER announce_session AFTER INSERT OR DELETE ON user_roles FOR EACH ROW EXECUTE FUNCTION announce_session();
CREATE TRIGGER announce_session AFTER UPDATE OF enabled_at ON second_factors FOR EACH ROW
  WHEN (OLD.enabled_at IS DISTINCT FROM NEW.enabled_at) EXECUTE FUNCTION announce_session();

-- +goose Down
DROP TRIGGER announce_session ON second_factors;
DROP TRIGGER announce_session ON user_roles;
DROP TRIGGER announce_session ON users;
DROP TRIGGER announce_session ON sessions;
DROP FUNCTION announce_session;
