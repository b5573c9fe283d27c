package order

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// A customer whose money we hold, and whose order is stopped, chooses: keep trying, or the money back. The choice and
// its deadline are columns of the order's row, so they outlive every process; timers only signal. At the deadline
// without an answer the money is refunded.
//
// While we keep trying, the step that failed is tried again in growing intervals; a refund can be requested
// meanwhile. Keep trying ends with the success of that step, or when custody's approver rejects the transfer. If the
// order stops again after that, or the time is over, the choice is offered again.

// Decisions that customers make about their own order, beside cancel.
const (
	DecisionKeepTrying = "keep_trying"
	DecisionRefundNow  = "refund_now"
	DecisionRequote    = "requote"
	DecisionKeepOrder  = "keep_order"
)

// customersDecisions are made by the order's own customer alone.
var customersDecisions = []string{DecisionCancel, DecisionKeepTrying, DecisionRefundNow, DecisionRequote, DecisionKeepOrder}

// ChoiceFailed is why a choice is offered when the order failed; the other reasons are the review reasons of the same
// name.
const ChoiceFailed = "failed"

// Patience is how long a customer has to choose, and how we keep trying.
type Patience struct {
	Choice    time.Duration // until the default of a choice
	TryFor    time.Duration // how long keep_trying lasts, at most
	TryEvery  time.Duration // first interval between two tries; it doubles
	TryAtMost time.Duration // longest wait
}

// ChoiceOf is why the customer of an order has a choice: ChoiceFailed or a review reason; "" when there is none to
// make.
func ChoiceOf(o *Order) string {
	waits := store.Text(o.AttentionReason)
	switch {
	case o.ClosedAt != nil:
		return ""
	case waits == AttentionShort || waits == AttentionOver || waits == AttentionLate:
		return waits
	case !o.Paid() || o.Resolution != nil || waits == AttentionRefundBlocked || waits == AttentionRefundFailed || waits == AttentionRefundPending || waits == AttentionDisputed:
		return ""
	case o.Status == StatusFailed && !needsProof(o):
		return ChoiceFailed
	case waits == casework.AttentionPrice:
		return waits
	}
	return ""
}

// needsProof reports whether a failed transfer may yet appear on the network: staff check the network before anything
// is sent or refunded (providers §3.5).
func needsProof(o *Order) bool {
	return store.Text(o.FailedStep) == execution.StepSend && store.Text(o.FulfillmentCode) == "transfer_failed"
}

// CustomerChoices lists what the customer can choose about the order now: their buttons, and what OpenDecision
// accepts from them.
func CustomerChoices(o *Order, _ *Payment) []string {
	if o.OfferUntil != nil {
		return nil
	}
	switch ChoiceOf(o) {
	case AttentionShort, AttentionLate:
		return []string{DecisionRequote, DecisionRefundNow}
	case AttentionOver:
		return []string{DecisionKeepOrder, DecisionRequote, DecisionRefundNow}
	case ChoiceFailed, casework.AttentionPrice:
		if isRejectedByApprover(o) || o.KeptUntil != nil && o.ChoiceReason == nil {
			return []string{DecisionRefundNow} // never sent again automatically; or being tried already
		}
		return []string{DecisionKeepTrying, DecisionRefundNow}
	}
	return nil
}

// isRejectedByApprover reports whether the order failed because custody's approver rejected its transfer. Only staff
// retry such an order: no timer does.
func isRejectedByApprover(o *Order) bool {
	return o.Status == StatusFailed && store.Text(o.FulfillmentCode) == codeRejected
}

// codeRejected is the failure code of an order whose transfer custody's approver rejected.
const codeRejected = "transfer_rejected"

// stepAfter lists the status that follows once the step of a status has succeeded.
var stepAfter = map[OrderStatus]OrderStatus{
	StatusPaymentApproved: StatusFulfilling,
	StatusFulfilling:      StatusFilled,
	StatusFilled:          StatusSent,
}

// offerChoice offers the customer a choice, until window has passed.
func (c *OrderChange) offerChoice(reason string, window time.Duration) {
	due := c.Now.Add(window)
	c.Order.ChoiceReason, c.Order.ChoiceDueAt = &reason, &due
	c.stopTrying()
}

func (c *OrderChange) stopTrying() {
	c.Order.KeptFrom, c.Order.KeptUntil, c.Order.TryNextAt = nil, nil, nil
}

// tidyChoice withdraws a choice without a reason any more. It ends keep trying when the step that it was chosen for
// has succeeded, and when a person rejected that step.
func (c *OrderChange) tidyChoice() {
	o := c.Order
	wanted := ChoiceOf(o)
	if store.Text(o.ChoiceReason) != wanted {
		o.ChoiceReason, o.ChoiceDueAt = nil, nil
	}
	succeeded := o.Status == stepAfter[c.was.Status]
	if o.ClosedAt != nil || o.Status == StatusSent || o.MoneyWaits() || succeeded || isRejectedByApprover(o) {
		c.stopTrying()
	}
}

// OfferChoice offers the customer of a stopped order a choice, unless it was offered already or they chose to keep
// trying.
func OfferChoice(ctx context.Context, db *store.DB, orderID string, patience Patience) error {
	return ChangeOrder(ctx, db, orderID, func(c *OrderChange) error { return c.ask(patience) })
}

func (c *OrderChange) ask(patience Patience) error {
	reason := ChoiceOf(c.Order)
	if reason == "" || c.Order.ChoiceReason != nil || c.kept() {
		return nil
	}
	c.offerChoice(reason, patience.Choice)
	detail := map[string]any{"reason": reason, "dueAt": c.Order.ChoiceDueAt.UTC().Format(time.RFC3339), "default": DecisionRefundNow}
	kind, named := choiceEvents[reason]
	if !named {
		kind = "choice_offered"
	}
	if c.Order.MoneyWaits() {
		if err := c.aboutMoney(detail); err != nil {
			return err
		}
	}
	return c.Event(casework.Event{Kind: kind, Data: detail})
}

// kept reports whether we keep trying at this moment.
func (c *OrderChange) kept() bool { return c.Order.KeptUntil != nil && c.Order.KeptUntil.After(c.Now) }

// KeepTrying records that the customer chose to keep trying, and tries at once.
func KeepTrying(ctx context.Context, db *store.DB, orderID, decisionID string, slippageBPS int64, patience Patience) error {
	return ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		if _, err := c.openDecision(decisionID, DecisionKeepTrying); err != nil {
			return err
		}
		until := c.Now.Add(patience.TryFor)
		c.Order.ChoiceReason, c.Order.ChoiceDueAt = nil, nil
		c.Order.KeptFrom, c.Order.KeptUntil = &c.Now, &until
		if err := c.Event(casework.Event{Kind: "keep_trying", Actor: casework.ByCustomer, Dedupe: "decision:" + decisionID, Data: map[string]any{"until": until.UTC().Format(time.RFC3339)}}); err != nil {
			return err
		}
		if err := c.tryAgain(slippageBPS, patience); err != nil {
			return err
		}
		return c.resolveDecision(decisionID, casework.DecisionDone)
	})
}

// tryAgain puts the order back before the step that stopped; a paid order that waits for the price is assessed again.
func (c *OrderChange) tryAgain(slippageBPS int64, patience Patience) error {
	wait := min(max(c.Now.Sub(*c.Order.KeptFrom), patience.TryEvery), patience.TryAtMost)
	next := c.Now.Add(wait)
	if next.After(*c.Order.KeptUntil) {
		next = *c.Order.KeptUntil
	}
	c.Order.TryNextAt = &next
	proposed, err := pricing.Is(c.Ctx, c.Tx, "orders o", pricing.CoinProposed+"o.id)", c.Order.ID)
	switch {
	case err != nil:
		return err
	case proposed: // it waits in its state, or the proposal could not be approved
		return nil
	case c.Order.Status != StatusPaymentApproved:
		return c.goOn("")
	case c.Order.Held: // fulfilment is stopped; once the hold is lifted, the next try does it
		return nil
	}
	reason, err := c.unfit(slippageBPS)
	switch {
	case err != nil:
		return err
	case reason != "":
		return c.Escalate(reason)
	}
	return c.reserve("")
}

// Expire does what is due of a choice: its default after its deadline, another try when one is due, the choice again
// when we have tried for long enough. Before that it does nothing.
func Expire(ctx context.Context, db *store.DB, orderID string, slippageBPS int64, patience Patience) error {
	return ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		o := c.Order
		switch {
		case o.ChoiceDueAt != nil && !o.ChoiceDueAt.After(c.Now):
			return c.expired(patience)
		case ChoiceOf(o) == "" || o.KeptUntil == nil || isRejectedByApprover(o):
			return nil // tidyChoice ends keep trying for a rejected transfer
		case !c.kept():
			return c.ask(patience)
		case o.TryNextAt != nil && !o.TryNextAt.After(c.Now):
			return c.tryUnlessUndecided(slippageBPS, patience)
		}
		return nil
	})
}

// tryUnlessUndecided tries again, or later while a decision or proposal about the order is open.
func (c *OrderChange) tryUnlessUndecided(slippageBPS int64, patience Patience) error {
	undecided, err := pricing.Is(c.Ctx, c.Tx, "orders o", pricing.UndecidedOrder, c.Order.ID)
	if err != nil {
		return err
	}
	if undecided {
		next := c.Now.Add(patience.TryEvery)
		c.Order.TryNextAt = &next
		return nil
	}
	return c.tryAgain(slippageBPS, patience)
}

// expired decides in the customer's place: the money is refunded. While the outcome of the coin or of another refund
// is unknown, staff are asked instead; while a decision is being executed, or a proposal or a restored backup may
// mean that the coin was sent, it is checked again later.
func (c *OrderChange) expired(patience Patience) error {
	last, err := c.LastDecision()
	if err != nil || last != nil && last.SettledAt == nil {
		return err
	}
	if c.Order.OfferUntil != nil {
		later := c.Now.Add(patience.TryEvery)
		c.Order.ChoiceDueAt = &later
		return nil
	}
	if err := store.FirstError(c.unmarked(), c.coinIsKnown()); store.CodeOf(err) == store.CodeConflict {
		later := c.Now.Add(patience.TryEvery)
		c.Order.ChoiceDueAt = &later
		return nil
	} else if err != nil {
		return err
	}
	c.Order.ChoiceDueAt = nil
	if err := store.FirstError(c.mayRefund(), c.noOtherRefund()); err != nil {
		if store.CodeOf(err) != store.CodeConflict {
			return err
		}
		return c.Escalate(AttentionRefundBlocked)
	}
	data, _ := json.Marshal(map[string]bool{"default": true}) // a map of booleans always encodes
	row := c.DecisionRow(DecisionRefundNow, c.Order.UserID, "", data)
	row.DeliveredAt = &c.Now
	if err := c.Tx.ORM(c.Ctx).Create(row).Error; err != nil {
		return fmt.Errorf("store decision: %w", err)
	}
	return c.Event(casework.Event{Kind: "refund_requested", Dedupe: "decision:" + row.ID, Data: map[string]any{"reason": "choice_lapsed"}})
}

// defaultRefused resolves a decision that was made in a customer's place and could not be executed. The choice it
// ended is offered to the customer again, with a new deadline. asked is whether it was offered, false for other
// decisions.
func defaultRefused(ctx context.Context, db *store.DB, decisionID, code string) (asked bool, err error) {
	var orderID string
	err = db.ORM(ctx).Raw("SELECT coalesce((SELECT order_id::text FROM decisions WHERE id = ? AND "+madeByDefault+"), '')", decisionID).Row().Scan(&orderID)
	if err != nil {
		return false, fmt.Errorf("look for a default: %w", err)
	}
	if orderID == "" {
		return false, nil
	}
	return true, ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		if _, err := c.openDecision(decisionID, DecisionRefundNow); err != nil {
			if store.CodeOf(err) == store.CodeConflict { // decided meanwhile; the choice may be open again
				return nil
			}
			return err
		}
		c.Order.ChoiceReason, c.Order.ChoiceDueAt = nil, nil
		return c.resolveDecision(decisionID, code)
	})
}

// madeByDefault is the condition that a decision is open that was made in the customer's place.
const madeByDefault = "settled_at IS NULL AND kind = 'refund_now' AND data->>'default' = 'true'"

// MadeByCustomer reports whether a kind of decision is the customer's own.
func MadeByCustomer(kind string) bool { return slices.Contains(customersDecisions, kind) }
