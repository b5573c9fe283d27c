package e2e

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local"
	"github.com/tradepost/tradepost/internal/local/postgres"
)

// Two replicas that migrate the same new database at the same moment: one runs
// the migrations, the other waits for it, and both can serve.
func TestBar33TwoReplicasMigrateAtOnce(t *testing.T) {
	ctx := t.Context()
	name := "twice_" + strings.ToLower(rand.Text()[:8])
	on := func(dsn string) string {
		address, err := url.Parse(dsn)
		require.NoError(t, err)
		address.Path = "/" + name
		return address.String()
	}
	superuser, err := url.Parse(stack.AppDSN())
	require.NoError(t, err)
	superuser.User = url.UserPassword(postgres.Superuser, stack.Secret("POSTGRES_PASSWORD"))
	superuser.Path = "/postgres"
	require.NoError(t, postgres.CreateDatabase(ctx, superuser.String(), name))

	said := make(chan error, 2)
	for range 2 {
		go func() {
			migrate := exec.CommandContext(ctx, filepath.Join("..", ".data", "bin", "api"), "migrate")
			migrate.Env = []string{"MODE=local", "MIGRATE_DATABASE_URL=" + on(stack.OwnerDSN())}
			out, err := migrate.CombinedOutput()
			if err != nil {
				err = fmt.Errorf("%w: %s", err, out)
			}
			said <- err
		}()
	}
	require.NoError(t, <-said)
	require.NoError(t, <-said)
	owner, err := pgx.Connect(ctx, on(stack.OwnerDSN()))
	require.NoError(t, err)
	defer func() { _ = owner.Close(context.WithoutCancel(ctx)) }()
	var versions, rows int
	require.NoError(t, owner.QueryRow(ctx, "SELECT count(DISTINCT version_id), count(*) FROM goose_db_version").Scan(&versions, &rows))
	require.Equal(t, versions, rows, "each migration ran once")
	require.Greater(t, versions, 3)
	for _, replica := range []string{"one", "two"} {
		t.Cleanup(func() { _ = stack.Down(replica) })
		address, err := stack.AddReplica(ctx, local.Replica{Name: replica, Of: "api", Environ: []string{"DATABASE_URL=" + on(stack.AppDSN())}})
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, probe(ctx, address+"/readyz"))
	}
}
