package worker

import (
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enums "go.temporal.io/api/enums/v1"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/internal/provider/stripe"
	"github.com/tradepost/tradepost/models/correction"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/workflows"
)

// givePart opens a refund of some cents and starts its workflow.
func (h *testCluster) givePart(id string, cents int64) *order.Refund {
	h.Helper()
	amount := money.FromInt(cents)
	row, err := order.OpenRefund(h.Context(), h.db, order.NewRefund{OrderID: id, Amount: &amount, ActorID: h.staff, ActorRole: "admin", Reason: "a gesture"})
	require.NoError(h, err)
	done, err := h.client.RunRefund(h.Context(), id, row.Sequence, 40*time.Second)
	require.NoError(h, err)
	require.True(h, done)
	return h.refund(id, row.Sequence)
}

func (h *testCluster) refund(id string, sequence int) *order.Refund {
	h.Helper()
	rows, err := order.OrderRefunds(h.Context(), h.db, id)
	require.NoError(h, err)
	require.GreaterOrEqual(h, len(rows), sequence)
	return &rows[sequence-1]
}

// sent is an order whose coin arrived.
func (h *testCluster) sent() *order.Order {
	h.Helper()
	order := h.paid()
	h.must(order.ID, workflows.Fulfill, nil)
	return h.closed(order.ID)
}

// charge is the order's charge at Stripe.
func (h *testCluster) charge(id string) string {
	h.Helper()
	p, err := order.PaymentOf(h.Context(), h.db, id)
	require.NoError(h, err)
	return h.stripeCharge(*p.StripePaymentIntentID)
}

func (h *testCluster) moved(id, account string) string {
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
			placed := h.paid()
			if fault != "" {
				h.arm("stripe", "refund", fault)
			}
			row := h.givePart(placed.ID, 1234)
			require.Equal(t, order.RefundSucceeded, row.Status)
			require.Equal(t, 1, h.effects()["stripe/refund"])
			require.Contains(t, h.kinds(placed.ID), "refunded_in_part")
			o := h.status(placed.ID, order.StatusPaymentApproved)
			require.Equal(t, "12.34", money.USD.Format(o.Refunded))
			h.must(placed.ID, workflows.Fulfill, nil)
			require.Equal(t, order.StatusSent, h.closed(placed.ID).Status)
			require.Equal(t, "12.34", h.moved(placed.ID, ledger.AccountGoodwill))
			require.Equal(t, "0.00", h.moved(placed.ID, ledger.AccountPrepaid))
			h.books()
		})
	}
}

func TestRefundAfterSentIsGoodwillAndTheSweepStartsIt(t *testing.T) {
	h := open(t)
	placed := h.sent()
	amount := money.FromInt(5000)
	_, err := order.OpenRefund(t.Context(), h.db, order.NewRefund{OrderID: placed.ID, Amount: &amount, ActorID: h.staff, ActorRole: "admin", Reason: "a gesture"})
	require.NoError(t, err)
	h.sweep() // the API died before it started the workflow
	h.until("the refund to be there", func() bool { return h.refund(placed.ID, 1).Status == order.RefundSucceeded })
	require.Equal(t, "50.00", h.moved(placed.ID, ledger.AccountGoodwill))

	rest, err := order.OpenRefund(t.Context(), h.db, order.NewRefund{OrderID: placed.ID, ActorID: h.staff, ActorRole: "admin", Reason: "all of it"})
	require.NoError(t, err)
	_, err = h.client.RunRefund(t.Context(), placed.ID, rest.Sequence, 40*time.Second)
	require.NoError(t, err)
	o, err := order.ReadOrder(t.Context(), h.db, placed.ID)
	require.NoError(t, err)
	require.Equal(t, order.StatusSent, o.Status, "the coin stays with the customer")
	require.Equal(t, o.Total, o.Refunded)
	_, err = order.OpenRefund(t.Context(), h.db, order.NewRefund{OrderID: placed.ID, Amount: &amount, ActorID: h.staff, ActorRole: "admin", Reason: "more"})
	require.Equal(t, "refund_exceeds", store.ReasonOf(err))
	require.Equal(t, 2, h.effects()["stripe/refund"])
	h.books()
	h.record(workflows.RefundID(activities.PartRef{OrderID: placed.ID, Sequence: 2}), "refund-after-sent")
}

func TestRefundThatTheBankRefusesGoesToTheBalance(t *testing.T) {
	h := open(t)
	placed := h.sent()
	_, err := order.OpenRefund(t.Context(), h.db, order.NewRefund{OrderID: placed.ID, To: order.RefundToBalance, ActorID: h.staff, ActorRole: "admin", Reason: "easier"})
	require.Equal(t, "refund_to_card", store.ReasonOf(err))
	h.arm("stripe", "refund", "refund_failed")
	row := h.givePart(placed.ID, 5000)
	require.Equal(t, order.RefundFailed, row.Status)
	h.record(workflows.RefundID(activities.PartRef{OrderID: placed.ID, Sequence: 1}), "refund-refused")
	o := h.attention(placed.ID, order.AttentionRefundFailed)
	require.NotNil(t, o.ClosedAt)
	amount := money.FromInt(5000)
	_, err = order.OpenRefund(t.Context(), h.db, order.NewRefund{OrderID: placed.ID, Amount: &amount, To: order.RefundToBalance, ActorID: h.staff, ActorRole: "admin", Reason: "the card is closed"})
	require.NoError(t, err)
	o, err = order.ReadOrder(t.Context(), h.db, placed.ID)
	require.NoError(t, err)
	require.Nil(t, o.AttentionReason)
	require.Equal(t, "0.00", money.USD.Format(o.Refunded.Sub(amount)))
	h.books()
}

// A refund is made at Stripe itself, of half, then of all: with the webhook, or found by
// the poll when no webhook arrives.
func TestBar29RefundMadeAtStripeItselfIsFound(t *testing.T) {
	for name, hooks := range map[string]bool{"noticed": true, "polled": false} {
		t.Run(name, func(t *testing.T) {
			h := open(t)
			placed := h.paid()
			h.hooks = hooks
			charge := h.charge(placed.ID)
			h.control("/control/stripe/refund", map[string]string{"charge": charge, "amount": "1000"})
			h.until("it to be booked", func() bool {
				h.poll()
				o, err := order.ReadOrder(t.Context(), h.db, placed.ID)
				return err == nil && o.Refunded.String() == "1000"
			})
			h.attention(placed.ID, order.AttentionRefundedThere)
			h.control("/control/stripe/refund", map[string]string{"charge": charge})
			h.until("the order to end", func() bool {
				h.poll()
				o, err := order.ReadOrder(t.Context(), h.db, placed.ID)
				return err == nil && o.ClosedAt != nil
			})
			require.Equal(t, order.ResolutionRefunded, *h.closed(placed.ID).Resolution)
			require.Equal(t, "0.00", h.moved(placed.ID, ledger.AccountClearing))
			require.Equal(t, 2, count(h.kinds(placed.ID), "refunded_at_provider"))
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
			placed := h.paid()
			h.hooks = hooks
			h.byHand("/v1/refunds", url.Values{"payment_intent": {h.payment(placed.ID)}, "amount": {"1000"},
				"metadata[order_id]": {placed.ID}, "metadata[refund_seq]": {"1"}})
			h.until("it to be booked", func() bool {
				h.poll()
				o, err := order.ReadOrder(t.Context(), h.db, placed.ID)
				return err == nil && o.Refunded.String() == "1000"
			})
			h.attention(placed.ID, order.AttentionRefundedThere)
			_, err := order.OpenRefund(t.Context(), h.db, order.NewRefund{OrderID: placed.ID, Amount: &placed.Total, ActorID: h.staff, ActorRole: "admin", Reason: "all of it"})
			require.Equal(t, "refund_exceeds", store.ReasonOf(err))
			h.must(placed.ID, workflows.Refund, nil)
			require.Equal(t, order.ResolutionRefunded, *h.closed(placed.ID).Resolution)
			require.Equal(t, 2, h.effects()["stripe/refund"])
			require.Equal(t, "0.00", h.moved(placed.ID, ledger.AccountClearing))
			h.books()
		})
	}
}

// poll runs the poll where no webhook arrives.
func (h *testCluster) poll() {
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
func (h *testCluster) dispute(id string) *order.Dispute {
	h.Helper()
	h.control("/control/stripe/dispute", map[string]string{"charge": h.charge(id), "reason": "fraudulent"})
	return h.disputed(id, "open", func(d *order.Dispute) bool { return d.Status == order.DisputeOpen })
}

func (h *testCluster) disputed(id, what string, is func(d *order.Dispute) bool) *order.Dispute {
	h.Helper()
	var found *order.Dispute
	h.until("a dispute that is "+what, func() bool {
		rows, err := order.Disputes(h.Context(), h.db, id)
		if err != nil || len(rows) == 0 || !is(&rows[len(rows)-1]) {
			return false
		}
		found = &rows[len(rows)-1]
		return true
	})
	return found
}

func (h *testCluster) answer(id, kind string) {
	h.Helper()
	d, err := order.OpenAnswer(h.Context(), h.db, order.NewAnswer{OrderID: id, Kind: kind, ActorID: h.staff, ActorRole: "admin", Reason: "as the file shows"})
	require.NoError(h, err)
	require.NoError(h, h.client.AnswerDispute(h.Context(), id, d.Sequence))
}

func (h *testCluster) decideDispute(d *order.Dispute, outcome string) {
	h.Helper()
	h.control("/control/stripe/dispute/decide", map[string]string{"dispute": d.ProviderID, "outcome": outcome})
}

func TestDisputeSixtyDaysAfterSentIsContestedAndWon(t *testing.T) {
	h := open(t)
	placed := h.sent()
	h.advance(60 * 24 * time.Hour)
	d := h.dispute(placed.ID)
	h.attention(placed.ID, order.AttentionDisputed)
	require.Equal(t, "-15.00", h.moved(placed.ID, ledger.AccountClearing), "the amount and the fee are gone")
	require.Equal(t, money.USD.Format(placed.Total), h.moved(placed.ID, ledger.AccountChargebacks))
	h.arm("stripe", "update_dispute", "drop_after")
	h.answer(placed.ID, order.DecisionContest)
	h.disputed(placed.ID, "under review", func(d *order.Dispute) bool { return d.Status == order.DisputeUnderReview })
	require.Equal(t, 1, h.effects()["stripe/contest"])
	h.until("nobody to be needed", func() bool {
		o, err := order.ReadOrder(t.Context(), h.db, placed.ID)
		return err == nil && o.AttentionReason == nil
	})
	_, err := order.OpenAnswer(t.Context(), h.db, order.NewAnswer{OrderID: placed.ID, Kind: order.DecisionAccept, ActorID: h.staff, Reason: "or not"})
	require.Equal(t, "dispute_answered", store.ReasonOf(err))
	h.decideDispute(d, "won")
	h.disputed(placed.ID, "won", func(d *order.Dispute) bool { return d.Status == order.DisputeWon && d.ClosedAt != nil })
	require.Equal(t, "0.00", h.moved(placed.ID, ledger.AccountChargebacks))
	require.Equal(t, "15.00", money.USD.Format(d.Fee))
	h.books()
	h.record(workflows.DisputeID(activities.PartRef{OrderID: placed.ID, Sequence: 1}), "dispute-contested")
	h.record(workflows.PaymentID(placed.ID), "payment-disputed")
}

func TestDisputeBeforeFulfilmentHoldsTheOrderUpUntilItIsWon(t *testing.T) {
	h := open(t)
	placed := h.paid()
	d := h.dispute(placed.ID)
	h.attention(placed.ID, order.AttentionDisputed)
	_, err := order.OpenDecision(t.Context(), h.db, order.NewDecision{OrderID: placed.ID, Kind: workflows.Fulfill, ActorID: h.staff, ActorRole: "admin"})
	require.Equal(t, "order_state", store.ReasonOf(err))
	h.decideDispute(d, "won")
	h.reaches(placed.ID, "free again", func(o *order.Order, _ *order.Payment) bool { return o.AttentionReason == nil })
	h.must(placed.ID, workflows.Fulfill, nil)
	require.Equal(t, order.StatusSent, h.closed(placed.ID).Status)
	h.books()
	h.record(workflows.OrderID(placed.ID), "card-disputed")
}

// A refund is decided, and before its workflow receives it the bank withdraws the money: it
// is not refunded twice, and the decision is refused with the reason.
func TestRefundOvertakenByADisputeIsRefused(t *testing.T) {
	h := open(t)
	placed := h.paid()
	decision, err := order.OpenDecision(t.Context(), h.db, order.NewDecision{OrderID: placed.ID, Kind: workflows.Refund, ActorID: h.staff, ActorRole: "admin", Reason: "they asked"})
	require.NoError(t, err)
	d := h.dispute(placed.ID)
	outcome, decided, err := h.client.Decide(t.Context(), placed.ID, workflows.Refund, decision.ID, 40*time.Second)
	require.NoError(t, err)
	require.True(t, decided)
	require.Equal(t, "disputed", outcome.Code)
	h.decideDispute(d, "won")
	h.reaches(placed.ID, "free again", func(o *order.Order, _ *order.Payment) bool { return o.AttentionReason == nil })
	h.must(placed.ID, workflows.Refund, nil)
	require.Equal(t, order.ResolutionRefunded, *h.closed(placed.ID).Resolution)
	require.Equal(t, 1, h.effects()["stripe/refund"])
	h.books()
	h.record(workflows.OrderID(placed.ID), "decision-overtaken")
}

func TestDisputeAcceptedBeforeFulfilmentEndsTheOrder(t *testing.T) {
	h := open(t)
	placed := h.paid()
	h.dispute(placed.ID)
	h.attention(placed.ID, order.AttentionDisputed)
	h.answer(placed.ID, order.DecisionAccept)
	o := h.closed(placed.ID)
	require.Equal(t, order.ResolutionRefunded, *o.Resolution)
	require.Equal(t, 1, h.effects()["stripe/concede"])
	require.Equal(t, "0.00", h.moved(placed.ID, ledger.AccountPrepaid))
	require.Equal(t, "0.00", h.moved(placed.ID, ledger.AccountChargebacks))
	h.books()
	h.record(workflows.DisputeID(activities.PartRef{OrderID: placed.ID, Sequence: 1}), "dispute-accepted")
}

// Stripe rejected our key for the whole budget of a refund, and staff refunded at Stripe itself: our refund is looked
// up, is not sent any more, and ends.
func TestRefundThatStripeNeverKnewEnds(t *testing.T) {
	h := open(t)
	placed := h.paid()
	decision, err := order.OpenDecision(t.Context(), h.db, order.NewDecision{OrderID: placed.ID, Kind: workflows.Refund,
		ActorID: h.staff, ActorRole: "admin", Reason: "they asked"})
	require.NoError(t, err)
	job, err := order.StartRefund(t.Context(), h.db, placed.ID, decision.ID)
	require.NoError(t, err)
	require.NoError(t, order.NeedPerson(t.Context(), h.db, placed.ID, order.AttentionRefundFailed, decision.ID, ""))
	h.control("/control/stripe/refund", map[string]string{"charge": h.charge(placed.ID)})
	require.Equal(t, order.ResolutionRefunded, *h.closed(placed.ID).Resolution)
	h.until("ours to end", func() bool {
		h.sweep()
		return h.refund(placed.ID, job.Refund.Sequence).DoneAt != nil
	})
	row := h.refund(placed.ID, job.Refund.Sequence)
	require.Equal(t, order.RefundFailed, row.Status)
	require.Equal(t, "superseded", *row.FailureCode)
	require.Equal(t, 1, h.effects()["stripe/refund"], "staff's alone")
	require.Equal(t, "0.00", h.moved(placed.ID, ledger.AccountClearing))
	h.books()
}

// Neither webhook nor workflow: the poll finds the dispute, and later its end.
func TestBar29DisputeWithoutAWebhookIsFoundAndFollowed(t *testing.T) {
	h := open(t)
	o := h.sent()
	h.hooks = false
	h.control("/control/stripe/dispute", map[string]string{"charge": h.charge(o.ID)})
	h.polled(o.ID, order.DisputeOpen)
	h.decideDispute(h.disputed(o.ID, "open", func(*order.Dispute) bool { return true }), "lost")
	h.polled(o.ID, order.DisputeLost)
	require.Equal(t, "0.00", h.moved(o.ID, ledger.AccountChargebacks))
	require.Equal(t, money.USD.Format(o.Total), h.moved(o.ID, ledger.CustomerReceivable(o.UserID)), "the customer owes it")
	h.books()
	h.record(workflows.MoneyPollID, "money-poll")
}

// A refund that cannot be read does not keep a dispute of the same payment from being followed. The webhooks of the
// payment stay unhandled until everything is read.
func TestDisputeBesideUnreadRefundIsFollowed(t *testing.T) {
	h := open(t)
	o := h.sent()
	h.unreadRefund.Store(true)
	h.dispute(o.ID)
	part := activities.PartRef{OrderID: o.ID, Sequence: 1}
	h.until("its workflow to run", func() bool {
		at, err := h.client.DescribeWorkflowExecution(t.Context(), workflows.DisputeID(part), "")
		return err == nil && at.WorkflowExecutionInfo.Status == enums.WORKFLOW_EXECUTION_STATUS_RUNNING
	})
	unhandled := func() bool {
		due, err := order.UnhandledMoneyWebhooks(t.Context(), h.db, 0, 50)
		require.NoError(t, err)
		return slices.ContainsFunc(due, func(s store.Signal) bool { return s.Subject == o.ID })
	}
	require.NoError(t, h.client.GetWorkflow(t.Context(), workflows.PaymentID(o.ID), "").Get(t.Context(), nil))
	require.True(t, unhandled(), "one entry was not read")
	h.unreadRefund.Store(false)
	h.until("everything to be read", func() bool { h.sweep(); return !unhandled() })
	h.books()
}

// polled sweeps until a poll has found the order's dispute in that state. One sweep may
// find nothing: the read of the payment that the capture's own webhook caused may still be
// under way, from before the dispute.
func (h *testCluster) polled(id, status string) {
	h.Helper()
	h.until("the poll to find a dispute "+status, func() bool {
		h.sweep()
		rows, err := order.Disputes(h.Context(), h.db, id)
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
			o := h.sent()
			payment, err := order.CardOf(t.Context(), h.db, o.ID)
			require.NoError(t, err)
			amount := money.FromInt(asked) // its row is in the backup, unsent
			row, err := order.OpenRefund(t.Context(), h.db, order.NewRefund{OrderID: o.ID, Amount: &amount, ActorID: h.staff, ActorRole: "admin", Reason: "a gesture"})
			require.NoError(t, err)
			processor := stripe.New(stripe.Config{URL: h.sandbox, Key: "sk_test_1"})
			_, err = processor.Refund(t.Context(), provider.RefundInput{PaymentID: payment, OrderID: o.ID,
				Key: "forgotten:" + o.ID, Sequence: 1, Amount: money.FromInt(5000)})
			require.NoError(t, err)
			h.until("it to be there", func() bool {
				found, err := processor.FindRefund(t.Context(), payment, o.ID, 1)
				return err == nil && found.Status == provider.RefundSucceeded
			})
			_, err = correction.NoteRestored(t.Context(), h.db, "command:somebody")
			require.NoError(t, err)
			_, err = h.client.RunRefund(t.Context(), o.ID, row.Sequence, 40*time.Second)
			require.NoError(t, err)
			row = h.refund(o.ID, row.Sequence)
			if asked == 5000 {
				require.Equal(t, order.RefundSucceeded, row.Status)
			} else {
				require.Equal(t, order.RefundFailed, row.Status)
				require.Equal(t, order.RefundSucceeded, h.refund(o.ID, 2).Status, "what was found")
			}
			require.Equal(t, 1, h.effects()["stripe/refund"])
			require.Equal(t, "50.00", h.moved(o.ID, ledger.AccountGoodwill))
			h.books()
		})
	}
}
