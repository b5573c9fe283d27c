package api

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	orderapi "github.com/tradepost/tradepost/api/order"
	riskapi "github.com/tradepost/tradepost/api/risk"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/risk"
	"github.com/tradepost/tradepost/models/store"
)

// lists sends a list of addresses.
func (v *visitor) lists(mode, version, file string) *answer {
	v.Helper()
	return v.sendForm("/api/admin/risk/lists", listParts(mode, version, file))
}

func listParts(mode, version, file string) []formPart {
	return []formPart{{field: "source", content: "OFAC SDN"}, {field: "mode", content: mode}, {field: "version", content: version},
		{field: "reason", content: "the week's list"}, {"file", "sanctioned.txt", "text/plain", file}}
}

// A list is previewed before it is imported, counted line by line, and imported once.
func TestAddressListsAreSeenBeforeTheyCount(t *testing.T) {
	h := open(t)
	officer := h.customer("compliance")
	file := "# week 47\n" + strings.ToUpper(btcAddress) + "\nnothing\n0x901BB9583b24d97e995513c6778dc6888ab6870e\n"
	var seen riskapi.AddressImport
	officer.lists("preview", "", file).is(http.StatusOK).read(&seen)
	require.Equal(t, []int{0, 2, 2, 0, 1}, []int{seen.Version, seen.Addresses, seen.Added, seen.Removed, seen.Refused})
	require.Equal(t, []int{3}, seen.RefusedAt)
	require.Zero(t, one[int](h, `SELECT count(*) FROM blocked_addresses`))
	officer.lists("import", "", file).refused(http.StatusUnprocessableEntity, "required")
	officer.lists("import", "0", file).is(http.StatusOK).read(&seen)
	require.Equal(t, 1, seen.Version)
	officer.lists("import", "0", file).refused(http.StatusConflict, "list_changed")
	officer.lists("import", "1", file).is(http.StatusOK).read(&seen)
	require.Equal(t, []int{1, 0, 2}, []int{seen.Version, seen.Added, seen.Unchanged}, "the same again")
	officer.lists("preview", "", "["+strings.Repeat("[", 9)).refused(http.StatusUnprocessableEntity, "unreadable")
	officer.lists("preview", "", "nothing").refused(http.StatusUnprocessableEntity, "no_addresses")
	require.Equal(t, 2, one[int](h, `SELECT count(*) FROM blocked_addresses WHERE source = 'OFAC SDN' AND address_key = lower(address_key)`))
	var all riskapi.AddressLists
	officer.get("/api/admin/risk/lists").is(http.StatusOK).read(&all)
	require.Equal(t, []riskapi.AddressList{{Source: "OFAC SDN", Addresses: 2}}, all.Lists)
	require.Len(t, all.Imports, 1)
	require.Equal(t, 1, one[int](h, `SELECT count(*) FROM audit_log WHERE action = 'addresses.import' AND actor_id = $1 AND reason = 'the week''s list'`, officer.userID))
}

// An order to a listed address is accepted; its customer learns nothing but that it is
// under review; staff other than compliance cannot capture it; a release resumes it.
func TestAnOrderToAListedAddressWaitsForCompliance(t *testing.T) {
	h := open(t)
	v, officer, finance := h.customer(), h.customer("compliance"), h.customer("finance")
	officer.lists("import", "0", btcAddress).is(http.StatusOK)
	id := v.order("domestic_wire")
	require.NotContains(t, string(v.get("/api/orders/"+id).body), "risk")
	require.NotContains(t, string(v.get("/api/orders/"+id).body), "blocked")
	var queue []riskapi.RiskReview
	finance.get("/api/admin/risk/reviews").is(http.StatusOK).read(&queue)
	require.Len(t, queue, 1)
	require.Equal(t, id, queue[0].ObjectID)
	require.Equal(t, []orderapi.RiskReason{risk.RiskBlocked}, queue[0].Reasons)
	require.Empty(t, queue[0].Actions, "finance looks")
	var about []riskapi.RiskReview
	finance.get("/api/admin/risk/reviews?about=" + id).is(http.StatusOK).read(&about)
	require.Equal(t, queue, about)
	finance.get("/api/admin/risk/reviews?about=" + store.NewID()).is(http.StatusOK).read(&about)
	require.Empty(t, about)
	require.Equal(t, http.StatusUnprocessableEntity, finance.get("/api/admin/risk/reviews?about=1").status)
	h.exec(`UPDATE orders SET status = 'payment_approved', paid_at = clock_now() WHERE id = $1`, id)
	require.NoError(t, order.NeedPerson(t.Context(), h.db, id, casework.AttentionRisk, "", ""))
	require.Contains(t, string(v.get("/api/orders/"+id).body), "being_reviewed")
	finance.post("/api/admin/orders/"+id+"/fulfill", "").refused(http.StatusConflict, "order_state")

	path := "/api/admin/risk/reviews/" + queue[0].ID
	finance.post(path+"/release", `{"reason":"x"}`).refused(http.StatusForbidden, "forbidden")
	officer.post(path+"/release", `{"reason":" "}`).refused(http.StatusUnprocessableEntity, "required")
	var detail orderapi.AdminOrderDetail
	officer.get("/api/admin/orders/" + id).is(http.StatusOK).read(&detail)
	require.True(t, detail.Risk.UnderReview)
	require.NotContains(t, detail.Actions, "fulfill")
	officer.post(path+"/release", `{"reason":"a namesake"}`).is(http.StatusOK)
	officer.post(path+"/refuse", `{"reason":"late"}`).refused(http.StatusConflict, "review_decided")
	finance.get("/api/admin/orders/" + id).is(http.StatusOK).read(&detail)
	require.Contains(t, detail.Actions, "fulfill")
	officer.get("/api/admin/risk/reviews?status=closed").is(http.StatusOK).read(&queue)
	require.Equal(t, "a namesake", queue[0].Reason)
	require.Equal(t, "released", *queue[0].Outcome)
}

func TestBar05NoOneReleasesTheirOwnOrder(t *testing.T) {
	h := open(t)
	officer := h.customer("compliance")
	officer.lists("import", "0", btcAddress).is(http.StatusOK)
	officer.order("domestic_wire")
	review := one[string](h, `SELECT id::text FROM risk_reviews`)
	for _, what := range []string{"/release", "/refuse"} {
		officer.post("/api/admin/risk/reviews/"+review+what, `{"reason":"mine"}`).refused(http.StatusForbidden, "own_order")
	}
}

func TestRulesAreChangedByCompliance(t *testing.T) {
	h := open(t)
	officer, admin := h.customer("compliance"), h.customer("admin")
	change := func(v *visitor, code, body string) *answer {
		return v.unsafe(http.MethodPatch, "/api/admin/risk/rules/"+code, body)
	}
	const body = `{"enabled":true,"most":3,"hours":1,"score":100,"version":1,"reason":"a wave"}`
	change(officer, "orders_per_hour", body).is(http.StatusOK)
	reported := change(admin, "orders_per_hour", body).refused(http.StatusConflict, "changed_meanwhile").text("message")
	require.Contains(t, reported, "Ada", "who was first is named")
	change(admin, "none", body).is(http.StatusNotFound)
	change(h.customer("finance"), "orders_per_hour", body).is(http.StatusForbidden)
	v := h.customer()
	for range 3 {
		v.order("domestic_wire")
	}
	require.Zero(t, one[int](h, `SELECT count(*) FROM risk_reviews`))
	v.order("domestic_wire")
	require.Equal(t, "orders_per_hour", one[string](h, `SELECT reasons[1] FROM risk_reviews`))
}
