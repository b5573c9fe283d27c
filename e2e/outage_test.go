package e2e

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
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

// probe asks a readiness or health check; 0 is no answer.
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
	all := map[string]string{"api": stack.SiteURL() + "/readyz"}
	for name, port := range stack.Ports.Health {
		all[name] = fmt.Sprintf("http://127.0.0.1:%d/healthz", port)
	}
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

// underWay starts card orders and takes them their way, in the background.
func underWay(ctx context.Context, t *testing.T, n int, way func(b *buyer) []func(context.Context) error) (list []*buyer, ended func()) {
	t.Helper()
	list = buyers(t, n)
	results := make([]error, n)
	var all sync.WaitGroup
	for i, b := range list {
		b.what = some(t, "BTC", "0.001")
		all.Go(func() {
			results[i] = steps(ctx, append([]func(context.Context) error{b.ask, b.order}, way(b)...)...)
		})
	}
	return list, func() {
		all.Wait()
		for i, b := range list {
			if results[i] != nil {
				explain(t, b.id)
			}
			require.NoError(t, results[i])
		}
	}
}

func wholeWay(b *buyer) []func(context.Context) error {
	return []func(context.Context) error{b.authorise, b.process, b.fulfil, b.arrives}
}

// sentOnce checks orders that ended well: each effect once, books balanced.
func sentOnce(t *testing.T, list []*buyer) {
	t.Helper()
	for _, b := range list {
		require.Equal(t, cardSent, effects(t, b.id))
		balanced(t, b.id)
	}
}

// Postgres dies by SIGKILL while orders are on their way, and stays away for a
// while: who serves customers says that it cannot, nothing is left half done,
// and all is well again within half a minute of its return.
func TestBar27PostgresKilledInTheMiddleOfOrders(t *testing.T) {
	ownStack(t, local.Variant{}, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	list, ended := underWay(ctx, t, 4, wholeWay)
	for _, kill := range []func(order) bool{past("pending"), past("payment_approved"), past("fulfilling")} {
		until(t, "an order that is so far", func() bool { return kill(list[0].nowIfMade(ctx)) })
		require.NoError(t, stack.Kill("postgres"))
		require.NoError(t, stack.Down("postgres"))
		until(t, "the API to say that it is not ready", func() bool { return probe(ctx, stack.SiteURL()+"/readyz") == http.StatusServiceUnavailable })
		require.Equal(t, http.StatusOK, probe(ctx, stack.SiteURL()+"/healthz"), "it lives all the while")
		require.NoError(t, stack.Up(ctx, "postgres"))
		healthySoon(t)
	}
	ended()
	sentOnce(t, list)
	require.NoError(t, balanceBooks(ctx))
}

// nowIfMade is now, or the zero order before it is made.
func (b *buyer) nowIfMade(ctx context.Context) order {
	if b.id == "" {
		return order{}
	}
	return b.now(ctx)
}

// Postgres takes no connection any more, those that there were are cut, and the
// API's own pool is used up by requests that wait for a lock: not ready, no
// partial state, and well again within half a minute.
func TestBar27ConnectionsUsedUp(t *testing.T) {
	ownStack(t, local.Variant{}, map[string]string{"DATABASE_CONNECTIONS": "4"})
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	list, ended := underWay(ctx, t, 3, wholeWay)
	until(t, "an order", func() bool { return list[0].id != "" && list[1].id != "" })

	t.Run("of the API", func(t *testing.T) {
		owner, err := pgx.Connect(ctx, stack.OwnerDSN())
		require.NoError(t, err)
		defer func() { _ = owner.Close(context.WithoutCancel(ctx)) }()
		tx, err := owner.Begin(ctx)
		require.NoError(t, err)
		_, err = tx.Exec(ctx, "LOCK TABLE orders IN ACCESS EXCLUSIVE MODE")
		require.NoError(t, err)
		var waiting sync.WaitGroup
		for range 12 {
			waiting.Go(func() { list[0].customer.try(ctx, http.MethodGet, "/api/orders", "", nil, nil) })
		}
		until(t, "the API to say that it is not ready", func() bool { return probe(ctx, stack.SiteURL()+"/readyz") == http.StatusServiceUnavailable })
		require.NoError(t, tx.Rollback(ctx))
		waiting.Wait()
		healthySoon(t)
	})
	t.Run("of Postgres", func(t *testing.T) {
		taken := takeConnections(ctx, t)
		until(t, "the API to say that it is not ready", func() bool { return probe(ctx, stack.SiteURL()+"/readyz") == http.StatusServiceUnavailable })
		for _, conn := range taken {
			_ = conn.Close(ctx)
		}
		healthySoon(t)
	})
	ended()
	sentOnce(t, list)
	require.NoError(t, balanceBooks(ctx))
}

// takeConnections takes every connection that Postgres gives, and those of our
// processes as it cuts them.
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
		_, err = knife.Exec(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'tradepost_app'
			AND pid <> ALL ($1)`, pids(taken))
		require.NoError(t, err)
	}
	return taken
}

func pids(list []*pgx.Conn) []int32 {
	ids := make([]int32, len(list))
	for i, conn := range list {
		ids[i] = int32(conn.PgConn().PID()) //nolint:gosec // process ids are small
	}
	return ids
}

// liveThrough moves the database's clock and the simulators' forward together:
// for every deadline of ours and theirs the time has then passed.
func liveThrough(t *testing.T, d time.Duration) {
	t.Helper()
	owner, err := pgx.Connect(t.Context(), stack.OwnerDSN())
	require.NoError(t, err)
	defer func() { _ = owner.Close(context.WithoutCancel(t.Context())) }()
	_, err = owner.Exec(t.Context(), "UPDATE clock SET ahead = ahead + make_interval(secs => $1)", d.Seconds())
	require.NoError(t, err)
	control(t, http.MethodPost, "/control/clock", map[string]string{"advance": d.String()}, nil)
}

// Temporal is down for ten minutes, by the database's clock and the
// simulators': nothing of ours looks at another one, so nobody need wait for
// them. Orders are taken all the while, and decisions too; what was on its way
// stands still. When Temporal is back everything finishes, once.
func TestBar31TemporalDownForTenMinutes(t *testing.T) {
	ownStack(t, local.Variant{}, map[string]string{"SWEEP_INTERVAL": "1s", "SWEEP_GRACE": "2s"})
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	early, earlyReady := underWay(ctx, t, 2, func(b *buyer) []func(context.Context) error { return []func(context.Context) error{b.authorise} })
	earlyReady()

	require.NoError(t, stack.Kill("temporal"))
	require.NoError(t, stack.Down("temporal"))
	decided := early[0].staff.try(ctx, http.MethodPost, "/api/admin/payments/"+early[0].paymentID(ctx)+"/process", "", nil, nil)
	require.Contains(t, []int{http.StatusAccepted, http.StatusOK}, decided, "a decision is taken down, and delivered later")
	late, lateMade := underWay(ctx, t, 3, func(*buyer) []func(context.Context) error { return nil })
	lateMade()
	for range 10 {
		liveThrough(t, time.Minute)
		require.Equal(t, http.StatusOK, probe(ctx, stack.SiteURL()+"/readyz"), "the API does without")
		require.Equal(t, "pending", late[0].now(ctx).Status)
	}
	require.NoError(t, stack.Up(ctx, "temporal"))

	for _, b := range early {
		require.NoError(t, steps(ctx, b.process, b.fulfil, b.arrives))
	}
	for _, b := range late {
		require.NoError(t, steps(ctx, wholeWay(b)...))
	}
	sentOnce(t, append(early, late...))
	for _, b := range append(early, late...) {
		require.Equal(t, 1, b.now(ctx).told("captured"))
	}
	require.NoError(t, balanceBooks(ctx))
}
