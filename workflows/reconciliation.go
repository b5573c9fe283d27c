package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/models/reconciliation"
)

// ReconciliationType compares providers' statements with the ledger; ReconciliationID is
// its workflow id and the id of its schedule, and ReconcileNowID the workflow id when staff
// requested it.
const (
	ReconciliationType = "Reconciliation"
	ReconciliationID   = "reconciliation"
	ReconcileNowID     = "reconciliation/now"
)

var (
	statements *activities.Statements
	comparing  *activities.Reconciliation
)

// reconcileSteps bounds what one run reads of a statement, in windows, and of the ledger,
// in batches; the next run continues.
const reconcileSteps = 100

// Reconciled is the result of a run. Unread are the task queues whose providers did not
// answer.
type Reconciled struct {
	News   int      `json:"news"`
	Unread []string `json:"unread,omitempty"`
	Opened int      `json:"opened"`
	Closed int      `json:"closed"`
}

// Reconciliation reads the statements of all providers side by side, and then compares. One
// that does not answer makes no breaks (reconciliation.Reconcile) and delays no other.
func Reconciliation(ctx workflow.Context) (Reconciled, error) {
	var out Reconciled
	var timing activities.Timing
	if err := runLocal(ctx, "Read the waits and budgets", &timing, rows.LoadTiming); err != nil {
		return out, err
	}
	readers := workflow.NewWaitGroup(ctx)
	for _, queue := range []string{PaymentsQueue, ExchangeQueue, CustodyQueue} {
		readers.Add(1)
		workflow.Go(ctx, func(ctx workflow.Context) {
			defer readers.Done()
			if !readStatement(ctx, timing, queue, &out.News) {
				out.Unread = append(out.Unread, queue)
			}
		})
	}
	readers.Wait(ctx)
	for range reconcileSteps {
		var step reconciliation.BooksCompared
		if err := runLocal(ctx, "Compare statements with the ledger", &step, comparing.Compare); err != nil {
			return out, err
		}
		out.Opened, out.Closed = out.Opened+step.Opened, out.Closed+step.Closed
		if !step.More {
			break
		}
	}
	return out, nil
}

// A statement of a busy day has many pages, which are requested slowly; heartbeats report
// whether its worker is alive. A provider that does not answer is left to the next run, so
// that the others are compared meanwhile.
const (
	statementTime   = 20 * time.Minute
	statementBudget = 30 * time.Minute
	statementQueue  = time.Minute
	statementTries  = 5
)

// readStatement reads a provider's statement up to now, or as far as it reaches.
func readStatement(ctx workflow.Context, t activities.Timing, queue string, news *int) bool {
	options := workflow.GetActivityOptions(outside(ctx, t, queue, statementBudget, "Read the provider's statement"))
	options.StartToCloseTimeout, options.ScheduleToStartTimeout, options.RetryPolicy.MaximumAttempts = statementTime, statementQueue, statementTries
	reading := workflow.WithActivityOptions(ctx, options)
	for range reconcileSteps {
		var read activities.StatementRead
		if err := workflow.ExecuteActivity(reading, statements.ReadStatement).Get(ctx, &read); err != nil {
			return false
		}
		*news += read.News
		if !read.More {
			return true
		}
	}
	return true
}
