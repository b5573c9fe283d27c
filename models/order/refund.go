package order

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/lib/pq"

	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// RefundWish is the data of a refund decision: how much, and to where. Without an amount it is all that is left;
// without a destination it is the rail of the payment.
type RefundWish struct {
	Amount *money.Units `json:"amount,omitempty"` // cents
	To     string       `json:"to,omitempty"`
	// LessCoin is that the refund is offered together with less coin.
	LessCoin bool `json:"lessCoin,omitempty"`
	// Sum is what a decision refunds, as it was when the decision was made.
	Sum *money.Units `json:"sum,omitempty"`
}

// refundOpen refuses a second refund beside one that is in progress.
var refundOpen = store.Conflict("refund_open", "Another refund of this order is in progress. Wait until it's completed.")

// refundable is what can still be refunded: what the order was paid with, less refunds, those in progress, and what
// the customer's bank withdrew.
func (c *OrderChange) refundable() (money.Units, error) {
	if !c.Order.Paid() {
		return money.Units{}, nil
	}
	return refundable(c.Ctx, c.Tx, c.Order)
}

// goneSQL is the SQL of what was refunded, is being refunded, or was withdrawn of the order with an id, in cents.
func goneSQL(id string) string {
	return strings.ReplaceAll(`(coalesce((SELECT sum(amount) FROM refunds WHERE order_id = @id AND status <> 'failed'), 0)
		+ coalesce((SELECT sum(withdrawn - reinstated) FROM disputes WHERE order_id = @id), 0)
		+ coalesce((SELECT sum(from_order) FROM receipt_returns
			WHERE order_id = @id AND borne_by <> 'unpaid' AND reinstated_at IS NULL), 0))`, "@id", id)
}

func refundable(ctx context.Context, db *store.DB, o *Order) (money.Units, error) {
	var gone money.Units
	err := db.ORM(ctx).Raw("SELECT "+goneSQL("@id"), map[string]any{"id": o.ID}).Row().Scan(&gone)
	if err != nil {
		return money.Units{}, fmt.Errorf("sum refunds: %w", err)
	}
	if left := o.Total.Sub(gone); left.Sign() > 0 {
		return left, nil
	}
	return money.Units{}, nil
}

// Refundable reads what can still be refunded of an order.
func Refundable(ctx context.Context, db *store.DB, o *Order) (money.Units, error) {
	if !o.Paid() {
		return money.Units{}, nil
	}
	return refundable(ctx, db, o)
}

// unfinishedRefund is the refund of ours that is in progress, or nil.
func (c *OrderChange) unfinishedRefund() (*Refund, error) {
	var rows []Refund
	err := c.Tx.ORM(c.Ctx).Where("order_id = ? AND done_at IS NULL AND origin = ?", c.Order.ID, originOurs).Limit(1).Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read refunds: %w", err)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	return &rows[0], nil
}

// noRefundUnderWay refuses while money is on its way back: what leads to coin waits
// until that refund is there, or has failed.
func (c *OrderChange) noRefundUnderWay() error {
	open, err := c.unfinishedRefund()
	if err != nil || open == nil {
		return err
	}
	return refundUnderWay
}

// refundUnderWay refuses what would lead to coin beside a refund.
var refundUnderWay = store.Conflict("refund_pending", "A refund of this order is in progress. Wait until it's completed or fails.")

// noOtherRefund refuses while a refund of its own is in progress.
func (c *OrderChange) noOtherRefund() error {
	open, err := c.unfinishedRefund()
	if err != nil || open == nil || open.Carrier == runByOrder {
		return err
	}
	return refundOpen
}

// writeRefund stores a new refund under the order's next number.
func (c *OrderChange) writeRefund(row *Refund) error {
	err := c.Tx.ORM(c.Ctx).Raw("SELECT coalesce(max(sequence), 0) + 1 FROM refunds WHERE order_id = ?", c.Order.ID).Row().Scan(&row.Sequence)
	if err != nil {
		return fmt.Errorf("number refund: %w", err)
	}
	row.OrderID, row.CreatedAt = c.Order.ID, c.Now
	if row.Origin == "" {
		row.Origin = originOurs
	}
	if row.Status == "" {
		row.Status = RefundRequested
	}
	if row.Key == "" {
		row.Key = fmt.Sprintf("ord:%s:refund:%d", c.Order.ID, row.Sequence)
	}
	err = c.Tx.ORM(c.Ctx).Create(row).Error
	if store.Violates(err, "refunds_one_open") {
		return refundOpen
	}
	if err != nil {
		return fmt.Errorf("store refund: %w", err)
	}
	return nil
}

// NextRefundKey gives up a refund's key, because the processor keeps a failure under it; reads have shown that
// nothing was refunded. What the refund is known by there, its order and number, stays.
func NextRefundKey(ctx context.Context, db *store.DB, orderID string, sequence int) error {
	return ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		var row Refund
		err := c.Tx.ORM(ctx).Where("order_id = ? AND sequence = ?", orderID, sequence).Take(&row).Error
		if err != nil || row.DoneAt != nil {
			return err
		}
		first := fmt.Sprintf("ord:%s:refund:%d", orderID, sequence)
		generation, _ := strconv.Atoi(strings.TrimPrefix(row.Key, first+":")) // the first has none
		row.Key = fmt.Sprintf("%s:%d", first, max(generation, 1)+1)
		return c.Save(&row)
	})
}

// refundReported writes what the processor says of a refund. One that has ended does
// not wait again: who says so has read it before, and is late.
func (c *OrderChange) refundReported(row *Refund, status, decisionID string) error {
	if row.DoneAt != nil && status == RefundPending {
		return nil
	}
	before := row.Status
	row.Status = status
	switch {
	case status == RefundSucceeded && before != RefundSucceeded:
		return c.gaveBack(row, decisionID)
	case status == RefundFailed && before == RefundSucceeded:
		return c.bounced(row)
	case status == RefundFailed:
		return c.refundFailed(row, decisionID)
	}
	return c.Save(row)
}

// gaveBack books refunded money. An unsent order that is refunded whole ends by it; otherwise its status stays.
func (c *OrderChange) gaveBack(row *Refund, decisionID string) error {
	bearer := ledger.AccountPrepaid
	if c.Order.Status == StatusSent && !row.Reduces {
		bearer = ledger.AccountGoodwill
	}
	row.Status, row.DoneAt, row.BookedTo = RefundSucceeded, &c.Now, &bearer
	if err := c.Save(row); err != nil {
		return err
	}
	if err := c.bookRefund(row, bearer); err != nil {
		return err
	}
	c.Order.Refunded = c.Order.Refunded.Add(row.Amount)
	if err := c.earnsLess(row); err != nil {
		return err
	}
	for _, reason := range []string{AttentionRefundFailed, AttentionRefundPending} {
		if err := c.clearAttentionOf(reason); err != nil {
			return err
		}
	}
	if row.Origin == originProvider {
		return c.gaveBackElsewhere(row)
	}
	left := c.Order.Total.Sub(c.Order.Refunded)
	if left.Sign() <= 0 && c.Order.Status != StatusSent && c.Order.ClosedAt == nil && c.coinIsStill() == nil {
		return c.endRefunded(decisionID, row.Destination, row.Amount)
	}
	if err := c.recordRefund(row, left); err != nil {
		return err
	}
	return c.resolveDecision(decisionID, casework.DecisionDone)
}

// bookRefund books a refund that was made, and releases the coin that is not sent for it.
func (c *OrderChange) bookRefund(row *Refund, bearer string) error {
	book := c.Post
	if row.Destination == RefundToBalance {
		book = c.credit
	}
	lines := RefundPostings(c.Order, row.Destination, bearer, row.Amount)
	if err := book("refunded", fmt.Sprintf("refund:%d", row.Sequence), lines...); err != nil {
		return err
	}
	if row.Reduces {
		if err := c.matchReserved(fmt.Sprintf("reduced:%d", row.Sequence)); err != nil {
			return err
		}
	}
	return c.bearExcess()
}

func (c *OrderChange) recordRefund(row *Refund, left money.Units) error {
	event := casework.Event{Kind: "refunded", Dedupe: fmt.Sprintf("refund:%d", row.Sequence),
		Data: map[string]any{"to": row.Destination, "amount": money.USD.Format(row.Amount)}}
	if left.Sign() > 0 {
		event.Kind, event.Data["left"] = "refunded_in_part", money.USD.Format(left)
		if coin := c.Order.Delivers(); coin != "" {
			event.Data["delivers"] = coin
			if row.Reduces {
				event.Data["agreed"] = true
			}
		}
	}
	return c.Event(event)
}

// Delivers returns the coin that the order will still send ("0.01 BTC"), or "" if it sends none as it is now. A refund
// of a part before delivery does not reduce the coin: all of it is sent, and our goodwill bears what was refunded.
func (o *Order) Delivers() string {
	switch o.Status {
	case StatusPaymentApproved, StatusFulfilling, StatusFilled:
		return o.Asset.Format(o.Amount) + " " + string(o.Asset)
	}
	return ""
}

// checkRefundedSeen returns an error if the order's refunds are not those that the person who releases its coin saw.
// Nothing seen is not checked.
func (c *OrderChange) checkRefundedSeen(in NewDecision) error {
	if in.SeenRefunded == nil || in.SeenRefunded.Cmp(c.Order.Refunded) == 0 {
		return nil
	}
	return store.Conflict("refunded_changed", fmt.Sprintf("The refunds of this order changed: %s was refunded so far. "+
		"The customer would still receive all of the coin. Check the order again.", money.Dollars(c.Order.Refunded)))
}

// refundFailed records a refund that returned nothing; staff review it.
func (c *OrderChange) refundFailed(row *Refund, decisionID string) error {
	row.DoneAt = &c.Now
	if err := c.Save(row); err != nil {
		return err
	}
	if err := c.undoReduction(row); err != nil {
		return err
	}
	if row.Origin == originOurs && canWait(c.Order.Status, AttentionRefundFailed) && c.Order.Resolution == nil {
		if err := c.Escalate(AttentionRefundFailed); err != nil {
			return err
		}
	}
	return c.resolveDecision(decisionID, AttentionRefundFailed)
}

// bearExcess has our goodwill bear what was returned beyond our debt, and no more: a refund at the processor can
// exceed our debt when the balance was credited already, or a lost dispute has settled it, and it can bounce. It
// compares with what is booked, so that it may be called after every change.
func (c *OrderChange) bearExcess() error {
	var paid, borne money.Units
	var before int
	err := c.Tx.Row(c.Ctx, `SELECT (SELECT coalesce(sum(amount), 0) FROM refunds
				WHERE order_id = $1 AND status = 'succeeded' AND booked_to = $2)
			+ (SELECT coalesce(sum(settled), 0) FROM disputes WHERE order_id = $1 AND NOT $3),
		coalesce(sum(CASE from_account WHEN $2 THEN amount ELSE -amount END), 0), count(*) FROM postings WHERE order_id = $1 AND event = 'refund_excess'`,
		c.Order.ID, ledger.AccountPrepaid, c.Order.Status == StatusSent).Scan(&paid, &borne, &before)
	if err != nil {
		return fmt.Errorf("compare refunds with the debt: %w", err)
	}
	line := ledger.Posting{From: ledger.AccountPrepaid, To: ledger.AccountGoodwill, Currency: money.USD, Amount: paid.Sub(c.Order.Total)}
	if line.Amount.Sign() < 0 {
		line.Amount = money.Units{}
	}
	if line.Amount = line.Amount.Sub(borne); line.Amount.Sign() < 0 {
		line.From, line.To, line.Amount = line.To, line.From, line.Amount.Neg()
	}
	return c.Post("refund_excess", fmt.Sprintf("refund_excess:%d", before), line)
}

// NewRefund is a refund requested by staff. The caller has checked that the actor's role allows it.
type NewRefund struct {
	OrderID   string
	Amount    *money.Units // cents; nil is all that is left
	To        string       // card or balance; empty is the rail of the payment
	ActorID   string
	ActorRole string
	Reason    string
	RequestID string
	// LessCoin offers the refund to the customer together with less coin; without it all the coin is sent.
	LessCoin bool
	// Alone is how many cents one person refunds to a customer in a day; more is refused with ErrSecondPerson. Nil is
	// no limit.
	Alone *money.Units
	// StaffAlone is how many cents may rest on the actor's statement alone in a day, over all customers. Nil is no limit.
	StaffAlone *money.Units

	proposal *Proposal // what it was before a second person approved it
}

// ErrWhole is a refund of all that is left of an order that is not sent: its own workflow executes that one, as a
// decision.
var ErrWhole = store.Conflict("refund_whole", "This is the full remaining amount. Refund the order instead.")

// OpenRefund writes a refund that does not end its order: a part of the money, or any of it after the coin was sent.
// A card's is executed by a workflow of its own, which the caller starts; money for the balance is there at once.
func OpenRefund(ctx context.Context, db *store.DB, in NewRefund) (*Refund, error) {
	if in.Reason = strings.TrimSpace(in.Reason); in.Reason == "" {
		return nil, store.Invalid("reason", "required", "Enter a reason")
	}
	var row *Refund
	err := ChangeOrder(ctx, db, in.OrderID, func(c *OrderChange) (err error) {
		row, err = c.openRefundOf(in)
		return err
	})
	return row, err
}

func (c *OrderChange) openRefundOf(in NewRefund) (*Refund, error) {
	amount, err := c.amountAlone(in)
	if err != nil {
		return nil, err
	}
	row := &Refund{Amount: amount, Destination: in.To, Carrier: runByOwn}
	if in.To == RefundToBalance {
		row.Carrier = runByNone
	}
	return row, c.giveBack(in, row)
}

// amountAlone returns the amount of a refund that may be made now, and by this person alone.
func (c *OrderChange) amountAlone(in NewRefund) (money.Units, error) {
	amount, err := c.mayGiveBack(in)
	if err != nil {
		return amount, err
	}
	return amount, c.alone(DecisionRefund, &amount, in.To, limits{actor: in.ActorID, customer: in.Alone, staff: in.StaffAlone})
}

// mayGiveBack refuses what is more than there is, or beside another refund.
func (c *OrderChange) mayGiveBack(in NewRefund) (money.Units, error) {
	var none money.Units
	if err := people.Another(c.Ctx, c.Tx, in.ActorID, ErrOwnOrder, c.Order.UserID); err != nil {
		return none, err
	}
	if !c.Order.Paid() || c.Order.Resolution != nil {
		return none, store.Conflict("order_state", "There is nothing to refund")
	}
	if err := store.FirstError(c.undisputed(), c.checkNotInDoubt()); err != nil {
		return none, err
	}
	if in.proposal == nil {
		if err := c.unproposed(DecisionRefund); err != nil {
			return none, err
		}
	}
	if err := c.checkNoCoinOffer(DecisionRefund); err != nil {
		return none, err
	}
	if open, err := c.unfinishedRefund(); err != nil || open != nil {
		return none, store.FirstError(err, refundOpen)
	}
	if c.Order.Status != StatusSent {
		if err := c.coinIsKnown(); err != nil {
			return none, err
		}
	}
	left, err := c.refundable()
	if err != nil {
		return none, err
	}
	amount := left
	if in.Amount != nil {
		amount = *in.Amount
	}
	switch {
	case amount.Sign() <= 0 && left.Sign() > 0:
		return none, store.Invalid("amount", "too_small", "Enter an amount above zero")
	case amount.Cmp(left) > 0 || left.Sign() <= 0:
		return none, store.Conflict("refund_exceeds", fmt.Sprintf("You can refund at most %s of this order", money.Dollars(left)))
	case amount.Cmp(left) == 0 && c.Order.Status != StatusSent && !in.LessCoin:
		return none, ErrWhole
	}
	if in.LessCoin {
		if _, err := c.termsWithLess(amount); err != nil {
			return none, err
		}
	}
	return amount, c.mayReach(in.To)
}

// goneAlready are failures of a refund that show that the money is not here: it was refunded at the processor itself,
// or the card's bank has withdrawn it. The next reading of the payment records it, or it is recorded (superseded).
var goneAlready = pq.StringArray{"charge_already_refunded", "charge_disputed", codeSuperseded}

// Gone reports whether a refund was refused because the money is not here any more.
func (r *Refund) Gone() bool {
	return r.Status == RefundFailed && slices.Contains(goneAlready, store.Text(r.FailureCode))
}

// mayReach refuses a balance for money that a card's bank has not refused.
func (c *OrderChange) mayReach(to string) error {
	if to != RefundToBalance || !c.Order.ByCard() {
		return nil
	}
	var refused bool
	err := c.Tx.ORM(c.Ctx).Raw("SELECT EXISTS (SELECT FROM refunds WHERE order_id = ? AND status = 'failed' AND NOT coalesce(failure_code = ANY(?), false))",
		c.Order.ID, goneAlready).Row().Scan(&refused)
	if err != nil {
		return fmt.Errorf("look for failed refunds: %w", err)
	}
	if !refused {
		return store.Conflict("refund_to_card", "Refund card payments to the card, unless its bank rejected the refund")
	}
	return nil
}

// giveBack writes the refund with the decision behind it, and books it at once when it needs no provider.
func (c *OrderChange) giveBack(in NewRefund, row *Refund) error {
	if !c.Order.ByCard() {
		row.Destination, row.Carrier = RefundToBalance, runByNone
	} else if row.Destination == "" {
		row.Destination = RefundToCard
	}
	wish := RefundWish{Amount: &row.Amount, To: row.Destination}
	decision, err := c.tookDecision(in.ActorID, DecisionRefund, in.Reason, wish)
	if err != nil {
		return err
	}
	made := NewDecision{Kind: DecisionRefund, ActorID: in.ActorID, Data: wish, proposal: in.proposal}
	if err := c.attestDecision(decision, made, stake{amount: row.Amount}); err != nil {
		return err
	}
	row.DecisionID = &decision.ID
	if err := c.writeRefund(row); err != nil {
		return err
	}
	if err := c.Event(casework.Event{Kind: "refund_requested", Actor: casework.ByStaff, Dedupe: "decision:" + decision.ID, Data: map[string]any{"amount": money.USD.Format(row.Amount)}}); err != nil {
		return err
	}
	after := map[string]any{"refund": row.Sequence, "amount": money.USD.Format(row.Amount), "to": row.Destination}
	if coin := c.Order.Delivers(); coin != "" {
		after["delivers"] = coin
	}
	err = audit.Audit(c.Ctx, c.Tx, audit.AuditEntry{ActorID: in.ActorID, ActorRole: in.ActorRole,
		Action: "order.refund", ObjectKind: "order", ObjectID: c.Order.ID,
		Before: map[string]any{"refunded": money.USD.Format(c.Order.Refunded)}, After: in.proposal.audited(after),
		Reason: in.Reason, RequestID: in.RequestID})
	if err != nil || row.Carrier == runByOwn {
		return err
	}
	return c.gaveBack(row, "")
}
