-- A proposed receipt needs no reason beside its bank line. 00199 checks the rows that exist.

-- +goose Up
ALTER TABLE order_proposals DROP CONSTRAINT order_proposals_reason_check,
  ADD CONSTRAINT order_proposals_reason_check CHECK (reason <> '' OR kind = 'confirm_receipt') NOT VALID;

-- +goose Down
UPDATE order_proposals SET reason = data->>'bankReference' WHERE reason = '';
ALTER TABLE order_proposals DROP CONSTRAINT order_proposals_reason_check, ADD CONSTRAINT order_proposals_reason_check CHECK (reason <> '');
