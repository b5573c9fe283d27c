package e2e

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local"
	"github.com/tradepost/tradepost/internal/local/build"
)

// operates runs a command of the API binary as an operator does, and returns what it prints.
func operates(t *testing.T, args ...string) (string, error) {
	t.Helper()
	root, err := build.Root()
	require.NoError(t, err)
	command := exec.CommandContext(t.Context(), filepath.Join(root, ".data", "bin", "api"), args...)
	command.Env = append(os.Environ(), "MODE=local", "DATABASE_URL="+stack.OperatorDSN(),
		"OIDC_ISSUER="+stack.IdentityURL())
	said, err := command.CombinedOutput()
	return string(said), err
}

// An operator turns deliveries off and on without the site: customers see it, the page of switches names the admin, and
// repeating the command changes nothing. It does not run in parallel: others deliver.
func TestOperatorTurnsDeliveriesWithoutTheSite(t *testing.T) {
	admin(t) // who has never signed in is nobody to the product
	turn := func(state string) string {
		said, err := operates(t, "switches", state, "deliveries", "--by", local.DemoAdmin,
			"--reason", "a backup was restored")
		require.NoError(t, err, said)
		return said
	}
	notice := func() *string {
		var notices struct{ Fulfilment *string }
		newVisitor(t).get("/api/public/notices", &notices)
		return notices.Fulfilment
	}
	t.Cleanup(func() {
		_, _ = operates(t, "switches", "on", "deliveries", "--by", local.DemoAdmin, "--reason", "the test ended")
	})
	require.Contains(t, turn("off"), "deliveries: off")
	require.Contains(t, turn("off"), "nothing changed")
	until(t, "customers to be told", func() bool { return notice() != nil })
	said, err := operates(t, "switches", "show")
	require.NoError(t, err, said)
	require.Contains(t, said, "deliveries: off since")
	require.Contains(t, said, local.DemoAdmin+": a backup was restored")
	require.Contains(t, turn("on"), "deliveries: on")
	until(t, "customers to be told that it is over", func() bool { return notice() == nil })

	said, err = operates(t, "switches", "off", "deliveries", "--by", "nobody@example.com", "--reason", "none")
	require.Error(t, err)
	require.Contains(t, said, "no admin")
	require.Equal(t, http.StatusOK, newVisitor(t).call(http.MethodGet, "/api/public/notices", nil, nil))
}

// The commands of a first start report their effect, including when they are repeated.
func TestRepeatedCommandsReportTheirEffect(t *testing.T) {
	said, err := operates(t, "float", "seed")
	require.NoError(t, err, said)
	require.Contains(t, said, "Nothing was booked")
	said, err = operates(t, "float", "seed", "--name", "nothing at all", empty(t))
	require.Error(t, err)
	require.Contains(t, said, "no amount")
	root, err := build.Root()
	require.NoError(t, err)
	migrate := exec.CommandContext(t.Context(), filepath.Join(root, ".data", "bin", "api"), "migrate")
	migrate.Env = append(os.Environ(), "MODE=local", "MIGRATE_DATABASE_URL="+stack.OwnerDSN())
	out, err := migrate.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "The schema is at migration ")
}

// empty is a file with a comment alone.
func empty(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "float.txt")
	require.NoError(t, os.WriteFile(file, []byte("# nothing yet\n"), 0o600))
	return file
}
