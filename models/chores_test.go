package models_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/chore"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/privacy"
	"github.com/tradepost/tradepost/models/reporting"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/support"
	"github.com/tradepost/tradepost/models/webhook"
)

// foldAll folds until nothing is left.
func foldAll(t require.TestingT, db *store.DB) {
	for more := true; more; {
		var err error
		_, more, err = db.FoldTallies(context.Background())
		require.NoError(t, err)
	}
}

// rollUp rolls up what is there, part by part.
func rollUp(ctx context.Context, db *store.DB) error {
	for more := true; more; {
		var err error
		if _, more, err = ledger.RollUp(ctx, db); err != nil {
			return err
		}
	}
	return nil
}

// The ledger is rolled up, and webhooks are forgotten, in parts, each of them kept.
func TestABacklogIsWorkedOffInParts(t *testing.T) {
	d := openOrderFixture(t)
	d.owner(`INSERT INTO webhook_inbox (provider, event_id, type, subject, received_at) SELECT 'stripe', 'old' || n, 'x', 'x', clock_now() - interval '2 days' FROM generate_series(1, 2500) n`)
	for _, expected := range []int64{1000, 1000, 500} {
		forgot, more, err := webhook.DeleteSignals(t.Context(), d.db)
		require.NoError(t, err)
		require.Equal(t, expected, forgot)
		require.Equal(t, expected == 1000, more)
	}
	d.owner(`INSERT INTO webhook_inbox (provider, event_id, type, subject, order_id, received_at)
		SELECT 'stripe', 'lost' || n, 'payment_intent.canceled', 'x', gen_random_uuid(), clock_now() - n * interval '20 hours' FROM generate_series(1, 2) n`)
	forgot, _, err := webhook.DeleteSignals(t.Context(), d.db)
	require.NoError(t, err)
	require.EqualValues(t, 1, forgot, "a day old, and about an order that a restored backup did not have")
	for n := range 300 {
		_, err := Credit(t.Context(), d.db, d.user, fmt.Sprint(n), cents(1))
		require.NoError(t, err)
	}
	_, err = ClawBack(t.Context(), d.db, d.user, "all", cents(10_000))
	require.NoError(t, err)
	for n := range 300 { // between accounts of a customer: no account of the platform moves
		_, err := Credit(t.Context(), d.db, d.user, fmt.Sprint("netted", n), cents(1))
		require.NoError(t, err)
	}
	truth, err := ledger.TrialBalance(t.Context(), d.db)
	require.NoError(t, err)
	parts := 0
	for count(d.shop, `SELECT count(*) FROM postings WHERE id > (SELECT coalesce(max(through_id), 0) FROM account_rollups)`) > 0 {
		rolled, _, err := ledger.RollUp(t.Context(), d.db) // nothing, while others' transactions have not ended
		require.NoError(t, err)
		require.LessOrEqual(t, rolled, int64(200))
		if rolled == 0 {
			continue
		}
		parts++
		for _, line := range truth {
			have, err := ledger.AccountBalance(t.Context(), d.db, line.Account, line.Currency)
			require.NoError(t, err)
			require.Equal(t, line.Balance, have, line.Account)
		}
	}
	require.GreaterOrEqual(t, parts, 4)
}

// However many changes there are, each call folds a part of them, keeps it, and changes
// no count.
func TestTalliesAreFoldedInParts(t *testing.T) {
	s := openShop(t)
	changes := func() (left, counted int64) {
		require.NoError(t, s.db.Pool().QueryRow(t.Context(), `SELECT (SELECT count(*) FROM tally_changes WHERE list = 'many'),
			(SELECT coalesce(sum(n), 0) FROM (SELECT n FROM tallies WHERE list = 'many' AND owner = '00000000-0000-0000-0000-000000000000' UNION ALL SELECT n FROM tally_changes WHERE list = 'many') t)`).Scan(&left, &counted))
		return left, counted
	}
	s.owner(`INSERT INTO tally_changes SELECT 'many', NULL, CAST(n % 50 AS text), 1, 1 FROM generate_series(1, 25000) n`)
	before, counted := changes()
	require.EqualValues(t, 25000, before)
	require.EqualValues(t, 25000, counted)
	folded, more, err := s.db.FoldTallies(t.Context())
	require.NoError(t, err)
	require.True(t, more)
	after, counted := changes()
	require.Positive(t, after)
	require.LessOrEqual(t, folded, int64(10_000))
	require.EqualValues(t, 25000, counted)
	foldAll(t, s.db)
	left, counted := changes()
	require.Zero(t, left)
	require.EqualValues(t, 25000, counted)
}

// One process at a time runs a chore; it runs again when it is due, or when the lease of one that died is over.
func TestAChoreRunsInOneProcess(t *testing.T) {
	s := openShop(t)
	begin := func(every, lease time.Duration) bool {
		t.Helper()
		mine, err := chore.BeginChore(t.Context(), s.db, chore.ChoreTallies, every, lease)
		require.NoError(t, err)
		return mine
	}
	c := func() chore.Chore {
		t.Helper()
		chores, err := chore.Chores(t.Context(), s.db)
		require.NoError(t, err)
		require.Len(t, chores, 1)
		return chores[0]
	}
	require.True(t, begin(0, time.Minute))
	require.False(t, begin(0, time.Minute), "another process has it")
	require.NoError(t, chore.EndChore(t.Context(), s.db, chore.ChoreTallies, 3, errors.New("no room")))
	require.Nil(t, c().LastDoneAt)
	require.Equal(t, "no room", *c().LastError)
	require.False(t, begin(time.Hour, time.Minute), "not due yet")
	require.True(t, begin(0, -time.Second), "and then that process died")
	require.True(t, begin(0, time.Minute))
	require.NoError(t, chore.EndChore(t.Context(), s.db, chore.ChoreTallies, 7, nil))
	require.NotNil(t, c().LastDoneAt)
	require.Nil(t, c().LastError)
	require.EqualValues(t, 7, c().Progress)
}

// When no process checks for problems, a process without that check opens the alert, and the next check closes it.
func TestTheAlertCheckIsItselfWatched(t *testing.T) {
	s := openShop(t)
	watch := func() bool {
		t.Helper()
		overdue, err := reporting.AlertWithoutCore(t.Context(), s.db, time.Hour)
		require.NoError(t, err)
		return overdue
	}
	require.NoError(t, chore.EndChore(t.Context(), s.db, chore.ChoreAlerts, 0, nil))
	require.False(t, watch())
	s.exec(`UPDATE chores SET last_done_at = clock_timestamp() - interval '2 hours'`)
	require.True(t, watch())
	require.True(t, watch())
	open, err := reporting.OpenAlerts(t.Context(), s.db)
	require.NoError(t, err)
	require.Len(t, open, 1)
	require.Equal(t, chore.ChoreAlerts, open[0].Subject)
	require.NoError(t, chore.EndChore(t.Context(), s.db, chore.ChoreAlerts, 0, nil))
	require.NoError(t, reporting.WatchAlerts(t.Context(), s.db, reporting.AlertLimits{Chores: time.Hour}, false))
	open, err = reporting.OpenAlerts(t.Context(), s.db)
	require.NoError(t, err)
	require.NotNil(t, open[0].GoneAt)
}

// A failed check stops no other check, and closes no alert of its own kind.
func TestAnAlertCheckThatFailsLeavesTheOthers(t *testing.T) {
	s := openShop(t)
	s.exec(`UPDATE markets SET priced_at = clock_now() - interval '2 hours' WHERE asset = 'BTC'`)
	s.exec(`INSERT INTO polls (name, read_to, polled_at) VALUES ('statement bitgo', clock_now() - interval '2 hours', clock_now())`)
	limits := reporting.AlertLimits{Statements: time.Hour}
	require.NoError(t, reporting.WatchAlerts(t.Context(), s.db, limits, false))
	s.owner(`ALTER TABLE polls RENAME TO polls_gone`)
	limits.Prices = time.Hour
	require.Error(t, reporting.WatchAlerts(t.Context(), s.db, limits, false))
	open, err := reporting.OpenAlerts(t.Context(), s.db)
	require.NoError(t, err)
	require.Len(t, open, 2)
	for _, a := range open {
		require.Nil(t, a.GoneAt)
	}
}

// A row that fails delays no other, however many follow it, and its error is returned.
func TestARowThatFailsHoldsUpNoOther(t *testing.T) {
	s := openShop(t)
	poison := `CREATE FUNCTION poison() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF OLD.%s LIKE 'poison%%' THEN RAISE 'poisoned'; END IF; RETURN NEW; END $$;
		CREATE TRIGGER a_poison BEFORE UPDATE ON %s FOR EACH ROW EXECUTE FUNCTION poison()`
	s.owner(`INSERT INTO users (id, issuer, subject, email, closed_at, erase_after)
		SELECT gen_random_uuid(), 'test', CASE WHEN n <= 3 THEN 'poison' ELSE 'ok' END || n, n || '@example.com', clock_now(), clock_now() - interval '1 year' + n * interval '1 hour' FROM generate_series(1, 8) n`)
	s.owner(fmt.Sprintf(poison, "subject", "users"))
	require.ErrorContains(t, privacy.EraseClosedAccounts(t.Context(), s.db, 2), "poisoned")
	require.Equal(t, 5, count(s, `SELECT count(*) FROM users WHERE erased_at IS NOT NULL`))
	require.ErrorContains(t, privacy.EraseClosedAccounts(t.Context(), s.db, 2), "poisoned", "told each time")

	for n := range 8 {
		ticket, err := support.OpenTicket(t.Context(), s.db, support.NewTicket{UserID: s.user, Subject: "general", Message: "hello"})
		require.NoError(t, err)
		s.owner(`UPDATE tickets SET status = 'in_progress', awaits = 'customer', closes_at = clock_now() - interval '1 year' + $2 * interval '1 hour',
			reference = CASE WHEN $2 < 3 THEN 'poison' ELSE '' END || reference WHERE id = $1`, ticket.ID, n)
	}
	s.owner(`DROP TRIGGER a_poison ON users; DROP FUNCTION poison`)
	s.owner(fmt.Sprintf(poison, "reference", "tickets"))
	require.ErrorContains(t, support.CloseSilentTickets(t.Context(), s.db, 2), "poisoned")
	require.Equal(t, 5, count(s, `SELECT count(*) FROM tickets WHERE status = 'closed'`))
}
