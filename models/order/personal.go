package order

import "github.com/tradepost/tradepost/models/store"

// Personal are the tables of this package with rows about people.
var Personal = []store.Personal{
	{Table: "orders", File: "orders", Query: `SELECT id, reference, asset, network, ` + store.Coins + ` AS amount, dest_address, payment_method, status, resolution,
		unit_price, base_price / 100 AS base_price, payment_fee / 100 AS payment_fee, volume_discount / 100 AS volume_discount, total / 100 AS total,
		txid, created_at, paid_at, sent_at, confirmed_at, closed_at FROM orders WHERE user_id = @user ORDER BY created_at`,
		AtEnd: []string{`UPDATE orders SET dest_address = 'erased' WHERE user_id = @user`}},
	{Table: "order_events", File: "order_history", Query: `SELECT o.reference, e.at, e.kind, e.actor, e.data FROM order_events e JOIN orders o ON o.id = e.order_id
		WHERE o.user_id = @user AND NOT e.internal ORDER BY e.id`},
	{Table: "held_addresses", Why: "another address for an order, for an hour until its owner confirms it; then it is the order's",
		AtClosing: []string{`DELETE FROM held_addresses WHERE user_id = @user`}},
	{Table: "confirmed_addresses", File: "confirmed_addresses", Query: `SELECT network, address, confirmed_at FROM confirmed_addresses WHERE user_id = @user ORDER BY confirmed_at`,
		AtClosing: []string{`DELETE FROM confirmed_addresses WHERE user_id = @user`}},
	{Table: "payments", File: "payments", Query: `SELECT order_id, payment_method, amount / 100 AS amount, admin_approval_status AS decision, card_brand, card_last4,
		received_amount / 100 AS received_amount, received_on, bank_reference, authorised_at, captured_at, cancelled_at, created_at
		FROM payments WHERE user_id = @user ORDER BY created_at`,
		AtEnd: []string{`UPDATE payments SET card_brand = NULL, card_last4 = NULL, card_fingerprint = NULL, bank_reference = NULL, decline_reason = NULL WHERE user_id = @user`}},
	{Table: "refunds", File: "refunds", Query: `SELECT o.reference AS order_reference, r.sequence, r.amount / 100 AS amount, r.destination, r.status, r.created_at, r.done_at
		FROM refunds r JOIN orders o ON o.id = r.order_id WHERE r.user_id = @user ORDER BY r.created_at`},
	{Table: "evidence", File: "receipts_you_sent", Query: `SELECT order_id, kind, content_type, size, created_at, purged_at FROM evidence WHERE user_id = @user ORDER BY id`,
		AtClosing: []string{`UPDATE evidence SET purged_at = clock_now() WHERE user_id = @user AND purged_at IS NULL`}},
	{Table: "unplaced_money", Why: "what a bank said of money before anybody knew whose it is; the receipt or the credit that it became is given out",
		AtEnd: []string{`UPDATE unplaced_money SET sender = '', note = '' WHERE user_id = @user`}},
	{Table: "recalls", File: "payments_taken_back", Query: `SELECT reference, amount / 100 AS amount, owed / 100 AS owed,
		returned_on, code, created_at, reinstated_at FROM recalls WHERE user_id = @user ORDER BY created_at`},
}
