package models_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
)

// alone is the most that one person refunds of an order here, in cents.
const alone = 10_000

// office is an order fixture with three members of staff.
type office struct {
	*orderFixture
	second, third string
}

func openOffice(t *testing.T) *office {
	o := &office{orderFixture: openOrderFixture(t), second: store.NewID(), third: store.NewID()}
	o.exec(`INSERT INTO users (id, issuer, subject, email, email_verified) VALUES ($1, 'test', 'second', 'second@example.com', true), ($2, 'test', 'third', 'third@example.com', true)`, o.second, o.third)
	return o
}

func (o *office) limit() *money.Units { most := money.FromInt(alone); return &most }

// whole decides a full refund of the order, as one person.
func (o *office) whole() error {
	_, err := order.OpenDecision(o.Context(), o.db, order.NewDecision{OrderID: o.order.ID, Kind: order.DecisionRefund, ActorID: o.staff, ActorRole: "admin", Reason: "why not",
		Data: order.RefundWish{}, Alone: o.limit()})
	return err
}

// give gives some cents back, as one person.
func (o *office) give(cents int64) (*order.Refund, error) {
	amount := money.FromInt(cents)
	return order.OpenRefund(o.Context(), o.db, order.NewRefund{OrderID: o.order.ID, Amount: &amount, ActorID: o.staff, ActorRole: "admin", Reason: "a gesture", Alone: o.limit()})
}

func (o *office) arrive(refund *order.Refund) {
	o.Helper()
	_, err := order.StartGiveBack(o.Context(), o.db, o.order.ID, refund.Sequence)
	require.NoError(o, err)
	require.NoError(o, order.RecordRefund(o.Context(), o.db, o.order.ID, refund.Sequence, "re_"+store.NewID(), order.RefundSucceeded, ""))
}

// proposes has the first person propose; nil cents is all that is left.
func (o *office) proposes(cents *int64) *order.Proposal {
	o.Helper()
	in := order.NewProposal{OrderID: o.order.ID, Kind: order.DecisionRefund, ActorID: o.staff, ActorRole: "admin", Reason: "they were charged twice"}
	if cents != nil {
		amount := money.FromInt(*cents)
		in.Amount = &amount
	}
	p, err := order.Propose(o.Context(), o.db, in)
	require.NoError(o, err)
	return p
}

func (o *office) answer(p *order.Proposal, who string) order.ProposalAnswer {
	return order.ProposalAnswer{OrderID: p.OrderID, ID: p.ID, Kinds: []string{order.DecisionRefund, order.DecisionMarkSent}, ActorID: who, ActorRole: "admin", Reason: "no"}
}

func (o *office) approves(p *order.Proposal, who string) (order.Carried, error) {
	return order.ApproveProposal(o.Context(), o.db, o.answer(p, who))
}

// Many small refunds are one large one.
func TestBar05ManySmallRefundsNeedASecondPersonAsOneLargeOneDoes(t *testing.T) {
	o := openOffice(t)
	o.pay()
	require.ErrorIs(t, o.whole(), dualcontrol.ErrSecondPerson)
	_, err := o.give(alone + 1)
	require.ErrorIs(t, err, dualcontrol.ErrSecondPerson)
	for _, cents := range []int64{alone / 2, alone / 2} {
		refund, err := o.give(cents)
		require.NoError(t, err)
		o.arrive(refund)
	}
	_, err = o.give(1)
	require.ErrorIs(t, err, dualcontrol.ErrSecondPerson, "the cent above")
	require.ErrorIs(t, o.whole(), dualcontrol.ErrSecondPerson)
	require.Equal(t, 2, o.count(`SELECT count(*) FROM refunds`))
	require.Zero(t, o.count(`SELECT count(*) FROM order_proposals`), "a refusal proposes nothing")
}

// Refunds of a customer's orders within a day count together, also those that are
// decided and not begun; what two people approved does not.
func TestBar46RefundsOfACustomerAndDayCountTogether(t *testing.T) {
	o := openOffice(t)
	orders := []*order.Order{}
	for range 3 {
		o.pay()
		orders = append(orders, o.order)
	}
	total, _ := o.order.Total.Int64()
	limit := money.FromInt(total + total/2)
	whole := func(i int) error {
		_, err := order.OpenDecision(t.Context(), o.db, order.NewDecision{OrderID: orders[i].ID, Kind: order.DecisionRefund, ActorID: o.staff, ActorRole: "admin", Reason: "why not", Alone: &limit})
		return err
	}
	part := func(i int, cents int64, who string) error {
		amount := money.FromInt(cents)
		_, err := order.OpenRefund(t.Context(), o.db, order.NewRefund{OrderID: orders[i].ID, Amount: &amount, ActorID: who, ActorRole: "admin", Reason: "a gesture", Alone: &limit})
		return err
	}
	require.NoError(t, whole(0))
	require.Zero(t, o.count(`SELECT count(*) FROM refunds`), "decided, not begun")
	require.ErrorIs(t, whole(1), dualcontrol.ErrSecondPerson)
	require.ErrorIs(t, part(1, total/2+1, o.second), dualcontrol.ErrSecondPerson, "another order, another person, the same customer and day")
	require.NoError(t, part(1, total/2, o.second))
	require.ErrorIs(t, part(2, 1, o.staff), dualcontrol.ErrSecondPerson)
	o.exec(`UPDATE decisions SET created_at = created_at - interval '25 hours'`)
	require.NoError(t, part(2, 1, o.staff), "another day's")

	o.order = orders[2]
	o.exec(`UPDATE refunds SET done_at = clock_now(), status = 'succeeded'`)
	p := o.proposes(nil)
	_, err := o.approves(p, o.second)
	require.NoError(t, err)
	o.exec(`UPDATE decisions SET created_at = created_at - interval '25 hours' WHERE id NOT IN (SELECT decision_id FROM order_proposals)`)
	require.NoError(t, part(1, total/4, o.staff), "what two people gave back is nobody's alone")
}

// Nothing moves before the second person approves, who is neither the first nor the customer; then exactly what was
// proposed does.
func TestBar05AProposalMovesNothingUntilAnotherPersonApprovesIt(t *testing.T) {
	o := openOffice(t)
	o.pay()
	p := o.proposes(nil)
	require.True(t, p.Ends)
	for _, kind := range []string{order.DecisionFulfill, order.DecisionRefund} {
		_, err := o.decide(kind, nil)
		require.Equal(t, "proposal_open", store.ReasonOf(err), kind)
		require.ErrorContains(t, err, "s@example.com proposed to refund $")
	}
	_, err := o.give(1)
	require.Equal(t, "proposal_open", store.ReasonOf(err))
	_, err = o.approves(p, o.staff)
	require.Equal(t, "own_proposal", store.ReasonOf(err))
	_, err = o.approves(p, o.user)
	require.Equal(t, "own_order", store.ReasonOf(err))
	without := o.answer(p, o.second)
	without.Kinds = []string{order.DecisionMarkSent}
	_, err = order.ApproveProposal(t.Context(), o.db, without)
	require.Equal(t, store.CodeForbidden, store.CodeOf(err))
	require.Zero(t, o.count(`SELECT count(*) FROM refunds`)+o.count(`SELECT count(*) FROM decisions WHERE kind = 'refund'`))

	made, err := o.approves(p, o.second)
	require.NoError(t, err)
	require.Equal(t, o.second, made.Decision.ActorID)
	job, err := order.StartRefund(t.Context(), o.db, o.order.ID, made.Decision.ID)
	require.NoError(t, err)
	require.NoError(t, order.RecordRefund(t.Context(), o.db, o.order.ID, job.Refund.Sequence, "re_1", order.RefundSucceeded, made.Decision.ID))
	require.Equal(t, order.ResolutionRefunded, *o.now().Resolution)
	require.Equal(t, 1, o.count(`SELECT count(*) FROM audit_log WHERE action = 'order.refund' AND actor_id = $1 AND after->>'proposedBy' = $2`, o.second, o.staff))
	require.Equal(t, 1, o.count(`SELECT count(*) FROM audit_log WHERE action = 'order.refund_proposed' AND actor_id = $1`, o.staff))
	_, err = o.db.Pool().Exec(t.Context(), `UPDATE order_proposals SET decided_by = $1`, o.staff)
	require.Error(t, err, "nor does Postgres let one person be two")
	o.balanced()
}

func TestBar18OneOfManyApproversWinsAndTheOthersSeeWho(t *testing.T) {
	o := openOffice(t)
	o.pay()
	cents := int64(2 * alone)
	p := o.proposes(&cents)
	var wg sync.WaitGroup
	outcomes := make([]error, 10)
	for i := range outcomes {
		wg.Go(func() {
			switch i % 3 {
			case 0:
				_, outcomes[i] = o.approves(p, o.second)
			case 1:
				_, outcomes[i] = o.approves(p, o.third)
			default:
				outcomes[i] = order.RejectProposal(o.Context(), o.db, o.answer(p, o.third))
			}
		})
	}
	wg.Wait()
	won := 0
	for _, err := range outcomes {
		if err == nil {
			won++
			continue
		}
		require.Equal(t, "proposal_decided", store.ReasonOf(err), "%v", err)
		require.Regexp(t, `^(second|third)@example.com has already (approved|rejected) this$`, err.Error())
	}
	require.Equal(t, 1, won)
	approved := o.count(`SELECT count(*) FROM order_proposals WHERE status = 'approved'`)
	require.Equal(t, approved, o.count(`SELECT count(*) FROM refunds`))
	require.Equal(t, 2, o.count(`SELECT count(*) FROM audit_log WHERE action LIKE 'order.refund%'`), "proposed, and decided once")
}

// What was read is what is approved: not an order that continued, or money that was used otherwise.
func TestAProposalThatChangedSinceItWasShownIsNotApproved(t *testing.T) {
	o := openOffice(t)
	o.pay()
	p := o.proposes(nil)
	require.NoError(t, order.RecordElsewhere(t.Context(), o.db, o.order.ID, order.CardRefundReading{ID: "re_there", Status: order.RefundSucceeded, Amount: money.FromInt(100)}))
	_, err := o.approves(p, o.second)
	require.Equal(t, "proposal_outdated", store.ReasonOf(err))
	require.NoError(t, order.RejectProposal(t.Context(), o.db, o.answer(p, o.staff)))
	require.Equal(t, 1, o.count(`SELECT count(*) FROM order_proposals WHERE status = 'withdrawn'`))
	require.Contains(t, o.eventsOf(), "proposal_decided")
}

// The order's end ends the proposal: when its customer got the refund themselves, and when the coin was sent first.
func TestProposalsExpireWithTheOrder(t *testing.T) {
	o := openOffice(t)
	o.pay()
	o.do("fulfill", "buy", "fail send")
	p := o.proposed(order.DecisionRefund)
	decision, err := order.OpenDecision(t.Context(), o.db, order.NewDecision{OrderID: o.order.ID, Kind: order.DecisionRefundNow, ActorID: o.user})
	require.NoError(t, err, "a customer waits for nobody")
	job, err := order.StartRefund(t.Context(), o.db, o.order.ID, decision.ID)
	require.NoError(t, err)
	require.NoError(t, order.RecordRefund(t.Context(), o.db, o.order.ID, job.Refund.Sequence, "re_1", order.RefundSucceeded, decision.ID))
	_, err = o.approves(p, o.second)
	require.Equal(t, "proposal_decided", store.ReasonOf(err))
	require.ErrorContains(t, err, "expired")
}

// All of the money was refunded at the processor while coin was being bought: once the coin can no longer leave, the order
// ends and takes nobody's decision.
func TestOrderWhoseMoneyWasRefundedEnds(t *testing.T) {
	o := openOffice(t)
	o.pay()
	o.do("fulfill")
	_, err := order.StartBuy(t.Context(), o.db, o.order.ID, 100, time.Minute)
	require.NoError(t, err)
	require.NoError(t, order.RecordElsewhere(t.Context(), o.db, o.order.ID, order.CardRefundReading{ID: "re_all", Status: order.RefundSucceeded, Amount: o.order.Total}))
	o.do("buy")
	require.Equal(t, order.ResolutionRefunded, *o.now().Resolution)
	require.NotNil(t, o.now().ClosedAt)
	o.balanced()
}

func TestASecondPersonMarksAnOrderAsSent(t *testing.T) {
	o := openOffice(t)
	o.pay()
	o.do("fulfill", "buy", "fail send")
	in := order.NewDecision{OrderID: o.order.ID, Kind: order.DecisionMarkSent, ActorID: o.staff, ActorRole: "admin", Reason: "sent by hand", Data: order.SentEvidence{TxID: "abc"}, Alone: o.limit()}
	_, err := order.OpenDecision(t.Context(), o.db, in)
	require.ErrorIs(t, err, dualcontrol.ErrSecondPerson)
	p, err := order.Propose(t.Context(), o.db, order.NewProposal{OrderID: in.OrderID, Kind: in.Kind, Data: in.Data, ActorID: in.ActorID, ActorRole: in.ActorRole, Reason: in.Reason})
	require.NoError(t, err)
	require.Equal(t, "abc", *p.TxID())
	made, err := o.approves(p, o.second)
	require.NoError(t, err)
	require.NoError(t, order.MarkSent(t.Context(), o.db, o.order.ID, made.Decision.ID))
	require.Equal(t, "abc", *o.now().TxID)
	o.balanced()
}

// The later decider gets the name of who was first; customers get no name.
func TestBar18ALateDecisionIsRefusedWithTheNameOfTheFirst(t *testing.T) {
	o := openOffice(t)
	o.pay()
	_, err := o.decide(order.DecisionFulfill, nil)
	require.NoError(t, err)
	_, err = order.OpenDecision(t.Context(), o.db, order.NewDecision{OrderID: o.order.ID, Kind: order.DecisionHold, ActorID: o.second, ActorRole: "admin", Reason: "wait"})
	require.Equal(t, "decision_open", store.ReasonOf(err))
	require.ErrorContains(t, err, ". A colleague fulfilled it ", "their e-mail address is nobody's business")
	_, err = order.OpenDecision(t.Context(), o.db, order.NewDecision{OrderID: o.order.ID, Kind: order.DecisionCancel, ActorID: o.user})
	require.Equal(t, "decision_open", store.ReasonOf(err))
	require.NotContains(t, err.Error(), "@")
}

func (o *office) count(query string, args ...any) (n int) {
	o.Helper()
	require.NoError(o, o.db.Pool().QueryRow(o.Context(), query, args...).Scan(&n))
	return n
}
