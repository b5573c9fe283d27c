package models

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/models/money"
)

// attend marks that the order waits for a person, with the decisions that lead
// on, and tells its story so.
func (c *OrderChange) attend(reason string) error {
	p, err := c.Payment()
	if err != nil {
		return err
	}
	again := text(c.Order.AttentionReason) == reason
	if stays, err := c.disputeStays(reason); stays || err != nil {
		return err
	}
	c.Attend(reason)
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
	return c.Event(Event{Kind: "attention", Data: map[string]any{"reason": reason}})
}

// disputeStays reports whether an open dispute remains the reason for a review although
// another comes: replaced, it would hide the answer to the bank. A transfer that the
// network lost replaces it, because nothing else reports that.
func (c *OrderChange) disputeStays(other string) (bool, error) {
	if other == AttentionDisputed || other == AttentionTransfer || other == AttentionUnconfirmed {
		return false, nil
	}
	return c.keepsWaiting(text(c.Order.AttentionReason))
}

// clearAttention says that the order goes on, when it waited.
func (c *OrderChange) clearAttention() error {
	if c.Order.AttentionReason == nil {
		return nil
	}
	reason := *c.Order.AttentionReason
	if kept, err := c.keepsWaiting(reason); kept || err != nil {
		return err
	}
	c.ClearAttention()
	return c.Event(Event{Kind: "attention_cleared", Data: map[string]any{"reason": reason}})
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

// Reserve promises coin of the wallet float to a paid order, after checking
// again what may have changed since: identity, blocked addresses, the price,
// the float. What does not hold any more asks for a person's attention.
func (db *DB) Reserve(ctx context.Context, orderID, decisionID string, slippageBPS int64) error {
	return db.ChangeOrder(ctx, orderID, func(c *OrderChange) error {
		if c.Order.Status != StatusPaymentApproved {
			return c.settle(decisionID, DecisionDone)
		}
		if _, err := c.coinDecision(decisionID, DecisionFulfill, DecisionRetry); err != nil {
			return err
		}
		if c.Order.Held {
			return Conflict("on_hold", "The order is on hold")
		}
		reason, err := c.unfit(slippageBPS)
		if err != nil {
			return err
		}
		if reason != "" {
			if err := c.attend(reason); err != nil {
				return err
			}
			return c.settle(decisionID, reason)
		}
		return c.reserve(decisionID)
	})
}

func (c *OrderChange) reserve(decisionID string) error {
	if err := c.Move(StatusFulfilling); err != nil {
		return err
	}
	if err := c.clearAttention(); err != nil {
		return err
	}
	if err := c.Post("reserved", "reserved", ReservePostings(c.Order.Delivery())...); err != nil {
		return err
	}
	if err := c.Event(Event{Kind: "reserved", Dedupe: "reserved"}); err != nil {
		return err
	}
	return c.settle(decisionID, DecisionDone)
}

// unfit says why the order must not be fulfilled now; "" when it may be.
func (c *OrderChange) unfit(slippageBPS int64) (string, error) {
	if reason, err := c.halted(); reason != "" || err != nil {
		return reason, err
	}
	market, err := c.stock()
	if err != nil {
		return "", err
	}
	if blocked, err := c.blocked(text(market.Listed), since(market.ListedAt)); blocked || err != nil {
		return AttentionBlocked, err
	}
	if market.Quotable(c.Now) != nil {
		return AttentionNoPrice, nil
	}
	cost := money.USD.FromDecimal(market.Ask.Mul(c.Order.Asset.Decimal(c.Order.Amount)), money.Up)
	if most := money.USD.FromDecimal(withSlippage(money.USD.Decimal(c.Order.BasePrice), slippageBPS), money.Up); cost.Cmp(most) > 0 {
		return AttentionPrice, nil
	}
	if market.Float.Cmp(c.Order.Amount) < 0 {
		return AttentionFloat, nil
	}
	return "", nil
}

// stock is the market of an order's asset, what lists say of its address, and what the
// wallet float holds.
type stock struct {
	Market   `gorm:"embedded"`
	Listed   *string
	ListedAt *time.Time
	Float    money.Units
}

// stock reads them once nobody else can take of the float.
func (c *OrderChange) stock() (*stock, error) {
	o, wallet := c.Order, WalletAccount(c.Order.Network)
	if err := c.tx.lockWallet(c.ctx, wallet, o.Asset); err != nil {
		return nil, err
	}
	row, _, err := oneLocked[stock](c.ctx, c.tx, `SELECT m.*, l.kind AS listed, l.added_at AS listed_at, (`+balanceOf12+`) AS float
		FROM markets m LEFT JOIN LATERAL (`+listQuery("$3", "$4")+`) l ON true WHERE m.asset = $2`, wallet, string(o.Asset), o.Network, addressKey(o.Network, o.DestAddress))
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

// lockWallet lets one transaction at a time promise coin of a wallet.
func (db *DB) lockWallet(ctx context.Context, wallet string, asset money.Currency) error {
	if err := db.lockKey(ctx, wallet+":"+string(asset)); err != nil {
		return fmt.Errorf("lock wallet: %w", err)
	}
	return nil
}

// shortFloat says that the wallet float does not hold the coin; "" when it does.
func (db *DB) shortFloat(ctx context.Context, network string, asset money.Currency, amount money.Units) (string, error) {
	wallet := WalletAccount(network)
	if err := db.lockWallet(ctx, wallet, asset); err != nil {
		return "", err
	}
	float, err := db.AccountBalance(ctx, wallet, asset)
	if err != nil {
		return "", err
	}
	if float.Cmp(amount) < 0 {
		return AttentionFloat, nil
	}
	return "", nil
}

// withSlippage is a price plus what it may have risen; bps are hundredths of a
// percent.
func withSlippage(price decimal.Decimal, bps int64) decimal.Decimal {
	return price.Add(price.Mul(decimal.New(bps, -4)))
}

// addressKey is the form lists are compared in: lower case where the network
// ignores case.
func addressKey(network, address string) string {
	lower := strings.ToLower(address)
	if network == NetworkEthereum || strings.HasPrefix(lower, "bc1") {
		return lower
	}
	return address
}

// StoreOwnAddress puts an address of one of our wallets on the list of those
// that no order is sent to.
func (db *DB) StoreOwnAddress(ctx context.Context, network, address string) error {
	err := db.orm(ctx).Exec("INSERT INTO blocked_addresses (network, address_key, kind, source) VALUES (?, ?, 'own', 'custody') ON CONFLICT DO NOTHING",
		network, addressKey(network, address)).Error
	if err != nil {
		return fmt.Errorf("list own address: %w", err)
	}
	return nil
}

// market reads the market of an asset.
func (db *DB) market(ctx context.Context, asset money.Currency) (*Market, error) {
	var market Market
	if err := db.orm(ctx).Where("asset = ?", asset).Take(&market).Error; err != nil {
		return nil, fmt.Errorf("read market: %w", err)
	}
	return &market, nil
}

// StepFailed fails an order whose step was refused or used up its time without
// effect. A person retries from that step, or refunds. An order that has moved on,
// while the step was thought to be stuck, goes on.
func (db *DB) StepFailed(ctx context.Context, orderID, step, code string) error {
	return db.ChangeOrder(ctx, orderID, func(c *OrderChange) error {
		if at, known := statusOfStep[step]; c.Order.Status == StatusFailed || known && c.Order.Status != at {
			return nil
		}
		return c.fail(step, code)
	})
}

func (c *OrderChange) fail(step, code string) error {
	if err := c.Move(StatusFailed); err != nil {
		return err
	}
	if err := c.clearAttention(); err != nil {
		return err
	}
	reason := code
	if c.Order.LastError != nil {
		reason = *c.Order.LastError
	}
	c.Order.FailedStep, c.Order.FulfillmentCode, c.Order.FulfillmentError = &step, &code, &reason
	if err := c.Event(Event{Kind: "failed", Data: map[string]any{"step": step, "code": code}}); err != nil {
		return err
	}
	// A dispute that did not hold up what was sent holds up what was not.
	if open, err := c.openDispute(); err != nil || open == nil {
		return err
	}
	return c.attend(AttentionDisputed)
}

// NeedPerson marks that an order waits for a person, and settles the decision
// that led there, if one did. A refund that is not refused, but takes too long, is
// waited for: it is carried on beside the order.
func (db *DB) NeedPerson(ctx context.Context, orderID, reason, decisionID string) error {
	return db.ChangeOrder(ctx, orderID, func(c *OrderChange) error {
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
			if err := c.attend(reason); err != nil {
				return err
			}
		}
		return c.settle(decisionID, reason)
	})
}

// statusOfStep is where an order stands while a step is done.
var statusOfStep = map[string]OrderStatus{
	StepReserve: StatusPaymentApproved,
	StepBuy:     StatusFulfilling,
	StepSend:    StatusFilled,
}

// RetryStep puts the order back before the step that failed or waits.
func (db *DB) RetryStep(ctx context.Context, orderID, decisionID string) error {
	return db.ChangeOrder(ctx, orderID, func(c *OrderChange) error {
		if _, err := c.coinDecision(decisionID, DecisionRetry); err != nil {
			return err
		}
		if err := c.mayLeadToCoin(DecisionRetry); err != nil {
			return err
		}
		return c.goOn(decisionID)
	})
}

// mayLeadToCoin refuses decisions after which coin is bought or sent, or booked as
// sent, while a refund is under way. To look up a purchase or transfer that may have
// been made is no such decision.
func (c *OrderChange) mayLeadToCoin(kind string) error {
	if c.Order.Status == StatusSent || !slices.Contains(towardsCoin, kind) {
		return nil
	}
	if kind == DecisionRetry {
		if err := c.coinIsStill(); CodeOf(err) == CodeConflict {
			return nil
		} else if err != nil {
			return err
		}
	}
	return c.noRefundUnderWay()
}

// goOn clears what stopped the order and settles the decision.
func (c *OrderChange) goOn(decisionID string) error {
	c.Order.ResumedAt = &c.Now
	if c.Order.Status == StatusFailed {
		to, ok := statusOfStep[text(c.Order.FailedStep)]
		if !ok || c.Order.Resolution != nil {
			return Conflict("order_state", "You can't retry this order")
		}
		if err := c.Move(to); err != nil {
			return err
		}
		c.Order.FailedStep, c.Order.FulfillmentCode, c.Order.FulfillmentError = nil, nil, nil
	}
	if err := c.clearAttention(); err != nil {
		return err
	}
	return c.settle(decisionID, DecisionDone)
}

// HoldOrder puts a paid order on hold, or takes the hold back.
func (db *DB) HoldOrder(ctx context.Context, orderID, decisionID string, held bool) error {
	return db.ChangeOrder(ctx, orderID, func(c *OrderChange) error {
		kind, event := DecisionResume, "resumed"
		if held {
			kind, event = DecisionHold, "held"
		}
		if _, err := c.openDecision(decisionID, kind); err != nil {
			return err
		}
		c.Order.Held = held
		if err := c.Event(Event{Kind: event, Actor: ByStaff, Dedupe: "decision:" + decisionID}); err != nil {
			return err
		}
		return c.settle(decisionID, DecisionDone)
	})
}

// AmendAddress gives the order another address to send to, and goes on. It is
// refused while a transfer to the old one may still happen.
func (db *DB) AmendAddress(ctx context.Context, orderID, decisionID string) error {
	return db.ChangeOrder(ctx, orderID, func(c *OrderChange) error {
		decision, err := c.coinDecision(decisionID, DecisionAmendAddress)
		if err != nil {
			return err
		}
		var amended AmendedAddress
		if err := json.Unmarshal(decision.Data, &amended); err != nil || amended.Address == "" {
			return Conflict("address_unreadable", "We can't read the new address")
		}
		if err := firstError(c.noOpenTransfer(), c.mayLeadToCoin(DecisionAmendAddress)); err != nil {
			return err
		}
		own := decision.ActorID == c.Order.UserID
		c.Order.DestAddress = amended.Address
		if err := c.mayGoTo(addressKey(c.Order.Network, amended.Address), own); err != nil {
			if CodeOf(err) == CodeInvalid {
				err = Conflict("blocked_address", "We can't send to this address. Enter another one.")
			}
			return err
		}
		amendment := Event{Kind: "address_amended", Actor: ByStaff, Dedupe: "decision:" + decisionID}
		if own {
			amendment.Actor, amendment.Data = ByCustomer, map[string]any{"by": ByCustomer}
		}
		if err := firstError(c.unrelease(), c.assessAddress(), c.Event(amendment)); err != nil {
			return err
		}
		return c.goOn(decisionID)
	})
}

// firstError is the first that is none, or nil.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
