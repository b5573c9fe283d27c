package e2e

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDeclinedCardIsFollowedByAnother(t *testing.T) {
	t.Parallel()
	customer := verified(t)
	o := customer.buy(some(t, "ETH", "0.05"))
	checkout := customer.checkout(o.ID)
	p := customer.pay(checkout, declinedCard)
	require.Contains(t, string(p.body), "another card")
	until(t, "the decline in the order's story", func() bool { return customer.order(o.ID).countEvents("card_declined") == 1 })
	require.Empty(t, customer.order(o.ID).Payment.AuthorisedAt)
	customer.returned(customer.pay(checkout, otherCard), o.ID)
	require.Equal(t, "4444", customer.order(o.ID).Payment.CardLast4)
	require.Equal(t, map[string]int{"stripe/authorise": 1}, effects(t, o.ID))
}

// The bank's own step: failed first, then passed.
func TestCardThatAsksForAuthentication(t *testing.T) {
	t.Parallel()
	customer := verified(t)
	o := customer.buy(some(t, "BTC", "0.002"))
	checkout := customer.checkout(o.ID)
	challenge := customer.pay(checkout, secureCard)
	failed := customer.submit(challenge, "", map[string]string{"result": "fail"})
	require.Contains(t, string(failed.body), "unable to authenticate")
	require.Empty(t, customer.order(o.ID).Payment.AuthorisedAt)
	challenge = customer.pay(checkout, secureCard)
	customer.returned(customer.submit(challenge, "", map[string]string{"result": "complete"}), o.ID)
	require.Equal(t, map[string]int{"stripe/authorise": 1}, effects(t, o.ID))
}

func TestCustomerCancelsBeforePaying(t *testing.T) {
	t.Parallel()
	customer := verified(t)
	o := customer.buy(some(t, "BTC", "0.002"))
	checkout := customer.checkout(o.ID)
	customer.post("/api/orders/"+o.ID+"/cancel", nil, nil)
	require.Equal(t, "cancelled", customer.ends(o.ID, "cancelled").LegacyStatus)
	until(t, "a payment page that takes no money", func() bool { return customer.open(checkout).status == http.StatusGone })
	status, _ := customer.refused("/api/orders/"+o.ID+"/cancel", nil)
	require.Equal(t, http.StatusConflict, status, "what has ended cannot be cancelled")
	require.Empty(t, effects(t, o.ID))
	balanced(t, o.ID)
}

func TestAdminDeclinesAndNothingIsCaptured(t *testing.T) {
	t.Parallel()
	customer, staff := verified(t), admin(t)
	o := customer.buy(some(t, "BTC", "0.002"))
	customer.authorise(o.ID)
	reject := "/api/admin/payments/" + staff.payment(o.ID).ID + "/reject"
	status, p := staff.refused(reject, map[string]string{"reason": " "})
	require.Equal(t, http.StatusUnprocessableEntity, status, "a decline needs a reason")
	require.Equal(t, "reason", p.about())
	staff.post(reject, map[string]string{"reason": "name differs"}, nil)
	customer.ends(o.ID, "declined")
	require.Equal(t, map[string]int{"stripe/authorise": 1, "stripe/cancel": 1}, effects(t, o.ID), "the hold is released, nothing is taken")
	require.Empty(t, movements(t, o.ID))
	balanced(t, o.ID)
}
