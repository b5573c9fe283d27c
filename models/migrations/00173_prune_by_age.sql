-- What is pruned is found by its age (docs/operations.md, "What is kept, and how long").

-- +goose NO TRANSACTION
-- +goose Up
SET lock_timeout = 0;
DROP INDEX CONCURRENTLY IF EXISTS webhook_inbox_handled;
CREATE INDEX CONCURRENTLY webhook_inbox_handled ON webhook_inbox (handled_at) WHERE handled_at IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS mails_ended;
CREATE INDEX CONCURRENTLY mails_ended ON mails ((coalesce(sent_at, given_up_at)));
DROP INDEX CONCURRENTLY IF EXISTS histories_closed;
CREATE INDEX CONCURRENTLY histories_closed ON histories (closed_at);
RESET lock_timeout;

-- +goose Down
DROP INDEX CONCURRENTLY histories_closed;
DROP INDEX CONCURRENTLY mails_ended;
DROP INDEX CONCURRENTLY webhook_inbox_handled;
