package models_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models"
	"github.com/tradepost/tradepost/models/money"
)

// pay takes an order by card and captures it.
func (d *desk) pay() {
	d.Helper()
	d.take("card")
	require.NoError(d, d.db.ApplyReading(d.Context(), d.order.ID, d.reading(false), time.Now()))
	decision, err := d.decide(models.DecisionProcess, nil)
	require.NoError(d, err)
	_, err = d.db.StartCapture(d.Context(), d.order.ID, decision)
	require.NoError(d, err)
	require.NoError(d, d.db.Captured(d.Context(), d.order.ID, decision, d.reading(true)))
}

// do does the steps by name; each must work.
func (d *desk) do(steps ...string) {
	d.Helper()
	for _, step := range steps {
		require.NoError(d, d.actions(func(n int) int { return n - 1 })[step](), step)
	}
}

// part opens a refund of some cents.
func (d *desk) part(cents int64) (*models.Refund, error) {
	amount := money.FromInt(cents)
	return d.db.OpenRefund(d.Context(), models.NewRefund{OrderID: d.order.ID, Amount: &amount, ActorID: d.staff, ActorRole: "admin", Reason: "a gesture"})
}

// givePart gives back a share of what is left, as the refund's workflow does.
func (d *desk) givePart(draw func(n int) int, status string) error {
	ctx, o := d.Context(), d.now()
	left, err := d.db.Refundable(ctx, o)
	if err != nil {
		return err
	}
	cents, _ := left.Int64()
	row, err := d.part(max(cents*int64(draw(10))/10, 1))
	if err != nil {
		return err
	}
	if _, err := d.db.StartGiveBack(ctx, o.ID, row.Sequence); err != nil {
		return err
	}
	return d.db.RecordRefund(ctx, o.ID, row.Sequence, fmt.Sprintf("re_%s_%d", o.ID, row.Sequence), status, "")
}

// bounce has the card's bank send the last refund back.
func (d *desk) bounce() error {
	rows, err := d.db.OrderRefunds(d.Context(), d.order.ID)
	if err != nil || len(rows) == 0 || rows[len(rows)-1].ProviderID == nil || rows[len(rows)-1].Status != models.RefundSucceeded {
		return err
	}
	last := rows[len(rows)-1]
	if last.Origin == "provider" {
		return d.db.RecordElsewhere(d.Context(), d.order.ID, models.CardRefundReading{ID: *last.ProviderID, Status: models.RefundFailed, Amount: last.Amount})
	}
	_, err = d.db.LearnRefund(d.Context(), d.order.ID, last.Sequence, *last.ProviderID, models.RefundFailed)
	return err
}

// refundedThere is a refund that somebody makes at the processor itself.
func (d *desk) refundedThere(draw func(n int) int) error {
	left, err := d.db.Refundable(d.Context(), d.now())
	if err != nil || left.IsZero() {
		return err
	}
	cents, _ := left.Int64()
	return d.db.RecordElsewhere(d.Context(), d.order.ID, models.CardRefundReading{ID: "re_there_" + models.NewID(), Status: models.RefundSucceeded,
		Amount: money.FromInt(max(cents*int64(draw(11))/10, 1))})
}

// dispute opens a dispute of what is left, or ends the open one.
func (d *desk) dispute(status string) error {
	ctx, o := d.Context(), d.now()
	disputes, err := d.db.Disputes(ctx, o.ID)
	if err != nil {
		return err
	}
	r := models.DisputeReading{ID: "dp_" + models.NewID(), Status: status, Reason: "fraudulent", Fee: money.FromInt(1500), DueBy: time.Now().Add(time.Hour)}
	if n := len(disputes); n > 0 && disputes[n-1].ClosedAt == nil {
		open := disputes[n-1]
		r.ID, r.Amount, r.Withdrawn = open.ProviderID, open.Amount, open.Withdrawn
	} else {
		if r.Amount, err = d.db.Refundable(ctx, o); err != nil || r.Amount.IsZero() {
			return err
		}
		r.Withdrawn = r.Amount
	}
	if status == models.DisputeWon {
		r.Reinstated = r.Withdrawn
	}
	_, err = d.db.RecordDispute(ctx, o.ID, r)
	return err
}

// balanceOf is what an account moved for this order.
func (d *desk) balanceOf(account string) string {
	d.Helper()
	record, err := d.db.OrderRecord(d.Context(), d.order.ID)
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

// What goes back never exceeds what came in, whoever asks at the same moment.
func TestBar18TwoAdminsRefundAtOnceAndNeverMoreThanWasReceived(t *testing.T) {
	d := openDesk(t)
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
		require.Equal(t, "refund_open", models.ReasonOf(err))
	}
	require.Equal(t, 1, accepted)
	_, err := d.decide(models.DecisionRefund, nil)
	require.NoError(t, err, "the decision is taken")
	rows, err := d.db.OrderRefunds(t.Context(), d.order.ID)
	require.NoError(t, err)
	require.Len(t, rows, 1)
}

func TestPartOfTheMoneyGoesBackAndTheOrderGoesOn(t *testing.T) {
	d := openDesk(t)
	d.pay()
	total, _ := d.order.Total.Int64()
	_, err := d.part(total)
	require.ErrorIs(t, err, models.ErrWhole, "all of it is the order's own refund")
	_, err = d.part(total + 1)
	require.Equal(t, "refund_exceeds", models.ReasonOf(err))
	_, err = d.part(0)
	require.Equal(t, models.CodeInvalid, models.CodeOf(err))
	d.do("refund part", "fulfill", "buy", "start transfer", "broadcast")
	o := d.now()
	require.Equal(t, models.StatusSent, o.Status)
	require.Equal(t, "0.00", d.balanceOf(models.AccountPrepaid))
	require.Equal(t, money.USD.Format(o.Refunded), d.balanceOf(models.AccountGoodwill), "coin for money that went back is on us")

	given := o.Refunded
	d.do("refund part") // after it was sent
	d.do("die")         // and the transfer never confirms
	o = d.now()
	require.Equal(t, models.StatusFailed, o.Status)
	require.Equal(t, 1, o.Refunded.Cmp(given))
	require.Equal(t, "0.00", d.balanceOf(models.AccountGoodwill))
	require.Equal(t, money.USD.Format(o.Refunded.Sub(o.Total)), d.balanceOf(models.AccountPrepaid), "we owe the rest again")
	d.do("refund")
	o = d.now()
	require.Equal(t, models.ResolutionRefunded, *o.Resolution)
	require.Equal(t, o.Total, o.Refunded)
	require.Equal(t, "0.00", d.balanceOf(models.AccountPrepaid))
	require.Equal(t, "0.00", d.balanceOf(models.AccountStripe))
	d.balanced()
}

func TestRefundThatTheBankSendsBackGoesToTheBalance(t *testing.T) {
	d := openDesk(t)
	d.pay()
	d.do("refund", "refund bounces")
	o := d.now()
	require.Equal(t, models.ResolutionRefunded, *o.Resolution)
	require.Equal(t, money.USD.Format(o.Total), d.balanceOf(models.AccountStripe), "the card's money is here again")
	require.Equal(t, "-"+money.USD.Format(o.Total), d.balanceOf(models.CustomerBalance(o.UserID)), "and the customer has it")
	d.balanced()
}

func TestDisputeStopsFulfilmentRightBeforeEachStepThatMovesMoney(t *testing.T) {
	d := openDesk(t)
	for _, sofar := range [][]string{{}, {"fulfill"}, {"fulfill", "buy"}} {
		d.pay()
		d.do(sofar...)
		d.exec(`UPDATE orders SET attention_reason = NULL, attention_since = NULL WHERE id = $1`, d.order.ID)
		d.do("dispute")
		stopped := d.now()
		require.Equal(t, models.AttentionDisputed, *stopped.AttentionReason)
		require.Equal(t, []string{models.DecisionContest, models.DecisionAccept}, []string(stopped.AttentionChoices)[:2])
		_ = d.actions(func(n int) int { return n - 1 })["fulfill"]()
		d.do("buy", "start transfer")
		after := d.now()
		require.Equal(t, stopped.Status, after.Status)
		require.Equal(t, models.AttentionDisputed, *after.AttentionReason)
		_, err := d.part(1)
		require.Equal(t, "disputed", models.ReasonOf(err))
		d.do("accept dispute")
		require.NotContains(t, []string(d.now().AttentionChoices), models.DecisionContest)
		d.do("dispute lost")
		ended := d.now()
		require.Equal(t, models.ResolutionRefunded, *ended.Resolution)
		require.Equal(t, "0.00", d.balanceOf(models.AccountPrepaid))
		require.Equal(t, "0.00", d.balanceOf(models.AccountChargebacks))
		require.GreaterOrEqual(t, d.balanceOf(models.AccountProviderFee), "15.00")
		disputes, err := d.db.Disputes(t.Context(), d.order.ID)
		require.NoError(t, err)
		require.Equal(t, "accepted", disputes[0].Outcome())
	}
	d.balanced()
}

func TestDisputeWonGoesOn(t *testing.T) {
	d := openDesk(t)
	d.pay()
	d.do("dispute", "dispute won")
	require.Nil(t, d.now().AttentionReason)
	require.Equal(t, "0.00", d.balanceOf(models.AccountChargebacks))
	d.do("fulfill", "buy", "start transfer", "confirm")
	require.NotNil(t, d.now().ClosedAt)
	d.do("dispute") // a second one, after delivery
	require.Equal(t, models.AttentionDisputed, *d.now().AttentionReason)
	d.do("dispute lost")
	require.Nil(t, d.now().AttentionReason)
	require.Nil(t, d.now().Resolution)
	require.Equal(t, money.USD.Format(d.order.Total), d.balanceOf(models.AccountChargebacks), "the loss is ours")
	_, err := d.part(1)
	require.Equal(t, "refund_exceeds", models.ReasonOf(err))
	d.balanced()
}

func TestRefundMadeElsewhereStopsTheOrderUntilAPersonSaysGoOn(t *testing.T) {
	d := openDesk(t)
	d.pay()
	require.NoError(t, d.refundedThere(func(int) int { return 5 }))
	require.Equal(t, models.AttentionRefundedThere, *d.now().AttentionReason)
	d.do("retry")
	require.Equal(t, models.StatusFulfilling, d.now().Status, "a person knows, and goes on")
	d.do("buy")
	require.NoError(t, d.refundedThere(func(int) int { return 10 }))
	require.Equal(t, models.ResolutionRefunded, *d.now().Resolution, "all of it is back")
	require.Equal(t, "0.00", d.balanceOf(models.AccountPrepaid))
	d.balanced()
}

// That all of it went back at Stripe, or is with the customer's bank, is no
// refusal of the card: the balance would be the second time.
func TestMoneyThatHasGoneBackElsewhereIsNotCreditedToTheBalanceToo(t *testing.T) {
	d := openDesk(t)
	for _, code := range []string{"charge_already_refunded", "charge_disputed"} {
		d.pay()
		row, err := d.part(500)
		require.NoError(t, err)
		_, err = d.db.StartGiveBack(t.Context(), d.order.ID, row.Sequence)
		require.NoError(t, err)
		require.NoError(t, d.db.RefundRefused(t.Context(), d.order.ID, row.Sequence, code))
		_, err = d.decide(models.DecisionRefund, models.RefundWish{To: models.RefundToBalance})
		require.Equal(t, "refund_to_card", models.ReasonOf(err), code)
	}
}

// A refund that somebody makes at Stripe of an order whose money is back already
// pays no debt: there is none, and the loss is ours.
func TestARefundElsewhereOfARefundedOrderPaysNoDebt(t *testing.T) {
	d := openDesk(t)
	d.pay()
	d.do("refund", "refund bounces") // the customer has it on their balance
	require.Equal(t, "0.00", d.balanceOf(models.AccountPrepaid))
	there := models.CardRefundReading{ID: "re_there", Status: models.RefundSucceeded, Amount: d.order.Total}
	require.NoError(t, d.db.RecordElsewhere(t.Context(), d.order.ID, there))
	require.Equal(t, "0.00", d.balanceOf(models.AccountPrepaid))
	require.Equal(t, money.USD.Format(d.order.Total), d.balanceOf(models.AccountGoodwill))

	there.Status = models.RefundFailed // and that one bounces too
	require.NoError(t, d.db.RecordElsewhere(t.Context(), d.order.ID, there))
	require.Equal(t, "-"+money.USD.Format(d.order.Total), d.balanceOf(models.CustomerBalance(d.user)), "once is enough")
	require.Equal(t, "0.00", d.balanceOf(models.AccountGoodwill))
	require.Equal(t, "0.00", d.balanceOf(models.AccountPrepaid))
	d.balanced()
}

// A refund that somebody makes at Stripe, of an order of whose money a part is back
// on the customer's balance, pays what is still owed; what it gives beyond that is
// our loss, for as long as it has not come back.
func TestARefundElsewherePaysTheDebtAlone(t *testing.T) {
	d := openDesk(t)
	d.pay()
	row, err := d.part(2000)
	require.NoError(t, err)
	_, err = d.db.StartGiveBack(t.Context(), d.order.ID, row.Sequence)
	require.NoError(t, err)
	require.NoError(t, d.db.RefundRefused(t.Context(), d.order.ID, row.Sequence, "lost_or_stolen_card"))
	part := money.FromInt(2000)
	_, err = d.db.OpenRefund(t.Context(), models.NewRefund{OrderID: d.order.ID, Amount: &part, To: models.RefundToBalance, ActorID: d.staff, ActorRole: "admin", Reason: "the card is gone"})
	require.NoError(t, err)
	there := models.CardRefundReading{ID: "re_there", Status: models.RefundSucceeded, Amount: d.order.Total}
	require.NoError(t, d.db.RecordElsewhere(t.Context(), d.order.ID, there))
	require.Equal(t, "0.00", d.balanceOf(models.AccountPrepaid))
	require.Equal(t, "20.00", d.balanceOf(models.AccountGoodwill))
	d.balanced()

	there.Status = models.RefundFailed // it comes back
	require.NoError(t, d.db.RecordElsewhere(t.Context(), d.order.ID, there))
	require.Equal(t, "0.00", d.balanceOf(models.AccountPrepaid))
	require.Equal(t, "0.00", d.balanceOf(models.AccountGoodwill))
	require.Equal(t, "-"+money.USD.Format(d.order.Total), d.balanceOf(models.CustomerBalance(d.user)), "all of it, on their balance")
	d.balanced()
}

// What is read late is old: a refund that was seen to succeed does not wait again,
// and what comes after it is still heard.
func TestARefundThatSucceededDoesNotWaitAgain(t *testing.T) {
	d := openDesk(t)
	d.pay()
	there := func(status string) error {
		return d.db.RecordElsewhere(t.Context(), d.order.ID, models.CardRefundReading{ID: "re_late", Status: status, Amount: cents(700)})
	}
	for _, status := range []string{models.RefundPending, models.RefundSucceeded, models.RefundPending, models.RefundSucceeded} {
		require.NoError(t, there(status), status)
	}
	d.exec(`UPDATE orders SET attention_reason = NULL, attention_since = NULL WHERE id = $1`, d.order.ID)
	row, err := d.part(500)
	require.NoError(t, err)
	_, err = d.db.StartGiveBack(t.Context(), d.order.ID, row.Sequence)
	require.NoError(t, err)
	for _, status := range []string{models.RefundSucceeded, models.RefundPending} {
		require.NoError(t, d.db.RecordRefund(t.Context(), d.order.ID, row.Sequence, "re_ours", status, ""))
	}
	known, err := d.db.LearnRefund(t.Context(), d.order.ID, row.Sequence, "re_ours", models.RefundFailed)
	require.NoError(t, err)
	require.True(t, known)
	require.Equal(t, "7.00", money.USD.Format(d.now().Refunded), "its bank sent it back, and that was heard")
	d.balanced()
}

// The bonus is a share of what the customer really paid: of what remains when the
// coin is sent, less its share of what goes back afterwards, and again with what a
// bank sends back.
func TestBonusIsOnThePriceThatRemains(t *testing.T) {
	d := openDesk(t)
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
	require.NoError(t, d.givePart(half, models.RefundSucceeded))
	gone := must(d.now().Refunded.Int64())
	d.do("fulfill", "buy", "start transfer", "broadcast")
	bonus(gone, "a half went back before")
	require.NoError(t, d.givePart(half, models.RefundSucceeded))
	bonus(must(d.now().Refunded.Int64()), "a quarter went back after")
	require.NoError(t, d.bounce())
	require.EqualValues(t, gone, must(d.now().Refunded.Int64()))
	bonus(gone, "the bank sent the quarter back")
	d.balanced()
}

// Whether a card was captured is known once the capture is refused: nobody is asked about
// it any more.
func TestARefusedCaptureIsNotUnknown(t *testing.T) {
	d := openDesk(t)
	d.take("card")
	d.do("authorise")
	for _, end := range []func(ctx context.Context, order, decision string) error{d.db.CaptureUnknown,
		func(ctx context.Context, order, decision string) error {
			return d.db.CaptureRefused(ctx, order, decision, "card_declined")
		}} {
		decision, err := d.decide(models.DecisionProcess, nil)
		require.NoError(t, err)
		_, err = d.db.StartCapture(t.Context(), d.order.ID, decision)
		require.NoError(t, err)
		require.NoError(t, end(t.Context(), d.order.ID, decision))
	}
	require.Nil(t, d.now().AttentionReason)
	d.do("process")
	require.Equal(t, models.StatusPaymentApproved, d.now().Status)
}
