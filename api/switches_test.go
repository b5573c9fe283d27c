package api

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/referral"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/workflows"
)

func (v *visitor) turn(kind, name string, pause bool) *answer {
	v.Helper()
	paused := "false"
	if pause {
		paused = "true"
	}
	return v.post("/api/admin/switches", `{"kind":"`+kind+`","name":"`+name+`","paused":`+paused+`,"reason":"looked at"}`)
}

// A paused service accepts no order, not even at a promised price, is shown as paused in
// every place a customer sees, and is on again with the next request.
func TestSwitchesStopWhatTheyName(t *testing.T) {
	h := open(t, unscaled)
	admin, v := h.customer("admin"), h.customer()
	for _, one := range []struct{ kind, name, code string }{
		{"rail", "card", "rail_paused"}, {"asset", "BTC", "asset_paused"}, {"fulfilment", "", "fulfilment_paused"},
	} {
		held := v.price("card").is(http.StatusOK).text("quoteId")
		admin.turn(one.kind, one.name, true).is(http.StatusOK)
		require.NotEmpty(t, v.price("card").refused(http.StatusServiceUnavailable, one.code).text("message"))
		v.post("/api/orders", strings.Replace(newOrder, `"0.01"`, `"0.002","quoteId":"`+held+`"`, 1)).refused(http.StatusServiceUnavailable, one.code)
		v.post("/api/buy", `{"asset":"BTC","amountFiat":"100","destAddress":"`+btcAddress+`","paymentMethod":"card"}`).refused(http.StatusServiceUnavailable, one.code)
		require.Contains(t, string(v.get("/api/limits").body), " the moment", one.code)
		v.get("/api/public/prices").is(http.StatusOK)
		admin.turn(one.kind, one.name, false).is(http.StatusOK)
		v.price("card").is(http.StatusOK)
		require.NotContains(t, string(v.get("/api/limits").body), " the moment", one.code)
	}
	require.Zero(t, one[int](h, `SELECT count(*)::int FROM orders`))
	require.Equal(t, 6, one[int](h, `SELECT count(*)::int FROM audit_log WHERE object_kind = 'switch' AND actor_id = $1 AND reason = 'looked at'`, admin.userID))
}

func TestSwitchesAreTurnedOnceAndWithAReason(t *testing.T) {
	h := open(t)
	admin, other := h.customer("admin"), h.customer("admin")
	admin.turn("rail", "zelle", true).is(http.StatusOK)
	reported := other.turn("rail", "zelle", true).refused(http.StatusConflict, "paused_already").text("message")
	require.Contains(t, reported, one[string](h, `SELECT email FROM users WHERE id = $1`, admin.userID))
	other.turn("rail", "chime", false).refused(http.StatusConflict, "not_paused")
	other.turn("rail", "barter", true).refused(http.StatusUnprocessableEntity, "unknown_switch")
	other.turn("asset", "DOGE", true).refused(http.StatusUnprocessableEntity, "unknown_switch")
	other.turn("signups", "x", true).refused(http.StatusUnprocessableEntity, "unknown_switch")
	other.post("/api/admin/switches", `{"kind":"rail","name":"chime","paused":true,"reason":" "}`).refused(http.StatusUnprocessableEntity, "required")
	list := string(other.get("/api/admin/switches").is(http.StatusOK).body)
	require.Equal(t, 1, strings.Count(list, `"paused":true`))
	require.Equal(t, 1, one[int](h, `SELECT count(*)::int FROM audit_log WHERE object_kind = 'switch'`))
}

// What waits is signalled when its switch is turned back, by the API at once.
func TestWhatIsBlockedIsReportedAtOnce(t *testing.T) {
	h := open(t)
	admin, v := h.customer("admin"), h.customer()
	id := v.order("zelle")
	admin.turn("rail", "zelle", true).is(http.StatusOK)
	h.exec(`UPDATE orders SET status = 'payment_approved', attention_reason = 'paused', attention_since = now() WHERE id = $1`, id)
	require.Contains(t, string(admin.get("/api/admin/switches").body), `"parkedOrders":1`)
	require.Contains(t, string(v.get("/api/orders/"+id).body), `"paused"`)
	admin.turn("rail", "zelle", false).is(http.StatusOK)
	h.server.background.Wait()
	require.Contains(t, h.flows.seen(&h.flows.hints), id+" "+workflows.OrderChanged)
}

// While sign-ups are paused no new account is created; existing ones sign in.
func TestPausedSignUpsOpenNoAccount(t *testing.T) {
	h := open(t)
	admin := h.customer("admin")
	claims := account.Claims{Issuer: h.issuer.URL, Subject: "known", Email: "known@example.com"}
	_, err := account.SignIn(t.Context(), h.db, claims, referral.Arrival{})
	require.NoError(t, err)
	admin.turn("signups", "", true).is(http.StatusOK)
	_, err = account.SignIn(t.Context(), h.db, claims, referral.Arrival{})
	require.NoError(t, err)
	_, err = account.SignIn(t.Context(), h.db, account.Claims{Issuer: h.issuer.URL, Subject: "new", Email: "new@example.com"}, referral.Arrival{})
	require.Equal(t, "signups_paused", store.ReasonOf(err))
	newcomer := h.visitor()
	request := newcomer.begin()
	paused := newcomer.arrive(h.issuer.approve(request, map[string]any{"sub": "new", "email": "new@example.com"}), request.Get("state")).is(http.StatusServiceUnavailable)
	require.Contains(t, string(paused.body), "New accounts are paused")
	require.Contains(t, h.visitor().get("/api/public/notices").is(http.StatusOK).text("signUps"), "can't create an account")
	require.Zero(t, one[int](h, `SELECT count(*)::int FROM users WHERE subject = 'new'`))
}
