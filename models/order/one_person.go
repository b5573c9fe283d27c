package order

import (
	"context"
	"fmt"
	"slices"

	"github.com/lib/pq"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// GivenBack is what counts towards one person's refund limit for an order: all earlier refunds of it, and those of
// its customer's other orders within a day without a second approval. A refund without a row yet counts by its
// decision.
func GivenBack(ctx context.Context, db *store.DB, o *Order) (sum money.Units, err error) {
	err = db.Row(ctx, `SELECT (SELECT coalesce(sum(amount), 0) FROM refunds WHERE order_id = $1 AND status <> 'failed') +
		(SELECT coalesce(sum(coalesce(r.amount, CAST(d.data->>'sum' AS numeric), o.total)), 0) FROM decisions d JOIN orders o ON o.id = d.order_id LEFT JOIN refunds r ON r.decision_id = d.id
		  WHERE o.user_id = $2 AND o.id <> $1 AND d.kind = 'refund' AND d.created_at > clock_now() - interval '1 day' AND d.outcome IS DISTINCT FROM 'refused'
		    AND r.status IS DISTINCT FROM 'failed' AND NOT EXISTS (SELECT FROM order_proposals p WHERE p.decision_id = d.id))`, o.ID, o.UserID).Scan(&sum)
	if err != nil {
		return sum, fmt.Errorf("sum refunds: %w", err)
	}
	return sum, nil
}

// movesCoin are the decisions that let an order's coin leave, or say where to.
var movesCoin = []string{DecisionFulfill, DecisionRetry, DecisionAmendAddress, DecisionMarkSent}

// WithoutReleases removes the decisions that release an order's value: the person must not make them.
func WithoutReleases(kinds []string) []string {
	return slices.DeleteFunc(slices.Clone(kinds), func(kind string) bool { return slices.Contains(movesCoin, kind) })
}

// releases are the actions that the decisions in movesCoin take.
var releases = map[string]dualcontrol.Action{DecisionFulfill: dualcontrol.Fulfill, DecisionRetry: dualcontrol.Retry,
	DecisionAmendAddress: dualcontrol.AmendAddress, DecisionMarkSent: dualcontrol.MarkSent}

// ReleaseOf is the release of an order's value by an action.
func ReleaseOf(o *Order, action dualcontrol.Action, actors ...string) dualcontrol.Release {
	return dualcontrol.Release{Action: action, Actors: actors, Customer: o.UserID, Subject: dualcontrol.OrderRef(o.ID),
		Balance: o.PaymentMethod == pricing.MethodBalance, Spent: o.CreatedAt}
}

// BarsOf returns the reason for which a person must not release each of several orders, as dualcontrol.BarsOf.
func BarsOf(ctx context.Context, db *store.DB, person string, orders []StaffOrder) ([]string, error) {
	releases := make([]dualcontrol.Release, len(orders))
	for i := range orders {
		releases[i] = ReleaseOf(&orders[i].Order, dualcontrol.Fulfill)
	}
	return dualcontrol.BarsOf(ctx, db, person, releases)
}

// CheckRelease returns an error if one of the actors must not release the order's value.
func (c *OrderChange) CheckRelease(action dualcontrol.Action, actors ...string) error {
	return dualcontrol.CheckRelease(c.Ctx, c.Tx, ReleaseOf(c.Order, action, actors...))
}

// coinDecision is openDecision for one that moves the order's coin. Its actor and proposer are checked again.
func (c *OrderChange) coinDecision(id string, kinds ...string) (*Decision, error) {
	row, _, err := store.OneLocked[struct {
		Decision `gorm:"embedded"`
		Proposed pq.StringArray `gorm:"type:text[]"`
	}](c.Ctx, c.Tx, `SELECT d.*, ARRAY(SELECT proposed_by::text FROM order_proposals WHERE decision_id = d.id) AS proposed
		FROM decisions d WHERE d.id = $1 AND d.order_id = $2 AND d.settled_at IS NULL`, id, c.Order.ID)
	switch {
	case store.IsMissing(err):
		return nil, c.resolved(id)
	case err != nil:
		return nil, fmt.Errorf("read decision: %w", err)
	case !slices.Contains(kinds, row.Kind):
		return nil, casework.ErrOtherDecisionKind
	case row.ActorID == c.Order.UserID: // the customer's own address
		return &row.Decision, nil
	}
	release := ReleaseOf(c.Order, releases[row.Kind], append(row.Proposed, row.ActorID)...)
	release.Executes = true
	return &row.Decision, dualcontrol.CheckRelease(c.Ctx, c.Tx, release)
}

// attested are the decisions that rest on one person's statement, with what it is.
var attested = map[string]dualcontrol.Kind{DecisionConfirmReceipt: dualcontrol.Receipt, DecisionRefund: dualcontrol.Refund, DecisionMarkSent: dualcontrol.MarkedSent,
	DecisionAmendAddress: dualcontrol.Destination, DecisionTransferDead: dualcontrol.Death}

// attest notes that a decision rests on one person's statement. amount is in cents; nil counts towards no limit.
func (c *OrderChange) attest(kind string, a dualcontrol.Attestation) error {
	known, is := attested[kind]
	if !is {
		return nil
	}
	a.Kind, a.Customer, a.Subject = known, c.Order.UserID, dualcontrol.OrderRef(c.Order.ID)
	switch {
	case kind == DecisionRefund && c.Order.ByCard():
		a.Amount = nil // the card processor shows it
	case kind == DecisionRefund:
		a.Credits = c.Order.Status == StatusSent
	}
	return dualcontrol.Attest(c.Ctx, c.Tx, a)
}

// attestDecision notes who stated what a decision rests on: the people who found money that had no owner, the first of two
// people, or its actor alone.
func (c *OrderChange) attestDecision(d *Decision, in NewDecision, amount *money.Units) error {
	switch {
	case in.Own || MadeByCustomer(in.Kind):
		return nil
	case in.proposal != nil:
		return dualcontrol.Second(c.Ctx, c.Tx, in.proposal.source(), in.ActorID)
	}
	source := dualcontrol.Ref{Kind: Decisions.Table, ID: d.ID}
	for _, by := range in.Attestors {
		if err := c.attest(in.Kind, dualcontrol.Attestation{By: by, Amount: amount, Source: source, Proposed: true, Second: in.ActorID}); err != nil {
			return err
		}
	}
	if len(in.Attestors) > 0 {
		return nil
	}
	return c.attest(in.Kind, dualcontrol.Attestation{By: in.ActorID, Amount: amount, Source: source})
}

// source names the proposal as what attestations rest on.
func (p *Proposal) source() dualcontrol.Ref { return dualcontrol.Ref{Kind: p.TableName(), ID: p.ID} }
