package e2e

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local"
)

// ownStack gives a test a stack of its own, in place of the shared one, so that its kills affect no other test. The
// test must not be parallel.
func ownStack(t *testing.T, variant local.Variant, more map[string]string, environ ...string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "tradepost-own-")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o755))

	theirs, theirOptions, theirDatabase := stack, options, database
	own := maps.Clone(settings)
	maps.Copy(own, more)
	options = local.Options{DataDir: filepath.Join(dir, "data"), FreePorts: true, Variant: variant, Environ: environ, Unwatched: true, Unsynced: true,
		Getenv: func(name string) string { return own[name] }}
	stack, err = local.Start(t.Context(), options)
	if err != nil {
		stack, options = theirs, theirOptions
		require.NoError(t, err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			for _, part := range stack.Parts() {
				t.Logf("==== %s\n%s", part, stack.Logs(part, 25))
			}
		}
		database.Close()
		stack.Stop()
		stack, options, database = theirs, theirOptions, theirDatabase
	})
	database, err = pgxpool.New(t.Context(), stack.AppDSN())
	require.NoError(t, err)
}
