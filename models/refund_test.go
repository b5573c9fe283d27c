package models_test

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
)

// pay makes an order by card and captures it.
func (d *orderFixture) pay() {
	d.Helper()
	d.take("card")
	require.NoError(d, order.ApplyReading(d.Context(), d.db, d.order.ID, d.reading(false), time.Now()))
	decision, err := d.decide(order.DecisionProcess, nil)
	require.NoError(d, err)
	_, err = order.StartCapture(d.Context(), d.db, d.order.ID, decision)
	require.NoError(d, err)
	require.NoError(d, order.Captured(d.Context(), d.db, d.order.ID, decision, d.reading(true)))
}

// do does the steps by name; each must work.
func (d *orderFixture) do(steps ...string) {
	d.Helper()
	for _, step := range steps {
		require.NoError(d, d.actions(func(n int) int { return n - 1 })[step](), step)
	}
}

// part opens a refund of some cents.
func (d *orderFixture) part(cents int64) (*order.Refund, error) {
	amount := money.FromInt(cents)
	return order.OpenRefund(d.Context(), d.db, order.NewRefund{OrderID: d.order.ID, Amount: &amount, ActorID: d.staff, ActorRole: "admin", Reason: "a gesture"})
}

// givePart refunds a share of what is left, as the refund's workflow does.
func (d *orderFixture) givePart(draw func(n int) int, status string) error {
	ctx, o := d.Context(), d.now()
	left, err := order.Refundable(ctx, d.db, o)
	if err != nil {
		return err
	}
	cents, _ := left.Int64()
	row, err := d.part(max(cents*int64(draw(10))/10, 1))
	if err != nil {
		return err
	}
	if _, err := order.StartGiveBack(ctx, d.db, o.ID, row.Sequence); err != nil {
		return err
	}
	return order.RecordRefund(ctx, d.db, o.ID, row.Sequence, fmt.Sprintf("re_%s_%d", o.ID, row.Sequence), status, "")
}

// bounce has the card's bank send the last refund back.
func (d *orderFixture) bounce() error {
	rows, err := order.OrderRefunds(d.Context(), d.db, d.order.ID)
	if err != nil || len(rows) == 0 || rows[len(rows)-1].ProviderID == nil || rows[len(rows)-1].Status != order.RefundSucceeded {
		return err
	}
	last := rows[len(rows)-1]
	if last.Origin == "provider" {
		return order.RecordElsewhere(d.Context(), d.db, d.order.ID, order.CardRefundReading{ID: *last.ProviderID, Status: order.RefundFailed, Amount: last.Amount})
	}
	_, err = order.LearnRefund(d.Context(), d.db, d.order.ID, last.Sequence, *last.ProviderID, order.RefundFailed)
	return err
}

// refundedThere is a refund made at the processor itself.
func (d *orderFixture) refundedThere(draw func(n int) int) error {
	left, err := order.Refundable(d.Context(), d.db, d.now())
	if err != nil || left.IsZero() {
		return err
	}
	cents, _ := left.Int64()
	return order.RecordElsewhere(d.Context(), d.db, d.order.ID, order.CardRefundReading{ID: "re_there_" + store.NewID(), Status: order.RefundSucceeded,
		Amount: money.FromInt(max(cents*int64(draw(11))/10, 1))})
}

// dispute opens a dispute of what is left, or ends the open one.
func (d *orderFixture) dispute(status string) error {
	ctx, o := d.Context(), d.now()
	disputes, err := order.Disputes(ctx, d.db, o.ID)
	if err != nil {
		return err
	}
	r := order.DisputeReading{ID: "dp_" + store.NewID(), Status: status, Reason: "fraudulent", Fee: money.FromInt(1500), DueBy: time.Now().Add(time.Hour)}
	if n := len(disputes); n > 0 && disputes[n-1].ClosedAt == nil {
		open := disputes[n-1]
		r.ID, r.Amount, r.Withdrawn = open.ProviderID, open.Amount, open.Withdrawn
	} else {
		if r.Amount, err = order.Refundable(ctx, d.db, o); err != nil || r.Amount.IsZero() {
			return err
		}
		r.Withdrawn = r.Amount
	}
	if status == order.DisputeWon {
		r.Reinstated = r.Withdrawn
	}
	_, err = order.RecordDispute(ctx, d.db, o.ID, r)
	return err
}

// balanceOf is what an account moved for this order.
func (d *orderFixture) balanceOf(account string) string {
	d.Helper()
	record, err := order.ReadOrderRecord(d.Context(), d.db, d.order.ID)
	require.NoError(d, err)
	var sum money.Units
	for _, p := range record.Postings {
		if p.Currency != money.USD {
			continue
		}
		if p.ToAccount == account {
			sum = sum.Add(p.Amount)
		}
		if p.FromAccount == account {
			sum = sum.Sub(p.Amount)
		}
	}
	return money.USD.Format(sum)
}

// Refunds never exceed what came in, with concurrent requests too.
func TestBar18TwoAdminsRefundAtOnceAndNeverMoreThanWasReceived(t *testing.T) {
	d := openOrderFixture(t)
	d.pay()
	total, _ := d.order.Total.Int64()
	var wg sync.WaitGroup
	outcomes := make([]error, 8)
	for i := range outcomes {
		wg.Go(func() { _, outcomes[i] = d.part(total * 2 / 3) })
	}
	wg.Wait()
	accepted := 0
	for _, err := range outcomes {
		if err == nil {
			accepted++
			continue
		}
		require.Equal(t, "refund_open", store.ReasonOf(err))
	}
	require.Equal(t, 1, accepted)
	_, err := d.decide(order.DecisionRefund, nil)
	require.NoError(t, err, "the decision is taken")
	rows, err := order.OrderRefunds(t.Context(), d.db, d.order.ID)
	require.NoError(t, err)
	require.Len(t, rows, 1)
}

func TestPartOfTheMoneyGoesBackAndTheOrderGoesOn(t *testing.T) {
	d := openOrderFixture(t)
	d.pay()
	total, _ := d.order.Total.Int64()
	_, err := d.part(total)
	require.ErrorIs(t, err, order.ErrWhole, "all of it is the order's own refund")
	_, err = d.part(total + 1)
	require.Equal(t, "refund_exceeds", store.ReasonOf(err))
	_, err = d.part(0)
	require.Equal(t, store.CodeInvalid, store.CodeOf(err))
	d.do("refund part", "fulfill", "buy", "start transfer", "broadcast")
	o := d.now()
	require.Equal(t, order.StatusSent, o.Status)
	require.Equal(t, "0.00", d.balanceOf(ledger.AccountPrepaid))
	require.Equal(t, money.USD.Format(o.Refunded), d.balanceOf(ledger.AccountGoodwill), "coin for money that went back is on us")

	require.Equal(t, d.order.Amount, o.Amount, "all of the coin was sent")

	given := o.Refunded
	d.do("refund part") // after it was sent
	require.Equal(t, 1, d.count(`SELECT count(*) FROM order_events WHERE kind = 'refunded_in_part' AND data ? 'delivers'`),
		"after delivery there is no coin to name")
	d.do("die") // and the transfer never confirms
	o = d.now()
	require.Equal(t, order.StatusFailed, o.Status)
	require.Equal(t, 1, o.Refunded.Cmp(given))
	require.Equal(t, "0.00", d.balanceOf(ledger.AccountGoodwill))
	require.Equal(t, money.USD.Format(o.Refunded.Sub(o.Total)), d.balanceOf(ledger.AccountPrepaid), "we owe the rest again")
	d.do("refund")
	o = d.now()
	require.Equal(t, order.ResolutionRefunded, *o.Resolution)
	require.Equal(t, o.Total, o.Refunded)
	require.Equal(t, "0.00", d.balanceOf(ledger.AccountPrepaid))
	require.Equal(t, "0.00", d.balanceOf(ledger.AccountClearing))
	d.balanced()
}

// A refund of a part before delivery leaves the coin as it was ordered. Whoever releases the coin must have seen that
// refund; the refund, its event and the release are recorded with it.
func TestFulfillChecksTheRefundsSeen(t *testing.T) {
	d := openOrderFixture(t)
	d.pay()
	ordered := d.order.Amount
	row, err := d.part(1234)
	require.NoError(t, err)
	_, err = order.StartGiveBack(t.Context(), d.db, d.order.ID, row.Sequence)
	require.NoError(t, err)
	require.NoError(t, order.RecordRefund(t.Context(), d.db, d.order.ID, row.Sequence, "re_1", order.RefundSucceeded, ""))
	release := func(kind string, seen int64) error {
		cents := money.FromInt(seen)
		_, err := order.OpenDecision(t.Context(), d.db, order.NewDecision{OrderID: d.order.ID, Kind: kind,
			ActorID: d.staff, ActorRole: "admin", Reason: "why not", SeenRefunded: &cents})
		return err
	}
	for _, seen := range []int64{0, 1233, 5000} {
		err = release(order.DecisionFulfill, seen)
		require.Equal(t, "refunded_changed", store.ReasonOf(err), seen)
		require.ErrorContains(t, err, "$12.34 was refunded")
	}
	require.Zero(t, d.count(`SELECT count(*) FROM decisions WHERE kind = 'fulfill'`))
	d.do("fulfill", "fail buy")
	require.Empty(t, d.now().Delivers(), "it is retried, or refunded")
	require.Equal(t, "refunded_changed", store.ReasonOf(release(order.DecisionRetry, 0)))
	require.NoError(t, release(order.DecisionRetry, 1234))
	o := d.now()
	require.Equal(t, ordered, o.Amount)
	for _, query := range []string{
		`SELECT count(*) FROM audit_log WHERE action = 'order.refund' AND after->>'delivers' = $1`,
		`SELECT count(*) FROM order_events WHERE kind = 'refunded_in_part' AND data->>'delivers' = $1`,
	} {
		require.Equal(t, 1, d.count(query, money.BTC.Format(ordered)+" BTC"), query)
	}
	require.Equal(t, 2, d.count(`SELECT count(*) FROM audit_log WHERE action IN ('order.fulfill', 'order.retry')
		AND after->>'refunded' = '12.34'`))
}

func TestRefundThatTheBankSendsBackGoesToTheBalance(t *testing.T) {
	d := openOrderFixture(t)
	d.pay()
	d.do("refund", "refund bounces")
	o := d.now()
	require.Equal(t, order.ResolutionRefunded, *o.Resolution)
	require.Equal(t, money.USD.Format(o.Total), d.balanceOf(ledger.AccountClearing), "the card's money is here again")
	require.Equal(t, "-"+money.USD.Format(o.Total), d.balanceOf(ledger.CustomerBalance(o.UserID)), "and the customer has it")
	d.balanced()
}

// A refund that began is no refund that arrived: what staff decided is said by how its
// money ended.
func TestADecisionToRefundSaysWhatBecameOfItsMoney(t *testing.T) {
	d := openOrderFixture(t)
	d.pay()
	outcome := func() string {
		record, err := order.ReadOrderRecord(t.Context(), d.db, d.order.ID)
		require.NoError(t, err)
		last := record.Decisions[len(record.Decisions)-1]
		require.Equal(t, order.DecisionRefund, last.Kind)
		return store.Text(last.OutcomeCode)
	}
	for _, end := range []struct{ status, outcome string }{
		{order.RefundFailed, order.AttentionRefundFailed},
		{order.RefundSucceeded, casework.DecisionDone},
	} {
		row, err := d.part(100)
		require.NoError(t, err)
		require.Empty(t, outcome(), "in progress")
		_, err = order.StartGiveBack(t.Context(), d.db, d.order.ID, row.Sequence)
		require.NoError(t, err)
		require.NoError(t, order.RecordRefund(t.Context(), d.db, d.order.ID, row.Sequence, fmt.Sprintf("re_%d", row.Sequence), end.status, ""))
		require.Equal(t, end.outcome, outcome())
	}
}

func TestDisputeStopsFulfilmentRightBeforeEachStepThatMovesMoney(t *testing.T) {
	d := openOrderFixture(t)
	for _, sofar := range [][]string{{}, {"fulfill"}, {"fulfill", "buy"}} {
		d.pay()
		d.do(sofar...)
		d.exec(`UPDATE orders SET attention_reason = NULL, attention_since = NULL WHERE id = $1`, d.order.ID)
		d.do("dispute")
		stopped := d.now()
		require.Equal(t, order.AttentionDisputed, *stopped.AttentionReason)
		require.Equal(t, []string{order.DecisionContest, order.DecisionAccept}, []string(stopped.AttentionChoices)[:2])
		_ = d.actions(func(n int) int { return n - 1 })["fulfill"]()
		d.do("buy", "start transfer")
		after := d.now()
		require.Equal(t, stopped.Status, after.Status)
		require.Equal(t, order.AttentionDisputed, *after.AttentionReason)
		_, err := d.part(1)
		require.Equal(t, "disputed", store.ReasonOf(err))
		d.do("accept dispute")
		require.NotContains(t, []string(d.now().AttentionChoices), order.DecisionContest)
		d.do("dispute lost")
		ended := d.now()
		require.Equal(t, order.ResolutionRefunded, *ended.Resolution)
		require.Equal(t, "0.00", d.balanceOf(ledger.AccountPrepaid))
		require.Equal(t, "0.00", d.balanceOf(ledger.AccountChargebacks))
		require.GreaterOrEqual(t, d.balanceOf(ledger.AccountProviderFee), "15.00")
		disputes, err := order.Disputes(t.Context(), d.db, d.order.ID)
		require.NoError(t, err)
		require.Equal(t, "accepted", disputes[0].Outcome())
	}
	d.balanced()
}

func TestDisputeWonGoesOn(t *testing.T) {
	d := openOrderFixture(t)
	d.pay()
	d.do("dispute", "dispute won")
	require.Nil(t, d.now().AttentionReason)
	require.Equal(t, "0.00", d.balanceOf(ledger.AccountChargebacks))
	d.do("fulfill", "buy", "start transfer", "confirm")
	require.NotNil(t, d.now().ClosedAt)
	d.do("dispute") // a second one, after delivery
	require.Equal(t, order.AttentionDisputed, *d.now().AttentionReason)
	d.do("dispute lost")
	require.Nil(t, d.now().AttentionReason)
	require.Nil(t, d.now().Resolution)
	require.Equal(t, "0.00", d.balanceOf(ledger.AccountChargebacks), "the customer owes it")
	_, err := d.part(1)
	require.Equal(t, "refund_exceeds", store.ReasonOf(err))
	d.balanced()
}

func TestRefundMadeElsewhereStopsTheOrderUntilAPersonSaysGoOn(t *testing.T) {
	d := openOrderFixture(t)
	d.pay()
	require.NoError(t, d.refundedThere(func(int) int { return 5 }))
	require.Equal(t, order.AttentionRefundedThere, *d.now().AttentionReason)
	d.do("retry")
	require.Equal(t, order.StatusFulfilling, d.now().Status, "a person knows, and goes on")
	d.do("buy")
	require.NoError(t, d.refundedThere(func(int) int { return 10 }))
	require.Equal(t, order.ResolutionRefunded, *d.now().Resolution, "all of it is back")
	require.Equal(t, "0.00", d.balanceOf(ledger.AccountPrepaid))
	d.balanced()
}

// A refusal because all of it was refunded at Stripe, or is with the customer's bank, is no refusal by the card: a
// credit to the balance would pay twice.
func TestMoneyThatHasGoneBackElsewhereIsNotCreditedToTheBalanceToo(t *testing.T) {
	d := openOrderFixture(t)
	for _, code := range []string{"charge_already_refunded", "charge_disputed"} {
		d.pay()
		row, err := d.part(500)
		require.NoError(t, err)
		_, err = order.StartGiveBack(t.Context(), d.db, d.order.ID, row.Sequence)
		require.NoError(t, err)
		require.NoError(t, order.RefundRefused(t.Context(), d.db, d.order.ID, row.Sequence, code))
		_, err = d.decide(order.DecisionRefund, order.RefundWish{To: order.RefundToBalance})
		require.Equal(t, "refund_to_card", store.ReasonOf(err), code)
	}
}

// A refund made at Stripe of an order whose money is back already pays no debt: there is none, and the loss is ours.
func TestARefundElsewhereOfARefundedOrderPaysNoDebt(t *testing.T) {
	d := openOrderFixture(t)
	d.pay()
	d.do("refund", "refund bounces") // the customer has it on their balance
	require.Equal(t, "0.00", d.balanceOf(ledger.AccountPrepaid))
	there := order.CardRefundReading{ID: "re_there", Status: order.RefundSucceeded, Amount: d.order.Total}
	require.NoError(t, order.RecordElsewhere(t.Context(), d.db, d.order.ID, there))
	require.Equal(t, "0.00", d.balanceOf(ledger.AccountPrepaid))
	require.Equal(t, money.USD.Format(d.order.Total), d.balanceOf(ledger.AccountGoodwill))

	there.Status = order.RefundFailed // and that one bounces too
	require.NoError(t, order.RecordElsewhere(t.Context(), d.db, d.order.ID, there))
	require.Equal(t, "-"+money.USD.Format(d.order.Total), d.balanceOf(ledger.CustomerBalance(d.user)), "once is enough")
	require.Equal(t, "0.00", d.balanceOf(ledger.AccountGoodwill))
	require.Equal(t, "0.00", d.balanceOf(ledger.AccountPrepaid))
	d.balanced()
}

// A refund made at Stripe, of an order with an earlier partial refund to the customer's balance, pays what is still
// owed; the excess is our loss, until it is returned.
func TestARefundElsewherePaysTheDebtAlone(t *testing.T) {
	d := openOrderFixture(t)
	d.pay()
	row, err := d.part(2000)
	require.NoError(t, err)
	_, err = order.StartGiveBack(t.Context(), d.db, d.order.ID, row.Sequence)
	require.NoError(t, err)
	require.NoError(t, order.RefundRefused(t.Context(), d.db, d.order.ID, row.Sequence, "lost_or_stolen_card"))
	part := money.FromInt(2000)
	_, err = order.OpenRefund(t.Context(), d.db, order.NewRefund{OrderID: d.order.ID, Amount: &part, To: order.RefundToBalance, ActorID: d.staff, ActorRole: "admin", Reason: "the card is gone"})
	require.NoError(t, err)
	there := order.CardRefundReading{ID: "re_there", Status: order.RefundSucceeded, Amount: d.order.Total}
	require.NoError(t, order.RecordElsewhere(t.Context(), d.db, d.order.ID, there))
	require.Equal(t, "0.00", d.balanceOf(ledger.AccountPrepaid))
	require.Equal(t, "20.00", d.balanceOf(ledger.AccountGoodwill))
	d.balanced()

	there.Status = order.RefundFailed // it is returned
	require.NoError(t, order.RecordElsewhere(t.Context(), d.db, d.order.ID, there))
	require.Equal(t, "0.00", d.balanceOf(ledger.AccountPrepaid))
	require.Equal(t, "0.00", d.balanceOf(ledger.AccountGoodwill))
	require.Equal(t, "-"+money.USD.Format(d.order.Total), d.balanceOf(ledger.CustomerBalance(d.user)), "all of it, on their balance")
	d.balanced()
}

// A late reading is stale: a refund that was seen to succeed does not wait again, and a later state of it is still
// recorded.
func TestARefundThatSucceededDoesNotWaitAgain(t *testing.T) {
	d := openOrderFixture(t)
	d.pay()
	there := func(status string) error {
		return order.RecordElsewhere(t.Context(), d.db, d.order.ID, order.CardRefundReading{ID: "re_late", Status: status, Amount: cents(700)})
	}
	for _, status := range []string{order.RefundPending, order.RefundSucceeded, order.RefundPending, order.RefundSucceeded} {
		require.NoError(t, there(status), status)
	}
	d.exec(`UPDATE orders SET attention_reason = NULL, attention_since = NULL WHERE id = $1`, d.order.ID)
	row, err := d.part(500)
	require.NoError(t, err)
	_, err = order.StartGiveBack(t.Context(), d.db, d.order.ID, row.Sequence)
	require.NoError(t, err)
	for _, status := range []string{order.RefundSucceeded, order.RefundPending} {
		require.NoError(t, order.RecordRefund(t.Context(), d.db, d.order.ID, row.Sequence, "re_ours", status, ""))
	}
	known, err := order.LearnRefund(t.Context(), d.db, d.order.ID, row.Sequence, "re_ours", order.RefundFailed)
	require.NoError(t, err)
	require.True(t, known)
	require.Equal(t, "7.00", money.USD.Format(d.now().Refunded), "its bank sent it back, and that was heard")
	d.balanced()
}

// The bonus is a share of what the customer paid in the end: of what remains when the coin is sent, less its share of
// later refunds, and again with what a bank reinstates.
func TestBonusIsOnThePriceThatRemains(t *testing.T) {
	d := openOrderFixture(t)
	d.take("card")
	d.exec(`UPDATE orders SET bonus_percent = 2 WHERE id = $1`, d.order.ID) // $10.00 of $500.00
	total := must(d.order.Total.Int64())
	bonus := func(gone int64, why string) {
		t.Helper()
		var booked int64
		require.NoError(t, d.db.Pool().QueryRow(t.Context(), `SELECT sum(CASE to_account WHEN 'promotions' THEN amount ELSE -amount END)::bigint FROM postings
			WHERE order_id = $1 AND 'promotions' IN (from_account, to_account)`, d.order.ID).Scan(&booked))
		require.Equal(t, 1000*(total-gone)/total, booked, why)
		require.Equal(t, fmt.Sprint(booked), d.balance().String(), why)
	}
	half := func(int) int { return 5 } // half of what is left
	d.do("authorise", "process")
	require.NoError(t, d.givePart(half, order.RefundSucceeded))
	gone := must(d.now().Refunded.Int64())
	d.do("fulfill", "buy", "start transfer", "broadcast")
	bonus(gone, "a half went back before")
	require.NoError(t, d.givePart(half, order.RefundSucceeded))
	bonus(must(d.now().Refunded.Int64()), "a quarter went back after")
	require.NoError(t, d.bounce())
	require.EqualValues(t, gone, must(d.now().Refunded.Int64()))
	bonus(gone, "the bank sent the quarter back")
	d.balanced()
}

// A refused capture is known not to be captured: no further review follows.
func TestARefusedCaptureIsNotUnknown(t *testing.T) {
	d := openOrderFixture(t)
	d.take("card")
	d.do("authorise")
	for _, end := range []func(ctx context.Context, order, decision string) error{func(ctx context.Context, orderID string, decisionID string) error {
		return order.CaptureUnknown(ctx, d.db, orderID, decisionID)
	},
		func(ctx context.Context, o, decision string) error {
			return order.CaptureRefused(ctx, d.db, o, decision, "card_declined")
		}} {
		decision, err := d.decide(order.DecisionProcess, nil)
		require.NoError(t, err)
		_, err = order.StartCapture(t.Context(), d.db, d.order.ID, decision)
		require.NoError(t, err)
		require.NoError(t, end(t.Context(), d.order.ID, decision))
	}
	require.Nil(t, d.now().AttentionReason)
	d.do("process")
	require.Equal(t, order.StatusPaymentApproved, d.now().Status)
}

// A refund that Stripe never heard of ends once its order has nothing left to refund: it is looked up, and is not sent
// any more. Found after all, it is booked.
func TestUnsentRefundOfEndedOrderEnds(t *testing.T) {
	d := openOrderFixture(t)
	ends := map[string]func() error{
		"refunded at Stripe": func() error {
			there := order.CardRefundReading{ID: "re_there_" + d.order.ID, Status: order.RefundSucceeded, Amount: d.order.Total}
			return order.RecordElsewhere(t.Context(), d.db, d.order.ID, there)
		},
		"lost to the bank": func() error { d.disputeIs(order.DisputeLost, money.Units{}); return nil },
	}
	for name, end := range ends {
		d.pay()
		decision, err := d.decide(order.DecisionRefund, nil)
		require.NoError(t, err)
		job, err := order.StartRefund(t.Context(), d.db, d.order.ID, decision)
		require.NoError(t, err)
		err = order.NeedPerson(t.Context(), d.db, d.order.ID, order.AttentionRefundFailed, decision, "")
		require.NoError(t, err, "Stripe answered 401 for its budget")
		require.NoError(t, order.NotMade(t.Context(), d.db, d.order.ID, job.Refund.Sequence))
		require.Nil(t, d.refunds()[0].DoneAt, "the money is still to go back")
		require.NoError(t, end(), name)
		require.Equal(t, order.ResolutionRefunded, *d.now().Resolution, name)
		job, err = order.StartGiveBack(t.Context(), d.db, d.order.ID, job.Refund.Sequence)
		require.NoError(t, err, name)
		require.True(t, job.Superseded, name)
		for range 2 {
			require.NoError(t, order.NotMade(t.Context(), d.db, d.order.ID, job.Refund.Sequence))
		}
		row := d.refunds()[0]
		require.NotNil(t, row.DoneAt, name)
		require.Equal(t, order.RefundFailed, row.Status)
		require.Equal(t, "superseded", *row.FailureCode)
		require.Nil(t, d.now().AttentionReason, name)
		job, err = order.StartGiveBack(t.Context(), d.db, d.order.ID, job.Refund.Sequence)
		require.NoError(t, err)
		require.True(t, job.Done, name)
		require.Equal(t, "0.00", d.balanceOf(ledger.AccountPrepaid), name)
	}
	d.balanced()

	known, err := order.LearnRefund(t.Context(), d.db, d.order.ID, 1, "re_late", order.RefundSucceeded)
	require.NoError(t, err)
	require.True(t, known)
	require.Equal(t, order.RefundSucceeded, d.refunds()[0].Status, "it was made after all")
	require.Equal(t, money.USD.Format(d.order.Total), d.balanceOf(ledger.AccountGoodwill), "beyond what we owed")
	require.Equal(t, "0.00", d.balanceOf(ledger.AccountPrepaid))
	d.balanced()
}

func (d *orderFixture) refunds() []order.Refund {
	d.Helper()
	rows, err := order.OrderRefunds(d.Context(), d.db, d.order.ID)
	require.NoError(d, err)
	return rows
}

// disputeIs records what the bank says of a dispute of the order's whole price.
func (d *orderFixture) disputeIs(status string, reinstated money.Units) {
	d.Helper()
	_, err := order.RecordDispute(d.Context(), d.db, d.order.ID, order.DisputeReading{ID: "dp_" + d.order.ID,
		Status: status, Reason: "fraudulent", Amount: d.order.Total, Withdrawn: d.order.Total, Reinstated: reinstated,
		Fee: money.FromInt(1500), DueBy: time.Now().Add(time.Hour)})
	require.NoError(d, err)
}

// The bank withdraws the whole price although a part was refunded, and then sends that refund back: the customer has
// their money once.
func TestBouncedRefundFirstSettlesDisputes(t *testing.T) {
	d := openOrderFixture(t)
	d.pay()
	require.NoError(t, d.givePart(func(int) int { return 2 }, order.RefundSucceeded))
	part := d.now().Refunded
	d.disputeIs(order.DisputeLost, money.Units{})
	require.Equal(t, order.ResolutionRefunded, *d.now().Resolution)
	require.Equal(t, money.USD.Format(part), d.balanceOf(ledger.AccountChargebacks), "the bank took more than we owed")
	require.NoError(t, d.bounce())
	require.Equal(t, "0.00", d.balanceOf(ledger.CustomerBalance(d.user)))
	require.Equal(t, "0.00", d.balanceOf(ledger.AccountChargebacks))
	require.Equal(t, "0.00", d.balanceOf(ledger.AccountPrepaid))
	require.Equal(t, d.order.Total, d.now().Refunded)
	d.balanced()

	d.disputeIs(order.DisputeLost, d.order.Total) // and the bank pays it back
	require.Equal(t, "-"+money.USD.Format(d.order.Total), d.balanceOf(ledger.CustomerBalance(d.user)))
	require.Equal(t, "0.00", d.balanceOf(ledger.AccountPrepaid))
	d.balanced()
}

// Funds that a bank reinstates after a lost dispute are the customer's again: an order that ended by it credits them,
// once; another one goes on.
func TestReinstatedFundsAreOwedAgain(t *testing.T) {
	d := openOrderFixture(t)
	for _, status := range []string{order.DisputeLost, order.DisputeWon} {
		d.pay()
		d.disputeIs(order.DisputeLost, money.Units{})
		before := d.balance()
		part := money.FromInt(10_000)
		d.disputeIs(order.DisputeLost, part)
		require.Equal(t, before.Add(part), d.balance(), "a part")
		for range 2 {
			d.disputeIs(status, d.order.Total)
		}
		o := d.now()
		require.Equal(t, order.ResolutionRefunded, *o.Resolution)
		require.Equal(t, before.Add(o.Total), d.balance())
		require.Equal(t, o.Total, o.Refunded)
		for _, account := range []string{ledger.AccountPrepaid, ledger.AccountChargebacks} {
			require.Equal(t, "0.00", d.balanceOf(account), account)
		}
		disputes, err := order.Disputes(t.Context(), d.db, o.ID)
		require.NoError(t, err)
		require.Equal(t, status, disputes[0].Status)
		require.True(t, disputes[0].Settled.IsZero())
		events, err := order.Timeline.Events(t.Context(), d.db, o.ID)
		require.NoError(t, err)
		require.Equal(t, "refunded", events[len(events)-1].Kind, "the customer is told")
	}
	d.balanced()

	d.pay()
	d.do("fulfill", "buy", "start transfer")
	d.disputeIs(order.DisputeLost, money.Units{}) // while custody has the transfer
	require.Equal(t, order.AttentionRefundedThere, *d.now().AttentionReason)
	d.disputeIs(order.DisputeLost, d.order.Total)
	o := d.now()
	require.Nil(t, o.AttentionReason, "it goes on")
	require.True(t, o.Refunded.IsZero())
	d.do("broadcast", "die", "refund")
	require.Equal(t, order.ResolutionRefunded, *d.now().Resolution)
	for _, account := range []string{ledger.AccountPrepaid, ledger.AccountChargebacks} {
		require.Equal(t, "0.00", d.balanceOf(account), account)
	}
	d.balanced()
}

// The tier's bonus is a share of what the customer paid in the end: a lost dispute takes it, reinstated funds bring it
// back.
func TestBonusGoesWithLostDispute(t *testing.T) {
	d := openOrderFixture(t)
	d.take("card")
	d.exec(`UPDATE orders SET bonus_percent = 2 WHERE id = $1`, d.order.ID)
	d.do("authorise", "process", "fulfill", "buy", "start transfer", "broadcast")
	bonus := d.balance()
	require.Equal(t, "1000", bonus.String())
	d.disputeIs(order.DisputeOpen, money.Units{})
	require.Equal(t, bonus, d.balance(), "the bank has not decided")
	d.disputeIs(order.DisputeLost, money.Units{})
	require.True(t, d.balance().IsZero())
	d.disputeIs(order.DisputeLost, d.order.Total)
	require.Equal(t, bonus, d.balance())
	d.balanced()
}

// A card dispute that was lost after the coin was sent is owed by the customer: it reduces their balance, the rest is a
// debt, and they are told. Reinstated funds, and a transfer that dies, return it.
func TestLostDisputeOfSentCoinIsClaimed(t *testing.T) {
	d := openOrderFixture(t)
	d.pay()
	d.do("fulfill", "buy", "start transfer", "confirm")
	_, err := Credit(t.Context(), d.db, d.user, store.NewID(), cents(10_000))
	require.NoError(t, err)
	had := d.balance() // with the tier's bonus
	bonus := had.Sub(cents(10_000))
	have := func() ledger.Holdings {
		t.Helper()
		have, err := ledger.HoldingsOf(t.Context(), d.db, d.user)
		require.NoError(t, err)
		return have
	}
	d.disputeIs(order.DisputeOpen, money.Units{})
	require.Equal(t, had, d.balance(), "the bank has not decided")
	for range 2 {
		d.disputeIs(order.DisputeLost, money.Units{})
	}
	require.True(t, have().Balance.IsZero())
	require.Equal(t, d.order.Total.Sub(had).Add(bonus), have().Receivable)
	require.Equal(t, "0.00", d.balanceOf(ledger.AccountChargebacks))
	var mails int
	require.NoError(t, d.db.Pool().QueryRow(t.Context(), `SELECT count(*) FROM mails m JOIN order_events e ON e.id = m.event_id
		WHERE e.order_id = $1 AND m.kind = 'money_returned'`, d.order.ID).Scan(&mails))
	require.Equal(t, 1, mails, "they are told once")
	d.balanced()

	for range 2 {
		d.disputeIs(order.DisputeLost, d.order.Total)
	}
	require.Equal(t, had, d.balance())
	require.True(t, have().Receivable.IsZero())
	require.Equal(t, "0.00", d.balanceOf(ledger.AccountChargebacks))
	d.balanced()

	d.pay()
	d.do("fulfill", "buy", "start transfer", "broadcast")
	d.disputeIs(order.DisputeLost, money.Units{})
	require.False(t, have().Receivable.IsZero())
	d.do("die")
	require.Equal(t, had, d.balance(), "no coin: the bank's reversal is the refund")
	require.Equal(t, order.ResolutionRefunded, *d.now().Resolution)
	for _, account := range []string{ledger.AccountPrepaid, ledger.AccountChargebacks} {
		require.Equal(t, "0.00", d.balanceOf(account), account)
	}
	d.balanced()
}

// disputeMoves records what the bank says of one of the order's disputes, and what moved of it.
func (d *orderFixture) disputeMoves(name, status string, withdrawn, reinstated money.Units) {
	d.Helper()
	_, err := order.RecordDispute(d.Context(), d.db, d.order.ID, order.DisputeReading{ID: "dp_" + d.order.ID + name,
		Status: status, Reason: "fraudulent", Amount: d.order.Total, Withdrawn: withdrawn, Reinstated: reinstated,
		Fee: money.FromInt(1500), DueBy: time.Now().Add(time.Hour)})
	require.NoError(d, err)
}

// Funds of one dispute are reinstated while the bank keeps those of another, or the rest of its own: the order still
// waits for staff.
func TestOrderWaitsWhileBankKeepsAPart(t *testing.T) {
	d := openOrderFixture(t)
	part, none := money.FromInt(10_000), money.Units{}
	d.pay()
	d.disputeMoves("", order.DisputeLost, part, none)
	d.disputeMoves(" 2", order.DisputeLost, part, none)
	require.Equal(t, order.AttentionRefundedThere, *d.now().AttentionReason)
	d.disputeMoves(" 2", order.DisputeLost, part, part)
	require.Equal(t, order.AttentionRefundedThere, store.Text(d.now().AttentionReason), "the other is still lost")
	require.Equal(t, part.String(), d.now().Refunded.String())
	d.disputeMoves("", order.DisputeLost, part, money.FromInt(4_000))
	require.Equal(t, order.AttentionRefundedThere, store.Text(d.now().AttentionReason), "a part is still lost")
	d.disputeMoves("", order.DisputeLost, part, part)
	require.Nil(t, d.now().AttentionReason)
	require.True(t, d.now().Refunded.IsZero())
	d.do("fulfill", "buy", "start transfer", "confirm")
	d.balanced()
}

// What a bank withdraws after it decided counts as what it withdrew before: the debt of an order without coin is
// settled, and its rewards and bonus are lost.
func TestWithdrawalAfterDecisionSettles(t *testing.T) {
	d := openOrderFixture(t)
	for _, status := range []string{order.DisputeLost, order.DisputeWon} {
		d.pay()
		total, none := d.order.Total, money.Units{}
		twice := total.Add(total)
		d.do("fulfill", "buy", "start transfer") // no coin may be promised while custody has it
		d.disputeMoves("", order.DisputeOpen, total, none)
		d.disputeMoves("", status, total, total)
		require.Nil(t, d.now().AttentionReason)
		d.disputeMoves("", status, twice, total)
		require.Equal(t, order.AttentionRefundedThere, store.Text(d.now().AttentionReason), status)
		require.Equal(t, total.String(), d.now().Refunded.String(), status)
		d.disputeMoves("", status, twice, twice)
		require.Nil(t, d.now().AttentionReason, status)
		d.disputeMoves("", status, twice.Add(total), twice)
		d.do("broadcast", "die")
		require.Equal(t, order.ResolutionRefunded, *d.now().Resolution, status)
		for _, account := range []string{ledger.AccountPrepaid, ledger.AccountChargebacks} {
			require.Equal(t, "0.00", d.balanceOf(account), account)
		}
	}
	d.pay()
	d.disputeMoves("", order.DisputeLost, money.Units{}, money.Units{}) // the money moves a moment later
	require.Nil(t, d.now().Resolution)
	d.disputeMoves("", order.DisputeLost, d.order.Total, money.Units{})
	require.Equal(t, order.ResolutionRefunded, *d.now().Resolution)
	d.balanced()
}

// Of sent coin the customer owes what the bank keeps, however often it changes its mind, and whatever it calls that.
func TestClaimFollowsTheMoney(t *testing.T) {
	d := openOrderFixture(t)
	d.take("card")
	d.exec(`UPDATE orders SET bonus_percent = 2 WHERE id = $1`, d.order.ID)
	d.do("authorise", "process", "fulfill", "buy", "start transfer", "confirm")
	bonus := d.balance()
	require.Equal(t, "1000", bonus.String())
	total, none, part := d.order.Total, money.Units{}, money.FromInt(10_000)
	twice := total.Add(total)
	keeps := func(when string, kept money.Units) {
		t.Helper()
		have, err := ledger.HoldingsOf(t.Context(), d.db, d.user)
		require.NoError(t, err)
		var earned string
		require.NoError(t, d.db.Pool().QueryRow(t.Context(), `
			SELECT coalesce(sum(CASE to_account WHEN $2 THEN amount ELSE -amount END), 0)::text FROM postings
			 WHERE order_id = $1 AND event IN ('bonus_credited', 'bonus_taken_back')
			   AND $2 IN (from_account, to_account)`,
			d.order.ID, ledger.AccountPromotions).Scan(&earned))
		left, _ := strconv.ParseInt(earned, 10, 64)
		require.Equal(t, money.FromInt(left).Sub(kept).String(), have.Balance.Sub(have.Receivable).String(), when)
		o := d.now()
		require.Equal(t, order.Bonus(o, kept).String(), money.FromInt(left).String(), when)
		require.Equal(t, "0.00", d.balanceOf(ledger.AccountChargebacks), when)
		words, err := order.AfterSent(t.Context(), d.db, *o)
		require.NoError(t, err)
		require.Equal(t, kept.Sign() > 0, words[o.ID] == "disputed", when)
		d.balanced()
	}
	d.disputeMoves("", order.DisputeLost, total, none)
	keeps("lost", total)
	d.disputeMoves("", order.DisputeLost, total, total)
	keeps("reinstated", none)
	d.disputeMoves("", order.DisputeLost, twice, total)
	keeps("withdrawn again", total)
	d.disputeMoves("", order.DisputeWon, twice, total.Add(part))
	keeps("won, of which a part has come", total.Sub(part))
	d.disputeMoves("", order.DisputeWon, twice, twice)
	keeps("all of it", none)
	d.disputeMoves("", order.DisputeWon, twice.Add(part), twice)
	keeps("withdrawn after it was won", part)

	d.disputeMoves(" 2", order.DisputeOpen, part, none)
	d.exec(`UPDATE disputes SET withdrawn = 10000, closed_at = clock_now(), status = 'won'
		WHERE order_id = $1 AND sequence = 2`, d.order.ID)
	d.disputeMoves("", order.DisputeWon, twice.Add(part), twice.Add(part))
	require.Equal(t, bonus, d.balance(), "what was won and has not come yet is not claimed")
}

// No bank reinstates anything as a transfer dies: the customer gets no mail about that.
func TestDeadTransferIsNoReinstatement(t *testing.T) {
	d := openOrderFixture(t)
	mails := func() (n int) {
		t.Helper()
		require.NoError(t, d.db.Pool().QueryRow(t.Context(), `
			SELECT count(*) FROM mails m JOIN order_events e ON e.id = m.event_id
			 WHERE e.order_id = $1 AND m.kind = 'return_reinstated'`, d.order.ID).Scan(&n))
		return n
	}
	d.pay()
	d.do("fulfill", "buy", "start transfer", "broadcast")
	d.disputeMoves("", order.DisputeLost, d.order.Total, money.Units{})
	d.do("die")
	require.Zero(t, mails())
	d.pay()
	d.do("fulfill", "buy", "start transfer", "broadcast")
	d.disputeMoves("", order.DisputeLost, d.order.Total, money.Units{})
	d.disputeMoves("", order.DisputeLost, d.order.Total, d.order.Total)
	require.Equal(t, 1, mails())
	d.balanced()
}
