package order

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// ProposalAnswer is a decision about a proposal. Kinds are the decisions that the actor's role allows.
type ProposalAnswer struct {
	OrderID, ID string
	Kinds       []string
	ActorID     string
	ActorRole   string
	Reason      string
	RequestID   string
	Seen        string // the version that is approved
}

// Carried is what an approved proposal became: a decision for the order's
// workflow, or a refund of its own.
type Carried struct {
	Decision *Decision
	Refund   *Refund
	Offer    *CoinOffer // waits for the customer's agreement
}

// ApproveProposal executes a proposal for a second person: from here on it is their decision, with all checks made
// again.
func ApproveProposal(ctx context.Context, db *store.DB, in ProposalAnswer) (made Carried, err error) {
	err = ChangeOrder(ctx, db, in.OrderID, func(c *OrderChange) error {
		p, err := c.proposalFor(in)
		if err != nil {
			return err
		}
		own := store.Forbidden("own_proposal", "A second person must approve this")
		if err := store.FirstError(people.Another(ctx, c.Tx, in.ActorID, own, p.ProposedBy), casework.CheckApproval(ctx, c.Tx, KindProposal, p.ID, in.Seen),
			c.stillFits(&p.Proposal)); err != nil {
			return err
		}
		if made, err = c.executeProposal(&p.Proposal, in); err != nil {
			return err
		}
		id := made.decisionID()
		p.DecisionID = &id
		return c.decideProposal(&p.Proposal, casework.ProposalApproved, in)
	})
	return made, err
}

func (m Carried) decisionID() string {
	if m.Decision != nil {
		return m.Decision.ID
	}
	if m.Offer != nil {
		return m.Offer.DecisionID
	}
	return store.Text(m.Refund.DecisionID)
}

// proposalFor is the open proposal under decision. One that is decided is refused with its actor's name.
func (c *OrderChange) proposalFor(in ProposalAnswer) (*KnownProposal, error) {
	rows, err := OrderProposals(c.Ctx, c.Tx, c.Order.ID)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(rows, func(p KnownProposal) bool { return p.ID == in.ID })
	if i < 0 {
		return nil, store.NotFound("Proposal")
	}
	p := &rows[i]
	if err := people.Another(c.Ctx, c.Tx, in.ActorID, ErrOwnOrder, c.Order.UserID); err != nil {
		return nil, err
	}
	switch {
	case !slices.Contains(in.Kinds, p.Kind):
		return nil, store.Forbidden("forbidden", "Someone else must decide this")
	case p.Status == casework.ProposalExpired:
		return nil, store.Conflict("proposal_decided", "This proposal has expired: the order continued, or the proposer lost the role or was frozen")
	case p.Status != casework.ProposalOpen:
		return nil, store.Conflict("proposal_decided", fmt.Sprintf("%s has already %s this", p.Decider, p.Status))
	}
	return p, nil
}

// stillFits refuses a proposal when the order is no longer as its proposer saw it. A proposed receipt fits in every
// state of the order.
func (c *OrderChange) stillFits(p *Proposal) error {
	if p.Kind == DecisionConfirmReceipt {
		return nil
	}
	now, err := c.atStake(p.Kind, &p.Amount)
	if err != nil {
		return err
	}
	if c.Order.Status != p.OrderStatus || now.ends != p.Ends || now.amount.Cmp(p.Amount) != 0 {
		return store.Conflict("proposal_outdated", "The order has changed since this was proposed. Reject it and propose it again.")
	}
	return nil
}

func (c *OrderChange) executeProposal(p *Proposal, in ProposalAnswer) (Carried, error) {
	if !p.decides() {
		refund := p.refund(in.ActorID)
		refund.ActorRole, refund.RequestID = in.ActorRole, in.RequestID
		if refund.LessCoin {
			offer, err := c.offerLess(refund)
			return Carried{Offer: offer}, err
		}
		row, err := c.openRefundOf(refund)
		return Carried{Refund: row}, err
	}
	decision := p.decision(in.ActorID)
	decision.ActorRole, decision.RequestID = in.ActorRole, in.RequestID
	row, err := c.TakeDecision(decision)
	return Carried{Decision: row}, err
}

// RejectProposal ends a proposal without effect; its proposer withdraws it so.
func RejectProposal(ctx context.Context, db *store.DB, in ProposalAnswer) error {
	if in.Reason = strings.TrimSpace(in.Reason); in.Reason == "" {
		return store.Invalid("reason", "required", "Enter a reason")
	}
	return ChangeOrder(ctx, db, in.OrderID, func(c *OrderChange) error {
		p, err := c.proposalFor(in)
		if err != nil {
			return err
		}
		how := casework.ProposalRejected
		if in.ActorID == p.ProposedBy {
			how = casework.ProposalWithdrawn
		}
		if err := c.decideProposal(&p.Proposal, how, in); err != nil {
			return err
		}
		return audit.Audit(c.Ctx, c.Tx, audit.AuditEntry{ActorID: in.ActorID, ActorRole: in.ActorRole, Action: fmt.Sprintf("order.%s_%s", p.Kind, how), ObjectKind: "order", ObjectID: c.Order.ID,
			Before: map[string]any{"proposal": p.ID, "proposedBy": p.ProposedBy}, After: map[string]any{"status": how}, Reason: in.Reason, RequestID: in.RequestID})
	})
}

func (c *OrderChange) decideProposal(p *Proposal, how casework.ProposalStatus, in ProposalAnswer) error {
	answer := in.Reason
	if how == casework.ProposalApproved {
		answer = "" // the proposal's own reason is the decision's
	}
	err := c.Tx.ORM(c.Ctx).Exec("UPDATE order_proposals SET status = ?, decided_by = ?, decided_at = ?, answer = ?, decision_id = ? WHERE id = ? AND status = ?",
		how, in.ActorID, c.Now, answer, p.DecisionID, p.ID, casework.ProposalOpen).Error
	if err != nil {
		return fmt.Errorf("store proposal: %w", err)
	}
	if how != casework.ProposalApproved {
		if err := dualcontrol.Withdraw(c.Ctx, c.Tx, p.source()); err != nil {
			return err
		}
	}
	return c.recordProposal(p, how, casework.ByStaff)
}

func (c *OrderChange) recordProposal(p *Proposal, how casework.ProposalStatus, by casework.Actor) error {
	return c.Event(casework.Event{Kind: "proposal_decided", Actor: by, Internal: true, Dedupe: "proposal:" + p.ID + ":decided",
		Data: map[string]any{"kind": p.Kind, "amount": money.USD.Format(p.Amount), "outcome": how}})
}

// expireProposals ends the proposals about an order that is over, or whose coin was sent: approving one would no
// longer do what was proposed. A refund that was proposed after the coin was sent stays, and so does a receipt.
func (c *OrderChange) expireProposals() error {
	over := c.Order.Resolution != nil && c.was.Resolution == nil
	if c.unproposedNow || !over && (c.Order.Status == c.was.Status || c.Order.Status != StatusSent) {
		return nil
	}
	return c.expire(DecisionRefund, DecisionMarkSent, DecisionAmendAddress, DecisionTransferDead)
}

// expire ends what is proposed of some kinds.
func (c *OrderChange) expire(kinds ...string) error {
	var rows []Proposal
	err := c.Tx.ORM(c.Ctx).Raw("UPDATE order_proposals SET status = ?, decided_at = ? WHERE order_id = ? AND status = ? AND kind IN ? RETURNING *",
		casework.ProposalExpired, c.Now, c.Order.ID, casework.ProposalOpen, kinds).Scan(&rows).Error
	if err != nil {
		return fmt.Errorf("end proposals: %w", err)
	}
	for i := range rows {
		if err := dualcontrol.Withdraw(c.Ctx, c.Tx, rows[i].source()); err != nil {
			return err
		}
		if err := c.recordProposal(&rows[i], casework.ProposalExpired, casework.BySystem); err != nil {
			return err
		}
	}
	return nil
}

// WithdrawProposals ends a person's open proposals about orders, and gives the orders.
func WithdrawProposals(ctx context.Context, tx *store.DB, by string) ([]string, error) {
	var rows []Proposal
	err := tx.ORM(ctx).Raw(`UPDATE order_proposals SET status = 'lapsed', decided_at = clock_now() WHERE proposed_by = ? AND status = 'open' RETURNING *`, by).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("end proposals: %w", err)
	}
	orders := make([]string, len(rows))
	for i := range rows {
		if err := dualcontrol.Withdraw(ctx, tx, rows[i].source()); err != nil {
			return nil, err
		}
		orders[i] = rows[i].OrderID
	}
	return orders, nil
}
