package privacy

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/tradepost/tradepost/models/store"
)

// holding is a table with rows about people: how it goes into a copy of their
// data, and what is erased of it when. A table with a user_id that is not listed
// fails a test.
type holding struct {
	table string
	// file is where its rows stand in a copy, and query what of them; a holding
	// without a file is not given out, and why says why.
	file, query, why string
	// atClosing is erased when the account is closed, atEnd when its records need
	// not be kept any longer. The rest stays: ids and amounts, without a name.
	atClosing, atEnd []string
}

// coin is an amount in base units as a number of coins, worth what a voucher of
// any currency is.
const (
	coin  = `trim_scale(amount / power(10::numeric, CASE asset WHEN 'BTC' THEN 8 WHEN 'ETH' THEN 18 ELSE 6 END))`
	worth = `trim_scale(value / power(10::numeric, CASE currency WHEN 'USD' THEN 2 WHEN 'BTC' THEN 8 ELSE 18 END))`
)

// holdings is the one list of what we hold of people.
var holdings = []holding{
	{table: "users", file: "profile", query: `SELECT id, email, email_verified, first_name, last_name, country, terms_version, terms_accepted_at,
		adult_confirmed_at, volume_tier, restricted_at, created_at FROM users WHERE id = @user`,
		atClosing: []string{`UPDATE users SET profile_image_url = '' WHERE id = @user`},
		atEnd: []string{`UPDATE users SET email = '', email_verified = false, first_name = '', last_name = '', country = '', subject = 'erased:' || id,
			erased_at = clock_now(), updated_at = clock_now() WHERE id = @user`}},
	{table: "customer_search", why: "the name and the address of users again, to be found by; they go with them"},
	{table: "customer_notes", why: "what staff noted, which may be part of an investigation",
		atEnd: []string{`UPDATE customer_notes SET body = '', erased_at = clock_now() WHERE user_id = @user AND erased_at IS NULL`,
			`UPDATE users SET frozen_reason = '' WHERE id = @user`}},
	{table: "order_notes", why: "likewise, about an order",
		atEnd: []string{`UPDATE order_notes SET body = '', erased_at = clock_now() WHERE erased_at IS NULL AND order_id IN (SELECT id FROM orders WHERE user_id = @user)`}},
	{table: "ticket_notes", why: "likewise, about a ticket",
		atEnd: []string{`UPDATE ticket_notes SET body = '', erased_at = clock_now() WHERE erased_at IS NULL AND ticket_id IN (SELECT id FROM tickets WHERE user_id = @user)`}},
	{table: "preferences", file: "preferences", query: `SELECT language, muted AS no_mails_about, news FROM preferences WHERE user_id = @user`,
		atClosing: []string{`UPDATE preferences SET news = false WHERE user_id = @user`}},
	{table: "user_roles", file: "roles", query: `SELECT role, granted_at FROM user_roles WHERE user_id = @user ORDER BY granted_at`},
	{table: "role_proposals", why: "what admins proposed about somebody's roles, and why: theirs to decide",
		atClosing: []string{`UPDATE role_proposals SET status = 'lapsed', decided_at = clock_now() WHERE user_id = @user AND status = 'open'`},
		atEnd:     []string{`UPDATE role_proposals SET reason = 'erased', answer = '' WHERE user_id = @user`}},
	{table: "sessions", file: "sessions", query: `SELECT user_agent, ip, created_at, last_seen_at, expires_at, revoked_at FROM sessions
		WHERE user_id = @user ORDER BY created_at`,
		atClosing: []string{`UPDATE sessions SET revoked_at = coalesce(revoked_at, clock_now()), id_token = '', user_agent = '', ip = '' WHERE user_id = @user`}},
	{table: "devices", file: "devices", query: `SELECT first_seen_at, last_seen_at FROM devices WHERE user_id = @user ORDER BY first_seen_at`,
		atClosing: []string{`DELETE FROM devices WHERE user_id = @user`}},
	{table: "second_factors", file: "two_factor", query: `SELECT enabled_at, updated_at FROM second_factors WHERE user_id = @user`,
		atClosing: []string{`UPDATE second_factors SET sealed_seed = NULL, enabled_at = NULL, pending_seed = NULL, pending_since = NULL WHERE user_id = @user`}},
	{table: "backup_codes", why: "only their hashes are kept: nobody can read them",
		atClosing: []string{`DELETE FROM backup_codes WHERE user_id = @user`}},
	{table: "two_factor_recoveries", file: "two_factor_recoveries", query: `SELECT reference, status, created_at, ready_at, closed_at FROM two_factor_recoveries
		WHERE user_id = @user ORDER BY created_at`},
	{table: "kyc_records", file: "identity", query: `SELECT level, status, reason, revoked_at, created_at, updated_at FROM kyc_records WHERE user_id = @user`,
		atEnd: []string{`UPDATE kyc_records SET reason = '', applicant_id = '' WHERE user_id = @user`}},
	{table: "kyc_events", file: "identity_history", query: `SELECT at, level, status FROM kyc_events WHERE user_id = @user ORDER BY id`},
	{table: "orders", file: "orders", query: `SELECT id, reference, asset, network, ` + coin + ` AS amount, dest_address, payment_method, status, resolution,
		unit_price, base_price / 100 AS base_price, payment_fee / 100 AS payment_fee, volume_discount / 100 AS volume_discount, total / 100 AS total,
		txid, created_at, paid_at, sent_at, confirmed_at, closed_at FROM orders WHERE user_id = @user ORDER BY created_at`,
		atEnd: []string{`UPDATE orders SET dest_address = 'erased' WHERE user_id = @user`}},
	{table: "risk_reviews", why: "what spoke against an order, which may be part of an investigation",
		atEnd: []string{`UPDATE risk_reviews SET address_key = 'erased', reason = '' WHERE user_id = @user`}},
	{table: "order_events", file: "order_history", query: `SELECT o.reference, e.at, e.kind, e.actor, e.data FROM order_events e JOIN orders o ON o.id = e.order_id
		WHERE o.user_id = @user AND NOT e.internal ORDER BY e.id`},
	{table: "held_addresses", why: "another address for an order, for an hour until its owner confirms it; then it is the order's",
		atClosing: []string{`DELETE FROM held_addresses WHERE user_id = @user`}},
	{table: "payments", file: "payments", query: `SELECT order_id, payment_method, amount / 100 AS amount, admin_approval_status AS decision, card_brand, card_last4,
		received_amount / 100 AS received_amount, received_on, bank_reference, authorised_at, captured_at, cancelled_at, created_at
		FROM payments WHERE user_id = @user ORDER BY created_at`,
		atEnd: []string{`UPDATE payments SET card_brand = NULL, card_last4 = NULL, card_fingerprint = NULL, bank_reference = NULL, decline_reason = NULL WHERE user_id = @user`}},
	{table: "refunds", file: "refunds", query: `SELECT o.reference AS order_reference, r.sequence, r.amount / 100 AS amount, r.destination, r.status, r.created_at, r.done_at
		FROM refunds r JOIN orders o ON o.id = r.order_id WHERE r.user_id = @user ORDER BY r.created_at`},
	{table: "evidence", file: "receipts_you_sent", query: `SELECT order_id, kind, content_type, size, created_at, purged_at FROM evidence WHERE user_id = @user ORDER BY id`,
		atClosing: []string{`UPDATE evidence SET purged_at = clock_now() WHERE user_id = @user AND purged_at IS NULL`}},
	{table: "withdrawals", file: "transfers", query: `SELECT order_id, redemption_id, asset, network, address, ` + coin + ` AS amount, txid, status, created_at FROM withdrawals
		WHERE user_id = @user ORDER BY created_at`,
		atEnd: []string{`UPDATE withdrawals SET address = 'erased' WHERE user_id = @user`}},
	{table: "gift_cards", file: "gift_cards", query: `SELECT id, reference, brand_label AS brand, card_type, status, value / 100 AS value, payout / 100 AS offered,
		confirmed_value / 100 AS confirmed_value, paid / 100 AS paid, reject_reason, decided_at, secrets_destroyed_at, created_at
		FROM gift_cards WHERE user_id = @user ORDER BY created_at`,
		atEnd: []string{`UPDATE gift_cards SET reject_reason = 'erased' WHERE user_id = @user AND reject_reason IS NOT NULL`}},
	{table: "gift_card_images", file: "gift_card_pictures", query: `SELECT card_id, content_type, size, created_at, purged_at FROM gift_card_images
		WHERE user_id = @user ORDER BY id`,
		atEnd: []string{`UPDATE gift_card_images SET purged_at = clock_now() WHERE user_id = @user AND purged_at IS NULL`}},
	{table: "voucher_redemptions", file: "vouchers", query: `SELECT id, reference, status, ` + worth + ` AS worth, currency,
		asset, network, ` + coin + ` AS amount, dest_address, txid, created_at, sent_at, confirmed_at, closed_at FROM voucher_redemptions
		WHERE user_id = @user ORDER BY created_at`,
		atEnd: []string{`UPDATE voucher_redemptions SET dest_address = 'erased' WHERE user_id = @user`}},
	{table: "payouts", file: "payouts", query: `SELECT reference, amount / 100 AS amount, status, account_kind, account_country, account_last4, bank_reference,
		reason, created_at, paid_at, ended_at FROM payouts WHERE user_id = @user ORDER BY created_at`,
		atEnd: []string{`UPDATE payouts SET account_last4 = '0000', reason = CASE WHEN reason IS NOT NULL THEN 'erased' END WHERE user_id = @user`}},
	{table: "unplaced_money", why: "what a bank said of money before anybody knew whose it is; the receipt or the credit that it became is given out",
		atEnd: []string{`UPDATE unplaced_money SET sender = '', note = '' WHERE user_id = @user`}},
	{table: "referral_codes", file: "referral_code", query: `SELECT code, created_at FROM referral_codes WHERE user_id = @user`},
	{table: "rewards", file: "rewards", query: `SELECT reference, kind, amount / 100 AS amount, status, created_at, rewarded_at, closed_at FROM rewards
		WHERE user_id = @user ORDER BY created_at`,
		atEnd: []string{`UPDATE rewards SET address_hash = NULL WHERE friend_id = @user`}},
	{table: "customer_balances", file: "balances", query: `SELECT split_part(account, ':', 1) AS account, currency, CASE currency WHEN 'USD' THEN amount / 100 ELSE amount END AS amount
		FROM customer_balances WHERE user_id = @user`},
	{table: "accounts", why: "names of accounts in the ledger; their entries are the balances and the histories"},
	{table: "tickets", file: "tickets", query: `SELECT t.reference, t.subject, t.status, t.created_at, t.closed_at,
		(SELECT coalesce(json_agg(json_build_object('author', m.author, 'at', m.created_at, 'text', m.body) ORDER BY m.id), '[]') FROM ticket_messages m
		  WHERE m.ticket_id = t.id) AS messages FROM tickets t WHERE t.user_id = @user ORDER BY t.created_at`,
		atClosing: []string{
			`UPDATE tickets SET status = 'closed', closed_at = coalesce(closed_at, clock_now()), closes_at = NULL, waits_since = NULL WHERE user_id = @user`,
			`UPDATE tickets SET assignee_id = NULL, assigned_at = NULL WHERE assignee_id = @user AND status <> 'closed'`,
			`UPDATE ticket_messages m SET body = '', erased_at = clock_now() FROM tickets t WHERE t.id = m.ticket_id AND t.user_id = @user AND m.erased_at IS NULL`}},
	{table: "matter_events", file: "history", query: `SELECT matter, reference, at, kind, actor, status, data FROM matter_events
		WHERE user_id = @user AND NOT internal ORDER BY id`},
	{table: "mails", file: "mails", query: `SELECT kind, created_at, sent_at FROM mails WHERE user_id = @user AND NOT staff ORDER BY created_at`,
		atEnd: []string{`UPDATE mails SET to_address = NULL WHERE user_id = @user AND to_address IS NOT NULL`}},
	{table: "data_exports", file: "copies", query: `SELECT reference, status, created_at, ready_at FROM data_exports WHERE user_id = @user ORDER BY created_at`,
		atClosing: []string{`UPDATE data_exports SET wake_at = clock_now() WHERE user_id = @user AND status = 'ready'`}},
	{table: "stranded_credits", why: "money that came after the account was closed: it has no owner who could ask",
		atEnd: []string{`UPDATE stranded_credits SET reason = 'erased' WHERE user_id = @user AND reason IS NOT NULL`}},
	{table: "account_closures", file: "closures", query: `SELECT reference, status, created_at, wake_at AS due_at, closed_at FROM account_closures
		WHERE user_id = @user ORDER BY created_at`},
	{table: "idempotency_keys", why: "answers kept for a week, so that a repeated request is not carried out twice",
		atClosing: []string{`DELETE FROM idempotency_keys WHERE user_id = @user`}},
}

// DataOf collects what we hold of a person: rows by the name of their file.
// Nothing secret is in it, and nothing that staff alone may see.
func DataOf(ctx context.Context, db *store.DB, userID string) (map[string]json.RawMessage, error) {
	files := map[string]json.RawMessage{}
	err := db.Tx(ctx, func(tx *store.DB) error {
		for _, h := range holdings {
			if h.file == "" {
				continue
			}
			var rows string
			err := tx.ORM(ctx).Raw("SELECT coalesce(json_agg(t), '[]') FROM ("+h.query+") t", map[string]any{"user": userID}).Row().Scan(&rows)
			if err != nil {
				return fmt.Errorf("collect %s: %w", h.table, err)
			}
			files[h.file] = json.RawMessage(rows)
		}
		return nil
	})
	return files, err
}

// PersonalTables lists the tables with rows about people.
func PersonalTables() []string {
	names := make([]string, 0, len(holdings))
	for _, h := range holdings {
		names = append(names, h.table)
	}
	return names
}
