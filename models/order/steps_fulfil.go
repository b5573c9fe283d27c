package order

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/risk"
	"github.com/tradepost/tradepost/models/store"
)

// Escalate marks that the order waits for a person, with the decisions that continue it, and appends that to its
// timeline.
func (c *OrderChange) Escalate(reason string) error {
	p, err := c.Payment()
	if err != nil {
		return err
	}
	again := store.Text(c.Order.AttentionReason) == reason
	if stays, err := c.disputeStays(reason); stays || err != nil {
		return err
	}
	c.Flag(reason)
	ends, err := c.transferEnds()
	if err != nil {
		return err
	}
	c.Order.AttentionChoices = append(ends, DecisionsFor(c.Order, p)...)
	if reason == AttentionDisputed {
		open, err := c.openDispute()
		if err != nil {
			return err
		}
		if open != nil && open.Status == DisputeOpen && open.Answer == nil {
			c.Order.AttentionChoices = append([]string{DecisionContest, DecisionAccept}, c.Order.AttentionChoices...)
		}
	}
	if again {
		return nil
	}
	return c.Event(casework.Event{Kind: "attention", Data: map[string]any{"reason": reason}, Dedupe: c.stop.Dedupe()})
}

// disputeStays reports whether an open dispute remains the reason for a review although
// another comes: replaced, it would hide the answer to the bank. A transfer that the
// network lost replaces it, because nothing else reports that.
func (c *OrderChange) disputeStays(other string) (bool, error) {
	if other == AttentionDisputed || other == casework.AttentionTransfer || other == casework.AttentionUnconfirmed {
		return false, nil
	}
	return c.keepsWaiting(store.Text(c.Order.AttentionReason))
}

// Continue appends to the timeline that a waiting order continues.
func (c *OrderChange) Continue() error {
	if c.Order.AttentionReason == nil {
		return nil
	}
	reason := *c.Order.AttentionReason
	if kept, err := c.keepsWaiting(reason); kept || err != nil {
		return err
	}
	c.ClearAttention()
	return c.Event(casework.Event{Kind: "attention_cleared", Data: map[string]any{"reason": reason}})
}

// keepsWaiting reports whether a reason to wait outlives the step that would
// clear it: a dispute does while it waits for our answer, or holds the order up.
func (c *OrderChange) keepsWaiting(reason string) (bool, error) {
	if reason != AttentionDisputed || c.Order.Resolution != nil {
		return false, nil
	}
	open, err := c.openDispute()
	return open != nil && (open.Status == DisputeOpen || c.Order.Status != StatusSent), err
}

// Reserve promises coin of the wallet float to a paid order, after checking again what may have changed since:
// identity, blocked addresses, the price, the float. A failed check sends the order to review.
func Reserve(ctx context.Context, db *store.DB, orderID, decisionID string, slippageBPS int64) error {
	return ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		if c.Order.Status != StatusPaymentApproved {
			return c.resolveDecision(decisionID, casework.DecisionDone)
		}
		_, release, err := c.openCoinRelease(decisionID, DecisionFulfill, DecisionRetry)
		if err != nil {
			return err
		}
		if c.Order.Held {
			return store.Conflict("on_hold", "The order is on hold")
		}
		reason, err := c.unfit(slippageBPS)
		if err != nil {
			return err
		}
		if reason != "" {
			if err := c.Escalate(reason); err != nil {
				return err
			}
			return c.resolveDecision(decisionID, reason)
		}
		if err := c.checkExecution(release); err != nil {
			return err
		}
		return c.reserve(decisionID)
	})
}

func (c *OrderChange) reserve(decisionID string) error {
	if err := c.Move(StatusFulfilling); err != nil {
		return err
	}
	if err := c.Continue(); err != nil {
		return err
	}
	if err := c.Post("reserved", "reserved", execution.ReservePostings(c.Order.Delivery())...); err != nil {
		return err
	}
	if err := c.Event(casework.Event{Kind: "reserved", Dedupe: "reserved"}); err != nil {
		return err
	}
	return c.resolveDecision(decisionID, casework.DecisionDone)
}

// unfit says why the order must not be fulfilled now; "" when it may be.
func (c *OrderChange) unfit(slippageBPS int64) (string, error) {
	if reason, err := c.Halted(); reason != "" || err != nil {
		return reason, err
	}
	market, err := c.stock()
	if err != nil {
		return "", err
	}
	if blocked, err := c.blocked(store.Text(market.Listed), since(market.ListedAt)); blocked || err != nil {
		return casework.AttentionBlocked, err
	}
	if market.Quotable(c.Now) != nil {
		return casework.AttentionNoPrice, nil
	}
	cost := money.USD.FromDecimal(market.Ask.Mul(c.Order.Asset.Decimal(c.Order.Amount)), money.Up)
	if most := money.USD.FromDecimal(pricing.WithSlippage(money.USD.Decimal(c.Order.BasePrice), slippageBPS), money.Up); cost.Cmp(most) > 0 {
		return casework.AttentionPrice, nil
	}
	if market.Float.Cmp(c.Order.Amount) < 0 {
		return casework.AttentionFloat, nil
	}
	return "", nil
}

// stock is the market of an order's asset, what lists say of its address, and what the
// wallet float holds.
type stock struct {
	pricing.Market `gorm:"embedded"`
	Listed         *string
	ListedAt       *time.Time
	Float          money.Units
}

// stock reads them under the lock of the float.
func (c *OrderChange) stock() (*stock, error) {
	o, wallet := c.Order, ledger.WalletAccount(c.Order.Network)
	if err := execution.LockWallet(c.Ctx, c.Tx, wallet, o.Asset); err != nil {
		return nil, err
	}
	row, _, err := store.OneLocked[stock](c.Ctx, c.Tx, `SELECT m.*, l.kind AS listed, l.added_at AS listed_at, (`+ledger.BalanceOf12+`) AS float
		FROM markets m LEFT JOIN LATERAL (`+risk.ListQuery("$3", "$4")+`) l ON true WHERE m.asset = $2`, wallet, string(o.Asset), o.Network, execution.AddressKey(o.Network, o.DestAddress))
	if err != nil {
		return nil, fmt.Errorf("read market: %w", err)
	}
	return row, nil
}

// since is a time, or none.
func since(at *time.Time) time.Time {
	if at == nil {
		return time.Time{}
	}
	return *at
}

// StoreOwnAddress puts an address of one of our wallets on the list of those
// that no order is sent to.
func StoreOwnAddress(ctx context.Context, db *store.DB, network, address string) error {
	return risk.ListOwnAddress(ctx, db, network, execution.AddressKey(network, address))
}

// StepFailed fails an order whose step was refused or used up its time without effect. A person retries from that
// step, or refunds. An order whose step succeeded meanwhile continues.
func StepFailed(ctx context.Context, db *store.DB, orderID, step, code string, stop execution.Stop) error {
	return ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		if noted, err := stop.Recorded(ctx, c.Tx, "order_events", "order_id", orderID); noted || err != nil {
			return err
		}
		if at, known := statusOfStep[step]; c.Order.Status == StatusFailed || known && c.Order.Status != at {
			return nil
		}
		return c.fail(step, code, stop)
	})
}

func (c *OrderChange) fail(step, code string, stop execution.Stop) error {
	if err := c.Move(StatusFailed); err != nil {
		return err
	}
	if err := c.Continue(); err != nil {
		return err
	}
	reason := code
	if c.Order.LastError != nil {
		reason = *c.Order.LastError
	}
	c.Order.FailedStep, c.Order.FulfillmentCode, c.Order.FulfillmentError = &step, &code, &reason
	failed := casework.Event{Kind: "failed", Data: map[string]any{"step": step, "code": code}, Dedupe: stop.Dedupe()}
	if err := c.Event(failed); err != nil {
		return err
	}
	// A dispute that did not stop a sent order stops an unsent one.
	if open, err := c.openDispute(); err != nil || open == nil {
		return err
	}
	return c.Escalate(AttentionDisputed)
}

// NeedPerson marks that an order waits for a person, and resolves the decision that led there, if any. A refund that
// is slow but not refused continues beside the order. The same stop is noted once.
func NeedPerson(ctx context.Context, db *store.DB, orderID, reason, decisionID string, stop execution.Stop) error {
	return ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		if noted, err := stop.Recorded(ctx, c.Tx, "order_events", "order_id", orderID); noted || err != nil {
			return err
		}
		c.stop = stop
		reason := reason
		if reason == AttentionRefundFailed {
			open, err := c.unfinishedRefund()
			if err != nil {
				return err
			}
			if open != nil {
				reason = AttentionRefundPending
			}
		}
		// The order may have moved on while the step was thought to be stuck.
		if c.Order.ClosedAt == nil && canWait(c.Order.Status, reason) {
			if err := c.Escalate(reason); err != nil {
				return err
			}
		}
		return c.resolveDecision(decisionID, reason)
	})
}

// statusOfStep is the status of an order during a step.
var statusOfStep = map[string]OrderStatus{
	execution.StepReserve: StatusPaymentApproved,
	execution.StepBuy:     StatusFulfilling,
	execution.StepSend:    StatusFilled,
}

// RetryStep puts the order back before the step that failed or waits.
func RetryStep(ctx context.Context, db *store.DB, orderID, decisionID string) error {
	return ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		if _, _, err := c.openCoinRelease(decisionID, DecisionRetry); err != nil {
			return err
		}
		if err := c.mayLeadToCoin(DecisionRetry); err != nil {
			return err
		}
		return c.goOn(decisionID)
	})
}

// mayLeadToCoin refuses decisions after which coin is bought or sent, or booked as sent, while a refund is in
// progress. Reading a purchase or transfer that may have been made is no such decision.
func (c *OrderChange) mayLeadToCoin(kind string) error {
	if c.Order.Status == StatusSent || !slices.Contains(towardsCoin, kind) {
		return nil
	}
	if kind == DecisionRetry {
		if err := c.coinIsStill(); store.CodeOf(err) == store.CodeConflict {
			return nil
		} else if err != nil {
			return err
		}
	}
	return c.noRefundUnderWay()
}

// goOn clears what stopped the order and resolves the decision.
func (c *OrderChange) goOn(decisionID string) error {
	c.Order.ResumedAt = &c.Now
	if c.Order.Status == StatusFailed {
		to, ok := statusOfStep[store.Text(c.Order.FailedStep)]
		if !ok || c.Order.Resolution != nil {
			return store.Conflict("order_state", "You can't retry this order")
		}
		if err := c.Move(to); err != nil {
			return err
		}
		c.Order.FailedStep, c.Order.FulfillmentCode, c.Order.FulfillmentError = nil, nil, nil
	}
	if err := c.Continue(); err != nil {
		return err
	}
	return c.resolveDecision(decisionID, casework.DecisionDone)
}

// HoldOrder puts a paid order on hold, or lifts the hold.
func HoldOrder(ctx context.Context, db *store.DB, orderID, decisionID string, held bool) error {
	return ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		event, err := "resumed", error(nil)
		if held {
			event = "held"
			_, err = c.openDecision(decisionID, DecisionHold)
		} else {
			_, _, err = c.openCoinRelease(decisionID, DecisionResume)
		}
		if err != nil {
			return err
		}
		c.Order.Held = held
		if err := c.Event(casework.Event{Kind: event, Actor: casework.ByStaff, Dedupe: "decision:" + decisionID}); err != nil {
			return err
		}
		return c.resolveDecision(decisionID, casework.DecisionDone)
	})
}

// AmendAddress gives the order another address to send to, and continues it. It is refused while a transfer to the
// old one may still happen.
func AmendAddress(ctx context.Context, db *store.DB, orderID, decisionID string) error {
	return ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		decision, _, err := c.openCoinRelease(decisionID, DecisionAmendAddress)
		if err != nil {
			return err
		}
		var amended AmendedAddress
		if err := json.Unmarshal(decision.Data, &amended); err != nil || amended.Address == "" {
			return store.Conflict("address_unreadable", "We can't read the new address")
		}
		if err := store.FirstError(c.noOpenTransfer(), c.mayLeadToCoin(DecisionAmendAddress)); err != nil {
			return err
		}
		own := decision.ActorID == c.Order.UserID
		c.Order.DestAddress = amended.Address
		if err := c.mayGoTo(execution.AddressKey(c.Order.Network, amended.Address), own); err != nil {
			if store.CodeOf(err) == store.CodeInvalid {
				err = store.Conflict("blocked_address", "We can't send to this address. Enter another one.")
			}
			return err
		}
		amendment := casework.Event{Kind: "address_amended", Actor: casework.ByStaff, Dedupe: "decision:" + decisionID}
		if own {
			amendment.Actor, amendment.Data = casework.ByCustomer, map[string]any{"by": casework.ByCustomer}
		}
		if err := store.FirstError(c.unrelease(), c.assessAddress(), c.Event(amendment)); err != nil {
			return err
		}
		return c.goOn(decisionID)
	})
}
