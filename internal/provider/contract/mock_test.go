package contract

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/internal/provider/stripe"
	"github.com/tradepost/tradepost/internal/provider/stripe/events"
	"github.com/tradepost/tradepost/models/money"
)

// stripeMock builds and starts Stripe's own stripe-mock, which has the whole API
// description and refuses what does not match it.
func stripeMock(t *testing.T) (origin string) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "stripe-mock")
	build := exec.Command("go", "build", "-o", program, "github.com/stripe/stripe-mock")
	build.Dir = "../../../tools"
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("stripe-mock does not build: %v\n%s", err, out)
	}
	address := freeAddress(t)
	process := exec.Command(program, "-http-addr", address, "-https-addr", freeAddress(t))
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = process.Process.Kill(); _ = process.Wait() })
	return "http://" + address
}

// secondOpinion shows each request to stripe-mock before the sandbox answers
// it. It keeps what was asked, and how often stripe-mock had an objection.
type secondOpinion struct {
	t          *testing.T
	mock       string
	sandbox    http.Handler
	asked      int
	objections []string
}

func (s *secondOpinion) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Error(err)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	copied, err := http.NewRequestWithContext(r.Context(), r.Method, s.mock+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		s.t.Error(err)
		return
	}
	copied.Header = r.Header.Clone()
	answer, err := http.DefaultClient.Do(copied)
	if err != nil {
		s.t.Error(err)
		return
	}
	defer func() { _ = answer.Body.Close() }()
	text, _ := io.ReadAll(answer.Body)
	s.asked++
	if answer.StatusCode != http.StatusOK {
		s.objections = append(s.objections, r.Method+" "+r.URL.RequestURI()+" "+string(body)+"\n"+string(text))
	}
	s.sandbox.ServeHTTP(w, r)
}

// TestStripeMockAcceptsEveryRequest: what the adapter sends, in every method it
// has, fits Stripe's own description of the API. What is answered is the
// sandbox's, so that methods of several requests make all of them.
func TestStripeMockAcceptsEveryRequest(t *testing.T) {
	b := start(t)
	mock := stripeMock(t)
	b.until("stripe-mock to answer", func() bool {
		answer, err := http.Get(mock + "/v1/balance")
		return err == nil && answer.Body.Close() == nil
	})
	to, err := url.Parse(b.url)
	if err != nil {
		t.Fatal(err)
	}
	opinion := &secondOpinion{t: t, mock: mock, sandbox: httputil.NewSingleHostReverseProxy(to)}
	proxy := httptest.NewServer(opinion)
	t.Cleanup(proxy.Close)
	client := stripe.New(stripe.Config{URL: proxy.URL, Key: stripeKey, Timeout: longEnough})
	calls := everyCall(t, b, client)
	for _, c := range calls {
		before := opinion.asked
		if err := c.do(); err != nil {
			t.Errorf("%s: %v", c.method, err)
		}
		if opinion.asked == before {
			t.Errorf("%s asked nothing", c.method)
		}
	}
	for _, objection := range opinion.objections {
		t.Errorf("stripe-mock refuses %s", objection)
	}
	for method := range reflect.TypeFor[*stripe.Client]().Methods() {
		called := false
		for _, c := range calls {
			called = called || c.method == method.Name
		}
		if !called {
			t.Errorf("%s has no call here", method.Name)
		}
	}
	wrong, err := http.NewRequestWithContext(t.Context(), http.MethodPost, proxy.URL+"/v1/payment_intents", strings.NewReader("amount=500"))
	if err != nil {
		t.Fatal(err)
	}
	wrong.Header.Set("Authorization", "Bearer "+stripeKey)
	wrong.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	refused, err := http.DefaultClient.Do(wrong)
	if err != nil || refused.Body.Close() != nil || len(opinion.objections) == 0 || !strings.Contains(opinion.objections[0], "currency") {
		t.Errorf("stripe-mock objects to nothing: %v %v", err, opinion.objections)
	}
}

type adapterCall struct {
	method string
	do     func() error
}

// everyCall is the course of some payments, in order.
func everyCall(t *testing.T, b *box, client *stripe.Client) []adapterCall {
	ctx, begin := t.Context(), b.now()
	var open, paid, lost provider.Checkout
	var held, released provider.Payment
	var disputes []provider.Dispute
	var endpoint stripe.Endpoint
	call := func(method string, do func() error) adapterCall { return adapterCall{method, do} }
	page := func(order string, into *provider.Checkout) func() error {
		return func() (err error) { *into, err = client.CreateCheckout(ctx, checkoutFor(b, order)); return err }
	}
	read := func(of *provider.Checkout, into *provider.Payment) func() error {
		return func() error {
			b.pay(*of, "4242424242424242")
			found, err := client.ReadCheckout(ctx, of.ID)
			if err == nil {
				*into = *found.Payment
			}
			return err
		}
	}
	dispute := func() error {
		charge := chargeOf(t, b, held.ID)
		b.control("stripe/dispute", map[string]any{"charge": charge})
		var err error
		disputes, err = client.PaymentDisputes(ctx, held.ID)
		return err
	}
	return []adapterCall{
		call("CreateCheckout", page("ord-mock-1", &open)),
		call("FindCheckout", func() error { _, err := client.FindCheckout(ctx, "ord-mock-1", 1, begin); return err }),
		call("ExpireCheckout", func() error { return client.ExpireCheckout(ctx, open.ID) }),
		call("CreateCheckout", page("ord-mock-2", &paid)), call("ReadCheckout", read(&paid, &held)),
		call("CreateCheckout", page("ord-mock-3", &lost)), call("ReadCheckout", read(&lost, &released)),
		call("CancelPayment", func() error { _, err := client.CancelPayment(ctx, released.ID, "ord:3:cancel:1"); return err }),
		call("ReadPayment", func() error { _, err := client.ReadPayment(ctx, held.ID); return err }),
		call("Capture", func() error { _, err := client.Capture(ctx, held.ID, "ord:2:capture:1", held.Amount); return err }),
		call("Refund", func() error {
			_, err := client.Refund(ctx, provider.RefundInput{PaymentID: held.ID, OrderID: "ord-mock-2", Key: "ord:2:refund:1", Sequence: 1, Amount: money.FromInt(350)})
			return err
		}),
		call("FindRefund", func() error { _, err := client.FindRefund(ctx, held.ID, "ord-mock-2", 1); return err }),
		call("PaymentRefunds", func() error { _, err := client.PaymentRefunds(ctx, held.ID); return err }),
		call("RecentRefunds", func() error { _, err := client.RecentRefunds(ctx, begin.Add(-time.Hour)); return err }),
		call("PaymentDisputes", dispute),
		call("RecentDisputes", func() error { _, err := client.RecentDisputes(ctx, begin.Add(-time.Hour)); return err }),
		call("ReadDispute", func() error { _, err := client.ReadDispute(ctx, disputes[0].ID); return err }),
		call("Contest", func() error {
			_, err := client.Contest(ctx, disputes[0].ID, "ord:2:dispute:1:contest:1",
				provider.Evidence{Product: "0.001 BTC", CustomerEmail: "ada@example.com", ServiceDate: "2026-11-20", Story: "It was sent."})
			return err
		}),
		call("Accept", func() error { _, err := client.Accept(ctx, disputes[0].ID, "ord:2:dispute:1:accept:1"); return err }),
		call("Balance", func() error { _, err := client.Balance(ctx); return err }),
		call("MissingPermissions", func() error { _, err := client.MissingPermissions(ctx); return err }),
		call("Endpoints", func() error { _, err := client.Endpoints(ctx); return err }),
		call("AddEndpoint", func() (err error) {
			endpoint, _, err = client.AddEndpoint(ctx, "https://shop.example/api/webhooks/stripe", events.Acted)
			return err
		}),
		call("ChangeEndpoint", func() error { _, err := client.ChangeEndpoint(ctx, endpoint.ID, events.Acted); return err }),
		call("Statement", func() error {
			lines, err := client.Statement(ctx, begin.Add(-time.Hour), begin.Add(time.Hour))
			if err == nil && len(lines) == 0 {
				err = errors.New("a statement without the capture, the refund and the dispute")
			}
			return err
		}),
	}
}
