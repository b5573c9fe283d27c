-- Coin that the exchange sold beyond what an order was missing belongs to the stock.
-- Orders that were sent before that was a rule left it in conversion: for each, the line
-- that its group of postings lacks, so that a transfer that dies takes it back as well.

-- +goose Up
INSERT INTO postings (group_key, line, event, from_account, to_account, currency, amount, order_id)
SELECT sent.group_key, (SELECT max(line) + 1 FROM postings g WHERE g.group_key = sent.group_key), 'sent', 'trading_difference', 'conversion', beyond.currency, beyond.amount, beyond.order_id
  FROM (SELECT p.order_id, p.currency, sum(CASE p.from_account WHEN 'conversion' THEN p.amount ELSE -p.amount END) AS amount
          FROM postings p JOIN orders o ON o.id = p.order_id
         WHERE p.currency <> 'USD' AND 'conversion' IN (p.from_account, p.to_account) AND o.status = 'sent'
         GROUP BY p.order_id, p.currency) beyond
  JOIN LATERAL (SELECT p.group_key FROM postings p WHERE p.order_id = beyond.order_id AND p.event = 'sent' AND p.to_account = 'conversion' AND p.currency = beyond.currency
         ORDER BY p.id DESC LIMIT 1) sent ON true
 WHERE beyond.amount > 0;

-- +goose Down
-- There is no way down: postings are only ever added.
SELECT 1;
