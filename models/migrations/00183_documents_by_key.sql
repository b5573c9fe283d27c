-- Pictures of documents are sealed as all others are: which key sealed one is
-- empty until the API has sealed it. Nothing else of a row changes.

-- +goose Up
ALTER TABLE money_documents ADD COLUMN sealed_with bytea;
DROP TRIGGER append_only ON money_documents;
CREATE TRIGGER append_only BEFORE UPDATE OF id, file_key, content_type, size, added_by, created_at OR DELETE OR TRUNCATE ON money_documents
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();

-- +goose Down
DROP TRIGGER append_only ON money_documents;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON money_documents
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();
ALTER TABLE money_documents DROP COLUMN sealed_with;
