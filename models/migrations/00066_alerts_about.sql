-- An alert that one thing alone has raised says which, so that it leads there.

-- +goose Up
ALTER TABLE alerts ADD COLUMN about uuid;
GRANT UPDATE (about) ON alerts TO tradepost_app;

-- +goose Down
ALTER TABLE alerts DROP COLUMN about;
