package models_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/reporting"
)

// waits has, for each queue, what makes one wait in it: of a customer, one of
// staff, an order of that customer's, and the time it has waited since.
var waits = map[string]string{
	"payments":   `UPDATE payments SET admin_approval_status = 'pending', submitted_at = {then}, created_at = {then} WHERE order_id = {order}`,
	"orders":     `UPDATE orders SET status = 'payment_approved', paid_at = clock_now(), created_at = {then} WHERE id = {order}`,
	"attention":  `UPDATE orders SET attention_reason = 'internal', attention_since = clock_now(), created_at = {then} WHERE id = {order}`,
	"failed":     `UPDATE orders SET status = 'failed', failed_step = 'buy', created_at = {then} WHERE id = {order}`,
	"proposals":  `INSERT INTO order_proposals (id, order_id, kind, amount, ends, order_status, reason, proposed_by, created_at) VALUES (gen_random_uuid(), {order}, 'refund', 100, true, 'failed', 'why', {staff}, {then})`,
	"risk":       `INSERT INTO risk_reviews (id, order_id, user_id, address_key, score, reasons, created_at) VALUES (gen_random_uuid(), {order}, {customer}, 'key', 100, '{listed_address}', {then})`,
	"gift_cards": `INSERT INTO gift_cards (id, reference, user_id, brand, brand_label, card_type, status, value, payout, fingerprint, created_at) VALUES (gen_random_uuid(), 'GC-1', {customer}, 'amazon', 'Amazon', 'regular', 'in_review', 5000, 3750, 'x', {then})`,
	"kyc":        `UPDATE kyc_records SET status = 'pending', on_hold = true, created_at = {then} WHERE user_id = {customer}`,
	"payouts":    `INSERT INTO payouts (id, reference, user_id, amount, status, account_kind, account_country, account_last4, sealed_account, approvals_needed, created_at) VALUES (gen_random_uuid(), 'PO-1', {customer}, 100, 'requested', 'iban', 'DE', '3000', 'x', 1, {then})`,
	"transfers": `INSERT INTO payouts (id, reference, user_id, amount, status, account_kind, account_country, account_last4, sealed_account, approvals_needed, approved_by, approved_at, created_at)
		VALUES (gen_random_uuid(), 'PO-1', {customer}, 100, 'approved', 'iban', 'DE', '3000', 'x', 1, {staff}, clock_now(), {then})`,
	"treasury":        `INSERT INTO treasury_moves (id, reference, asset, network, amount, status, reason, proposed_by, created_at) VALUES (gen_random_uuid(), 'TM-1', 'BTC', 'bitcoin', 100, 'proposed', 'why', {staff}, {then})`,
	"vouchers":        `INSERT INTO vouchers (id, reference, batch_id, amount, currency, usd_value, status, code_hash, expires_at, created_by, created_at) VALUES (gen_random_uuid(), 'VC-1', gen_random_uuid(), 5000, 'USD', 5000, 'awaiting_approval', 'x', now() + interval '1 year', {staff}, {then})`,
	"rewards":         `INSERT INTO rewards (id, reference, kind, user_id, friend_id, amount, revocable_seconds, status, signals, order_id, created_at) VALUES (gen_random_uuid(), 'RW-1', 'referral', {staff}, {customer}, 2500, 60, 'held', '{same_address}', {order}, {then})`,
	"breaks":          `INSERT INTO reconciliation_breaks (holder, key, currency, booked, told, created_at) VALUES ('stripe', 'charge:pi_1', 'USD', 0, 100, {then})`,
	"unplaced":        `INSERT INTO unplaced_money (id, amount, bank_reference, received_on, rail, opened_by, created_at) VALUES (gen_random_uuid(), 100, 'R-1', '2026-11-20', 'zelle', {staff}, {then})`,
	"money_proposals": `INSERT INTO money_proposals (id, kind, data, reason, proposed_by, created_at) VALUES (gen_random_uuid(), 'credit_money', '{}', 'why', {staff}, {then})`,
	"closed_credits":  `INSERT INTO stranded_credits (id, user_id, amount, event, group_key, created_at) VALUES (gen_random_uuid(), {customer}, 100, 'bonus_credited', 'x', {then})`,
	"recoveries":      `INSERT INTO two_factor_recoveries (id, reference, user_id, status, ready_at, expires_at, created_at) VALUES (gen_random_uuid(), '2F-1', {customer}, 'asked', {then}, now() + interval '1 day', {then})`,
	"team":            `INSERT INTO role_proposals (id, user_id, had, roles, reason, proposed_by, created_at) VALUES (gen_random_uuid(), {customer}, '{}', '{support}', 'why', {staff}, {then})`,
	"tickets":         `INSERT INTO tickets (id, reference, user_id, subject, status, awaits, created_at) VALUES (gen_random_uuid(), 'TK-1', {customer}, 'general', 'open', 'staff', {then})`,
}

// Each queue counts what waits in it and says since when, before the tallies are
// folded and after.
func TestEveryQueueCountsWhatWaits(t *testing.T) {
	for _, name := range QueueNames() {
		sql, ok := waits[name]
		require.True(t, ok, "the queue %s has no case here", name)
		t.Run(name, func(t *testing.T) {
			d := openOrderFixture(t)
			d.take("zelle")
			d.exec(`UPDATE payments SET admin_approval_status = 'declined'`) // or it would wait
			then := time.Now().Add(-48 * time.Hour).UTC().Truncate(time.Second)
			d.exec(strings.NewReplacer("{customer}", "'"+d.user+"'", "{staff}", "'"+d.staff+"'", "{order}", "'"+d.order.ID+"'",
				"{then}", "CAST('"+then.Format(time.RFC3339)+"' AS timestamptz)").Replace(sql))
			for range 2 {
				waiting, err := reporting.WaitingQueues(t.Context(), d.db)
				require.NoError(t, err)
				require.Len(t, waiting, 1)
				require.Equal(t, name, waiting[0].Name)
				require.Equal(t, 1, waiting[0].Count)
				require.WithinDuration(t, then, *waiting[0].Oldest, 0)
				foldAll(t, d.db)
			}
		})
	}
}
