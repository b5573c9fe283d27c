package postgres_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local/build"
	"github.com/tradepost/tradepost/internal/local/ports"
	"github.com/tradepost/tradepost/internal/local/postgres"
	"github.com/tradepost/tradepost/internal/local/process"
)

// TestMain lets the test program run a server under another account: it is
// started again with the folder of the binaries and of the data.
func TestMain(m *testing.M) {
	if len(os.Args) != 4 || os.Args[1] != "serve" {
		os.Exit(m.Run())
	}
	if err := serve(context.Background(), os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve makes a data folder, starts a server on it, writes a row, stops it,
// starts it again and finds the row.
func serve(ctx context.Context, bin, dir string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for _, sql := range []string{"CREATE TABLE kept AS SELECT 42 AS answer", "SELECT 1 / (SELECT count(*) FROM kept WHERE answer = 42)"} {
		cluster, err := postgres.Prepare(ctx, postgres.Options{Bin: bin, Dir: dir, Port: freePort(), Password: "sesame"})
		if err != nil {
			return err
		}
		cmd := cluster.Command()
		cmd.Stderr = os.Stderr
		if err := process.Start(cmd, syscall.SIGINT); err != nil {
			return err
		}
		err = query(ctx, cluster, sql)
		if stopped := process.Signal(cmd, syscall.SIGINT); stopped != nil {
			return stopped
		}
		if ended := cmd.Wait(); err == nil {
			err = ended
		}
		if err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return nil
}

func query(ctx context.Context, cluster *postgres.Cluster, sql string) error {
	for postgres.Answers(ctx, cluster.AdminURL()) != nil {
		select {
		case <-ctx.Done():
			return postgres.Answers(context.WithoutCancel(ctx), cluster.AdminURL())
		case <-time.After(20 * time.Millisecond):
		}
	}
	if err := postgres.Answers(ctx, cluster.URL(postgres.Superuser, "guess", "postgres")); err == nil {
		return fmt.Errorf("a wrong password is let in")
	}
	conn, err := pgx.Connect(ctx, cluster.AdminURL())
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	_, err = conn.Exec(ctx, sql)
	return err
}

func freePort() int {
	port, err := ports.One()
	if err != nil {
		panic(err)
	}
	return port
}

// The server runs for the user who runs the tests; for root also in a home that no other
// account may enter, and for an ordinary user whom root becomes.
func TestServerRunsForRootAndForOrdinaryUsers(t *testing.T) {
	root, err := build.Root()
	require.NoError(t, err)
	bin, err := postgres.Find(t.Context(), build.PostgresModule(root), io.Discard)
	require.NoError(t, err)

	t.Run("this account", func(t *testing.T) {
		t.Parallel()
		require.NoError(t, serve(t.Context(), bin, filepath.Join(openFolder(t), "pg")))
	})
	if os.Geteuid() != 0 {
		return
	}
	t.Run("root in a closed home", func(t *testing.T) {
		t.Parallel()
		home := openFolder(t)
		require.NoError(t, os.Chmod(home, 0o700))
		require.NoError(t, serve(t.Context(), bin, filepath.Join(home, "pg")))
	})
	t.Run("an ordinary user", func(t *testing.T) {
		t.Parallel()
		const nobody = 65534
		home := openFolder(t)
		self := filepath.Join(home, "self")
		raw, err := os.ReadFile(os.Args[0])
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(self, raw, 0o755))
		require.NoError(t, os.Chown(home, nobody, nobody))
		cmd := exec.Command(self, "serve", reachable(t, bin, home), filepath.Join(home, "pg"))
		cmd.Dir = home
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		said, err := cmd.CombinedOutput()
		require.NoError(t, err, string(said))
	})
}

// reachable returns a folder of the same binaries that any account can read: a
// copy below home when the checkout is in a closed one.
func reachable(t *testing.T, bin, home string) string {
	t.Helper()
	for dir := bin; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		require.NoError(t, err)
		if info.Mode().Perm()&0o001 == 0 {
			copied := filepath.Join(home, "native")
			require.NoError(t, os.CopyFS(copied, os.DirFS(filepath.Dir(bin))))
			return filepath.Join(copied, "bin")
		}
	}
	return bin
}

// openFolder is a temporary folder that other accounts may pass through, which
// t.TempDir is not when the umask is strict.
func openFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "tradepost-postgres-")
	require.NoError(t, err)
	require.NoError(t, os.Chmod(dir, 0o755))
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}
