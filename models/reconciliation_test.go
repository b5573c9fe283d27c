package models_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local/testbed"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/reconciliation"
	"github.com/tradepost/tradepost/models/store"
)

// What lines leave out is booked when it is whole, in either direction, and counts
// once however often a statement is read; the comparison finds both sides equal.
func TestPartsOfACentAreBookedOnce(t *testing.T) {
	v := openVault(t)
	begin, err := v.db.Now(t.Context())
	require.NoError(t, err)
	line := func(n int, rest string) reconciliation.StatementLine {
		id := fmt.Sprintf("L%d", n)
		return reconciliation.StatementLine{ID: id, Kind: "fill", Key: "fill:" + id, At: begin, State: "closed", Settled: true,
			Moved: map[money.Currency]money.Units{money.USD: money.FromInt(0)}, Rest: map[money.Currency]decimal.Decimal{money.USD: decimal.RequireFromString(rest)}}
	}
	take := func(lines ...reconciliation.StatementLine) {
		t.Helper()
		_, err := reconciliation.TakeStatement(t.Context(), v.db, ledger.ProviderKraken, reconciliation.Window{From: begin, To: begin.Add(time.Minute)}, lines)
		require.NoError(t, err)
	}
	rounded := func(cents int64, groups int) {
		t.Helper()
		have, err := ledger.AccountBalance(t.Context(), v.db, ledger.AccountRounding, money.USD)
		require.NoError(t, err)
		require.Equal(t, money.FromInt(-cents).String(), have.String())
		var n, apart int
		require.NoError(t, v.db.Pool().QueryRow(t.Context(), "SELECT count(DISTINCT group_key) FROM postings WHERE event = 'rounded'").Scan(&n))
		require.Equal(t, groups, n)
		for more := true; more; {
			did, err := reconciliation.Reconcile(t.Context(), v.db, 0)
			require.NoError(t, err)
			more = did.More
		}
		require.NoError(t, v.db.Pool().QueryRow(t.Context(), "SELECT count(*) FROM reconciled_effects WHERE key = 'rounding:USD' AND booked <> told").Scan(&apart))
		require.Zero(t, apart)
		v.balanced()
	}
	take(line(1, "0.45"), line(2, "0.54"))
	rounded(0, 0)
	take(line(1, "0.45"), line(2, "0.54"), line(3, "1.02"))
	rounded(2, 1)
	take(line(1, "0.45"), line(3, "1.02"))
	rounded(2, 1)
	take(line(1, "1.45"))
	rounded(3, 2)
	take(line(4, "-2.5"))
	rounded(1, 3)
	take(line(5, "2.5"))
	rounded(3, 4)
	// A list that is paged by offset shows a line twice when another one came between two pages.
	take(line(6, "1.5"), line(6, "2.5"))
	rounded(5, 5)
}

// A line that never settles has the last week read again, and once a day all since it: not every reading begins at
// that line.
func TestALineThatNeverSettlesIsReadAgainOnceADay(t *testing.T) {
	v := openVault(t)
	now, err := v.db.Now(t.Context())
	require.NoError(t, err)
	begun := now.Add(-60 * 24 * time.Hour)
	line := func(id string, at time.Time, settled bool) reconciliation.StatementLine {
		return reconciliation.StatementLine{ID: id, Kind: "receipt", Key: "receipt:" + id, At: at, State: "removed", Settled: settled, Network: "bitcoin",
			Moved: map[money.Currency]money.Units{money.BTC: {}}}
	}
	take := func(w reconciliation.Window, lines ...reconciliation.StatementLine) {
		t.Helper()
		_, err := reconciliation.TakeStatement(t.Context(), v.db, ledger.ProviderBitGo, w, lines)
		require.NoError(t, err)
	}
	window := func() reconciliation.Window {
		t.Helper()
		w, err := reconciliation.StatementWindow(t.Context(), v.db, ledger.ProviderBitGo)
		require.NoError(t, err)
		return w
	}
	take(reconciliation.Window{From: begun, To: now}, line("dust", begun, false))
	deep := window()
	require.WithinDuration(t, begun, deep.From, 2*time.Second, "it is looked at once more")
	require.True(t, deep.Deep)
	take(reconciliation.Window{From: deep.From, To: now, Deep: true}, line("dust", begun, false))
	require.Less(t, now.Sub(window().From), time.Hour, "the next readings begin where the last one ended")
	take(reconciliation.Window{From: now, To: now}, line("young", now.Add(-2*24*time.Hour), false))
	require.WithinDuration(t, now.Add(-2*24*time.Hour), window().From, 2*time.Second, "what may settle yet is read again")
	v.ahead("25 hours")
	require.WithinDuration(t, begun, window().From, 2*time.Second, "a day later")
	v.ahead("2400 hours")
	require.True(t, begun.Before(window().From), "and never further back than statements are kept")
}

// A line that never settles becomes a break of its own, by name; it closes when the
// line settles after all, or when a person expects nothing more of it.
func TestALineThatNeverSettlesEndsAsABreak(t *testing.T) {
	v := openVault(t)
	now, err := v.db.Now(t.Context())
	require.NoError(t, err)
	take := func(id, state string, settled bool) {
		t.Helper()
		_, err := reconciliation.TakeStatement(t.Context(), v.db, ledger.ProviderBitGo, reconciliation.Window{From: now, To: now}, []reconciliation.StatementLine{{ID: id, Kind: "transfer", Key: "transfer:" + id,
			At: now, State: state, Settled: settled, Network: "bitcoin", Moved: map[money.Currency]money.Units{money.BTC: {}}}})
		require.NoError(t, err)
	}
	open := func() []reconciliation.StaffBreak {
		t.Helper()
		for range 2 { // what is opened or closed is so once
			_, err := reconciliation.Reconcile(t.Context(), v.db, time.Hour)
			require.NoError(t, err)
		}
		rows, _, err := reconciliation.Breaks(t.Context(), v.db, reconciliation.BreakFilter{}, store.Page{Limit: 10})
		require.NoError(t, err)
		return rows
	}
	take("lost", "removed", false)
	take("late", "removed", false)
	v.ahead("360 hours")
	require.Empty(t, open(), "it may settle yet")
	v.ahead("48 hours")
	found := open()
	require.Len(t, found, 2)
	slices.SortFunc(found, func(a, b reconciliation.StaffBreak) int { return strings.Compare(b.Key, a.Key) })
	require.Equal(t, []string{"unsettled", "lost", string(reconciliation.CauseNeverSettled)}, []string{found[0].Kind(), found[0].Subject(), string(found[0].Cause())})
	shown, err := reconciliation.ReportedFor(t.Context(), v.db, &found[0].Break)
	require.NoError(t, err)
	require.Equal(t, "removed", shown[0].State)
	take("late", "confirmed", true)
	require.Len(t, open(), 1, "it settled after all")

	by := store.Actor{ActorID: v.staff, ActorRole: "finance"}
	require.Equal(t, "required", store.ReasonOf(reconciliation.EndBreak(t.Context(), v.db, found[0].ID, by)))
	by.Reason = "BitGo says that it is gone for good"
	require.NoError(t, reconciliation.EndBreak(t.Context(), v.db, found[0].ID, by))
	require.Equal(t, "break_closed", store.ReasonOf(reconciliation.EndBreak(t.Context(), v.db, found[0].ID, by)))
	take("lost", "removed", false)
	require.Empty(t, open(), "the same said again is nothing new")
	take("lost", "signed", false)
	require.Len(t, open(), 1, "but what changes is waited for again")
}

// A difference is named, with when it becomes a break, until it is one.
func TestDifferenceIsNamedBeforeItIsABreak(t *testing.T) {
	v := openVault(t)
	stands := func(line bool) (one reconciliation.ReconciliationStatus, now time.Time) {
		t.Helper()
		now, err := v.db.Now(t.Context())
		require.NoError(t, err)
		var lines []reconciliation.StatementLine
		if line {
			lines = []reconciliation.StatementLine{{ID: "t1", Kind: "receipt", Key: "receipt:t1", At: now,
				State: "confirmed", Settled: true, Network: "bitcoin", Moved: map[money.Currency]money.Units{money.BTC: money.FromInt(123457)}}}
		}
		read := reconciliation.Window{From: now, To: now}
		_, err = reconciliation.TakeStatement(t.Context(), v.db, ledger.ProviderBitGo, read, lines)
		require.NoError(t, err)
		_, err = reconciliation.Reconcile(t.Context(), v.db, time.Hour)
		require.NoError(t, err)
		all, err := reconciliation.ReconciliationNow(t.Context(), v.db)
		require.NoError(t, err)
		at := slices.IndexFunc(all.Holders, func(s reconciliation.ReconciliationStatus) bool {
			return s.Holder == ledger.ProviderBitGo
		})
		return all.Holders[at], now
	}
	none, _ := stands(false)
	require.Zero(t, none.Differing)
	require.Nil(t, none.BreakAt)
	young, found := stands(true)
	require.Equal(t, 1, young.Differing)
	require.WithinDuration(t, found.Add(time.Hour), *young.BreakAt, time.Second)
	require.Nil(t, young.OldestAt)
	v.ahead("2 hours")
	old, _ := stands(false)
	require.Zero(t, old.Differing)
	require.NotNil(t, old.OldestAt, "it is a break now")
}

// A line that cannot be read is a break at once, of no amount; it closes when it can be read, or when a person has
// looked at it. The other lines of the statement are compared as ever.
func TestUnreadLineIsBreakAtOnce(t *testing.T) {
	v := openVault(t)
	now, err := v.db.Now(t.Context())
	require.NoError(t, err)
	take := func(id, kind, state string, settled bool) {
		t.Helper()
		_, err := reconciliation.TakeStatement(t.Context(), v.db, ledger.ProviderKraken, reconciliation.Window{From: now, To: now}, []reconciliation.StatementLine{
			{ID: id, Kind: kind, Key: "fill:" + id, At: now, State: state, Settled: settled, Moved: map[money.Currency]money.Units{money.USD: {}}}})
		require.NoError(t, err)
	}
	open := func() (causes []string) {
		t.Helper()
		for range 2 { // what is opened or closed is so once
			_, err := reconciliation.Reconcile(t.Context(), v.db, time.Hour)
			require.NoError(t, err)
		}
		rows, _, err := reconciliation.Breaks(t.Context(), v.db, reconciliation.BreakFilter{}, store.Page{Limit: 10})
		require.NoError(t, err)
		for _, b := range rows {
			causes = append(causes, b.Subject()+" "+string(b.Cause()))
		}
		slices.Sort(causes)
		return causes
	}
	take("O1", reconciliation.Unread, "an order in the pair GONEUSD", false)
	take("O2", reconciliation.Unread, "an order in the pair GONEUSD", false)
	require.Equal(t, []string{"O1 unread", "O2 unread"}, open())
	take("O1", "fill", "closed", true)
	require.Equal(t, []string{"O2 unread"}, open(), "it can be read by now")

	rows, _, err := reconciliation.Breaks(t.Context(), v.db, reconciliation.BreakFilter{}, store.Page{Limit: 10})
	require.NoError(t, err)
	shown, err := reconciliation.ReportedFor(t.Context(), v.db, &rows[0].Break)
	require.NoError(t, err)
	require.Equal(t, "an order in the pair GONEUSD", shown[0].State)
	by := store.Actor{ActorID: v.staff, ActorRole: "finance", Reason: "bought for the office by hand"}
	require.NoError(t, reconciliation.EndBreak(t.Context(), v.db, rows[0].ID, by))
	take("O2", reconciliation.Unread, "an order in the pair GONEUSD", false)
	require.Empty(t, open(), "the same said again is nothing new")
}

// A transaction is one effect however its id is written, and two open breaks of opposite amounts name each other.
func TestTransactionIsOneEffectInAnyForm(t *testing.T) {
	v := openVault(t)
	now, err := v.db.Now(t.Context())
	require.NoError(t, err)
	arrived := func(id, txid string, amount int64) {
		t.Helper()
		_, err := reconciliation.TakeStatement(t.Context(), v.db, ledger.ProviderBitGo, reconciliation.Window{From: now, To: now}, []reconciliation.StatementLine{
			{ID: id, Kind: "receipt", Key: "receipt:" + txid, At: now, State: "confirmed", Settled: true, Network: "ethereum", TxID: txid,
				Moved: map[money.Currency]money.Units{money.ETH: money.FromInt(amount)}}})
		require.NoError(t, err)
	}
	const txid = "44843E6E00000000000000000000000000000000000000000000000000000001"
	v.exec(`INSERT INTO treasury_moves (id, reference, asset, network, amount, status, reason, decided_by, first_sent_at, exchange_ref, txid, arrived_at, created_at, closed_at)
		VALUES ($1, 'TM-TEST', 'ETH', 'ethereum', 700, 'arrived', 'why', $2, clock_now(), 'FT1', $3, clock_now(), clock_now(), clock_now())`,
		store.NewID(), v.staff, txid)
	v.owner(`INSERT INTO postings (event, group_key, line, from_account, to_account, currency, amount, matter, matter_id)
		SELECT 'treasury_move_arrived', 'arrived:' || id, 1, 'coin_in_transit:ethereum', 'wallet:ethereum', 'ETH', 700, 'treasury_move', id FROM treasury_moves WHERE reference = 'TM-TEST'`)
	arrived("t1", "0x"+strings.ToLower(txid), 700)
	var differ int
	_, err = reconciliation.Reconcile(t.Context(), v.db, time.Hour)
	require.NoError(t, err)
	require.NoError(t, v.db.Pool().QueryRow(t.Context(), "SELECT count(*) FROM reconciled_effects WHERE key LIKE 'receipt:%' AND booked <> told").Scan(&differ))
	require.Zero(t, differ)

	for _, row := range []string{"('bitgo', 'receipt:a', 'ETH', 0, 500)", "('kraken', 'move:b', 'ETH', 500, 0)", "('kraken', 'fill:c', 'ETH', 0, 500)", "('kraken', 'move:d', 'BTC', 500, 0)"} {
		v.owner("INSERT INTO reconciliation_breaks (holder, key, currency, booked, told) VALUES " + row)
		v.owner("INSERT INTO reconciled_effects (holder, key, currency, booked, told, last_at) SELECT holder, key, currency, booked, told, clock_now() FROM reconciliation_breaks ON CONFLICT DO NOTHING")
	}
	rows, _, err := reconciliation.Breaks(t.Context(), v.db, reconciliation.BreakFilter{}, store.Page{Limit: 10})
	require.NoError(t, err)
	byID, opposite := map[string]string{}, map[string]string{}
	for _, b := range rows {
		byID[b.ID] = b.Key
	}
	for _, b := range rows {
		if b.OppositeID != nil {
			opposite[b.Key] = byID[*b.OppositeID]
		}
	}
	require.Equal(t, map[string]string{"receipt:a": "move:b", "fill:c": "move:b", "move:b": "receipt:a"}, opposite)

	// What is opposite now counts, not what was when the break was found.
	v.owner("UPDATE reconciled_effects SET booked = 300 WHERE key = 'move:b'")
	v.owner("UPDATE reconciled_effects SET told = 300 WHERE key = 'fill:c'")
	rows, _, err = reconciliation.Breaks(t.Context(), v.db, reconciliation.BreakFilter{}, store.Page{Limit: 10})
	require.NoError(t, err)
	opposite = map[string]string{}
	for _, b := range rows {
		if b.OppositeID != nil {
			opposite[b.Key] = byID[*b.OppositeID]
		}
	}
	require.Equal(t, map[string]string{"fill:c": "move:b", "move:b": "fill:c"}, opposite)
}

// Lines, effects and breaks from before transactions were compared by one name get that name: a line that is read
// again stays with its effect, and two ways to write one id are one effect.
func TestEffectsOfBeforeAreNamedByTransaction(t *testing.T) {
	db := testbed.EmptyDB(t)
	provider := upTo(t, db.Owner, 218)
	conn, err := pgx.Connect(t.Context(), db.Owner)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(context.WithoutCancel(t.Context()))) }()
	exec := func(sql string) {
		t.Helper()
		_, err := conn.Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	exec(`INSERT INTO statement_lines (holder, id, currency, amount, kind, key, at, state, settled) VALUES
		('bitgo', 't1', 'ETH', 700, 'receipt', 'receipt:0xabc', now(), 'confirmed', true),
		('bitgo', 't2', 'ETH', -5, 'by_hand', 'by_hand:0xDEF', now(), 'signed', false),
		('bitgo', 't3', 'ETH', -9, 'transfer', 'transfer:0xDEF', now(), 'signed', false)`)
	exec(`INSERT INTO reconciled_effects (holder, key, currency, booked, told, matter, last_at) VALUES
		('bitgo', 'receipt:ABC', 'ETH', 700, 0, 'treasury_move', now()),
		('bitgo', 'receipt:0xabc', 'ETH', 0, 700, NULL, now()),
		('bitgo', 'by_hand:0xDEF', 'ETH', 0, -5, NULL, now()), ('bitgo', 'by_hand:def', 'ETH', -3, 0, NULL, now()),
		('bitgo', 'transfer:0xDEF', 'ETH', 0, -9, NULL, now()), ('bitgo', 'receipt:0xAA', 'ETH', 1, 1, NULL, now())`)
	exec(`INSERT INTO reconciliation_breaks (holder, key, currency, booked, told)
		SELECT holder, key, currency, booked, told FROM reconciled_effects WHERE booked <> told`)
	exec(`INSERT INTO reconciliation_breaks (holder, key, currency, booked, told, closed_at, outcome)
		VALUES ('bitgo', 'receipt:0xAA', 'ETH', 1, 2, now(), 'agreed')`)
	_, err = provider.UpTo(t.Context(), 219)
	require.NoError(t, err)
	list := func(sql string) (all []string) {
		t.Helper()
		rows, err := conn.Query(t.Context(), sql)
		require.NoError(t, err)
		all, err = pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		return all
	}
	require.Equal(t, []string{"t1 receipt:abc", "t2 by_hand:def", "t3 transfer:0xDEF"},
		list(`SELECT id || ' ' || key FROM statement_lines ORDER BY 1`))
	require.Equal(t, []string{"by_hand:def -3 -5", "receipt:aa 1 1", "receipt:abc 700 700 treasury_move",
		"transfer:0xDEF 0 -9"},
		list(`SELECT concat_ws(' ', key, booked, told, matter) FROM reconciled_effects ORDER BY 1`))
	require.Equal(t, []string{"by_hand:def agreed", "by_hand:def open", "receipt:aa agreed", "receipt:abc agreed",
		"receipt:abc agreed", "transfer:0xDEF open"},
		list(`SELECT key || ' ' || coalesce(outcome, 'open') FROM reconciliation_breaks ORDER BY 1`))
}

// The previous release writes a transaction's id as its provider does, also while this one already runs: the database
// names the line and both sides of the effect alike.
func TestKeysOfPreviousReleaseAreNamedByTransaction(t *testing.T) {
	v := openVault(t)
	v.owner(`INSERT INTO statement_lines (holder, id, currency, amount, kind, key, at, state, settled) VALUES
		('bitgo', 't1', 'ETH', 700, 'receipt', 'receipt:0xABC', now(), 'confirmed', true),
		('bitgo', 't2', 'ETH', -5, 'by_hand', 'by_hand:DEF', now(), 'signed', false),
		('bitgo', 't3', 'ETH', -9, 'transfer', 'transfer:0xDEF', now(), 'signed', false)`)
	v.owner(`UPDATE statement_lines SET key = 'by_hand:0xDEF' WHERE id = 't2'`)
	for _, side := range []string{"booked", "told"} { // of which each writes the id in another way
		key := map[string]string{"booked": "receipt:ABC", "told": "receipt:0xabc"}[side]
		v.owner(`INSERT INTO reconciled_effects AS e (holder, key, currency, ` + side + `, last_at)
			VALUES ('bitgo', '` + key + `', 'ETH', 700, now())
			ON CONFLICT (holder, key, currency) DO UPDATE SET ` + side + ` = e.` + side + ` + excluded.` + side)
	}
	list := func(sql string) (all []string) {
		t.Helper()
		rows, err := v.db.Pool().Query(t.Context(), sql)
		require.NoError(t, err)
		all, err = pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		return all
	}
	require.Equal(t, []string{"t1 receipt:abc", "t2 by_hand:def", "t3 transfer:0xDEF"},
		list(`SELECT id || ' ' || key FROM statement_lines ORDER BY 1`))
	require.Equal(t, []string{"receipt:abc 700 700"},
		list(`SELECT concat_ws(' ', key, booked, told) FROM reconciled_effects WHERE key LIKE 'receipt:%'`))
}
