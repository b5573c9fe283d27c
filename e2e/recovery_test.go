package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A step the exchange refuses fails the order with its error on the admin's card, and without the provider's text on
// the customer's page. One is tried again and sent, the other's money is refunded to the card.
func TestRefusedPurchaseIsRetriedOrRefunded(t *testing.T) {
	t.Parallel()
	customer, staff := verified(t), admin(t)
	failed := func() order {
		what := some(t, "BTC", "0.003")
		o := paid(t, customer, staff, what)
		arm(t, fault{Provider: "kraken", Operation: "AddOrder", Match: what.amount, Code: "decline:EOrder:Insufficient funds", Count: 1})
		staff.decide(o.ID, "fulfill", "")
		customer.reaches(o.ID, "failed")
		seen := staff.asStaff(o.ID)
		require.Equal(t, "buy", seen.Metadata.FailedStep)
		require.NotEmpty(t, seen.Metadata.FulfillmentError)
		require.NotEmpty(t, seen.Metadata.LastError)
		require.Positive(t, seen.Metadata.RetryCount)
		require.Equal(t, []string{"retry", "refund", "refund_part"}, seen.Actions)
		page := customer.open(stack.SiteURL() + "/api/orders/" + o.ID)
		for _, word := range []string{"eorder", "insufficient funds", "kraken", "bitgo"} {
			require.NotContains(t, strings.ToLower(string(page.body)), word, "what the provider said is not for customers")
		}
		return o
	}

	retried := failed()
	staff.decide(retried.ID, "retry", "")
	customer.reaches(retried.ID, "sent")
	require.Equal(t, once(), effects(t, retried.ID))
	balanced(t, retried.ID)

	refunded := failed()
	staff.decide(refunded.ID, "refund", "the exchange would not sell")
	customer.ends(refunded.ID, "refunded")
	require.Equal(t, map[string]int{"stripe/authorise": 1, "stripe/capture": 1, "stripe/refund": 1}, effects(t, refunded.ID))
	balanced(t, refunded.ID)
}

// Custody refuses to send: the coin is bought already, and sent on a retry.
func TestRefusedTransferIsRetried(t *testing.T) {
	t.Parallel()
	customer, staff := verified(t), admin(t)
	what := some(t, "ETH", "0.08")
	o := paid(t, customer, staff, what)
	arm(t, fault{Provider: "bitgo", Operation: "sendcoins", Match: what.address, Code: "insufficient", Count: 1})
	staff.decide(o.ID, "fulfill", "")
	until(t, "an order that waits for a person", func() bool {
		return slices.Contains(staff.asStaff(o.ID).Actions, "retry")
	})
	staff.decide(o.ID, "retry", "")
	customer.reaches(o.ID, "sent")
	require.Equal(t, once(), effects(t, o.ID))
	balanced(t, o.ID)
}

// Answers that are lost on the way: what was done is found, not done again.
func TestBar28LostAnswersMakeOneEffect(t *testing.T) {
	t.Parallel()
	customer, staff := verified(t), admin(t)
	what := some(t, "BTC", "0.003")
	o := customer.buy(what)
	arm(t, fault{Provider: "stripe", Operation: "capture", Match: o.ID, Code: "drop_after", Count: 1})
	arm(t, fault{Provider: "kraken", Operation: "AddOrder", Match: what.amount, Code: "drop_after", Count: 1})
	arm(t, fault{Provider: "bitgo", Operation: "sendcoins", Match: what.address, Code: "http:500_after", Count: 1})
	customer.authorise(o.ID)
	staff.process(o.ID)
	customer.reaches(o.ID, "payment_approved")
	staff.decide(o.ID, "fulfill", "")
	customer.reaches(o.ID, "sent")
	require.Equal(t, once(), effects(t, o.ID))
	balanced(t, o.ID)
}
