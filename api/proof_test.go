package api

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/workflow"

	orderapi "github.com/tradepost/tradepost/api/order"
	"github.com/tradepost/tradepost/internal/local/asvs"
	"github.com/tradepost/tradepost/internal/temporalx"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/workflows"
)

// past is a Temporal with one running workflow, or one that is down.
type past struct {
	running order.History
	away    error
}

func (p *past) Runs(_ context.Context, orderID string) ([]order.History, error) {
	run := p.running
	run.OrderID, run.Zipped = orderID, nil
	return []order.History{run}, p.away
}

func (p *past) Fetch(_ context.Context, run *order.History) error {
	run.Zipped = p.running.Zipped
	return p.away
}

// recorded is a history that an earlier build left.
func recorded(t *testing.T, orderID, name, run string, closed bool) order.History {
	t.Helper()
	zipped, err := os.ReadFile(filepath.Join("..", "workflows", "testdata", "0.1", name+".json.gz"))
	require.NoError(t, err)
	h := order.History{WorkflowID: workflows.OrderID(orderID), RunID: run, OrderID: orderID, WorkflowType: workflows.OrderType, Events: 80, StartedAt: time.Now(), Zipped: zipped}
	if closed {
		h.ClosedAt = &h.StartedAt
	}
	return h
}

// pack reads a proof as anybody would.
func (v *visitor) pack(id string) map[string]string {
	v.Helper()
	answer := v.get("/api/admin/orders/" + id + "/proof").is(http.StatusOK)
	require.Equal(v, "application/zip", answer.header.Get("Content-Type"))
	require.Contains(v, answer.header.Get("Content-Disposition"), "attachment")
	reader, err := zip.NewReader(bytes.NewReader(answer.body), int64(len(answer.body)))
	require.NoError(v, err)
	files := map[string]string{}
	for _, f := range reader.File {
		opened, err := f.Open()
		require.NoError(v, err)
		text, err := io.ReadAll(opened)
		require.NoError(v, err)
		files[f.Name] = string(text)
	}
	return files
}

func TestProofPackHoldsWhatStandsBehindAnOrder(t *testing.T) {
	temporal := &past{}
	register := workflows.Register
	h := open(t, func(d *Dependencies) {
		d.Histories = temporal
		d.Replay = func(text []byte) error { return temporalx.Replay(text, func(r workflows.Registry) { register(r) }) }
	})
	v, staff := h.customer(), h.customer("admin")
	id := v.order("card")
	h.authorise(id)
	h.exec(`UPDATE payments SET checkout_started_at = clock_now(), checkout_url = 'https://pay.example/canary', checkout_id = 'page_1', checkout_generation = 1 WHERE order_id = $1`, id)
	kept := recorded(t, id, "card", "run-kept", true)
	h.exec(`INSERT INTO histories (workflow_id, run_id, order_id, workflow_type, events, started_at, closed_at, zipped) VALUES ($1, $2, $3, $4, 80, clock_now(), clock_now(), $5)`,
		kept.WorkflowID, kept.RunID, id, kept.WorkflowType, kept.Zipped)
	temporal.running = recorded(t, id, "failed-retried", "run-live", false)
	h.exec(`INSERT INTO decisions (id, order_id, kind, actor_id, reason, data, settled_at, outcome, outcome_code)
		SELECT gen_random_uuid(), $1, 'hold', user_id, 'A second look', '{}', clock_now(), 'done', 'done' FROM user_roles LIMIT 1`, id)

	files := staff.pack(id)
	for _, name := range []string{"README.txt", "order.json", "events.json", "postings.json", "calls.json", "decisions.json", "audit.json", "replay.json",
		"history/order-" + id + "-run-kept.json", "history/order-" + id + "-run-live.json"} {
		require.Contains(t, files, name)
		if strings.HasSuffix(name, ".json") {
			require.True(t, json.Valid([]byte(files[name])), name)
		}
		if strings.HasPrefix(name, "history/") {
			_, err := client.HistoryFromJSON(strings.NewReader(files[name]), client.HistoryJSONOptions{})
			require.NoError(t, err, name)
		}
	}
	require.Contains(t, files["decisions.json"], "A second look")
	require.Contains(t, files["README.txt"], "WHAT IT DOES NOT PROVE")
	require.Contains(t, files["calls.json"], "ord:"+id+":checkout:1")
	for name, text := range files {
		for _, secret := range []string{"canary", "@example.com", "sk_test", hookSecret} {
			require.NotContains(t, text, secret, name)
		}
	}
	var report orderapi.ReplayReport
	require.NoError(t, json.Unmarshal([]byte(files["replay.json"]), &report))
	require.Equal(t, "replays", report.Verdict, files["replay.json"])
	require.Len(t, report.Runs, 2)
	require.Nil(t, report.Runs[1].ClosedAt)
	require.Equal(t, 1, one[int](h, `SELECT count(*) FROM audit_log WHERE action = 'order.proof_taken' AND object_id = $1`, id))

	// A build whose order first waits a moment would have executed other steps.
	register = func(r workflows.Registry) {
		r.RegisterWorkflowWithOptions(func(ctx workflow.Context, in workflows.OrderInput) error {
			return errors.Join(workflow.Sleep(ctx, time.Second), workflows.Order(ctx, in))
		}, workflow.RegisterOptions{Name: workflows.OrderType})
	}
	require.NoError(t, json.Unmarshal([]byte(staff.pack(id)["replay.json"]), &report))
	require.Equal(t, "differs", report.Verdict)
	require.Contains(t, report.Runs[0].Detail, "TMPRL1100")

	// Temporal has forgotten, or is away: what was kept is there, and it says so.
	temporal.away = errors.New("canary: no such host")
	files = staff.pack(id)
	require.Contains(t, files, "history/order-"+id+"-run-kept.json")
	require.NotContains(t, files, "history/order-"+id+"-run-live.json")
	require.Contains(t, files["README.txt"], "only the kept histories")
	require.NotContains(t, files["replay.json"], "canary")

	v.get("/api/admin/orders/" + id + "/proof").is(http.StatusForbidden)
}

// Each part of the pack is for who may read it elsewhere: the audit log and the postings are left out for everybody
// else, and the pack says so. The postings of an object's page follow the same permission.
func TestProofPackLeavesOutWhatItsReaderMayNotRead(t *testing.T) {
	h := open(t)
	v := h.customer()
	id := v.order("card")
	h.exec(`INSERT INTO postings (group_key, line, event, order_id, from_account, to_account, currency, amount)
		VALUES ('proof', 1, 'payment_captured', $1, 'stripe_clearing', 'prepaid_orders', 'USD', 100)`, id)
	for role, sees := range map[string]struct{ audit, ledger bool }{"support": {}, "compliance": {audit: true}, "finance": {ledger: true}, "admin": {true, true}} {
		staff := h.customer(role)
		require.Equal(t, sees.audit, staff.get("/api/admin/audit").status == http.StatusOK, role)
		require.Equal(t, sees.ledger, staff.get("/api/admin/ledger/postings").status == http.StatusOK, role)
		files := staff.pack(id)
		var detail orderapi.AdminOrderDetail
		staff.get("/api/admin/orders/" + id).is(http.StatusOK).read(&detail)
		require.Equal(t, sees.ledger, len(detail.Postings) > 0, "%s: postings of the order's page", role)
		require.Equal(t, sees.ledger, strings.Contains(files["order.json"], "payment_captured"), "%s: postings in order.json", role)
		in, out, found := strings.Cut(files["README.txt"], "WHAT WAS LEFT OUT")
		require.True(t, found)
		out, _, _ = strings.Cut(out, "WHAT IT PROVES")
		for name, may := range map[string]bool{"audit.json": sees.audit, "postings.json": sees.ledger} {
			_, has := files[name]
			require.Equal(t, may, has, "%s: %s is in the pack: %s", role, name, asvs.Claim(t, "8.2.1"))
			require.Equal(t, may, strings.Contains(in, "\n  "+name), "%s: %s is named as part of the pack", role, name)
			require.Equal(t, !may, strings.Contains(out, name), "%s: %s is named as left out", role, name)
			require.Equal(t, !may, strings.Contains(one[string](h, `SELECT after::text FROM audit_log WHERE action = 'order.proof_taken' AND actor_id = $1`, staff.userID), name), "%s: the audit log says that %s was left out", role, name)
		}
	}
}
