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

// A customer whose money we hold, and whose order does not go on, chooses:
// keep trying, or the money back. The choice and its deadline are columns of
// the order's row, so they outlive every process; timers only signal. When the
// deadline passes without an answer, the money goes back.
//
// While we keep trying, the step that failed is tried again in growing
// intervals; the money can be asked back all the while. After that the choice
// is offered anew.

// Decisions a customer takes about their own order, beside cancel.
const (
	DecisionKeepTrying = "keep_trying"
	DecisionRefundNow  = "refund_now"
	DecisionRequote    = "requote"
	DecisionKeepOrder  = "keep_order"
)

// customersDecisions are taken by the order's own customer, and by nobody else.
var customersDecisions = []string{DecisionCancel, DecisionKeepTrying, DecisionRefundNow, DecisionRequote, DecisionKeepOrder}

// ChoiceFailed is why a choice is offered when the order failed; the other
// reasons are the attention reasons of their own name.
const ChoiceFailed = "failed"

// Patience is how long a customer has to choose, and how we keep trying.
type Patience struct {
	Choice    time.Duration // until the default of a choice
	TryFor    time.Duration // how long keep_trying lasts
	TryEvery  time.Duration // first wait between two tries; it doubles
	TryAtMost time.Duration // longest wait
}

// ChoiceOf is why the customer of an order has a choice: ChoiceFailed or an
// attention reason; "" when there is none to make.
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

// needsProof reports whether a failed transfer may yet appear on the network:
// a person looks there before anything is sent or given back (providers §3.5).
func needsProof(o *Order) bool {
	return store.Text(o.FailedStep) == execution.StepSend && store.Text(o.FulfillmentCode) == "transfer_failed"
}

// CustomerChoices lists what the customer can choose about the order as it
// stands: their buttons, and what OpenDecision lets them decide.
func CustomerChoices(o *Order, _ *Payment) []string {
	switch ChoiceOf(o) {
	case AttentionShort, AttentionLate:
		return []string{DecisionRequote, DecisionRefundNow}
	case AttentionOver:
		return []string{DecisionKeepOrder, DecisionRequote, DecisionRefundNow}
	case ChoiceFailed, casework.AttentionPrice:
		if store.Text(o.FulfillmentCode) == "transfer_rejected" || o.KeptUntil != nil && o.ChoiceReason == nil {
			return []string{DecisionRefundNow} // never sent again by itself; or being tried already
		}
		return []string{DecisionKeepTrying, DecisionRefundNow}
	}
	return nil
}

// offerChoice asks the customer, until window has passed.
func (c *OrderChange) offerChoice(reason string, window time.Duration) {
	due := c.Now.Add(window)
	c.Order.ChoiceReason, c.Order.ChoiceDueAt = &reason, &due
	c.stopTrying()
}

func (c *OrderChange) stopTrying() {
	c.Order.KeptFrom, c.Order.KeptUntil, c.Order.TryNextAt = nil, nil, nil
}

// tidyChoice takes back a choice there is no reason for any more.
func (c *OrderChange) tidyChoice() {
	o := c.Order
	wanted := ChoiceOf(o)
	if store.Text(o.ChoiceReason) != wanted {
		o.ChoiceReason, o.ChoiceDueAt = nil, nil
	}
	if o.ClosedAt != nil || o.Status == StatusSent || o.MoneyWaits() {
		c.stopTrying()
	}
}

// OfferChoice asks the customer of an order that does not go on, unless they
// were asked already or want us to keep trying.
func OfferChoice(ctx context.Context, db *store.DB, orderID string, patience Patience) error {
	return ChangeOrder(ctx, db, orderID, func(c *OrderChange) error { return c.ask(patience) })
}

func (c *OrderChange) ask(patience Patience) error {
	reason := ChoiceOf(c.Order)
	if reason == "" || c.Order.ChoiceReason != nil || c.kept() {
		return nil
	}
	c.offerChoice(reason, patience.Choice)
	told := map[string]any{"reason": reason, "dueAt": c.Order.ChoiceDueAt.UTC().Format(time.RFC3339), "default": DecisionRefundNow}
	kind, named := choiceEvents[reason]
	if !named {
		kind = "choice_offered"
	}
	if c.Order.MoneyWaits() {
		if err := c.aboutMoney(told); err != nil {
			return err
		}
	}
	return c.Event(casework.Event{Kind: kind, Data: told})
}

// kept reports whether we keep trying at this moment.
func (c *OrderChange) kept() bool { return c.Order.KeptUntil != nil && c.Order.KeptUntil.After(c.Now) }

// KeepTrying notes that the customer wants us to go on, and tries at once.
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

// tryAgain puts the order back before the step that stopped; a paid order that
// waits for the price is looked at again.
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
	case proposed: // it waits where it stands, or what is proposed could not be approved
		return nil
	case c.Order.Status != StatusPaymentApproved:
		return c.goOn("")
	case c.Order.Held: // nobody fulfils it for now; once that is taken back, the next try does
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

// Expire does what the clock asks of a choice: its default when its deadline has
// passed, another try when it is time for one, the choice anew when we have
// tried for long enough. Before that it does nothing.
func Expire(ctx context.Context, db *store.DB, orderID string, slippageBPS int64, patience Patience) error {
	return ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		o := c.Order
		switch {
		case o.ChoiceDueAt != nil && !o.ChoiceDueAt.After(c.Now):
			return c.expired(patience)
		case ChoiceOf(o) == "" || o.KeptUntil == nil:
			return nil
		case !c.kept():
			return c.ask(patience)
		case o.TryNextAt != nil && !o.TryNextAt.After(c.Now):
			return c.tryUnlessUndecided(slippageBPS, patience)
		}
		return nil
	})
}

// tryUnlessUndecided tries again, or later while somebody's decision or proposal
// about the order is open.
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

// expired decides in the customer's place: the money goes back. While it is not
// known what became of the coin, or of another refund, a person is asked instead;
// while somebody's decision is being carried out, nothing is: that may be the end of
// the choice, and else it is looked at again. So it is, after a while, when somebody
// says that the coin was sent by hand, or a backup may have lost that it was sent.
func (c *OrderChange) expired(patience Patience) error {
	last, err := c.LastDecision()
	if err != nil || last != nil && last.SettledAt == nil {
		return err
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

// defaultRefused resolves a decision that was made in a customer's place and could not
// be carried out. The choice it ended is theirs again, and they are asked anew, with
// a new deadline. asked is false for other decisions.
func defaultRefused(ctx context.Context, db *store.DB, decisionID, code string) (asked bool, err error) {
	var orderID string
	err = db.ORM(ctx).Raw("SELECT coalesce((SELECT order_id::text FROM decisions WHERE id = ? AND "+takenByDefault+"), '')", decisionID).Row().Scan(&orderID)
	if err != nil {
		return false, fmt.Errorf("look for a default: %w", err)
	}
	if orderID == "" {
		return false, nil
	}
	return true, ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		if _, err := c.openDecision(decisionID, DecisionRefundNow); err != nil {
			if store.CodeOf(err) == store.CodeConflict { // somebody was quicker, and the customer may have been asked since
				return nil
			}
			return err
		}
		c.Order.ChoiceReason, c.Order.ChoiceDueAt = nil, nil
		return c.resolveDecision(decisionID, code)
	})
}

// takenByDefault is the condition that a decision is open that was taken in the
// customer's place.
const takenByDefault = "settled_at IS NULL AND kind = 'refund_now' AND data->>'default' = 'true'"

// TakenByCustomer reports whether a kind of decision is the customer's own.
func TakenByCustomer(kind string) bool { return slices.Contains(customersDecisions, kind) }
