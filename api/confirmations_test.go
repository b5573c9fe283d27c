package api

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	accountapi "github.com/tradepost/tradepost/api/account"
	ledgerapi "github.com/tradepost/tradepost/api/ledger"
	orderapi "github.com/tradepost/tradepost/api/order"
	payoutapi "github.com/tradepost/tradepost/api/payout"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/payout"
)

// toNewAddress buys from the balance to an address that is new.
var toNewAddress = strings.NewReplacer(`"card"`, `"balance"`, btcAddress, anotherBTC).Replace(newOrder)

// A payout of a customer without a second factor waits for the mailed link: staff can do nothing with it, and a session
// alone does not confirm it.
func TestAMailedLinkConfirmsAPayout(t *testing.T) {
	h := open(t)
	v, stranger, finance := h.rich(50_000), h.customer(), h.customer("finance")
	var asked payoutapi.Payout
	v.post("/api/payouts", payoutOf("200")).is(http.StatusCreated).read(&asked)
	require.Equal(t, "unconfirmed", asked.Status)
	require.WithinDuration(t, time.Now().Add(time.Hour), *asked.ConfirmBy, 5*time.Minute)
	require.True(t, asked.CanCancel)
	var balance ledgerapi.Balance
	v.get("/api/balance").is(http.StatusOK).read(&balance)
	require.Equal(t, []string{"300.00", "200.00"}, []string{balance.Balance, balance.Reserved})
	path := "/api/admin/payouts/" + asked.ID
	var record payoutapi.AdminPayoutDetail
	finance.get(path).is(http.StatusOK).read(&record)
	require.NotContains(t, record.Actions, "approve")
	finance.post(path+"/approve", "").refused(http.StatusConflict, "payout_state")
	finance.post(path+"/confirm", `{"reference":"W-1"}`).refused(http.StatusConflict, "payout_state")

	token := v.mailedLink(asked.ID)
	stranger.follow(asked.ID, token).is(http.StatusNotFound)
	finance.follow(asked.ID, token).is(http.StatusNotFound)
	h.visitor().follow(asked.ID, token).is(http.StatusUnauthorized)
	v.follow(asked.ID, "guessed").refused(http.StatusConflict, "link_gone")
	stranger.post("/api/confirmations/"+asked.ID+"/mail", "").is(http.StatusNotFound)
	v.post("/api/confirmations/"+asked.ID+"/mail", "").is(http.StatusOK)
	require.Equal(t, 2, one[int](h, `SELECT count(*) FROM mails WHERE user_id = $1 AND kind = $2`, v.userID, payout.MailConfirmPayout))
	again := v.mailedLink(asked.ID) // the second mail
	v.again().follow(asked.ID, token).is(http.StatusOK)
	h.server.background.Wait()
	require.Contains(t, h.flows.seen(&h.flows.hints), "payout "+asked.ID)
	v.get("/api/payouts/" + asked.ID).is(http.StatusOK).read(&asked)
	require.Equal(t, "requested", asked.Status)
	require.Nil(t, asked.ConfirmBy)
	for _, used := range []string{token, again} { // a link that is followed again leads on
		require.Equal(t, "payout", v.follow(asked.ID, used).is(http.StatusOK).text("kind"))
		require.NotContains(t, h.log.String(), used)
	}
	h.inNoTable(token, again)
	v.post("/api/confirmations/"+asked.ID+"/mail", "").refused(http.StatusConflict, "link_gone")
	require.Equal(t, 1, one[int](h, `SELECT count(*) FROM matter_events WHERE matter_id = $1 AND kind = 'requested'`, asked.ID))
	finance.post(path+"/approve", "").is(http.StatusOK)
}

// Whoever has a second factor shows a code and no mail, and staff without one are not asked by mail.
func TestNoLinkIsMailedToWhoHasAFactorNorToStaff(t *testing.T) {
	h := open(t)
	v, staff := h.rich(100_000), h.customer("support")
	p := v.enrol()
	v.post("/api/payouts", payoutOf("20")).refused(http.StatusForbidden, "fresh_code_required")
	require.Equal(t, "requested", v.post("/api/payouts", payoutOf("20"), rest.FreshCodeHeader, p.codes[0]).is(http.StatusCreated).text("status"))
	require.Equal(t, "payment_approved", v.post("/api/orders", toNewAddress).is(http.StatusCreated).text("status"))
	var rights accountapi.AccountRights
	v.post("/api/account/data", "", rest.FreshCodeHeader, p.codes[1]).is(http.StatusAccepted).read(&rights)
	require.Equal(t, "requested", rights.Export.Status)
	staff.post("/api/account/data", "").is(http.StatusAccepted).read(&rights)
	require.Equal(t, "requested", rights.Export.Status)
	require.Zero(t, one[int](h, `SELECT count(*) FROM mailed_links`))
}

// Outside of local mode staff without a second factor do not pass, whether it is demanded of them or not.
func TestStaffWithoutAFactorPassInLocalModeOnly(t *testing.T) {
	h := open(t, func(d *Dependencies) { d.Mode = "production" })
	staff := h.customer("support")
	staff.post("/api/account/data", "").refused(http.StatusForbidden, "fresh_code_required")
	require.Zero(t, one[int](h, `SELECT count(*) FROM data_exports`))
}

// Staff see that the holder of an account does not have the verified name, and two of them approve.
func TestAPayoutToAnotherNameTakesTwoPeople(t *testing.T) {
	h := open(t)
	v, finance, admin := h.rich(50_000), h.customer("finance"), h.customer("admin")
	id := v.paysOut(strings.Replace(payoutOf("20"), "CANARY Ada", "Somebody Else", 1))
	path := "/api/admin/payouts/" + id
	var record payoutapi.AdminPayoutDetail
	seen := finance.get(path).is(http.StatusOK)
	seen.read(&record)
	require.True(t, record.HolderDiffers)
	require.Equal(t, 2, record.ApprovalsNeeded)
	require.NotContains(t, string(seen.body), "Somebody", "the name itself is only revealed")
	finance.post(path+"/approve", "").is(http.StatusOK)
	require.Equal(t, "requested", v.get("/api/payouts/"+id).text("status"))
	finance.post(path+"/approve", "").refused(http.StatusForbidden, "second_person")
	admin.post(path+"/approve", h.naming(payout.KindApproval, id, "")).is(http.StatusOK)
	require.Equal(t, "approved", v.get("/api/payouts/"+id).text("status"))
}

// An order from the balance to a new address answers 201, waits for the mailed link, and is paid by it at the price it
// was made at; the address is known from then on.
func TestAMailedLinkConfirmsAnOrderToANewAddress(t *testing.T) {
	h := open(t)
	v, stranger, admin := h.rich(200_000), h.customer(), h.customer("admin")
	var o orderapi.Order
	v.post("/api/orders", toNewAddress).is(http.StatusCreated).read(&o)
	require.Equal(t, "pending", o.Status)
	require.Equal(t, order.ActionOrder, o.Action.Kind)
	require.WithinDuration(t, time.Now().Add(order.ConfirmWindow), *o.Action.Deadline, 5*time.Minute)
	var waiting []orderapi.Order
	v.get("/api/orders?action=true").is(http.StatusOK).read(&waiting)
	require.True(t, slices.ContainsFunc(waiting, func(w orderapi.Order) bool { return w.ID == o.ID && w.Action.Kind == order.ActionOrder }))
	var balance ledgerapi.Balance
	v.get("/api/balance").is(http.StatusOK).read(&balance)
	require.Equal(t, o.QuoteFiat, balance.Reserved)
	admin.post("/api/admin/payments/"+o.ID+"/confirm", `{"amount":"`+o.QuoteFiat+`","receivedOn":"2026-11-29","bankReference":"R-1"}`).refused(http.StatusConflict, "order_state")
	admin.post("/api/admin/orders/"+o.ID+"/fulfill", "").is(http.StatusConflict)

	token := v.mailedLink(o.ID)
	stranger.follow(o.ID, token).is(http.StatusNotFound)
	v.follow(o.ID, "guessed").refused(http.StatusConflict, "link_gone")
	v.post("/api/confirmations/"+o.ID+"/mail", "").is(http.StatusOK)
	require.Equal(t, "order", v.again().follow(o.ID, token).is(http.StatusOK).text("kind"))
	h.server.background.Wait()
	require.Contains(t, h.flows.seen(&h.flows.hints), o.ID+" payment_changed")
	var detail orderapi.OrderDetail
	v.get("/api/orders/" + o.ID).is(http.StatusOK).read(&detail)
	require.Equal(t, []string{"payment_approved", o.QuoteFiat}, []string{detail.Status, detail.QuoteFiat})
	require.Nil(t, detail.Action)
	v.follow(o.ID, token).is(http.StatusOK)
	v.get("/api/balance").is(http.StatusOK).read(&balance)
	require.Equal(t, "0.00", balance.Reserved)
	require.Equal(t, 1, one[int](h, `SELECT count(*) FROM postings WHERE order_id = $1 AND event = 'paid_from_balance'`, o.ID))
	h.inNoTable(token)

	require.Equal(t, "payment_approved", v.post("/api/orders", toNewAddress).is(http.StatusCreated).text("status"), "the address is known now")
	require.Equal(t, "payment_approved", v.post("/api/orders", strings.Replace(newOrder, `"card"`, `"balance"`, 1)).is(http.StatusCreated).text("status"))
}

// Five links are mailed, whatever they confirm, then one in twelve minutes; what is refused leaves nothing behind.
func TestLinksAreMailedInMeasure(t *testing.T) {
	h := open(t, func(d *Dependencies) { d.RateScale = 1 })
	v := h.rich(50_000)
	id := v.post("/api/payouts", payoutOf("20")).is(http.StatusCreated).text("id")
	for range 4 {
		v.post("/api/confirmations/"+id+"/mail", "").is(http.StatusOK)
	}
	v.post("/api/confirmations/"+id+"/mail", "").refused(http.StatusTooManyRequests, "rate_limited")
	v.post("/api/payouts", payoutOf("20")).refused(http.StatusTooManyRequests, "rate_limited")
	require.Equal(t, 1, one[int](h, `SELECT count(*) FROM payouts`))
	require.Equal(t, 5, one[int](h, `SELECT count(*) FROM mails WHERE kind = $1`, payout.MailConfirmPayout))
}

// A freeze ends the links of an account.
func TestAFreezeEndsMailedLinks(t *testing.T) {
	h := open(t)
	v, officer := h.rich(50_000), h.customer("compliance")
	id := v.post("/api/payouts", payoutOf("20")).is(http.StatusCreated).text("id")
	token := v.mailedLink(id)
	officer.post("/api/admin/customers/"+v.userID+"/freeze", `{"reason":"looks stolen"}`).is(http.StatusOK)
	officer.post("/api/admin/customers/"+v.userID+"/unfreeze", `{"reason":"was not"}`).is(http.StatusOK)
	v.follow(id, token).is(http.StatusNotFound)
	require.Equal(t, "unconfirmed", v.get("/api/payouts/"+id).text("status"))
}
