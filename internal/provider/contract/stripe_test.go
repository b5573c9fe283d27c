package contract

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/internal/provider/stripe"
	"github.com/tradepost/tradepost/models/money"
)

// pay types a test card into the hosted page.
func (b *box) pay(checkout provider.Checkout, card string) {
	b.t.Helper()
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := browser.PostForm(checkout.URL, url.Values{"number": {card}, "expiry": {"12/34"}, "cvc": {"123"}, "name": {"Ada"}})
	if err != nil {
		b.t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusSeeOther {
		b.t.Fatalf("paying answered %d", answer.StatusCode)
	}
}

func checkoutFor(b *box, order string) provider.CheckoutInput {
	return provider.CheckoutInput{
		OrderID: order, Reference: "TP-1", Generation: 1, Key: "ord:" + order + ":checkout:1", Amount: money.FromInt(10350),
		Description: "0.001 BTC", CustomerEmail: "ada@example.com", SuccessURL: "http://localhost:8080/ok",
		CancelURL: "http://localhost:8080/back", ExpiresAt: b.now().Add(31 * time.Minute),
	}
}

// authorised makes a page and pays on it.
func authorised(t *testing.T, b *box, client *stripe.Client, order string) provider.Payment {
	t.Helper()
	checkout, err := client.CreateCheckout(t.Context(), checkoutFor(b, order))
	if err != nil {
		t.Fatal(err)
	}
	b.pay(checkout, "4242424242424242")
	read, err := client.ReadCheckout(t.Context(), checkout.ID)
	if err != nil || read.Status != provider.CheckoutComplete || read.Payment == nil {
		t.Fatalf("%+v, %v", read, err)
	}
	return *read.Payment
}

func TestStripeFromPageToRefund(t *testing.T) {
	b := start(t)
	client := stripe.New(stripe.Config{URL: b.url, Key: stripeKey, Timeout: longEnough})
	begin := b.now()
	input := checkoutFor(b, "ord-a")
	checkout, err := client.CreateCheckout(t.Context(), input)
	if err != nil || checkout.Status != provider.CheckoutOpen || checkout.Payment != nil || checkout.URL == "" {
		t.Fatalf("%+v, %v", checkout, err)
	}
	again, err := client.CreateCheckout(t.Context(), input)
	if err != nil || again.ID != checkout.ID {
		t.Errorf("the same key made %q and %q (%v)", checkout.ID, again.ID, err)
	}
	b.pay(checkout, "4000000000009995")
	found, err := client.FindCheckout(t.Context(), "ord-a", 1, begin)
	if err != nil || found.ID != checkout.ID || found.Status != provider.CheckoutOpen {
		t.Fatalf("after a decline: %+v, %v", found, err)
	}
	if found.Payment != nil && found.Payment.DeclineCode != "insufficient_funds" {
		t.Errorf("declined with %q", found.Payment.DeclineCode)
	}
	b.pay(checkout, "5555555555554444")
	read, err := client.ReadCheckout(t.Context(), checkout.ID)
	if err != nil || read.Payment == nil {
		t.Fatalf("%+v, %v", read, err)
	}
	held := *read.Payment
	if held.Status != provider.PaymentAuthorised || held.Capturable.String() != "10350" || held.CardBrand != "mastercard" ||
		held.CardLast4 != "4444" || !held.CaptureBefore.After(begin.Add(6*24*time.Hour)) {
		t.Errorf("held: %+v", held)
	}
	if event := b.awaitWebhook("stripe", stripe.NewVerifier(stripeHook), held.ID); event.OrderID != "ord-a" {
		t.Errorf("the notice names order %q", event.OrderID)
	}
	var refused *provider.Error
	if err := client.ExpireCheckout(t.Context(), checkout.ID); !errors.As(err, &refused) || refused.Code != "checkout_complete" {
		t.Errorf("expiring a finished page: %v", err)
	}
	captureAndRefund(t, b, client, held)
}

func captureAndRefund(t *testing.T, b *box, client *stripe.Client, held provider.Payment) {
	t.Helper()
	taken, err := client.Capture(t.Context(), held.ID, "ord:ord-a:capture:1", held.Amount)
	if err != nil || taken.Status != provider.PaymentCaptured || taken.Received.String() != "10350" {
		t.Fatalf("captured: %+v, %v", taken, err)
	}
	if _, err := client.Capture(t.Context(), held.ID, "ord:ord-a:capture:2", held.Amount); provider.ClassOf(err) != provider.Unknown {
		t.Errorf("a second capture must be looked up: %v", err)
	}
	if _, err := client.CancelPayment(t.Context(), held.ID, "ord:ord-a:cancel:1"); provider.ClassOf(err) != provider.Unknown {
		t.Errorf("cancelling a captured payment must be looked up: %v", err)
	}
	input := provider.RefundInput{PaymentID: held.ID, OrderID: "ord-a", Key: "ord:ord-a:refund:1", Sequence: 1, Amount: money.FromInt(350)}
	refund, err := client.Refund(t.Context(), input)
	if err != nil || refund.Amount.String() != "350" {
		t.Fatalf("%+v, %v", refund, err)
	}
	b.control("clock", map[string]any{"advance": "1m"})
	found, err := client.FindRefund(t.Context(), held.ID, "ord-a", 1)
	if err != nil || found.ID != refund.ID || found.Status != provider.RefundSucceeded {
		t.Errorf("%+v, %v", found, err)
	}
	if _, err := client.FindRefund(t.Context(), held.ID, "ord-a", 2); !errors.Is(err, provider.ErrNotFound) {
		t.Errorf("a refund never sent: %v", err)
	}
	if now, err := client.ReadPayment(t.Context(), held.ID); err != nil || now.Refunded.String() != "350" {
		t.Errorf("%+v, %v", now, err)
	}
	if n := b.effects("stripe", "capture", "ord-a"); n != 1 {
		t.Errorf("captured %d times", n)
	}
}

// An unknown outcome, looked up, and sent again with the same key: one effect.
func TestStripeUnknownOutcomes(t *testing.T) {
	b := start(t)
	client := stripe.New(stripe.Config{URL: b.url, Key: stripeKey, Timeout: longEnough})
	for i, c := range []struct {
		code  string
		taken bool // whether it happened behind the lost answer
	}{{"drop_after", true}, {"drop_before", false}, {"http:500_after", true}} {
		order := "ord-" + string(rune('a'+i))
		held := authorised(t, b, client, order)
		b.fault("stripe", "capture", c.code)
		_, err := client.Capture(t.Context(), held.ID, "ord:"+order+":capture:1", held.Amount)
		if provider.ClassOf(err) != provider.Unknown || err == nil {
			t.Errorf("%s: %v", c.code, err)
		}
		now, err := client.ReadPayment(t.Context(), held.ID)
		if err != nil || (now.Status == provider.PaymentCaptured) != c.taken {
			t.Errorf("%s: looked up %+v, %v", c.code, now, err)
		}
		if !c.taken {
			if _, err := client.Capture(t.Context(), held.ID, "ord:"+order+":capture:1", held.Amount); err != nil {
				t.Errorf("%s: sent again: %v", c.code, err)
			}
		}
		if n := b.effects("stripe", "capture", order); n != 1 {
			t.Errorf("%s: captured %d times", c.code, n)
		}
	}
	b.fault("stripe", "capture", "429")
	held := authorised(t, b, client, "ord-429")
	if _, err := client.Capture(t.Context(), held.ID, "k", held.Amount); provider.ClassOf(err) != provider.Retry {
		t.Errorf("429: %v", err)
	}
}

func TestStripeHoldsExpireAndAreReleased(t *testing.T) {
	b := start(t)
	client := stripe.New(stripe.Config{URL: b.url, Key: stripeKey, Timeout: longEnough})
	released := authorised(t, b, client, "ord-released")
	got, err := client.CancelPayment(t.Context(), released.ID, "ord:ord-released:cancel:1")
	if err != nil || got.Status != provider.PaymentCancelled || got.Expired {
		t.Errorf("released: %+v, %v", got, err)
	}
	open, err := client.CreateCheckout(t.Context(), checkoutFor(b, "ord-open"))
	if err != nil {
		t.Fatal(err)
	}
	lapsing := authorised(t, b, client, "ord-lapsing")
	for range 2 { // the second time it has expired already
		if err := client.ExpireCheckout(t.Context(), open.ID); err != nil {
			t.Errorf("expiring an open page: %v", err)
		}
	}
	b.control("clock", map[string]any{"advance": "192h"})
	got, err = client.ReadPayment(t.Context(), lapsing.ID)
	if err != nil || got.Status != provider.PaymentCancelled || !got.Expired {
		t.Errorf("lapsed: %+v, %v", got, err)
	}
	other := stripe.New(stripe.Config{URL: b.url, Key: "sk_test_canary4711", Timeout: longEnough})
	if _, err := other.ReadPayment(t.Context(), lapsing.ID); provider.ClassOf(err) != provider.Refused || strings.Contains(err.Error(), "canary") {
		t.Errorf("with another key: %v", err)
	}
}

// A dispute, from the bank's withdrawal to its decision, and a refund made at Stripe
// itself: read as they are, by payment and in the account's lists.
func TestStripeDisputesAndRefundsOfOthers(t *testing.T) {
	b := start(t)
	client := stripe.New(stripe.Config{URL: b.url, Key: stripeKey, Timeout: longEnough})
	begin := b.now()
	held := authorised(t, b, client, "ord-d")
	if _, err := client.Capture(t.Context(), held.ID, "ord:ord-d:capture:1", held.Amount); err != nil {
		t.Fatal(err)
	}
	charge := chargeOf(t, b, held.ID)
	b.control("stripe/refund", map[string]any{"charge": charge, "amount": "350"})
	theirs, err := client.PaymentRefunds(t.Context(), held.ID)
	if err != nil || len(theirs) != 1 || theirs[0].Amount.String() != "350" || theirs[0].OrderID != "" || theirs[0].PaymentID != held.ID {
		t.Fatalf("%+v, %v", theirs, err)
	}
	b.control("stripe/dispute", map[string]any{"charge": charge, "reason": "product_not_received"})
	open, err := client.PaymentDisputes(t.Context(), held.ID)
	if err != nil || len(open) != 1 {
		t.Fatalf("%+v, %v", open, err)
	}
	d := open[0]
	if d.Status != provider.DisputeOpen || d.Amount.String() != "10000" || d.Withdrawn.String() != "10000" || d.Fee.String() != "1500" ||
		d.Reason != "product_not_received" || !d.DueBy.After(begin) || d.PaymentID != held.ID {
		t.Errorf("%+v", d)
	}
	refunds, failed := client.RecentRefunds(t.Context(), begin)
	recent, err := client.RecentDisputes(t.Context(), begin)
	if failed != nil || err != nil || len(refunds) != 1 || len(recent) != 1 {
		t.Errorf("in the lists: %+v %v, %+v %v", refunds, failed, recent, err)
	}
	answered, err := client.Contest(t.Context(), d.ID, "k1", provider.Evidence{Product: "0.001 BTC", Story: "It was sent."})
	if err != nil || answered.Status != provider.DisputeUnderReview {
		t.Errorf("%+v, %v", answered, err)
	}
	if _, err := client.Contest(t.Context(), d.ID, "k2", provider.Evidence{Story: "Once more."}); provider.ClassOf(err) != provider.Refused {
		t.Errorf("a second answer: %v", err)
	}
	b.control("stripe/dispute/decide", map[string]any{"dispute": d.ID, "outcome": "won"})
	won, err := client.ReadDispute(t.Context(), d.ID)
	if err != nil || won.Status != provider.DisputeWon || won.Reinstated.String() != "10000" {
		t.Errorf("%+v, %v", won, err)
	}
	if _, err := client.ReadDispute(t.Context(), "dp_nowhere"); !errors.Is(err, provider.ErrNotFound) {
		t.Errorf("a dispute that is not there: %v", err)
	}
}

// chargeOf reads which charge a payment made, as the account's owner does.
func chargeOf(t *testing.T, b *box, payment string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.url+"/v1/payment_intents/"+payment, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.SetBasicAuth(stripeKey, "")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	var intent struct {
		Charge string `json:"latest_charge"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&intent); err != nil {
		t.Fatal(err)
	}
	return intent.Charge
}
