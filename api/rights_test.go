package api

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	accountapi "github.com/tradepost/tradepost/api/account"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/privacy"
	"github.com/tradepost/tradepost/models/referral"
)

func TestNamesArePutRightUnlessAnIdentityCheckHasConfirmedThem(t *testing.T) {
	h := open(t)
	v := h.customer()
	v.post("/api/profile/name", `{"firstName":"Augusta","lastName":"King"}`).refused(http.StatusConflict, "name_verified")
	h.exec(`UPDATE kyc_records SET level = 'none', status = 'not_started' WHERE user_id = $1`, v.userID)
	for _, body := range []string{`{"firstName":"","lastName":"King"}`, `{"firstName":"A\u0007da","lastName":""}`, `{"firstName":"\u200b","lastName":"King"}`,
		`{"firstName":"Ada","lastName":"\u202eKing"}`, `{"firstName":"` + strings.Repeat("A", 61) + `","lastName":""}`, `{"firstName":"Ada"}`, `{"firstName":"Ada","lastName":"King","isAdmin":true}`} {
		v.post("/api/profile/name", body).is(http.StatusUnprocessableEntity)
	}
	var profile accountapi.Profile
	v.post("/api/profile/name", `{"firstName":" Augusta  Ada ","lastName":"O’Brien-King"}`).is(http.StatusOK).read(&profile)
	require.Equal(t, "Augusta Ada", profile.FirstName)
	require.Equal(t, "O’Brien-King", profile.LastName)
	_, err := account.SignIn(t.Context(), h.db, account.Claims{Issuer: h.issuer.URL, Subject: v.userID, Email: "ada@example.com", FirstName: "Wrong", LastName: "Again"}, referral.Arrival{})
	require.NoError(t, err)
	require.Equal(t, "Augusta Ada", v.get("/api/profile").text("firstName"), "the issuer does not undo it")
}

// What customers may do without they are not sent; what they must know they are,
// whatever they chose.
func TestPreferencesDecideWhichMailsAreQueued(t *testing.T) {
	h := open(t)
	v, helper := h.customer(), h.customer("support")
	for _, body := range []string{`{"language":"xx","muted":[],"news":false}`, `{"language":"en","muted":["security"],"news":false}`, `{"language":"en"}`} {
		v.post("/api/profile/preferences", body).is(http.StatusUnprocessableEntity)
	}
	var profile accountapi.Profile
	v.post("/api/profile/preferences", `{"language":"en","muted":["support","orders","support"],"news":true}`).is(http.StatusOK).read(&profile)
	require.Equal(t, []accountapi.Topic{{Topic: "orders", Wanted: false}, {Topic: "gift_cards", Wanted: true}, {Topic: "support", Wanted: false}, {Topic: "referrals", Wanted: true}}, profile.Topics)
	require.True(t, profile.News)
	mailed := func(kind string) int {
		return one[int](h, `SELECT count(*) FROM mails WHERE user_id = $1 AND kind = $2`, v.userID, kind)
	}
	id := v.asks(newTicket)
	helper.post("/api/admin/support/tickets/"+id+"/reply", `{"message":"x"}`).is(http.StatusOK)
	o := v.order("domestic_wire")
	v.sell(regularCard, nil).is(http.StatusCreated)
	require.Zero(t, mailed("ticket_answered"))
	require.Zero(t, mailed("order_created"))
	require.Equal(t, 1, mailed("gift_card_received"))
	require.Equal(t, 1, one[int](h, `SELECT count(*) FROM mails WHERE kind = 'ticket_opened'`), "staff are told whatever a customer chose")
	require.NoError(t, order.ChangeOrder(t.Context(), h.db, o, func(c *order.OrderChange) error {
		return c.Event(casework.Event{Kind: "money_short", Data: map[string]any{"received": "1", "expected": "2"}})
	}))
	require.Equal(t, 1, mailed("money_short"), "a choice with a deadline is always told")
	v.post("/api/profile/preferences", `{"language":"en","muted":[],"news":false}`).is(http.StatusOK)
	helper.post("/api/admin/support/tickets/"+id+"/reply", `{"message":"y"}`).is(http.StatusOK)
	require.Equal(t, 1, mailed("ticket_answered"))
}

func TestRestrictedAccountsBeginNothing(t *testing.T) {
	h := open(t)
	v := h.customer()
	under := v.order("domestic_wire")
	v.post("/api/account/restriction", `{"restricted":true}`).is(http.StatusOK)
	require.Equal(t, "restricted", v.get("/api/auth/user").is(http.StatusOK).text("hold"))
	require.Equal(t, "You restricted your account. Remove the restriction in your settings first.", v.get("/api/limits").is(http.StatusOK).text("refused"), "told before anything is filled in")
	v.post("/api/orders", newOrder).refused(http.StatusForbidden, "account_restricted")
	v.sell(regularCard, nil).refused(http.StatusForbidden, "account_restricted")
	v.post("/api/vouchers/redeem", redemptionOf(h.customer("admin").generate("50", "USD").Code)).refused(http.StatusForbidden, "account_restricted")
	v.post("/api/orders/"+under+"/cancel", "").is(http.StatusOK)
	v.asks(newTicket)
	require.Equal(t, 1, one[int](h, `SELECT count(*) FROM orders`))
	v.post("/api/account/restriction", `{"restricted":false}`).is(http.StatusOK)
	v.post("/api/orders", newOrder).is(http.StatusCreated)
}

func TestDataIsAskedForOnceADay(t *testing.T) {
	h := open(t)
	v, other := h.customer(), h.customer()
	var rights accountapi.AccountRights
	v.post("/api/account/data", "").is(http.StatusAccepted).read(&rights)
	require.Equal(t, "unconfirmed", rights.Export.Status)
	v.post("/api/account/data", "").refused(http.StatusConflict, "export_unconfirmed")
	v.follow(rights.Export.ID, v.mailedLink(rights.Export.ID)).is(http.StatusOK)
	v.post("/api/account/data", "").refused(http.StatusConflict, "export_open")
	v.get("/api/account/data/" + rights.Export.ID).is(http.StatusNotFound)
	h.server.background.Wait()
	require.Contains(t, h.flows.seen(&h.flows.started), "data_export "+rights.Export.ID)
	_, _, err := privacy.ExportKey(t.Context(), h.db, rights.Export.ID, make([]byte, 32))
	require.NoError(t, err)
	require.NoError(t, privacy.ExportMade(t.Context(), h.db, rights.Export.ID, 9))
	v.post("/api/account/data", "").refused(http.StatusTooManyRequests, "export_recent")
	other.get("/api/account/data/" + rights.Export.ID).is(http.StatusNotFound)
	h.visitor().get("/api/account/data/" + rights.Export.ID).is(http.StatusUnauthorized)
	h.advance("192 hours")
	v.enter()
	v.get("/api/account/data/" + rights.Export.ID).is(http.StatusNotFound)
}

func TestAccountsAreClosedOnlyWhenNothingIsOpen(t *testing.T) {
	h := open(t)
	v, staff := h.customer(), h.customer("support")
	staff.post("/api/account/closure", "").refused(http.StatusConflict, "open_staff")
	order := v.order("domestic_wire")
	v.post("/api/account/closure", "").refused(http.StatusConflict, "open_order")
	coded := h.customer()
	coded.order("domestic_wire")
	coded.enrol()
	coded.post("/api/account/closure", "").refused(http.StatusConflict, "open_order") // no code is used up by a refusal
	v.post("/api/orders/"+order+"/cancel", "").is(http.StatusOK)
	h.exec(`UPDATE orders SET status = 'failed', resolution = 'cancelled', closed_at = clock_now() WHERE id = $1`, order)
	var rights accountapi.AccountRights
	v.post("/api/account/closure", "").is(http.StatusAccepted).read(&rights)
	require.Equal(t, "waiting", rights.Closure.Status)
	v.post("/api/account/closure", "").refused(http.StatusConflict, "closing")
	v.post("/api/account/closure/cancel", "").is(http.StatusOK).read(&rights)
	require.Equal(t, "cancelled", rights.Closure.Status)
	v.post("/api/account/closure/cancel", "").refused(http.StatusConflict, "not_closing")
	require.Equal(t, []string{"account_closing", "account_kept"}, one[[]string](h, `SELECT array_agg(kind ORDER BY kind) FROM mails WHERE user_id = $1 AND kind LIKE 'account%'`, v.userID))
}

// What a double click, or two tabs, ask for is asked for once.
func TestBar18RightsAreAskedForOnce(t *testing.T) {
	h := open(t, unscaled)
	v := h.customer()
	for _, ask := range []struct {
		path, table string
		done        int
	}{
		{"/api/account/data", "data_exports", http.StatusAccepted},
		{"/api/account/closure", "account_closures", http.StatusAccepted},
		{"/api/account/closure/cancel", "account_closures", http.StatusOK},
	} {
		require.Equal(t, map[int]int{ask.done: 1, http.StatusConflict: 19}, atOnce(20, func(int) *answer { return v.post(ask.path, "") }), ask.path)
		require.Equal(t, 1, one[int](h, `SELECT count(*) FROM `+ask.table))
	}
	require.Equal(t, []string{"account_closure cancelled", "account_closure requested", "data_export confirmation_requested"},
		one[[]string](h, `SELECT array_agg(matter || ' ' || kind ORDER BY matter, kind) FROM matter_events WHERE user_id = $1`, v.userID))
	require.Equal(t, []string{"account_closing", "account_kept", "data_export_confirm"}, one[[]string](h, `SELECT array_agg(kind ORDER BY kind) FROM mails WHERE user_id = $1`, v.userID))
}
