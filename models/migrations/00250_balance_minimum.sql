-- +goose Up
-- What is credited can be spent: a bonus of $25 and a reward of $10 are below the minimum of the other methods. The
-- exchange's smallest order still applies. A minimum that staff have set stays.
UPDATE payment_methods SET min_order_amount = 100, version = version + 1, updated_at = clock_now()
 WHERE payment_method = 'balance' AND min_order_amount = 5000;

-- +goose Down
UPDATE payment_methods SET min_order_amount = 5000, version = version + 1, updated_at = clock_now()
 WHERE payment_method = 'balance' AND min_order_amount = 100;
