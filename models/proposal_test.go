package models_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models"
	"github.com/tradepost/tradepost/models/money"
)

// alone is the most that one person gives back of an order here, in cents.
const alone = 10_000

// office is a desk with three people behind it.
type office struct {
	*desk
	second, third string
}

func openOffice(t *testing.T) *office {
	o := &office{desk: openDesk(t), second: models.NewID(), third: models.NewID()}
	o.exec(`INSERT INTO users (id, issuer, subject, email, email_verified) VALUES ($1, 'test', 'second', 'second@example.com', true), ($2, 'test', 'third', 'third@example.com', true)`, o.second, o.third)
	return o
}

func (o *office) limit() *money.Units { most := money.FromInt(alone); return &most }

// whole decides that all of the order's money goes back, as one person.
func (o *office) whole() error {
	_, err := o.db.OpenDecision(o.Context(), models.NewDecision{OrderID: o.order.ID, Kind: models.DecisionRefund, ActorID: o.staff, ActorRole: "admin", Reason: "why not",
		Data: models.RefundWish{}, Alone: o.limit()})
	return err
}

// give gives some cents back, as one person.
func (o *office) give(cents int64) (*models.Refund, error) {
	amount := money.FromInt(cents)
	return o.db.OpenRefund(o.Context(), models.NewRefund{OrderID: o.order.ID, Amount: &amount, ActorID: o.staff, ActorRole: "admin", Reason: "a gesture", Alone: o.limit()})
}

func (o *office) arrive(refund *models.Refund) {
	o.Helper()
	_, err := o.db.StartGiveBack(o.Context(), o.order.ID, refund.Sequence)
	require.NoError(o, err)
	require.NoError(o, o.db.RecordRefund(o.Context(), o.order.ID, refund.Sequence, "re_"+models.NewID(), models.RefundSucceeded, ""))
}

// proposes has the first person propose; nil cents is all that is left.
func (o *office) proposes(cents *int64) *models.Proposal {
	o.Helper()
	in := models.NewProposal{OrderID: o.order.ID, Kind: models.DecisionRefund, ActorID: o.staff, ActorRole: "admin", Reason: "they were charged twice"}
	if cents != nil {
		amount := money.FromInt(*cents)
		in.Amount = &amount
	}
	p, err := o.db.Propose(o.Context(), in)
	require.NoError(o, err)
	return p
}

func (o *office) answer(p *models.Proposal, who string) models.ProposalAnswer {
	return models.ProposalAnswer{OrderID: p.OrderID, ID: p.ID, Kinds: []string{models.DecisionRefund, models.DecisionMarkSent}, ActorID: who, ActorRole: "admin", Reason: "no"}
}

func (o *office) approves(p *models.Proposal, who string) (models.Carried, error) {
	return o.db.ApproveProposal(o.Context(), o.answer(p, who))
}

// Many small refunds are one large one.
func TestBar05ManySmallRefundsNeedASecondPersonAsOneLargeOneDoes(t *testing.T) {
	o := openOffice(t)
	o.pay()
	require.ErrorIs(t, o.whole(), models.ErrSecondPerson)
	_, err := o.give(alone + 1)
	require.ErrorIs(t, err, models.ErrSecondPerson)
	for _, cents := range []int64{alone / 2, alone / 2} {
		refund, err := o.give(cents)
		require.NoError(t, err)
		o.arrive(refund)
	}
	_, err = o.give(1)
	require.ErrorIs(t, err, models.ErrSecondPerson, "the cent above")
	require.ErrorIs(t, o.whole(), models.ErrSecondPerson)
	require.Equal(t, 2, o.count(`SELECT count(*) FROM refunds`))
	require.Zero(t, o.count(`SELECT count(*) FROM order_proposals`), "a refusal proposes nothing")
}

// Refunds of a customer's orders within a day count together, also those that are
// decided and not begun; what two people approved does not.
func TestBar46RefundsOfACustomerAndDayCountTogether(t *testing.T) {
	o := openOffice(t)
	orders := []*models.Order{}
	for range 3 {
		o.pay()
		orders = append(orders, o.order)
	}
	total, _ := o.order.Total.Int64()
	limit := money.FromInt(total + total/2)
	whole := func(i int) error {
		_, err := o.db.OpenDecision(t.Context(), models.NewDecision{OrderID: orders[i].ID, Kind: models.DecisionRefund, ActorID: o.staff, ActorRole: "admin", Reason: "why not", Alone: &limit})
		return err
	}
	part := func(i int, cents int64, who string) error {
		amount := money.FromInt(cents)
		_, err := o.db.OpenRefund(t.Context(), models.NewRefund{OrderID: orders[i].ID, Amount: &amount, ActorID: who, ActorRole: "admin", Reason: "a gesture", Alone: &limit})
		return err
	}
	require.NoError(t, whole(0))
	require.Zero(t, o.count(`SELECT count(*) FROM refunds`), "decided, not begun")
	require.ErrorIs(t, whole(1), models.ErrSecondPerson)
	require.ErrorIs(t, part(1, total/2+1, o.second), models.ErrSecondPerson, "another order, another person, the same customer and day")
	require.NoError(t, part(1, total/2, o.second))
	require.ErrorIs(t, part(2, 1, o.staff), models.ErrSecondPerson)
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

// Nothing moves before the second person, who is neither the first nor the
// customer; then exactly what was proposed does.
func TestBar05AProposalMovesNothingUntilSomebodyElseApprovesIt(t *testing.T) {
	o := openOffice(t)
	o.pay()
	p := o.proposes(nil)
	require.True(t, p.Ends)
	for _, kind := range []string{models.DecisionFulfill, models.DecisionRefund} {
		_, err := o.decide(kind, nil)
		require.Equal(t, "proposal_open", models.ReasonOf(err), kind)
		require.ErrorContains(t, err, "s@example.com proposed to refund $")
	}
	_, err := o.give(1)
	require.Equal(t, "proposal_open", models.ReasonOf(err))
	_, err = o.approves(p, o.staff)
	require.Equal(t, "own_proposal", models.ReasonOf(err))
	_, err = o.approves(p, o.user)
	require.Equal(t, "own_order", models.ReasonOf(err))
	without := o.answer(p, o.second)
	without.Kinds = []string{models.DecisionMarkSent}
	_, err = o.db.ApproveProposal(t.Context(), without)
	require.Equal(t, models.CodeForbidden, models.CodeOf(err))
	require.Zero(t, o.count(`SELECT count(*) FROM refunds`)+o.count(`SELECT count(*) FROM decisions WHERE kind = 'refund'`))

	made, err := o.approves(p, o.second)
	require.NoError(t, err)
	require.Equal(t, o.second, made.Decision.ActorID)
	job, err := o.db.StartRefund(t.Context(), o.order.ID, made.Decision.ID)
	require.NoError(t, err)
	require.NoError(t, o.db.RecordRefund(t.Context(), o.order.ID, job.Refund.Sequence, "re_1", models.RefundSucceeded, made.Decision.ID))
	require.Equal(t, models.ResolutionRefunded, *o.now().Resolution)
	require.Equal(t, 1, o.count(`SELECT count(*) FROM audit_log WHERE action = 'order.refund' AND actor_id = $1 AND after->>'proposedBy' = $2`, o.second, o.staff))
	require.Equal(t, 1, o.count(`SELECT count(*) FROM audit_log WHERE action = 'order.refund_proposed' AND actor_id = $1`, o.staff))
	_, err = o.db.Pool().Exec(t.Context(), `UPDATE order_proposals SET decided_by = $1`, o.staff)
	require.Error(t, err, "nor does Postgres let one person be two")
	o.balanced()
}

func TestBar18OneOfManyApproversWinsAndTheOthersAreToldWho(t *testing.T) {
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
				outcomes[i] = o.db.RejectProposal(o.Context(), o.answer(p, o.third))
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
		require.Equal(t, "proposal_decided", models.ReasonOf(err), "%v", err)
		require.Regexp(t, `^(second|third)@example.com has already (approved|rejected) this$`, err.Error())
	}
	require.Equal(t, 1, won)
	approved := o.count(`SELECT count(*) FROM order_proposals WHERE status = 'approved'`)
	require.Equal(t, approved, o.count(`SELECT count(*) FROM refunds`))
	require.Equal(t, 2, o.count(`SELECT count(*) FROM audit_log WHERE action LIKE 'order.refund%'`), "proposed, and decided once")
}

// What was looked at is what is approved: an order that went on, money that went
// by another way.
func TestAProposalThatIsNoLongerWhatWasLookedAtIsNotApproved(t *testing.T) {
	o := openOffice(t)
	o.pay()
	p := o.proposes(nil)
	require.NoError(t, o.db.RecordElsewhere(t.Context(), o.order.ID, models.CardRefundReading{ID: "re_there", Status: models.RefundSucceeded, Amount: money.FromInt(100)}))
	_, err := o.approves(p, o.second)
	require.Equal(t, "proposal_outdated", models.ReasonOf(err))
	require.NoError(t, o.db.RejectProposal(t.Context(), o.answer(p, o.staff)))
	require.Equal(t, 1, o.count(`SELECT count(*) FROM order_proposals WHERE status = 'withdrawn'`))
	require.Contains(t, o.storyOf(), "proposal_decided")
}

// The order's end is the proposal's: when its customer had it back themselves,
// and when the coin went first.
func TestProposalsLapseWithTheOrder(t *testing.T) {
	o := openOffice(t)
	o.pay()
	o.do("fulfill", "buy", "fail send")
	p := o.proposed(models.DecisionRefund)
	decision, err := o.db.OpenDecision(t.Context(), models.NewDecision{OrderID: o.order.ID, Kind: models.DecisionRefundNow, ActorID: o.user})
	require.NoError(t, err, "a customer waits for nobody")
	job, err := o.db.StartRefund(t.Context(), o.order.ID, decision.ID)
	require.NoError(t, err)
	require.NoError(t, o.db.RecordRefund(t.Context(), o.order.ID, job.Refund.Sequence, "re_1", models.RefundSucceeded, decision.ID))
	_, err = o.approves(p, o.second)
	require.Equal(t, "proposal_decided", models.ReasonOf(err))
	require.ErrorContains(t, err, "expired")
}

func TestASecondPersonMarksAnOrderAsSent(t *testing.T) {
	o := openOffice(t)
	o.pay()
	o.do("fulfill", "buy", "fail send")
	in := models.NewDecision{OrderID: o.order.ID, Kind: models.DecisionMarkSent, ActorID: o.staff, ActorRole: "admin", Reason: "sent by hand", Data: models.SentEvidence{TxID: "abc"}, Alone: o.limit()}
	_, err := o.db.OpenDecision(t.Context(), in)
	require.ErrorIs(t, err, models.ErrSecondPerson)
	p, err := o.db.Propose(t.Context(), models.NewProposal{OrderID: in.OrderID, Kind: in.Kind, Data: in.Data, ActorID: in.ActorID, ActorRole: in.ActorRole, Reason: in.Reason})
	require.NoError(t, err)
	require.Equal(t, "abc", *p.TxID())
	made, err := o.approves(p, o.second)
	require.NoError(t, err)
	require.NoError(t, o.db.MarkSent(t.Context(), o.order.ID, made.Decision.ID))
	require.Equal(t, "abc", *o.now().TxID)
	o.balanced()
}

// Who comes too late is told who was first; customers are told of nobody.
func TestBar18WhoDecidesTooLateIsToldWhoWasFirst(t *testing.T) {
	o := openOffice(t)
	o.pay()
	_, err := o.decide(models.DecisionFulfill, nil)
	require.NoError(t, err)
	_, err = o.db.OpenDecision(t.Context(), models.NewDecision{OrderID: o.order.ID, Kind: models.DecisionHold, ActorID: o.second, ActorRole: "admin", Reason: "wait"})
	require.Equal(t, "decision_open", models.ReasonOf(err))
	require.ErrorContains(t, err, "(fulfill: a colleague)", "their e-mail address is nobody's business")
	_, err = o.db.OpenDecision(t.Context(), models.NewDecision{OrderID: o.order.ID, Kind: models.DecisionCancel, ActorID: o.user})
	require.Equal(t, "decision_open", models.ReasonOf(err))
	require.NotContains(t, err.Error(), "@")
}

func (o *office) count(query string, args ...any) (n int) {
	o.Helper()
	require.NoError(o, o.db.Pool().QueryRow(o.Context(), query, args...).Scan(&n))
	return n
}
