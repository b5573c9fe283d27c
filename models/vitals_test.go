package models_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/reporting"
	"github.com/tradepost/tradepost/models/store"
)

// Prometheus reads how long histories wait to be kept, and how far a replica is behind.
func TestVitalsSayWhatWaitsOutside(t *testing.T) {
	s := openShop(t)
	core, err := store.Open(t.Context(), s.dbs.Process["core"], store.Options{MaxConns: 1})
	require.NoError(t, err)
	t.Cleanup(core.Close)
	read := func(name string) float64 {
		t.Helper()
		all, err := reporting.Vitals(t.Context(), core, reporting.AlertLimits{})
		require.NoError(t, err)
		for _, v := range all {
			if v.Name == name {
				return v.Value
			}
		}
		require.Fail(t, "no "+name)
		return 0
	}
	require.Zero(t, read("histories_due_seconds"))
	o := s.ordered()
	s.owner(`INSERT INTO histories_due VALUES ($1, clock_now() - interval '3 days')`, o.ID)
	require.InDelta(t, 3*86400, read("histories_due_seconds"), 60)

	admin, err := pgx.Connect(t.Context(), s.dbs.Admin)
	require.NoError(t, err)
	after := context.WithoutCancel(t.Context())
	t.Cleanup(func() { _ = admin.Close(after) })
	slot := s.dbs.Name[len(s.dbs.Name)-8:]
	_, err = admin.Exec(t.Context(), "SELECT pg_create_physical_replication_slot($1, true)", slot)
	require.NoError(t, err)
	t.Cleanup(func() { _, _ = admin.Exec(after, "SELECT pg_drop_replication_slot($1)", slot) })
	before := read("replication_behind_bytes")
	_, err = admin.Exec(t.Context(), "SELECT pg_logical_emit_message(false, 'test', repeat('x', 100000), true)")
	require.NoError(t, err)
	require.GreaterOrEqual(t, read("replication_behind_bytes"), before+100_000)
}
