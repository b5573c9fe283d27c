package worker

import (
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/internal/provider/stripe"
	"github.com/tradepost/tradepost/models"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/workflows"
)

// givePart opens a refund of some cents and has its workflow carry it.
func (h *house) givePart(id string, cents int64) *models.Refund {
	h.Helper()
	amount := money.FromInt(cents)
	row, err := h.db.OpenRefund(h.Context(), models.NewRefund{OrderID: id, Amount: &amount, ActorID: h.staff, ActorRole: "admin", Reason: "a gesture"})
	require.NoError(h, err)
	done, err := h.client.CarryRefund(h.Context(), id, row.Sequence, 40*time.Second)
	require.NoError(h, err)
	require.True(h, done)
	return h.refund(id, row.Sequence)
}

func (h *house) refund(id string, sequence int) *models.Refund {
	h.Helper()
	rows, err := h.db.OrderRefunds(h.Context(), id)
	require.NoError(h, err)
	require.GreaterOrEqual(h, len(rows), sequence)
	return &rows[sequence-1]
}

// sent is an order whose coin arrived.
func (h *house) sent() *models.Order {
	h.Helper()
	order := h.paid()
	h.must(order.ID, workflows.Fulfill, nil)
	return h.closed(order.ID)
}

// charge is the order's charge at Stripe.
func (h *house) charge(id string) string {
	h.Helper()
	p, err := h.db.PaymentOf(h.Context(), id)
	require.NoError(h, err)
	return h.stripeCharge(*p.StripePaymentIntentID)
}

func (h *house) moved(id, account string) string {
	h.Helper()
	var cents money.Units
	require.NoError(h, h.db.Pool().QueryRow(h.Context(), `SELECT coalesce(sum(CASE WHEN to_account = $2 THEN amount ELSE -amount END), 0)::text
		FROM postings WHERE order_id = $1 AND currency = 'USD' AND $2 IN (from_account, to_account)`, id, account).Scan(&cents))
	return money.USD.Format(cents)
}

func TestPartialRefundGoesBackOnceWhateverStripeAnswers(t *testing.T) {
	for _, fault := range []string{"", "drop_after", "drop_before", "http:500_after", "429"} {
		t.Run("fault "+fault, func(t *testing.T) {
			h := open(t)
			order := h.paid()
			if fault != "" {
				h.arm("stripe", "refund", fault)
			}
			row := h.givePart(order.ID, 1234)
			require.Equal(t, models.RefundSucceeded, row.Status)
			require.Equal(t, 1, h.effects()["stripe/refund"])
			require.Contains(t, h.kinds(order.ID), "refunded_in_part")
			o := h.status(order.ID, models.StatusPaymentApproved)
			require.Equal(t, "12.34", money.USD.Format(o.Refunded))
			h.must(order.ID, workflows.Fulfill, nil)
			require.Equal(t, models.StatusSent, h.closed(order.ID).Status)
			require.Equal(t, "12.34", h.moved(order.ID, models.AccountGoodwill))
			require.Equal(t, "0.00", h.moved(order.ID, models.AccountPrepaid))
			h.books()
		})
	}
}

func TestRefundAfterSentIsGoodwillAndTheSweepStartsWhatNobodyDid(t *testing.T) {
	h := open(t)
	order := h.sent()
	amount := money.FromInt(5000)
	_, err := h.db.OpenRefund(t.Context(), models.NewRefund{OrderID: order.ID, Amount: &amount, ActorID: h.staff, ActorRole: "admin", Reason: "a gesture"})
	require.NoError(t, err)
	h.sweep() // the API died before it started the workflow
	h.until("the refund to be there", func() bool { return h.refund(order.ID, 1).Status == models.RefundSucceeded })
	require.Equal(t, "50.00", h.moved(order.ID, models.AccountGoodwill))

	rest, err := h.db.OpenRefund(t.Context(), models.NewRefund{OrderID: order.ID, ActorID: h.staff, ActorRole: "admin", Reason: "all of it"})
	require.NoError(t, err)
	_, err = h.client.CarryRefund(t.Context(), order.ID, rest.Sequence, 40*time.Second)
	require.NoError(t, err)
	o, err := h.db.Order(t.Context(), order.ID)
	require.NoError(t, err)
	require.Equal(t, models.StatusSent, o.Status, "the coin stays with the customer")
	require.Equal(t, o.Total, o.Refunded)
	_, err = h.db.OpenRefund(t.Context(), models.NewRefund{OrderID: order.ID, Amount: &amount, ActorID: h.staff, ActorRole: "admin", Reason: "more"})
	require.Equal(t, "refund_exceeds", models.ReasonOf(err))
	require.Equal(t, 2, h.effects()["stripe/refund"])
	h.books()
	h.record(workflows.RefundID(activities.PartRef{OrderID: order.ID, Sequence: 2}), "refund-after-sent")
}

func TestRefundThatTheBankRefusesGoesToTheBalance(t *testing.T) {
	h := open(t)
	order := h.sent()
	_, err := h.db.OpenRefund(t.Context(), models.NewRefund{OrderID: order.ID, To: models.RefundToBalance, ActorID: h.staff, ActorRole: "admin", Reason: "easier"})
	require.Equal(t, "refund_to_card", models.ReasonOf(err))
	h.arm("stripe", "refund", "refund_failed")
	row := h.givePart(order.ID, 5000)
	require.Equal(t, models.RefundFailed, row.Status)
	h.record(workflows.RefundID(activities.PartRef{OrderID: order.ID, Sequence: 1}), "refund-refused")
	o := h.attention(order.ID, models.AttentionRefundFailed)
	require.NotNil(t, o.ClosedAt)
	amount := money.FromInt(5000)
	_, err = h.db.OpenRefund(t.Context(), models.NewRefund{OrderID: order.ID, Amount: &amount, To: models.RefundToBalance, ActorID: h.staff, ActorRole: "admin", Reason: "the card is closed"})
	require.NoError(t, err)
	o, err = h.db.Order(t.Context(), order.ID)
	require.NoError(t, err)
	require.Nil(t, o.AttentionReason)
	require.Equal(t, "0.00", money.USD.Format(o.Refunded.Sub(amount)))
	h.books()
}

// Somebody refunds at Stripe itself, by half, then all of it: with the notice,
// or found by the poll when no notice comes.
func TestBar29RefundMadeAtStripeItselfIsFound(t *testing.T) {
	for name, hooks := range map[string]bool{"noticed": true, "polled": false} {
		t.Run(name, func(t *testing.T) {
			h := open(t)
			order := h.paid()
			h.hooks = hooks
			charge := h.charge(order.ID)
			h.control("/control/stripe/refund", map[string]string{"charge": charge, "amount": "1000"})
			h.until("it to be booked", func() bool {
				h.look()
				o, err := h.db.Order(t.Context(), order.ID)
				return err == nil && o.Refunded.String() == "1000"
			})
			h.attention(order.ID, models.AttentionRefundedThere)
			h.control("/control/stripe/refund", map[string]string{"charge": charge})
			h.until("the order to end", func() bool {
				h.look()
				o, err := h.db.Order(t.Context(), order.ID)
				return err == nil && o.ClosedAt != nil
			})
			require.Equal(t, models.ResolutionRefunded, *h.closed(order.ID).Resolution)
			require.Equal(t, "0.00", h.moved(order.ID, models.AccountStripe))
			require.Equal(t, 2, count(h.kinds(order.ID), "refunded_at_provider"))
			h.books()
		})
	}
}

// A refund of ours that was made after the backup which this database came from has
// no row here. It is found, and counts: what is left is what can still go back, and
// the next one is another.
func TestBar34ARefundThatABackupDoesNotKnowIsFound(t *testing.T) {
	for name, hooks := range map[string]bool{"noticed": true, "polled": false} {
		t.Run(name, func(t *testing.T) {
			h := open(t)
			order := h.paid()
			h.hooks = hooks
			h.byHand("/v1/refunds", url.Values{"payment_intent": {h.payment(order.ID)}, "amount": {"1000"},
				"metadata[order_id]": {order.ID}, "metadata[refund_seq]": {"1"}})
			h.until("it to be booked", func() bool {
				h.look()
				o, err := h.db.Order(t.Context(), order.ID)
				return err == nil && o.Refunded.String() == "1000"
			})
			h.attention(order.ID, models.AttentionRefundedThere)
			_, err := h.db.OpenRefund(t.Context(), models.NewRefund{OrderID: order.ID, Amount: &order.Total, ActorID: h.staff, ActorRole: "admin", Reason: "all of it"})
			require.Equal(t, "refund_exceeds", models.ReasonOf(err))
			h.must(order.ID, workflows.Refund, nil)
			require.Equal(t, models.ResolutionRefunded, *h.closed(order.ID).Resolution)
			require.Equal(t, 2, h.effects()["stripe/refund"])
			require.Equal(t, "0.00", h.moved(order.ID, models.AccountStripe))
			h.books()
		})
	}
}

// look lets the poll look where no notice comes.
func (h *house) look() {
	if !h.hooks {
		h.sweep()
	}
}

func count(kinds []string, kind string) (n int) {
	for _, k := range kinds {
		if k == kind {
			n++
		}
	}
	return n
}

// dispute opens a dispute at the card's bank.
func (h *house) dispute(id string) *models.Dispute {
	h.Helper()
	h.control("/control/stripe/dispute", map[string]string{"charge": h.charge(id), "reason": "fraudulent"})
	return h.disputed(id, "open", func(d *models.Dispute) bool { return d.Status == models.DisputeOpen })
}

func (h *house) disputed(id, what string, is func(d *models.Dispute) bool) *models.Dispute {
	h.Helper()
	var found *models.Dispute
	h.until("a dispute that is "+what, func() bool {
		rows, err := h.db.Disputes(h.Context(), id)
		if err != nil || len(rows) == 0 || !is(&rows[len(rows)-1]) {
			return false
		}
		found = &rows[len(rows)-1]
		return true
	})
	return found
}

func (h *house) answer(id, kind string) {
	h.Helper()
	d, err := h.db.OpenAnswer(h.Context(), models.NewAnswer{OrderID: id, Kind: kind, ActorID: h.staff, ActorRole: "admin", Reason: "as the file shows"})
	require.NoError(h, err)
	require.NoError(h, h.client.AnswerDispute(h.Context(), id, d.Sequence))
}

func (h *house) decideDispute(d *models.Dispute, outcome string) {
	h.Helper()
	h.control("/control/stripe/dispute/decide", map[string]string{"dispute": d.ProviderID, "outcome": outcome})
}

func TestDisputeSixtyDaysAfterSentIsContestedAndWon(t *testing.T) {
	h := open(t)
	order := h.sent()
	h.advance(60 * 24 * time.Hour)
	d := h.dispute(order.ID)
	h.attention(order.ID, models.AttentionDisputed)
	require.Equal(t, "-15.00", h.moved(order.ID, models.AccountStripe), "the amount and the fee are gone")
	require.Equal(t, money.USD.Format(order.Total), h.moved(order.ID, models.AccountChargebacks))
	h.arm("stripe", "update_dispute", "drop_after")
	h.answer(order.ID, models.DecisionContest)
	h.disputed(order.ID, "under review", func(d *models.Dispute) bool { return d.Status == models.DisputeUnderReview })
	require.Equal(t, 1, h.effects()["stripe/contest"])
	h.until("nobody to be needed", func() bool {
		o, err := h.db.Order(t.Context(), order.ID)
		return err == nil && o.AttentionReason == nil
	})
	_, err := h.db.OpenAnswer(t.Context(), models.NewAnswer{OrderID: order.ID, Kind: models.DecisionAccept, ActorID: h.staff, Reason: "or not"})
	require.Equal(t, "dispute_answered", models.ReasonOf(err))
	h.decideDispute(d, "won")
	h.disputed(order.ID, "won", func(d *models.Dispute) bool { return d.Status == models.DisputeWon && d.ClosedAt != nil })
	require.Equal(t, "0.00", h.moved(order.ID, models.AccountChargebacks))
	require.Equal(t, "15.00", money.USD.Format(d.Fee))
	h.books()
	h.record(workflows.DisputeID(activities.PartRef{OrderID: order.ID, Sequence: 1}), "dispute-contested")
	h.record(workflows.PaymentID(order.ID), "payment-disputed")
}

func TestDisputeBeforeFulfilmentHoldsTheOrderUpUntilItIsWon(t *testing.T) {
	h := open(t)
	order := h.paid()
	d := h.dispute(order.ID)
	h.attention(order.ID, models.AttentionDisputed)
	_, err := h.db.OpenDecision(t.Context(), models.NewDecision{OrderID: order.ID, Kind: workflows.Fulfill, ActorID: h.staff, ActorRole: "admin"})
	require.Equal(t, "order_state", models.ReasonOf(err))
	h.decideDispute(d, "won")
	h.reaches(order.ID, "free again", func(o *models.Order, _ *models.Payment) bool { return o.AttentionReason == nil })
	h.must(order.ID, workflows.Fulfill, nil)
	require.Equal(t, models.StatusSent, h.closed(order.ID).Status)
	h.books()
	h.record(workflows.OrderID(order.ID), "card-disputed")
}

// A refund is decided, and before its workflow hears of it the bank takes the
// money: it is not given back twice, and who decided is told why.
func TestRefundOvertakenByADisputeIsRefused(t *testing.T) {
	h := open(t)
	order := h.paid()
	decision, err := h.db.OpenDecision(t.Context(), models.NewDecision{OrderID: order.ID, Kind: workflows.Refund, ActorID: h.staff, ActorRole: "admin", Reason: "they asked"})
	require.NoError(t, err)
	d := h.dispute(order.ID)
	outcome, decided, err := h.client.Decide(t.Context(), order.ID, workflows.Refund, decision.ID, 40*time.Second)
	require.NoError(t, err)
	require.True(t, decided)
	require.Equal(t, "disputed", outcome.Code)
	h.decideDispute(d, "won")
	h.reaches(order.ID, "free again", func(o *models.Order, _ *models.Payment) bool { return o.AttentionReason == nil })
	h.must(order.ID, workflows.Refund, nil)
	require.Equal(t, models.ResolutionRefunded, *h.closed(order.ID).Resolution)
	require.Equal(t, 1, h.effects()["stripe/refund"])
	h.books()
	h.record(workflows.OrderID(order.ID), "decision-overtaken")
}

func TestDisputeAcceptedBeforeFulfilmentEndsTheOrder(t *testing.T) {
	h := open(t)
	order := h.paid()
	h.dispute(order.ID)
	h.attention(order.ID, models.AttentionDisputed)
	h.answer(order.ID, models.DecisionAccept)
	o := h.closed(order.ID)
	require.Equal(t, models.ResolutionRefunded, *o.Resolution)
	require.Equal(t, 1, h.effects()["stripe/concede"])
	require.Equal(t, "0.00", h.moved(order.ID, models.AccountPrepaid))
	require.Equal(t, "0.00", h.moved(order.ID, models.AccountChargebacks))
	h.books()
	h.record(workflows.DisputeID(activities.PartRef{OrderID: order.ID, Sequence: 1}), "dispute-accepted")
}

// Neither notice nor workflow: the poll finds the dispute, and later its end.
func TestBar29DisputeThatNoNoticeToldOfIsFoundAndFollowed(t *testing.T) {
	h := open(t)
	order := h.sent()
	h.hooks = false
	h.control("/control/stripe/dispute", map[string]string{"charge": h.charge(order.ID)})
	h.polled(order.ID, models.DisputeOpen)
	h.decideDispute(h.disputed(order.ID, "open", func(*models.Dispute) bool { return true }), "lost")
	h.polled(order.ID, models.DisputeLost)
	require.Equal(t, money.USD.Format(order.Total), h.moved(order.ID, models.AccountChargebacks), "the loss is ours")
	h.books()
	h.record(workflows.MoneyPollID, "money-poll")
}

// polled sweeps until a poll has found the order's dispute to be so. One sweep
// may come to nothing: the look at the payment that the capture's own notice
// caused may still be under way, having read before there was a dispute.
func (h *house) polled(id, status string) {
	h.Helper()
	h.until("the poll to find a dispute "+status, func() bool {
		h.sweep()
		rows, err := h.db.Disputes(h.Context(), id)
		return err == nil && len(rows) == 1 && rows[0].Status == status
	})
}

// A partial refund that was sent after the backup, and whose key Stripe has forgotten, is
// found before it is sent again; one that gave another amount under its number is booked
// as it is, and ours waits for a person instead of giving more.
func TestRefundSentAfterTheBackupIsNotSentAgain(t *testing.T) {
	for name, asked := range map[string]int64{"the same": 5000, "another amount": 7000} {
		t.Run(name, func(t *testing.T) {
			h := open(t)
			order := h.sent()
			payment, err := h.db.CardOf(t.Context(), order.ID)
			require.NoError(t, err)
			amount := money.FromInt(asked) // its row is in the backup, unsent
			row, err := h.db.OpenRefund(t.Context(), models.NewRefund{OrderID: order.ID, Amount: &amount, ActorID: h.staff, ActorRole: "admin", Reason: "a gesture"})
			require.NoError(t, err)
			processor := stripe.New(stripe.Config{URL: h.sandbox, Key: "sk_test_1"})
			_, err = processor.Refund(t.Context(), provider.RefundInput{PaymentID: payment, OrderID: order.ID,
				Key: "forgotten:" + order.ID, Sequence: 1, Amount: money.FromInt(5000)})
			require.NoError(t, err)
			h.until("it to be there", func() bool {
				found, err := processor.FindRefund(t.Context(), payment, order.ID, 1)
				return err == nil && found.Status == provider.RefundSucceeded
			})
			_, err = h.db.NoteRestored(t.Context(), "command:somebody")
			require.NoError(t, err)
			_, err = h.client.CarryRefund(t.Context(), order.ID, row.Sequence, 40*time.Second)
			require.NoError(t, err)
			row = h.refund(order.ID, row.Sequence)
			if asked == 5000 {
				require.Equal(t, models.RefundSucceeded, row.Status)
			} else {
				require.Equal(t, models.RefundFailed, row.Status)
				require.Equal(t, models.RefundSucceeded, h.refund(order.ID, 2).Status, "what was found")
			}
			require.Equal(t, 1, h.effects()["stripe/refund"])
			require.Equal(t, "50.00", h.moved(order.ID, models.AccountGoodwill))
			h.books()
		})
	}
}
