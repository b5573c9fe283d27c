package stripe_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	stripego "github.com/stripe/stripe-go/v85"
	"github.com/stripe/stripe-go/v85/webhook"

	"github.com/tradepost/tradepost/internal/sandbox"
	"github.com/tradepost/tradepost/internal/sandbox/stripe"
)

const (
	key    = "sk_test_sandbox_0123456789"
	secret = "whsec_lab_made_up_0123456789abcdef"
)

// testServer is a test cluster: a running simulator, a receiver of its webhooks and the public
// client pointed at it.
type testServer struct {
	*testing.T
	world  *sandbox.World
	url    string
	stripe *stripego.Client

	mu     sync.Mutex
	events []stripego.Event
}

func start(t *testing.T) *testServer {
	t.Helper()
	tn := &testServer{T: t}
	hooks := httptest.NewServer(http.HandlerFunc(tn.receive))
	t.Cleanup(hooks.Close)
	server := httptest.NewUnstartedServer(nil)
	tn.url = "http://" + server.Listener.Addr().String()
	world, err := sandbox.Open(sandbox.Config{Mode: "local", Data: t.TempDir(), URL: tn.url, HookURL: hooks.URL, StripeKey: key, StripeWebhookSecret: secret}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	simulator := stripe.New()
	server.Config.Handler = world.Handler(simulator)
	server.Start()
	ctx, cancel := context.WithCancel(context.Background())
	ran := make(chan struct{})
	go func() { world.Run(ctx, simulator); close(ran) }()
	t.Cleanup(func() { world.Faults.Release(); server.Close(); cancel(); <-ran; _ = world.Close() })
	tn.world, tn.stripe = world, client(tn.url, key)
	return tn
}

func client(origin, key string) *stripego.Client {
	return stripego.NewClient(key, stripego.WithBackends(stripego.NewBackendsWithConfig(&stripego.BackendConfig{
		// Without keep-alives: net/http sends a request with an Idempotency-Key
		// again by itself when a reused connection is cut.
		HTTPClient: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
		URL:        stripego.String(origin), MaxNetworkRetries: stripego.Int64(0), LeveledLogger: &stripego.LeveledLogger{Level: stripego.LevelNull},
	})))
}

// receive accepts a webhook as a shop does: by the SDK's own check, which also insists on
// the API version.
func (tn *testServer) receive(rw http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	e, err := webhook.ConstructEventWithOptions(body, r.Header.Get("Stripe-Signature"), secret, webhook.ConstructEventOptions{IgnoreTolerance: true})
	if err != nil || r.URL.Path != "/stripe" {
		rw.WriteHeader(http.StatusBadRequest)
		return
	}
	tn.mu.Lock()
	defer tn.mu.Unlock()
	tn.events = append(tn.events, e)
}

// awaitWebhooks waits until a webhook of the type has arrived and returns how many have.
func (tn *testServer) awaitWebhooks(kind string) int {
	tn.Helper()
	count := func() int {
		tn.mu.Lock()
		defer tn.mu.Unlock()
		n := 0
		for _, e := range tn.events {
			if string(e.Type) == kind {
				n++
			}
		}
		return n
	}
	require.Eventually(tn, func() bool { return count() > 0 }, time.Minute, 10*time.Millisecond, "no webhook %s", kind)
	return count()
}

func (tn *testServer) effects(operation, order string) int {
	tn.Helper()
	list, err := tn.world.Effects.List(order)
	require.NoError(tn, err)
	for _, e := range list {
		if e.Operation == operation && e.Subject == order {
			return e.Count
		}
	}
	return 0
}

// page makes a checkout page as the product does.
func (tn *testServer) page(order string) *stripego.CheckoutSession {
	tn.Helper()
	params := checkoutParams(order)
	params.SetIdempotencyKey("ord:" + order + ":checkout:1")
	cs, err := tn.stripe.V1CheckoutSessions.Create(context.Background(), params)
	require.NoError(tn, err)
	return cs
}

func checkoutParams(order string) *stripego.CheckoutSessionCreateParams {
	return &stripego.CheckoutSessionCreateParams{
		Mode: stripego.String("payment"), ClientReferenceID: stripego.String(order), CustomerEmail: stripego.String("casey@example.com"),
		PaymentMethodTypes: []*string{stripego.String("card")},
		LineItems: []*stripego.CheckoutSessionCreateLineItemParams{{
			Quantity: stripego.Int64(1),
			PriceData: &stripego.CheckoutSessionCreateLineItemPriceDataParams{
				Currency: stripego.String("usd"), UnitAmount: stripego.Int64(10350),
				ProductData: &stripego.CheckoutSessionCreateLineItemPriceDataProductDataParams{Name: stripego.String("0.001 BTC")},
			},
		}},
		PaymentIntentData: &stripego.CheckoutSessionCreatePaymentIntentDataParams{
			CaptureMethod: stripego.String("manual"), Metadata: map[string]string{"order_id": order}, Description: stripego.String("Order " + order),
			ReceiptEmail: stripego.String("casey@example.com"), StatementDescriptorSuffix: stripego.String("TRADEPOST"),
		},
		Metadata:   map[string]string{"order_id": order},
		SuccessURL: stripego.String("http://localhost:8080/orders/1?session={CHECKOUT_SESSION_ID}"), CancelURL: stripego.String("http://localhost:8080/orders/1"),
	}
}

// submit posts the hosted page's form and answers the status and where it
// leads.
func (tn *testServer) submit(path string, fields url.Values) (int, string, string) {
	tn.Helper()
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := browser.PostForm(tn.url+path, fields)
	require.NoError(tn, err)
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	require.NoError(tn, err)
	return res.StatusCode, res.Header.Get("Location"), string(body)
}

func card(number string) url.Values {
	return url.Values{"number": {number}, "expiry": {"12 / 34"}, "cvc": {"123"}}
}

func (tn *testServer) get(path string) (int, string) {
	tn.Helper()
	res, err := http.Get(tn.url + path)
	require.NoError(tn, err)
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	require.NoError(tn, err)
	return res.StatusCode, string(body)
}

// authorised pays a page with a good card and answers its PaymentIntent.
func (tn *testServer) authorised(order string) *stripego.PaymentIntent {
	tn.Helper()
	cs := tn.page(order)
	status, _, _ := tn.submit("/pay/"+cs.ID, card("4242 4242 4242 4242"))
	require.Equal(tn, http.StatusSeeOther, status)
	cs, err := tn.stripe.V1CheckoutSessions.Retrieve(context.Background(), cs.ID, &stripego.CheckoutSessionRetrieveParams{Expand: []*string{stripego.String("payment_intent.latest_charge")}})
	require.NoError(tn, err)
	require.Equal(tn, stripego.PaymentIntentStatusRequiresCapture, cs.PaymentIntent.Status)
	return cs.PaymentIntent
}

func code(err error) (int, string) {
	var problem *stripego.Error
	if errors.As(err, &problem) {
		return problem.HTTPStatusCode, string(problem.Code)
	}
	return 0, ""
}
