-- Effects that are named by a transaction, coin into a wallet and coin out of it by hand, bear the transaction's id as
-- ids are compared: in lower case, without 0x. Lines, effects and breaks from before bear it as it was written, so a
-- line that is read again would leave its effect, and the two ways of writing one id were two breaks.

-- +goose Up
-- +goose StatementBegin
CREATE FUNCTION effect_by_transaction(key text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT split_part(key, ':', 1) || ':' || regexp_replace(lower(substr(key, strpos(key, ':') + 1)), '^0x', '')
$$;
-- +goose StatementEnd
UPDATE statement_lines SET key = effect_by_transaction(key)
 WHERE holder = provider_of('custody') AND (key LIKE 'receipt:%' OR key LIKE 'by_hand:%') AND key <> effect_by_transaction(key);

WITH raw AS (
  DELETE FROM reconciled_effects
   WHERE holder = provider_of('custody') AND (key LIKE 'receipt:%' OR key LIKE 'by_hand:%') AND key <> effect_by_transaction(key)
  RETURNING *)
INSERT INTO reconciled_effects AS e (holder, key, currency, booked, told, network, last_at, order_id, matter, matter_id)
SELECT holder, effect_by_transaction(key), currency, sum(booked), sum(told), max(network), max(last_at),
       CAST(max(CAST(order_id AS text)) AS uuid), max(matter), CAST(max(CAST(matter_id AS text)) AS uuid)
  FROM raw GROUP BY 1, 2, 3
ON CONFLICT (holder, key, currency) DO UPDATE SET booked = e.booked + excluded.booked, told = e.told + excluded.told,
  network = coalesce(e.network, excluded.network), last_at = greatest(e.last_at, excluded.last_at),
  order_id = coalesce(e.order_id, excluded.order_id), matter = coalesce(e.matter, excluded.matter),
  matter_id = coalesce(e.matter_id, excluded.matter_id);

-- Of the open breaks of one transaction the oldest remains, unless its two sides agree now.
WITH named AS (
  SELECT b.id, e.booked, e.told, row_number() OVER (PARTITION BY b.holder, e.key, b.currency ORDER BY b.created_at, b.id) AS place
    FROM reconciliation_breaks b JOIN reconciled_effects e ON (e.holder, e.key, e.currency) = (b.holder, effect_by_transaction(b.key), b.currency)
   WHERE b.closed_at IS NULL AND b.holder = provider_of('custody') AND (b.key LIKE 'receipt:%' OR b.key LIKE 'by_hand:%'))
UPDATE reconciliation_breaks b SET closed_at = clock_now(), outcome = 'agreed', booked = named.booked, told = named.told,
       wanted_account = NULL, wanted_reason = NULL, wanted_by = NULL, wanted_at = NULL
  FROM named WHERE b.id = named.id AND (place > 1 OR named.booked = named.told);

UPDATE reconciliation_breaks SET key = effect_by_transaction(key)
 WHERE holder = provider_of('custody') AND (key LIKE 'receipt:%' OR key LIKE 'by_hand:%') AND key <> effect_by_transaction(key);
DROP FUNCTION effect_by_transaction;

-- +goose Down
-- There is no way down: how the ids were written is not kept. Restore a backup.
SELECT 1;
