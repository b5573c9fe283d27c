package activities

import (
	"context"
	"errors"
	"time"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/payout"
	"github.com/tradepost/tradepost/models/store"
)

// PayoutTiming is how long payouts wait for staff.
type PayoutTiming struct {
	Remind     time.Duration `name:"payout-reminder" env:"PAYOUT_REMINDER" default:"24h" help:"How often staff are reminded of a payout that waits for them."`
	Returnable time.Duration `name:"payout-returnable" env:"PAYOUT_RETURNABLE" default:"720h" help:"How long after a transfer the customer's bank may send it back; then the bank details are destroyed."`
}

// Wrong names what cannot be worked with, or is nil.
func (t *PayoutTiming) Wrong() error {
	if t.Remind <= 0 || t.Returnable <= 0 {
		return errors.New("PAYOUT_REMINDER and PAYOUT_RETURNABLE must be above zero")
	}
	return nil
}

func (t *PayoutTiming) patience() payout.PayoutPatience {
	return payout.PayoutPatience{Remind: t.Remind, Returnable: t.Returnable}
}

// Payouts are the steps of a payout. They touch Postgres alone, hold no key, and
// never see a bank account.
type Payouts struct {
	DB     *store.DB
	Timing PayoutTiming
}

// PayoutDecided names a payout and the decision that a step executes. Code is why that
// failed.
type PayoutDecided struct {
	PayoutID   string `json:"payoutId"`
	DecisionID string `json:"decisionId"`
	Code       string `json:"code,omitempty"`
}

// LoadPayout reads the payout's state, and begins its reminders.
func (a *Payouts) LoadPayout(ctx context.Context, id string) (payout.PayoutState, error) {
	return afterPayout(ctx, a.DB, id, payout.OpenPayout(ctx, a.DB, id, a.Timing.patience()))
}

// ApprovePayout records one approval.
func (a *Payouts) ApprovePayout(ctx context.Context, d PayoutDecided) (payout.PayoutState, error) {
	return afterPayout(ctx, a.DB, d.PayoutID, payout.ApprovePayout(ctx, a.DB, d.PayoutID, d.DecisionID, a.Timing.patience()))
}

// RejectPayout gives the amount back to the balance, with a reason.
func (a *Payouts) RejectPayout(ctx context.Context, d PayoutDecided) (payout.PayoutState, error) {
	return afterPayout(ctx, a.DB, d.PayoutID, payout.RejectPayout(ctx, a.DB, d.PayoutID, d.DecisionID))
}

// CancelPayout returns the amount to the balance, at its customer's request.
func (a *Payouts) CancelPayout(ctx context.Context, d PayoutDecided) (payout.PayoutState, error) {
	return afterPayout(ctx, a.DB, d.PayoutID, payout.CancelPayout(ctx, a.DB, d.PayoutID, d.DecisionID))
}

// ConfirmPayout books the bank transfer that staff made.
func (a *Payouts) ConfirmPayout(ctx context.Context, d PayoutDecided) (payout.PayoutState, error) {
	return afterPayout(ctx, a.DB, d.PayoutID, payout.ConfirmPayout(ctx, a.DB, d.PayoutID, d.DecisionID, a.Timing.patience()))
}

// ReturnPayout books a transfer that the bank sent back.
func (a *Payouts) ReturnPayout(ctx context.Context, d PayoutDecided) (payout.PayoutState, error) {
	return afterPayout(ctx, a.DB, d.PayoutID, payout.ReturnPayout(ctx, a.DB, d.PayoutID, d.DecisionID))
}

// LatePayout reminds staff, and ends a payout that no bank can send back.
func (a *Payouts) LatePayout(ctx context.Context, id string) (payout.PayoutState, error) {
	return afterPayout(ctx, a.DB, id, payout.LatePayout(ctx, a.DB, id, a.Timing.patience()))
}

// RefusePayoutDecision refuses a decision that could not be executed.
func (a *Payouts) RefusePayoutDecision(ctx context.Context, d PayoutDecided) (payout.PayoutState, error) {
	return afterPayout(ctx, a.DB, d.PayoutID, casework.CaseDecisions.Resolve(ctx, a.DB, d.DecisionID, d.Code))
}
