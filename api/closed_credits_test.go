package api

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	payoutapi "github.com/tradepost/tradepost/api/payout"
	"github.com/tradepost/tradepost/models/correction"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// Money that reached a closed account is in a list, and leaves by two people of
// those who pay out.
func TestMoneyOfAClosedAccountIsListedAndPaidBackByTwo(t *testing.T) {
	h := open(t, func(d *Dependencies) { d.PayoutTwoAbove = 150 })
	v, finance, admin, support := h.rich(20_000), h.customer("finance"), h.customer("admin"), h.customer("support")
	id := v.paysOut(payoutOf("200"))
	h.exec(`UPDATE users SET closed_at = clock_now() WHERE id = $1`, v.userID)
	finance.post("/api/admin/payouts/"+id+"/reject", `{"reason":"gone"}`).is(http.StatusOK)

	support.get("/api/admin/closed-credits").refused(http.StatusForbidden, "forbidden")
	var list []payoutapi.ClosedCredit
	finance.get("/api/admin/closed-credits").is(http.StatusOK).read(&list)
	require.Len(t, list, 1)
	require.Equal(t, []string{"200.00", v.userID, "payout_released"}, []string{list[0].Amount, list[0].UserID, list[0].Event})
	path := "/api/admin/closed-credits/" + list[0].ID + "/pay-back"
	said := `{"reference":"B-1","reason":"to where it came from"}`
	support.post(path, said).refused(http.StatusForbidden, "forbidden")
	finance.post(path, `{"reference":"B-1","reason":" "}`).refused(http.StatusUnprocessableEntity, "required")
	finance.post("/api/admin/closed-credits/"+store.NewID()+"/pay-back", said).is(http.StatusNotFound)
	require.True(t, list[0].TakesTwo)
	require.Equal(t, []string{"pay_back"}, list[0].Actions)
	h.exec(`UPDATE stranded_credits SET restored_at = clock_now()`)
	finance.post(path, said).refused(http.StatusConflict, "statement_unread")
	unsent := `{"reference":"","statement":"not sent","reason":"a backup was restored"}`
	require.Contains(t, string(finance.post(path, unsent).is(http.StatusOK).body), `"restored":false`)
	finance.post(path, unsent).refused(http.StatusUnprocessableEntity, "required")
	require.Contains(t, string(finance.post(path, said).is(http.StatusOK).body), `"paidBack":false`)
	finance.get("/api/admin/closed-credits").is(http.StatusOK).read(&list)
	require.Empty(t, list[0].Actions, "the first of two is not the second")
	admin.get("/api/admin/closed-credits").is(http.StatusOK).read(&list)
	require.Equal(t, []string{"pay_back"}, list[0].Actions)
	require.Equal(t, "B-1", *list[0].BankReference)
	finance.post(path, said).refused(http.StatusForbidden, "second_person")
	require.Contains(t, string(admin.post(path, h.naming(correction.KindClosedCredit, list[0].ID, said)).is(http.StatusOK).body), `"paidBack":true`)
	finance.get("/api/admin/closed-credits").is(http.StatusOK).read(&list)
	require.Empty(t, list)
	finance.get("/api/admin/closed-credits?status=sent_back").is(http.StatusOK).read(&list)
	require.Len(t, list, 1)
	require.NotEmpty(t, list[0].PaidBy)
	left, err := ledger.AccountBalance(t.Context(), h.db, ledger.AccountClosed, money.USD)
	require.NoError(t, err)
	require.True(t, left.IsZero())
}
