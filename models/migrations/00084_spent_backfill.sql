-- Dates what still matters to a limit: unpaid orders, and those paid since the
-- month began. A transaction of its own, so that it holds locks on these rows
-- alone; the trigger of 00083 does the rest.

-- +goose Up
UPDATE orders SET updated_at = updated_at
 WHERE spent_on IS NULL AND (paid_at IS NULL AND resolution IS NULL OR paid_at >= date_trunc('month', clock_now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC');

-- +goose Down
-- There is no way down: which rows had no date is not known any more, and none needs to be without.
SELECT 1;
