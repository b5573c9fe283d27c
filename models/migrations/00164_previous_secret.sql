-- Webhooks that the secret signed which is being replaced: the last of them says when it can be removed.

-- +goose Up
ALTER TABLE webhook_inbox ADD COLUMN previous_secret boolean NOT NULL DEFAULT false;
CREATE INDEX webhook_inbox_previous ON webhook_inbox (provider, received_at) WHERE previous_secret;

-- +goose Down
ALTER TABLE webhook_inbox DROP COLUMN previous_secret;
