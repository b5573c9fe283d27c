package models_test

import (
	"context"
	"io/fs"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local/testbed"
	"github.com/tradepost/tradepost/models/migrations"
)

// A migration that has a way down leaves by it the schema from before, and by its way up the same one again.
func TestWaysDownLeadBack(t *testing.T) {
	db := testbed.EmptyDB(t)
	provider := upTo(t, db.Owner, 1)
	owner, err := pgx.Connect(t.Context(), db.Owner)
	require.NoError(t, err)
	defer func() { _ = owner.Close(context.WithoutCancel(t.Context())) }()
	tried := 0
	for _, source := range provider.ListSources()[1:] {
		before := schemaOf(t, owner)
		run := func(up bool) {
			_, err := provider.ApplyVersion(t.Context(), source.Version, up)
			require.NoError(t, err, "%s, up: %v", source.Path, up)
		}
		run(true)
		if text, err := fs.ReadFile(migrations.Files, source.Path); !migrations.Reversible(string(text)) {
			require.NoError(t, err)
			continue
		}
		tried++
		after := schemaOf(t, owner)
		run(false)
		require.Equal(t, before, schemaOf(t, owner), "%s: what its way down leaves", source.Path)
		run(true)
		require.Equal(t, after, schemaOf(t, owner), "%s: up again", source.Path)
	}
	require.Greater(t, tried, 50)
}

// schemaOf describes tables, columns, constraints, indexes, triggers, functions and views, sorted by name.
func schemaOf(t *testing.T, conn *pgx.Conn) (lines []string) {
	t.Helper()
	rows, err := conn.Query(t.Context(), `
		WITH r AS (SELECT oid, relname, relkind FROM pg_class WHERE relnamespace = 'public'::regnamespace)
		SELECT concat_ws(' ', 'column', relname, relkind::text, attname, format_type(atttypid, atttypmod), attnotnull, attidentity, attgenerated, attstorage, pg_get_expr(adbin, adrelid))
		  FROM r JOIN pg_attribute a ON attrelid = r.oid LEFT JOIN pg_attrdef d ON adrelid = r.oid AND adnum = attnum
		 WHERE attnum > 0 AND NOT attisdropped AND relkind IN ('r', 'p', 'v', 'm')
		UNION ALL SELECT concat_ws(' ', 'constraint', relname, conname, pg_get_constraintdef(c.oid), convalidated) FROM r JOIN pg_constraint c ON conrelid = r.oid
		UNION ALL SELECT 'index ' || pg_get_indexdef(i.indexrelid) FROM r JOIN pg_index i ON i.indexrelid = r.oid
		UNION ALL SELECT 'trigger ' || pg_get_triggerdef(g.oid) FROM r JOIN pg_trigger g ON tgrelid = r.oid WHERE NOT tgisinternal
		UNION ALL SELECT concat_ws(' ', relkind::text, relname, pg_get_viewdef(oid)) FROM r WHERE relkind IN ('v', 'm')
		UNION ALL SELECT 'function ' || regexp_replace(pg_get_functiondef(oid), '(--[^\n]*|\s+)+', ' ', 'g') FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prokind <> 'a'
		UNION ALL SELECT concat_ws(' ', 'sequence', relname) FROM r WHERE relkind = 'S'
		ORDER BY 1`)
	require.NoError(t, err)
	lines, err = pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return lines
}
