package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tradepost/tradepost/internal/local"
)

// buyer is a customer with a member of staff, both patient: a failed act is repeated until it succeeds. Nothing here
// fails a test by itself; errors are returned.
type buyer struct {
	customer, staff *visitor
	second, third   *visitor // other admins, for what takes two

	quote string // the order's identity until it has an id
	what  purchase
	id    string // of the order
	total string
}

// try calls the site; status 0 is a call without an answer.
func (v *visitor) try(ctx context.Context, method, path, key string, body, into any) int {
	raw, err := json.Marshal(body)
	if err != nil {
		return 0
	}
	request := v.request(method, path, "application/json", bytes.NewReader(raw)).WithContext(ctx)
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	response, err := v.http.Do(request)
	if err != nil {
		return 0
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return 0
	}
	if into != nil && response.StatusCode < 300 && json.Unmarshal(answer, into) != nil {
		return 0
	}
	return response.StatusCode
}

// sendingOnce has the visitor use each connection for one call. On a connection that it used before, Go's client
// repeats a call with an Idempotency-Key by itself when the process dies before it answers, and no scenario makes that
// second call.
func (v *visitor) sendingOnce() *visitor {
	v.http.Transport = unrepeated
	return v
}

var unrepeated = &http.Transport{DisableKeepAlives: true}

var errGaveUp = errors.New("gave up")

// insist does something until it has led somewhere: at once, and again every
// few seconds.
func insist(ctx context.Context, what string, there func() bool, do func()) error {
	const again = 3 * time.Second
	wait := firstLook
	for next := time.Now(); !there(); {
		if time.Now().After(next) {
			do()
			next = time.Now().Add(again)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %s", errGaveUp, what)
		case <-time.After(wait):
		}
		wait = min(wait*3/2, lastLook)
	}
	return nil
}

// Between two looks at a condition, at first and at most: ten orders at once that are read many times a second keep a
// small machine from the work that they wait for.
const (
	firstLook = 50 * time.Millisecond
	lastLook  = time.Second
)

// await only waits.
func await(ctx context.Context, what string, there func() bool) error {
	return insist(ctx, what, there, func() {})
}

// now is the order as staff see it; the zero order without an answer.
func (b *buyer) now(ctx context.Context) order {
	var o order
	if b.staff.try(ctx, http.MethodGet, "/api/admin/orders/"+b.id, "", nil, &o) != http.StatusOK {
		return order{}
	}
	return o
}

func (b *buyer) seen(ctx context.Context) order {
	var o order
	if b.customer.try(ctx, http.MethodGet, "/api/orders/"+b.id, "", nil, &o) != http.StatusOK {
		return order{}
	}
	return o
}

// ask requests a price.
func (b *buyer) ask(ctx context.Context) error {
	var price struct{ QuoteID, Total string }
	return insist(ctx, "a price", func() bool { return price.QuoteID != "" && b.keep(price.QuoteID, price.Total) }, func() {
		b.customer.try(ctx, http.MethodPost, "/api/orders/calculate-pricing", "", map[string]string{"asset": b.what.asset,
			"amountAsset": b.what.amount, "paymentMethod": b.what.method, "destAddress": b.what.address}, &price)
	})
}

func (b *buyer) keep(quote, total string) bool {
	b.quote, b.total = quote, total
	return true
}

// order places the order under one key, until it is there.
func (b *buyer) order(ctx context.Context) error {
	var made order
	return insist(ctx, "the order to be taken", func() bool { return made.ID != "" && b.is(made.ID) }, func() {
		b.customer.try(ctx, http.MethodPost, "/api/orders", "key-"+b.what.address, map[string]string{"asset": b.what.asset,
			"amountAsset": b.what.amount, "paymentMethod": b.what.method, "destAddress": b.what.address, "quoteId": b.quote}, &made)
	})
}

func (b *buyer) is(id string) bool {
	b.id = id
	return true
}

// pay enters a card on the payment page, and does not follow it back.
func (b *buyer) pay(ctx context.Context, card string, paid func(order) bool) error {
	browser := *b.customer
	stayed := *b.customer.http
	stayed.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		if strings.HasPrefix(r.URL.String(), stack.SandboxURL()) {
			return nil
		}
		return http.ErrUseLastResponse
	}
	browser.http = &stayed
	entered := false
	return insist(ctx, "the card to be taken", func() bool { return entered && paid(b.seen(ctx)) }, func() {
		if entered {
			return
		}
		if page := b.seen(ctx).Payment.Checkout; page != nil && page.State == "ready" {
			entered = browser.pay(page.URL, card).status < http.StatusInternalServerError // else they try again
		}
	})
}

func (b *buyer) authorise(ctx context.Context) error {
	return b.pay(ctx, goodCard, func(o order) bool { return o.Payment.AuthorisedAt != "" })
}

// press presses a button of staff until the order is where it leads.
func (b *buyer) press(ctx context.Context, button string, body any, there func(order) bool) error {
	return b.pressAs(ctx, b.staff, button, body, there)
}

// pressAs is press by another admin.
func (b *buyer) pressAs(ctx context.Context, who *visitor, button string, body any, there func(order) bool) error {
	return insist(ctx, "what comes of "+button, func() bool { return there(b.now(ctx)) }, func() {
		path := "/api/admin/orders/" + b.id + "/" + button
		if kind, ok := strings.CutPrefix(button, "payment "); ok {
			id := b.paymentID(ctx)
			if id == "" {
				return
			}
			path = "/api/admin/payments/" + id + "/" + kind
		}
		who.try(ctx, http.MethodPost, path, "", body, nil)
	})
}

// paymentID is the order's payment on the admin's page, empty while it cannot
// be seen.
func (b *buyer) paymentID(ctx context.Context) string {
	var id string
	if database.QueryRow(ctx, "SELECT id FROM payments WHERE order_id = $1", b.id).Scan(&id) != nil {
		return ""
	}
	return id
}

func status(wanted string) func(order) bool {
	return func(o order) bool { return o.Status == wanted }
}

func attention(reason string) func(order) bool {
	return func(o order) bool { return o.Attention != nil && o.Attention.Reason == reason }
}

func resolved(how string) func(order) bool {
	return func(o order) bool { return o.Metadata.Resolution == how }
}

// past is a status or any after it: a step may be instantaneous.
func past(wanted string) func(order) bool {
	way := []string{"pending", "payment_approved", "fulfilling", "filled", "sent"}
	rank := map[string]int{}
	for i, name := range way {
		rank[name] = i + 1
	}
	return func(o order) bool { return rank[o.Status] >= rank[wanted] }
}

func hasEvent(kind string) func(order) bool {
	return func(o order) bool { return o.countEvents(kind) > 0 }
}

func reason(text string) map[string]string { return map[string]string{"reason": text} }

// process, fulfil, and the end: the way of a good order from a paid card on.
func (b *buyer) process(ctx context.Context) error {
	return b.press(ctx, "payment process", nil, past("payment_approved"))
}

func (b *buyer) fulfil(ctx context.Context) error {
	return b.press(ctx, "fulfill", reason(""), past("fulfilling"))
}

func (b *buyer) arrives(ctx context.Context) error {
	return await(ctx, "the network's confirmation", func() bool { return hasEvent("confirmed")(b.now(ctx)) })
}

// confirm books money that came by a rail without a card; who does sends no coin.
func (b *buyer) confirm(ctx context.Context) error {
	receipt := map[string]string{"amount": b.total, "receivedOn": b.today(ctx), "bankReference": "WIRE-" + b.what.address}
	return b.pressAs(ctx, b.second, "payment confirm", receipt, past("payment_approved"))
}

func (b *buyer) today(ctx context.Context) string {
	var now time.Time
	_ = database.QueryRow(ctx, "SELECT clock_now()").Scan(&now) // a wrong date is refused, and requested again
	return now.UTC().Format(time.DateOnly)
}

// steps runs one after the other, as far as they go.
func steps(ctx context.Context, list ...func(context.Context) error) error {
	for _, step := range list {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// waitsFor is a step that waits until the order is somewhere.
func (b *buyer) waitsFor(what string, there func(order) bool) func(context.Context) error {
	return func(ctx context.Context) error {
		return await(ctx, what, func() bool { return there(b.now(ctx)) })
	}
}

// presses is press as a step.
func (b *buyer) presses(button string, body any, there func(order) bool) func(context.Context) error {
	return func(ctx context.Context) error { return b.press(ctx, button, body, there) }
}

// buyers are n verified customers, each with the same staff.
func buyers(t *testing.T, n int) []*buyer {
	t.Helper()
	staff, second, third := admin(t), signedIn(t, local.DemoSecondAdmin), signedIn(t, local.DemoThirdAdmin)
	list := make([]*buyer, n)
	together(t, n, func(i int) { list[i] = &buyer{customer: verified(t), staff: staff, second: second, third: third} })
	return list
}

// together does something n times side by side. The test ends when one failed.
func together(t *testing.T, n int, do func(i int)) {
	t.Helper()
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { do(i) }) // a failure ends its goroutine, and below the test
	}
	all.Wait()
	if t.Failed() {
		t.FailNow()
	}
}
