package models_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models"
	"github.com/tradepost/tradepost/models/money"
)

// trouble brings a kind of trouble about, and ends it.
type trouble struct {
	subject      string
	begin, end   string // as SQL
	roles, other []string
	says         string
}

var aHour = models.AlertLimits{Prices: time.Hour, Provider: time.Hour, Queue: time.Hour, Orders: time.Hour, Breaks: time.Hour,
	Treasury: models.TreasuryLimits{{Asset: money.BTC, Network: "bitcoin"}: {Low: money.FromInt(100_000_000), Target: money.FromInt(200_000_000)}}}

// troubles has one of each kind; a kind without one fails the test.
var troubles = map[models.AlertKind]trouble{
	models.AlertPrices: {subject: "BTC", roles: []string{"admin"}, other: []string{"finance", "support", "compliance"},
		begin: `UPDATE markets SET priced_at = clock_now() - interval '2 hours'`, end: `UPDATE markets SET priced_at = clock_now()`, says: "The price of BTC was last read"},
	models.AlertProvider: {subject: "exchange", roles: []string{"admin"}, other: []string{"finance", "support", "compliance"},
		begin: `INSERT INTO provider_answers (queue, answered_at, failed_at) VALUES ('exchange', clock_now() - interval '2 hours', clock_now())
			ON CONFLICT (queue) DO UPDATE SET answered_at = excluded.answered_at, failed_at = excluded.failed_at`,
		end: `UPDATE provider_answers SET answered_at = clock_now()`, says: "Kraken has not answered since"},
	models.AlertQueue: {subject: "kyc", roles: []string{"compliance", "admin"}, other: []string{"finance"},
		begin: `UPDATE kyc_records SET status = 'pending', on_hold = true, created_at = clock_now() - interval '2 hours'`, end: `UPDATE kyc_records SET status = 'approved', on_hold = false`, says: "Verifications on hold: 1 waiting"},
	models.AlertOrders: {subject: "fulfilling", roles: []string{"admin"}, other: []string{"finance", "support", "compliance"},
		begin: `UPDATE orders SET status = 'fulfilling', updated_at = clock_now() - interval '2 hours'`, end: `UPDATE orders SET updated_at = clock_now()`, says: "1 have not moved"},
	models.AlertBreaks: {subject: "kraken", roles: []string{"finance", "admin"}, other: []string{"support", "compliance"},
		begin: `INSERT INTO reconciliation_breaks (holder, key, currency, booked, told, created_at) VALUES ('kraken', 'fill:O1', 'BTC', 0, 7, clock_now() - interval '2 hours')`,
		end:   `UPDATE reconciliation_breaks SET closed_at = clock_now(), outcome = 'agreed'`, says: "The ledger and the statement of Kraken do not agree: 1 open"},
	models.AlertTreasury: {subject: "BTC on bitcoin", roles: []string{"finance", "admin"}, other: []string{"support", "compliance"},
		begin: floatGoes("wallet:bitcoin", "equity"), end: floatGoes("equity", "wallet:bitcoin"), says: "The wallet of BTC on bitcoin is low"},
}

// floatGoes moves most of the wallet's float, every time anew.
func floatGoes(from, to string) string {
	return `INSERT INTO postings (group_key, line, event, from_account, to_account, currency, amount)
		VALUES (CAST(gen_random_uuid() AS text), 1, 'float_seeded', '` + from + `', '` + to + `', 'BTC', 950000000)`
}

// Each kind of trouble calls those who can act on it, once, and tells them once
// when it has stayed away; what comes back at once is the same trouble, and what
// comes back after it was over calls them again.
func TestEveryTroubleCallsPeopleOnceAndTellsWhenItIsOver(t *testing.T) {
	for _, kind := range models.AlertKinds {
		what, ok := troubles[kind]
		require.True(t, ok, "%s has no case here", kind)
		t.Run(string(kind), func(t *testing.T) {
			s := openDesk(t)
			s.take("zelle")
			staff := map[string]string{}
			for _, role := range append(what.roles, what.other...) {
				staff[role] = models.NewID()
				s.exec(`INSERT INTO users (id, issuer, subject, email) VALUES ($1, 'test', $2, $2 || '@example.com')`, staff[role], staff[role])
				s.exec(`INSERT INTO user_roles (user_id, role, granted_by) VALUES ($1, $2, 'test')`, staff[role], role)
			}
			mails := func(kind, user string) (n int) {
				require.NoError(t, s.db.Pool().QueryRow(t.Context(), `SELECT count(*) FROM mails WHERE alert_id IS NOT NULL AND kind = $1 AND user_id = $2`, kind, user).Scan(&n))
				return n
			}
			expect := func(opened, closed int, when string) {
				t.Helper()
				for range 2 {
					require.NoError(t, s.db.WatchAlerts(t.Context(), aHour, true))
				}
				for _, role := range what.roles {
					require.Equal(t, opened, mails("alert_opened", staff[role]), "%s: %s", when, role)
					require.Equal(t, closed, mails("alert_closed", staff[role]), "%s: %s", when, role)
				}
				for _, role := range what.other {
					require.Zero(t, mails("alert_opened", staff[role]), "%s: %s", when, role)
				}
				require.Zero(t, mails("alert_opened", s.user))
				var calls int
				require.NoError(t, s.db.Pool().QueryRow(t.Context(), `SELECT count(*) FROM alert_calls`).Scan(&calls))
				require.Equal(t, opened+closed, calls, when)
			}
			expect(0, 0, "all is well")
			s.exec(what.begin)
			require.NoError(t, s.db.WatchAlerts(t.Context(), models.AlertLimits{}, true))
			open, err := s.db.OpenAlerts(t.Context())
			require.NoError(t, err)
			require.Empty(t, open, "a limit of zero calls nobody")
			expect(1, 0, "trouble")
			open, err = s.db.OpenAlerts(t.Context())
			require.NoError(t, err)
			require.Len(t, open, 1)
			require.Equal(t, kind, open[0].Kind)
			require.Equal(t, what.subject, open[0].Subject)
			require.Contains(t, open[0].Text(), what.says)
			s.exec(what.end)
			expect(1, 0, "gone only just now")
			s.exec(what.begin)
			expect(1, 0, "back at once")
			open, err = s.db.OpenAlerts(t.Context())
			require.NoError(t, err)
			require.Len(t, open, 1)
			require.Nil(t, open[0].GoneAt)
			s.exec(what.end)
			expect(1, 0, "gone again")
			s.exec(`UPDATE alerts SET gone_at = gone_at - interval '20 minutes'`)
			expect(1, 1, "over, since it has stayed away")
			s.exec(what.begin)
			expect(2, 1, "a new trouble")
		})
	}
}

// However many look at the same time, one alert is opened.
func TestBar18OneTroubleIsOneAlert(t *testing.T) {
	s := openShop(t)
	s.exec(`UPDATE markets SET priced_at = clock_now() - interval '2 hours' WHERE asset = $1`, money.BTC)
	limits := aHour
	limits.Treasury = nil // a shop without a float
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { require.NoError(t, s.db.WatchAlerts(t.Context(), limits, true)) })
	}
	all.Wait()
	var alerts, calls int
	require.NoError(t, s.db.Pool().QueryRow(t.Context(), `SELECT (SELECT count(*) FROM alerts), (SELECT count(*) FROM alert_calls)`).Scan(&alerts, &calls))
	require.Equal(t, []int{1, 1}, []int{alerts, calls})
}
