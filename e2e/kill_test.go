package e2e

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// wholeMatrix runs every step of every scenario, with every victim, instead of every step once with its own process,
// and one cell for each other victim.
var wholeMatrix = flag.Bool("full", false, "the whole kill matrix: every step of every scenario, with every victim")

// matrix is the kill matrix: cells of (scenario, step, moment, victim).
type matrix struct {
	points *failpoints
	buyers []*buyer
	clean  []clean

	mu      sync.Mutex
	waiting map[*buyer]*standing

	faults struckFaults
}

// cell is one kill: its victim, moment and order.
type cell struct {
	clean  *clean
	step   step
	moment string // "before" or "after": the commit, or the provider's effect
	victim string
}

func (c cell) String() string {
	return fmt.Sprintf("%s, %s %s, kill %s", c.clean.scenario.name, c.moment, c.step, c.victim)
}

// patience is the timeout of every wait on a loaded machine, and of orders that run side by side.
const patience = 10 * time.Minute

// width is how many cells share a group: one kill serves all halted orders.
const width = 16

// customers are few: their identity does not affect the test.
const customers = 4

// TestBar25KillMatrix kills a process at every step of every path of an order, and then compares the providers, the
// ledger and the order's timeline: everything happened, once.
func TestBar25KillMatrix(t *testing.T) {
	m := newMatrix(t)
	all := m.recordAll(t)
	m.clean = all
	for _, c := range all {
		t.Logf("%s: story %v, %d steps %v", c.scenario.name, c.events, len(c.steps), c.steps)
	}
	t.Run("every transaction on an order is reached", func(t *testing.T) { complete(t, all) })
	t.Run("every provider call is made", func(t *testing.T) { called(t, all) })
	t.Run("within its budget", func(t *testing.T) { frugal(t, all) })
	cells := short(all)
	if *wholeMatrix {
		cells = whole(all)
	}
	t.Logf("%d cells", len(cells))
	for i, group := range groups(cells) {
		if *wholeMatrix {
			m.newCustomers(t)
		}
		t.Run(fmt.Sprintf("%d kill %s", i+1, group[0].victim), func(t *testing.T) { m.run(t, group) })
	}
	t.Run("identity", func(t *testing.T) { m.killReviews(t) })
	t.Run("sweep", func(t *testing.T) { m.killSweeps(t) })
	t.Run("errands", func(t *testing.T) { m.killScenarios(t) })
	t.Run("every workflow is struck", func(t *testing.T) { everyWorkflow(t) })
	require.NoError(t, balanceBooks(t.Context()))
}

func newMatrix(t *testing.T) *matrix {
	t.Helper()
	m := &matrix{points: newFailpoints(t), waiting: map[*buyer]*standing{}}
	ownStack(t, withFailpoints, map[string]string{"HEARTBEAT_TIMEOUT": "3s", "RETRY_FIRST": "500ms", "RETRY_MOST": "2s", "SWEEP_INTERVAL": "1s",
		"SWEEP_GRACE": "3s", "PAYMENT_POLL": "3s", "FOLLOW_FIRST": "500ms", "FOLLOW_UNASKED": "500ms", "FOLLOW_MOST": "2s", "EXCHANGE_ORDER_LIFE": "10s", "SEND_LOOKUP": "4s",
		"MONEY_POLL": "3s", "VOUCHER_ALONE": "1000000", // one admin makes them all
		"REFUND_TWO_ABOVE": "1900", "CREDIT_TWO_ABOVE": "100000"}, // one scenario each is above them, and no customer's other ones together
		"FAILPOINTS_DIR="+m.points.dir)
	// The exchange's counters would delay ten concurrent look-ups for minutes; worker/order_test.go covers them.
	control(t, http.MethodPost, "/control/kraken/tier", map[string]string{"tier": "unlimited"}, nil)
	control(t, http.MethodPost, "/control/bitgo/pace", map[string]string{"unconfirmed": "0s", "confirmed": "0s", "block": "0s"}, nil)
	m.newCustomers(t)
	return m
}

// newCustomers replaces the customers: what one member of staff may do for a
// customer alone is counted for a day, and a whole matrix exceeds it.
func (m *matrix) newCustomers(t *testing.T) {
	t.Helper()
	people := buyers(t, customers)
	m.buyers = nil
	for i := range width {
		b := people[i%customers]
		m.buyers = append(m.buyers, &buyer{customer: b.customer.sendingOnce(), staff: b.staff.sendingOnce(),
			second: b.second.sendingOnce(), third: b.third.sendingOnce()})
	}
}

// surest are reads that a poll, a webhook or a chore may make in any scenario, by chance, and what they write, each
// with the scenario in which it is certain. There is none in which a statement is read before the order is read for the
// last time.
var surest = map[string]string{"read_checkout": "notice lost", "ApplyReading": "notice lost", "read_payment": "decline", "transfer": "approval",
	"list_refunds": "refund", "list_disputes": "refund", "StoreWebhook": "refund", "KeepHistories": "refunded after all", "TakeStatement": ""}

// surely reports whether a step that was seen once is made every time.
func (c *clean) surely(s step) bool {
	where, chancy := surest[s.operation+s.transaction]
	return !chancy || c.scenario.name == where
}

// short is what every run of the tests covers: each provider call once before its effect and once after it, each
// transaction before its commit or after it by turns, its own process the victim; and each other victim.
func short(all []clean) []cell {
	var cells []cell
	var seen []step
	for i := range all {
		for _, s := range all[i].steps {
			if slices.Contains(seen, s.kind()) || s.nth > 1 || !all[i].surely(s) {
				continue
			}
			seen = append(seen, s.kind())
			moments := []string{"before", "after"}
			if s.provider == "" {
				moments = moments[len(seen)%2:][:1]
			}
			for _, moment := range moments {
				cells = append(cells, cell{&all[i], s, moment, s.process})
			}
		}
	}
	for _, victim := range []string{"api", "temporal", "postgres"} {
		cells = append(cells,
			cell{&all[0], step{process: "payments", provider: "stripe", operation: "capture", nth: 1}, "after", victim},
			cell{&all[0], step{process: "exchange", transaction: "RecordFill", nth: 1}, "before", victim})
	}
	return cells
}

// whole is every step of every scenario with every victim.
func whole(all []clean) []cell {
	var cells []cell
	for i := range all {
		for _, s := range all[i].steps {
			for _, victim := range slices.Compact(slices.Sorted(slices.Values([]string{s.process, "core", "api", "temporal", "postgres"}))) {
				for _, moment := range []string{"before", "after"} {
					cells = append(cells, cell{&all[i], s, moment, victim})
				}
			}
		}
	}
	return cells
}

// groups puts cells with one victim together, so that one kill serves many.
func groups(cells []cell) [][]cell {
	var made [][]cell
	open := map[string]int{}
	for _, c := range cells {
		i, ok := open[c.victim]
		if !ok || len(made[i]) == width {
			made = append(made, nil)
			i = len(made) - 1
			open[c.victim] = i
		}
		made[i] = append(made[i], c)
	}
	return made
}

func (m *matrix) run(t *testing.T, group []cell) {
	flights := make([]flight, len(group))
	for i, c := range group {
		b := m.buyers[i]
		flights[i] = m.orderFlight(t, c, b, func(ctx context.Context) error { return m.runScenario(ctx, t, c, b) })
	}
	m.fly(t, group[0].victim, flights)
}

// orderFlight is a cell's flight. Each run of it begins with a new order.
func (m *matrix) orderFlight(t *testing.T, c cell, b *buyer, execute func(ctx context.Context) error) (f flight) {
	t.Helper()
	f = flight{name: c.String(), buyer: b, execute: execute, judge: func(t *testing.T) { m.judge(t, c, b) },
		anew: func(*testing.T) flight { return f }, explain: func(t *testing.T) { explain(t, b.id) }}
	return f
}

// runScenario runs one order to its end, with its failpoint or hold armed.
func (m *matrix) runScenario(ctx context.Context, t *testing.T, c cell, b *buyer) error {
	c.clean.scenario.begin(t, b)
	arm := func() error { return c.clean.scenario.arm(ctx, b) }
	var first *failpoint
	point := failpoint{Process: c.step.process, Transaction: c.step.transaction, Moment: c.moment, Nth: c.step.nth}
	switch {
	case c.step.transaction == "Once":
		first = &point
	case c.step.provider != "":
		arm = func() error {
			if err := c.clean.scenario.arm(ctx, b); err != nil {
				return err
			}
			return m.hold(ctx, c, b)
		}
	default:
		arm = func() error {
			point.Match = b.id
			id, err := m.points.arm(point)
			if err != nil {
				return err
			}
			m.expectState(b, func() bool { return m.points.stopped(id) }, func() error { return m.points.release(id) })
			return c.clean.scenario.arm(ctx, b)
		}
	}
	if err := m.make(ctx, b, first, arm); err != nil {
		return err
	}
	if err := steps(ctx, c.clean.scenario.drive(b)...); err != nil {
		return err
	}
	return m.struckDown(ctx, b)
}

// hold arms a hold of a provider call, for each name that the provider has for the order.
func (m *matrix) hold(ctx context.Context, c cell, b *buyer) error {
	return m.holdCall(ctx, b, c.step, c.moment, b.known(c.step.provider)...)
}

// holdCall arms a hold of a provider call for each of the names.
func (m *matrix) holdCall(ctx context.Context, b *buyer, s step, moment string, words ...string) error {
	var ids []string
	for _, match := range words {
		var armed fault
		err := ask(ctx, http.MethodPost, "/control/faults", fault{Provider: s.provider, Operation: s.operation, Match: match, Code: "hold_" + moment, Count: 1}, &armed)
		if err != nil {
			return err
		}
		ids = append(ids, armed.ID)
	}
	m.expectState(b, func() bool { return slices.ContainsFunc(ids, m.faults.now(ctx)) }, func() error {
		for _, id := range ids {
			if err := ask(ctx, http.MethodDelete, "/control/faults/"+id, nil, nil); err != nil {
				return err
			}
		}
		return nil
	})
	return nil
}

// struckFaults are the faults that have met a request. The list is long, and is read concurrently.
type struckFaults struct {
	mu   sync.Mutex
	read time.Time
	ids  map[string]bool
}

// now says of each fault whether it has met a request.
func (f *struckFaults) now(ctx context.Context) func(id string) bool {
	const fresh = 90 * time.Millisecond
	f.mu.Lock()
	defer f.mu.Unlock()
	var list struct{ Struck []fault }
	if time.Since(f.read) > fresh && ask(ctx, http.MethodGet, "/control/faults", nil, &list) == nil {
		f.ids, f.read = map[string]bool{}, time.Now()
		for _, struck := range list.Struck {
			f.ids[struck.ID] = true
		}
	}
	ids := f.ids
	return func(id string) bool { return ids[id] }
}

// named is what a scenario did when it ran clean.
func (m *matrix) named(scenario string) *clean {
	i := slices.IndexFunc(m.clean, func(c clean) bool { return c.scenario.name == scenario })
	if i < 0 {
		return nil
	}
	return &m.clean[i]
}

// judge says of one order that has ended whether everything happened, once.
func (m *matrix) judge(t *testing.T, c cell, b *buyer) {
	t.Helper()
	as := c.clean
	if other := m.named(as.scenario.orElse); other != nil && !b.troubled(t.Context()) {
		as = other
	}
	until(t, fmt.Sprintf("the order's story %v", as.events), func() bool { return len(timeline(b.now(t.Context()))) >= len(as.events) })
	o := b.now(t.Context())
	require.Equal(t, as.events, timeline(o), "its story is that of an order nobody was killed for")
	require.Equal(t, as.scenario.effects, effects(t, o.ID))
	if !as.scenario.fee {
		balanced(t, o.ID)
	}
	until(t, "the workflow of an order that is over to end", func() bool { return !over(t, o.ID) || !running(t, o.ID) })
	if c.victim == c.step.process && slices.Contains([]string{"payments", "exchange", "custody"}, c.victim) {
		require.Positive(t, o.Metadata.RetryCount, "the attempt that died is counted")
		require.True(t, died(t, o.ID), "the attempt that died is told")
	}
}

// over reports whether nothing can come of an order any more.
func over(t *testing.T, orderID string) bool {
	t.Helper()
	var closed bool
	require.NoError(t, database.QueryRow(t.Context(), "SELECT closed_at IS NOT NULL FROM orders WHERE id = $1", orderID).Scan(&closed))
	return closed
}

// died reports whether an order's timeline has an attempt that died with its worker, or timed out at a provider that
// was held before that.
func died(t *testing.T, orderID string) bool {
	t.Helper()
	var there bool
	require.NoError(t, database.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM order_events
		WHERE order_id = $1 AND kind = 'attempt_failed' AND data ->> 'code' IN ('worker_lost', 'connection_lost'))`, orderID).Scan(&there))
	return there
}

// tryUpload sends a receipt; status 0 is a call without an answer.
func (v *visitor) tryUpload(ctx context.Context, orderID string) (status int) {
	return v.tryForm(ctx, "/api/orders/"+orderID+"/evidence", "", "file", map[string]string{"kind": "receipt"})
}

// tryForm sends a form with a picture.
func (v *visitor) tryForm(ctx context.Context, path, key, field string, fields map[string]string) (status int) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name, value := range fields {
		_ = form.WriteField(name, value) // a write into memory does not fail
	}
	part, err := form.CreatePart(textproto.MIMEHeader{"Content-Disposition": {`form-data; name="` + field + `"; filename="receipt.png"`}, "Content-Type": {"image/png"}})
	if err != nil {
		return 0
	}
	_, _ = part.Write(picture(v.t))
	_ = form.Close()
	request := v.request(http.MethodPost, path, form.FormDataContentType(), &body).WithContext(ctx)
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	response, err := v.http.Do(request)
	if err != nil {
		return 0
	}
	_, _ = io.Copy(io.Discard, response.Body)
	_ = response.Body.Close()
	return response.StatusCode
}
