package models_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
)

// moved is what a test posts to or from the customer's balance.
func (d *orderFixture) moved(group string, cents int64) error {
	return order.ChangeOrder(d.Context(), d.db, d.order.ID, func(c *order.OrderChange) error {
		line := ledger.Posting{From: ledger.CustomerBalance(d.user), To: ledger.AccountPromotions, Currency: money.USD, Amount: money.FromInt(cents)}
		if cents < 0 {
			line = ledger.Posting{From: ledger.AccountPrepaid, To: ledger.CustomerBalance(d.user), Currency: money.USD, Amount: money.FromInt(-cents)}
		}
		return c.Post("bonus_credited", group, line)
	})
}

func TestBalanceHistoryIsWalkedPageByPageAndAddsUp(t *testing.T) {
	d := openOrderFixture(t)
	d.take("zelle")
	for i, cents := range []int64{500, 250, -300, 1000, -50} {
		require.NoError(t, d.moved(string(rune('a'+i)), cents))
	}
	var seen []ledger.BalanceEntry
	var after *store.NumberCursor
	for {
		rows, next, err := ledger.BalanceHistory(t.Context(), d.db, d.user, after, 2)
		require.NoError(t, err)
		seen = append(seen, rows...)
		if next == nil {
			break
		}
		after, err = store.ParseNumberCursor(next.String())
		require.NoError(t, err)
	}
	require.Len(t, seen, 5)
	for i, want := range []string{"1400", "1450", "450", "750", "500"} {
		require.Equal(t, want, seen[i].BalanceAfter.String())
		require.Equal(t, d.order.Reference, *seen[i].Reference)
	}
	require.Equal(t, "-50", seen[0].Amount.String())

	have, err := ledger.HoldingsOf(t.Context(), d.db, d.user)
	require.NoError(t, err)
	require.Equal(t, "1400", have.Balance.String())
	require.True(t, have.Receivable.IsZero())
	nobody, _, err := ledger.BalanceHistory(t.Context(), d.db, store.NewID(), nil, 10)
	require.NoError(t, err)
	require.Empty(t, nobody)
	_, err = store.ParseNumberCursor("bm8")
	require.Equal(t, "bad_cursor", store.ReasonOf(err))
}

func TestBalanceHistoryKeepsTheOrderOfConcurrentChanges(t *testing.T) {
	d := openOrderFixture(t)
	d.take("zelle")
	orders := []*order.Order{d.order}
	for range 7 {
		d.take("zelle")
		orders = append(orders, d.order)
	}
	var all sync.WaitGroup
	for _, order := range orders {
		all.Go(func() {
			other := *d
			other.order = order
			for i := range 5 {
				if err := other.moved(string(rune('a'+i)), int64(100+i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	rows, _, err := ledger.BalanceHistory(t.Context(), d.db, d.user, nil, 100)
	require.NoError(t, err)
	require.Len(t, rows, 40)
	for i, row := range rows {
		before := money.Units{}
		if i+1 < len(rows) {
			before = rows[i+1].BalanceAfter
		}
		require.Equal(t, before.Add(row.Amount).String(), row.BalanceAfter.String())
	}
}

// Growth: however long the history is, a page of it is one walk over the index.
func TestBar43BalanceHistoryIsOneIndexedWalk(t *testing.T) {
	d := openOrderFixture(t)
	d.take("zelle")
	require.NoError(t, d.moved("a", 500))
	rows, err := d.db.Pool().Query(t.Context(), `EXPLAIN SELECT id FROM balance_entries WHERE account = $1 AND currency = 'USD' AND id < 100 ORDER BY id DESC LIMIT 51`, ledger.CustomerBalance(d.user))
	require.NoError(t, err)
	var plan strings.Builder
	for rows.Next() {
		var line string
		require.NoError(t, rows.Scan(&line))
		plan.WriteString(line + "\n")
	}
	require.NoError(t, rows.Err())
	require.Regexp(t, `balance_entries_by_account|balance_entries_pkey`, plan.String())
	require.NotContains(t, plan.String(), "Sort")
	_, err = d.db.Pool().Exec(t.Context(), "DELETE FROM balance_entries")
	require.Error(t, err)
}
