package deploy

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/identity"
	"github.com/tradepost/tradepost/internal/local/asvs"
	"github.com/tradepost/tradepost/internal/local/postgres"
	"github.com/tradepost/tradepost/internal/local/testbed"
	"github.com/tradepost/tradepost/models/store"
)

// rolesSQL is what roles.sh gives to psql, with psql's variables filled in, in
// parts by the database they run in.
func rolesSQL(t *testing.T) (first, inProduct string) {
	t.Helper()
	_, sql, ok := strings.Cut(read(t, "deploy/postgres/roles.sh"), "<<'SQL'\n")
	require.True(t, ok)
	sql, _, ok = strings.Cut(sql, "\nSQL\n")
	require.True(t, ok)
	for _, name := range append([]string{"owner", "identity", "temporal", "backup"}, postgres.Processes...) {
		require.Contains(t, sql, ":'"+name+"'")
		sql = strings.ReplaceAll(sql, ":'"+name+"'", "'"+name+"'")
	}
	first, inProduct, ok = strings.Cut(sql, `\connect tradepost`)
	require.True(t, ok)
	return first, inProduct
}

// What roles.sh makes is what the programs need and no more: the owner can
// migrate, no process can change the ledger or see the accounts of the identity
// provider, Temporal cannot enter our database.
func TestRolesAreWhatTheProgramsNeed(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	server, err := testbed.StartPostgres(ctx)
	require.NoError(t, err)
	defer server.Stop()
	as := func(role, database string) string {
		address, err := url.Parse(server.AdminURL)
		require.NoError(t, err)
		address.Path = "/" + database
		if role != "" {
			address.User = url.UserPassword(role, strings.TrimPrefix(role, "tradepost_"))
		}
		return address.String()
	}
	first, inProduct := rolesSQL(t)
	for _, role := range append([]string{"owner", "app", "identity"}, postgres.Processes...) {
		run(ctx, t, as("", "postgres"), "DROP ROLE tradepost_"+role)
	}
	run(ctx, t, as("", "postgres"), first)
	run(ctx, t, as("", "tradepost"), inProduct)

	require.NoError(t, store.Migrate(ctx, as("tradepost_owner", "tradepost")))
	pool, err := identity.OpenPool(ctx, as("tradepost_identity", "tradepost"))
	require.NoError(t, err)
	require.NoError(t, identity.Migrate(ctx, pool))
	pool.Close()
	for _, role := range store.Roles {
		db, err := store.Open(ctx, as(string(role), "tradepost"), store.Options{})
		require.NoError(t, err, role)
		db.Close()
	}
	_, err = store.Open(ctx, as("tradepost_owner", "tradepost"), store.Options{})
	require.Error(t, err, "the owner must not run the product")

	for _, forbidden := range []string{"DELETE FROM postings", "UPDATE order_events SET kind = 'x'", "TRUNCATE audit_log",
		"CREATE TABLE mine (a int)", "SELECT * FROM identity.users"} {
		for _, role := range store.Roles {
			require.Equal(t, "42501", refused(ctx, t, as(string(role), "tradepost"), forbidden), "%s: %s: %s", role, forbidden, asvs.Claim(t, "13.2.2"))
		}
	}
	require.Equal(t, "42501", refused(ctx, t, as("temporal", "tradepost"), "SELECT 1"))
	require.Equal(t, "42501", refused(ctx, t, as("tradepost_api", "temporal"), "SELECT 1"))
	require.Equal(t, "28P01", refused(ctx, t, as("tradepost_app", "tradepost"), "SELECT 1"), "nothing connects as the role that all processes had")
	require.Equal(t, "42501", refused(ctx, t, as("tradepost_backup", "tradepost"), "SELECT 1"))
	run(ctx, t, as("tradepost_backup", "postgres"), "SELECT pg_create_physical_replication_slot('tradepost_backup', true); SELECT pg_drop_replication_slot('tradepost_backup')")
	run(ctx, t, as("temporal", "temporal"), "CREATE TABLE schema_version (a int)")
	run(ctx, t, as("temporal", "temporal_visibility"), "CREATE EXTENSION btree_gin") // as Temporal's own schema does
}

// run executes statements one by one: CREATE DATABASE does not run in a transaction.
func run(ctx context.Context, t *testing.T, address, sql string) {
	t.Helper()
	conn, err := pgx.Connect(ctx, address)
	require.NoError(t, err)
	defer func() { _ = conn.Close(ctx) }()
	for statement := range strings.SplitSeq(sql, ";") {
		if strings.TrimSpace(statement) != "" {
			_, err := conn.Exec(ctx, statement)
			require.NoError(t, err, statement)
		}
	}
}

// refused is the SQLSTATE with which Postgres refuses.
func refused(ctx context.Context, t *testing.T, address, sql string) string {
	t.Helper()
	conn, err := pgx.Connect(ctx, address)
	if err == nil {
		defer func() { _ = conn.Close(ctx) }()
		_, err = conn.Exec(ctx, sql)
	}
	var refusal *pgconn.PgError
	require.ErrorAs(t, err, &refusal)
	return refusal.Code
}
