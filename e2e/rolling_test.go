//go:build kill

package e2e

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local"
)

// releaseBefore is the newest tag, or else the newest commit whose schema is older than today's; without a history it
// is none.
func releaseBefore(ctx context.Context) string {
	git := func(args ...string) (string, error) {
		out, err := exec.CommandContext(ctx, "git", append([]string{"-C", ".."}, args...)...).Output()
		return strings.TrimSpace(string(out)), err
	}
	if tag, err := git("describe", "--tags", "--abbrev=0"); err == nil {
		return tag
	}
	before, err := git("log", "--first-parent", "-1", "--format=%h^1", "--", "models/migrations/*.sql")
	if err == nil {
		before, err = git("rev-parse", "--short", before)
	}
	if err != nil {
		return ""
	}
	return before
}

// buildOf is a build of an earlier commit. A checkout without it builds today's as a program of its own, which still
// shows that replicas come and go without an error.
func buildOf(t *testing.T, revision string) local.Variant {
	t.Helper()
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	source := filepath.Join(root, ".data", "previous-"+revision)
	if _, err := os.Stat(filepath.Join(source, "go.mod")); err == nil {
		return local.Variant{Name: "previous", Root: source}
	}
	archive := exec.CommandContext(t.Context(), "git", "-C", root, "archive", revision)
	tree, err := archive.Output()
	if err != nil {
		t.Logf("no history here (%v): the previous release is today's", err)
		return local.Variant{Name: "previous"}
	}
	require.NoError(t, os.MkdirAll(filepath.Dir(source), 0o755))
	fresh, err := os.MkdirTemp(filepath.Dir(source), "previous-")
	require.NoError(t, err)
	unpack := exec.CommandContext(t.Context(), "tar", "-x", "-C", fresh)
	unpack.Stdin = bytes.NewReader(tree)
	require.NoError(t, unpack.Run())
	require.NoError(t, os.Rename(fresh, source))
	return local.Variant{Name: "previous", Root: source}
}

// balancer stands before the replicas of the API as a load balancer does: it passes a new connection to one that
// accepts it.
type balancer struct {
	mu       sync.Mutex
	replicas []string
	next     int
}

func (b *balancer) set(replicas ...string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.replicas = replicas
}

func (b *balancer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	var dialer net.Dialer
	site, err := url.Parse(stack.SiteURL())
	if err != nil || address != site.Host {
		return dialer.DialContext(ctx, network, address)
	}
	b.mu.Lock()
	list := append(append([]string{}, b.replicas[b.next%len(b.replicas):]...), b.replicas[:b.next%len(b.replicas)]...)
	b.next++
	b.mu.Unlock()
	for _, replica := range list {
		var conn net.Conn
		if conn, err = dialer.DialContext(ctx, network, replica); err == nil {
			return conn, nil
		}
	}
	return nil, err
}

var deployed = []string{"api", "core", "payments", "exchange", "custody"}

// A deployment rolls under load: first the previous release alone, on today's schema; then today's build beside it,
// part by part; then today's alone. No call is answered with 5xx or not at all, and orders proceed throughout.
func TestBar33RollingRestartUnderLoad(t *testing.T) {
	old := buildOf(t, releaseBefore(t.Context()))
	ownStack(t, local.Variant{}, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 6*time.Minute)
	defer cancel()
	today := fmt.Sprintf("127.0.0.1:%d", stack.Ports.Site)
	site := &balancer{replicas: []string{today}}
	list := buyers(t, 4)
	transport := &http.Transport{DialContext: site.dial, MaxIdleConnsPerHost: 8}
	for _, b := range list {
		b.customer.http.Transport, b.staff.http.Transport = transport, transport
	}

	for _, part := range deployed {
		address, err := stack.AddReplica(ctx, local.Replica{Name: "previous " + part, Of: part, Variant: old})
		require.NoError(t, err)
		if part == "api" {
			site.set(strings.TrimPrefix(address, "http://"))
		}
		require.NoError(t, stack.Down(part))
	}
	yesterday := site.replicas[0]

	counted := &tally{}
	loading, enough := context.WithCancel(ctx)
	var running sync.WaitGroup
	for _, b := range list[:3] {
		b.what = some(t, "BTC", "0.001")
		running.Go(func() { load(loading, b.customer, b.what, counted) })
	}
	results := make(chan error, 3)
	for _, b := range list[:3] {
		go func() {
			results <- steps(ctx, append([]func(context.Context) error{b.ask, b.order}, wholeWay(b)...)...)
		}()
	}
	for _, part := range deployed {
		require.NoError(t, stack.Up(ctx, part))
		if part == "api" {
			site.set(yesterday, today)
			until(t, "an order that both saw", func() bool { return list[0].id != "" })
			site.set(today)
		}
		require.NoError(t, stack.Down("previous "+part))
	}
	for range 3 {
		require.NoError(t, <-results)
	}
	enough()
	running.Wait()
	t.Logf("%d calls", counted.total)
	require.Empty(t, counted.problem)
	sentOnce(t, list[:3])
	require.NoError(t, balanceBooks(ctx))
}
