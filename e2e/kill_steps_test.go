package e2e

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// step is a place in an order's way where a process can die: a transaction of
// one of our processes, or a call to a provider.
type step struct {
	process             string // that runs it
	transaction         string
	provider, operation string
	nth                 int
}

func (s step) String() string {
	name := s.process + " " + s.transaction
	if s.provider != "" {
		name = s.process + " " + s.provider + "." + s.operation
	}
	if s.nth > 1 {
		name += fmt.Sprintf(" (%d)", s.nth)
	}
	return name
}

// kind is the step without its count: what the short matrix has one cell of.
func (s step) kind() step {
	s.nth = 1
	return s
}

// repeated are transactions that a clean order may pass any number of times: reads, webhooks, attempts. Their first
// passage is a step, the others are not.
var repeated = []string{"ApplyReading", "RecordTransfer", "StoreWebhook", "MarkWebhookHandled", "MarkSubjectHandled", "MarkWorkflowStarted",
	"MarkDelivered", "RecordDispute", "RecordElsewhere", "AddressToken"}

// providers lists which of our processes calls which provider.
var providers = map[string]string{"stripe": "payments", "kraken": "exchange", "bitgo": "custody"}

// clean is what a scenario did while nothing was killed.
type clean struct {
	scenario scenario
	orderID  string
	events   []string
	steps    []step
	trace    []passage
}

// recording watches one order's provider calls: a fault without effect is armed
// for each operation, and strikes when it is called.
type recording struct {
	armed map[string]step // by fault id
}

// operations are the calls that our adapters make about one order, as each
// simulator's package names them.
var operations = map[string][]string{
	"stripe": {"create_checkout", "read_checkout", "list_checkouts", "expire_checkout", "read_payment", "capture", "cancel",
		"refund", "list_refunds", "list_disputes", "read_dispute", "update_dispute"},
	"kraken": {"AddOrder", "QueryOrders", "OpenOrders", "ClosedOrders"},
	"bitgo":  {"sendcoins", "transfer", "verifyaddress", "pendingapprovals"},
}

// unheld are those of them that no clean run shows, each with the reason.
var unheld = map[string]string{
	"list_checkouts":   "a look without effect, which names no order",
	"pendingapprovals": "a look without effect, which names no order",
}

// known are the values by which a provider's simulator finds an order's calls.
func (b *buyer) known(provider string) []string {
	return map[string][]string{"stripe": {b.id}, "kraken": {clientID(b.id)}, "bitgo": {b.id, b.what.address}}[provider]
}

func record(ctx context.Context, b *buyer) (recording, error) {
	r := recording{armed: map[string]step{}}
	for provider, names := range operations {
		for _, operation := range names {
			for _, match := range b.known(provider) {
				var armed fault
				err := ask(ctx, http.MethodPost, "/control/faults", fault{Provider: provider, Operation: operation, Match: match, Code: "slow:0", Count: -1}, &armed)
				if err != nil {
					return r, err
				}
				r.armed[armed.ID] = step{process: providers[provider], provider: provider, operation: operation, nth: 1}
			}
		}
	}
	return r, nil
}

// calls are the provider calls that were made.
func (r recording) calls(ctx context.Context) ([]step, error) {
	var list struct{ Struck []fault }
	if err := ask(ctx, http.MethodGet, "/control/faults", nil, &list); err != nil {
		return nil, err
	}
	var made []step
	for _, f := range list.Struck {
		if s, ours := r.armed[f.ID]; ours && !slices.Contains(made, s) {
			made = append(made, s)
		}
	}
	for id := range r.armed {
		if err := ask(ctx, http.MethodDelete, "/control/faults/"+id, nil, nil); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// runClean runs an order to its end without a kill, and notes every step.
func (m *matrix) runClean(ctx context.Context, t *testing.T, s scenario, b *buyer) (clean, error) {
	s.begin(t, b)
	var watched recording
	err := m.make(ctx, b, nil, func() (err error) {
		if err = s.arm(ctx, b); err == nil {
			watched, err = record(ctx, b)
		}
		return err
	})
	if err != nil {
		return clean{}, err
	}
	if err := steps(ctx, s.drive(b)...); err != nil {
		return clean{}, err
	}
	quietly(ctx, time.Second, func() int { return len(m.points.passages(t, b.id)) })
	calls, err := watched.calls(ctx)
	if err != nil {
		return clean{}, err
	}
	trace := m.points.passages(t, b.id)
	return clean{scenario: s, orderID: b.id, events: timeline(b.now(ctx)), steps: append(transactionsOf(trace), calls...), trace: trace}, nil
}

// transactionsOf are the steps of a trace: each transaction of each process,
// and which time it is that it was passed.
func transactionsOf(trace []passage) []step {
	var list []step
	for _, p := range trace {
		if p.Transaction == "RecordAttempt" {
			continue
		}
		s := step{process: p.Process, transaction: p.Transaction, nth: 1}
		for slices.Contains(list, s) {
			s.nth++
		}
		if s.nth == 1 || !slices.Contains(repeated, p.Transaction) {
			list = append(list, s)
		}
	}
	return list
}

// make creates the order, and calls with, once its id exists and before its workflow is started. at, when given, is
// armed on the creation itself instead.
func (m *matrix) make(ctx context.Context, b *buyer, at *failpoint, with func() error) error {
	if err := b.ask(ctx); err != nil {
		return err
	}
	if at != nil {
		at.Match = b.what.address
		id, err := m.points.arm(*at)
		if err != nil {
			return err
		}
		m.expectState(b, func() bool { return m.points.stopped(id) }, func() error { return m.points.release(id) })
		if err := b.order(ctx); err != nil {
			return err
		}
		return with()
	}
	stop, err := m.points.arm(failpoint{Process: "api", Transaction: "Once", Moment: "after", Match: b.what.address})
	if err != nil {
		return err
	}
	made := make(chan error, 1)
	go func() { made <- b.order(ctx) }()
	if err := await(ctx, "the order's row", func() bool { return m.points.stopped(stop) }); err != nil {
		return err
	}
	var id string
	err = await(ctx, "the order's id", func() bool {
		return database.QueryRow(ctx, "SELECT id FROM orders WHERE dest_address = $1", b.what.address).Scan(&id) == nil && b.is(id)
	})
	if err != nil {
		return err
	}
	if err := with(); err != nil {
		return err
	}
	if err := m.points.release(stop); err != nil {
		return err
	}
	return <-made
}

// recordAll runs every scenario clean, side by side.
func (m *matrix) recordAll(t *testing.T) []clean {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	all := make([]clean, len(scenarios))
	failed := make(chan error, len(scenarios))
	for i, s := range scenarios {
		go func() {
			var err error
			if all[i], err = m.runClean(ctx, t, s, &buyer{customer: m.buyers[i%len(m.buyers)].customer, staff: m.buyers[0].staff, second: m.buyers[0].second, third: m.buyers[0].third}); err != nil {
				err = fmt.Errorf("%s: %w", s.name, err)
			}
			failed <- err
		}()
	}
	for range scenarios {
		require.NoError(t, <-failed)
	}
	return all
}
