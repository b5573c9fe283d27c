package e2e

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/dbconn"
	"github.com/tradepost/tradepost/internal/local"
)

// ownStack gives a test a stack of its own, in place of the shared one, so that its kills affect no other test. The
// test must not be parallel.
func ownStack(t *testing.T, variant local.Variant, more map[string]string, environ ...string) {
	t.Helper()
	ownStackIn(t, ownFolder(t), variant, more, environ...)
}

// ownFolder is a new folder that the account of Postgres may pass through.
func ownFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "tradepost-own-")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o755))
	return dir
}

// ownStackIn is ownStack with its data in a folder.
func ownStackIn(t *testing.T, dir string, variant local.Variant, more map[string]string, environ ...string) {
	t.Helper()
	ownStackWith(t, local.Options{DataDir: filepath.Join(dir, "data"), Variant: variant, Environ: environ, Unsynced: true}, more)
}

// ownStackWith is ownStack with options of its own.
func ownStackWith(t *testing.T, wanted local.Options, more map[string]string) {
	t.Helper()
	theirs, theirOptions, theirDatabase := stack, options, database
	own := maps.Clone(settings)
	maps.Copy(own, more)
	options = wanted
	options.FreePorts, options.Unwatched = own["SITE_PORT"] == "", true
	options.Getenv = func(name string) string { return own[name] }
	var err error
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
	config, err := pgxpool.ParseConfig(stack.AppDSN())
	require.NoError(t, err)
	dbconn.FailSoon(config)
	database, err = pgxpool.NewWithConfig(t.Context(), config)
	require.NoError(t, err)
}
