//go:build kill

package e2e

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local"
)

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

// Temporal is down for ten minutes, by the database's clock and the simulators': no part of ours reads another one, so
// no real wait is needed. Orders and decisions are accepted meanwhile; workflows in progress halt. When Temporal is
// back everything finishes, once.
func TestBar31TemporalDownForTenMinutes(t *testing.T) {
	ownStack(t, local.Variant{}, map[string]string{"SWEEP_INTERVAL": "1s", "SWEEP_GRACE": "2s"})
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	list := buyers(t, 5)
	early, late := list[:2], list[2:]
	underWay(ctx, t, early, func(b *buyer) []func(context.Context) error { return []func(context.Context) error{b.authorise} })()

	require.NoError(t, stack.Kill("temporal"))
	require.NoError(t, stack.Down("temporal"))
	decided := early[0].staff.try(ctx, http.MethodPost, "/api/admin/payments/"+early[0].paymentID(ctx)+"/process", "", nil, nil)
	require.Contains(t, []int{http.StatusAccepted, http.StatusOK}, decided, "a decision is taken down, and delivered later")
	underWay(ctx, t, late, func(*buyer) []func(context.Context) error { return nil })()
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
	sentOnce(t, list)
	for _, b := range list {
		require.Equal(t, 1, b.now(ctx).countEvents("captured"))
	}
	require.NoError(t, balanceBooks(ctx))
}
