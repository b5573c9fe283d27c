package api

import (
	"net/http"
	"net/url"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	customerapi "github.com/tradepost/tradepost/api/customer"
	ledgerapi "github.com/tradepost/tradepost/api/ledger"
	orderapi "github.com/tradepost/tradepost/api/order"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/customer"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
)

func TestCustomersAreFoundAndFiltered(t *testing.T) {
	h := open(t)
	v, admin := h.customer(), h.customer("admin")
	h.exec(`UPDATE users SET first_name = 'Zoë', last_name = 'Quill', volume_tier = 'gold', country = 'NL' WHERE id = $1`, v.userID)
	h.exec(`UPDATE kyc_records SET level = 'enhanced' WHERE user_id = $1`, v.userID)
	id := v.order("domestic_wire")
	h.exec(`UPDATE orders SET status = 'payment_approved', total = 12345, paid_at = clock_now() - interval '2 days' WHERE id = $1`, id)
	h.exec(`INSERT INTO users (id, issuer, subject, email, email_verified) VALUES ($1, 'x', 'x', '', true)`, store.NewID())
	found := func(query string) []customerapi.AdminCustomer {
		var rows []customerapi.AdminCustomer
		admin.get("/api/admin/customers?" + query).is(http.StatusOK).read(&rows)
		return rows
	}
	for _, query := range []string{"q=zoë+QUILL", "q=" + v.userID, "q=" + v.userID[:13], "q=" + url.QueryEscape(v.userID[24:]+"@EXAMPLE"), "kyc=enhanced", "tier=gold", "kyc=enhanced&tier=gold&q=quill"} {
		rows := found(query)
		require.Len(t, rows, 1, query)
		require.Equal(t, v.userID, rows[0].ID)
	}
	row := found("tier=gold")[0]
	require.Equal(t, "Zoë Quill", *row.Name)
	require.Equal(t, "123.45", row.TotalVolume30)
	require.Equal(t, "NL", *row.CountryCode)
	require.Empty(t, found("tier=gold&kyc=pending"))
	require.Empty(t, found("q=nobody+is+called+so"))
	admin.get("/api/admin/customers?tier=diamond").is(http.StatusUnprocessableEntity)
	var n customerapi.CustomersSummary
	admin.get("/api/admin/customers/summary?tier=gold").is(http.StatusOK).read(&n)
	require.Equal(t, customerapi.CustomersSummary{Total: 3, Verified: 2, Premium: 1, MatchingFilters: 1}, n)
	var stats customerapi.AdminCustomerStats
	admin.get("/api/admin/customers/" + v.userID + "/stats").is(http.StatusOK).read(&stats)
	require.Equal(t, "123.45", stats.AvgOrderSize)
	require.Equal(t, 1, stats.TotalOrders)
	unpaid := v.order("zelle")
	admin.get("/api/admin/customers/" + v.userID + "/stats").is(http.StatusOK).read(&stats)
	require.Equal(t, []any{1, 1, "123.45", "123.45"}, []any{stats.TotalOrders, stats.UnpaidOrders, stats.TotalVolume, stats.AvgOrderSize}, "an order that is not paid is in no figure")
	paid := *stats.LastOrderDate
	h.exec(`UPDATE orders SET paid_at = clock_now() WHERE id = $1`, unpaid)
	admin.get("/api/admin/customers/" + v.userID + "/stats").is(http.StatusOK).read(&stats)
	require.Equal(t, []int{2, 0}, []int{stats.TotalOrders, stats.UnpaidOrders})
	require.True(t, stats.LastOrderDate.After(paid))
	admin.get("/api/admin/customers/" + admin.userID + "/stats").is(http.StatusOK).read(&stats)
	require.Nil(t, stats.LastOrderDate)
	admin.get("/api/admin/customers/"+store.NewID()).refused(http.StatusNotFound, "not_found")
}

func TestATierSetByHandHasAnEndAndIsAudited(t *testing.T) {
	h := open(t)
	v, admin, support := h.customer(), h.customer("admin"), h.customer("support")
	path := "/api/admin/customers/" + v.userID + "/tier"
	support.unsafe(http.MethodPatch, path, `{"volumeTier":"gold"}`).refused(http.StatusForbidden, "forbidden")
	admin.unsafe(http.MethodPatch, path, `{"volumeTier":"diamond"}`).is(http.StatusUnprocessableEntity)
	admin.unsafe(http.MethodPatch, "/api/admin/customers/"+admin.userID+"/tier", `{"volumeTier":"gold"}`).refused(http.StatusForbidden, "own_account")
	var c customerapi.AdminCustomer
	admin.unsafe(http.MethodPatch, path, `{"volumeTier":"gold"}`).is(http.StatusOK).read(&c)
	require.Equal(t, "gold", c.VolumeTier)
	require.WithinDuration(t, time.Now().Add(customer.TierByHandFor), *c.TierUntil, time.Hour)
	admin.unsafe(http.MethodPatch, path, `{"volumeTier":"silver","version":1}`).refused(http.StatusConflict, "changed_meanwhile")
	admin.unsafe(http.MethodPatch, path, `{"volumeTier":"gold","until":"2001-01-01T00:00:00Z"}`).refused(http.StatusUnprocessableEntity, "bad_date")
	require.Equal(t, 1, one[int](h, `SELECT count(*) FROM audit_log WHERE action = 'customer.tier_set' AND object_id = $1 AND before->>'tier' = 'bronze' AND after->>'tier' = 'gold'`, v.userID))
	admin.post(path+"/release", "").is(http.StatusOK).read(&c)
	require.Nil(t, c.TierUntil)
	require.Equal(t, "bronze", c.VolumeTier, "the 30-day volume counts at once")
	admin.post(path+"/release", "").refused(http.StatusConflict, "not_by_hand")
}

func TestAFrozenCustomerMovesNoMoneyAndParkedOrdersGoOn(t *testing.T) {
	h := open(t)
	v, officer, finance := h.rich(100_000), h.customer("compliance"), h.customer("finance")
	path := "/api/admin/customers/" + v.userID
	id := v.order("domestic_wire")
	finance.post(path+"/freeze", `{"reason":"x"}`).refused(http.StatusForbidden, "forbidden")
	officer.post(path+"/freeze", `{"reason":" "}`).refused(http.StatusUnprocessableEntity, "required")
	officer.post("/api/admin/customers/"+officer.userID+"/freeze", `{"reason":"x"}`).refused(http.StatusForbidden, "own_account")
	officer.post(path+"/freeze", `{"reason":"police request"}`).is(http.StatusOK)
	require.Equal(t, "frozen", v.get("/api/auth/user").is(http.StatusOK).text("hold"))
	require.Contains(t, v.get("/api/limits").is(http.StatusOK).text("refused"), "Contact support")
	officer.post(path+"/freeze", `{"reason":"again"}`).refused(http.StatusConflict, "already_frozen")
	v.post("/api/orders", newOrder).refused(http.StatusForbidden, "account_frozen")
	v.post("/api/payouts", payoutOf("200")).refused(http.StatusForbidden, "account_frozen")

	require.NoError(t, order.ChangeOrder(t.Context(), h.db, id, func(c *order.OrderChange) error {
		return c.Post("receipt_confirmed", "received", order.ReceiptPostings(c.Order)...)
	}))
	h.exec(`UPDATE orders SET status = 'fulfilling', paid_at = clock_now() WHERE id = $1`, id)
	job, err := order.StartBuy(t.Context(), h.db, id, 100, time.Minute)
	require.NoError(t, err)
	require.True(t, job.Done, "nothing is bought for a frozen customer")
	require.Equal(t, casework.AttentionCustomer, one[string](h, `SELECT attention_reason FROM orders WHERE id = $1`, id))
	var o orderapi.OrderDetail
	v.get("/api/orders/" + id).is(http.StatusOK).read(&o)
	require.Equal(t, orderapi.WaitingReason("account_frozen"), o.Attention.Reason)
	var detail customerapi.AdminCustomerDetail
	officer.get(path).is(http.StatusOK).read(&detail)
	require.Contains(t, detail.Flags, "frozen")
	require.Equal(t, "police request", *detail.FrozenReason)
	require.Contains(t, detail.Actions, "unfreeze")

	var gone customerapi.Unfrozen
	officer.post(path+"/unfreeze", `{"reason":"settled"}`).is(http.StatusOK).read(&gone)
	require.Equal(t, 1, gone.TookOn)
	h.server.background.Wait()
	require.Contains(t, h.flows.seen(&h.flows.decided), order.DecisionRetry)
	require.Equal(t, 2, one[int](h, `SELECT count(*) FROM audit_log WHERE object_id = $1 AND action IN ('customer.frozen', 'customer.unfrozen') AND reason <> ''`, v.userID))
	officer.post(path+"/unfreeze", `{"reason":"settled"}`).refused(http.StatusConflict, "not_frozen")
}

func TestStaffNoteAndSignACustomerOut(t *testing.T) {
	h := open(t)
	v, officer := h.customer(), h.customer("compliance")
	path := "/api/admin/customers/" + v.userID
	officer.post(path+"/notes", `{"body":"  "}`).refused(http.StatusUnprocessableEntity, "required")
	officer.post(path+"/notes", `{"body":"called, CANARY"}`).is(http.StatusOK)
	var detail customerapi.AdminCustomerDetail
	officer.get(path).is(http.StatusOK).read(&detail)
	require.Equal(t, "called, CANARY", detail.Notes[0].Body)
	require.Equal(t, "Ada", detail.Notes[0].Author)
	require.Zero(t, one[int](h, `SELECT count(*) FROM audit_log WHERE after::text LIKE '%CANARY%' OR reason LIKE '%CANARY%'`))
	_, err := h.db.Pool().Exec(t.Context(), `UPDATE customer_notes SET body = 'other'`)
	require.Error(t, err, "a note is never changed")
	officer.post(path+"/sign-out", "").is(http.StatusOK)
	v.get("/api/auth/user").is(http.StatusUnauthorized)
}

// What is said to customers of their balance is said of them in the back office.
func TestStaffSeeACustomersBalanceAsStaff(t *testing.T) {
	speaks := regexp.MustCompile(`(?i)\byours?\b|\byou\b`)
	for event := range ledgerapi.EntryTexts {
		entry := customerapi.EntryToStaff(&ledger.BalanceEntry{Event: event})
		require.NotRegexp(t, speaks, entry.Why, event)
		require.NotEmpty(t, entry.Why, event)
	}
	for event := range customerapi.EntryTextsToStaff {
		require.Regexp(t, speaks, ledgerapi.EntryTexts[event].Why, "%s needs no other words for staff", event)
	}

	h := open(t)
	v, admin := h.customer(), h.customer("admin")
	id := v.order("domestic_wire")
	h.credit(id, v.userID, "bonus_credited", 750)
	h.credit(id, v.userID, "credited_by_hand", 100)
	var record customerapi.AdminCustomerDetail
	admin.get("/api/admin/customers/" + v.userID).is(http.StatusOK).read(&record)
	require.Equal(t, "Credited to their balance", record.Entries[0].Why)
	require.Equal(t, "Bonus of their volume tier", record.Entries[1].Why)
}

// A customer's orders read to staff as everywhere: held by their card, or ended without their coin.
func TestStaffSeeACustomersOrdersWithTheSameWords(t *testing.T) {
	h := open(t)
	v, staff := h.customer(), h.customer("support")
	id := v.order("card")
	first := func() customerapi.CustomerTrade {
		var customer customerapi.AdminCustomerDetail
		staff.get("/api/admin/customers/" + v.userID).is(http.StatusOK).read(&customer)
		return customer.Trades[0]
	}
	require.False(t, first().Authorised)
	h.authorise(id)
	require.True(t, first().Authorised)
	require.Nil(t, first().Resolution)
	h.exec(`UPDATE orders SET status = 'failed', resolution = 'refunded', closed_at = clock_now() WHERE id = $1`, id)
	require.False(t, first().Authorised)
	require.Equal(t, "refunded", *first().Resolution)
}
