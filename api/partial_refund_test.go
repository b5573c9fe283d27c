package api

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	orderapi "github.com/tradepost/tradepost/api/order"
	reportingapi "github.com/tradepost/tradepost/api/reporting"
)

// A refund of a part before delivery leaves the coin as it was ordered. Fulfill names the refunds that were shown, and is
// rejected if the present ones are others; an approver sees what was refunded before.
func TestFulfillNamesThePartialRefund(t *testing.T) {
	h := open(t, unscaled, func(d *Dependencies) { d.RefundTwoAbove = 60 })
	v, id := h.paid()
	finance, admin := h.customer("finance"), h.customer("admin")
	path := "/api/admin/orders/" + id
	var before, after orderapi.AdminOrderDetail
	admin.get(path).is(http.StatusOK).read(&before)
	finance.post(path+"/refund", `{"reason":"duplicate order","amount":"50"}`).is(http.StatusOK)

	require.Contains(t, string(v.get("/api/orders/"+id).is(http.StatusOK).body), `"delivers":"`+before.AmountAsset+` BTC"`)
	unseen := admin.post(path+"/fulfill", `{"refunded":"0.00"}`).refused(http.StatusConflict, "refunded_changed")
	require.Contains(t, unseen.text("message"), "$50.00 was refunded so far")
	admin.post(path+"/fulfill", `{"refunded":"fifty"}`).refused(http.StatusUnprocessableEntity, "invalid_amount")
	require.Empty(t, h.flows.seen(&h.flows.decided))

	asked := finance.post(path+"/refund", `{"reason":"more","amount":"20"}`).is(http.StatusAccepted)
	require.Equal(t, "proposed", asked.text("state"))
	require.Contains(t, admin.approval(id).Details, reportingapi.ApprovalDetail{Name: "refunded", Value: "50.00 USD"})
	admin.post(path+"/proposal/reject", rejectionOf(asked, "once is enough")).is(http.StatusOK)

	admin.get(path).is(http.StatusOK).read(&after)
	require.Equal(t, "50.00", after.Refunded)
	require.Equal(t, before.AmountAsset, after.AmountAsset)
	admin.post(path+"/fulfill", `{"refunded":"50.00"}`).is(http.StatusOK)
	require.Equal(t, []string{"fulfill"}, h.flows.seen(&h.flows.decided))
}
