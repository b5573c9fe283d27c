package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	orderapi "github.com/tradepost/tradepost/api/order"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/workflows"
)

func TestOrderFromQuoteToReceipt(t *testing.T) {
	h := open(t)
	v := h.customer()
	quote := v.post("/api/orders/calculate-pricing", `{"asset":"BTC","amountAsset":"0.01","paymentMethod":"card","destAddress":"`+btcAddress+`"}`).is(http.StatusOK)
	require.Equal(t, "500.00", quote.text("basePrice"))
	require.Equal(t, "517.50", quote.text("total"))
	require.Equal(t, "bitcoin", quote.text("network"))

	body := strings.Replace(newOrder, "}", `,"network":"bitcoin","quoteId":"`+quote.text("quoteId")+`"}`, 1)
	made := v.post("/api/orders", body).is(http.StatusCreated)
	id := made.text("id")
	require.Equal(t, "pending", made.text("status"))
	require.Equal(t, "517.50", made.text("quoteFiat"))
	require.Equal(t, made.text("quoteFiat"), made.text("fiatAmount"))
	require.Eventually(t, func() bool { return len(h.flows.seen(&h.flows.started)) == 1 }, settledWait, settledPoll)

	var detail orderapi.OrderDetail
	v.get("/api/orders/" + id).is(http.StatusOK).read(&detail)
	require.Equal(t, "preparing", detail.Payment.Checkout.State)
	require.Equal(t, []string{"cancel", "receipt"}, detail.Choices)
	require.Equal(t, orderapi.EventKind("created"), detail.Events[0].Kind)

	h.exec(`UPDATE payments SET checkout_url = 'http://127.0.0.1:8091/pay/cs_1', checkout_expires_at = clock_now() + interval '30 min' WHERE order_id = $1`, id)
	v.get("/api/orders/" + id).is(http.StatusOK).read(&detail)
	require.Equal(t, "ready", detail.Payment.Checkout.State)
	require.Equal(t, []string{"pay", "cancel", "receipt"}, detail.Choices)
	require.Equal(t, "517.50", v.get("/api/orders/"+id+"/receipt").is(http.StatusOK).text("total"))
	require.Equal(t, "done", v.post("/api/orders/"+id+"/cancel", "").is(http.StatusOK).text("state"))
}

func TestOrdersAreAcceptedWhileTemporalIsAway(t *testing.T) {
	h := open(t)
	h.flows.away = errors.New("temporal is away")
	v, admin := h.customer(), h.customer("admin")
	id := v.order("card")
	require.True(t, one[bool](h, `SELECT workflow_started_at IS NULL FROM orders WHERE id = $1`, id))
	ready := v.get("/readyz").is(http.StatusOK)
	require.Equal(t, "unavailable", ready.text("temporal"))
	payment := h.authorise(id)
	decision := admin.post("/api/admin/payments/"+payment+"/process", "").is(http.StatusAccepted)
	require.Equal(t, "working", decision.text("state"))
	admin.post("/api/admin/payments/"+payment+"/process", "").refused(http.StatusConflict, "decision_open")
}

// hanging is a Temporal that accepts connections and never answers.
type hanging struct{ *flows }

func (hanging) Healthy(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

// A Temporal that hangs counts as down like one that refuses: no replica becomes unready
// for it.
func TestATemporalThatHangsLeavesTheSiteReady(t *testing.T) {
	h := open(t, func(d *Dependencies) { d.Workflows = hanging{d.Workflows.(*flows)} })
	ready := h.customer().get("/readyz").is(http.StatusOK)
	require.Equal(t, "ok", ready.text("database"))
	require.Equal(t, "unavailable", ready.text("temporal"))
}

// Every way to order that is refused: the field, the code, the specification's text.
func TestBar23BadInputIsRefusedAndMakesNoOrder(t *testing.T) {
	h := open(t)
	v := h.customer()
	h.exec(`INSERT INTO blocked_addresses (network, address_key, kind, source) VALUES ('bitcoin', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', 'own', 'x')`)
	valid := map[string]string{"asset": "BTC", "amountAsset": "0.01", "paymentMethod": "card", "destAddress": btcAddress}
	for _, c := range []struct{ field, value, wantField, code string }{
		{"asset", "DOGE", "asset", "unknown_asset"},
		{"paymentMethod", "barter", "paymentMethod", "unknown_method"},
		{"paymentMethod", "cash", "paymentMethod", "method_disabled"},
		{"paymentMethod", "balance", "paymentMethod", "insufficient_balance"},
		{"amountAsset", "", "amountAsset", "invalid_amount"},
		{"amountAsset", "0", "amountAsset", "invalid_amount"},
		{"amountAsset", "-1", "amountAsset", "invalid_amount"},
		{"amountAsset", "1e3", "amountAsset", "invalid_amount"},
		{"amountAsset", "1" + strings.Repeat("0", 40), "amountAsset", "invalid_amount"},
		{"amountAsset", "0.0000000000000000001", "amountAsset", "too_fine"},
		{"amountAsset", "$5", "amountAsset", "invalid_amount"},
		{"amountAsset", "0.0009", "amountAsset", "below_minimum"},
		{"amountAsset", "0.25", "amountAsset", "above_maximum"},
		{"destAddress", " ", "destAddress", "required"},
		{"destAddress", btcAddress[:41] + "5", "destAddress", "bad_checksum"},
		{"destAddress", "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx", "destAddress", "testnet"},
		{"destAddress", "0x52908400098527886E0F7030069857D2E4169EE7", "destAddress", "wrong_network"},
		{"destAddress", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "destAddress", "own_address"},
		{"quoteId", "made.up", "quoteId", "bad_quote"},
		{"network", "ethereum", "destAddress", "wrong_network"},
	} {
		body := map[string]string{}
		for k, value := range valid {
			body[k] = value
		}
		body[c.field] = c.value
		text, err := json.Marshal(body)
		require.NoError(t, err)
		refusal := v.post("/api/orders", string(text)).refused(http.StatusUnprocessableEntity, c.code)
		require.Equal(t, c.wantField, refusal.text("field"), c)
		require.NotEmpty(t, refusal.text("message"))
	}
	unverified := h.customer()
	h.exec(`UPDATE kyc_records SET level = 'none', status = 'not_started' WHERE user_id = $1`, unverified.userID)
	refusal := unverified.post("/api/orders", newOrder).refused(http.StatusForbidden, "kyc_required")
	require.Equal(t, "Please complete identity verification before making purchases", refusal.text("message"))
	require.Zero(t, one[int](h, `SELECT count(*) FROM orders`))
}

func TestBar23AnExpiredQuoteAnswersTheNewPrice(t *testing.T) {
	h := open(t)
	v := h.customer()
	quote := v.post("/api/orders/calculate-pricing", `{"asset":"BTC","amountAsset":"0.01","paymentMethod":"card"}`).is(http.StatusOK).text("quoteId")
	h.advance("61 seconds")
	h.price("60000")
	require.Eventually(t, func() bool { // the replica forgets prices after a second
		return v.get("/api/exchange-rates").text("BTC") == "60000"
	}, settledWait, 5*settledPoll)
	h.exec(`UPDATE markets SET jumped_at = NULL`)
	var refusal rest.Problem
	require.Eventually(t, func() bool {
		a := v.post("/api/orders", strings.Replace(newOrder, "}", `,"quoteId":"`+quote+`"}`, 1))
		if a.status != http.StatusConflict {
			return false
		}
		a.read(&refusal)
		return true
	}, settledWait, 5*settledPoll)
	require.Equal(t, "quote_expired", refusal.Code)
	require.Equal(t, "600.00", refusal.Pricing.BasePrice)
	require.Zero(t, one[int](h, `SELECT count(*) FROM orders`))
}

func TestBuyIsThePriceBeforeFees(t *testing.T) {
	h := open(t)
	v := h.customer()
	order := v.post("/api/buy", `{"asset":"BTC","amountFiat":"500","paymentMethod":"card","destAddress":"`+btcAddress+`"}`).is(http.StatusCreated)
	require.Equal(t, "0.01", order.text("amountAsset"))
	require.Equal(t, "517.50", order.text("quoteFiat"))
	for body, code := range map[string]string{"0": "invalid_amount", "1e2": "invalid_amount", "12.345": "invalid_amount", "10": "below_minimum"} {
		v.post("/api/buy", `{"asset":"BTC","amountFiat":"`+body+`","paymentMethod":"card","destAddress":"`+btcAddress+`"}`).refused(http.StatusUnprocessableEntity, code)
	}
}

func TestBar19IdempotencyKey(t *testing.T) {
	h := open(t)
	v, w := h.customer(), h.customer()
	first := v.post("/api/orders", newOrder, "Idempotency-Key", "intent-0001").is(http.StatusCreated)
	again := v.post("/api/orders", newOrder, "Idempotency-Key", "intent-0001").is(http.StatusCreated)
	require.Equal(t, string(first.body), string(again.body), "the identical answer")
	v.post("/api/orders", strings.Replace(newOrder, "0.01", "0.02", 1), "Idempotency-Key", "intent-0001").refused(http.StatusUnprocessableEntity, "key_reused")
	v.post("/api/buy", `{"asset":"BTC","amountFiat":"500","paymentMethod":"card","destAddress":"`+btcAddress+`"}`, "Idempotency-Key", "intent-0001").
		refused(http.StatusUnprocessableEntity, "key_reused")
	other := w.post("/api/orders", newOrder, "Idempotency-Key", "intent-0001").is(http.StatusCreated)
	require.NotEqual(t, first.text("id"), other.text("id"), "keys are the user's own")

	replica := h.serve() // survives restart: another process gives the same answer
	v.origin, v.client.Jar = replica.URL, jarFor(v, replica.URL)
	v.csrf = v.get("/api/csrf-token").text("csrfToken")
	require.Equal(t, string(first.body), string(v.post("/api/orders", newOrder, "Idempotency-Key", "intent-0001").is(http.StatusCreated).body))

	ids := make(chan string, 8)
	var all sync.WaitGroup
	for range cap(ids) {
		all.Go(func() {
			ids <- v.post("/api/orders", newOrder, "Idempotency-Key", "intent-0002").is(http.StatusCreated).text("id")
		})
	}
	all.Wait()
	close(ids)
	one := <-ids
	for id := range ids {
		require.Equal(t, one, id, "one wins, the others wait for its answer")
	}
	refused := strings.Replace(newOrder, "0.01", "0.0001", 1)
	v.post("/api/orders", refused, "Idempotency-Key", "intent-0003").is(http.StatusUnprocessableEntity)
	v.post("/api/orders", newOrder, "Idempotency-Key", "intent-0003").is(http.StatusCreated) // a refusal is not remembered
}

func TestBar18TwoAdminsOneEffect(t *testing.T) {
	h := open(t)
	customer := h.customer()
	admins := []*visitor{h.customer("admin"), h.customer("finance"), h.customer("admin")}
	payment := h.authorise(customer.order("card"))
	hold := make(chan struct{})
	h.flows.outcome = func(_, _, id string) (workflows.Outcome, bool, error) {
		<-hold
		h.exec(`UPDATE decisions SET settled_at = clock_now(), outcome = 'done', outcome_code = 'done' WHERE id = $1`, id)
		return workflows.Outcome{Code: workflows.Done}, true, nil
	}
	statuses := make(chan int, len(admins)*3)
	var all sync.WaitGroup
	for _, admin := range admins {
		for range 3 {
			all.Go(func() { statuses <- admin.post("/api/admin/payments/"+payment+"/process", "").status })
		}
	}
	for range cap(statuses) - 1 {
		require.Equal(t, http.StatusConflict, <-statuses)
	}
	close(hold)
	all.Wait()
	require.Equal(t, http.StatusOK, <-statuses)
	require.Equal(t, 1, one[int](h, `SELECT count(*) FROM audit_log WHERE action = 'order.process'`))
	require.Len(t, h.flows.seen(&h.flows.decided), 1)
}

func TestDecisions(t *testing.T) {
	h := open(t)
	v, admin := h.customer(), h.customer("admin")
	payment := h.authorise(v.order("card"))
	admin.post("/api/admin/payments/"+payment+"/reject", `{"reason":"  "}`).refused(http.StatusUnprocessableEntity, "required")
	admin.post("/api/admin/payments/"+payment+"/reject", `{}`).is(http.StatusUnprocessableEntity)
	h.flows.outcome = func(_, _, id string) (workflows.Outcome, bool, error) {
		h.exec(`UPDATE decisions SET settled_at = clock_now(), outcome = 'refused', outcome_code = 'card_declined' WHERE id = $1`, id)
		return workflows.Outcome{Code: "card_declined"}, true, nil
	}
	refused := admin.post("/api/admin/payments/"+payment+"/process", "").refused(http.StatusConflict, "card_declined")
	require.Equal(t, "The card was declined.", refused.text("message"))

	own := h.authorise(admin.order("card"))
	admin.post("/api/admin/payments/"+own+"/process", "").refused(http.StatusForbidden, "own_order")
	var list orderapi.PendingPayments
	admin.get("/api/admin/payments/pending").is(http.StatusOK).read(&list)
	for _, p := range list.Payments {
		if p.ID == own {
			require.Empty(t, p.Actions, "no buttons on one's own")
		} else {
			require.Equal(t, []string{"process", "decline"}, p.Actions)
		}
	}

	wire := v.order("domestic_wire")
	var detail orderapi.OrderDetail
	v.get("/api/orders/" + wire).read(&detail)
	require.NotEmpty(t, detail.Payment.Instructions)
	require.Contains(t, detail.Choices, "upload_receipt")
	path := "/api/admin/payments/" + one[string](h, `SELECT id::text FROM payments WHERE order_id = $1`, wire) + "/confirm"
	today := one[string](h, `SELECT to_char(clock_now(), 'YYYY-MM-DD')`)
	confirm := func(amount, day string) *answer {
		return admin.post(path, `{"amount":"`+amount+`","receivedOn":"`+day+`","bankReference":"B-1"}`)
	}
	confirm("0", today).refused(http.StatusUnprocessableEntity, "invalid_amount")
	confirm("-1", today).refused(http.StatusUnprocessableEntity, "invalid_amount")
	confirm(detail.Total, "2099-01-01").refused(http.StatusUnprocessableEntity, "invalid_date")
	// The bank may be where the day begins first (UTC+14).
	dayAfter := func(hours int) string {
		return one[string](h, `SELECT to_char(clock_now() AT TIME ZONE 'UTC' + make_interval(hours => $1),
			'YYYY-MM-DD')`, hours)
	}
	confirm(detail.Total, dayAfter(14+24)).refused(http.StatusUnprocessableEntity, "invalid_date")
	confirm(detail.Total, today).refused(http.StatusConflict, "card_declined") // it reached the workflow, which answers as configured above
}
