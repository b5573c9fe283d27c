package workflows

import (
	"bytes"
	"compress/gzip"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/tradepost/tradepost/internal/telemetry"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/giftcard"
	"github.com/tradepost/tradepost/models/payout"
)

// recorded is a history that an earlier build left (go test ./worker -record).
type recorded struct{ release, name string }

// histories reads them all.
func histories(t *testing.T) map[recorded]*history.History {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "*", "*.json.gz"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	all := map[recorded]*history.History{}
	for _, name := range files {
		raw, err := os.ReadFile(name)
		require.NoError(t, err)
		unzipped, err := gzip.NewReader(bytes.NewReader(raw))
		require.NoError(t, err)
		text, err := io.ReadAll(unzipped)
		require.NoError(t, err)
		kept, err := client.HistoryFromJSON(bytes.NewReader(text), client.HistoryJSONOptions{})
		require.NoError(t, err, name)
		all[recorded{filepath.Base(filepath.Dir(name)), strings.TrimSuffix(filepath.Base(name), ".json.gz")}] = kept
	}
	return all
}

// typeOf is the type of workflow whose history this is.
func typeOf(kept *history.History) string {
	return kept.Events[0].GetWorkflowExecutionStartedEventAttributes().WorkflowType.Name
}

func replay(kept *history.History, code any, between ...interceptor.WorkerInterceptor) error {
	replayer, err := worker.NewWorkflowReplayerWithOptions(worker.WorkflowReplayerOptions{Interceptors: between})
	if err != nil {
		return err
	}
	replayer.RegisterWorkflowWithOptions(code, workflow.RegisterOptions{Name: typeOf(kept)})
	return replayer.ReplayWorkflowHistory(nil, kept)
}

func TestBar31RecordedHistoriesReplayOnTodaysCode(t *testing.T) {
	for of, kept := range histories(t) {
		t.Run(of.release+"/"+of.name, func(t *testing.T) { require.NoError(t, replay(kept, all[typeOf(kept)])) })
	}
}

// Traces are switched on and off while workflows run: what was recorded without them
// replays with them.
func TestRecordedHistoriesReplayWhileTraced(t *testing.T) {
	receiver := httptest.NewServer(http.NotFoundHandler())
	defer receiver.Close()
	stop, err := telemetry.StartTraces(t.Context(), "core", &telemetry.Traces{Endpoint: receiver.URL, Share: 1}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	defer stop()
	traced, err := telemetry.Temporal()
	require.NoError(t, err)
	between, both := traced[0].(interceptor.WorkerInterceptor)
	require.True(t, both)
	for of, kept := range histories(t) {
		require.NoError(t, replay(kept, all[typeOf(kept)], between), "%s/%s", of.release, of.name)
	}
}

// A workflow that first waits a moment: an example of a careless change.
func TestBar31AnIncompatibleChangeIsFoundByReplay(t *testing.T) {
	for of, kept := range histories(t) {
		code := reflect.ValueOf(all[typeOf(kept)])
		changed := reflect.MakeFunc(code.Type(), func(in []reflect.Value) []reflect.Value {
			if err := workflow.Sleep(in[0].Interface().(workflow.Context), time.Second); err != nil {
				return []reflect.Value{reflect.ValueOf(err)}
			}
			return code.Call(in)
		})
		t.Run(of.release+"/"+of.name, func(t *testing.T) {
			require.ErrorContains(t, replay(kept, changed.Interface()), "TMPRL1100")
		})
	}
}

// Everything a workflow can do is in some history: every type, every decision a person can
// make, every activity. What is new and not recorded is not replayed by anything.
func TestBar31HistoriesOfEverything(t *testing.T) {
	seen := map[string]bool{}
	for _, kept := range histories(t) {
		seen["workflow "+typeOf(kept)] = true
		for _, event := range kept.Events {
			if a := event.GetActivityTaskScheduledEventAttributes(); a != nil {
				seen["activity "+a.ActivityType.Name] = true
			}
			if u := event.GetWorkflowExecutionUpdateAcceptedEventAttributes(); u != nil {
				seen["decision "+u.AcceptedRequest.Input.Name] = true
			}
			if m := event.GetMarkerRecordedEventAttributes(); m != nil && m.MarkerName == "LocalActivity" {
				var local struct{ ActivityType string }
				require.NoError(t, converter.GetDefaultDataConverter().FromPayloads(m.Details["data"], &local))
				seen["activity "+local.ActivityType] = true
			}
		}
	}
	for name := range all {
		assert.True(t, seen["workflow "+name], "no history of %s", name)
	}
	for _, kind := range slices.Concat(giftcard.CardDecisionKinds, []string{payout.PayoutApprove, payout.PayoutReject, payout.PayoutConfirm, payout.PayoutReturn, payout.PayoutCancel, ResumeVoucher, RestoreVoucher}, account.RecoveryDecisions, Decisions) {
		assert.True(t, seen["decision "+kind], "no history of %s", kind)
	}
	for _, of := range []any{rows, payments, exchange, custody, money, sweeper, mailer, kycActivities, giftCards, rights, twoFactor, payouts, vouchers, referrals, tiers} {
		for i := range reflect.TypeOf(of).NumMethod() {
			name := reflect.TypeOf(of).Method(i).Name
			assert.True(t, seen["activity "+name], "no history of %T's %s", of, name)
		}
	}
}
