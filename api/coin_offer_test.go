package api

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	orderapi "github.com/tradepost/tradepost/api/order"
	reportingapi "github.com/tradepost/tradepost/api/reporting"
)

// Staff offer less coin with a partial refund; the customer sees both amounts and answers the offer that they saw, once.
func TestLessCoinIsOfferedAndAnswered(t *testing.T) {
	h := open(t, unscaled, func(d *Dependencies) { d.RefundTwoAbove = 60 })
	v, id := h.paid()
	finance, admin := h.customer("finance"), h.customer("admin")
	path := "/api/admin/orders/" + id
	var before orderapi.AdminOrderDetail
	admin.get(path).is(http.StatusOK).read(&before)
	require.True(t, before.LessCoin)
	var would orderapi.LessCoin
	finance.get(path + "/less-coin?refund=50").is(http.StatusOK).read(&would)
	require.Equal(t, before.AmountAsset, would.AmountBefore)
	unpaid := "/api/admin/orders/" + v.order("domestic_wire")
	finance.get(unpaid+"/less-coin?refund=50").refused(http.StatusConflict, "coin_began")
	finance.get(path+"/less-coin?refund=much").refused(http.StatusUnprocessableEntity, "invalid_amount")
	finance.get(path+"/less-coin?refund="+before.Total).refused(http.StatusUnprocessableEntity, "rest_too_small")
	finance.post(path+"/refund", `{"reason":"too much","coin":"less"}`).refused(http.StatusUnprocessableEntity, "invalid_amount")

	first := finance.post(path+"/refund", `{"reason":"too much","amount":"50","coin":"less"}`).is(http.StatusAccepted)
	require.Equal(t, "offered", first.text("state"))
	admin.post(path+"/fulfill", `{}`).refused(http.StatusConflict, "coin_offer_open")
	var waiting orderapi.AdminOrderDetail
	admin.get(path).is(http.StatusOK).read(&waiting)
	require.Contains(t, waiting.Actions, "withdraw_coin_offer")
	require.NotContains(t, waiting.Actions, "fulfill")
	require.NotContains(t, waiting.Actions, "refund_part")
	offer := waiting.CoinOffers[0]
	admin.post(path+"/less-coin/withdraw", `{"offerId":"`+offer.ID+`","reason":"a mistake"}`).is(http.StatusOK)
	v.post("/api/orders/"+id+"/less-coin/agree", `{"offerId":"`+offer.ID+`"}`).refused(http.StatusConflict, "offer_ended")

	finance.post(path+"/refund", `{"reason":"too much","amount":"50","coin":"less"}`).is(http.StatusAccepted)
	var mine orderapi.OrderDetail
	v.get("/api/orders/" + id).is(http.StatusOK).read(&mine)
	require.Equal(t, "choose", mine.Action.Kind)
	require.Equal(t, "50.00", mine.CoinOffer.Refund)
	require.Equal(t, would.AmountAsset, mine.CoinOffer.AmountAsset)
	h.customer().post("/api/orders/"+id+"/less-coin/agree", `{"offerId":"`+mine.CoinOffer.ID+`"}`).is(http.StatusNotFound)
	v.post("/api/orders/"+id+"/less-coin/decline", `{"offerId":"`+mine.CoinOffer.ID+`"}`).is(http.StatusOK)
	v.post("/api/orders/"+id+"/less-coin/decline", `{"offerId":"`+mine.CoinOffer.ID+`"}`).is(http.StatusOK)

	finance.post(path+"/refund", `{"reason":"too much","amount":"50","coin":"less"}`).is(http.StatusAccepted)
	v.get("/api/orders/" + id).is(http.StatusOK).read(&mine)
	agreed := `{"offerId":"` + mine.CoinOffer.ID + `"}`
	v.post("/api/orders/"+id+"/less-coin/agree", agreed).is(http.StatusOK)
	v.post("/api/orders/"+id+"/less-coin/agree", agreed).is(http.StatusOK)
	v.post("/api/orders/"+id+"/less-coin/decline", agreed).refused(http.StatusConflict, "offer_ended")
	var after orderapi.OrderDetail
	v.get("/api/orders/" + id).is(http.StatusOK).read(&after)
	require.Equal(t, would.AmountAsset, after.AmountAsset)
	require.Equal(t, "50.00", after.Reduced)
	require.Equal(t, "50.00", after.Refunded)
	require.Nil(t, after.CoinOffer)
	require.Len(t, after.Refunds, 1)
	admin.get(path).is(http.StatusOK).read(&waiting)
	require.Equal(t, "50.00", waiting.Reduced)
	admin.post(path+"/fulfill", `{"refunded":"50.00"}`).is(http.StatusOK)
}

// A customer whose card's bank refuses the refund at once reads that their order is as before, and nothing for staff.
func TestLessCoinWhoseRefundFailsAtOnceIsExplained(t *testing.T) {
	h := open(t, unscaled)
	v, admin := h.customer(), h.customer("admin")
	for _, code := range []string{"expired_or_canceled_card", "charge_already_refunded"} {
		id := v.order("card")
		h.exec(`UPDATE orders SET status = 'payment_approved', paid_at = clock_now() WHERE id = $1`, id)
		path := "/api/admin/orders/" + id
		admin.post(path+"/refund", `{"reason":"too much","amount":"50","coin":"less"}`).is(http.StatusAccepted)
		var mine, after orderapi.OrderDetail
		v.get("/api/orders/" + id).is(http.StatusOK).read(&mine)
		h.flows.refused = code
		said := v.post("/api/orders/"+id+"/less-coin/agree", `{"offerId":"`+mine.CoinOffer.ID+`"}`)
		said.refused(http.StatusConflict, "refund_failed")
		require.NotContains(t, string(said.body), "balance")
		require.NotContains(t, string(said.body), "Stripe")
		v.get("/api/orders/" + id).is(http.StatusOK).read(&after)
		require.Equal(t, mine.AmountAsset, after.AmountAsset)
		require.Equal(t, "0.00", after.Reduced)
	}
}

// A second person must approve an offer above the limit of one person. The proposal says that it offers less coin.
func TestLessCoinIsApprovedBeforeItIsOffered(t *testing.T) {
	h := open(t, unscaled, func(d *Dependencies) { d.RefundTwoAbove = 60 })
	v, id := h.paid()
	finance, admin := h.customer("finance"), h.customer("admin")
	path := "/api/admin/orders/" + id
	asked := finance.post(path+"/refund", `{"reason":"too much","amount":"70","coin":"less"}`).is(http.StatusAccepted)
	require.Equal(t, "proposed", asked.text("state"))
	require.Contains(t, admin.approval(id).Details, reportingapi.ApprovalDetail{Name: "lessCoin", Value: "yes"})
	var mine orderapi.OrderDetail
	v.get("/api/orders/" + id).is(http.StatusOK).read(&mine)
	require.Nil(t, mine.CoinOffer)
	approved := admin.post(path+"/proposal/approve", `{"proposalId":"`+asked.text("decisionId")+`"}`).is(http.StatusAccepted)
	require.Equal(t, "offered", approved.text("state"))
	v.get("/api/orders/" + id).is(http.StatusOK).read(&mine)
	require.Equal(t, "70.00", mine.CoinOffer.Refund)
}
