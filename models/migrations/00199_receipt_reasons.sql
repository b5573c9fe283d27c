-- A proposed receipt needs no reason beside its bank line.

-- +goose Up
ALTER TABLE order_proposals DROP CONSTRAINT order_proposals_reason_check,
  ADD CONSTRAINT order_proposals_reason_check CHECK (reason <> '' OR kind = 'confirm_receipt') NOT VALID;
ALTER TABLE order_proposals VALIDATE CONSTRAINT order_proposals_reason_check;

-- +goose Down
UPDATE order_proposals SET reason = data->>'bankReference' WHERE reason = '';
ALTER TABLE order_proposals DROP CONSTRAINT order_proposals_reason_check, ADD CONSTRAINT order_proposals_reason_check CHECK (reason <> '');
