package main

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local/testbed"
	"github.com/tradepost/tradepost/models/store"
)

// Every list of the back office is measured: one that is new fails here.
func TestEveryListIsMeasured(t *testing.T) {
	calls, err := listCalls()
	require.NoError(t, err)
	lists, err := adminLists()
	require.NoError(t, err)
	require.Greater(t, len(calls), len(lists))
	for path := range listCases {
		if path != "/api/admin/search" {
			require.Contains(t, lists, path, "there is no such list any more")
		}
	}
}

// The lists have the requested length, and grow afterwards.
func TestTheListsGrow(t *testing.T) {
	bed := testbed.DB(t)
	conn, err := pgx.Connect(t.Context(), bed.Owner)
	require.NoError(t, err)
	db, err := store.Open(t.Context(), bed.Owner, store.Options{MaxConns: 2, AllowOwner: true})
	require.NoError(t, err)
	defer db.Close()
	defer func() { _ = conn.Close(t.Context()) }()
	_, err = conn.Exec(t.Context(), `INSERT INTO users (id, issuer, subject, email) SELECT gen_random_uuid(), 'bulk', n::text, n || '@example.com' FROM generate_series(1, 7) n`)
	require.NoError(t, err)
	for _, n := range []string{"120", "300"} {
		for _, sql := range otherLists {
			_, err := conn.Exec(t.Context(), strings.ReplaceAll(sql, "$n", n), pgx.QueryExecModeSimpleProtocol)
			require.NoError(t, err, sql)
		}
		for _, table := range []string{"attestations", "audit_log", "tickets", "gift_cards", "payouts", "vouchers", "treasury_moves", "reconciled_effects", "statement_lines", "reconciliation_breaks"} {
			var rows string
			require.NoError(t, conn.QueryRow(t.Context(), "SELECT count(*)::text FROM "+table).Scan(&rows))
			require.Equal(t, n, rows, table)
		}
		took, err := comparison(t.Context(), db)
		require.NoError(t, err)
		require.Positive(t, took)
	}
}
