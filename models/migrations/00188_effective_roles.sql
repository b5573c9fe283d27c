-- A frozen account has no staff role (store.EffectiveRoles). The last admin who is
-- not frozen stays, whether the others lose their role or are frozen.

-- +goose Up

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION keep_an_admin() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('team', 0));
  IF NOT EXISTS (SELECT FROM user_roles r JOIN users u ON u.id = r.user_id WHERE r.role = 'admin'
                  AND u.frozen_at IS NULL AND u.disabled_at IS NULL AND u.closed_at IS NULL) THEN
    RAISE EXCEPTION 'the last admin stays' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION keep_an_admin() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('team', 0));
  IF NOT EXISTS (SELECT FROM user_roles r JOIN users u ON u.id = r.user_id WHERE r.role = 'admin' AND u.disabled_at IS NULL) THEN
    RAISE EXCEPTION 'the last admin stays' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
