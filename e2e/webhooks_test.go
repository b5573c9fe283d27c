package e2e

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/sandbox/bitgo"
	"github.com/tradepost/tradepost/internal/sandbox/stripe"
)

// Forged, altered and stale webhooks are refused and leave nothing behind. One that is signed and of another API
// version is only a signal: what counts is read at the provider.
func TestBar29ForgedWebhooksHaveNoEffect(t *testing.T) {
	t.Parallel()
	customer := verified(t)
	o := customer.buy(some(t, "BTC", "0.002"))
	customer.checkout(o.ID)
	event := notice(t, o.ID)
	now := time.Now().Unix()
	secret := stack.Secret("STRIPE_WEBHOOK_SECRET")
	for name, forged := range map[string]struct{ path, header, signature, body string }{
		"unsigned":       {"stripe", "Stripe-Signature", "", event},
		"another secret": {"stripe", "Stripe-Signature", stripe.Signature("whsec_another", []byte(event), now), event},
		"stale":          {"stripe", "Stripe-Signature", stripe.Signature(secret, []byte(event), now-3600), event},
		"altered":        {"stripe", "Stripe-Signature", stripe.Signature(secret, []byte(event), now), strings.Replace(event, "pi_", "pi_x", 1)},
		"bitgo":          {"bitgo", "X-Signature-SHA256", bitgo.WebhookSignature("another", []byte(event)), event},
		"sumsub":         {"sumsub", "X-Payload-Digest", "00", event},
	} {
		status := deliver(t, forged.path, forged.header, forged.signature, forged.body)
		require.Contains(t, []int{http.StatusBadRequest, http.StatusUnauthorized}, status, name)
	}
	require.Zero(t, inbox(t, o.ID, "charge.succeeded"))

	hook := strings.Replace(event, pinned, "2024-06-20", 1)
	require.Equal(t, http.StatusNoContent, deliver(t, "stripe", "Stripe-Signature", stripe.Signature(secret, []byte(hook), now), hook))
	until(t, "the payment to be read on the hint", func() bool { return settled(t, o.ID, "charge.succeeded") == 1 })
	require.Zero(t, customer.order(o.ID).countEvents("authorised"))
	customer.authorise(o.ID) // the card itself still works
	require.Equal(t, map[string]int{"stripe/authorise": 1}, effects(t, o.ID))
}

// pinned is the version of Stripe's API that the adapter reads events of.
const pinned = "2026-03-25.dahlia"

// notice is a Stripe event that shows an order's card as authorised.
func notice(t *testing.T, orderID string) string {
	t.Helper()
	card := map[string]any{"amount_authorized": 100_000_00, "brand": "visa", "last4": "4242", "capture_before": time.Now().Add(time.Hour).Unix()}
	raw, err := json.Marshal(map[string]any{
		"id": "evt_" + digits(t, 16), "object": "event", "api_version": pinned, "type": "charge.succeeded", "created": time.Now().Unix(),
		"data": map[string]any{"object": map[string]any{"id": "ch_" + digits(t, 16), "object": "charge", "status": "succeeded", "captured": false,
			"amount": 100_000_00, "currency": "usd", "payment_intent": "pi_" + digits(t, 16), "metadata": map[string]string{"order_id": orderID},
			"payment_method_details": map[string]any{"type": "card", "card": card}}},
	})
	require.NoError(t, err)
	return string(raw)
}

func deliver(t *testing.T, path, header, signature, body string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, stack.SiteURL()+"/api/webhooks/"+path, strings.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set(header, signature)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return response.StatusCode
}

// inbox counts an order's webhooks of a type.
func inbox(t *testing.T, orderID, kind string) (n int) {
	t.Helper()
	require.NoError(t, database.QueryRow(t.Context(), "SELECT count(*) FROM webhook_inbox WHERE order_id = $1 AND type = $2", orderID, kind).Scan(&n))
	return n
}

// settled counts those of them that are done.
func settled(t *testing.T, orderID, kind string) (n int) {
	t.Helper()
	require.NoError(t, database.QueryRow(t.Context(), "SELECT count(handled_at) FROM webhook_inbox WHERE order_id = $1 AND type = $2", orderID, kind).Scan(&n))
	return n
}

// Each webhook twenty times over: one effect each, one line each in the timeline.
func TestBar29TwentyDuplicatesOfEachWebhook(t *testing.T) {
	t.Parallel()
	customer, staff := verified(t), admin(t)
	o := customer.buy(some(t, "BTC", "0.003"))
	arm(t, fault{Provider: "stripe", Operation: "webhook", Match: o.ID, Code: "dup_hook:20", Count: -1})
	customer.authorise(o.ID)
	staff.process(o.ID)
	customer.reaches(o.ID, "payment_approved")
	staff.decide(o.ID, "fulfill", "")
	sent := customer.reaches(o.ID, "sent")
	for _, kind := range []string{"authorised", "captured", "filled", "sent"} {
		require.Equal(t, 1, sent.countEvents(kind), kind)
	}
	require.Equal(t, 1, inbox(t, o.ID, "charge.succeeded"))
	require.Equal(t, once(), effects(t, o.ID))
	balanced(t, o.ID)
}

// No webhook of Stripe ever arrives: the poll finds the change.
func TestBar29LostWebhooksAreCaughtUpWith(t *testing.T) {
	t.Parallel()
	customer, staff := verified(t), admin(t)
	o := customer.buy(some(t, "BTC", "0.003"))
	arm(t, fault{Provider: "stripe", Operation: "webhook", Match: o.ID, Code: "lost_hook", Count: -1})
	customer.authorise(o.ID)
	require.Zero(t, inbox(t, o.ID, "charge.succeeded"))
	staff.process(o.ID)
	customer.reaches(o.ID, "payment_approved")
	staff.decide(o.ID, "fulfill", "")
	customer.reaches(o.ID, "sent")
	require.Equal(t, once(), effects(t, o.ID))
	balanced(t, o.ID)
}

// An authorised card is recorded from its webhook alone: a Stripe whose reads fail holds up no order.
func TestAHeldCardIsKnownByItsNotice(t *testing.T) {
	t.Parallel()
	customer, staff := verified(t), admin(t)
	o := customer.buy(some(t, "BTC", "0.003"))
	var silent []string
	for _, reading := range []string{"read_payment", "read_checkout"} {
		silent = append(silent, arm(t, fault{Provider: "stripe", Operation: reading, Match: o.ID, Code: "http:500_before", Count: -1}))
	}
	customer.authorise(o.ID)
	staff.process(o.ID)
	customer.reaches(o.ID, "payment_approved")
	staff.decide(o.ID, "fulfill", "")
	customer.reaches(o.ID, "sent")
	require.Equal(t, once(), effects(t, o.ID))
	for _, id := range silent { // the books are compared with what Stripe answers
		release(t, id)
	}
	balanced(t, o.ID)
}
