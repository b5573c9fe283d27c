package stripe_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	stripego "github.com/stripe/stripe-go/v85"
	"github.com/stripe/stripe-go/v85/webhook"

	"github.com/tradepost/tradepost/internal/sandbox"
	"github.com/tradepost/tradepost/internal/sandbox/stripe"
)

// send posts to the API by hand, as curl does.
func (tn *testServer) send(path, idempotencyKey string, fields url.Values) (*http.Response, string) {
	tn.Helper()
	r, err := http.NewRequest("POST", tn.url+path, strings.NewReader(fields.Encode()))
	require.NoError(tn, err)
	r.SetBasicAuth(key, "")
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if idempotencyKey != "" {
		r.Header.Set("Idempotency-Key", idempotencyKey)
	}
	res, err := http.DefaultClient.Do(r)
	require.NoError(tn, err)
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	require.NoError(tn, err)
	return res, string(body)
}

func (tn *testServer) arm(operation, match, code string) sandbox.Fault {
	tn.Helper()
	fault, err := tn.world.Faults.Arm(sandbox.Fault{Provider: "stripe", Operation: operation, Match: match, Code: code})
	require.NoError(tn, err)
	return fault
}

func payment(order string) url.Values {
	return url.Values{"amount": {"5000"}, "currency": {"usd"}, "capture_method": {"manual"}, "confirm": {"true"}, "payment_method": {"pm_card_visa"}, "metadata[order_id]": {order}}
}

// TestIdempotency: one effect a key, the first answer replayed, for a day.
func TestIdempotency(t *testing.T) {
	tn := start(t)
	first, body := tn.send("/v1/payment_intents", "k1", payment("ord-once"))
	require.Equal(t, 200, first.StatusCode, body)
	require.NotEmpty(t, first.Header.Get("Request-Id"))
	second, again := tn.send("/v1/payment_intents", "k1", payment("ord-once"))
	require.Equal(t, 200, second.StatusCode)
	require.Equal(t, "true", second.Header.Get("Idempotent-Replayed"))
	require.NotEqual(t, first.Header.Get("Request-Id"), second.Header.Get("Request-Id"))
	require.JSONEq(t, body, again)
	require.Equal(t, 1, tn.effects("authorise", "ord-once"))

	other := payment("ord-once")
	other.Set("amount", "6000")
	wrong, said := tn.send("/v1/payment_intents", "k1", other)
	require.Equal(t, 400, wrong.StatusCode)
	require.Contains(t, said, "idempotency_error")

	declined := payment("ord-declined")
	declined.Set("payment_method", "pm_card_visa_chargeDeclined")
	for range 2 {
		res, said := tn.send("/v1/payment_intents", "k2", declined)
		require.Equal(t, 402, res.StatusCode)
		require.Contains(t, said, "generic_decline")
	}
	broken := payment("ord-invalid")
	broken.Set("amount", "-5")
	res, _ := tn.send("/v1/payment_intents", "k3", broken)
	require.Equal(t, 400, res.StatusCode)
	res, _ = tn.send("/v1/payment_intents", "k3", payment("ord-invalid"))
	require.Equal(t, 200, res.StatusCode, "what failed validation is not kept")

	require.NoError(t, tn.world.Clock.Advance(25*time.Hour))
	res, body = tn.send("/v1/payment_intents", "k1", payment("ord-once"))
	require.Equal(t, 200, res.StatusCode)
	require.Empty(t, res.Header.Get("Idempotent-Replayed"))
	require.NotEqual(t, body, again)
	require.Equal(t, 2, tn.effects("authorise", "ord-once"), "a key is forgotten after a day")
	res, _ = tn.send("/v1/payment_intents", strings.Repeat("k", 256), payment("x"))
	require.Equal(t, 400, res.StatusCode)
}

// TestKeyInFlight: the same key while the first is held is 409; the key works
// once it is released.
func TestKeyInFlight(t *testing.T) {
	tn := start(t)
	fault := tn.arm("create_payment", "ord-held", "hold_before")
	done := make(chan string, 1)
	go func() {
		_, body := tn.send("/v1/payment_intents", "k1", payment("ord-held"))
		done <- body
	}()
	require.Eventually(t, func() bool {
		_, struck := tn.world.Faults.List()
		return len(struck) == 1
	}, time.Minute, 5*time.Millisecond)
	res, body := tn.send("/v1/payment_intents", "k1", payment("ord-held"))
	require.Equal(t, 409, res.StatusCode)
	require.Contains(t, body, "idempotency_key_in_use")
	require.NoError(t, tn.world.Faults.Clear(fault.ID))
	require.Contains(t, <-done, "requires_capture")
	require.Equal(t, 1, tn.effects("authorise", "ord-held"))
}

// TestFaults is the catalogue of providers §9 on a capture: what the caller sees, and
// how often money moved.
func TestFaults(t *testing.T) {
	tn := start(t)
	ctx := context.Background()
	for n, c := range []struct {
		code    string
		status  int // 0: the connection is cut
		reason  string
		effects int
	}{
		{"drop_before", 0, "", 0},
		{"drop_after", 0, "", 1},
		{"http:500_before", 500, "", 0},
		{"http:500_after", 500, "", 1},
		{"http:503_before", 0, "", 0},
		{"http:502_after", 0, "", 1},
		{"429", 429, "rate_limit", 0},
		{"429:lock_timeout", 429, "lock_timeout", 0},
		{"500_stored", 500, "", 0},
		{"decline:capture_charge_authorization_expired", 400, "capture_charge_authorization_expired", 0},
	} {
		order := fmt.Sprintf("ord-fault-%d", n)
		pi := tn.authorised(order)
		match := order
		if c.code == "500_stored" {
			match = pi.ID
		}
		tn.arm("capture", match, c.code)
		params := &stripego.PaymentIntentCaptureParams{}
		params.SetIdempotencyKey("ord:" + order + ":capture:1")
		_, err := tn.stripe.V1PaymentIntents.Capture(ctx, pi.ID, params)
		status, reason := code(err)
		require.Error(t, err, c.code)
		require.Equal(t, c.status, status, c.code)
		require.Equal(t, c.reason, reason, c.code)
		require.Equal(t, c.effects, tn.effects("capture", order), c.code)

		// The same key again: kept 500s and refusals are replayed, the rest
		// goes through, and never twice.
		again, err := tn.stripe.V1PaymentIntents.Capture(ctx, pi.ID, params)
		if c.code == "http:500_after" || c.code == "500_stored" || c.status == 400 {
			status, _ := code(err)
			require.Equal(t, c.status, status, c.code)
			require.Equal(t, c.effects, tn.effects("capture", order), c.code)
			continue
		}
		require.NoError(t, err, c.code)
		require.Equal(t, stripego.PaymentIntentStatusSucceeded, again.Status, c.code)
		require.Equal(t, 1, tn.effects("capture", order), c.code)
	}
}

// TestRefundFails: the money that left comes back to the balance.
func TestRefundFails(t *testing.T) {
	tn := start(t)
	ctx := context.Background()
	pi := tn.authorised("ord-refund")
	_, err := tn.stripe.V1PaymentIntents.Capture(ctx, pi.ID, nil)
	require.NoError(t, err)
	tn.arm("refund", "ord-refund", "refund_failed")
	re, err := tn.stripe.V1Refunds.Create(ctx, &stripego.RefundCreateParams{PaymentIntent: &pi.ID})
	require.NoError(t, err)
	require.NoError(t, tn.world.Clock.Advance(5*time.Second))
	re, err = tn.stripe.V1Refunds.Retrieve(ctx, re.ID, nil)
	require.NoError(t, err)
	require.Equal(t, stripego.RefundStatusFailed, re.Status)
	tn.awaitWebhooks("refund.failed")
	balance, err := tn.stripe.V1Balance.Retrieve(ctx, nil)
	require.NoError(t, err)
	require.Equal(t, int64(10350), balance.Available[0].Amount)
	require.Equal(t, 1, tn.effects("refund", "ord-refund"))
}

// TestLag: a created page is missed by reads for a while.
func TestLag(t *testing.T) {
	tn := start(t)
	ctx := context.Background()
	tn.arm("create_checkout", "ord-lag", "lag:30")
	cs := tn.page("ord-lag")
	_, err := tn.stripe.V1CheckoutSessions.Retrieve(ctx, cs.ID, nil)
	status, reason := code(err)
	require.Equal(t, 404, status)
	require.Equal(t, "resource_missing", reason)
	require.NoError(t, tn.world.Clock.Advance(31*time.Second))
	_, err = tn.stripe.V1CheckoutSessions.Retrieve(ctx, cs.ID, nil)
	require.NoError(t, err)
}

// TestHookFaults: webhooks come twice, late, never, or forged.
func TestHookFaults(t *testing.T) {
	tn := start(t)
	tn.arm("payment_intent.created", "ord-dup", "dup_hook:3")
	tn.authorised("ord-dup")
	require.Eventually(t, func() bool { return tn.awaitWebhooks("payment_intent.created") == 3 }, time.Minute, 10*time.Millisecond)

	tn.arm("payment_intent.amount_capturable_updated", "ord-lost", "lost_hook")
	tn.arm("charge.succeeded", "ord-lost", "bad_sig_hook")
	tn.arm("checkout.session.completed", "ord-lost", "late_hook:60")
	tn.authorised("ord-lost")
	fate := func(kind string) sandbox.Delivery {
		list, err := tn.world.Hooks.List(1000)
		require.NoError(t, err)
		for _, d := range list {
			if d.Hook.Subject == "ord-lost" && d.Hook.Type == kind {
				return d
			}
		}
		return sandbox.Delivery{}
	}
	require.Eventually(t, func() bool { return fate("charge.succeeded").Status == "gave_up" }, time.Minute, 10*time.Millisecond)
	require.Equal(t, 400, fate("charge.succeeded").Answer)
	require.Equal(t, "lost", fate("payment_intent.amount_capturable_updated").Status)
	require.Equal(t, "queued", fate("checkout.session.completed").Status)
	require.NoError(t, tn.world.Clock.Advance(61*time.Second))
	require.Eventually(t, func() bool { return fate("checkout.session.completed").Status == "delivered" }, time.Minute, 10*time.Millisecond)
}

// TestRequests: wrong keys, parameters, bodies and versions are refused as
// Stripe does.
func TestRequests(t *testing.T) {
	tn := start(t)
	_, err := client(tn.url, "sk_test_wrong_0123456789").V1Balance.Retrieve(context.Background(), nil)
	status, _ := code(err)
	require.Equal(t, 401, status)
	for name, c := range map[string]struct {
		change url.Values
		code   string
	}{
		"unknown":   {url.Values{"colour": {"red"}}, "parameter_unknown"},
		"missing":   {url.Values{"currency": nil}, "parameter_missing"},
		"small":     {url.Values{"amount": {"49"}}, "amount_too_small"},
		"large":     {url.Values{"amount": {"100000000"}}, "amount_too_large"},
		"not whole": {url.Values{"amount": {"12.5"}}, "parameter_invalid_integer"},
		"no method": {url.Values{"payment_method": {"pm_nobody"}}, "resource_missing"},
	} {
		fields := payment("ord-bad")
		for k, v := range c.change {
			if v == nil {
				fields.Del(k)
				continue
			}
			fields[k] = v
		}
		_, body := tn.send("/v1/payment_intents", "", fields)
		require.Contains(t, body, `"code": "`+c.code+`"`, name)
	}
	r, err := http.NewRequest("POST", tn.url+"/v1/refunds", bytes.NewBufferString(`{"amount":1}`))
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	_ = res.Body.Close()
	require.Equal(t, 400, res.StatusCode)
	r, err = http.NewRequest("GET", tn.url+"/v1/balance", nil)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Stripe-Version", "2026-10-28.endive")
	res, err = http.DefaultClient.Do(r)
	require.NoError(t, err)
	_ = res.Body.Close()
	require.Equal(t, "2026-10-28.endive", res.Header.Get("Stripe-Version"))
}

// TestVector signs a known event (providers §1.7) and has the SDK check it.
func TestVector(t *testing.T) {
	body := []byte(`{"id":"evt_lab_0001","object":"event","api_version":"2026-03-25.dahlia","created":1750000000,"type":"payment_intent.amount_capturable_updated","data":{"object":{"id":"pi_lab_0001","object":"payment_intent","amount":10000,"amount_capturable":10000,"currency":"usd","status":"requires_capture"}}}`)
	header := stripe.Signature(secret, body, 1750000000)
	require.Equal(t, "t=1750000000,v1=e6d1967dec7e3bf1f1f9bec0bdad8452eaa976c1d26660930572747feb183d64", header)
	_, err := webhook.ConstructEventWithOptions(body, header, secret, webhook.ConstructEventOptions{IgnoreTolerance: true})
	require.NoError(t, err)
	_, err = webhook.ConstructEvent(body, header, secret)
	require.ErrorIs(t, err, webhook.ErrTooOld)
}

// TestDoubleSubmit: the form sent twice holds the money once.
func TestDoubleSubmit(t *testing.T) {
	tn := start(t)
	cs := tn.page("ord-twice")
	done := make(chan int, 2)
	for range 2 {
		go func() {
			status, _, _ := tn.submit("/pay/"+cs.ID, card("4242424242424242"))
			done <- status
		}()
	}
	require.Subset(t, []int{303, 200, 409}, []int{<-done, <-done})
	require.Equal(t, 1, tn.effects("authorise", "ord-twice"))
}
