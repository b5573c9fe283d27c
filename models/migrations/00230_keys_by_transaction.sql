-- While an update rolls out, the previous release still writes transaction ids as a provider writes them. These triggers
-- write each key as 00219 named it, so that one transaction never becomes two effects and a false pair of breaks.

-- +goose Up
-- +goose StatementBegin
CREATE FUNCTION key_by_transaction() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.key := split_part(NEW.key, ':', 1) || ':'
    || regexp_replace(lower(substr(NEW.key, strpos(NEW.key, ':') + 1)), '^0x', '');
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER key_by_transaction BEFORE INSERT OR UPDATE OF key ON statement_lines FOR EACH ROW
  WHEN (NEW.key LIKE 'receipt:%' OR NEW.key LIKE 'by_hand:%') EXECUTE FUNCTION key_by_transaction();
CREATE TRIGGER key_by_transaction BEFORE INSERT OR UPDATE OF key ON reconciled_effects FOR EACH ROW
  WHEN (NEW.key LIKE 'receipt:%' OR NEW.key LIKE 'by_hand:%') EXECUTE FUNCTION key_by_transaction();

-- +goose Down
DROP TRIGGER key_by_transaction ON reconciled_effects;
DROP TRIGGER key_by_transaction ON statement_lines;
DROP FUNCTION key_by_transaction;
