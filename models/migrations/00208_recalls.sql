-- Credited money that its bank took back: a claim on the customer whose balance it was credited to. A bank reference
-- names one return, of a receipt or of credited money.

-- +goose Up
CREATE TABLE recalls (
  id                   uuid PRIMARY KEY, -- of the proposal that booked it
  reference            text NOT NULL UNIQUE,
  money_id             uuid NOT NULL REFERENCES unplaced_money,
  user_id              uuid NOT NULL REFERENCES users,
  amount               numeric(38,0) NOT NULL CHECK (amount > 0),
  owed                 numeric(38,0) NOT NULL CHECK (owed >= 0 AND owed <= amount), -- what no balance covered as it was booked
  bank_reference       text NOT NULL,
  returned_on          date NOT NULL,
  code                 text NOT NULL CHECK (code <> ''),
  created_at           timestamptz NOT NULL DEFAULT clock_now(),
  reinstated_at        timestamptz,
  reinstated_on        date,
  reinstated_reference text,
  CHECK ((reinstated_at IS NULL) = (reinstated_reference IS NULL)),
  CHECK ((reinstated_at IS NULL) = (reinstated_on IS NULL))
);
CREATE UNIQUE INDEX recalls_bank_reference ON recalls (lower(bank_reference));
CREATE UNIQUE INDEX recalls_reinstated ON recalls (lower(reinstated_reference)) WHERE reinstated_reference IS NOT NULL;
CREATE INDEX recalls_by_money ON recalls (money_id, created_at);
CREATE INDEX recalls_by_user ON recalls (user_id, created_at);
CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON recalls
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();
-- +goose StatementBegin
CREATE FUNCTION recall_only_reinstated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.reinstated_at IS NOT NULL
     OR to_jsonb(NEW) - ARRAY['reinstated_at', 'reinstated_on', 'reinstated_reference'] IS DISTINCT FROM to_jsonb(OLD) - ARRAY['reinstated_at', 'reinstated_on', 'reinstated_reference'] THEN
    RAISE EXCEPTION 'recalls is append-only' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER only_reinstated BEFORE UPDATE ON recalls FOR EACH ROW EXECUTE FUNCTION recall_only_reinstated();

-- +goose Down
DROP TABLE recalls;
DROP FUNCTION recall_only_reinstated;
