package models_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
)

// proposed writes a proposal about the order down, as one of these kinds.
func (o *office) proposed(kind string) *order.Proposal {
	o.Helper()
	in := order.NewProposal{OrderID: o.order.ID, Kind: kind, ActorID: o.staff, ActorRole: "admin", Reason: "look at this"}
	switch kind {
	case order.DecisionMarkSent:
		in.Data = order.SentEvidence{TxID: "by hand"}
	case order.DecisionAmendAddress:
		in.Data = order.AmendedAddress{Address: "bc1q0ht9tyks4vh7p5p904t340cr9nvahy7u3re7zg", AddressKey: "bc1q0ht9tyks4vh7p5p904t340cr9nvahy7u3re7zg"}
	}
	p, err := order.Propose(o.Context(), o.db, in)
	require.NoError(o, err)
	return p
}

func (o *office) rejects(p *order.Proposal) {
	o.Helper()
	answer := o.answer(p, o.second)
	answer.Kinds = append(answer.Kinds, order.DecisionAmendAddress)
	require.NoError(o, order.RejectProposal(o.Context(), o.db, answer))
}

func (o *office) keepsTrying() error {
	return o.chooses(order.DecisionKeepTrying, nil, func(id string) error { return order.KeepTrying(o.Context(), o.db, o.order.ID, id, 100, patience) })
}

func (o *office) due(column string) {
	o.Helper()
	o.exec(`UPDATE orders SET ` + column + ` = clock_now() - interval '1 second' WHERE id = '` + o.order.ID + `'`)
	require.NoError(o, order.Expire(o.Context(), o.db, o.order.ID, 100, patience))
}

// Whatever resumes an order beside an open proposal, such as a dispute that is won or a return that is reinstated: no
// coin is bought or sent until the proposal is decided. If it is rejected, the order continues automatically.
func TestNoCoinMovesBesideAnOpenProposal(t *testing.T) {
	for _, kind := range []string{order.DecisionRefund, order.DecisionMarkSent, order.DecisionAmendAddress} {
		for _, status := range []order.OrderStatus{order.StatusPaymentApproved, order.StatusFulfilling, order.StatusFilled} {
			if status != order.StatusFilled && kind != order.DecisionRefund {
				continue
			}
			t.Run(kind+" "+string(status), func(t *testing.T) {
				o := openOffice(t)
				o.parkedAt(status)
				p := o.proposed(kind)
				o.exec(`UPDATE orders SET attention_reason = NULL, attention_since = NULL, attention_choices = '{}' WHERE id = $1`, o.order.ID)
				for range 2 {
					buy, err := order.StartBuy(t.Context(), o.db, o.order.ID, 100, time.Minute)
					require.NoError(t, err)
					require.True(t, buy.Done)
					send, err := order.StartTransfer(t.Context(), o.db, o.order.ID, wideCaps)
					require.NoError(t, err)
					require.True(t, send.Done)
					require.NoError(t, order.GoOn(t.Context(), o.db, o.order.ID, 100, surplusTerms))
					state, err := order.ReadOrderState(t.Context(), o.db, o.order.ID)
					require.NoError(t, err)
					require.False(t, state.GoesOn, "the workflow would turn for ever")
				}
				require.Equal(t, status, o.now().Status)
				if status == order.StatusPaymentApproved {
					decision := store.NewID() // made before it was proposed
					o.exec(`INSERT INTO decisions (id, order_id, kind, actor_id, reason) VALUES ($1, $2, 'fulfill', $3, 'early')`, decision, o.order.ID, o.third)
					require.NoError(t, order.Reserve(t.Context(), o.db, o.order.ID, decision, 100))
				} else {
					may, err := order.MaySend(t.Context(), o.db, o.order.ID)
					require.NoError(t, err)
					require.False(t, may)
				}
				require.Equal(t, status, o.now().Status)
				require.Equal(t, casework.AttentionPaused, o.waits())
				o.rejects(p)
				resumed, err := order.Resumed(t.Context(), o.db, 10)
				require.NoError(t, err)
				require.Len(t, resumed, 1)
				require.NoError(t, order.GoOn(t.Context(), o.db, o.order.ID, 100, surplusTerms))
				require.Empty(t, o.waits())
				o.onToTheEnd()
			})
		}
	}
}

func (o *office) onToTheEnd() {
	o.Helper()
	if o.now().Status == order.StatusFulfilling {
		o.do("buy")
	}
	o.do("start transfer", "broadcast", "confirm")
	require.NotNil(o, o.now().ClosedAt)
	o.balanced()
}

// A customer's choice to keep trying does not overtake a proposal to refund the order: the order waits in its state,
// so that the proposal can be approved.
func TestACustomersDecisionWaitsForAProposal(t *testing.T) {
	o := openOffice(t)
	for _, failed := range []bool{false, true} {
		o.price("50000")
		o.waitsForPrice()
		if failed {
			o.price("50000")
			o.do("retry", "fail buy")
			require.NoError(t, order.OfferChoice(t.Context(), o.db, o.order.ID, patience))
		}
		before := o.now().Status
		p := o.proposed(order.DecisionRefund)
		o.price("50000")
		require.NoError(t, o.keepsTrying())
		require.Equal(t, before, o.now().Status)
		o.due("try_next_at")
		require.Equal(t, before, o.now().Status)
		o.rejects(p)
		o.due("try_next_at")
		require.Equal(t, order.StatusFulfilling, o.now().Status)
		o.onToTheEnd()
	}
}

// While a proposal to mark the coin as sent by hand is open, its customer's money is not refunded as well, by their
// choice or by its default, and nothing is tried again.
func TestACustomersChoiceWaitsForProofThatTheCoinWasSent(t *testing.T) {
	o := openOffice(t)
	o.pay()
	o.do("fulfill", "buy", "fail send")
	require.NoError(t, order.OfferChoice(t.Context(), o.db, o.order.ID, patience))
	p := o.proposed(order.DecisionMarkSent)
	require.Equal(t, "proposal_open", store.ReasonOf(o.reverse()))
	require.Equal(t, "proposal_open", store.ReasonOf(o.keepsTrying()))
	o.due("choice_due_at")
	state, err := order.ReadOrderState(t.Context(), o.db, o.order.ID)
	require.NoError(t, err)
	require.Empty(t, state.Default)
	require.Greater(t, state.LooksIn, time.Minute, "looked at again, in a while")
	require.NotNil(t, o.now().ChoiceDueAt)
	require.Empty(t, o.waits())
	o.rejects(p)
	o.due("choice_due_at")
	state, err = order.ReadOrderState(t.Context(), o.db, o.order.ID)
	require.NoError(t, err)
	require.NotEmpty(t, state.Default, "nothing came of it")
	job, err := order.StartRefund(t.Context(), o.db, o.order.ID, state.Default)
	require.NoError(t, err)
	require.NoError(t, order.RecordRefund(t.Context(), o.db, o.order.ID, job.Refund.Sequence, "re_1", order.RefundSucceeded, state.Default))
	o.balanced()

	o.pay() // what was proposed and approved is done, once
	o.do("fulfill", "buy", "fail send")
	require.NoError(t, order.OfferChoice(t.Context(), o.db, o.order.ID, patience))
	p = o.proposed(order.DecisionMarkSent)
	o.due("choice_due_at")
	made, err := o.approves(p, o.second)
	require.NoError(t, err)
	require.NoError(t, order.MarkSent(t.Context(), o.db, o.order.ID, made.Decision.ID))
	require.Equal(t, order.StatusSent, o.now().Status)
	o.balanced()
}

// Money of an order that went to the balance buys no coin once its bank has reversed it: what was paid with it waits,
// at each step, until the debt is paid.
func TestChargedBackMoneyBuysNoCoinThroughTheBalance(t *testing.T) {
	for _, steps := range [][]string{nil, {"fulfill"}, {"fulfill", "buy"}} {
		t.Run("", func(t *testing.T) {
			d := openCashFixture(t)
			d.at("refunded")
			from, receipt := d.order, d.receipts()[0]
			second, err := d.spend("0.009")
			require.NoError(t, err)
			d.order = second
			d.do(steps...)
			before := d.now().Status
			d.order = from
			require.NoError(t, d.returned(receipt.ID, receipt.Amount))
			_, owed := d.owes()
			require.Positive(t, owed)
			d.order = second
			switch before {
			case order.StatusPaymentApproved:
				d.do("fulfill")
			case order.StatusFulfilling:
				d.do("buy")
			case order.StatusFilled:
				d.do("start transfer")
				may, err := order.MaySend(t.Context(), d.db, second.ID)
				require.NoError(t, err)
				require.False(t, may)
			}
			require.Equal(t, before, d.now().Status)
			require.Equal(t, order.AttentionRefundedThere, d.waits())
			require.Subset(t, d.choices(), []string{order.DecisionRetry, order.DecisionRefund})
			d.do("refund")
			_, left := d.owes()
			require.Less(t, left, owed)
			d.balanced()
		})
	}
	d := openCashFixture(t) // a debt that is paid holds nothing up
	d.at("refunded")
	from, receipt := d.order, d.receipts()[0]
	second, err := d.spend("0.009")
	require.NoError(t, err)
	d.order = from
	require.NoError(t, d.returned(receipt.ID, receipt.Amount))
	d.order = second
	d.do("fulfill")
	d.credit(cents(1_000_000))
	d.do("retry", "buy", "start transfer", "broadcast", "confirm")
	require.Equal(t, order.StatusSent, d.now().Status)
	d.balanced()
}
