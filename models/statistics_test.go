package models_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/reporting"
	"github.com/tradepost/tradepost/models/store"
)

// business writes rows as months of trade leave them, some of them summed up
// already and some not: whatever there may be, at any moment of 70 days.
func (d *orderFixture) business(draw *rand.Rand, n int) {
	d.Helper()
	d.take("zelle")
	template := d.order.ID
	pick := func(words ...string) string { return words[draw.IntN(len(words))] }
	for range n {
		ago := fmt.Sprintf("%d seconds", draw.IntN(70*24*3600))
		cents := 1000 + draw.IntN(500000)
		switch draw.IntN(6) {
		case 0:
			user := store.NewID()
			d.exec(`INSERT INTO users (id, issuer, subject, email, volume_tier, created_at, closed_at) VALUES ($1::text::uuid, 'test', $1::text, 'x@example.com', $2, clock_now() - $3::text::interval, CASE WHEN $4::bool THEN now() END)`,
				user, pick("bronze", "silver", "gold"), ago, draw.IntN(5) == 0)
			d.exec(`INSERT INTO kyc_records (user_id, level, status, on_hold) VALUES ($1, $2, $3, $4)`, user, pick("none", "standard", "enhanced"), pick("not_started", "pending", "approved", "rejected"), draw.IntN(2) == 0)
		case 1, 2:
			status := pick("pending", "payment_approved", "fulfilling", "filled", "sent", "failed")
			d.exec(`INSERT INTO orders SELECT (o).* FROM (SELECT jsonb_populate_record(o, jsonb_build_object('id', $1::text, 'reference', $1::text, 'quote_id', NULL, 'status', $2::text, 'total', $3::bigint, 'txid', 'x',
				'resolution', CASE WHEN $2::text = 'failed' AND $4::bool THEN $5::text END, 'paid_at', CASE WHEN $2::text <> 'pending' THEN clock_now() - $6::text::interval END,
				'sent_at', CASE WHEN $2::text = 'sent' THEN clock_now() - $6::text::interval / 2 END)) AS o FROM orders o WHERE id = $7) t`,
				store.NewID(), status, cents, draw.IntN(3) > 0, pick("declined", "cancelled", "expired", "refunded"), ago, template)
		case 3:
			legs := [][3]string{{"sent", "fees_earned", "prepaid_orders"}, {"sent", "conversion", "prepaid_orders"}, {"transfer_died", "prepaid_orders", "fees_earned"},
				{"bonus_credited", ledger.CustomerBalance(d.user), "promotions"}, {"captured", "prepaid_orders", "stripe_clearing"}}
			leg := legs[draw.IntN(len(legs))]
			d.exec(`INSERT INTO postings (group_key, line, event, from_account, to_account, currency, amount, at) VALUES ($1, 1, $2, $3, $4, 'USD', $5, clock_now() - $6::text::interval)`,
				"business:"+store.NewID(), leg[0], leg[1], leg[2], cents, ago)
		case 4:
			status := pick("received", "in_review", "rejected", "expired")
			d.exec(`INSERT INTO gift_cards (id, reference, user_id, brand, brand_label, card_type, status, value, payout, reject_reason, fingerprint)
				VALUES ($1::text::uuid, $1::text, $2, 'amazon', 'Amazon', 'regular', $3::text, 5000, 3750, CASE WHEN $3::text = 'rejected' THEN 'no' END, $1::text::bytea)`, store.NewID(), d.user, status)
		case 5:
			d.exec(`INSERT INTO vouchers (id, reference, batch_id, amount, currency, usd_value, status, code_hash, expires_at, created_by)
				VALUES ($1::text::uuid, $1::text, $1::text::uuid, 5000, 'USD', 5000, $2, $1::text::bytea, now() + interval '1 year', $3)`, store.NewID(), pick("awaiting_approval", "active", "voided", "expired"), d.staff)
		}
		if draw.IntN(n) < 3 {
			foldAll(d, d.db)
		}
	}
}

// scanned counts what Statistics says by reading every row.
func (d *orderFixture) scanned(at time.Time) *reporting.Statistics {
	d.Helper()
	s := &reporting.Statistics{At: at}
	number := func(to any, sql string, args ...any) {
		d.Helper()
		require.NoError(d, d.db.Pool().QueryRow(d.Context(), sql, args...).Scan(to))
	}
	number(&s.Users, `SELECT count(*) FROM users WHERE closed_at IS NULL`)
	number(&s.Began, `SELECT coalesce(min(to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD')), '') FROM users WHERE closed_at IS NULL`)
	number(&s.NewUsers, `SELECT count(*) FROM users WHERE closed_at IS NULL AND created_at >= date_trunc('minute', $1::timestamptz - interval '30 days')`, at)
	number(&s.VerifiedUsers, `SELECT count(*) FROM users u JOIN kyc_records k ON k.user_id = u.id WHERE u.closed_at IS NULL AND k.level <> 'none' AND k.revoked_at IS NULL`)
	number(&s.ActiveTrades, `SELECT (SELECT count(*) FROM orders WHERE status <> 'sent' AND resolution IS NULL) + (SELECT count(*) FROM gift_cards WHERE status IN ('received', 'in_review'))
		+ (SELECT count(*) FROM voucher_redemptions WHERE status NOT IN ('sent', 'restored'))`)
	number(&s.PendingKYC, `SELECT count(*) FROM kyc_records WHERE status = 'pending' OR held_at IS NOT NULL`)
	number(&s.ActiveVouchers, `SELECT count(*) FROM vouchers WHERE status = 'active'`)
	number(&s.Orders, `SELECT count(*) FROM orders`)
	number(&s.CompletedOrders, `SELECT count(*) FROM orders WHERE status = 'sent'`)
	number(&s.PendingOrders, `SELECT count(*) FROM orders WHERE status = 'pending'`)
	const (
		volume     = `SELECT coalesce(sum(total), 0) FROM orders WHERE paid_at >= $1 AND paid_at < $2`
		revenue    = `SELECT coalesce(sum(CASE WHEN from_account = 'fees_earned' THEN amount ELSE -amount END), 0) FROM postings WHERE at >= $1 AND at < $2 AND (from_account = 'fees_earned' OR to_account IN ('fees_earned', 'promotions'))`
		recognised = `SELECT coalesce(sum(CASE WHEN to_account = 'prepaid_orders' THEN amount ELSE -amount END), 0) FROM postings WHERE at >= $1 AND at < $2
			AND (to_account = 'prepaid_orders' OR from_account = 'prepaid_orders' AND to_account = 'fees_earned')`
	)
	from := func(ago time.Duration) time.Time { return at.Add(-ago).Truncate(time.Minute) }
	far := at.AddDate(1, 0, 0)
	for _, f := range []struct {
		to     *reporting.Compared[money.Units]
		sql    string
		period time.Duration
	}{{&s.Volume, volume, 24 * time.Hour}, {&s.Revenue, revenue, 30 * 24 * time.Hour}, {&s.Recognised, recognised, 30 * 24 * time.Hour}} {
		number(&f.to.Now, f.sql, from(f.period), far)
		number(&f.to.Before, f.sql, from(2*f.period), from(f.period))
	}
	for n := 59; n >= 0; n-- {
		day := at.AddDate(0, 0, -n).Truncate(24 * time.Hour)
		one, end := reporting.StatisticsDay{Day: day.Format(time.DateOnly)}, day.AddDate(0, 0, 1)
		number(&one.Volume, volume, day, end)
		number(&one.Revenue, revenue, day, end)
		number(&one.Recognised, recognised, day, end)
		number(&one.Sent, `SELECT count(*) FROM orders WHERE sent_at >= $1 AND sent_at < $2`, day, end)
		number(&one.SecondsToSent, `SELECT coalesce(sum(floor(extract(epoch FROM sent_at - paid_at))), 0) FROM orders WHERE sent_at >= $1 AND sent_at < $2`, day, end)
		if n >= 30 {
			s.Before = append(s.Before, one)
		} else {
			s.Days = append(s.Days, one)
		}
	}
	return s
}

// Every figure of the dashboard is what counting all rows gives, whatever the
// business was, summed up or not, also after the fine tallies were forgotten.
func TestStatisticsAreWhatTheRowsSay(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	draw := rand.New(rand.NewPCG(seed, 1))
	d := openOrderFixture(t)
	for _, n := range []int{40, 250} {
		d.business(draw, n)
		for _, prepare := range []func() error{
			func() error { return nil },
			func() error { _, _, err := d.db.FoldTallies(t.Context()); return err },
			func() error { return reporting.ForgetFineTallies(t.Context(), d.db) },
		} {
			require.NoError(t, prepare())
			reported, err := reporting.ReadStatistics(t.Context(), d.db, reporting.SpanMonth)
			require.NoError(t, err)
			require.Equal(t, printed(d.scanned(reported.At)), printed(reported))
		}
	}
	require.NotEqual(t, "{0 0}", fmt.Sprint(d.scanned(time.Now().UTC()).Revenue), "there was business")
}

// printed is a value as text: amounts that are equal read alike.
func printed(s *reporting.Statistics) string { return fmt.Sprintf("%+v", *s) }

// A customer's standing in lists follows their verification.
func TestCustomersStandAsTheirIdentityDoes(t *testing.T) {
	d := openOrderFixture(t)
	for _, c := range []struct{ set, want string }{
		{"level = 'none', status = 'pending'", "pending"},
		{"level = 'standard', status = 'approved'", "verified"},
		{"level = 'standard', status = 'pending'", "verified"},
		{"level = 'enhanced', status = 'approved'", "enhanced"},
		{"revoked_at = now()", "rejected"},
		{"level = 'none', status = 'not_started', revoked_at = NULL", "not_started"},
	} {
		d.exec(`UPDATE kyc_records SET `+c.set+` WHERE user_id = $1`, d.user)
		var got string
		require.NoError(t, d.db.Pool().QueryRow(t.Context(), `SELECT kyc_status FROM users WHERE id = $1`, d.user).Scan(&got))
		require.Equal(t, c.want, got)
		d.counted()
	}
}
