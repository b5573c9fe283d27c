package worker

import (
	"compress/gzip"
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/api/temporalproto"
	"go.temporal.io/sdk/client"

	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/privacy"
	"github.com/tradepost/tradepost/models/support"
	"github.com/tradepost/tradepost/models/voucher"
	"github.com/tradepost/tradepost/models/webhook"
	"github.com/tradepost/tradepost/workflows"
)

// recording writes the histories of these tests where workflows/replay_test.go
// replays them: go test ./worker -record=0.3, once a release and for each new
// path. What an earlier release recorded stays as it is.
var recording = flag.String("record", "", "record the histories of these tests into this folder of workflows/testdata, named after the release")

var identity = regexp.MustCompile(`"identity": ?"[^"]*"`)

// record keeps the history of a workflow that has ended, or soon will, under a
// name.
func (h *testCluster) record(workflowID, name string) {
	h.Helper()
	if *recording != "" {
		h.keep(name, h.client.GetWorkflowHistory(h.Context(), workflowID, "", true, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT))
	}
}

// recordSoFar keeps the history of a workflow that does not end.
func (h *testCluster) recordSoFar(workflowID, name string) {
	h.Helper()
	if *recording != "" {
		h.keep(name, h.client.GetWorkflowHistory(h.Context(), workflowID, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT))
	}
}

func (h *testCluster) keep(name string, reader client.HistoryEventIterator) {
	h.Helper()
	kept := &history.History{}
	for reader.HasNext() {
		event, err := reader.Next()
		require.NoError(h, err)
		kept.Events = append(kept.Events, event)
	}
	raw, err := temporalproto.CustomJSONMarshalOptions{}.Marshal(kept)
	require.NoError(h, err)
	raw = identity.ReplaceAll(raw, []byte(`"identity":"worker"`)) // no machine's name goes into the repository
	folder := filepath.Join("..", "workflows", "testdata", *recording)
	require.NoError(h, os.MkdirAll(folder, 0o755))
	file, err := os.Create(filepath.Join(folder, name+".json.gz"))
	require.NoError(h, err)
	zip := gzip.NewWriter(file)
	_, err = zip.Write(raw)
	require.NoError(h, err)
	require.NoError(h, zip.Close())
	require.NoError(h, file.Close())
}

// sweep runs one sweep to its end and gives its workflow id.
func (h *testCluster) sweep() string {
	h.Helper()
	run, err := h.client.ExecuteWorkflow(h.Context(), client.StartWorkflowOptions{TaskQueue: workflows.CoreQueue}, workflows.SweepType)
	require.NoError(h, err)
	require.NoError(h, run.Get(h.Context(), nil))
	h.chores()
	return run.GetID()
}

// chores does once what core does by itself beside the sweep.
func (h *testCluster) chores() {
	h.Helper()
	whole := func(batch func(context.Context) (int64, bool, error)) func(context.Context) error {
		return func(ctx context.Context) error { _, _, err := batch(ctx); return err }
	}
	for _, do := range []func(context.Context) error{whole(func(ctx context.Context) (int64, bool, error) { return webhook.DeleteSignals(ctx, h.db) }), whole(func(ctx context.Context) (int64, bool, error) { return ledger.RollUp(ctx, h.db) }), func(ctx context.Context) error { return audit.SealAudit(ctx, h.db, audit.Sealing{}) },
		func(ctx context.Context) error { return support.CloseSilentTickets(ctx, h.db, 100) },
		func(ctx context.Context) error { return privacy.EraseClosedAccounts(ctx, h.db, 100) },
		func(ctx context.Context) error { return voucher.ExpireVouchers(ctx, h.db, 100) },
		func(ctx context.Context) error { return order.ExpireHeldAddresses(ctx, h.db, 100) },
		func(ctx context.Context) error { return order.SettleSurpluses(ctx, h.db, 100) }} {
		require.NoError(h, do(h.Context()))
	}
}

// advance moves the database's clock and the sandbox's forward.
func (h *testCluster) advance(d time.Duration) {
	h.Helper()
	conn, err := pgx.Connect(h.Context(), h.owner)
	require.NoError(h, err)
	defer func() { _ = conn.Close(context.Background()) }()
	_, err = conn.Exec(h.Context(), "UPDATE clock SET ahead = ahead + make_interval(secs => $1)", d.Seconds())
	require.NoError(h, err)
	h.control("/control/clock", map[string]string{"advance": d.String()})
}
