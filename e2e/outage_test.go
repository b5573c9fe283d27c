package e2e

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local"
)

// Outages of what everything stands on: Postgres and Temporal. The tests have a
// stack of their own.

// probe calls a readiness or health check; 0 is no answer.
func probe(ctx context.Context, address string) int {
	ctx, cancel := context.WithTimeout(ctx, 4*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return 0
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0
	}
	_ = response.Body.Close()
	return response.StatusCode
}

// probes are where each process says whether it can work.
func probes() map[string]string {
	all := map[string]string{}
	for name, port := range stack.Ports.Health {
		all[name] = fmt.Sprintf("http://127.0.0.1:%d/healthz", port)
	}
	all["api"] = stack.SiteURL() + "/readyz"
	return all
}

// healthySoon requires every process to say that it can work, within 30 s.
func healthySoon(t *testing.T) {
	t.Helper()
	begun := time.Now()
	for name, address := range probes() {
		untilIn(t, 30*time.Second-time.Since(begun), name+" to be healthy", func() bool { return probe(t.Context(), address) == http.StatusOK })
	}
	t.Logf("healthy after %s", time.Since(begun).Round(10*time.Millisecond))
}

// underWay starts a card order for each and executes it in the background; ended waits for them.
func underWay(ctx context.Context, t *testing.T, list []*buyer, way func(b *buyer) []func(context.Context) error) (ended func()) {
	t.Helper()
	results := make([]error, len(list))
	var all sync.WaitGroup
	for i, b := range list {
		b.what = some(t, "BTC", "0.001")
		all.Go(func() {
			results[i] = steps(ctx, append([]func(context.Context) error{b.ask, b.order}, way(b)...)...)
		})
	}
	return func() {
		all.Wait()
		for i, b := range list {
			if results[i] != nil {
				explain(t, b.id)
			}
			require.NoError(t, results[i])
		}
	}
}

// sentOnce checks orders that ended well: each effect once, books balanced.
func sentOnce(t *testing.T, list []*buyer) {
	t.Helper()
	for _, b := range list {
		require.Equal(t, cardSent, effects(t, b.id))
		balanced(t, b.id)
	}
}

// Postgres goes and comes back, in the middle of orders: killed, with its connections used up, and with the API's pool
// used up. The API answers that it cannot serve (503, nothing else), nothing is left half done, and the platform has
// recovered within half a minute.
func TestBar27PostgresGoesAndComesBack(t *testing.T) {
	ownStack(t, local.Variant{}, map[string]string{"DATABASE_CONNECTIONS": "4"})
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	list := buyers(t, 4)
	reader := list[3]
	counted, enough := underLoad(ctx, t, reader)
	ended := underWay(ctx, t, list[:3], wholeWay)
	for _, far := range []string{"pending", "payment_approved", "fulfilling"} {
		t.Run("killed when "+far, func(t *testing.T) {
			until(t, "an order that is so far", func() bool { return past(far)(list[0].nowIfMade(ctx)) })
			require.NoError(t, stack.Kill("postgres"))
			require.NoError(t, stack.Down("postgres"))
			notReady(ctx, t)
			require.Equal(t, http.StatusOK, probe(ctx, stack.SiteURL()+"/healthz"), "it lives all the while")
			require.NoError(t, stack.Up(ctx, "postgres"))
			healthySoon(t)
		})
	}
	t.Run("its connections used up", func(t *testing.T) {
		taken := takeConnections(ctx, t)
		notReady(ctx, t)
		for _, conn := range taken {
			_ = conn.Close(ctx)
		}
		healthySoon(t)
	})
	enough()
	t.Logf("%d calls, of which %d were told to come back", counted.total, counted.reported)
	require.Empty(t, counted.problem)
	require.Positive(t, counted.reported)
	t.Run("the API's pool used up", func(t *testing.T) { usesUpPool(ctx, t, list[0].customer) })
	ended()
	sentOnce(t, list[:3])
	require.NoError(t, balanceBooks(ctx))
}

func notReady(ctx context.Context, t *testing.T) {
	t.Helper()
	until(t, "the API to say that it is not ready", func() bool { return probe(ctx, stack.SiteURL()+"/readyz") == http.StatusServiceUnavailable })
}

// usesUpPool has more requests wait for a lock than the API has connections.
func usesUpPool(ctx context.Context, t *testing.T, customer *visitor) {
	t.Helper()
	owner, err := pgx.Connect(ctx, stack.OwnerDSN())
	require.NoError(t, err)
	defer func() { _ = owner.Close(context.WithoutCancel(ctx)) }()
	tx, err := owner.Begin(ctx)
	require.NoError(t, err)
	_, err = tx.Exec(ctx, "LOCK TABLE orders IN ACCESS EXCLUSIVE MODE")
	require.NoError(t, err)
	var waiting sync.WaitGroup
	for range 12 {
		waiting.Go(func() { customer.try(ctx, http.MethodGet, "/api/orders", "", nil, nil) })
	}
	notReady(ctx, t)
	require.NoError(t, tx.Rollback(ctx))
	waiting.Wait()
	healthySoon(t)
}

// nowIfMade is now, or the zero order before it is made.
func (b *buyer) nowIfMade(ctx context.Context) order {
	if b.id == "" {
		return order{}
	}
	return b.now(ctx)
}

// takeConnections uses every connection of Postgres, and those of our processes as it cuts them.
func takeConnections(ctx context.Context, t *testing.T) []*pgx.Conn {
	t.Helper()
	admin, err := url.Parse(stack.AppDSN())
	require.NoError(t, err)
	admin.User = url.UserPassword("postgres", stack.Secret("POSTGRES_PASSWORD"))
	knife, err := pgx.Connect(ctx, admin.String())
	require.NoError(t, err)
	taken := []*pgx.Conn{knife}
	for full := 0; full < 20; {
		conn, err := pgx.Connect(ctx, stack.AppDSN())
		if err == nil {
			taken = append(taken, conn)
			continue
		}
		full++
		require.True(t, strings.Contains(err.Error(), "connection slots") || strings.Contains(err.Error(), "too many"), err)
		_, err = knife.Exec(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename LIKE 'tradepost%' AND usename NOT IN ('tradepost_owner', 'tradepost_identity')
			AND pid <> ALL ($1)`, pids(taken))
		require.NoError(t, err)
	}
	return taken
}

func pids(list []*pgx.Conn) []int32 {
	ids := make([]int32, len(list))
	for i, conn := range list {
		ids[i] = int32(conn.PgConn().PID())
	}
	return ids
}

// tally counts what a load was answered.
type tally struct {
	may []int // answers of 5xx that are none to complain of

	mu       sync.Mutex
	total    int
	reported int // with one of those
	problem  []string
}

func (c *tally) count(what string, status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.total++
	switch {
	case slices.Contains(c.may, status):
		c.reported++
	case status == 0 || status >= 500:
		c.problem = append(c.problem, fmt.Sprintf("%s: %d", what, status))
	}
}

// underLoad has a buyer read and request prices without pause; enough ends it. 503 is an answer to expect.
func underLoad(ctx context.Context, t *testing.T, reader *buyer) (counted *tally, enough func()) {
	t.Helper()
	reader.what = some(t, "BTC", "0.001")
	counted = &tally{may: []int{http.StatusServiceUnavailable}}
	reading, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { load(reading, reader.customer, reader.what, counted) })
	return counted, func() {
		cancel()
		running.Wait()
	}
}

// load is a visitor who reads and requests prices without pause.
func load(ctx context.Context, v *visitor, what purchase, counted *tally) {
	price := map[string]string{"asset": what.asset, "amountAsset": what.amount, "paymentMethod": what.method, "destAddress": what.address}
	for ctx.Err() == nil {
		for _, path := range []string{"/api/orders", "/api/config", "/api/exchange-rates", "/api/auth/user"} {
			counted.count(path, v.try(context.WithoutCancel(ctx), http.MethodGet, path, "", nil, nil))
		}
		counted.count("a price", v.try(context.WithoutCancel(ctx), http.MethodPost, "/api/orders/calculate-pricing", "", price, nil))
	}
}
