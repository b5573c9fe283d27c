package testbed_test

import (
	"context"
	"crypto/rand"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/tradepost/tradepost/internal/local/postgres"
	"github.com/tradepost/tradepost/internal/local/testbed"
)

// Two tests' databases are apart, the owner makes tables there, and neither the
// application's role nor the identity provider's may touch them ungranted.
func TestDatabasesAreApartAndRolesOwnTheirOwn(t *testing.T) {
	ctx := t.Context()
	one, two := testbed.EmptyDB(t), testbed.EmptyDB(t)
	require.NotEqual(t, one.Name, two.Name)

	owner := connect(t, one.Owner)
	_, err := owner.Exec(ctx, "CREATE TABLE house (id int)")
	require.NoError(t, err)

	_, err = connect(t, two.Owner).Exec(ctx, "SELECT * FROM house")
	require.ErrorContains(t, err, "does not exist")
	for _, address := range []string{one.App, one.Identity} {
		_, err = connect(t, address).Exec(ctx, "SELECT * FROM public.house")
		require.ErrorContains(t, err, "permission denied")
	}
	_, err = connect(t, one.App).Exec(ctx, "CREATE TABLE shed (id int)")
	require.ErrorContains(t, err, "permission denied")

	_, err = connect(t, one.Identity).Exec(ctx, "CREATE TABLE account (id int)")
	require.NoError(t, err)
	var schema string
	require.NoError(t, owner.QueryRow(ctx, "SELECT schemaname FROM pg_tables WHERE tablename = 'account'").Scan(&schema))
	require.Equal(t, "identity", schema)
}

func connect(t *testing.T, address string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	return conn
}

// A migrated database holds the product's tables, and the application's role
// may use them without owning any.
func TestMigratedDatabaseBelongsToTheOwnerRole(t *testing.T) {
	db := testbed.DB(t)
	app := connect(t, db.App)
	var tables, owned int
	require.NoError(t, app.QueryRow(t.Context(), `SELECT count(*), count(*) FILTER (WHERE tableowner = current_user)
		FROM pg_tables WHERE schemaname = 'public'`).Scan(&tables, &owned))
	require.Positive(t, tables)
	require.Zero(t, owned)
}

// The shared Temporal server is the real one, with the product's namespace.
func TestTemporalKnowsTheNamespace(t *testing.T) {
	c, err := client.DialContext(t.Context(), client.Options{HostPort: testbed.Temporal(t), Namespace: testbed.Namespace})
	require.NoError(t, err)
	defer c.Close()
	_, err = c.WorkflowService().DescribeNamespace(t.Context(), &workflowservice.DescribeNamespaceRequest{Namespace: testbed.Namespace})
	require.NoError(t, err)
}

// In a database that was there before, and is another's, the owner role may make
// its tables, and the application's role still may not.
func TestRolesAreMadeInADatabaseOfSomeoneElse(t *testing.T) {
	ctx := t.Context()
	name := "outside_" + strings.ToLower(rand.Text())
	admin := connect(t, testbed.EmptyDB(t).Admin)
	_, err := admin.Exec(ctx, "CREATE DATABASE "+name)
	require.NoError(t, err)
	u, err := url.Parse(admin.Config().ConnString())
	require.NoError(t, err)
	require.NoError(t, postgres.CreateDatabase(ctx, u.String(), name))
	t.Cleanup(func() { _, _ = admin.Exec(context.WithoutCancel(ctx), "DROP DATABASE "+name+" WITH (FORCE)") })

	u.Path = "/" + name
	for role, allowed := range map[string]bool{postgres.OwnerRole: true, postgres.AppRole: false} {
		u.User = url.UserPassword(role, map[string]string{postgres.OwnerRole: "owner", postgres.AppRole: "app"}[role])
		conn := connect(t, u.String())
		_, err = conn.Exec(ctx, "CREATE TABLE public.house (id int)")
		require.Equal(t, allowed, err == nil, "%s: %v", role, err)
		require.NoError(t, conn.Close(ctx))
	}
}
