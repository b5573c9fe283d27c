package stripe

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models/money"
)

const session = `{"id":%q,"object":"checkout.session","status":%q,"url":"https://pay.example/1","expires_at":1750001800,
 "client_reference_id":%q,"metadata":{"generation":%q,"order_id":%q},"payment_intent":null}`

func TestCheckoutRequestHoldsEveryDocumentedField(t *testing.T) {
	server := &answers{status: 200, body: fmt.Sprintf(session, "cs_1", "open", "ord1", "2", "ord1")}
	got, err := clientFor(t, server).CreateCheckout(t.Context(), provider.CheckoutInput{
		OrderID: "ord1", Reference: "TP-7K3M-9QWX", Generation: 2, Key: "ord:ord1:checkout:2",
		Amount: money.FromInt(10350), Description: "0.001 BTC", CustomerEmail: "ada@example.com",
		SuccessURL: "https://t.example/ok?s={CHECKOUT_SESSION_ID}", CancelURL: "https://t.example/back",
		ExpiresAt: time.Unix(1750001800, 0),
	})
	want := provider.Checkout{
		ID: "cs_1", URL: "https://pay.example/1", Status: provider.CheckoutOpen, ExpiresAt: time.Unix(1750001800, 0).UTC(),
	}
	if err != nil || got != want {
		t.Fatalf("%+v, %v", got, err)
	}
	r := server.requests[0]
	form := map[string]string{}
	for name, values := range r.form {
		form[name] = values[0]
	}
	if diff := cmp.Diff(map[string]string{
		"mode": "payment", "payment_method_types[0]": "card", "client_reference_id": "ord1",
		"customer_email": "ada@example.com", "expires_at": "1750001800",
		"success_url": "https://t.example/ok?s={CHECKOUT_SESSION_ID}", "cancel_url": "https://t.example/back",
		"metadata[order_id]": "ord1", "metadata[generation]": "2",
		"line_items[0][quantity]": "1", "line_items[0][price_data][currency]": "usd",
		"line_items[0][price_data][unit_amount]":        "10350",
		"line_items[0][price_data][product_data][name]": "0.001 BTC",
		"payment_intent_data[capture_method]":           "manual",
		"payment_intent_data[description]":              "TP-7K3M-9QWX",
		"payment_intent_data[metadata][order_id]":       "ord1",
		"payment_intent_data[metadata][generation]":     "2",
	}, form); diff != "" {
		t.Error(diff)
	}
	if r.path != "/v1/checkout/sessions" || r.method != http.MethodPost ||
		r.header.Get("Idempotency-Key") != "ord:ord1:checkout:2" || r.header.Get("Authorization") != "Bearer "+key {
		t.Errorf("%s %s %v", r.method, r.path, r.header)
	}
}

func TestWritesHaveTheirKeysAndAmounts(t *testing.T) {
	paid := fmt.Sprintf(intent, "succeeded", 0, 10350, "null", 0)
	disputed := `{"id":"dp_1","object":"dispute","currency":"usd","status":"under_review","amount":10350}`
	refund := `{"id":"re_1","object":"refund","currency":"usd","status":"pending","amount":350}`
	cases := []struct {
		name, body, path, key string
		call                  func(*Client) error
		form                  map[string]string
	}{
		{"capture", paid, "/v1/payment_intents/pi_1/capture", "ord:1:capture:1", func(c *Client) error {
			_, err := c.Capture(t.Context(), "pi_1", "ord:1:capture:1", money.FromInt(10350))
			return err
		}, map[string]string{"amount_to_capture": "10350"}},
		{"cancel", paid, "/v1/payment_intents/pi_1/cancel", "ord:1:cancel:1", func(c *Client) error {
			_, err := c.CancelPayment(t.Context(), "pi_1", "ord:1:cancel:1")
			return err
		}, map[string]string{"cancellation_reason": "abandoned"}},
		{"refund", refund, "/v1/refunds", "ord:1:refund:1", func(c *Client) error {
			_, err := c.Refund(t.Context(), provider.RefundInput{PaymentID: "pi_1", OrderID: "1", Key: "ord:1:refund:1", Sequence: 1, Amount: money.FromInt(350)})
			return err
		}, map[string]string{"payment_intent": "pi_1", "amount": "350", "metadata[order_id]": "1", "metadata[refund_seq]": "1"}},
		{"contest", disputed, "/v1/disputes/dp_1", "ord:1:dispute:1:contest:1", func(c *Client) error {
			_, err := c.Contest(t.Context(), "dp_1", "ord:1:dispute:1:contest:1", provider.Evidence{Product: "0.1 BTC", CustomerEmail: "ada@example.com", ServiceDate: "2026-11-20", Story: "It was sent."})
			return err
		}, map[string]string{"submit": "true", "evidence[product_description]": "0.1 BTC", "evidence[customer_email_address]": "ada@example.com",
			"evidence[service_date]": "2026-11-20", "evidence[uncategorized_text]": "It was sent."}},
		{"accept", disputed, "/v1/disputes/dp_1/close", "ord:1:dispute:1:accept:1", func(c *Client) error {
			_, err := c.Accept(t.Context(), "dp_1", "ord:1:dispute:1:accept:1")
			return err
		}, nil},
	}
	for _, c := range cases {
		server := &answers{status: 200, body: c.body}
		if err := c.call(clientFor(t, server)); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		r := server.requests[0]
		if r.path != c.path || r.header.Get("Idempotency-Key") != c.key {
			t.Errorf("%s: %s with key %q", c.name, r.path, r.header.Get("Idempotency-Key"))
		}
		for name, want := range c.form {
			if r.form.Get(name) != want {
				t.Errorf("%s: %s = %q, want %q", c.name, name, r.form.Get(name), want)
			}
		}
	}
}

func TestFindCheckoutMatchesOrderAndGeneration(t *testing.T) {
	list := `{"object":"list","has_more":false,"data":[` +
		fmt.Sprintf(session, "cs_other_order", "complete", "ord2", "1", "ord2") + "," +
		fmt.Sprintf(session, "cs_other_generation", "complete", "ord1", "2", "ord1") + "," +
		fmt.Sprintf(session, "cs_expired", "expired", "ord1", "1", "ord1") + "," +
		fmt.Sprintf(session, "cs_open", "open", "ord1", "1", "ord1") + `]}`
	server := &answers{status: 200, body: list}
	client := clientFor(t, server)
	got, err := client.FindCheckout(t.Context(), "ord1", 1, time.Unix(1750000000, 0))
	if err != nil || got.ID != "cs_open" {
		t.Errorf("%+v, %v", got, err)
	}
	if since := server.requests[0].form.Get("created[gte]"); since != "1749999700" {
		t.Errorf("looked since %s", since)
	}
	if _, err := client.FindCheckout(t.Context(), "ord1", 3, time.Unix(1750000000, 0)); !errors.Is(err, provider.ErrNotFound) {
		t.Errorf("a generation never sent: %v", err)
	}
}

func TestFindRefundMatchesItsSequence(t *testing.T) {
	list := `{"object":"list","has_more":false,"data":[
	 {"id":"re_1","object":"refund","currency":"usd","status":"failed","amount":5,"metadata":{"order_id":"1","refund_seq":"1"}},
	 {"id":"re_2","object":"refund","currency":"usd","status":"succeeded","amount":7,"metadata":{"order_id":"1","refund_seq":"2"}}]}`
	server := &answers{status: 200, body: list}
	client := clientFor(t, server)
	got, err := client.FindRefund(t.Context(), "pi_1", "1", 2)
	if err != nil || got.ID != "re_2" || got.Status != provider.RefundSucceeded || got.Amount.String() != "7" {
		t.Errorf("%+v, %v", got, err)
	}
	if server.requests[0].form.Get("payment_intent") != "pi_1" {
		t.Errorf("asked %v", server.requests[0].form)
	}
	if _, err := client.FindRefund(t.Context(), "pi_1", "1", 3); !errors.Is(err, provider.ErrNotFound) {
		t.Errorf("a refund never sent: %v", err)
	}
}

func TestReadsOfWhatIsNotThere(t *testing.T) {
	client := clientFor(t, &answers{status: 404, body: problem("invalid_request_error", "resource_missing", "")})
	_, payment := client.ReadPayment(t.Context(), "pi_1")
	_, checkout := client.ReadCheckout(t.Context(), "cs_1")
	_, refund := client.FindRefund(t.Context(), "pi_1", "1", 1)
	for name, err := range map[string]error{"payment": payment, "checkout": checkout, "refund": refund} {
		if !errors.Is(err, provider.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Expiring a page that is no longer open says what became of it.
func TestExpireCheckoutOfAFinishedPage(t *testing.T) {
	for status, code := range map[string]string{"expired": "", "complete": "checkout_complete", "open": "invalid_request_error"} {
		client := clientFor(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				w.WriteHeader(http.StatusBadRequest)
				_, _ = w.Write([]byte(problem("invalid_request_error", "", "")))
				return
			}
			_, _ = fmt.Fprintf(w, session, "cs_1", status, "ord1", "1", "ord1")
		}))
		err := client.ExpireCheckout(t.Context(), "cs_1")
		var got *provider.Error
		if code == "" && err != nil || code != "" && (!errors.As(err, &got) || got.Code != code) {
			t.Errorf("%s: %v", status, err)
		}
	}
}
