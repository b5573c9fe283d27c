package models

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"github.com/tradepost/tradepost/models/money"
)

// TransferReading is what the custodian says of a transfer. Fee is base units
// of FeeCurrency, which is empty when the fee comes by another bill.
type TransferReading struct {
	ID, ApprovalID string
	TxID           string
	Status         string
	Fee            money.Units
	FeeCurrency    money.Currency
	ReplacedBy     string
}

// RecordTransfer writes what became of a transfer. news reports whether
// anything changed; the order has moved on when it did. What comes after the
// network's confirmation is not the order's story any more.
func (db *DB) RecordTransfer(ctx context.Context, orderID string, generation int, r TransferReading, readAt time.Time) (news bool, err error) {
	err = db.ChangeOrder(ctx, orderID, func(c *OrderChange) error {
		news = false
		w, err := c.lastTransfer()
		if err != nil {
			return err
		}
		var was Withdrawal
		if c.Order.ClosedAt == nil && w != nil && w.Generation == generation && !w.dead() {
			was = *w
			news = w.learn(r) || w.Status == TransferRemoved && c.Order.AttentionReason == nil && c.Order.Status != StatusFailed
		}
		if news {
			err = c.beforeFirstSent(w)
		}
		if err = firstError(err, c.heardOfTransfer(readAt)); err != nil || !news {
			return err
		}
		w.UpdatedAt = c.Now
		if err := saveChanged(ctx, c.tx, &was, w, nil); err != nil {
			return err
		}
		if was.Status == TransferRemoved && w.Status != TransferRemoved {
			if err := c.lapse(DecisionTransferDead); err != nil {
				return err
			}
		}
		return c.follow(w)
	})
	return news, err
}

// learn takes over what is new in a reading and reports whether anything is.
func (w *Withdrawal) learn(r TransferReading) bool {
	before := *w
	for _, field := range []struct {
		to   **string
		from string
	}{{&w.TransferID, r.ID}, {&w.ApprovalID, r.ApprovalID}, {&w.TxID, r.TxID}, {&w.TransferID, r.ReplacedBy}} {
		if field.from != "" && text(*field.to) != field.from {
			value := field.from
			*field.to = &value
		}
	}
	w.Status = r.Status
	if r.FeeCurrency != "" && !r.Fee.IsZero() {
		w.Fee, w.FeeCurrency = r.Fee, &r.FeeCurrency
	}
	return before.Status != w.Status || text(before.TransferID) != text(w.TransferID) || text(before.ApprovalID) != text(w.ApprovalID) || text(before.TxID) != text(w.TxID)
}

// follow moves the order after its transfer.
func (c *OrderChange) follow(w *Withdrawal) error {
	if err := c.Event(Event{Kind: "transfer_requested", Actor: ByProvider, Dedupe: fmt.Sprintf("transfer:%d", w.Generation)}); err != nil {
		return err
	}
	if w.TransferID != nil {
		c.Order.BitgoTransferID = w.TransferID
	}
	switch w.Status {
	case TransferAwaiting:
		if err := c.attend(AttentionApproval); err != nil {
			return err
		}
		return c.Event(Event{Kind: "transfer_awaiting_approval", Actor: ByProvider, Dedupe: fmt.Sprintf("approval:%d", w.Generation)})
	case TransferRejected:
		if c.Order.Status != StatusSent { // else it was on the network, whatever it is called now
			return c.fail(StepSend, "transfer_rejected")
		}
		return c.transferDied(w)
	case TransferFailed:
		return c.transferDied(w)
	case TransferRemoved, TransferReplaced:
		return c.attend(AttentionTransfer)
	case TransferBroadcast, TransferConfirmed:
		return c.onNetwork(w)
	}
	return c.clearAttention()
}

// onNetwork books coin that left the wallet, and its confirmation.
func (c *OrderChange) onNetwork(w *Withdrawal) error {
	if c.Order.Status != StatusSent {
		if err := c.send(fmt.Sprint(w.Generation), *w.TxID, w.Fee, w.feeCurrency()); err != nil {
			return err
		}
	} else if err := c.settleFee(w, w.Fee); err != nil {
		return err
	}
	c.Order.TxID = w.TxID
	if w.Status != TransferConfirmed || c.Order.ConfirmedAt != nil {
		return nil
	}
	if err := c.clearAttention(); err != nil {
		return err
	}
	c.Order.ConfirmedAt, c.Order.ClosedAt = &c.Now, &c.Now
	return c.Event(Event{Kind: "confirmed", Actor: ByProvider, Dedupe: fmt.Sprintf("confirmed:%d", w.Generation)})
}

// send moves the order to sent: the debt in coin is paid, the tier's bonus
// credited, and what a first order earns.
func (c *OrderChange) send(generation, txid string, fee money.Units, feeCurrency money.Currency) error {
	past, err := c.beforeSent()
	if err != nil {
		return err
	}
	if err := c.clearAttention(); err != nil {
		return err
	}
	if err := c.Move(StatusSent); err != nil {
		return err
	}
	c.Order.TxID = &txid
	c.Order.FailedStep, c.Order.FulfillmentCode, c.Order.FulfillmentError = nil, nil, nil
	lines := append(SentPostings(c.Order.Delivery(), past.bought, fee, feeCurrency), ForgonePostings(AccountChargebacks, past.chargedBack)...)
	if err := c.Post("sent", "sent:"+generation, lines...); err != nil {
		return err
	}
	if past.gaveBack {
		if err := firstError(c.refundsBorneBy(AccountGoodwill, "sent", "sent:"+generation), c.returnsBorneBy(borneByCustomer, "sent:"+generation)); err != nil {
			return err
		}
	}
	if err := c.Event(Event{Kind: "sent", Actor: ByProvider, Dedupe: "sent:" + generation}); err != nil {
		return err
	}
	if past.bonus || !Bonus(c.Order).IsZero() {
		if err := c.creditBonus(generation); err != nil {
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
	bought      Fill
	chargedBack money.Units // by disputes lost, of an order that is sent all the same
	gaveBack    bool        // there are refunds or returns, whoever bears them
	bonus       bool        // the tier's was booked, or taken back
	promised    bool        // a reward for a first order
}

// heardOfTransfer notes that custody's notices which had come by a moment are answered by
// a reading after it.
func (c *OrderChange) heardOfTransfer(by time.Time) error {
	return c.tx.later(c.ctx, write{table: "webhook_inbox", args: []any{c.Now, c.Order.ID, by}, query: `UPDATE webhook_inbox SET handled_at = $1
		WHERE order_id = $2 AND provider = 'bitgo' AND handled_at IS NULL AND received_at <= $3`})
}

// beforeFirstSent has the order's past read before what a transfer changes is written, so
// that all of that is one statement.
func (c *OrderChange) beforeFirstSent(w *Withdrawal) (err error) {
	if c.Order.Status != StatusSent && (w.Status == TransferBroadcast || w.Status == TransferConfirmed) {
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
	err = c.tx.row(c.ctx, `SELECT e.filled, e.cost, e.fee, (SELECT coalesce(sum(settled), 0) FROM disputes WHERE order_id = $1),
		EXISTS (SELECT FROM refunds WHERE order_id = $1) OR EXISTS (SELECT FROM receipt_returns WHERE order_id = $1),
		EXISTS (SELECT FROM postings WHERE order_id = $1 AND event IN ('bonus_credited', 'bonus_taken_back')),
		EXISTS (SELECT FROM rewards WHERE friend_id = $2 AND order_id IS NULL AND closed_at IS NULL),
		NOT EXISTS (SELECT FROM order_proposals WHERE order_id = $1 AND status = 'open')
		FROM (SELECT coalesce(sum(filled), 0) AS filled, coalesce(sum(cost), 0) AS cost, coalesce(sum(fee), 0) AS fee FROM exchange_orders WHERE order_id = $1) e`,
		c.Order.ID, c.Order.UserID).Scan(&h.bought.Filled, &h.bought.Cost, &h.bought.Fee, &h.chargedBack, &h.gaveBack, &h.bonus, &h.promised, &c.unproposedNow)
	if err != nil {
		return orderPast{}, fmt.Errorf("read the order's past: %w", err)
	}
	c.past = &h
	return h, nil
}

// settleFee books what a transfer's network fee came to beyond, or below, what
// was booked before: another transaction with a higher fee took its place, or
// it died. It compares with all that is booked, so that it may be asked after every
// change.
func (c *OrderChange) settleFee(w *Withdrawal, spent money.Units) error {
	group := fmt.Sprintf("sent:%d", w.Generation)
	lines, times, err := feeSettled(c.tx.orm(c.ctx).Where("order_id = ?", c.Order.ID), "order:"+c.Order.ID+":"+group, w, spent)
	if err != nil || lines == nil {
		return err
	}
	return c.Post("fee_settled", fmt.Sprintf("%s:fee:%d", group, times+1), lines...)
}

// feeSettled makes the postings of a network fee that is not what was booked as
// its transfer was, in that group of the postings it is given; none when it is.
// times is how often it was settled before.
func feeSettled(postings *gorm.DB, group string, w *Withdrawal, spent money.Units) (lines []Posting, times int, err error) {
	var booked money.Units
	err = postings.Model(&StoredPosting{}).Select("coalesce(sum(CASE WHEN to_account = ? THEN amount ELSE -amount END), 0), count(DISTINCT group_key) FILTER (WHERE group_key <> ?)", AccountNetworkFee, group).
		Where("(group_key = ? OR group_key LIKE ?) AND ? IN (to_account, from_account)", group, group+":fee:%", AccountNetworkFee).Row().Scan(&booked, &times)
	if err != nil {
		return nil, 0, fmt.Errorf("sum the network's fee: %w", err)
	}
	wallet, fees := WalletAccount(w.Network), AccountNetworkFee
	more := spent.Sub(booked)
	if more.Sign() < 0 {
		wallet, fees, more = fees, wallet, more.Neg()
	}
	if more.IsZero() {
		return nil, times, nil
	}
	return []Posting{{From: wallet, To: fees, Currency: w.feeCurrency(), Amount: more}}, times, nil
}

// feeCurrency is the coin that pays a transfer's network fee.
func (w *Withdrawal) feeCurrency() money.Currency {
	if w.FeeCurrency != nil {
		return *w.FeeCurrency
	}
	return w.Asset
}

// creditBonus credits the tier's bonus, once an order however often it is sent.
func (c *OrderChange) creditBonus(generation string) error {
	group := "bonus"
	if again, err := c.booked(group); err != nil || again {
		if err != nil {
			return err
		}
		group = "bonus:sent:" + generation // a part went back since, or came back
	}
	return c.settleBonus(Bonus(c.Order), group)
}

// booked reports whether the order has postings of a group.
func (c *OrderChange) booked(group string) (bool, error) {
	var there bool
	err := c.tx.orm(c.ctx).Raw("SELECT EXISTS (SELECT FROM postings WHERE group_key = ?)", "order:"+c.Order.ID+":"+group).Row().Scan(&there)
	if err != nil {
		return false, fmt.Errorf("look for postings: %w", err)
	}
	return there, nil
}

// transferDied fails the order because its transfer will never confirm. What
// was booked as sent is taken back, and we owe the customer again.
func (c *OrderChange) transferDied(w *Withdrawal) error {
	if err := c.settleFee(w, w.feeOfDead(c.Order.Network)); err != nil {
		return err
	}
	if c.Order.Status != StatusSent {
		return c.fail(StepSend, "transfer_failed")
	}
	group := fmt.Sprintf("sent:%d", w.Generation)
	if err := c.unsend(group); err != nil {
		return err
	}
	c.Order.ConfirmedAt = nil
	if err := c.fail(StepSend, "transfer_failed"); err != nil {
		return err
	}
	return c.oweAgain(group)
}

// feeOfDead is what a transfer cost that failed: nothing where no block took it, on
// Bitcoin or declared dead, and its fee on a chain of accounts, where a transaction
// that is undone has used its gas (Ethereum yellow paper, section 6).
func (w *Withdrawal) feeOfDead(network string) money.Units {
	if network == NetworkBitcoin || w.Status == TransferDead {
		return money.Units{}
	}
	return w.Fee
}

// unsend takes back what was booked as sent, line by line, but the network's
// fee.
func (c *OrderChange) unsend(group string) error {
	back, err := c.tx.unsent(c.ctx, "order:"+c.Order.ID+":"+group)
	if err != nil {
		return err
	}
	return c.Post("transfer_died", group+":reversed", back...)
}

// unsent are the postings that take a sending back, but for its network fee.
func (db *DB) unsent(ctx context.Context, group string) ([]Posting, error) {
	var rows []StoredPosting
	if err := db.orm(ctx).Where("group_key = ?", group).Order("line").Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read postings: %w", err)
	}
	var back []Posting
	for _, row := range rows {
		if row.ToAccount != AccountNetworkFee {
			back = append(back, Posting{From: row.ToAccount, To: row.FromAccount, Currency: row.Currency, Amount: row.Amount})
		}
	}
	return back, nil
}
