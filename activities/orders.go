package activities

import (
	"cmp"
	"context"

	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
)

// Orders are the steps of an order that only touch Postgres. Each is safe to
// run again: it finds its own earlier effect.
type Orders struct {
	DB          *store.DB
	Timing      Timing
	SlippageBPS int64
	// SurplusTwoAbove is how many cents of a surplus are credited at most (CREDIT_TWO_ABOVE).
	SurplusTwoAbove money.Units
}

// surplus is how the surpluses of orders are treated.
func (a *Orders) surplus() order.SurplusTerms {
	return order.SurplusTerms{HeldFor: a.Timing.ChoiceWindow, TwoAbove: a.SurplusTwoAbove}
}

// Loaded is what a workflow learns when it begins.
type Loaded struct {
	State  order.OrderState `json:"state"`
	Timing Timing           `json:"timing"`
	// Release is what the worker that read this can do.
	Release int `json:"release,omitempty"`
}

// Release is what the workers of this build can do. Histories hold it: it only grows.
const Release = 3

// Decided names an order and the decision that a step executes.
type Decided struct {
	OrderID    string `json:"orderId"`
	DecisionID string `json:"decisionId,omitempty"`
}

// Load reads the order's state and records that its workflow runs.
func (a *Orders) Load(ctx context.Context, orderID string) (Loaded, error) {
	if err := order.MarkWorkflowStarted(ctx, a.DB, orderID); err != nil {
		return Loaded{}, err
	}
	state, err := order.ReadOrderState(ctx, a.DB, orderID)
	return Loaded{State: state, Timing: a.Timing, Release: Release}, err
}

// ConfirmReceipt books money whose arrival staff confirmed.
func (a *Orders) ConfirmReceipt(ctx context.Context, in Decided) (order.OrderState, error) {
	return afterOrder(ctx, a.DB, in.OrderID, order.ConfirmReceipt(ctx, a.DB, in.OrderID, in.DecisionID, a.surplus()))
}

// Ending is how an unpaid order ends.
type Ending struct {
	OrderID    string           `json:"orderId"`
	How        order.Resolution `json:"how"`
	DecisionID string           `json:"decisionId,omitempty"`
}

func (e Ending) unpaid() order.Unpaid { return order.Unpaid{How: e.How, DecisionID: e.DecisionID} }

// EndUnpaid ends an order that was to be paid by a rail without a card.
func (a *Orders) EndUnpaid(ctx context.Context, in Ending) (order.OrderState, error) {
	return afterOrder(ctx, a.DB, in.OrderID, order.EndUnpaid(ctx, a.DB, in.OrderID, in.unpaid()))
}

// Reserve re-checks a paid order and promises it coin of the float.
func (a *Orders) Reserve(ctx context.Context, in Decided) (order.OrderState, error) {
	return afterOrder(ctx, a.DB, in.OrderID, order.Reserve(ctx, a.DB, in.OrderID, in.DecisionID, a.SlippageBPS))
}

// GoOn resumes an order that waited for a switch.
func (a *Orders) GoOn(ctx context.Context, orderID string) (order.OrderState, error) {
	return afterOrder(ctx, a.DB, orderID, order.GoOn(ctx, a.DB, orderID, a.SlippageBPS, a.surplus()))
}

// Stopped is a step that did not succeed.
type Stopped struct {
	OrderID    string `json:"orderId"`
	DecisionID string `json:"decisionId,omitempty"`
	Step       string `json:"step,omitempty"`
	Code       string `json:"code"`
	// Stop identifies what stopped the step, if it is not the decision.
	Stop execution.Stop `json:"stop,omitempty"`
}

func (s Stopped) stop() execution.Stop { return cmp.Or(s.Stop, execution.Stop(s.DecisionID)) }

// FailStep fails the order at a step.
func (a *Orders) FailStep(ctx context.Context, in Stopped) (order.OrderState, error) {
	return afterOrder(ctx, a.DB, in.OrderID, order.StepFailed(ctx, a.DB, in.OrderID, in.Step, in.Code, in.stop()))
}

// AskPerson marks the order as waiting for staff.
func (a *Orders) AskPerson(ctx context.Context, in Stopped) (order.OrderState, error) {
	return afterOrder(ctx, a.DB, in.OrderID, order.NeedPerson(ctx, a.DB, in.OrderID, in.Code, in.DecisionID, in.stop()))
}

// RefuseDecision refuses a decision that could not be executed.
func (a *Orders) RefuseDecision(ctx context.Context, in Stopped) (order.OrderState, error) {
	return afterOrder(ctx, a.DB, in.OrderID, order.RefuseDecision(ctx, a.DB, in.DecisionID, in.Code))
}

// WarnOfLapse notifies staff that the hold on the card ends soon.
func (a *Orders) WarnOfLapse(ctx context.Context, orderID string) (order.OrderState, error) {
	return afterOrder(ctx, a.DB, orderID, order.WarnOfExpiry(ctx, a.DB, orderID, a.Timing.LapseWarning))
}

// CaptureRefused records a capture that the card's bank definitely refused.
func (a *Orders) CaptureRefused(ctx context.Context, in Stopped) (order.OrderState, error) {
	return afterOrder(ctx, a.DB, in.OrderID, order.CaptureRefused(ctx, a.DB, in.OrderID, in.DecisionID, in.Code))
}

// CaptureUnknown records a capture whose outcome could not be determined.
func (a *Orders) CaptureUnknown(ctx context.Context, in Decided) (order.OrderState, error) {
	return afterOrder(ctx, a.DB, in.OrderID, order.CaptureUnknown(ctx, a.DB, in.OrderID, in.DecisionID))
}

// RetryStep puts the order back before the step that failed or waits.
func (a *Orders) RetryStep(ctx context.Context, in Decided) (order.OrderState, error) {
	return afterOrder(ctx, a.DB, in.OrderID, order.RetryStep(ctx, a.DB, in.OrderID, in.DecisionID))
}

// OfferChoice offers the customer of a stopped order a choice.
func (a *Orders) OfferChoice(ctx context.Context, orderID string) (order.OrderState, error) {
	return afterOrder(ctx, a.DB, orderID, order.OfferChoice(ctx, a.DB, orderID, a.Timing.patience()))
}

// KeepTrying resumes the order because its customer chose so.
func (a *Orders) KeepTrying(ctx context.Context, in Decided) (order.OrderState, error) {
	return afterOrder(ctx, a.DB, in.OrderID, order.KeepTrying(ctx, a.DB, in.OrderID, in.DecisionID, a.SlippageBPS, a.Timing.patience()))
}

// Requote gives the order the price that its customer accepted for the money received.
func (a *Orders) Requote(ctx context.Context, in Decided) (order.OrderState, error) {
	return afterOrder(ctx, a.DB, in.OrderID, order.Requote(ctx, a.DB, in.OrderID, in.DecisionID, a.surplus()))
}

// KeepOrder pays the order out of money that is more than it costs.
func (a *Orders) KeepOrder(ctx context.Context, in Decided) (order.OrderState, error) {
	return afterOrder(ctx, a.DB, in.OrderID, order.KeepOrder(ctx, a.DB, in.OrderID, in.DecisionID, a.surplus()))
}

// Lapse executes what is due of a customer's choice: a reminder, or its expiry.
func (a *Orders) Lapse(ctx context.Context, orderID string) (order.OrderState, error) {
	return afterOrder(ctx, a.DB, orderID, order.Expire(ctx, a.DB, orderID, a.SlippageBPS, a.Timing.patience()))
}

// Hold puts a paid order on hold.
func (a *Orders) Hold(ctx context.Context, in Decided) (order.OrderState, error) {
	return afterOrder(ctx, a.DB, in.OrderID, order.HoldOrder(ctx, a.DB, in.OrderID, in.DecisionID, true))
}

// Resume lifts the hold.
func (a *Orders) Resume(ctx context.Context, in Decided) (order.OrderState, error) {
	return afterOrder(ctx, a.DB, in.OrderID, order.HoldOrder(ctx, a.DB, in.OrderID, in.DecisionID, false))
}

// AmendAddress gives the order another address.
func (a *Orders) AmendAddress(ctx context.Context, in Decided) (order.OrderState, error) {
	return afterOrder(ctx, a.DB, in.OrderID, order.AmendAddress(ctx, a.DB, in.OrderID, in.DecisionID))
}

// MarkSent books the order as sent by other means.
func (a *Orders) MarkSent(ctx context.Context, in Decided) (order.OrderState, error) {
	return afterOrder(ctx, a.DB, in.OrderID, order.MarkSent(ctx, a.DB, in.OrderID, in.DecisionID))
}

// RefundToBalance refunds money received without a card to the customer's balance.
func (a *Orders) RefundToBalance(ctx context.Context, in Decided) (order.OrderState, error) {
	_, err := order.StartRefund(ctx, a.DB, in.OrderID, in.DecisionID)
	return afterOrder(ctx, a.DB, in.OrderID, err)
}

// RefundLoaded is what a refund's workflow learns when it begins.
type RefundLoaded struct {
	Timing Timing `json:"timing"`
}

// LoadRefund records that a refund's workflow runs.
func (a *Orders) LoadRefund(ctx context.Context, in PartRef) (RefundLoaded, error) {
	return RefundLoaded{Timing: a.Timing}, order.NoteRefundStarted(ctx, a.DB, in.OrderID, in.Sequence)
}

// RefundStuck queues for staff a refund whose outcome stays unknown.
func (a *Orders) RefundStuck(ctx context.Context, in PartRef) error {
	return order.RefundStuck(ctx, a.DB, in.OrderID, in.Sequence)
}

// DisputeLoaded is what a dispute's workflow learns when it begins.
type DisputeLoaded struct {
	State  order.DisputeState `json:"state"`
	Timing Timing             `json:"timing"`
}

// LoadDispute reads a dispute's state and records that its workflow runs.
func (a *Orders) LoadDispute(ctx context.Context, in PartRef) (DisputeLoaded, error) {
	state, err := order.ReadDisputeState(ctx, a.DB, in.OrderID, in.Sequence)
	return DisputeLoaded{State: state, Timing: a.Timing}, err
}

// LoadTiming gives the waits and budgets to a workflow that needs nothing else.
func (a *Orders) LoadTiming(context.Context) (Timing, error) { return a.Timing, nil }
