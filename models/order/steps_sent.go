package order

import (
	"context"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/webhook"
)

// RecordTransfer stores the state of a transfer. news reports whether anything changed; the order has moved on when
// it did. Changes after the network's confirmation are not in the order's timeline.
func RecordTransfer(ctx context.Context, db *store.DB, orderID string, generation int, r execution.TransferReading, readAt time.Time) (news bool, err error) {
	err = ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		news = false
		w, err := c.Subject().LastTransfer()
		if err != nil {
			return err
		}
		var was execution.Withdrawal
		if c.Order.ClosedAt == nil && w != nil && w.Generation == generation && !w.Dead() {
			was = *w
			news = w.Learn(r) || w.Status == execution.TransferRemoved && c.Order.AttentionReason == nil && c.Order.Status != StatusFailed
		}
		if news {
			err = store.FirstError(c.asSent(w, r.Amount), c.beforeFirstSent(w))
		}
		if err = store.FirstError(err, c.markTransferWebhookHandled(readAt)); err != nil || !news {
			return err
		}
		w.UpdatedAt = c.Now
		if err := execution.StoreTransfer(ctx, c.Tx, &was, w); err != nil {
			return err
		}
		if was.Status == execution.TransferRemoved && w.Status != execution.TransferRemoved {
			if err := c.expire(DecisionTransferDead); err != nil {
				return err
			}
		}
		return c.follow(w)
	})
	return news, err
}

// asSent makes the order's amount the one that custody sends. They differ where a restored
// backup lost the price that the coin was sent for, and the order got another since: the
// transfer is found under its identity, and the customer has its coin.
func (c *OrderChange) asSent(w *execution.Withdrawal, amount money.Units) error {
	if amount.IsZero() || amount.Cmp(w.Amount) == 0 || w.Dead() || c.Order.Status == StatusSent {
		return nil
	}
	o := c.Order
	amounts := map[string]any{"ordered": o.Asset.Format(o.Amount), "sent": o.Asset.Format(amount)}
	reserved := ledger.MovedPostings(ledger.ReservedAccount(o.Network), ledger.WalletAccount(o.Network), o.Asset, amount.Sub(o.Amount))
	w.Amount, o.Amount = amount, amount
	return store.FirstError(c.Post("reserved", fmt.Sprintf("as sent:%d", w.Generation), reserved...),
		c.Event(casework.Event{Kind: "transfer_requested", Actor: casework.ByProvider, Data: amounts, Dedupe: fmt.Sprintf("transfer:%d", w.Generation)}))
}

// follow moves the order after its transfer.
func (c *OrderChange) follow(w *execution.Withdrawal) error {
	if err := c.Event(casework.Event{Kind: "transfer_requested", Actor: casework.ByProvider, Dedupe: fmt.Sprintf("transfer:%d", w.Generation)}); err != nil {
		return err
	}
	if w.TransferID != nil {
		c.Order.BitgoTransferID = w.TransferID
	}
	switch w.Status {
	case execution.TransferAwaiting:
		if err := c.Escalate(casework.AttentionApproval); err != nil {
			return err
		}
		return c.Event(casework.Event{Kind: "transfer_awaiting_approval", Actor: casework.ByProvider, Dedupe: fmt.Sprintf("approval:%d", w.Generation)})
	case execution.TransferRejected:
		if c.Order.Status != StatusSent { // else it was on the network, whatever it is called now
			return c.fail(execution.StepSend, codeRejected, "")
		}
		return c.transferDied(w)
	case execution.TransferFailed:
		return c.transferDied(w)
	case execution.TransferRemoved, execution.TransferReplaced:
		return c.Escalate(casework.AttentionTransfer)
	case execution.TransferBroadcast, execution.TransferConfirmed:
		return c.onNetwork(w)
	}
	return c.Continue()
}

// onNetwork books coin that left the wallet, and its confirmation.
func (c *OrderChange) onNetwork(w *execution.Withdrawal) error {
	if c.Order.Status != StatusSent {
		if err := c.send(fmt.Sprint(w.Generation), *w.TxID, w.Fee, w.PaidIn()); err != nil {
			return err
		}
	} else if err := c.Subject().SettleFee(w, w.Fee); err != nil {
		return err
	}
	c.Order.TxID = w.TxID
	if w.Status != execution.TransferConfirmed || c.Order.ConfirmedAt != nil {
		return nil
	}
	if err := c.Continue(); err != nil {
		return err
	}
	c.Order.ConfirmedAt, c.Order.ClosedAt = &c.Now, &c.Now
	return c.Event(casework.Event{Kind: "confirmed", Actor: casework.ByProvider, Dedupe: fmt.Sprintf("confirmed:%d", w.Generation)})
}

// send moves the order to sent: the debt in coin is paid, the tier's bonus
// credited, and what a first order earns.
func (c *OrderChange) send(generation, txid string, fee money.Units, feeCurrency money.Currency) error {
	past, err := c.beforeSent()
	if err != nil {
		return err
	}
	if err := c.Continue(); err != nil {
		return err
	}
	if err := c.Move(StatusSent); err != nil {
		return err
	}
	c.Order.TxID = &txid
	c.Order.FailedStep, c.Order.FulfillmentCode, c.Order.FulfillmentError = nil, nil, nil
	lines := append(execution.SentPostings(c.Order.Delivery(), past.bought, fee, feeCurrency),
		ForgonePostings(ledger.AccountChargebacks, past.chargedBack.Sub(past.unreduced))...)
	if err := c.Post("sent", "sent:"+generation, lines...); err != nil {
		return err
	}
	if past.gaveBack {
		if err := store.FirstError(c.refundsBorneBy(ledger.AccountGoodwill, "sent", "sent:"+generation), c.returnsBorneBy(borneByCustomer, "sent:"+generation)); err != nil {
			return err
		}
	}
	if err := c.Event(casework.Event{Kind: "sent", Actor: casework.ByProvider, Dedupe: "sent:" + generation}); err != nil {
		return err
	}
	if past.bonus || !Bonus(c.Order, past.lost).IsZero() {
		if err := c.creditBonus(generation, past.lost); err != nil {
			return err
		}
	}
	if !past.chargedBack.IsZero() || !past.lost.IsZero() {
		if err := c.claimLost(); err != nil {
			return err
		}
	}
	if past.promised {
		return c.earnRewards()
	}
	return nil
}

// orderPast is what counts of an order's past as its coin leaves.
type orderPast struct {
	bought      execution.Fill
	chargedBack money.Units // by disputes lost, of an order that is sent all the same
	unreduced   money.Units // of that, what less coin is sent for (unreducedSQL)
	lost        money.Units // beyond that, by disputes lost (lostToBank)
	gaveBack    bool        // there are refunds or returns, borne by any account
	bonus       bool        // the tier's was booked, or clawed back
	promised    bool        // a reward for a first order
}

// markTransferWebhookHandled records that custody's webhooks received by a moment are answered by a reading after it.
func (c *OrderChange) markTransferWebhookHandled(by time.Time) error {
	return webhook.TransferRead(c.Ctx, c.Tx, c.Order.ID, c.Now, by)
}

// beforeFirstSent has the order's past read before what a transfer changes is written, so
// that all of that is one statement.
func (c *OrderChange) beforeFirstSent(w *execution.Withdrawal) (err error) {
	if c.Order.Status != StatusSent && (w.Status == execution.TransferBroadcast || w.Status == execution.TransferConfirmed) {
		_, err = c.beforeSent()
	}
	return err
}

// beforeSent reads it, once and in one query. What is read of the order is changed under
// its lock alone.
func (c *OrderChange) beforeSent() (h orderPast, err error) {
	if c.past != nil {
		return *c.past, nil
	}
	err = c.Tx.Row(c.Ctx, `SELECT e.filled, e.cost, e.fee,
		(SELECT coalesce(sum(settled), 0) FROM disputes WHERE order_id = $1), `+unreducedSQL+`, (`+lostToBankSQL+`$1),
		EXISTS (SELECT FROM refunds WHERE order_id = $1) OR EXISTS (SELECT FROM receipt_returns WHERE order_id = $1),
		EXISTS (SELECT FROM postings WHERE order_id = $1 AND event IN ('bonus_credited', 'bonus_taken_back')),
		EXISTS (SELECT FROM rewards WHERE friend_id = $2 AND order_id IS NULL AND closed_at IS NULL),
		NOT EXISTS (SELECT FROM order_proposals WHERE order_id = $1 AND status = 'open')
		FROM (SELECT coalesce(sum(filled), 0) AS filled, coalesce(sum(cost), 0) AS cost, coalesce(sum(fee), 0) AS fee FROM exchange_orders WHERE order_id = $1) e`,
		c.Order.ID, c.Order.UserID).Scan(&h.bought.Filled, &h.bought.Cost, &h.bought.Fee, &h.chargedBack, &h.unreduced, &h.lost,
		&h.gaveBack, &h.bonus, &h.promised, &c.unproposedNow)
	if err != nil {
		return orderPast{}, fmt.Errorf("read the order's past: %w", err)
	}
	c.past = &h
	return h, nil
}

// creditBonus credits the tier's bonus, once an order however often it is sent. lost is lostToBank.
func (c *OrderChange) creditBonus(generation string, lost money.Units) error {
	group := "bonus"
	if again, err := c.booked(group); err != nil || again {
		if err != nil {
			return err
		}
		group = "bonus:sent:" + generation // a part was returned since, or reinstated
	}
	return c.settleBonus(Bonus(c.Order, lost), group)
}

// booked reports whether the order has postings of a group.
func (c *OrderChange) booked(group string) (bool, error) {
	var there bool
	err := c.Tx.ORM(c.Ctx).Raw("SELECT EXISTS (SELECT FROM postings WHERE group_key = ?)", "order:"+c.Order.ID+":"+group).Row().Scan(&there)
	if err != nil {
		return false, fmt.Errorf("look for postings: %w", err)
	}
	return there, nil
}

// transferDied fails the order because its transfer will never confirm. What was booked as sent is reversed, and we
// owe the customer again.
func (c *OrderChange) transferDied(w *execution.Withdrawal) error {
	if err := c.Subject().SettleFee(w, w.FeeOfDead(c.Order.Network)); err != nil {
		return err
	}
	if c.Order.Status != StatusSent {
		return c.fail(execution.StepSend, "transfer_failed", "")
	}
	group := fmt.Sprintf("sent:%d", w.Generation)
	if err := c.Subject().Unsend(group); err != nil {
		return err
	}
	c.Order.ConfirmedAt = nil
	if err := c.fail(execution.StepSend, "transfer_failed", ""); err != nil {
		return err
	}
	return c.oweAgain(group)
}
