package workflows

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// histories reads what earlier builds recorded (go test ./worker -record).
func histories(t *testing.T) map[string]*history.History {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "*.json.gz"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	all := map[string]*history.History{}
	for _, name := range files {
		raw, err := os.ReadFile(name)
		require.NoError(t, err)
		unzipped, err := gzip.NewReader(bytes.NewReader(raw))
		require.NoError(t, err)
		text, err := io.ReadAll(unzipped)
		require.NoError(t, err)
		kept, err := client.HistoryFromJSON(bytes.NewReader(text), client.HistoryJSONOptions{})
		require.NoError(t, err, name)
		all[strings.TrimSuffix(filepath.Base(name), ".json.gz")] = kept
	}
	return all
}

func replay(kept *history.History, order any) error {
	replayer := worker.NewWorkflowReplayer()
	replayer.RegisterWorkflowWithOptions(order, workflow.RegisterOptions{Name: OrderType})
	return replayer.ReplayWorkflowHistory(nil, kept)
}

func TestBar31RecordedHistoriesReplayOnTodaysCode(t *testing.T) {
	for name, kept := range histories(t) {
		t.Run(name, func(t *testing.T) { require.NoError(t, replay(kept, Order)) })
	}
}

// An order that first waits a moment: what a careless change would look like.
func TestBar31AnIncompatibleChangeIsFoundByReplay(t *testing.T) {
	changed := func(ctx workflow.Context, in OrderInput) error {
		if err := workflow.Sleep(ctx, time.Second); err != nil {
			return err
		}
		return Order(ctx, in)
	}
	for name, kept := range histories(t) {
		t.Run(name, func(t *testing.T) { require.ErrorContains(t, replay(kept, changed), "TMPRL1100") })
	}
}
