package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	accountapi "github.com/tradepost/tradepost/api/account"
	kycapi "github.com/tradepost/tradepost/api/kyc"
	pricingapi "github.com/tradepost/tradepost/api/pricing"
)

// offeredIn has staff say where a method is offered.
func (v *visitor) offeredIn(method, countries string) *answer {
	v.Helper()
	return v.unsafe(http.MethodPatch, "/api/admin/pricing/payment-methods/"+v.methodID(method), fmt.Sprintf(
		`{"baseMarginPercent":"3.5","processingFee":"0","minOrderAmount":"50","isEnabled":true,"reason":"licenses",
		  "countries":%s}`, countries))
}

// from is a customer of a country, which is empty while it is unknown.
func (h *testServer) from(country string) *visitor {
	h.Helper()
	v := h.customer()
	h.exec(`UPDATE users SET country = $2 WHERE id = $1`, v.userID, country)
	return v
}

// rails are what a person is offered to pay with, on every page.
func (v *visitor) rails() []string {
	v.Helper()
	var config accountapi.Config
	v.get("/api/config").is(http.StatusOK).read(&config)
	var session accountapi.Session
	v.get("/api/session").is(http.StatusOK).read(&session)
	require.Equal(v, config.Offer, session.Config.Offer)
	return config.Offer.Rails
}

// Every path to a new order refuses a method that is not offered in the customer's country, by the name of its field,
// and makes no order; also at a price that was promised before.
func TestAMethodIsTakenInItsCountriesAlone(t *testing.T) {
	h := open(t, unscaled)
	admin := h.customer("admin")
	cheap := strings.Replace(newOrder, `"0.01"`, `"0.002"`, 1)
	for _, c := range []struct {
		country, list string
		takes         bool
	}{
		{"CH", `["CH","LI"]`, true}, {"LI", `["CH","LI"]`, true}, {"US", `["CH","LI"]`, false}, {"", `["CH","LI"]`, false},
		{"US", `[]`, true}, {"", `[]`, true},
	} {
		v := h.from(c.country)
		promised := v.price("card").is(http.StatusOK).text("quoteId")
		admin.offeredIn("card", c.list).is(http.StatusOK)
		for _, call := range []struct{ path, body string }{
			{"/api/orders/calculate-pricing", `{"asset":"BTC","amountAsset":"0.002","paymentMethod":"card"}`},
			{"/api/orders", cheap},
			{"/api/orders", strings.Replace(cheap, "}", `,"quoteId":"`+promised+`"}`, 1)},
			{"/api/buy", `{"asset":"BTC","amountFiat":"100","paymentMethod":"card","destAddress":"` + btcAddress + `"}`},
		} {
			a := v.post(call.path, call.body)
			if c.takes {
				require.Less(t, a.status, http.StatusMultipleChoices, "%+v %s: %s", c, call.path, a.body)
				continue
			}
			a.refused(http.StatusUnprocessableEntity, "method_not_in_country")
			require.Equal(t, "paymentMethod", a.text("field"), call.path)
		}
		made := one[int](h, `SELECT count(*)::int FROM orders WHERE user_id = $1`, v.userID)
		require.Equal(t, c.takes, made == 3, "%+v: %d orders", c, made)
		require.Equal(t, c.takes, made > 0, "%+v: %d orders", c, made)
		v.price("zelle").is(http.StatusOK) // as before
		admin.offeredIn("card", `[]`).is(http.StatusOK)
	}
}

// An order that was placed before its method was narrowed continues: its money is confirmed, and priced again.
func TestAnOpenOrderOfANarrowedMethodContinues(t *testing.T) {
	h := open(t)
	h.byRows()
	v, finance := h.from("US"), h.customer("finance")
	short, whole := v.order("domestic_wire"), v.order("domestic_wire")
	h.customer("admin").offeredIn("domestic_wire", `["CH"]`).is(http.StatusOK)
	v.price("domestic_wire").refused(http.StatusUnprocessableEntity, "method_not_in_country")

	finance.confirm(short, "300.00", "W-1").is(http.StatusOK)
	v.get("/api/orders/" + short + "/requote").is(http.StatusOK)
	finance.confirm(whole, v.get("/api/orders/"+whole).is(http.StatusOK).text("quoteFiat"), "W-2").is(http.StatusOK)
	require.True(t, one[bool](h, `SELECT paid_at IS NOT NULL FROM orders WHERE id = $1`, whole))
}

// A method is shown to the customers of its countries, and to visitors; prices are listed for all.
func TestAMethodIsShownInItsCountriesAlone(t *testing.T) {
	h := open(t)
	anybody, here, there, unknown, admin := h.visitor(), h.from("CH"), h.from("US"), h.from(""), h.customer("admin")
	enabled := func(v *visitor) bool {
		var limits kycapi.Limits
		v.get("/api/limits").is(http.StatusOK).read(&limits)
		for _, m := range limits.Methods {
			if m.Method == "card" {
				return m.IsEnabled
			}
		}
		return false
	}
	all := anybody.rails()
	require.Contains(t, all, "card")
	for _, v := range []*visitor{here, there, unknown} {
		require.Equal(t, all, v.rails(), "no method has a list by default")
		require.True(t, enabled(v))
	}

	admin.offeredIn("card", `["CH"]`).is(http.StatusOK)
	require.Equal(t, all, anybody.rails(), "a visitor has no country")
	require.Equal(t, all, here.rails())
	require.True(t, enabled(here))
	for _, v := range []*visitor{there, unknown} {
		require.NotContains(t, v.rails(), "card")
		require.Len(t, v.rails(), len(all)-1)
		require.False(t, enabled(v))
	}
	var prices pricingapi.PublicPrices
	there.get("/api/public/prices").is(http.StatusOK).read(&prices)
	require.Equal(t, "card", prices.PaymentMethods[0].Method)
	require.True(t, prices.PaymentMethods[0].IsEnabled)

	// The verified country counts from the next question. A session that owes the second factor tells nothing of it.
	h.exec(`UPDATE users SET country = 'CH' WHERE id = $1`, unknown.userID)
	require.Equal(t, all, unknown.rails())
	there.enrol()
	require.NotContains(t, there.rails(), "card")
	require.Equal(t, all, there.again().rails())
}

// The countries of a method are stored once each, in their order, with who set them and why. Left out, they stay.
func TestTheCountriesOfAMethodAreSetByStaff(t *testing.T) {
	h := open(t, unscaled)
	admin := h.customer("admin")
	path := "/api/admin/pricing/payment-methods/" + h.methodID("card")
	set := admin.offeredIn("card", `["LI","CH","LI"]`).is(http.StatusOK)
	require.Contains(t, string(set.body), `"countries":["CH","LI"]`)
	require.Equal(t, 1, one[int](h, `SELECT count(*)::int FROM audit_log WHERE action = 'pricing.payment_method'
		AND object_id = $1 AND actor_id = $2 AND reason = 'licenses' AND before->>'countries' = '[]'
		AND after->'countries'->>0 = 'CH' AND after->'countries'->>1 = 'LI'`, h.methodID("card"), admin.userID))
	history := string(admin.get("/api/admin/pricing/history").is(http.StatusOK).body)
	require.Contains(t, history, `"countries":["CH","LI"]`)

	without := `{"baseMarginPercent":"4","processingFee":"0","minOrderAmount":"50","isEnabled":true}`
	kept := admin.unsafe(http.MethodPatch, path, without).is(http.StatusOK)
	require.Contains(t, string(kept.body), `"countries":["CH","LI"]`)
	version := one[int](h, `SELECT version FROM payment_methods WHERE payment_method = 'card'`)
	body := func(countries string) string { return strings.Replace(without, "}", `,"countries":`+countries+`}`, 1) }
	for _, call := range []func(string) *answer{
		func(body string) *answer { return admin.unsafe(http.MethodPatch, path, body) },
		func(body string) *answer { return admin.post(path+"/preview", body) },
	} {
		for _, wrong := range []string{`["XX"]`, `["ch"]`, `[""]`, `["CH","Switzerland"]`} {
			a := call(body(wrong)).refused(http.StatusUnprocessableEntity, "unknown_country")
			require.Equal(t, "countries", a.text("field"))
		}
		for _, wrong := range []string{`"CH"`, `[1]`, `[` + strings.Repeat(`"CH",`, 300) + `"CH"]`} {
			require.Equal(t, http.StatusUnprocessableEntity, call(body(wrong)).status, wrong)
		}
	}
	admin.post(path+"/preview", body(`["US"]`)).is(http.StatusOK)
	require.Equal(t, version, one[int](h, `SELECT version FROM payment_methods WHERE payment_method = 'card'`))
	everywhere := admin.unsafe(http.MethodPatch, path, body(`[]`)).is(http.StatusOK)
	require.Contains(t, string(everywhere.body), `"countries":[]`)
}
