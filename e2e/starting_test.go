package e2e

import (
	"context"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local"
)

// While Temporal is unavailable, as on a first start that builds it, the site is open: customers sign up and order, and
// each page says what is missing. Their orders are executed once it is available, and the pages no longer say so.
func TestTheSiteOpensBeforeTemporalIsThere(t *testing.T) {
	opened, held, started := make(chan *local.Stack, 1), make(chan struct{}), make(chan error, 1)
	holdBack(t, opened, held, started)
	select {
	case stack = <-opened:
	case err := <-started:
		require.NoError(t, err)
	}
	require.NotContains(t, stack.Parts(), "temporal")
	var err error
	database, err = pgxpool.New(t.Context(), stack.AppDSN())
	require.NoError(t, err)
	t.Cleanup(database.Close)

	front := newVisitor(t).open(stack.SiteURL() + "/")
	require.Equal(t, http.StatusOK, front.status)
	require.Contains(t, string(front.body), "This computer is still building the workers and the workflow server. Ready in ")

	customer := newVisitor(t)
	customer.signUp()
	approveWithoutCore(t, customer)
	what := some(t, "BTC", "0.01")
	until(t, "prices", func() bool {
		return customer.call(http.MethodPost, "/api/orders/calculate-pricing", map[string]string{
			"asset": what.asset, "amountAsset": what.amount, "paymentMethod": what.method, "destAddress": what.address}, nil) == http.StatusOK
	})
	made := customer.buy(what)
	require.Equal(t, "pending", customer.order(made.ID).Status)
	require.NotContains(t, stack.Parts(), "temporal", "nothing started it in the meantime")

	close(held)
	require.NoError(t, <-started)
	customer.authorise(made.ID)
	front = newVisitor(t).open(stack.SiteURL() + "/")
	require.NotContains(t, string(front.body), "still building")
}

// holdBack starts a stack of the test's own, in place of the one that tests share,
// whose Temporal waits for held.
func holdBack(t *testing.T, opened chan<- *local.Stack, held <-chan struct{}, started chan<- error) {
	t.Helper()
	dir, err := os.MkdirTemp("", "tradepost-own-")
	require.NoError(t, err)
	require.NoError(t, os.Chmod(dir, 0o755))
	theirs, theirOptions, theirDatabase := stack, options, database
	own := maps.Clone(settings)
	options = local.Options{DataDir: filepath.Join(dir, "data"), FreePorts: true, Unwatched: true, Unsynced: true,
		Getenv: func(name string) string { return own[name] },
		Opened: func(s *local.Stack) { opened <- s },
		BeforeTemporal: func(ctx context.Context) error {
			select {
			case <-held:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s, err := local.Start(ctx, options)
		started <- err
		if err == nil {
			<-ctx.Done()
			s.Stop()
		}
	}()
	t.Cleanup(func() {
		if t.Failed() && stack != nil {
			for _, part := range stack.Parts() {
				t.Logf("==== %s\n%s", part, stack.Logs(part, 25))
			}
		}
		cancel()
		<-ended
		stack, options, database = theirs, theirOptions, theirDatabase
		_ = os.RemoveAll(dir)
	})
}

// approveWithoutCore approves an identity, whose review core would execute.
func approveWithoutCore(t *testing.T, customer *visitor) {
	t.Helper()
	owner, err := pgx.Connect(t.Context(), stack.OwnerDSN())
	require.NoError(t, err)
	defer func() { _ = owner.Close(context.WithoutCancel(t.Context())) }()
	_, err = owner.Exec(t.Context(), `INSERT INTO kyc_records (user_id, level, status) SELECT id, 'standard', 'approved' FROM users WHERE email = $1
		ON CONFLICT (user_id) DO UPDATE SET level = 'standard', status = 'approved'`, customer.mail)
	require.NoError(t, err)
}
