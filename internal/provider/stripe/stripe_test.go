package stripe

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	api "github.com/stripe/stripe-go/v85"

	"github.com/tradepost/tradepost/activities/activitiestest"
	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models/money"
)

const key = "sk_test_canary4711"

// answers is a server that gives one answer to everything and keeps requests.
type answers struct {
	status   int
	header   http.Header
	body     string
	requests []request
}

type request struct {
	method, path string
	header       http.Header
	form         url.Values
}

func (a *answers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	form, _ := url.ParseQuery(string(body))
	for name, values := range r.URL.Query() {
		form[name] = values
	}
	a.requests = append(a.requests, request{r.Method, r.URL.Path, r.Header, form})
	for name, values := range a.header {
		w.Header()[name] = values
	}
	w.WriteHeader(a.status)
	_, _ = w.Write([]byte(a.body))
}

func clientFor(t *testing.T, handler http.Handler) *Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return New(Config{URL: server.URL, Key: key, Timeout: time.Minute})
}

func problem(kind, code, decline string) string {
	return fmt.Sprintf(`{"error":{"type":%q,"code":%q,"decline_code":%q,"message":"no, with %s"}}`, kind, code, decline, key)
}

// Every row of the error table, asked for as a capture: its class, and what the
// activity does. A row without a case fails.
func TestErrorTable(t *testing.T) {
	const invalid = "invalid_request_error"
	cases := []struct {
		status     int
		kind, code string
		class      provider.Class
		want       string
	}{
		{400, invalid, "parameter_missing", provider.Refused, "parameter_missing"},
		{400, invalid, "parameter_invalid_integer", provider.Refused, "parameter_invalid_integer"},
		{400, invalid, "amount_too_small", provider.Refused, "amount_too_small"},
		{400, invalid, "amount_too_large", provider.Refused, "amount_too_large"},
		{400, invalid, "", provider.Refused, invalid},
		{400, invalid, "payment_intent_unexpected_state", provider.Unknown, "payment_intent_unexpected_state"},
		{400, invalid, "charge_already_captured", provider.Unknown, "charge_already_captured"},
		{400, invalid, "charge_already_refunded", provider.Unknown, "charge_already_refunded"},
		{400, invalid, "charge_expired_for_capture", provider.Unknown, "charge_expired_for_capture"},
		{400, invalid, "capture_charge_authorization_expired", provider.Unknown, "capture_charge_authorization_expired"},
		{400, invalid, "capture_unauthorized_payment", provider.Unknown, "capture_unauthorized_payment"},
		{400, "idempotency_error", "", provider.Refused, "idempotency_error"},
		{401, invalid, "", provider.Refused, "unauthorised"},
		{403, invalid, "", provider.Refused, "unauthorised"},
		{402, "card_error", "card_declined", provider.Refused, "card_declined"},
		{402, "card_error", "expired_card", provider.Refused, "expired_card"},
		{402, "card_error", "incorrect_cvc", provider.Refused, "incorrect_cvc"},
		{402, "card_error", "processing_error", provider.Refused, "processing_error"},
		{402, "card_error", "authentication_required", provider.Refused, "authentication_required"},
		{404, invalid, "resource_missing", provider.Refused, "resource_missing"},
		{409, "idempotency_error", "idempotency_key_in_use", provider.Retry, "idempotency_key_in_use"},
		{409, invalid, "", provider.Unknown, invalid},
		{424, "api_error", "", provider.Unknown, "api_error"},
		{429, invalid, "rate_limit", provider.Retry, "rate_limit"},
		{429, invalid, "lock_timeout", provider.Retry, "lock_timeout"},
		{500, "api_error", "", provider.Unknown, "api_error"},
		{503, "api_error", "", provider.Unknown, "api_error"},
	}
	decided := map[int]bool{}
	for _, c := range cases {
		row := slices.IndexFunc(rules, func(r rule) bool {
			return r.matches(&api.Error{HTTPStatusCode: c.status, Type: api.ErrorType(c.kind), Code: api.ErrorCode(c.code)})
		})
		decided[row] = true
		server := &answers{status: c.status, body: problem(c.kind, c.code, "insufficient_funds"), header: http.Header{"Retry-After": {"3"}}}
		_, err := clientFor(t, server).Capture(t.Context(), "pi_1", "ord:1:capture:1", money.FromInt(100))
		var got *provider.Error
		if !errors.As(err, &got) {
			t.Errorf("%d %s: %v", c.status, c.code, err)
			continue
		}
		if got.Class != c.class || got.Code != c.want || got.RetryAfter != 3*time.Second {
			t.Errorf("%d %s %s: got %s %s %v", c.status, c.kind, c.code, got.Class, got.Code, got.RetryAfter)
		}
		if does := activitiestest.Does(t, err); does != what[c.class] {
			t.Errorf("%d %s: the activity %s", c.status, c.code, does)
		}
		if strings.Contains(err.Error(), key) {
			t.Errorf("%d %s: the key shows in %v", c.status, c.code, err)
		}
		if len(server.requests) != 1 {
			t.Errorf("%d %s: sent %d times", c.status, c.code, len(server.requests))
		}
	}
	for i, r := range rules {
		if !decided[i] {
			t.Errorf("no case for the row %+v", r)
		}
	}
}

// what is what the activity does about a class, as the tables of errors in docs/providers.md have it.
var what = map[provider.Class]string{
	provider.Refused: activitiestest.Refuses, provider.Retry: activitiestest.SendAgain, provider.Unknown: activitiestest.ReadsBack,
}

// Answers that are not Stripe's own, or none at all, leave everything open.
func TestAnswersWithoutABodyAreUnknown(t *testing.T) {
	cases := map[string]http.Handler{
		"502 of a gateway": &answers{status: 502, body: "<html>bad gateway " + key},
		"503 without body": &answers{status: 503},
		"504 plain":        &answers{status: 504, body: "timeout"},
		"200 not JSON":     &answers{status: 200, body: "<html>hello " + key},
		"200 empty":        &answers{status: 200},
		"200 other object": &answers{status: 200, body: `{"id":"pi_1","status":"on_holiday","currency":"usd"}`},
		"other currency":   &answers{status: 200, body: `{"id":"pi_1","status":"succeeded","currency":"eur"}`},
		"redirect":         &answers{status: 302, header: http.Header{"Location": {"/v1/elsewhere"}}},
		"reset":            http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }),
	}
	for name, handler := range cases {
		client := clientFor(t, handler)
		_, capture := client.Capture(t.Context(), "pi_1", "k", money.FromInt(100))
		_, refund := client.Refund(t.Context(), provider.RefundInput{PaymentID: "pi_1", Key: "k", Amount: money.FromInt(1)})
		_, create := client.CreateCheckout(t.Context(), provider.CheckoutInput{OrderID: "o", Key: "k"})
		for operation, err := range map[string]error{"capture": capture, "refund": refund, "create": create} {
			if err == nil || provider.ClassOf(err) != provider.Unknown || strings.Contains(err.Error(), key) {
				t.Errorf("%s, %s: %v", name, operation, err)
			}
			var ours *provider.Error
			if !errors.As(err, &ours) {
				t.Errorf("%s, %s: not one of ours: %T", name, operation, err)
			}
		}
		if server, counts := handler.(*answers); counts && len(server.requests) != 3 {
			t.Errorf("%s: %d requests for three calls", name, len(server.requests))
		}
	}
}

func TestTimeoutIsUnknown(t *testing.T) {
	released := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-released }))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(released) })
	client := New(Config{URL: server.URL, Key: key, Timeout: 50 * time.Millisecond})
	_, err := client.Capture(t.Context(), "pi_1", "k", money.FromInt(1))
	var got *provider.Error
	if !errors.As(err, &got) || got.Class != provider.Unknown || got.Code != "timeout" {
		t.Errorf("got %v", err)
	}
}

const intent = `{"id":"pi_1","object":"payment_intent","status":%q,"currency":"usd","amount":10350,
 "amount_capturable":%d,"amount_received":%d,"cancellation_reason":%s,"canceled_at":%d,
 "last_payment_error":{"type":"card_error","code":"card_declined","decline_code":"insufficient_funds","charge":"ch_0"},
 "latest_charge":{"id":"ch_1","object":"charge","amount_refunded":350,"payment_method_details":{"type":"card",
  "card":{"brand":"visa","last4":"4242","capture_before":1750600000}}}}`

func TestPaymentsAreReadInOurWords(t *testing.T) {
	cases := []struct {
		status              string
		capturable, taken   int64
		reason              string
		canceledAt          int64
		want                provider.PaymentStatus
		expired             bool
		capturableWant, got int64
	}{
		{status: "requires_payment_method", reason: "null", want: provider.PaymentAwaiting},
		{status: "requires_confirmation", reason: "null", want: provider.PaymentAwaiting},
		{status: "requires_action", reason: "null", want: provider.PaymentAwaiting},
		{status: "processing", reason: "null", want: provider.PaymentProcessing},
		{status: "requires_capture", capturable: 10350, reason: "null", want: provider.PaymentAuthorised},
		{status: "succeeded", taken: 10350, reason: "null", want: provider.PaymentCaptured},
		{status: "canceled", reason: `"abandoned"`, canceledAt: 1750000000, want: provider.PaymentCancelled},
		{status: "canceled", reason: `"automatic"`, want: provider.PaymentCancelled, expired: true},
		{status: "canceled", reason: `"expired"`, want: provider.PaymentCancelled, expired: true},
		{status: "canceled", reason: "null", canceledAt: 1750600001, want: provider.PaymentCancelled, expired: true},
	}
	for _, c := range cases {
		server := &answers{status: 200, body: fmt.Sprintf(intent, c.status, c.capturable, c.taken, c.reason, c.canceledAt)}
		got, err := clientFor(t, server).ReadPayment(t.Context(), "pi_1")
		want := provider.Payment{
			ID: "pi_1", Status: c.want, Amount: money.FromInt(10350), Capturable: money.FromInt(c.capturable),
			Received: money.FromInt(c.taken), Refunded: money.FromInt(350), CardBrand: "visa", CardLast4: "4242",
			CaptureBefore: time.Unix(1750600000, 0).UTC(), DeclineCode: "insufficient_funds", DeclineCharge: "ch_0", Expired: c.expired,
		}
		if err != nil || !cmp.Equal(got, want, cmp.Comparer(func(a, b money.Units) bool { return a.Cmp(b) == 0 })) {
			t.Errorf("%s %s: %+v, %v", c.status, c.reason, got, err)
		}
		if r := server.requests[0]; r.path != "/v1/payment_intents/pi_1" || r.form["expand[0]"][0] != "latest_charge" {
			t.Errorf("asked %s %v", r.path, r.form)
		}
	}
}
