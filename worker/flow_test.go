package worker

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enums "go.temporal.io/api/enums/v1"

	"github.com/tradepost/tradepost/models"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/workflows"
)

const (
	goodCard     = "4242424242424242"
	declinedCard = "4000000000000002"
)

// buy makes an order as the API does: row first, then the workflow.
func (h *house) buy(method string) *models.Order {
	h.Helper()
	order := h.write(method)
	require.NoError(h, h.client.StartOrder(h.Context(), order))
	return order
}

// write makes an order's row alone.
func (h *house) write(method string) *models.Order {
	h.Helper()
	amount, err := money.BTC.Parse("0.01")
	require.NoError(h, err)
	var quote models.Quote
	h.until("a price", func() bool {
		quote, err = h.quoter.Quote(h.Context(), models.QuoteInput{UserID: h.customer, Asset: money.BTC, Amount: amount, Method: method})
		return err == nil
	})
	pricing, err := h.quoter.Pricing(h.Context())
	require.NoError(h, err)
	order, err := h.db.CreateOrder(h.Context(), pricing, models.NewOrder{Quote: quote, Network: models.NetworkBitcoin, Address: goodAddress, AddressKey: goodAddress, Channel: "web"})
	require.NoError(h, err)
	return order
}

func (h *house) until(what string, is func() bool) {
	h.Helper()
	for deadline := time.Now().Add(40 * time.Second); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			h.Fatalf("waited in vain for %s", what)
		}
	}
}

// reaches waits for an order to be as asked.
func (h *house) reaches(id, what string, is func(o *models.Order, p *models.Payment) bool) *models.Order {
	h.Helper()
	var o *models.Order
	defer func() {
		if h.Failed() {
			h.explain(id)
		}
	}()
	h.until("order to be "+what, func() bool {
		var err error
		o, err = h.db.Order(h.Context(), id)
		require.NoError(h, err)
		p, err := h.db.PaymentOf(h.Context(), id)
		require.NoError(h, err)
		return is(o, p)
	})
	return o
}

func (h *house) status(id string, status models.OrderStatus) *models.Order {
	h.Helper()
	return h.reaches(id, string(status), func(o *models.Order, _ *models.Payment) bool { return o.Status == status })
}

func (h *house) closed(id string) *models.Order {
	h.Helper()
	return h.reaches(id, "closed", func(o *models.Order, _ *models.Payment) bool { return o.ClosedAt != nil })
}

func (h *house) attention(id, reason string) *models.Order {
	h.Helper()
	return h.reaches(id, "waiting: "+reason, func(o *models.Order, _ *models.Payment) bool {
		return o.AttentionReason != nil && *o.AttentionReason == reason
	})
}

// page waits for the payment page's address.
func (h *house) page(id string) string {
	h.Helper()
	var page string
	h.reaches(id, "payable", func(_ *models.Order, p *models.Payment) bool {
		if p.CheckoutURL != nil {
			page = *p.CheckoutURL
		}
		return page != ""
	})
	return page
}

func (h *house) authorise(id string) {
	h.Helper()
	h.pay(h.page(id), goodCard)
	h.reaches(id, "authorised", func(_ *models.Order, p *models.Payment) bool { return p.AuthorisedAt != nil })
}

// decide takes a decision and waits for its outcome.
func (h *house) decide(id, kind string, data any) workflows.Outcome {
	h.Helper()
	actor, role := h.staff, "admin"
	if kind == workflows.Cancel {
		actor, role = h.customer, "customer"
	}
	decision, err := h.db.OpenDecision(h.Context(), models.NewDecision{OrderID: id, Kind: kind, ActorID: actor, ActorRole: role, Reason: "because", Data: data})
	require.NoError(h, err)
	outcome, decided, err := h.client.Decide(h.Context(), id, kind, decision.ID, 40*time.Second)
	require.NoError(h, err)
	require.True(h, decided, "%s was not over in time", kind)
	return outcome
}

func (h *house) must(id, kind string, data any) {
	h.Helper()
	if outcome := h.decide(id, kind, data); !outcome.OK() {
		h.explain(id)
		h.Fatalf("%s: %+v", kind, outcome)
	}
}

// paid is an order whose card was captured.
func (h *house) paid() *models.Order {
	h.Helper()
	order := h.buy("card")
	h.authorise(order.ID)
	h.must(order.ID, workflows.Process, nil)
	return order
}

func (h *house) kinds(id string) []string {
	h.Helper()
	events, err := h.db.OrderEvents(h.Context(), id)
	require.NoError(h, err)
	var kinds []string
	for _, e := range events {
		kinds = append(kinds, e.Kind)
	}
	return kinds
}

// explain prints an order's story, with what failed.
func (h *house) explain(id string) {
	events, _ := h.db.OrderEvents(h.Context(), id)
	for _, e := range events {
		h.Logf("%s %s %s", e.Status, e.Kind, e.Data)
	}
	if o, err := h.db.Order(h.Context(), id); err == nil && o.LastError != nil {
		h.Logf("last error: %s", *o.LastError)
	}
}

// books checks the ledger after a test: it balances, no account is on its wrong
// side, and only what was really done at the providers is booked.
func (h *house) books() {
	h.Helper()
	totals, err := h.db.TrialBalance(h.Context())
	require.NoError(h, err)
	require.Empty(h, models.CheckTrialBalance(totals))
}

// history reads what Temporal keeps of an order.
func (h *house) history(id string) (events int, activities []string, text string) {
	h.Helper()
	var all strings.Builder
	reader := h.client.GetWorkflowHistory(h.Context(), workflows.OrderID(id), "", true, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for reader.HasNext() {
		event, err := reader.Next()
		require.NoError(h, err)
		events++
		if a := event.GetActivityTaskScheduledEventAttributes(); a != nil {
			activities = append(activities, a.ActivityType.Name)
		}
		raw, err := json.Marshal(event)
		require.NoError(h, err)
		all.Write(raw)
		for _, payload := range event.GetMarkerRecordedEventAttributes().GetDetails() {
			for _, p := range payload.GetPayloads() {
				all.Write(p.Data)
			}
		}
	}
	return events, activities, all.String()
}

func TestCardOrderIsAuthorisedCapturedBoughtSentAndConfirmed(t *testing.T) {
	h := open(t)
	order := h.buy("card")
	h.authorise(order.ID)
	h.must(order.ID, workflows.Process, nil)
	h.status(order.ID, models.StatusPaymentApproved)
	h.must(order.ID, workflows.Fulfill, nil)
	sent := h.closed(order.ID)
	require.Equal(t, models.StatusSent, sent.Status)
	require.NotNil(t, sent.ConfirmedAt)
	require.NotEmpty(t, *sent.TxID)
	require.Zero(t, sent.RetryCount)
	require.Equal(t, map[string]int{"stripe/authorise": 1, "stripe/capture": 1, "kraken/fill": 1, "bitgo/send": 1}, h.effects())
	require.Equal(t, []string{"created", "checkout_ready", "authorised", "capture_requested", "captured", "fulfil_requested", "reserved", "exchange_placed",
		"filled", "transfer_requested", "sent", "bonus_credited", "confirmed"}, h.kinds(order.ID))
	h.books()

	events, activities, text := h.history(order.ID)
	require.LessOrEqual(t, len(activities), 6, "%v", activities)
	require.LessOrEqual(t, events, 90)
	for _, secret := range []string{goodAddress, "@example.com", "cs_", "/pay/", "because", "4242"} {
		require.NotContains(t, text, secret)
	}
	t.Logf("%d events, %v", events, activities)
	h.record(order.ID, "card")
}

func TestDeclinedCardIsToldAndAnotherCardPays(t *testing.T) {
	h := open(t)
	order := h.buy("card")
	page := h.page(order.ID)
	h.pay(page, declinedCard)
	h.reaches(order.ID, "declined once", func(_ *models.Order, p *models.Payment) bool { return p.Declines == 1 && p.DeclineCode != nil })
	h.authorise(order.ID)
	require.Contains(t, h.kinds(order.ID), "card_declined")
	require.Equal(t, workflows.Done, h.decide(order.ID, workflows.Decline, nil).Code)
	o := h.closed(order.ID)
	require.Equal(t, models.ResolutionDeclined, *o.Resolution)
	require.Equal(t, map[string]int{"stripe/authorise": 1, "stripe/cancel": 1}, h.effects())
	h.books()
	h.record(order.ID, "card-declined")
}

func TestBar29LostWebhooksAreCaughtByThePoll(t *testing.T) {
	h := open(t)
	h.hooks = false
	order := h.paid()
	h.must(order.ID, workflows.Fulfill, nil)
	require.Equal(t, models.StatusSent, h.closed(order.ID).Status)
	h.books()
}

func TestCustomerCancelsBeforePaying(t *testing.T) {
	h := open(t)
	order := h.buy("card")
	h.page(order.ID)
	h.must(order.ID, workflows.Cancel, nil)
	require.Equal(t, models.ResolutionCancelled, *h.closed(order.ID).Resolution)
	require.Empty(t, h.effects())
	h.record(order.ID, "card-cancelled")
}

func TestWireIsConfirmedOnceAndSent(t *testing.T) {
	h := open(t)
	order := h.buy("domestic_wire")
	receipt := models.Receipt{Amount: order.Total, ReceivedOn: "2026-11-20", BankReference: "FED-1"}
	_, err := h.db.OpenDecision(t.Context(), models.NewDecision{OrderID: order.ID, Kind: workflows.ConfirmReceipt, ActorID: h.staff, ActorRole: "admin",
		Data: models.Receipt{Amount: money.FromInt(100), ReceivedOn: "2026-11-20", BankReference: "FED-0"}})
	require.Equal(t, "amount_differs", models.ReasonOf(err))
	h.must(order.ID, workflows.ConfirmReceipt, receipt)
	h.must(order.ID, workflows.Hold, nil)
	h.must(order.ID, workflows.Resume, nil)
	h.must(order.ID, workflows.Fulfill, nil)
	require.Equal(t, models.StatusSent, h.closed(order.ID).Status)
	h.record(order.ID, "wire")

	again := h.buy("domestic_wire")
	_, err = h.db.OpenDecision(t.Context(), models.NewDecision{OrderID: again.ID, Kind: workflows.ConfirmReceipt, ActorID: h.staff, ActorRole: "admin", Data: receipt})
	require.Equal(t, "bank_reference_used", models.ReasonOf(err))
	h.must(again.ID, workflows.Reject, nil)
	require.Equal(t, models.ResolutionDeclined, *h.closed(again.ID).Resolution)
	h.books()
}

func TestBar28UnknownOutcomesAreLookedUpNeverRepeated(t *testing.T) {
	for _, fault := range []struct{ provider, operation, code string }{
		{"stripe", "create_checkout", "drop_after"}, {"stripe", "capture", "drop_after"}, {"stripe", "capture", "drop_before"},
		{"stripe", "capture", "http:500_after"}, {"stripe", "capture", "500_stored"},
		{"kraken", "AddOrder", "drop_after"}, {"kraken", "AddOrder", "drop_before"}, {"kraken", "AddOrder", "part_fill:0.4"},
		{"bitgo", "sendcoins", "drop_after"}, {"bitgo", "sendcoins", "drop_before"}, {"bitgo", "sendcoins", "http:500_after"}, {"bitgo", "sendcoins", "429"},
	} {
		t.Run(fmt.Sprintf("%s %s %s", fault.provider, fault.operation, fault.code), func(t *testing.T) {
			h := open(t)
			h.arm(fault.provider, fault.operation, fault.code)
			order := h.paid()
			h.must(order.ID, workflows.Fulfill, nil)
			o := h.closed(order.ID)
			require.Equal(t, models.StatusSent, o.Status)
			fills := 1
			if strings.HasPrefix(fault.code, "part_fill") {
				fills = 2
				require.Contains(t, h.kinds(order.ID), "exchange_part_filled")
			} else if fault.code != "http:500_after" || fault.provider != "bitgo" {
				require.Equal(t, slices.Contains(h.kinds(order.ID), "attempt_failed"), o.RetryCount > 0)
			}
			require.Equal(t, map[string]int{"stripe/authorise": 1, "stripe/capture": 1, "kraken/fill": fills, "bitgo/send": 1}, h.effects())
			h.books()
		})
	}
}

func TestRefusedPurchaseFailsAndIsRetriedByAPerson(t *testing.T) {
	h := open(t)
	h.arm("kraken", "AddOrder", "insufficient")
	order := h.paid()
	h.must(order.ID, workflows.Fulfill, nil)
	o := h.status(order.ID, models.StatusFailed)
	require.Equal(t, models.StepBuy, *o.FailedStep)
	require.NotEmpty(t, *o.FulfillmentError)
	require.Equal(t, 1, o.RetryCount)
	h.must(order.ID, workflows.Retry, nil)
	require.Equal(t, models.StatusSent, h.closed(order.ID).Status)
	require.Equal(t, 1, h.effects()["kraken/fill"])
	h.books()
	h.record(order.ID, "failed-retried")
}

func TestRefusedPurchaseIsRefundedToTheCard(t *testing.T) {
	h := open(t)
	h.arm("kraken", "AddOrder", "insufficient")
	order := h.paid()
	h.must(order.ID, workflows.Fulfill, nil)
	h.status(order.ID, models.StatusFailed)
	h.must(order.ID, workflows.Refund, nil)
	o := h.closed(order.ID)
	require.Equal(t, models.ResolutionRefunded, *o.Resolution)
	require.Equal(t, map[string]int{"stripe/authorise": 1, "stripe/capture": 1, "stripe/refund": 1}, h.effects())
	h.books()
	h.record(order.ID, "refunded")
}

func TestPriceBeyondTheSlippageWaitsForAPersonAndGoesOn(t *testing.T) {
	h := open(t)
	order := h.paid()
	before, err := h.db.Markets(t.Context())
	require.NoError(t, err)
	ask := before[money.BTC].Ask
	set := func(percent int64) {
		price := ask.Mul(money.USD.Decimal(money.FromInt(percent))).Round(1).String()
		h.control("/control/kraken/prices", map[string]string{"pair": "XXBTZUSD", "ask": price, "bid": price})
		h.until("the new price", func() bool {
			now, err := h.db.Markets(t.Context())
			return err == nil && now[money.BTC].Ask.String() == price
		})
	}
	set(105)
	require.Equal(t, models.AttentionPrice, h.decide(order.ID, workflows.Fulfill, nil).Code)
	o := h.attention(order.ID, models.AttentionPrice)
	require.Equal(t, []string{workflows.Retry, workflows.Hold, workflows.Refund}, []string(o.AttentionChoices))
	set(100)
	h.must(order.ID, workflows.Retry, nil)
	require.Equal(t, models.StatusSent, h.closed(order.ID).Status)
	h.books()
	h.record(order.ID, "price-moved")
}

func TestBar30TransferWaitsForCustodysApproval(t *testing.T) {
	h := open(t)
	h.arm("bitgo", "sendcoins", "approval")
	order := h.paid()
	h.must(order.ID, workflows.Fulfill, nil)
	o := h.attention(order.ID, models.AttentionApproval)
	require.Equal(t, models.StatusFilled, o.Status)
	transfers, err := h.db.OrderWithdrawals(t.Context(), order.ID)
	require.NoError(t, err)
	require.Len(t, transfers, 1)
	h.control("/control/bitgo/approvals/"+*transfers[0].ApprovalID, map[string]string{"state": "approved"})
	require.Equal(t, models.StatusSent, h.closed(order.ID).Status)
	h.books()
	h.record(order.ID, "approval")
}

func TestBar26OrderWithoutWorkflowIsStartedBySweepOnce(t *testing.T) {
	h := open(t)
	order := h.write("domestic_wire")
	decision, err := h.db.OpenDecision(t.Context(), models.NewDecision{OrderID: order.ID, Kind: workflows.Reject, ActorID: h.staff, ActorRole: "admin", Reason: "no money"})
	require.NoError(t, err)
	for range 2 {
		h.sweep()
	}
	o := h.closed(order.ID)
	require.Equal(t, models.ResolutionDeclined, *o.Resolution)
	code, done, err := h.db.DecisionOutcome(t.Context(), decision.ID)
	require.NoError(t, err)
	require.True(t, done)
	require.Equal(t, workflows.Done, code)
}

func TestUnpaidOrderExpiresByTheDatabasesClock(t *testing.T) {
	h := open(t)
	card, wire := h.buy("card"), h.buy("domestic_wire")
	h.page(card.ID)
	h.advance(73 * time.Hour)
	h.sweep()
	for _, order := range []*models.Order{card, wire} {
		require.Equal(t, models.ResolutionExpired, *h.closed(order.ID).Resolution)
	}
	require.Empty(t, h.effects())
}
