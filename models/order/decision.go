package order

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/risk"
	"github.com/tradepost/tradepost/models/store"
)

// Kinds of decisions about an order.
const (
	DecisionProcess        = "process"
	DecisionDecline        = "decline"
	DecisionConfirmReceipt = "confirm_receipt"
	DecisionReject         = "reject"
	DecisionFulfill        = "fulfill"
	DecisionRetry          = "retry"
	DecisionRefund         = "refund"
	DecisionCancel         = "cancel"
	DecisionHold           = "hold"
	DecisionResume         = "resume"
	DecisionAmendAddress   = "amend_address"
	DecisionMarkSent       = "mark_sent"
	DecisionTransferDead   = "transfer_dead"
)

// DecisionKinds lists every kind of decision about an order, of staff and of its
// customer.
var DecisionKinds = []string{
	DecisionProcess, DecisionDecline, DecisionConfirmReceipt, DecisionReject, DecisionFulfill, DecisionRetry, DecisionRefund, DecisionCancel, DecisionHold,
	DecisionResume, DecisionAmendAddress, DecisionMarkSent, DecisionTransferDead, DecisionKeepTrying, DecisionRefundNow, DecisionRequote, DecisionKeepOrder, DecisionContest, DecisionAccept,
}

// decisionEvents are the timeline's events of decisions as they are made. The other decisions are reported by their
// effects.
var decisionEvents = map[string]string{
	DecisionProcess:   "capture_requested",
	DecisionFulfill:   "fulfil_requested",
	DecisionRetry:     "retry_requested",
	DecisionRefund:    "refund_requested",
	DecisionRefundNow: "refund_requested",
}

// needReason are the decisions that are refused without a reason (rules §7).
var needReason = []string{DecisionDecline, DecisionReject, DecisionRefund, DecisionAmendAddress, DecisionMarkSent, DecisionTransferDead, DecisionHold}

// Decision is a decision about an order.
type Decision struct {
	casework.Decision `gorm:"embedded"`
	OrderID           string
	Data              json.RawMessage `gorm:"type:jsonb"`
	Outcome           *string
}

// Decisions are the decisions about orders.
var Decisions = &casework.Decisions[Decision]{Table: "decisions", Subject: "order_id", OneOpen: "decisions_one_open", Outcome: true}

// SentEvidence is the data of mark_sent: the transfer that was made by other
// means.
// TransferID is custody's name of it, where it was a transfer of ours whose outcome
// we never learnt.
type SentEvidence struct {
	TxID       string `json:"txid"`
	TransferID string `json:"transferId,omitempty"`
}

// AmendedAddress is the data of amend_address; the caller has checked it.
type AmendedAddress struct {
	Address    string `json:"address"`
	AddressKey string `json:"addressKey"`
}

// NewDecision is a decision about to be made. The caller has checked that the actor's role allows it.
type NewDecision struct {
	OrderID   string
	Kind      string
	ActorID   string
	ActorRole string
	Reason    string
	// Data is a Receipt, SentEvidence, AmendedAddress, DeathEvidence or Requoted, for the
	// kinds that have one.
	Data      any
	RequestID string
	// Alone is how many cents one person refunds to a customer, or credits to them, in a day; more is refused with
	// ErrSecondPerson. Nil is no limit.
	Alone *money.Units
	// StaffAlone is how many cents may rest on the actor's statement alone in a day, over all customers; more is refused
	// with ErrSecondPerson. Nil is no limit.
	StaffAlone *money.Units
	// Attestors are the people who stated before that the money of a receipt arrived: it had no owner.
	Attestors []string
	// SeenRefunded is how many cents of the order were refunded, as was shown to the person who releases its coin; nil is
	// not checked.
	SeenRefunded *money.Units
	// Own is set where the order's customer makes a decision that staff make too: AmendAddress, while custody refuses
	// the address.
	Own bool

	proposal *Proposal // what it was before a second person approved it
}

// DecisionDone reports whether a decision was executed.
func DecisionDone(ctx context.Context, db *store.DB, id string) (done bool, err error) {
	err = db.ORM(ctx).Raw(`SELECT EXISTS (SELECT FROM decisions WHERE id = ? AND outcome_code = ?)`, id, casework.DecisionDone).Scan(&done).Error
	if err != nil {
		return false, fmt.Errorf("read decision: %w", err)
	}
	return done, nil
}

// OpenDecision writes a decision, its audit entry and its event. It refuses with Conflict when the order's state does
// not wait for it, when another decision is being executed, or when staff decide on their own order.
func OpenDecision(ctx context.Context, db *store.DB, in NewDecision) (*Decision, error) {
	in.Reason = strings.TrimSpace(in.Reason)
	if in.Reason == "" && !in.Own && slices.Contains(needReason, in.Kind) {
		return nil, store.Invalid("reason", "required", "Enter a reason")
	}
	var decision *Decision
	err := ChangeOrder(ctx, db, in.OrderID, func(c *OrderChange) (err error) {
		decision, err = c.TakeDecision(in)
		return err
	})
	if err != nil {
		return nil, err
	}
	return decision, nil
}

// TakeDecision stores a decision, once it may be made.
func (c *OrderChange) TakeDecision(in NewDecision) (*Decision, error) {
	if !slices.Contains(DecisionKinds, in.Kind) {
		return nil, fmt.Errorf("%q is no kind of decision: list it", in.Kind)
	}
	if err := c.MayDecide(in); err != nil {
		return nil, err
	}
	data, err := c.dataOf(in)
	if err != nil {
		return nil, err
	}
	receipt, _ := in.Data.(Receipt)
	if in.proposal == nil && !in.Own {
		wish, _ := in.Data.(RefundWish)
		if err := c.alone(in.Kind, receipt.amount(in.Kind), wish.To, in.limits()); err != nil {
			return nil, err
		}
	}
	var s stake
	if _, is := attested[in.Kind]; is {
		if s, err = c.atStake(in.Kind, receipt.amount(in.Kind)); err != nil {
			return nil, err
		}
	}
	decision := c.DecisionRow(in.Kind, in.ActorID, in.Reason, data)
	if err := c.WriteDecision(decision, in); err != nil {
		return nil, err
	}
	return decision, c.attestDecision(decision, in, s)
}

// DecisionRow is a decision about the order that is not stored yet.
func (c *OrderChange) DecisionRow(kind, actorID, reason string, data json.RawMessage) *Decision {
	return &Decision{Decision: casework.Decision{ID: store.NewID(), Kind: kind, ActorID: actorID, Reason: reason, CreatedAt: c.Now}, OrderID: c.Order.ID, Data: data}
}

// dataOf is a decision's data as it is stored; a refund's has its sum.
func (c *OrderChange) dataOf(in NewDecision) (json.RawMessage, error) {
	if in.Data == nil {
		in.Data = struct{}{}
	}
	if in.Kind == DecisionRefund {
		wish, _ := in.Data.(RefundWish)
		s, err := c.atStake(in.Kind, wish.Amount)
		if err != nil {
			return nil, err
		}
		wish.Sum = &s.amount
		in.Data = wish
	}
	data, err := json.Marshal(in.Data)
	if err != nil {
		return nil, fmt.Errorf("write decision: %w", err)
	}
	return data, nil
}

// pending is what is in progress about an order, with the actors of its open decisions and proposals.
type pending struct {
	actor, customer              string // their addresses
	decided, proposed, refunding bool
}

// pending reads, in one query, what a decision has to wait for.
func (c *OrderChange) pending(in NewDecision) (p pending, err error) {
	err = c.Tx.Row(c.Ctx, `SELECT coalesce((SELECT email FROM users WHERE id = $2), ''), u.email, EXISTS (SELECT FROM decisions WHERE order_id = $1 AND settled_at IS NULL),
		EXISTS (SELECT FROM order_proposals WHERE order_id = $1 AND status = 'open'), `+pricing.RefundOpenOf+`$1)
		FROM orders JOIN users u ON u.id = orders.user_id WHERE orders.id = $1`, c.Order.ID, in.ActorID).
		Scan(&p.actor, &p.customer, &p.decided, &p.proposed, &p.refunding)
	if err != nil {
		return pending{}, fmt.Errorf("read what is under way: %w", err)
	}
	return p, nil
}

// decisionOpen refuses a decision while another is executed, and names its actor to staff.
func (c *OrderChange) decisionOpen(in NewDecision) error {
	last, err := c.LastDecision()
	if err != nil {
		return err
	}
	return store.Conflict("decision_open", "Another decision on this order is in progress"+last.Told(in))
}

// notBarred refuses what waits until an open proposal is decided.
func (c *OrderChange) notBarred(in NewDecision) error {
	switch {
	case MadeByCustomer(in.Kind):
		return c.unmarked()
	case in.proposal != nil:
		return nil
	}
	err := c.unproposed(in.Kind)
	if in.Own && store.CodeOf(err) == store.CodeConflict { // who proposed what is for staff to know
		return store.Conflict("decision_open", "Another decision on this order is in progress")
	}
	return err
}

// mayFollow refuses a decision that the order does not wait for now.
func (c *OrderChange) mayFollow(in NewDecision) error {
	payment, err := c.Payment()
	if err != nil {
		return err
	}
	more := in.Kind == DecisionConfirmReceipt && c.Order.CreditsMore()
	ends, err := c.transferEnds()
	if err != nil || more || slices.Contains(slices.Concat(DecisionsFor(c.Order, payment), CustomerChoices(c.Order, payment), ends), in.Kind) {
		return err
	}
	last, err := c.LastDecision()
	if err != nil {
		return err
	}
	return store.Conflict("order_state", "The order doesn't allow this: "+describe(c.Order, payment)+last.Told(in))
}

// MayDecide refuses a decision that the order does not wait for, or that its actor must not make.
func (c *OrderChange) MayDecide(in NewDecision) error {
	p, err := c.pending(in)
	if err != nil {
		return err
	}
	if err := c.mayBeMadeBy(in, p); err != nil {
		return err
	}
	if p.decided {
		return c.decisionOpen(in)
	}
	if p.proposed {
		if err := c.notBarred(in); err != nil {
			return err
		}
	}
	if err := c.checkNoCoinOffer(in.Kind); err != nil {
		return err
	}
	if err := c.mayFollow(in); err != nil {
		return err
	}
	if p.refunding {
		if err := c.mayLeadToCoin(in.Kind); err != nil {
			return err
		}
	}
	return c.fits(in)
}

// fits refuses a decision's data that does not match the order.
func (c *OrderChange) fits(in NewDecision) error {
	if err := c.checkRefundedSeen(in); err != nil {
		return err
	}
	if slices.Contains(withoutCoin, in.Kind) {
		if err := c.coinIsKnown(); err != nil {
			return err
		}
	}
	if slices.Contains(presumesDead, in.Kind) {
		if err := c.checkNotInDoubt(); err != nil {
			return err
		}
	}
	if in.Kind == DecisionMarkSent {
		return c.mayBeMarked(in.Data)
	}
	if seen, ok := in.Data.(DeathEvidence); ok {
		return seen.Check()
	}
	if wish, ok := in.Data.(RefundWish); ok {
		return c.mayReach(wish.To)
	}
	if receipt, ok := in.Data.(Receipt); ok {
		return store.FirstError(c.receiptFits(receipt), c.freeReference(receipt))
	}
	if amended, ok := in.Data.(AmendedAddress); ok {
		return c.mayGoTo(amended.AddressKey, in.Own)
	}
	return nil
}

// mayGoTo refuses an address. A customer does not learn of a list: a listed address is found before the coin leaves.
func (c *OrderChange) mayGoTo(key string, own bool) error {
	if own {
		return risk.RefuseOwn(c.Ctx, c.Tx, c.Order.Network, key)
	}
	return risk.RefuseAddress(c.Ctx, c.Tx, c.Order.Network, key)
}

// mayChoose refuses customers who may not decide about their own order now. A frozen customer cancels an unpaid order
// and decides nothing else: staff, or the deadline, decide what sends coin or moves money.
func (c *OrderChange) mayChoose(in NewDecision) error {
	if in.Own && !NamesAddress(c.Order) {
		return store.Conflict("order_state", "This order doesn't need another address. Refresh the page.")
	}
	if in.Kind == DecisionCancel {
		return nil
	}
	frozen, err := kyc.Frozen(c.Ctx, c.Tx, c.Order.UserID)
	if err == nil && frozen {
		err = store.Forbidden("account_frozen", "Your account is on hold. Contact support.")
	}
	return err
}

// ErrOwnOrder refuses a decision on one's own order.
var ErrOwnOrder = store.Forbidden("own_order", "You can't decide on your own order")

// mayBeMadeBy refuses actors who must not make a decision of this kind about the order.
func (c *OrderChange) mayBeMadeBy(in NewDecision, p pending) error {
	if in.Own || MadeByCustomer(in.Kind) {
		if in.ActorID != c.Order.UserID {
			return ErrOwnOrder
		}
		return c.mayChoose(in)
	}
	if in.ActorID == c.Order.UserID || people.SameMailbox(p.actor, p.customer) {
		return ErrOwnOrder
	}
	if !slices.Contains(movesCoin, in.Kind) {
		return nil
	}
	actors := []string{in.ActorID}
	if in.proposal != nil {
		actors = append([]string{in.proposal.ProposedBy}, actors...)
	}
	return c.CheckRelease(releases[in.Kind], actors...)
}

// lastDecision is a decision with its actor's name.
type lastDecision struct {
	Decision   `gorm:"embedded"`
	ActorName  string
	ByCustomer bool // by the order's own
	AgeSeconds int64
}

// LastDecision is the latest decision about the order: the open one, if there is
// one. It is nil before the first.
func (c *OrderChange) LastDecision() (*lastDecision, error) {
	var rows []lastDecision
	err := c.Tx.ORM(c.Ctx).Table("decisions").Select(`decisions.*, trim(users.first_name || ' ' || users.last_name) AS actor_name,
		actor_id = ? AS by_customer, extract(epoch FROM clock_now() - decisions.created_at)::bigint AS age_seconds`, c.Order.UserID).
		Joins("JOIN users ON users.id = decisions.actor_id").
		Where("order_id = ?", c.Order.ID).Order("(settled_at IS NULL) DESC, decisions.created_at DESC, decisions.id DESC").Limit(1).Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read the last decision: %w", err)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	return &rows[0], nil
}

// WriteDecision stores a decision with its audit entry.
func (c *OrderChange) WriteDecision(decision *Decision, in NewDecision) error {
	open := store.Conflict("decision_open", "Another decision on this order is in progress")
	if err := Decisions.Store(c.Ctx, c.Tx, decision, open); err != nil {
		return err
	}
	actor := casework.ByStaff
	if in.Own || MadeByCustomer(in.Kind) {
		actor = casework.ByCustomer
	}
	if kind, ok := decisionEvents[in.Kind]; ok {
		if err := c.Event(casework.Event{Kind: kind, Actor: actor, Dedupe: "decision:" + decision.ID}); err != nil {
			return err
		}
	}
	if actor == casework.ByCustomer {
		return nil // a customer's own decision is not in the audit log
	}
	after := in.proposal.audited(map[string]any{"decision": decision.ID})
	if slices.Contains(movesCoin, in.Kind) && c.Order.Refunded.Sign() > 0 {
		after["refunded"] = money.USD.Format(c.Order.Refunded)
	}
	return audit.Audit(c.Ctx, c.Tx, audit.AuditEntry{ActorID: in.ActorID, ActorRole: in.ActorRole, Action: "order." + in.Kind, ObjectKind: "order", ObjectID: c.Order.ID,
		Before: map[string]any{"status": c.Order.Status}, After: after, Reason: in.Reason, RequestID: in.RequestID})
}

// describe states in plain language the order's state, for refusals.
func describe(o *Order, p *Payment) string {
	switch {
	case o.Status == StatusPending && p.ByCard() && p.AuthorisedAt == nil:
		return "its card payment is not authorised"
	case o.Status == StatusPending && !p.ByCard() && o.AttentionReason == nil:
		return "its payment is not confirmed"
	case o.Status == StatusFailed && o.Resolution != nil:
		return "it was " + string(*o.Resolution)
	case o.Held:
		return "it is on hold"
	case o.AttentionReason != nil:
		return "it needs attention first"
	}
	return "it is " + strings.ReplaceAll(string(o.Status), "_", " ")
}

// openDecision reads the decision that is to be executed now.
func (c *OrderChange) openDecision(id string, kinds ...string) (*Decision, error) {
	return Decisions.Current(c.Ctx, c.Tx, c.Order.ID, id, kinds...)
}

// resolved is the error for a decision that is no longer open. One that made the order wait for staff, as it still
// does, was executed.
func (c *OrderChange) resolved(id string) error {
	return Decisions.Resolved(c.Ctx, c.Tx, c.Order.ID, id, store.Text(c.Order.AttentionReason))
}

// decidedOn is openDecision, and whether the customer is frozen, in one query: their row
// is held as frozen does.
func (c *OrderChange) decidedOn(id, kind string) (frozen bool, err error) {
	var has *string
	err = c.Tx.Row(c.Ctx, `SELECT u.frozen_at IS NOT NULL, d.kind FROM users u LEFT JOIN decisions d ON d.id = $2 AND d.order_id = $3 AND d.settled_at IS NULL
		WHERE u.id = $1 FOR SHARE OF u`, c.Order.UserID, id, c.Order.ID).Scan(&frozen, &has)
	switch {
	case err != nil:
		return false, fmt.Errorf("read decision: %w", err)
	case has == nil:
		return false, c.resolved(id)
	case *has != kind:
		return false, casework.ErrOtherDecisionKind
	}
	return frozen, nil
}

// resolveDecision records the outcome of a decision, in the transaction of its effect. No id is no decision.
func (c *OrderChange) resolveDecision(id, code string) error {
	if id == "" {
		return nil
	}
	return Decisions.Resolve(c.Ctx, c.Tx, id, code)
}

// RefuseDecision resolves a decision that its workflow does not wait for, or could not execute, so that another can
// be made.
func RefuseDecision(ctx context.Context, db *store.DB, decisionID, code string) error {
	if asked, err := defaultRefused(ctx, db, decisionID, code); asked || err != nil {
		return err
	}
	return Decisions.Resolve(ctx, db, decisionID, code)
}
