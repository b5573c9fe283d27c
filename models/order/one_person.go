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
var movesCoin = []string{DecisionFulfill, DecisionRetry, DecisionResume, DecisionAmendAddress, DecisionMarkSent}

// WithoutReleases removes the decisions that release an order's value: the person must not make them.
func WithoutReleases(kinds []string) []string {
	return slices.DeleteFunc(slices.Clone(kinds), func(kind string) bool { return slices.Contains(movesCoin, kind) })
}

// releases are the actions that the decisions in movesCoin take.
var releases = map[string]dualcontrol.Action{DecisionFulfill: dualcontrol.Fulfill, DecisionRetry: dualcontrol.Retry,
	DecisionResume: dualcontrol.Retry, DecisionAmendAddress: dualcontrol.AmendAddress, DecisionMarkSent: dualcontrol.MarkSent}

// ReleaseOf is the release of an order's value by an action.
func ReleaseOf(o *Order, action dualcontrol.Action, actors ...string) dualcontrol.Release {
	release := dualcontrol.Release{Action: action, Actors: actors, Customer: o.UserID, Subject: dualcontrol.OrderRef(o.ID),
		Balance: o.PaymentMethod == pricing.MethodBalance}
	if o.PaidAt != nil {
		release.Spent = *o.PaidAt
	}
	return release
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

// checkExecution checks a release of the order's coin as the coin leaves: it seconds the customer's identity. Nil is the
// customer's own decision.
func (c *OrderChange) checkExecution(release *dualcontrol.Release) error {
	if release == nil {
		return nil
	}
	release.Executes = true
	return dualcontrol.CheckRelease(c.Ctx, c.Tx, *release)
}

// openCoinRelease returns the open decision and its release; the release is nil for the customer's own decision. It checks
// the actor and the proposer.
func (c *OrderChange) openCoinRelease(id string, kinds ...string) (*Decision, *dualcontrol.Release, error) {
	row, _, err := store.OneLocked[struct {
		Decision `gorm:"embedded"`
		Proposed pq.StringArray `gorm:"type:text[]"`
	}](c.Ctx, c.Tx, `SELECT d.*, ARRAY(SELECT proposed_by::text FROM order_proposals WHERE decision_id = d.id) AS proposed
		FROM decisions d WHERE d.id = $1 AND d.order_id = $2 AND d.settled_at IS NULL`, id, c.Order.ID)
	switch {
	case store.IsMissing(err):
		return nil, nil, c.resolved(id)
	case err != nil:
		return nil, nil, fmt.Errorf("read decision: %w", err)
	case !slices.Contains(kinds, row.Kind):
		return nil, nil, casework.ErrOtherDecisionKind
	case row.ActorID == c.Order.UserID: // the customer's own address
		return &row.Decision, nil, nil
	}
	release := ReleaseOf(c.Order, releases[row.Kind], append(row.Proposed, row.ActorID)...)
	return &row.Decision, &release, dualcontrol.CheckRelease(c.Ctx, c.Tx, release)
}

// attested are the decisions that rest on one person's statement, with what it is.
var attested = map[string]dualcontrol.Kind{DecisionConfirmReceipt: dualcontrol.Receipt, DecisionRefund: dualcontrol.Refund, DecisionMarkSent: dualcontrol.MarkedSent,
	DecisionAmendAddress: dualcontrol.Destination, DecisionTransferDead: dualcontrol.Death}

// attest notes that a decision rests on one person's statement. Its amount is in cents; nil counts towards no limit.
func (c *OrderChange) attest(kind string, a dualcontrol.Attestation) error {
	known, is := attested[kind]
	if !is {
		return nil
	}
	a.Kind, a.Customer, a.Subject = known, c.Order.UserID, dualcontrol.OrderRef(c.Order.ID)
	return dualcontrol.Attest(c.Ctx, c.Tx, a)
}

// attestRefund notes a refund of an amount in cents. A refund to the card counts toward no limit, because the processor
// shows it. A refund to the balance credits money that was not the customer's, unless it ends the order.
func (c *OrderChange) attestRefund(a dualcontrol.Attestation, to string, ends bool) error {
	a.Credits = c.refundsToBalance(to) && !ends
	if !c.refundsToBalance(to) {
		a.Amount = nil
	}
	return c.attest(DecisionRefund, a)
}

// refundsToBalance reports whether a refund goes to the customer's balance. An empty destination is the payment's rail.
func (c *OrderChange) refundsToBalance(to string) bool {
	return to == RefundToBalance || !c.Order.ByCard()
}

// attestDecision notes who stated what a decision rests on: the people who found money that had no owner, the first of two
// people, or its actor alone.
func (c *OrderChange) attestDecision(d *Decision, in NewDecision, s stake) error {
	switch {
	case in.Own || MadeByCustomer(in.Kind):
		return nil
	case in.proposal != nil:
		return dualcontrol.Second(c.Ctx, c.Tx, in.proposal.source(), in.ActorID)
	}
	source := dualcontrol.Ref{Kind: Decisions.Table, ID: d.ID}
	for _, by := range in.Attestors {
		if err := c.attest(in.Kind, dualcontrol.Attestation{By: by, Amount: &s.amount, Source: source, Proposed: true, Second: in.ActorID}); err != nil {
			return err
		}
	}
	if len(in.Attestors) > 0 {
		return nil
	}
	own := dualcontrol.Attestation{By: in.ActorID, Amount: &s.amount, Source: source}
	if in.Kind == DecisionRefund {
		wish, _ := in.Data.(RefundWish) // a refusal by the risk review names no destination
		return c.attestRefund(own, wish.To, s.ends)
	}
	return c.attest(in.Kind, own)
}

// source names the proposal as what attestations rest on.
func (p *Proposal) source() dualcontrol.Ref { return dualcontrol.Ref{Kind: p.TableName(), ID: p.ID} }
