-- A history is kept for two years at least, from any role: a card can be
-- disputed for a year and a half. Nothing in one changes before.

-- +goose Up
-- +goose StatementBegin
CREATE FUNCTION keep_two_years() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.closed_at > clock_now() - interval '2 years' THEN
    RAISE EXCEPTION '% keeps each row for two years', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN OLD;
END $$;
-- +goose StatementEnd
DROP TRIGGER append_only ON histories;
CREATE TRIGGER append_only BEFORE UPDATE OR TRUNCATE ON histories FOR EACH STATEMENT EXECUTE FUNCTION append_only();
CREATE TRIGGER keep_two_years BEFORE DELETE ON histories FOR EACH ROW EXECUTE FUNCTION keep_two_years();

-- +goose Down
DROP TRIGGER keep_two_years ON histories;
DROP TRIGGER append_only ON histories;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON histories FOR EACH STATEMENT EXECUTE FUNCTION append_only();
DROP FUNCTION keep_two_years;
