-- Where a payment method is offered: in the countries of its list, and everywhere if it has none.

-- +goose Up
ALTER TABLE payment_methods ADD COLUMN countries text[] NOT NULL DEFAULT '{}'
  CHECK (countries::text ~ '^\{([A-Z]{2}(,[A-Z]{2})*)?\}$');

-- +goose Down
ALTER TABLE payment_methods DROP COLUMN countries;
