package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	kycapi "github.com/tradepost/tradepost/api/kyc"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

func mustBTC(t *testing.T, text string) money.Units {
	t.Helper()
	amount, err := money.BTC.Parse(text)
	require.NoError(t, err)
	return amount
}

const cardFee = `{"baseMarginPercent":"5","processingFee":"1.00","minOrderAmount":"50","maxOrderAmount":"","isEnabled":true,"description":"Cards","version":%d,"reason":"dearer"}`

func (h *testServer) methodID(code string) string {
	h.Helper()
	return one[string](h, `SELECT id::text FROM payment_methods WHERE payment_method = $1`, code)
}

func (v *visitor) price(method string) *answer {
	v.Helper()
	return v.post("/api/orders/calculate-pricing", `{"asset":"BTC","amountAsset":"0.002","paymentMethod":"`+method+`"}`)
}

// elsewhere is the same person at another replica.
func (v *visitor) elsewhere(origin string) *visitor {
	other := *v
	other.origin, other.client = origin, &http.Client{Jar: jarFor(v, origin)}
	return &other
}

// One change: in force in both replicas with the next question, kept as a version and
// audited; a quote that was given keeps its price; a second admin who saw the old values is
// informed who changed them.
func TestPricingChangeIsInForceInEveryReplicaAtOnce(t *testing.T) {
	h := open(t)
	second := h.serve(func(d *Dependencies) { d.Quoter = pricing.NewQuoter(h.db, []byte(strings.Repeat("k1", 16))) })
	customer, admin, other := h.customer(), h.customer("admin"), h.customer("admin")
	there := customer.elsewhere(second.URL)
	require.Equal(t, "103.50", there.price("card").is(http.StatusOK).text("total"))
	held := customer.price("card").is(http.StatusOK)
	require.Equal(t, "103.50", held.text("total"))

	path := "/api/admin/pricing/payment-methods/" + h.methodID("card")
	preview := admin.post(path+"/preview", fmt.Sprintf(cardFee, 1)).is(http.StatusOK)
	require.Contains(t, string(preview.body), `"total":"103.50"`)
	require.Contains(t, string(preview.body), `"total":"106.00"`)
	require.Equal(t, "103.50", customer.price("card").text("total"), "a preview changes nothing")

	changed := admin.unsafe(http.MethodPatch, path, fmt.Sprintf(cardFee, 1)).is(http.StatusOK)
	require.Contains(t, string(changed.body), `"version":2`)
	require.Contains(t, string(changed.body), `"maxOrderAmount":null`)
	require.Equal(t, "106.00", there.price("card").text("total"))
	require.Equal(t, "106.00", customer.price("card").text("total"))
	admin.unsafe(http.MethodPatch, path, fmt.Sprintf(cardFee, 2)).is(http.StatusOK) // nothing else: no version

	refused := other.unsafe(http.MethodPatch, path, strings.Replace(fmt.Sprintf(cardFee, 1), `"5"`, `"6"`, 1)).refused(http.StatusConflict, "changed_meanwhile")
	require.Contains(t, refused.text("message"), one[string](h, `SELECT email FROM users WHERE id = $1`, admin.userID)+" changed this on ")

	order := customer.post("/api/orders", strings.Replace(newOrder, `"0.01"`, `"0.002","quoteId":"`+held.text("quoteId")+`"`, 1)).is(http.StatusCreated)
	require.Equal(t, "103.50", order.text("quoteFiat"), "what was promised for a minute is kept")

	history := admin.get("/api/admin/pricing/history").is(http.StatusOK)
	require.Equal(t, 1, strings.Count(string(history.body), `"kind"`))
	require.Contains(t, string(history.body), `"reason":"dearer"`)
	require.Equal(t, 1, one[int](h, `SELECT count(*)::int FROM audit_log WHERE action = 'pricing.payment_method' AND object_id = $1 AND actor_id = $2
		AND before->>'baseMarginPercent' = '3.5' AND after->>'baseMarginPercent' = '5' AND reason = 'dearer'`, h.methodID("card"), admin.userID))

	// Switched off, it accepts no order, not even at a price that was promised.
	promised := customer.price("zelle").text("quoteId")
	off := strings.Replace(fmt.Sprintf(cardFee, 1), "true", "false", 1)
	admin.unsafe(http.MethodPatch, "/api/admin/pricing/payment-methods/"+h.methodID("zelle"), off).is(http.StatusOK)
	stale, err := pricing.ReadPricing(t.Context(), h.db)
	require.NoError(t, err)
	require.False(t, stale.Methods["zelle"].IsEnabled)
	zelle := strings.NewReplacer(`"0.01"`, `"0.002","quoteId":"`+promised+`"`, `"card"`, `"zelle"`).Replace(newOrder)
	customer.post("/api/orders", zelle).refused(http.StatusUnprocessableEntity, "method_disabled")
}

// An order is judged by the pricing of its own transaction, however old the copy
// is that a process came with.
func TestAnOrderIsJudgedByThePricingInForce(t *testing.T) {
	h := open(t)
	customer := h.customer()
	old, err := pricing.ReadPricing(t.Context(), h.db)
	require.NoError(t, err)
	amount, err := pricing.NewQuoter(h.db, []byte("k")).Quote(t.Context(), pricing.QuoteInput{UserID: customer.userID, Asset: "BTC", Amount: mustBTC(t, "0.01"), Method: "zelle"})
	require.NoError(t, err)
	h.exec(`UPDATE payment_methods SET is_enabled = false WHERE payment_method = 'zelle'`)
	_, err = order.CreateOrder(t.Context(), h.db, old, order.NewOrder{Quote: amount, Network: money.Bitcoin, Address: btcAddress, AddressKey: btcAddress, Channel: "web"})
	require.Equal(t, "method_disabled", store.ReasonOf(err))
}

func TestPricingRefusesWhatMakesNoSense(t *testing.T) {
	h := open(t, unscaled)
	admin := h.customer("admin")
	path := "/api/admin/pricing/payment-methods/" + h.methodID("card")
	good := map[string]any{"baseMarginPercent": "3.5", "processingFee": "0", "minOrderAmount": "50", "maxOrderAmount": "10000", "isEnabled": true, "description": "x"}
	for _, wrong := range []struct{ field, value, code string }{
		{"baseMarginPercent", "-1", "invalid_percent"}, {"baseMarginPercent", "1e1", "invalid_percent"}, {"baseMarginPercent", "", "invalid_percent"},
		{"baseMarginPercent", "3.12345", "too_fine"}, {"baseMarginPercent", "51", "too_high"}, {"baseMarginPercent", "0.7", "below_floor"},
		{"processingFee", "-1", "invalid_amount"}, {"processingFee", "0.001", "invalid_amount"}, {"processingFee", "1000.01", "too_high"},
		{"minOrderAmount", "x", "invalid_amount"}, {"maxOrderAmount", "49.99", "below_minimum"}, {"maxOrderAmount", "0", "below_minimum"},
	} {
		for _, call := range []func(string) *answer{
			func(body string) *answer { return admin.unsafe(http.MethodPatch, path, body) },
			func(body string) *answer { return admin.post(path+"/preview", body) },
		} {
			a := call(with(good, wrong.field, wrong.value)).refused(http.StatusUnprocessableEntity, wrong.code)
			require.Equal(t, wrong.field, a.text("field"), string(a.body))
		}
	}
	require.Equal(t, 1, one[int](h, `SELECT version FROM payment_methods WHERE payment_method = 'card'`))
	admin.unsafe(http.MethodPatch, "/api/admin/pricing/payment-methods/"+store.NewID(), with(good, "description", "y")).is(http.StatusNotFound)
	admin.unsafe(http.MethodPatch, "/api/admin/pricing/payment-methods/x", with(good, "description", "y")).is(http.StatusNotFound)
}

// A country pays on top, or is not sold to; its orders continue.
func TestCountriesPayOnTopOrAreNotSoldTo(t *testing.T) {
	h := open(t)
	admin, here, abroad := h.customer("admin"), h.customer(), h.customer()
	h.exec(`UPDATE users SET country = 'CH' WHERE id = $1`, here.userID)
	made := admin.post("/api/admin/pricing/locations", `{"country":"CH","adjustmentPercent":"1.5","isBlocked":false,"reason":"costs"}`).is(http.StatusCreated)
	require.Equal(t, "105.00", here.price("card").text("total"))
	require.Equal(t, "103.50", abroad.price("card").text("total"))
	admin.post("/api/admin/pricing/locations", `{"country":"CH","adjustmentPercent":"1","isBlocked":false}`).refused(http.StatusUnprocessableEntity, "already_there")
	admin.post("/api/admin/pricing/locations", `{"country":"XX","adjustmentPercent":"1","isBlocked":false}`).refused(http.StatusUnprocessableEntity, "unknown_country")

	held := here.price("card").text("quoteId")
	before := here.order("domestic_wire")
	path := "/api/admin/pricing/locations/" + made.text("id")
	admin.unsafe(http.MethodPatch, path, `{"adjustmentPercent":"1.5","isBlocked":true,"version":1}`).is(http.StatusOK)
	here.price("card").refused(http.StatusForbidden, "country_blocked")
	here.post("/api/orders", strings.Replace(newOrder, `"0.01"`, `"0.002","quoteId":"`+held+`"`, 1)).refused(http.StatusForbidden, "country_blocked")
	require.Contains(t, here.get("/api/limits").text("refused"), "your country")
	require.Empty(t, abroad.get("/api/limits").text("refused"))
	here.get("/api/orders/" + before).is(http.StatusOK)

	admin.post(path+"/remove", `{"version":1}`).refused(http.StatusConflict, "changed_meanwhile")
	admin.post(path+"/remove", `{"version":2,"reason":"over"}`).is(http.StatusNoContent)
	require.Equal(t, "103.50", here.price("card").text("total"))
	require.Equal(t, 3, one[int](h, `SELECT count(*)::int FROM audit_log WHERE action = 'pricing.country'`))
	require.Equal(t, 3, strings.Count(string(admin.get("/api/admin/pricing/history?kind=country").body), `"name":"CH"`))
}

// Anybody sees how prices went in the last day; an asset whose price was never read
// has no line.
func TestPriceHistoryIsWhatWasRead(t *testing.T) {
	h := open(t)
	h.advance("3 hours")
	h.price("51000")
	reported := h.visitor().get("/api/public/price-history").is(http.StatusOK)
	require.Equal(t, 2, strings.Count(string(reported.body), `"at"`))
	require.Regexp(t, `"BTC":\[\{"at":"[^"]+","price":"50000"\},\{"at":"[^"]+","price":"51000"\}\]`, string(reported.body))
	require.NotContains(t, string(reported.body), "ETH")
}

// A bonus of $25 is spendable: the balance has a minimum of its own, and the exchange's smallest order of the coin holds.
func TestTheBalanceIsSpentFromOneDollar(t *testing.T) {
	h := open(t)
	customer := h.customer()
	quote := func(method, amount string) *answer {
		return customer.post("/api/orders/calculate-pricing", `{"asset":"BTC","amountAsset":"`+amount+`","paymentMethod":"`+method+`"}`)
	}
	quote("card", "0.0005").refused(http.StatusUnprocessableEntity, "below_minimum")
	quote("balance", "0.0005").is(http.StatusOK)
	quote("balance", "0.00005").is(http.StatusOK)
	quote("balance", "0.00004").refused(http.StatusUnprocessableEntity, "below_market_minimum")
	h.exec(`UPDATE markets SET min_cost = 100`)
	_, err := pricing.NewQuoter(h.db, []byte("k")).Quote(t.Context(), pricing.QuoteInput{UserID: customer.userID, Asset: "BTC", Amount: mustBTC(t, "0.0005"), Method: "balance"})
	require.Equal(t, "below_market_minimum", store.ReasonOf(err))
	var limits kycapi.Limits
	customer.get("/api/limits").is(http.StatusOK).read(&limits)
	require.Equal(t, "1.00", limits.MinOrder["balance"])
	require.Equal(t, "50.00", limits.MinOrder["card"])
	require.NotEmpty(t, limits.Assets[0].Smallest)
	require.Empty(t, limits.Assets[0].NetworkFee, "nothing was sent")

	h.exec(`UPDATE markets SET min_cost = 0.5`)
	h.exec(`INSERT INTO withdrawals (id, order_id, user_id, generation, asset, network, provider, address, amount,
			sequence_id, status, fee) VALUES (gen_random_uuid(), $1, $2, 1, 'BTC', 'bitcoin', 'bitgo', $3, 100, 'sent', 'confirmed', 6000)`,
		customer.order("card"), customer.userID, btcAddress)
	customer = customer.elsewhere(h.serve().URL)
	customer.get("/api/limits").is(http.StatusOK).read(&limits)
	require.Equal(t, "3.00", limits.Assets[0].NetworkFee)
	quote("balance", "0.0001").refused(http.StatusUnprocessableEntity, "below_minimum")
	quote("balance", "0.00011").is(http.StatusOK)
}
