package temporalx

import (
	"context"
	"errors"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/workflows"
)

// orderStart are the options with which an order's workflow is started: the row determines
// the status at which it begins, and one that runs already continues.
func orderStart(orderID string) client.StartWorkflowOptions {
	return client.StartWorkflowOptions{ID: workflows.OrderID(orderID), TaskQueue: workflows.CoreQueue,
		WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		WorkflowIDReusePolicy:    enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		WorkflowTaskTimeout:      10 * time.Second}
}

// StartOrder starts an order's workflow unless it runs.
func (c *Client) StartOrder(ctx context.Context, order *order.Order) error {
	options := orderStart(order.ID)
	options.StaticSummary = order.Sentence()
	options.TypedSearchAttributes = temporal.NewSearchAttributes(
		workflows.StatusAttribute.ValueSet(string(order.Status)),
		workflows.AssetAttribute.ValueSet(string(order.Asset)),
		workflows.RailAttribute.ValueSet(order.PaymentMethod),
		workflows.ReferenceAttribute.ValueSet(order.Reference))
	_, err := c.ExecuteWorkflow(ctx, options, workflows.OrderType, workflows.OrderInput{OrderID: order.ID, Release: workflows.Release})
	return err
}

// Decide delivers a decision to an order's workflow, starting the workflow from its row
// when it does not run, and waits for the outcome. decided is false when its execution
// outlasts that time. Delivering the same decision again attaches to the first delivery.
func (c *Client) Decide(ctx context.Context, orderID, kind, decisionID string, wait time.Duration) (outcome workflows.Outcome, decided bool, err error) {
	return c.decide(ctx, orderStart(orderID), workflows.OrderType, workflows.OrderInput{OrderID: orderID, Release: workflows.Release}, kind, decisionID, wait)
}

func (c *Client) decide(ctx context.Context, options client.StartWorkflowOptions, workflow string, in any, kind, decisionID string, wait time.Duration) (outcome workflows.Outcome, decided bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	update := client.UpdateWorkflowOptions{UpdateID: decisionID, WorkflowID: options.ID, UpdateName: kind,
		Args: []any{workflows.Decision{ID: decisionID}}, WaitForStage: client.WorkflowUpdateStageCompleted}
	start := func() client.WithStartWorkflowOperation {
		return c.NewWithStartWorkflowOperation(options, workflow, in)
	}
	var refusedSince time.Time // its workflow does not await it since then
	for {
		err = c.updated(ctx, update, start, &outcome)
		if notAwaited(err) && refusedSince.IsZero() {
			refusedSince = time.Now()
		}
		if !notReady(err) && (!notAwaited(err) || time.Since(refusedSince) > min(rowAhead, wait*4/5)) {
			break
		}
		select {
		case <-ctx.Done():
		case <-time.After(notReadyPause):
		}
	}
	var refused *temporal.ApplicationError
	switch {
	case err == nil:
		return outcome, true, nil
	case errors.As(err, &refused) && refused.Type() == closedMeanwhile:
		return workflows.Outcome{}, false, nil // its outcome is in the database
	case errors.As(err, &refused):
		return workflows.Outcome{Code: refused.Type(), Message: refused.Message()}, true, nil
	case timedOut(err) && refusedSince.IsZero():
		return workflows.Outcome{}, false, nil
	}
	return workflows.Outcome{}, false, err // after too short a refusal, too: it is neither accepted nor refused
}

// updated sends an update to a running workflow, or to one that it starts.
func (c *Client) updated(ctx context.Context, update client.UpdateWorkflowOptions, start func() client.WithStartWorkflowOperation, outcome any) error {
	handle, err := c.UpdateWorkflow(ctx, update)
	var none *serviceerror.NotFound
	if errors.As(err, &none) {
		handle, err = c.UpdateWithStartWorkflow(ctx, client.UpdateWithStartWorkflowOptions{StartWorkflowOperation: start(), UpdateOptions: update})
	}
	if err != nil {
		return err
	}
	return handle.Get(ctx, outcome)
}

// closedMeanwhile is the type of the server's error for an update whose workflow ended
// before it was answered.
const closedMeanwhile = "AcceptedUpdateCompletedWorkflow"

const notReadyPause = 50 * time.Millisecond

// rowAhead is how long, from its first refusal on, a decision that its workflow does not await
// is sent again: a step commits the row that the decision was checked against before the
// workflow has its answer, which on a loaded machine takes seconds. Before the first refusal
// no worker may have run the workflow at all. A caller that waits for less has the refusal
// before its time is up.
const rowAhead = 4 * time.Second

// notAwaited reports whether the workflow's validator refused the update, which leaves no
// event in its history.
func notAwaited(err error) bool {
	var refused *temporal.ApplicationError
	return errors.As(err, &refused) && refused.Type() == workflows.NotAwaited
}

// notReady reports whether the server requires the same update again: the workflow's task
// failed before it accepted the update, because something else arrived meanwhile.
func notReady(err error) bool {
	var retry *serviceerror.WorkflowNotReady
	return errors.As(err, &retry)
}

// timedOut reports whether we stopped waiting, which leaves the decision's outcome open.
func timedOut(err error) bool {
	var deadline *serviceerror.DeadlineExceeded
	var update *client.WorkflowUpdateServiceTimeoutOrCanceledError
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &deadline) || errors.As(err, &update)
}

// Signal signals an order's workflow to read a provider again. An order without a running
// workflow needs no signal: its next start reads by itself.
func (c *Client) Signal(ctx context.Context, orderID, signal, reason string) error {
	return c.signal(ctx, workflows.OrderID(orderID), signal, reason)
}

func (c *Client) signal(ctx context.Context, workflowID, signal, reason string) error {
	err := c.SignalWorkflow(ctx, workflowID, "", signal, workflows.WebhookSignal{Reason: reason})
	var gone *serviceerror.NotFound
	if errors.As(err, &gone) {
		return nil
	}
	return err
}

// ReviewKYC signals the workflow of a customer's identity review to read it, and starts one
// when none runs.
func (c *Client) ReviewKYC(ctx context.Context, userID, reason string) error {
	id := workflows.KYCID(userID)
	_, err := c.SignalWithStartWorkflow(ctx, id, workflows.ApplicantChanged, workflows.WebhookSignal{Reason: reason},
		client.StartWorkflowOptions{ID: id, TaskQueue: workflows.CoreQueue, StaticSummary: "Watch an identity review"},
		workflows.KYCType, workflows.KYCInput{ID: userID})
	return err
}

// executionOptions are the options with which the workflow of an object beside an order is started,
// unless it runs.
func executionOptions(id, summary string) client.StartWorkflowOptions {
	return client.StartWorkflowOptions{ID: id, TaskQueue: workflows.CoreQueue, StaticSummary: summary,
		WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		WorkflowIDReusePolicy:    enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE}
}

// FollowPayment starts the workflow that reads the later course of an order's card payment:
// refunds made at Stripe itself, and disputes.
func (c *Client) FollowPayment(ctx context.Context, orderID, reason string) error {
	id := workflows.PaymentID(orderID)
	_, err := c.SignalWithStartWorkflow(ctx, id, workflows.PaymentChanged, workflows.WebhookSignal{Reason: reason},
		executionOptions(id, "What became of a card payment"), workflows.PaymentType, workflows.OrderInput{OrderID: orderID})
	return err
}

// RunRefund starts a refund's workflow and waits for its end for a while. done
// is false when it is still under way then.
func (c *Client) RunRefund(ctx context.Context, orderID string, sequence int, wait time.Duration) (done bool, err error) {
	part := activities.PartRef{OrderID: orderID, Sequence: sequence}
	run, err := c.ExecuteWorkflow(ctx, executionOptions(workflows.RefundID(part), "A refund"), workflows.RefundType, part)
	if err != nil {
		return false, err
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	if err := run.Get(ctx, nil); err != nil && timedOut(err) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	return true, nil
}

// BookReceipt has a workflow of its own execute a decision about money for an order that waits for none, and waits for
// the outcome as Decide does.
func (c *Client) BookReceipt(ctx context.Context, orderID, decisionID string, wait time.Duration) (outcome workflows.Outcome, decided bool, err error) {
	in := activities.Decided{OrderID: orderID, DecisionID: decisionID}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	run, err := c.ExecuteWorkflow(ctx, executionOptions(workflows.ReceiptID(in), "A receipt beside its order's workflow"), workflows.ReceiptType, in)
	if err == nil {
		err = run.Get(ctx, &outcome)
	}
	if err != nil && timedOut(err) {
		return workflows.Outcome{}, false, nil
	}
	return outcome, err == nil, err
}

// AnswerDispute has the workflow of a dispute pass an answer on.
func (c *Client) AnswerDispute(ctx context.Context, orderID string, sequence int) error {
	part := activities.PartRef{OrderID: orderID, Sequence: sequence}
	id := workflows.DisputeID(part)
	_, err := c.SignalWithStartWorkflow(ctx, id, workflows.DisputeChanged, workflows.WebhookSignal{Reason: "answer"}, executionOptions(id, "A dispute of a card payment"), workflows.DisputeType, part)
	return err
}
