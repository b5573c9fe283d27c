package models_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// logged returns the lines of the audit log about a kind of object: the actor, or "nobody", the role, the action and
// the named people.
func (s *shop) logged(kind string) (lines []string) {
	s.Helper()
	rows, err := s.db.Pool().Query(s.Context(), `SELECT concat_ws(' ', coalesce(CAST(actor_id AS text), 'nobody'), actor_role,
		action, object_id, after ->> 'by', after ->> 'named',
		after ->> 'wallet:bitcoin BTC', after ->> 'exchange USD', reason)
		FROM audit_log WHERE object_kind = $1 ORDER BY id`, kind)
	require.NoError(s, err)
	defer rows.Close()
	for rows.Next() {
		var line string
		require.NoError(s, rows.Scan(&line))
		lines = append(lines, line)
	}
	require.NoError(s, rows.Err())
	return lines
}

// An operator's command turns deliveries with the rights of its own role. The switch shows the admin whom the operator
// names; the audit log does not claim that this admin acted.
func TestOperatorTurnsDeliveriesByCommand(t *testing.T) {
	s := openCrew(t)
	operator := s.as("operator")
	turns := func(off bool) error {
		named := store.Actor{ActorID: s.a, Reason: "a restore"}
		_, err := pricing.TurnSwitchByCommand(t.Context(), operator, pricing.SwitchFulfilment, "", off, named, "command:root")
		return err
	}
	require.NoError(t, turns(true))
	require.Equal(t, store.CodeConflict, store.CodeOf(turns(true)), "it is off already")
	stopped, err := pricing.Stopped(t.Context(), s.db, "card", money.BTC)
	require.NoError(t, err)
	require.True(t, stopped)
	switches, err := pricing.Switches(t.Context(), operator)
	require.NoError(t, err)
	require.Len(t, switches, 1)
	require.Equal(t, s.a+"@example.com", switches[0].ActorEmail)
	require.NoError(t, turns(false))
	require.Equal(t, []string{
		"nobody system switch.pause fulfilment: command:root " + s.a + " a restore",
		"nobody system switch.resume fulfilment: command:root " + s.a + " a restore",
	}, s.logged("switch"))
	named := store.Actor{ActorID: s.a}
	_, err = pricing.TurnSwitchByCommand(t.Context(), operator, pricing.SwitchFulfilment, "", true, named, "command:root")
	require.Equal(t, "required", store.ReasonOf(err), "without a reason")
}

// Nobody turns switches with the role of a worker, whatever the worker's program is made to do.
func TestWorkersDoNotTurnSwitches(t *testing.T) {
	s := openCrew(t)
	named, kind := store.Actor{ActorID: s.a, Reason: "a restore"}, pricing.SwitchFulfilment
	for _, process := range []string{"core", "payments", "exchange", "custody"} {
		_, err := pricing.TurnSwitchByCommand(t.Context(), s.as(process), kind, "", true, named, "command:root")
		require.ErrorContains(t, err, "permission denied", process)
	}
	require.Empty(t, s.logged("switch"))
}

// An operator names an admin who could act now: not a frozen one, another role, or another issuer's account.
func TestOperatorNamesAnEffectiveAdmin(t *testing.T) {
	s := openCrew(t)
	finance, operator := s.person("finance"), s.as("operator")
	finds := func(issuer, email string) string {
		id, found, err := account.EffectiveAdmin(t.Context(), operator, issuer, email)
		require.NoError(t, err)
		require.Equal(t, found, id != "")
		return id
	}
	require.Equal(t, s.a, finds("test", " "+s.a+"@EXAMPLE.com"))
	require.Empty(t, finds("other", s.a+"@example.com"))
	require.Empty(t, finds("test", finance+"@example.com"))
	require.Empty(t, finds("test", "nobody@example.com"))
	s.exec(`UPDATE users SET email_verified = false WHERE id = $1`, s.b)
	require.Empty(t, finds("test", s.b+"@example.com"))
	s.exec(`UPDATE users SET frozen_at = now() WHERE id = $1`, s.a)
	require.Empty(t, finds("test", s.a+"@example.com"))
}

// A float that an operator books is a line of the audit log, once.
func TestFloatOfAnOperatorIsLoggedOnce(t *testing.T) {
	s := openShop(t)
	wallet := ledger.WalletAccount("bitcoin")
	lines := []ledger.Posting{
		{From: ledger.AccountEquity, To: wallet, Currency: money.BTC, Amount: money.FromInt(500_000_000)},
		{From: ledger.AccountEquity, To: ledger.AccountExchange, Currency: money.USD, Amount: money.FromInt(5_000_000)},
	}
	for _, first := range []bool{true, false} {
		booked, err := ledger.SeedFloatByCommand(t.Context(), s.as("operator"), "opening", lines, "command:root")
		require.NoError(t, err)
		require.Equal(t, first, booked)
	}
	balance, err := ledger.AccountBalance(t.Context(), s.db, wallet, money.BTC)
	require.NoError(t, err)
	require.Equal(t, "5", money.BTC.Format(balance))
	require.Equal(t, []string{
		`nobody system float_seeded opening command:root 5 50000.00 `,
	}, s.logged("float"))
}

// Lines that no seal covers yet are named, the first ones, and counted.
func TestLinesWithoutASealAreNamed(t *testing.T) {
	s := openShop(t)
	last := s.noted("sealed", sealing)
	lines, total, err := audit.Unsealed(t.Context(), s.as("operator"), 5)
	require.NoError(t, err)
	require.Empty(t, lines)
	require.Zero(t, total)
	var ids []int64
	for range 3 {
		var id int64
		require.NoError(t, s.db.Pool().QueryRow(t.Context(), `INSERT INTO audit_log (actor_role, action, object_kind, object_id)
			VALUES ('admin', 'later', 'order', 'x') RETURNING id`).Scan(&id))
		ids = append(ids, id)
	}
	lines, total, err = audit.Unsealed(t.Context(), s.as("operator"), 2)
	require.NoError(t, err)
	require.Equal(t, ids[:2], lines)
	require.Equal(t, 3, total)
	require.Greater(t, lines[0], last.ThroughID)
}
