-- The proceeds of gift cards by their bank reference, which counts once over all money. It is not unique here: proceeds
-- from before could share one.

-- +goose NO TRANSACTION
-- +goose Up
SET lock_timeout = 0;
DROP INDEX CONCURRENTLY IF EXISTS gift_cards_realised_reference;
CREATE INDEX CONCURRENTLY gift_cards_realised_reference ON gift_cards (lower(realised_reference)) WHERE realised_reference IS NOT NULL;
RESET lock_timeout;

-- +goose Down
DROP INDEX CONCURRENTLY gift_cards_realised_reference;
