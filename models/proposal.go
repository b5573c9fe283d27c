package models

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tradepost/tradepost/models/money"
)

// Four eyes: what gives back more of an order's money than one person may alone
// is proposed by one and approved by another. A proposal moves nothing. Approved,
// it becomes the very decision or refund that it would have been without, taken
// by who approved it, in the transaction that approves.

// ProposalStatus is how a proposal stands.
type ProposalStatus string

// The statuses of a proposal.
const (
	ProposalOpen      ProposalStatus = "open"
	ProposalApproved  ProposalStatus = "approved"
	ProposalRejected  ProposalStatus = "rejected"
	ProposalWithdrawn ProposalStatus = "withdrawn" // by who made it
	ProposalLapsed    ProposalStatus = "lapsed"    // the order ended, or was sent, before anybody decided
)

// proposable are the decisions that need a second person above an amount.
var proposable = []string{DecisionRefund, DecisionMarkSent}

// ErrSecondPerson refuses what one person may not do alone; it can be proposed.
var ErrSecondPerson = Conflict("second_person", "A second person has to approve this")

// Proposal is a decision that waits for a second person. One is open per order.
type Proposal struct {
	ID          string `gorm:"primaryKey"`
	OrderID     string
	Kind        string
	Amount      money.Units // cents that go back, or that the coin was paid with
	Ends        bool        // the order is over by it
	OrderStatus OrderStatus
	Data        json.RawMessage `gorm:"type:jsonb"` // a RefundWish or SentEvidence
	Reason      string
	ProposedBy  string
	CreatedAt   time.Time      `gorm:"default:clock_now()"`
	Status      ProposalStatus `gorm:"default:open"`
	DecidedBy   *string
	DecidedAt   *time.Time
	Answer      string
	DecisionID  *string
}

// TableName implements GORM's Tabler.
func (Proposal) TableName() string { return "order_proposals" }

// KnownProposal is a proposal with the names of who made and decided it.
type KnownProposal struct {
	Proposal `gorm:"embedded"`
	Proposer string
	Decider  string
}

// OrderProposals reads what was proposed about an order, oldest first.
func (db *DB) OrderProposals(ctx context.Context, orderID string) ([]KnownProposal, error) {
	var rows []KnownProposal
	err := db.orm(ctx).Table("order_proposals").Select("order_proposals.*, p.email AS proposer, coalesce(d.email, '') AS decider").
		Joins("JOIN users p ON p.id = order_proposals.proposed_by").Joins("LEFT JOIN users d ON d.id = order_proposals.decided_by").
		Where("order_proposals.order_id = ?", orderID).Order("order_proposals.created_at, order_proposals.id").Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read proposals: %w", err)
	}
	return rows, nil
}

// NewProposal is what somebody wants done that needs a second person. The caller
// has checked that the actor's role allows it.
type NewProposal struct {
	OrderID   string
	Kind      string
	Amount    *money.Units // of a refund; nil is all that is left
	To        string       // of a refund: card or balance; empty is where the money came from
	Data      any          // of a decision
	Reason    string
	ActorID   string
	ActorRole string
	RequestID string
}

// Propose writes down what a second person has to approve. It refuses what could
// not be done now.
func (db *DB) Propose(ctx context.Context, in NewProposal) (*Proposal, error) {
	if in.Reason = strings.TrimSpace(in.Reason); in.Reason == "" {
		return nil, Invalid("reason", "required", "Please give a reason")
	}
	var row *Proposal
	err := db.ChangeOrder(ctx, in.OrderID, func(c *OrderChange) error {
		s, err := c.atStake(in.Kind, in.Amount)
		if err = firstError(err, c.unproposed(in.Kind)); err != nil {
			return err
		}
		if in.Kind == DecisionRefund {
			in.Data = RefundWish{Amount: &s.amount, To: in.To}
		}
		data, err := json.Marshal(in.Data)
		if err != nil {
			return fmt.Errorf("write proposal: %w", err)
		}
		row = &Proposal{ID: NewID(), OrderID: in.OrderID, Kind: in.Kind, Amount: s.amount, Ends: s.ends, OrderStatus: c.Order.Status, Data: data,
			Reason: in.Reason, ProposedBy: in.ActorID, CreatedAt: c.Now, Status: ProposalOpen}
		if err := c.mayCarry(row, in.ActorID); err != nil {
			return err
		}
		return c.propose(row, in)
	})
	return row, err
}

func (c *OrderChange) propose(row *Proposal, in NewProposal) error {
	if err := c.tx.orm(c.ctx).Create(row).Error; err != nil {
		return fmt.Errorf("store proposal: %w", err)
	}
	told := map[string]any{"kind": row.Kind, "amount": money.USD.Format(row.Amount)}
	if err := c.Event(Event{Kind: "proposed", Actor: ByStaff, Internal: true, Dedupe: "proposal:" + row.ID, Data: told}); err != nil {
		return err
	}
	return c.tx.Audit(c.ctx, AuditEntry{ActorID: in.ActorID, ActorRole: in.ActorRole, Action: "order." + row.Kind + "_proposed", ObjectKind: "order", ObjectID: c.Order.ID,
		Before: map[string]any{"status": c.Order.Status}, After: map[string]any{"proposal": row.ID, "amount": money.USD.Format(row.Amount)}, Reason: row.Reason, RequestID: in.RequestID})
}

// stake is how much a decision gives back, and whether the order is over by it.
type stake struct {
	amount money.Units
	ends   bool
}

// atStake says what a decision would give back now. No amount is all that is
// left.
func (c *OrderChange) atStake(kind string, amount *money.Units) (s stake, err error) {
	if kind == DecisionMarkSent {
		return stake{c.Order.Total, true}, nil
	}
	if c.Order.MoneyWaits() {
		s.ends = true
		s.amount, err = c.unallocated()
		return s, err
	}
	left, err := c.refundable()
	if err != nil {
		return s, err
	}
	s.amount = left
	if amount != nil {
		s.amount = *amount
	}
	s.ends = c.Order.Status != StatusSent && s.amount.Cmp(left) == 0
	return s, nil
}

// alone refuses what gives back more than one person may. All that went back of
// the order before counts, so that many small refunds are no way around it. No
// limit is none: the API always gives one.
func (c *OrderChange) alone(kind string, amount *money.Units, limit *money.Units) error {
	if limit == nil || !slices.Contains(proposable, kind) {
		return nil
	}
	s, err := c.atStake(kind, amount)
	if err != nil {
		return err
	}
	sum := s.amount
	if kind == DecisionRefund {
		var before money.Units
		err := c.tx.orm(c.ctx).Raw("SELECT coalesce(sum(amount), 0) FROM refunds WHERE order_id = ? AND status <> ?", c.Order.ID, RefundFailed).Row().Scan(&before)
		if err != nil {
			return fmt.Errorf("sum refunds: %w", err)
		}
		sum = sum.Add(before)
	}
	if sum.Cmp(*limit) > 0 {
		return ErrSecondPerson
	}
	return nil
}

// mayCarry refuses what could not be done for somebody now.
func (c *OrderChange) mayCarry(p *Proposal, actorID string) error {
	if p.Ends {
		return c.mayDecide(p.decision(actorID))
	}
	_, err := c.mayGiveBack(p.refund(actorID))
	return err
}

func (p *Proposal) decision(actorID string) NewDecision {
	in := NewDecision{OrderID: p.OrderID, Kind: p.Kind, ActorID: actorID, Reason: p.Reason, Data: p.Data, proposal: p}
	var wish RefundWish
	if p.Kind == DecisionRefund && json.Unmarshal(p.Data, &wish) == nil {
		in.Data = RefundWish{To: wish.To}
	}
	return in
}

func (p *Proposal) refund(actorID string) NewRefund {
	var wish RefundWish
	_ = json.Unmarshal(p.Data, &wish) // Propose wrote it
	return NewRefund{OrderID: p.OrderID, Amount: &p.Amount, To: wish.To, ActorID: actorID, Reason: p.Reason, proposal: p}
}

// audited adds to what the audit log says of a decision that somebody else had
// proposed it.
func (p *Proposal) audited(after map[string]any) map[string]any {
	if p != nil {
		after["proposal"], after["proposedBy"] = p.ID, p.ProposedBy
	}
	return after
}

// openProposal is the proposal that waits for a second person, or nil.
func (c *OrderChange) openProposal() (*KnownProposal, error) {
	rows, err := c.tx.OrderProposals(c.ctx, c.Order.ID)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(rows, func(p KnownProposal) bool { return p.Status == ProposalOpen }); i >= 0 {
		return &rows[i], nil
	}
	return nil, nil
}

// barredByProposal are the decisions of staff that wait until a proposal is
// decided: each would move the coin or the money that it is about.
var barredByProposal = []string{DecisionFulfill, DecisionRetry, DecisionRefund, ActionRefundPart, DecisionAmendAddress, DecisionMarkSent}

// ProposalBars takes away what staff cannot decide while a proposal is open.
func ProposalBars(kinds []string) []string {
	return slices.DeleteFunc(slices.Clone(kinds), func(kind string) bool { return slices.Contains(barredByProposal, kind) })
}

// unproposed refuses what an open proposal bars.
func (c *OrderChange) unproposed(kind string) error {
	if !slices.Contains(barredByProposal, kind) {
		return nil
	}
	open, err := c.openProposal()
	if err != nil || open == nil {
		return err
	}
	return Conflict("proposal_open", fmt.Sprintf("%s has proposed %s. It is to be approved or rejected first.", open.Proposer, open.what()))
}

// what says in plain words what is proposed.
func (p *Proposal) what() string {
	if p.Kind == DecisionMarkSent {
		return "to mark this order as sent"
	}
	return "to give back $" + money.USD.Format(p.Amount)
}

// ProposalAnswer is what somebody makes of a proposal. Kinds are the decisions
// that the actor's role allows.
type ProposalAnswer struct {
	OrderID, ID string
	Kinds       []string
	ActorID     string
	ActorRole   string
	Reason      string
	RequestID   string
}

// Carried is what an approved proposal became: a decision for the order's
// workflow, or a refund of its own.
type Carried struct {
	Decision *Decision
	Refund   *Refund
}

// ApproveProposal lets a second person have done what was proposed: from here on
// it is their decision, looked at anew.
func (db *DB) ApproveProposal(ctx context.Context, in ProposalAnswer) (made Carried, err error) {
	err = db.ChangeOrder(ctx, in.OrderID, func(c *OrderChange) error {
		p, err := c.proposalFor(in)
		if err != nil {
			return err
		}
		if in.ActorID == p.ProposedBy {
			return Forbidden("own_proposal", "A second person has to approve this")
		}
		if err := c.stillFits(&p.Proposal); err != nil {
			return err
		}
		if made, err = c.carryProposal(&p.Proposal, in); err != nil {
			return err
		}
		id := made.decisionID()
		p.DecisionID = &id
		return c.decideProposal(&p.Proposal, ProposalApproved, in)
	})
	return made, err
}

func (m Carried) decisionID() string {
	if m.Decision != nil {
		return m.Decision.ID
	}
	return text(m.Refund.DecisionID)
}

// proposalFor is the open proposal that somebody decides about. One that is
// decided is refused with who did.
func (c *OrderChange) proposalFor(in ProposalAnswer) (*KnownProposal, error) {
	rows, err := c.tx.OrderProposals(c.ctx, c.Order.ID)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(rows, func(p KnownProposal) bool { return p.ID == in.ID })
	if i < 0 {
		return nil, NotFound("Proposal")
	}
	p := &rows[i]
	switch {
	case in.ActorID == c.Order.UserID:
		return nil, Forbidden("own_order", "Nobody decides on their own order")
	case !slices.Contains(in.Kinds, p.Kind):
		return nil, Forbidden("forbidden", "This is for others to decide")
	case p.Status == ProposalLapsed:
		return nil, Conflict("proposal_decided", "This has lapsed: the order went on without it")
	case p.Status != ProposalOpen:
		return nil, Conflict("proposal_decided", fmt.Sprintf("%s has %s this already", p.Decider, p.Status))
	}
	return p, nil
}

// stillFits refuses a proposal when the order is no longer what its proposer
// looked at.
func (c *OrderChange) stillFits(p *Proposal) error {
	now, err := c.atStake(p.Kind, &p.Amount)
	if err != nil {
		return err
	}
	if c.Order.Status != p.OrderStatus || now.ends != p.Ends || now.amount.Cmp(p.Amount) != 0 {
		return Conflict("proposal_outdated", "The order is not what it was when this was proposed. Please reject it; it can be proposed anew.")
	}
	return nil
}

func (c *OrderChange) carryProposal(p *Proposal, in ProposalAnswer) (Carried, error) {
	if !p.Ends {
		refund := p.refund(in.ActorID)
		refund.ActorRole, refund.RequestID = in.ActorRole, in.RequestID
		row, err := c.openRefundOf(refund)
		return Carried{Refund: row}, err
	}
	decision := p.decision(in.ActorID)
	decision.ActorRole, decision.RequestID = in.ActorRole, in.RequestID
	row, err := c.takeDecision(decision)
	return Carried{Decision: row}, err
}

// RejectProposal ends a proposal without effect; who made it withdraws it so.
func (db *DB) RejectProposal(ctx context.Context, in ProposalAnswer) error {
	if in.Reason = strings.TrimSpace(in.Reason); in.Reason == "" {
		return Invalid("reason", "required", "Please give a reason")
	}
	return db.ChangeOrder(ctx, in.OrderID, func(c *OrderChange) error {
		p, err := c.proposalFor(in)
		if err != nil {
			return err
		}
		how := ProposalRejected
		if in.ActorID == p.ProposedBy {
			how = ProposalWithdrawn
		}
		if err := c.decideProposal(&p.Proposal, how, in); err != nil {
			return err
		}
		return c.tx.Audit(c.ctx, AuditEntry{ActorID: in.ActorID, ActorRole: in.ActorRole, Action: fmt.Sprintf("order.%s_%s", p.Kind, how), ObjectKind: "order", ObjectID: c.Order.ID,
			Before: map[string]any{"proposal": p.ID, "proposedBy": p.ProposedBy}, After: map[string]any{"status": how}, Reason: in.Reason, RequestID: in.RequestID})
	})
}

func (c *OrderChange) decideProposal(p *Proposal, how ProposalStatus, in ProposalAnswer) error {
	answer := in.Reason
	if how == ProposalApproved {
		answer = "" // the proposal's own reason is the decision's
	}
	err := c.tx.orm(c.ctx).Exec("UPDATE order_proposals SET status = ?, decided_by = ?, decided_at = ?, answer = ?, decision_id = ? WHERE id = ? AND status = ?",
		how, in.ActorID, c.Now, answer, p.DecisionID, p.ID, ProposalOpen).Error
	if err != nil {
		return fmt.Errorf("store proposal: %w", err)
	}
	return c.tellProposal(p, how, ByStaff)
}

func (c *OrderChange) tellProposal(p *Proposal, how ProposalStatus, by Actor) error {
	return c.Event(Event{Kind: "proposal_decided", Actor: by, Internal: true, Dedupe: "proposal:" + p.ID + ":decided",
		Data: map[string]any{"kind": p.Kind, "amount": money.USD.Format(p.Amount), "outcome": how}})
}

// lapseProposals ends what is proposed about an order that is over, or whose
// coin has gone: approving it would no longer do what was proposed. A refund
// that was proposed after the coin was sent stays.
func (c *OrderChange) lapseProposals() error {
	over := c.Order.Resolution != nil && c.was.Resolution == nil
	if !over && (c.Order.Status == c.was.Status || c.Order.Status != StatusSent) {
		return nil
	}
	var rows []Proposal
	err := c.tx.orm(c.ctx).Raw("UPDATE order_proposals SET status = ?, decided_at = ? WHERE order_id = ? AND status = ? RETURNING *",
		ProposalLapsed, c.Now, c.Order.ID, ProposalOpen).Scan(&rows).Error
	if err != nil {
		return fmt.Errorf("end proposals: %w", err)
	}
	for i := range rows {
		if err := c.tellProposal(&rows[i], ProposalLapsed, BySystem); err != nil {
			return err
		}
	}
	return nil
}

// TxID is the evidence of a mark that the coin was sent; nil of a refund.
func (p *Proposal) TxID() *string {
	var evidence SentEvidence
	if p.Kind != DecisionMarkSent || json.Unmarshal(p.Data, &evidence) != nil {
		return nil
	}
	return &evidence.TxID
}
