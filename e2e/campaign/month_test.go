package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/store"
)

// The same seed plans the same month; it has about as many orders as requested, a customer for each, and some that are
// left waiting.
func TestAMonthFollowsFromItsSeed(t *testing.T) {
	one, again, other := NewMonth(3, 30, 900), NewMonth(3, 30, 900), NewMonth(4, 30, 900)
	require.Equal(t, one, again)
	require.NotEqual(t, one, other)
	orders, customers, left, scenarios := 0, 0, 0, map[string]int{}
	for _, q := range one.Quarters {
		customers += q.Newcomers
		for _, o := range q.Orders {
			orders++
			require.Less(t, o.Customer, customers)
			if o.Leave != "" {
				left++
			}
		}
		for _, e := range q.Errands {
			scenarios[e.Kind]++
		}
	}
	require.InDelta(t, 900, orders, 90)
	require.Greater(t, customers, 80)
	require.Positive(t, left)
	for _, e := range scenariosOf {
		require.Positive(t, scenarios[e.kind], e.kind)
	}
}

// progressLog records the output, and stops the month at a sentence.
type progressLog struct {
	bytes.Buffer
	at   string
	stop func()
}

func (o *progressLog) Write(p []byte) (int, error) {
	if o.at != "" && strings.Contains(string(p), o.at) {
		o.stop()
	}
	return o.Buffer.Write(p)
}

// seedOfEach returns the first seed whose month of that size has errands of each of these kinds.
func seedOfEach(days, orders int, kinds ...string) uint64 {
	for seed := uint64(1); ; seed++ {
		missing := slices.Clone(kinds)
		for _, q := range NewMonth(seed, days, orders).Quarters {
			for _, e := range q.Errands {
				missing = slices.DeleteFunc(missing, func(kind string) bool { return kind == e.Kind })
			}
		}
		if len(missing) == 0 {
			return seed
		}
	}
}

// A day is executed through the site; stopped in its middle it resumes where it was, with the same customers and books.
func TestAMonthThatIsStoppedGoesOn(t *testing.T) {
	dir, err := os.MkdirTemp("", "tradepost-month-")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o755))
	seed := seedOfEach(1, 10, "gift_card", "ticket", "voucher")
	f := flags{seeds: strconv.FormatUint(seed, 10), orders: 10, month: true, days: 1, data: dir + "/data", leave: true}

	ctx, stop := context.WithTimeout(t.Context(), 20*time.Minute)
	defer stop()
	first := &progressLog{at: "day  1 of 1, morning", stop: stop}
	require.NoError(t, liveMonth(ctx, f, first))
	require.Contains(t, first.String(), "goes on from here")
	require.NotContains(t, first.String(), "evening")

	ctx, stop = context.WithTimeout(t.Context(), 20*time.Minute)
	defer stop()
	second := &progressLog{}
	require.NoError(t, liveMonth(ctx, f, second), second.String())
	require.NotContains(t, second.String(), "night", "that was lived before")
	require.Contains(t, second.String(), "evening")

	stack, err := local.Start(t.Context(), local.Options{DataDir: f.data, FreePorts: true, Output: io.Discard, Getenv: func(string) string { return "" }})
	require.NoError(t, err)
	t.Cleanup(func() {
		stack.Stop()
		require.NoError(t, local.Reset(local.Options{DataDir: f.data}))
		require.NoFileExists(t, f.data+"/"+local.MonthNote, "a month that was forgotten begins anew")
	})
	db, err := store.Open(t.Context(), stack.AppDSN(), store.Options{})
	require.NoError(t, err)
	defer db.Close()
	totals, err := ledger.TrialBalance(t.Context(), db)
	require.NoError(t, err)
	require.Empty(t, ledger.CheckTrialBalance(totals))
	var people, orders int
	require.NoError(t, db.Pool().QueryRow(t.Context(), `SELECT (SELECT count(DISTINCT email) FROM users WHERE email LIKE $1),
		(SELECT count(*) FROM orders)`, fmt.Sprintf("month%d-%%", seed)).Scan(&people, &orders))
	// Each start here has ports of its own, so the issuer has another name: a repeated sign-in is a new account, with
	// the same address, and buys nothing before it is verified again.
	newcomers, planned, scenarios := 0, 0, map[string]int{}
	for _, q := range NewMonth(seed, 1, 10).Quarters {
		newcomers += q.Newcomers
		if q.name() == "night" || q.name() == "morning" {
			planned += len(q.Orders)
		}
		for _, e := range q.Errands {
			scenarios[e.Kind]++
		}
	}
	for kind, table := range map[string]string{"gift_card": "gift_cards", "ticket": "tickets", "voucher": "vouchers"} {
		var rows int
		require.NoError(t, db.Pool().QueryRow(t.Context(), "SELECT count(*) FROM "+table).Scan(&rows)) // one of three names
		require.Equal(t, scenarios[kind], rows, "what was wanted of %s was done", kind)
	}
	require.Equal(t, newcomers, people)
	require.GreaterOrEqual(t, orders, planned-1, "one may have found no price")
}
