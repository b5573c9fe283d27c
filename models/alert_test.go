package models_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/chore"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/payout"
	"github.com/tradepost/tradepost/models/reporting"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/treasury"
)

// problem starts and ends one kind of problem.
type problem struct {
	subject      string
	begin, end   string // as SQL
	roles, other []string
	says         string
}

var aHour = reporting.AlertLimits{Prices: time.Hour, Provider: time.Hour, Queue: time.Hour, Orders: time.Hour, Breaks: time.Hour,
	Chores: time.Hour, Statements: time.Hour, Books: time.Minute, Webhooks: time.Hour, Mails: time.Hour, Revived: time.Hour, Approvers: time.Minute,
	Treasury: treasury.TreasuryLimits{{Asset: money.BTC, Network: "bitcoin"}: {Low: money.FromInt(100_000_000), Target: money.FromInt(200_000_000)}}}

// problems has one entry for each kind; a kind without one fails the test.
var problems = map[reporting.AlertKind]problem{
	reporting.AlertPrices: {subject: "BTC", roles: []string{"admin"}, other: []string{"finance", "support", "compliance"},
		begin: `UPDATE markets SET priced_at = clock_now() - interval '2 hours'`, end: `UPDATE markets SET priced_at = clock_now()`, says: "The last price of BTC is from"},
	reporting.AlertProvider: {subject: "exchange", roles: []string{"admin"}, other: []string{"finance", "support", "compliance"},
		begin: `INSERT INTO provider_answers (queue, answered_at, failed_at) VALUES ('exchange', clock_now() - interval '2 hours', clock_now())
			ON CONFLICT (queue) DO UPDATE SET answered_at = excluded.answered_at, failed_at = excluded.failed_at`,
		end: `UPDATE provider_answers SET answered_at = clock_now()`, says: "The exchange has not answered since"},
	reporting.AlertQueue: {subject: "kyc", roles: []string{"compliance", "admin"}, other: []string{"finance"},
		begin: `UPDATE kyc_records SET status = 'pending', on_hold = true, created_at = clock_now() - interval '2 hours'`, end: `UPDATE kyc_records SET status = 'approved', on_hold = false`, says: "Verifications on hold: 1 waiting"},
	reporting.AlertOrders: {subject: "fulfilling", roles: []string{"admin"}, other: []string{"finance", "support", "compliance"},
		begin: `UPDATE orders SET status = 'fulfilling', moved_at = clock_now() - interval '2 hours'`, end: `UPDATE orders SET moved_at = clock_now()`, says: "1 are stuck"},
	reporting.AlertBreaks: {subject: "kraken", roles: []string{"finance", "admin"}, other: []string{"support", "compliance"},
		begin: `INSERT INTO reconciliation_breaks (holder, key, currency, booked, told, created_at) VALUES ('kraken', 'fill:O1', 'BTC', 0, 7, clock_now() - interval '2 hours')`,
		end:   `UPDATE reconciliation_breaks SET closed_at = clock_now(), outcome = 'agreed'`, says: "The ledger and the Kraken statement don't agree: 1 open"},
	reporting.AlertTreasury: {subject: "BTC on bitcoin", roles: []string{"finance", "admin"}, other: []string{"support", "compliance"},
		begin: floatGoes("wallet:bitcoin", "equity"), end: floatGoes("equity", "wallet:bitcoin"), says: "The BTC on bitcoin wallet has been low"},
	reporting.AlertChores: {subject: "tallies", roles: []string{"admin"}, other: []string{"finance", "support", "compliance"},
		begin: `INSERT INTO chores (name, last_done_at) VALUES ('tallies', clock_timestamp() - interval '2 hours') ON CONFLICT (name) DO UPDATE SET last_done_at = excluded.last_done_at`,
		end:   `UPDATE chores SET last_done_at = clock_timestamp()`, says: "The job tallies hasn't succeeded since"},
	reporting.AlertStatements: {subject: "bitgo", roles: []string{"finance", "admin"}, other: []string{"support", "compliance"},
		begin: `INSERT INTO polls (name, read_to, polled_at) VALUES ('statement bitgo', clock_now() - interval '2 hours', clock_now())
			ON CONFLICT (name) DO UPDATE SET read_to = excluded.read_to`,
		end: `UPDATE polls SET read_to = clock_now()`, says: "The last complete BitGo statement is from"},
	reporting.AlertBooks: {subject: "voucher_liability is on its wrong side", roles: []string{"finance", "admin"}, other: []string{"support", "compliance"},
		begin: booked("equity", "voucher_liability", "5 minutes"), end: booked("voucher_liability", "equity", "0"), says: "voucher_liability is on its wrong side"},
	reporting.AlertWebhooks: {subject: "stripe", roles: []string{"admin"}, other: []string{"finance", "support", "compliance"},
		begin: `INSERT INTO webhook_inbox (provider, event_id, type, subject, order_id, received_at) SELECT 'stripe', CAST(gen_random_uuid() AS text), 'charge.captured', 'pi', id, clock_now() - interval '2 hours' FROM orders LIMIT 1`,
		end:   `UPDATE webhook_inbox SET handled_at = clock_now()`, says: "Unprocessed webhooks from stripe: 1"},
	reporting.AlertRevived: {subject: "orders", roles: []string{"finance", "admin"}, other: []string{"support", "compliance"},
		begin: `INSERT INTO withdrawals (id, order_id, user_id, generation, asset, network, address, amount, sequence_id, status, dead_at, dead_by, revived_at)
			SELECT gen_random_uuid(), id, user_id, 1, 'BTC', 'bitcoin', 'a', 1, CAST(gen_random_uuid() AS text), 'revived', clock_now(), id, clock_now() FROM orders LIMIT 1
			ON CONFLICT (order_id, generation) DO UPDATE SET revived_at = excluded.revived_at`,
		end: `UPDATE withdrawals SET revived_at = clock_now() - interval '1 day'`, says: "Transfers that were declared dead and confirmed nonetheless, of orders: 1"},
	reporting.AlertApprovers: {subject: "role_proposal", roles: []string{"admin"}, other: []string{"finance", "support", "compliance"},
		begin: `INSERT INTO role_proposals (id, user_id, had, roles, reason, proposed_by, created_at)
			SELECT gen_random_uuid(), u.id, '{}', '{support}', 'joins us', r.user_id, clock_now() - interval '30 minutes' FROM user_roles r,
			  (SELECT id FROM users WHERE id NOT IN (SELECT user_id FROM user_roles) ORDER BY id LIMIT 1) u WHERE r.role = 'admin'`,
		end: `UPDATE role_proposals SET status = 'withdrawn', decided_by = proposed_by, decided_at = clock_now() WHERE status = 'open'`, says: "Nobody may approve 1 role changes"},
	reporting.AlertMails: {subject: "mails", roles: []string{"admin"}, other: []string{"finance", "support", "compliance"},
		begin: `UPDATE mails SET given_up_at = clock_now() WHERE alert_id IS NULL`, end: `UPDATE mails SET given_up_at = NULL`, says: "could not be delivered and were given up"},
}

// floatGoes moves most of the wallet's float, each time.
func floatGoes(from, to string) string {
	return `INSERT INTO postings (group_key, line, event, from_account, to_account, currency, amount)
		VALUES (CAST(gen_random_uuid() AS text), 1, 'float_seeded', '` + from + `', '` + to + `', 'BTC', 950000000)`
}

// booked moves money as of some time ago.
func booked(from, to, ago string) string {
	return `INSERT INTO postings (group_key, line, event, from_account, to_account, currency, amount, at)
		VALUES (CAST(gen_random_uuid() AS text), 1, 'float_seeded', '` + from + `', '` + to + `', 'USD', 950000000, clock_now() - interval '` + ago + `')`
}

// Each kind of problem notifies the staff who can act on it, once, and reports its end once after the rest time. A
// problem that returns within it is the same one; one that returns later notifies them again.
func TestEveryProblemAlertsOnceAndSaysWhenItIsOver(t *testing.T) {
	for _, kind := range reporting.AlertKinds {
		what, ok := problems[kind]
		require.True(t, ok, "%s has no case here", kind)
		t.Run(string(kind), func(t *testing.T) {
			s := openOrderFixture(t)
			s.take("zelle")
			staff := map[string]string{}
			for _, role := range append(what.roles, what.other...) {
				staff[role] = store.NewID()
				s.exec(`INSERT INTO users (id, issuer, subject, email, email_verified) VALUES ($1, 'test', $2, $2 || '@example.com', true)`, staff[role], staff[role])
				s.exec(`INSERT INTO user_roles (user_id, role, granted_by) VALUES ($1, $2, 'test')`, staff[role], role)
			}
			mails := func(kind, user string) (n int) {
				require.NoError(t, s.db.Pool().QueryRow(t.Context(), `SELECT count(*) FROM mails WHERE alert_id IS NOT NULL AND kind = $1 AND user_id = $2`, kind, user).Scan(&n))
				return n
			}
			expect := func(opened, closed int, when string) {
				t.Helper()
				for range 2 {
					require.NoError(t, reporting.WatchAlerts(t.Context(), s.db, aHour, true))
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
			s.owner(what.begin)
			require.NoError(t, reporting.WatchAlerts(t.Context(), s.db, reporting.AlertLimits{}, true))
			open, err := reporting.OpenAlerts(t.Context(), s.db)
			require.NoError(t, err)
			require.Empty(t, open, "a limit of zero calls nobody")
			expect(1, 0, "trouble")
			open, err = reporting.OpenAlerts(t.Context(), s.db)
			require.NoError(t, err)
			require.Len(t, open, 1)
			require.Equal(t, kind, open[0].Kind)
			require.Equal(t, what.subject, open[0].Subject)
			require.Contains(t, open[0].Text(), what.says)
			s.owner(what.end)
			expect(1, 0, "gone only just now")
			s.owner(what.begin)
			expect(1, 0, "back at once")
			open, err = reporting.OpenAlerts(t.Context(), s.db)
			require.NoError(t, err)
			require.Len(t, open, 1)
			require.Nil(t, open[0].GoneAt)
			s.owner(what.end)
			expect(1, 0, "gone again")
			s.exec(`UPDATE alerts SET gone_at = gone_at - interval '20 minutes'`)
			expect(1, 1, "over, since it has stayed away")
			s.owner(what.begin)
			expect(2, 1, "a new trouble")
		})
	}
}

// Those who get an alert acknowledge it, once; that mails nothing and ends nothing. What opens after its end is new.
func TestAnAlertIsAcknowledgedOnceByThoseWhoGetIt(t *testing.T) {
	s := openOrderFixture(t)
	what := problems[reporting.AlertPrices]
	watch := func() {
		t.Helper()
		require.NoError(t, reporting.WatchAlerts(t.Context(), s.db, aHour, true))
	}
	in := func(state reporting.AlertState) []reporting.KnownAlert {
		t.Helper()
		rows, _, err := reporting.Alerts(t.Context(), s.db, state, store.Page{Limit: 10})
		require.NoError(t, err)
		n, err := reporting.CountAlerts(t.Context(), s.db, state)
		require.NoError(t, err)
		require.Len(t, rows, n)
		return rows
	}
	s.owner(what.begin)
	watch()
	id := in(reporting.AlertStateOpen)[0].ID
	admin := store.Actor{ActorID: s.user, ActorRole: "admin"}
	acknowledge := func(note string, roles ...string) string {
		return store.ReasonOf(reporting.Acknowledge(t.Context(), s.db, id, note, roles, admin))
	}
	require.Equal(t, "not_yours", acknowledge("", "support"))
	require.Equal(t, "too_long", acknowledge(strings.Repeat("x", 501), "admin"))
	require.Empty(t, acknowledge(" on it ", "support", "admin"))
	require.Empty(t, acknowledge("again", "admin"), "the first one counts")
	require.Empty(t, in(reporting.AlertStateOpen))
	known := in(reporting.AlertStateAcknowledged)
	require.Len(t, known, 1)
	require.Equal(t, "on it", known[0].AcknowledgedNote)
	require.NotEmpty(t, known[0].ByName)
	count := func(sql string) (n int) {
		t.Helper()
		require.NoError(t, s.db.Pool().QueryRow(t.Context(), sql).Scan(&n))
		return n
	}
	require.Equal(t, 1, count(`SELECT count(*) FROM audit_log WHERE action = 'alert.acknowledge'`))
	watch()
	require.Equal(t, 1, count(`SELECT count(*) FROM alert_calls`))
	s.owner(what.end)
	watch()
	s.exec(`UPDATE alerts SET gone_at = gone_at - interval '20 minutes'`)
	watch()
	require.Len(t, in(reporting.AlertStatePast), 1)
	s.owner(what.begin)
	watch()
	again := in(reporting.AlertStateOpen)
	require.Len(t, again, 1)
	require.NotEqual(t, id, again[0].ID)
	require.Equal(t, 3, count(`SELECT count(*) FROM alert_calls`))
	id = again[0].ID
	s.exec(`UPDATE alerts SET closed_at = clock_now() WHERE id = $1`, id)
	require.Equal(t, "alert_over", acknowledge("", "admin"))
}

// An order whose step fails all day long is stopped, although each failed attempt is written on it; resumed, it has
// moved.
func TestAnOrderThatFailsAllDayIsStuck(t *testing.T) {
	d := openOrderFixture(t)
	d.pay()
	d.do("fulfill")
	stuck := func() int {
		limits := reporting.AlertLimits{Orders: time.Hour}
		require.NoError(t, reporting.WatchAlerts(t.Context(), d.db, limits, false))
		open, err := reporting.OpenAlerts(t.Context(), d.db)
		require.NoError(t, err)
		return len(slices.DeleteFunc(open, func(a reporting.Alert) bool { return a.GoneAt != nil }))
	}
	require.Zero(t, stuck())
	for n := range 20 {
		d.ahead("15 minutes")
		require.NoError(t, order.RecordAttempt(t.Context(), d.db, d.order.ID, execution.Attempt{Step: "buy", Run: "run", Activity: "1", Number: int32(n + 1), Code: "provider_error",
			Again: time.Minute}))
	}
	require.Equal(t, 1, stuck(), "five hours of failed attempts")
	require.NoError(t, order.NeedPerson(t.Context(), d.db, d.order.ID, casework.AttentionPrice, "", ""))
	decision, err := d.decide(order.DecisionRetry, nil)
	require.NoError(t, err)
	require.NoError(t, order.RetryStep(t.Context(), d.db, d.order.ID, decision))
	require.Zero(t, stuck(), "resumed a moment ago")
}

// A move whose step fails for hours is stuck, although its row is written each time, and so is a decision about a
// payout that is not executed.
func TestMovesAndPayoutsThatFailAllDayAreStuck(t *testing.T) {
	v := openVault(t)
	stuck := func() (subjects []string) {
		require.NoError(t, reporting.WatchAlerts(t.Context(), v.db, reporting.AlertLimits{Orders: time.Hour}, false))
		open, err := reporting.OpenAlerts(t.Context(), v.db)
		require.NoError(t, err)
		for _, a := range open {
			if a.GoneAt == nil {
				subjects = append(subjects, a.Subject+" "+a.Page())
			}
		}
		slices.Sort(subjects)
		return subjects
	}
	move, err := v.proposed(1_000_000)
	require.NoError(t, err)
	v.ahead("5 hours")
	require.Empty(t, stuck(), "what waits for a person stands in a queue")
	v.exec(`UPDATE treasury_moves SET status = 'approved', decided_by = $2, decided_at = clock_now() WHERE id = $1`, move.ID, v.second)
	require.Empty(t, stuck(), "approved a moment ago")
	for range 5 {
		v.ahead("30 minutes")
		v.exec(`UPDATE treasury_moves SET problem = 'the exchange does not answer', updated_at = clock_now() WHERE id = $1`, move.ID)
	}
	require.Equal(t, []string{"move_approved /admin/treasury"}, stuck(), "hours of failed attempts")

	p := &till{shop: v.shop, keys: cardKeys(t, 1), staff: [2]string{v.staff, v.second}}
	p.earn(5_000)
	row, err := p.ask(2_000)
	require.NoError(t, err)
	_, err = payout.OpenPayoutDecision(t.Context(), p.db, row.ID, casework.NewCaseDecision{Kind: payout.PayoutApprove, ActorID: v.staff, ActorRole: "finance"})
	require.NoError(t, err)
	v.ahead("2 hours")
	p.exec(`UPDATE payouts SET updated_at = clock_now()`)
	require.Equal(t, []string{"move_approved /admin/treasury", "payout_approve /admin/payouts"}, stuck())

	// No deadline ends an unconfirmed payout of a restored backup, so staff are alerted until they read the statement.
	unconfirmed, err := p.askByMail(2_000, "Ada Lovelace")
	require.NoError(t, err)
	p.exec(`UPDATE payouts SET restored_at = clock_now() WHERE id = $1`, unconfirmed.ID)
	unread := "payout_unconfirmed /admin/payouts"
	require.NotContains(t, stuck(), unread)
	v.ahead("2 hours")
	require.Contains(t, stuck(), unread)
	require.NoError(t, p.reveals(unconfirmed.ID, "statement of November 29: no transfer"))
	require.NotContains(t, stuck(), unread)
}

// So is any other decision that is not executed, and a refund of ours that does not end: one in progress at Stripe
// has a day.
func TestDecisionsAndRefundsThatAreNotExecutedAreStuck(t *testing.T) {
	d := openOrderFixture(t)
	stuck := func() (subjects []string) {
		require.NoError(t, reporting.WatchAlerts(t.Context(), d.db, reporting.AlertLimits{Orders: time.Hour}, false))
		open, err := reporting.OpenAlerts(t.Context(), d.db)
		require.NoError(t, err)
		for _, a := range open {
			if a.GoneAt == nil {
				require.Contains(t, a.Text(), "1", a.Subject)
				subjects = append(subjects, a.Subject+" "+a.Page())
			}
		}
		slices.Sort(subjects)
		return subjects
	}
	d.pay()
	_, err := d.decide(order.DecisionFulfill, nil)
	require.NoError(t, err)
	require.Empty(t, stuck(), "a moment ago")
	card := store.NewID()
	d.owner(`INSERT INTO matter_decisions (id, matter, matter_id, kind, actor_id) VALUES ($1, 'voucher', $1, 'retry', $2), (gen_random_uuid(), 'referral', $1, 'approve', $2)`, card, d.staff)
	d.owner(`UPDATE decisions SET created_at = created_at - interval '2 hours'; UPDATE matter_decisions SET created_at = created_at - interval '2 hours'`)
	require.Equal(t, []string{"decision_fulfill /admin/orders", "matter_referral_approve /admin/referrals", "matter_voucher_retry /admin/vouchers"}, stuck())
	d.exec(`UPDATE decisions SET settled_at = clock_now(), outcome = 'refused', outcome_code = 'x'`)
	d.exec(`UPDATE matter_decisions SET settled_at = clock_now(), outcome_code = 'x'`)

	d.pay()
	_, err = d.part(100)
	require.NoError(t, err)
	d.owner(`UPDATE refunds SET created_at = created_at - interval '2 hours'`)
	require.Equal(t, []string{"refund_requested /admin/orders"}, stuck())
	d.exec(`UPDATE refunds SET status = 'pending', provider_id = 're_1'`)
	require.Empty(t, stuck())
	d.owner(`UPDATE refunds SET created_at = created_at - interval '25 hours'`)
	require.Equal(t, []string{"refund_pending /admin/orders"}, stuck())

	d.parkedAt(order.StatusFilled)
	d.refundWaits()
	d.exec(`UPDATE decisions SET settled_at = NULL, outcome = NULL, outcome_code = NULL WHERE kind = 'refund'`)
	d.owner(`UPDATE decisions SET created_at = created_at - interval '2 hours'`)
	require.Equal(t, []string{"refund_pending /admin/orders"}, stuck(), "its decision is as long as the refund is")
}

// A statement that was never read is unread as well, once its reading is overdue.
func TestAStatementThatWasNeverReadIsUnread(t *testing.T) {
	s := openShop(t)
	unread := func() (subjects []string) {
		require.NoError(t, reporting.WatchAlerts(t.Context(), s.db, reporting.AlertLimits{Statements: time.Hour}, false))
		open, err := reporting.OpenAlerts(t.Context(), s.db)
		require.NoError(t, err)
		for _, a := range open {
			if a.GoneAt == nil {
				subjects = append(subjects, a.Subject)
			}
		}
		slices.Sort(subjects)
		return subjects
	}
	require.NoError(t, chore.EndChore(t.Context(), s.db, chore.ChoreSweep, 0, nil))
	require.Empty(t, unread(), "a new installation")
	s.exec(`INSERT INTO polls (name, read_to, polled_at) VALUES ('statement stripe', clock_now(), clock_now())`)
	s.owner(`UPDATE chores SET created_at = clock_timestamp() - interval '2 hours'`)
	require.Equal(t, []string{"bitgo", "kraken", "stripe_money"}, unread())
}

// Concurrent checks open one alert.
func TestBar18OneProblemIsOneAlert(t *testing.T) {
	s := openShop(t)
	s.exec(`UPDATE markets SET priced_at = clock_now() - interval '2 hours' WHERE asset = $1`, money.BTC)
	limits := aHour
	limits.Treasury = nil // a shop without a float
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { require.NoError(t, reporting.WatchAlerts(t.Context(), s.db, limits, true)) })
	}
	all.Wait()
	var alerts, calls int
	require.NoError(t, s.db.Pool().QueryRow(t.Context(), `SELECT (SELECT count(*) FROM alerts), (SELECT count(*) FROM alert_calls)`).Scan(&alerts, &calls))
	require.Equal(t, []int{1, 1}, []int{alerts, calls})
}
