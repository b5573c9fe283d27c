package worker

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"
	enums "go.temporal.io/api/enums/v1"

	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/workflows"
)

const (
	goodCard     = "4242424242424242"
	declinedCard = "4000000000000002"
)

// buy makes an order as the API does: row first, then the workflow.
func (h *testCluster) buy(method string) *order.Order {
	h.Helper()
	order := h.write(method)
	require.NoError(h, h.client.StartOrder(h.Context(), order))
	return order
}

// write makes an order's row alone.
func (h *testCluster) write(method string) *order.Order {
	h.Helper()
	amount, err := money.BTC.Parse("0.01")
	require.NoError(h, err)
	var quote pricing.Quote
	h.until("a price", func() bool {
		quote, err = h.quoter.Quote(h.Context(), pricing.QuoteInput{UserID: h.customer, Asset: money.BTC, Amount: amount, Method: method})
		return err == nil
	})
	pricing, err := h.quoter.Pricing(h.Context())
	require.NoError(h, err)
	order, err := order.CreateOrder(h.Context(), h.db, pricing, order.NewOrder{Quote: quote, Network: money.Bitcoin, Address: goodAddress, AddressKey: goodAddress, Channel: "web"})
	require.NoError(h, err)
	return order
}

func (h *testCluster) until(what string, is func() bool) {
	h.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			h.Fatalf("waited in vain for %s", what)
		}
	}
}

// reaches waits for an order to be as asked.
func (h *testCluster) reaches(id, what string, is func(o *order.Order, p *order.Payment) bool) *order.Order {
	h.Helper()
	var o *order.Order
	defer func() {
		if h.Failed() {
			h.explain(id)
		}
	}()
	h.until("order to be "+what, func() bool {
		var err error
		o, err = order.ReadOrder(h.Context(), h.db, id)
		require.NoError(h, err)
		p, err := order.PaymentOf(h.Context(), h.db, id)
		require.NoError(h, err)
		return is(o, p)
	})
	return o
}

func (h *testCluster) status(id string, status order.OrderStatus) *order.Order {
	h.Helper()
	return h.reaches(id, string(status), func(o *order.Order, _ *order.Payment) bool { return o.Status == status })
}

func (h *testCluster) closed(id string) *order.Order {
	h.Helper()
	return h.reaches(id, "closed", func(o *order.Order, _ *order.Payment) bool { return o.ClosedAt != nil })
}

func (h *testCluster) attention(id, reason string) *order.Order {
	h.Helper()
	return h.reaches(id, "waiting: "+reason, func(o *order.Order, _ *order.Payment) bool {
		return o.AttentionReason != nil && *o.AttentionReason == reason
	})
}

// page waits for the payment page's address.
func (h *testCluster) page(id string) string {
	h.Helper()
	var page string
	h.reaches(id, "payable", func(_ *order.Order, p *order.Payment) bool {
		if p.CheckoutURL != nil {
			page = *p.CheckoutURL
		}
		return page != ""
	})
	return page
}

func (h *testCluster) authorise(id string) {
	h.Helper()
	h.pay(h.page(id), goodCard)
	h.reaches(id, "authorised", func(_ *order.Order, p *order.Payment) bool { return p.AuthorisedAt != nil })
}

// decide makes a decision and waits for its outcome.
func (h *testCluster) decide(id, kind string, data any) workflows.Outcome {
	h.Helper()
	actor, role := h.staff, "admin"
	if order.MadeByCustomer(kind) {
		actor, role = h.customer, "customer"
	}
	if kind == workflows.ConfirmReceipt {
		actor = h.cashier // who does sends no coin
	}
	decision, err := order.OpenDecision(h.Context(), h.db, order.NewDecision{OrderID: id, Kind: kind, ActorID: actor, ActorRole: role, Reason: "because", Data: data})
	if errors.Is(err, dualcontrol.ErrSecondPerson) {
		decision, err = h.byTwo(id, kind, data)
	}
	require.NoError(h, err)
	outcome, decided, err := h.client.Decide(h.Context(), id, kind, decision.ID, 40*time.Second)
	require.NoError(h, err)
	require.True(h, decided, "%s was not over in time", kind)
	return outcome
}

// byTwo has one person propose a decision, and another approve it.
func (h *testCluster) byTwo(id, kind string, data any) (*order.Decision, error) {
	p, err := order.Propose(h.Context(), h.db, order.NewProposal{OrderID: id, Kind: kind, ActorID: h.cashier, ActorRole: "admin", Reason: "because", Data: data})
	if err != nil {
		return nil, err
	}
	made, err := order.ApproveProposal(h.Context(), h.db, order.ProposalAnswer{OrderID: id, ID: p.ID, Kinds: []string{kind}, ActorID: h.staff, ActorRole: "admin"})
	return made.Decision, err
}

func (h *testCluster) must(id, kind string, data any) {
	h.Helper()
	if outcome := h.decide(id, kind, data); !outcome.OK() {
		h.explain(id)
		h.Fatalf("%s: %+v", kind, outcome)
	}
}

// paid is an order whose card was captured.
func (h *testCluster) paid() *order.Order {
	h.Helper()
	order := h.buy("card")
	h.authorise(order.ID)
	h.must(order.ID, workflows.Process, nil)
	return order
}

// price sets bitcoin's price to so many percent of ask, and waits until we know.
func (h *testCluster) price(ask decimal.Decimal, percent int64) {
	h.Helper()
	price := ask.Mul(money.USD.Decimal(money.FromInt(percent))).Round(1).String()
	h.control("/control/kraken/prices", map[string]string{"pair": "XXBTZUSD", "ask": price, "bid": price})
	h.until("the new price", func() bool {
		now, err := pricing.Markets(h.Context(), h.db)
		return err == nil && now[money.BTC].Ask.String() == price
	})
}

// priced waits until the prices are of now: the clock has moved past the old ones.
func (h *testCluster) priced() {
	h.Helper()
	now, err := h.db.Now(h.Context())
	require.NoError(h, err)
	h.until("prices of now", func() bool {
		markets, err := pricing.Markets(h.Context(), h.db)
		at := markets[money.BTC].PricedAt
		return err == nil && at != nil && at.After(now)
	})
}

func (h *testCluster) kinds(id string) []string {
	h.Helper()
	events, err := order.Timeline.Events(h.Context(), h.db, id)
	require.NoError(h, err)
	var kinds []string
	for _, e := range events {
		kinds = append(kinds, e.Kind)
	}
	return kinds
}

// explain prints an order's timeline, with what failed.
func (h *testCluster) explain(id string) {
	events, _ := order.Timeline.Events(h.Context(), h.db, id)
	for _, e := range events {
		h.Logf("%s %s %s", e.Status, e.Kind, e.Data)
	}
	if o, err := order.ReadOrder(h.Context(), h.db, id); err == nil && o.LastError != nil {
		h.Logf("last error: %s", *o.LastError)
	}
}

// books checks the ledger after a test: it balances, no account is on its wrong
// side, and what is booked is what was really done at the providers.
func (h *testCluster) books() {
	h.Helper()
	h.balanced()
	h.agrees()
}

// balanced checks the ledger by itself.
func (h *testCluster) balanced() {
	h.Helper()
	totals, err := ledger.TrialBalance(h.Context(), h.db)
	require.NoError(h, err)
	require.Empty(h, ledger.CheckTrialBalance(totals))
}

// history reads what Temporal keeps of an order.
func (h *testCluster) history(id string) (events int, activities []string, text string) {
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
