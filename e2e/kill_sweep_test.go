package e2e

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
)

// killSweeps kills core at the transactions of the sweep, while an order has lost its workflow and only the sweep can
// restart it: it is found all the same, and completes once. The short matrix does so where orders are found, the whole
// one at everything that a sweep writes.
func (m *matrix) killSweeps(t *testing.T) {
	steps := []step{{process: "core", transaction: "Orphans", nth: 1}}
	if *wholeMatrix {
		steps = m.sweepSteps(t)
	}
	temporal, err := client.DialContext(t.Context(), client.Options{HostPort: stack.TemporalAddress(), Namespace: "tradepost"})
	require.NoError(t, err)
	defer temporal.Close()
	for _, s := range steps {
		var flights []flight
		for i, moment := range []string{"before", "after"} {
			c, b := cell{m.named("card"), s, moment, "core"}, m.buyers[i]
			strand := func(ctx context.Context) error { return m.strand(ctx, t, temporal, c, b) }
			flights = append(flights, m.orderFlight(t, c, b, strand))
		}
		t.Run(s.String(), func(t *testing.T) { m.fly(t, "core", flights) })
	}
}

// strand brings an order to where its card is held, ends its workflow as the loss of Temporal's data would, and has the
// sweep halt.
func (m *matrix) strand(ctx context.Context, t *testing.T, temporal client.Client, c cell, b *buyer) error {
	c.clean.scenario.begin(t, b)
	if err := steps(ctx, b.ask, b.order, b.authorise); err != nil {
		return err
	}
	if err := temporal.TerminateWorkflow(ctx, "order/"+b.id, "", "lost"); err != nil {
		return err
	}
	id, err := m.points.arm(failpoint{Process: c.step.process, Transaction: c.step.transaction, Moment: c.moment})
	if err != nil {
		return err
	}
	m.expectState(b, func() bool { return m.points.stopped(id) }, func() error { return m.points.release(id) })
	if _, err := database.Exec(ctx, "UPDATE orders SET workflow_started_at = NULL, swept_at = NULL WHERE id = $1", b.id); err != nil {
		return err
	}
	if err := steps(ctx, b.process, b.fulfil, b.arrives); err != nil {
		return err
	}
	return m.struckDown(ctx, b)
}

// sweepSteps are the transactions of the sweep: its activities' calls, found in the source, as far as they were seen to
// write. KeepHistories is left out: it repeats nothing but a copy (worker/history_test.go).
func (m *matrix) sweepSteps(t *testing.T) []step {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../activities/sweep.go", nil, 0)
	require.NoError(t, err)
	var called []string
	ast.Inspect(file, func(node ast.Node) bool {
		if call, ok := node.(*ast.SelectorExpr); ok {
			called = append(called, call.Sel.Name)
		}
		return true
	})
	var list []step
	for _, p := range m.points.all(t) {
		s := step{process: "core", transaction: p.Transaction, nth: 1}
		if p.Process == "core" && slices.Contains(called, p.Transaction) && p.Transaction != "KeepHistories" && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	require.Greater(t, len(list), 3, "the parser finds them")
	return list
}
