package sandbox_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/sandbox"
)

func open(t *testing.T, folder string) *sandbox.World {
	t.Helper()
	world, err := sandbox.Open(sandbox.Config{Mode: "local", Data: folder}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	return world
}

func TestProductionIsRefused(t *testing.T) {
	_, err := sandbox.Open(sandbox.Config{Mode: "production", Data: t.TempDir()}, slog.New(slog.DiscardHandler))
	require.ErrorIs(t, err, sandbox.ErrProduction)
}

// TestClock: the time only moves forward, and stays moved.
func TestClock(t *testing.T) {
	folder := t.TempDir()
	world := open(t, folder)
	for _, d := range []time.Duration{0, -time.Second, 11 * 366 * 24 * time.Hour} {
		require.Error(t, world.Clock.Advance(d), "%s", d)
	}
	ran := 0
	world.Clock.OnAdvance(func() { ran++ })
	require.NoError(t, world.Clock.Advance(time.Hour))
	require.NoError(t, world.Clock.Advance(time.Hour))
	require.Equal(t, 2, ran)
	require.NoError(t, world.Close())
	world = open(t, folder)
	defer func() { require.NoError(t, world.Close()) }()
	require.Equal(t, 2*time.Hour, world.Clock.Offset())
	require.InDelta(t, float64(2*time.Hour), float64(time.Until(world.Clock.Now())), float64(time.Minute))
}

// TestTransactions: an error undoes changes, counts and webhooks alike.
func TestTransactions(t *testing.T) {
	world := open(t, t.TempDir())
	defer func() { require.NoError(t, world.Close()) }()
	broken := errors.New("broken")
	do := func(fails error) error {
		return world.Store.Update(func(tx *sandbox.Tx) error {
			if err := tx.Put("things", "a", 1); err != nil {
				return err
			}
			if err := world.Effects.Count(tx, "stripe", "capture", "ord"); err != nil {
				return err
			}
			if err := world.Hooks.Send(tx, sandbox.Hook{URL: "http://127.0.0.1:1", Provider: "stripe", Type: "x"}, nil); err != nil {
				return err
			}
			return fails
		})
	}
	state := func() (things, effects, hooks int) {
		require.NoError(t, world.Store.View(func(tx *sandbox.Tx) error {
			return tx.Each("things", "", func(string, []byte) error { things++; return nil })
		}))
		counted, err := world.Effects.List("ord")
		require.NoError(t, err)
		queued, err := world.Hooks.List(10)
		require.NoError(t, err)
		return things, len(counted), len(queued)
	}
	require.ErrorIs(t, do(broken), broken)
	things, effects, hooks := state()
	require.Equal(t, []int{0, 0, 0}, []int{things, effects, hooks})
	require.NoError(t, do(nil))
	things, effects, hooks = state()
	require.Equal(t, []int{1, 1, 1}, []int{things, effects, hooks})
}

// TestFaults: a fault strikes what it is scoped to, as often as it says.
func TestFaults(t *testing.T) {
	world := open(t, t.TempDir())
	defer func() { require.NoError(t, world.Close()) }()
	for _, wrong := range []sandbox.Fault{{Code: "drop_after"}, {Provider: "stripe"}, {Provider: "stripe", Code: "slow:soon"}, {Provider: "stripe", Code: "http:200_after"}, {Provider: "stripe", Code: "http:500"}} {
		_, err := world.Faults.Arm(wrong)
		require.Error(t, err, "%+v", wrong)
	}
	_, err := world.Faults.Arm(sandbox.Fault{Provider: "stripe", Operation: "capture", Match: "ord-1", Code: "decline:lost_card", Count: 2})
	require.NoError(t, err)
	strikes := func(provider, operation, subject string) bool {
		fault, armed := world.Faults.Take(provider, operation, subject)
		require.True(t, !armed || fault.Arg == "lost_card")
		return armed
	}
	require.False(t, strikes("kraken", "capture", "ord-1"))
	require.False(t, strikes("stripe", "cancel", "ord-1"))
	require.False(t, strikes("stripe", "capture", "ord-2"))
	require.True(t, strikes("stripe", "capture", "key for ord-1"))
	require.True(t, strikes("stripe", "capture", "ord-1"))
	require.False(t, strikes("stripe", "capture", "ord-1"))
	endless, err := world.Faults.Arm(sandbox.Fault{Provider: "stripe", Code: "insufficient", Count: -1})
	require.NoError(t, err)
	for range 5 {
		_, armed := world.Faults.Take("stripe", "anything")
		require.True(t, armed)
	}
	require.NoError(t, world.Faults.Clear(endless.ID))
	_, armed := world.Faults.Take("stripe", "anything")
	require.False(t, armed)
	_, err = world.Faults.Arm(sandbox.Fault{Provider: "stripe", Code: "drop_after"})
	require.NoError(t, err)
	_, armed = world.Faults.Take("stripe", "anything")
	require.False(t, armed, "what Guard applies is not handed out")
}

// TestArmedFaultsSurviveARestart: with what is left of each, and with new ids.
func TestArmedFaultsSurviveARestart(t *testing.T) {
	folder := t.TempDir()
	world := open(t, folder)
	twice, err := world.Faults.Arm(sandbox.Fault{Provider: "stripe", Operation: "capture", Code: "decline:lost_card", Count: 2})
	require.NoError(t, err)
	_, err = world.Faults.Arm(sandbox.Fault{Provider: "stripe", Code: "hold_after", Count: -1})
	require.NoError(t, err)
	_, armed := world.Faults.Take("stripe", "capture")
	require.True(t, armed)
	world.Faults.Release() // as a shutdown does
	require.NoError(t, world.Close())

	world = open(t, folder)
	defer func() { require.NoError(t, world.Close()) }()
	left, struck := world.Faults.List()
	require.Empty(t, struck)
	require.Len(t, left, 2)
	require.Equal(t, []any{twice.ID, 1, -1}, []any{left[0].ID, left[0].Count, left[1].Count})
	third, err := world.Faults.Arm(sandbox.Fault{Provider: "stripe", Code: "drop_after"})
	require.NoError(t, err)
	require.Equal(t, "fault_3", third.ID)
	held := make(chan struct{})
	go func() { world.Faults.Wait(context.Background(), left[1]); close(held) }()
	require.Eventually(t, func() bool { return len(world.Faults.Holding()) == 1 }, time.Minute, time.Millisecond)
	require.NoError(t, world.Faults.Clear(""))
	<-held
}

// TestHolds: a held request continues when the fault is cleared; hold_before has no effect
// until then, hold_after has had its own.
func TestHolds(t *testing.T) {
	world := open(t, t.TempDir())
	defer func() { require.NoError(t, world.Close()) }()
	effects := make(chan string, 4)
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		world.Guard(rw, r, "stripe", "capture", []string{r.URL.Path}, func(status int, _ any, _ string) { rw.WriteHeader(status) }, func() (int, any) {
			effects <- r.URL.Path
			return http.StatusOK, nil
		})
	}))
	defer server.Close()
	for _, code := range []string{"hold_before", "hold_after"} {
		_, err := world.Faults.Arm(sandbox.Fault{Provider: "stripe", Operation: "capture", Match: code, Code: code})
		require.NoError(t, err)
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		r, err := http.NewRequest("POST", server.URL+"/"+code, strings.NewReader(""))
		require.NoError(t, err)
		ended := make(chan error, 1)
		go func() {
			res, err := client.Do(r)
			if err == nil {
				err = res.Body.Close()
			}
			ended <- err
		}()
		require.Eventually(t, func() bool { return len(world.Faults.Holding()) == 1 }, time.Minute, time.Millisecond)
		require.Equal(t, code, world.Faults.Holding()[0].Code)
		if code == "hold_after" {
			require.Equal(t, "/hold_after", <-effects)
		}
		require.Empty(t, effects)
		require.NoError(t, world.Faults.Clear(""))
		require.NoError(t, <-ended)
		require.Empty(t, world.Faults.Holding())
		if code == "hold_before" {
			require.Equal(t, "/hold_before", <-effects)
		}
	}
}

// TestHeldClientGone: a request held before its effect is forgotten when its
// client is killed.
func TestHeldClientGone(t *testing.T) {
	world := open(t, t.TempDir())
	defer func() { require.NoError(t, world.Close()) }()
	left, acted := make(chan struct{}), false
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		world.Guard(rw, r, "stripe", "capture", nil, func(int, any, string) {}, func() (int, any) { acted = true; return 200, nil })
		close(left)
	}))
	defer server.Close()
	_, err := world.Faults.Arm(sandbox.Fault{Provider: "stripe", Code: "hold_before"})
	require.NoError(t, err)
	ctx, kill := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, "POST", server.URL, strings.NewReader(""))
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() {
		_, err := http.DefaultClient.Do(r)
		ended <- err
	}()
	require.Eventually(t, func() bool { _, struck := world.Faults.List(); return len(struck) == 1 }, time.Minute, time.Millisecond)
	kill()
	require.Error(t, <-ended)
	<-left
	require.False(t, acted)
}

// TestControlAPI arms, lists and clears over HTTP, as tests of the product do.
func TestControlAPI(t *testing.T) {
	world := open(t, t.TempDir())
	defer func() { require.NoError(t, world.Close()) }()
	server := httptest.NewServer(world.Handler())
	defer server.Close()
	call := func(method, path, body string) (int, string) {
		r, err := http.NewRequest(method, server.URL+path, strings.NewReader(body))
		require.NoError(t, err)
		r.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		defer func() { _ = res.Body.Close() }()
		answer, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		return res.StatusCode, string(answer)
	}
	status, body := call("POST", "/control/faults", `{"provider":"kraken","operation":"AddOrder","match":"ord","code":"slow:5","count":3}`)
	require.Equal(t, 201, status)
	require.JSONEq(t, `{"id":"fault_1","provider":"kraken","operation":"AddOrder","match":"ord","code":"slow","arg":"5","count":3}`, body)
	status, _ = call("POST", "/control/faults", `{"provider":"kraken","code":"slow"}`)
	require.Equal(t, 400, status)
	status, _ = call("POST", "/control/clock", `{"advance":"-1h"}`)
	require.Equal(t, 400, status)
	status, _ = call("DELETE", "/control/faults/fault_1", "")
	require.Equal(t, 200, status)
	_, body = call("GET", "/control/faults", "")
	require.JSONEq(t, `{"armed":[],"holding":[],"struck":[]}`, body)
	for _, path := range []string{"/control/effects", "/control/hooks", "/control/state"} {
		status, _ = call("GET", path, "")
		require.Equal(t, 200, status, path)
	}
}
