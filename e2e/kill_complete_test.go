package e2e

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"github.com/tradepost/tradepost/internal/local/source"
)

// complete compares the transactions that scenarios went through with those
// that there are: every exported method of models that opens one on an order is
// reached by a scenario, or is listed in unkilled with the reason.
func complete(t *testing.T, all []clean) {
	t.Helper()
	reached := map[string]bool{}
	for _, c := range all {
		for _, p := range c.trace {
			reached[p.Transaction] = true
			for _, name := range p.Within {
				reached[name] = true
			}
		}
	}
	opening := methods(t, opensOnOrder)
	require.Greater(t, len(opening), 20, "the parser finds them")
	missing := slices.DeleteFunc(slices.Clone(opening), func(name string) bool { return reached[name] || unkilled[name] != "" })
	require.Empty(t, missing, "these open a transaction on an order and no scenario goes through them: add one, or say in unkilled why not")
	for _, name := range slices.Sorted(maps.Keys(unkilled)) {
		require.Contains(t, opening, name, "unkilled names a method that is there no more")
		require.True(t, !reached[name] || name == "RecordAttempt", "%s is reached: it has no place in unkilled", name)
	}
}

// called compares the provider calls that scenarios made with those that there
// are.
func called(t *testing.T, all []clean) {
	t.Helper()
	made := map[string]bool{}
	for _, c := range all {
		for _, s := range c.steps {
			made[s.operation] = true
		}
	}
	for provider, names := range operations {
		for _, name := range names {
			require.NotEqual(t, made[name], unheld[name] != "", "%s.%s is made by a scenario, or stands in unheld with the reason", provider, name)
		}
	}
}

// methods are the exported functions of the domains of one kind, found in the source.
func methods(t *testing.T, are func(*ast.FuncDecl) bool) []string {
	t.Helper()
	paths, err := source.Files("../models")
	require.NoError(t, err)
	var names []string
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		require.NoError(t, err)
		for _, decl := range file.Decls {
			function, ok := decl.(*ast.FuncDecl)
			if ok && function.Name.IsExported() && file.Name.Name != "store" && are(function) {
				names = append(names, function.Name.Name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// opensOnCase reports whether it changes a case or a gift card (changeTicket, ChangeGiftCard), or appends to its
// timeline.
func opensOnCase(method *ast.FuncDecl) bool {
	opens := false
	ast.Inspect(method, func(node ast.Node) bool {
		if call, ok := node.(*ast.CallExpr); ok {
			name := calledName(call)
			opens = opens || name == "Append" || name == "appendEvent" || name != "ChangeOrder" && changing.MatchString(name)
		}
		return true
	})
	return opens && !changing.MatchString(method.Name.Name)
}

var changing = regexp.MustCompile(`^[cC]hange[A-Z]\w*$`)

// calledName is the last name of what is called.
func calledName(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// opensOnOrder: it calls ChangeOrder or Tx and has an order.
func opensOnOrder(method *ast.FuncDecl) bool {
	opens, order := false, false
	ast.Inspect(method, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.CallExpr:
			name := calledName(n)
			opens = opens || name == "ChangeOrder" || name == "Tx"
			order = order || name == "ChangeOrder" || name == "insertOrder"

		case *ast.Ident:
			order = order || n.Name == "orderID"
		}
		return true
	})
	return opens && order && method.Name.Name != "ChangeOrder"
}

// The upper bound of the cost of one good card order until it is sent, without waiting. Webhooks are not counted: each
// is one statement of its sender, however often; nor are reads of the transfer after it was sent.
const (
	mostTransactions = 15
	mostActivities   = 6
	mostEvents       = 90
)

// frugal counts, without a clock, what a good card order costs.
func frugal(t *testing.T, all []clean) {
	t.Helper()
	card := all[slices.IndexFunc(all, func(c clean) bool { return c.scenario.name == "card" })]
	var names, alone []string
	sent := false
	for _, p := range card.trace {
		switch {
		case p.Alone:
			alone = append(alone, p.Process+" "+p.Transaction)
		case !sent:
			names = append(names, p.Process+" "+p.Transaction)
		}
		sent = sent || p.Transaction == "RecordTransfer"
	}
	activities, events := stepsOf(t, card.orderID)
	t.Logf("%d transactions %v; %d statements alone %v; %d activities, %d events", len(names), names, len(alone), alone, activities, events)
	require.LessOrEqual(t, len(names), mostTransactions, "transactions: %v", names)
	require.LessOrEqual(t, activities, mostActivities, "regular activities")
	require.LessOrEqual(t, events, mostEvents, "history events")
}

// running reports whether an order's workflow runs, or whether that is unknown.
func running(t *testing.T, orderID string) bool {
	t.Helper()
	c, err := client.DialContext(t.Context(), client.Options{HostPort: stack.TemporalAddress(), Namespace: "tradepost"})
	require.NoError(t, err)
	defer c.Close()
	run, err := c.DescribeWorkflowExecution(t.Context(), "order/"+orderID, "")
	return err != nil || run.GetWorkflowExecutionInfo().GetStatus() == enums.WORKFLOW_EXECUTION_STATUS_RUNNING
}

// stepsOf counts an order's workflow: regular activities, each once however often it was tried, and events of its
// history.
func stepsOf(t *testing.T, orderID string) (activities, events int) {
	t.Helper()
	c, err := client.DialContext(t.Context(), client.Options{HostPort: stack.TemporalAddress(), Namespace: "tradepost"})
	require.NoError(t, err)
	defer c.Close()
	history := c.GetWorkflowHistory(t.Context(), "order/"+orderID, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for history.HasNext() {
		event, err := history.Next()
		require.NoError(t, err)
		events++
		if event.GetEventType() == enums.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED {
			activities++
		}
	}
	return activities, events
}
