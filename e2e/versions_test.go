//go:build kill

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local"
	"github.com/tradepost/tradepost/internal/temporalx"
	"github.com/tradepost/tradepost/workflows"
)

const workerDeployment = "tradepost"

// workersCommand runs a command of `api workers` as an operator does.
func workersCommand(ctx context.Context, args ...string) (out []byte, err error) {
	command := exec.CommandContext(ctx, filepath.Join("..", ".data", "bin", "api"), append([]string{"workers"}, args...)...)
	command.Env = append(stack.Examined(), "WORKER_DEPLOYMENT="+workerDeployment)
	var said bytes.Buffer
	command.Stderr = &said
	if out, err = command.Output(); err != nil {
		err = fmt.Errorf("%w: %s", err, said.String())
	}
	return out, err
}

// versionNow is what `api workers --json` reports of a version.
func versionNow(ctx context.Context, t *testing.T, name string) (v temporalx.Version) {
	t.Helper()
	out, err := workersCommand(ctx, "show", "--json")
	if err != nil {
		return v
	}
	var versions []temporalx.Version
	require.NoError(t, json.Unmarshal(out, &versions), string(out))
	if at := slices.IndexFunc(versions, func(v temporalx.Version) bool { return v.BuildID == name }); at >= 0 {
		return versions[at]
	}
	return v
}

// startVersion starts the four workers of a version, and waits until Temporal has them.
func startVersion(ctx context.Context, t *testing.T, name string) {
	t.Helper()
	for _, queue := range workflows.Queues() {
		_, err := stack.AddReplica(ctx, local.Replica{Name: name + " " + queue, Of: queue, Environ: []string{"WORKER_DEPLOYMENT=" + workerDeployment, "WORKER_BUILD_ID=" + name}})
		require.NoError(t, err)
	}
	until(t, "the workers of "+name, func() bool { v := versionNow(ctx, t, name); return v.Status != "" && len(v.Missing()) == 0 })
}

// Orders go on under load while their workers get versions, a part of the orders and then all go to the next
// version, back, and forward again. No call is answered with 5xx, and each order's coin is sent once.
func TestBar33RollingVersionsUnderLoad(t *testing.T) {
	ownStack(t, local.Variant{}, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	list := buyers(t, 8)
	counted := &tally{}
	loading, enough := context.WithCancel(ctx)
	var running sync.WaitGroup
	for _, b := range list {
		b.what = some(t, "BTC", "0.001")
	}
	running.Go(func() { load(loading, list[0].customer, list[0].what, counted) })
	results := make(chan error, len(list))
	buy := func(of []*buyer) {
		for _, b := range of {
			go func() {
				results <- steps(ctx, append([]func(context.Context) error{b.ask, b.order}, wholeWay(b)...)...)
			}()
		}
	}
	do := func(args ...string) {
		t.Helper()
		out, err := workersCommand(ctx, args...)
		require.NoError(t, err)
		t.Logf("api workers %v\n%s", args, out)
	}

	_, err := workersCommand(ctx, "current", "v1")
	require.ErrorContains(t, err, temporalx.ErrNoDeployment.Error())
	buy(list[:2])
	startVersion(ctx, t, "v1")
	do("current", "v1")
	for _, queue := range workflows.Queues() {
		require.NoError(t, stack.Down(queue))
	}
	buy(list[2:4])
	startVersion(ctx, t, "v2")
	do("ramp", "v2", "50")
	buy(list[4:6])
	do("current", "v2")
	do("rollback")
	require.Equal(t, temporalx.VersionCurrent, versionNow(ctx, t, "v1").Status)
	buy(list[6:])
	do("rollback")
	require.Equal(t, temporalx.VersionCurrent, versionNow(ctx, t, "v2").Status)
	until(t, "v1 to be drained", func() bool { return versionNow(ctx, t, "v1").Status == temporalx.VersionDrained })
	require.Contains(t, examine(t, "WORKER_DEPLOYMENT="+workerDeployment).found(), "temporal_drained_polls")
	for _, queue := range workflows.Queues() {
		require.NoError(t, stack.Down("v1 "+queue))
	}
	for range list {
		require.NoError(t, <-results)
	}
	enough()
	running.Wait()
	t.Logf("%d calls", counted.total)
	require.Empty(t, counted.problem)
	sentOnce(t, list)
	require.NoError(t, balanceBooks(ctx))
}
