//go:build kill

package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/tradepost/tradepost/internal/local"
	"github.com/tradepost/tradepost/internal/local/build"
)

// temporalBefore pins the server of the minor version before, and what it needs.
const temporalBefore = "testdata/temporal131"

// temporalOf builds the local Temporal server with the modules of a folder.
func temporalOf(ctx context.Context, t *testing.T, modules string) (program string) {
	t.Helper()
	root, err := build.Root()
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(build.TemporalModule(root))))
	for _, name := range []string{"go.mod", "go.sum"} {
		raw, err := os.ReadFile(filepath.Join(modules, name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), raw, 0o600))
	}
	// The web UI of that time has one argument fewer.
	page, err := os.ReadFile(filepath.Join(dir, "ui.go"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "ui.go"), []byte(strings.Replace(string(page), "pages, settings)", "pages)", 1)), 0o600))
	program = filepath.Join(ownFolder(t), "temporal")
	for _, command := range []*exec.Cmd{
		exec.CommandContext(ctx, "go", "mod", "edit", "-droprequire", "go.temporal.io/server", "-droprequire", "go.temporal.io/api", filepath.Join("standin", "autoscaled", "go.mod")),
		exec.CommandContext(ctx, "go", "build", "-o", program, "."),
	} {
		command.Dir, command.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=")
		said, err := command.CombinedOutput()
		require.NoError(t, err, string(said))
	}
	return program
}

// temporalVersion is the release that the stack's Temporal says it is.
func temporalVersion(ctx context.Context, t *testing.T) string {
	t.Helper()
	c, err := client.DialContext(ctx, client.Options{HostPort: stack.TemporalAddress()})
	require.NoError(t, err)
	defer c.Close()
	cluster, err := c.WorkflowService().GetClusterInfo(ctx, &workflowservice.GetClusterInfoRequest{})
	require.NoError(t, err)
	return cluster.GetServerVersion()
}

// Temporal goes from the minor version before to today's, its schema with it, while orders wait at each step and others
// go on: the site serves throughout, every workflow goes on, and each effect is there once.
func TestUpgradeTemporal(t *testing.T) {
	say := sayer()
	say("building the server of %s", temporalBefore)
	program := temporalOf(t.Context(), t, temporalBefore)
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
	defer cancel()
	ownStackWith(t, local.Options{DataDir: filepath.Join(ownFolder(t), "data"), TemporalInPostgres: true, Unsynced: true, TemporalProgram: program}, nil)
	before := temporalVersion(ctx, t)
	require.True(t, strings.HasPrefix(before, "1.31."), before)
	list := buyers(t, 7)
	orders := &flow{t: t}
	orders.wait(ctx, list)
	orders.begin(ctx, list[4:])

	say("replacing Temporal %s, %d orders later", before, orders.count())
	root, err := build.Root()
	require.NoError(t, err)
	next, err := build.Temporal(ctx, root, filepath.Dir(program)+"-next")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(filepath.Dir(next)) })
	away := time.Now()
	require.NoError(t, stack.Down("temporal"))
	require.NoError(t, os.Rename(next, program))
	require.NoError(t, stack.Up(ctx, "temporal"))
	healthySoon(t)
	after := temporalVersion(ctx, t)
	say("Temporal %s, %s later", after, time.Since(away).Round(time.Second))
	require.True(t, strings.HasPrefix(after, "1.32."), after)
	orders.more(3)

	say("leading what waits to its end")
	all := orders.end(ctx)
	require.NoError(t, balanceBooks(ctx))
	say("%d orders, each sent once; %d calls without a 5xx; the books agree", len(all), orders.counted.total)
}
