//go:build kill

package e2e

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local"
	"github.com/tradepost/tradepost/internal/sandbox/stripe"
)

// withWrongClock is a build whose wall clock is wrong by CLOCK_WRONG_BY, for
// all that runs in the process: a clock that a whole machine has would be wrong
// for Postgres and the test too.
func withWrongClock(t *testing.T) local.Variant {
	t.Helper()
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	over := map[string]string{}
	for _, kind := range []string{".go", ".s"} {
		over[filepath.Join(root, "internal", "config", "clock_linux_amd64"+kind)] = filepath.Join(root, "e2e", "testdata", "wrongclock", "clock_linux_amd64"+kind)
	}
	raw, err := json.Marshal(map[string]any{"Replace": over})
	require.NoError(t, err)
	overlay := filepath.Join(t.TempDir(), "overlay.json")
	require.NoError(t, os.WriteFile(overlay, raw, 0o600))
	return local.Variant{Name: "wrong-clock", Flags: []string{"-overlay=" + overlay, "-ldflags=-s -w -checklinkname=0"}}
}

// The API has a clock that is ten minutes ahead and the workers one that is ten minutes behind; then the API one that
// is behind, beside replicas of the workers that are ahead, which accept no work and report it. Customers sign in,
// prices hold, webhooks are accepted, orders are sent, and an unpaid one expires at its minute: by the database's
// clock.
func TestBar32WrongClocks(t *testing.T) {
	if runtime.GOOS+"/"+runtime.GOARCH != "linux/amd64" {
		return // the clock is made wrong in assembly
	}
	build := withWrongClock(t)
	ownStack(t, local.Variant{}, map[string]string{"SWEEP_INTERVAL": "1s", "SWEEP_GRACE": "2s"})
	for _, round := range []struct{ api, workers string }{{"10m", "-10m"}, {"-10m", "10m"}} {
		t.Run("the API by "+round.api, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
			defer cancel()
			for _, part := range []string{"api", "core", "payments", "exchange", "custody"} {
				by, port := round.workers, 0
				if part == "api" {
					by, port = round.api, stack.Ports.Site
				}
				name := part + " by " + by
				ahead := part != "api" && by == "10m"
				if !ahead {
					require.NoError(t, stack.Down(part))
				}
				address, err := stack.AddReplica(ctx, local.Replica{Name: name, Of: part, Variant: build, Environ: []string{"CLOCK_WRONG_BY=" + by}, Port: port, Idle: ahead})
				require.NoError(t, err)
				if ahead {
					until(t, name+" to say that it does not work", func() bool { return probe(ctx, address+"/healthz") == http.StatusServiceUnavailable })
				}
				t.Cleanup(func() {
					require.NoError(t, stack.Down(name))
					require.NoError(t, stack.Up(context.WithoutCancel(ctx), part))
				})
			}
			livesByTheDatabase(ctx, t)
		})
	}
}

func livesByTheDatabase(ctx context.Context, t *testing.T) {
	t.Helper()
	list := buyers(t, 1) // they sign up and in
	underWay(ctx, t, list, wholeWay)()
	sentOnce(t, list)

	late := &buyer{customer: list[0].customer, staff: list[0].staff, what: some(t, "BTC", "0.001")}
	require.NoError(t, steps(ctx, late.ask, late.order, late.hasPage))
	believed(t, late.id)

	var left time.Duration
	var seconds float64
	require.NoError(t, database.QueryRow(ctx, "SELECT extract(epoch FROM payment_due_at - clock_now())::float8 FROM orders WHERE id = $1", late.id).Scan(&seconds))
	left = time.Duration(seconds * float64(time.Second))
	require.InDelta(t, 31*time.Minute, left, float64(2*time.Minute), "the price is held for half an hour from now")

	stale := &buyer{customer: late.customer, staff: late.staff, what: some(t, "BTC", "0.001")}
	require.NoError(t, stale.ask(ctx))
	liveThrough(t, left-time.Minute)
	witness := &buyer{customer: late.customer, staff: late.staff, what: some(t, "USDC", "60.").by("domestic_wire")}
	require.NoError(t, steps(ctx, witness.ask, witness.order, witness.late, witness.waitsFor("what is late to end", resolved("expired"))))
	require.Equal(t, "pending", late.now(ctx).Status, "a minute early it has not expired, by any clock")
	refused := stale.customer.try(ctx, http.MethodPost, "/api/orders", "", map[string]string{"asset": stale.what.asset, "amountAsset": stale.what.amount,
		"paymentMethod": stale.what.method, "destAddress": stale.what.address, "quoteId": stale.quote}, nil)
	require.Equal(t, http.StatusConflict, refused, "a price of half an hour ago is none")
	liveThrough(t, 2*time.Minute)
	require.NoError(t, late.waitsFor("the end", resolved("expired"))(ctx))
	balanced(t, late.id)
}

// believed delivers a webhook that was signed now, and one that was signed too long ago. (Stripe's own rule does not
// cover one from the future.)
func believed(t *testing.T, orderID string) {
	t.Helper()
	secret, event := stack.Secret("STRIPE_WEBHOOK_SECRET"), notice(t, orderID)
	var now time.Time
	require.NoError(t, database.QueryRow(t.Context(), "SELECT clock_now()").Scan(&now))
	require.Equal(t, http.StatusNoContent, deliver(t, "stripe", "Stripe-Signature", stripe.Signature(secret, []byte(event), now.Unix()), event))
	old := notice(t, orderID)
	status := deliver(t, "stripe", "Stripe-Signature", stripe.Signature(secret, []byte(old), now.Add(-10*time.Minute).Unix()), old)
	require.Contains(t, []int{http.StatusBadRequest, http.StatusUnauthorized}, status)
}
