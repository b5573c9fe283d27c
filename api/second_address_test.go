package api

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// Nobody handles a record of their own second address: a reveal shows nothing and is not recorded as one, and a ticket
// stays as it is.
func TestNobodyHandlesTheirOwnSecondAddress(t *testing.T) {
	h := open(t, unscaled)
	owner, staff, other := h.rich(50_000), h.customer("compliance", "finance", "support"), h.customer("compliance", "finance", "support")
	card := owner.sell(regularCard, nil).is(http.StatusCreated).text("id")
	h.review(card)
	payout := owner.post("/api/payouts", payoutOf("200")).is(http.StatusCreated).text("id")
	other.post("/api/admin/payouts/"+payout+"/approve", "").is(http.StatusOK)
	ticket := owner.asks(newTicket)
	h.exec(`UPDATE users SET email = 'ada@example.com' WHERE id = $1`, owner.userID)
	h.exec(`UPDATE users SET email = 'Ada+staff@example.com' WHERE id = $1`, staff.userID)

	staff.post("/api/admin/gift-cards/"+card+"/reveal", "").refused(http.StatusForbidden, "own_card")
	staff.post("/api/admin/payouts/"+payout+"/reveal", "").refused(http.StatusForbidden, "own_payout")
	tickets := "/api/admin/support/tickets/" + ticket
	staff.post(tickets+"/take", "").refused(http.StatusForbidden, "own_ticket")
	staff.post(tickets+"/reply", `{"message":"Yes"}`).refused(http.StatusForbidden, "own_ticket")
	staff.post(tickets+"/notes", `{"body":"Yes"}`).refused(http.StatusForbidden, "own_ticket")
	other.post(tickets+"/assign", `{"assigneeId":"`+staff.userID+`","from":""}`).refused(http.StatusUnprocessableEntity, "own_ticket")
	require.Zero(t, one[int](h, `SELECT count(*) FROM audit_log WHERE actor_id = $1`, staff.userID))

	other.post("/api/admin/gift-cards/"+card+"/reveal", "").is(http.StatusOK)
	other.post("/api/admin/payouts/"+payout+"/reveal", "").is(http.StatusOK)
	other.post(tickets+"/take", "").is(http.StatusOK)
}
