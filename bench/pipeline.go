package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
)

// ear receives the changes of orders, gift cards and redeemed vouchers, as the site's event stream does.
type ear struct {
	mu      sync.Mutex
	waiting map[string]chan struct{}
}

func listen(ctx context.Context, dsn string) (*ear, error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, "LISTEN order_changed; LISTEN gift_card_changed; LISTEN matter_changed"); err != nil {
		return nil, err
	}
	e := &ear{waiting: map[string]chan struct{}{}}
	go func() {
		for {
			notice, err := conn.WaitForNotification(ctx)
			if err != nil {
				return
			}
			id, _, _ := strings.Cut(notice.Payload, " ")
			e.mu.Lock()
			notices := e.waiting[id]
			e.mu.Unlock()
			select {
			case notices <- struct{}{}:
			default:
			}
		}
	}()
	return e, nil
}

func (e *ear) join(id string) (notices chan struct{}, leave func()) {
	notices = make(chan struct{}, 1)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.waiting[id] = notices
	return notices, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		delete(e.waiting, id)
	}
}

// orderState is where an order stands.
type orderState struct {
	status     string
	page       *string
	authorised bool
}

// patience is how long one step of an order may take.
const patience = 60 * time.Second

// await waits until an order has the wanted state: it reads the order on each notification of a change.
func (h *platform) await(ctx context.Context, id string, notices <-chan struct{}, wanted func(orderState) bool) (orderState, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		var s orderState
		err := h.db.QueryRow(ctx, `SELECT o.status, p.checkout_url, p.authorised_at IS NOT NULL FROM orders o JOIN payments p ON p.order_id = o.id WHERE o.id = $1`, id).Scan(&s.status, &s.page, &s.authorised)
		if err != nil || wanted(s) {
			return s, err
		}
		select {
		case <-notices:
		case <-ctx.Done():
			return s, fmt.Errorf("order %s stands still at %s", id, s.status)
		}
	}
}

const newOrder = `{"asset":"BTC","amountAsset":"0.002","paymentMethod":"card","destAddress":"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"}`

// runOrder executes one order from its creation until it is sent: the customer pays as soon as there is a page, the admin
// decides as soon as there is something to decide.
func (h *platform) runOrder(ctx context.Context, who *person) error {
	site := h.stack.SiteURL()
	var order struct{ ID string }
	if err := who.call(ctx, http.MethodPost, site+"/api/orders", newOrder, &order); err != nil {
		return err
	}
	notices, leave := h.ear.join(order.ID)
	defer leave()
	payable, err := h.await(ctx, order.ID, notices, func(s orderState) bool { return s.page != nil })
	if err != nil {
		return err
	}
	if err := pay(ctx, *payable.page); err != nil {
		return err
	}
	if _, err := h.await(ctx, order.ID, notices, func(s orderState) bool { return s.authorised }); err != nil {
		return err
	}
	for _, path := range []string{"/api/admin/payments/" + order.ID + "/process", "/api/admin/orders/" + order.ID + "/fulfill"} {
		if err := h.admin.call(ctx, http.MethodPost, site+path, "{}", nil); err != nil {
			return err
		}
	}
	_, err = h.await(ctx, order.ID, notices, func(s orderState) bool { return s.status == "sent" })
	return err
}

func pay(ctx context.Context, page string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, page, strings.NewReader("number=4242424242424242&expiry=12+%2F+40&cvc=123&name=Erin+Example"))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := browser.Do(request)
	if err != nil {
		return err
	}
	_ = response.Body.Close()
	if response.StatusCode >= 400 {
		return fmt.Errorf("paying: %s", response.Status)
	}
	return nil
}

// rate repeats an operation, some at a time, for the duration of a round, and returns how many a second were completed,
// and how long each lasted.
func rate(ctx context.Context, clients int, round time.Duration, do func(ctx context.Context, i int) error) (perSecond float64, took []time.Duration, err error) {
	var done atomic.Int64
	var mu sync.Mutex
	begun := time.Now()
	end := begun.Add(round)
	err = together(ctx, clients, func(ctx context.Context, i int) error {
		for time.Now().Before(end) {
			one := time.Now()
			if err := do(ctx, i); err != nil {
				return err
			}
			done.Add(1)
			mu.Lock()
			took = append(took, time.Since(one))
			mu.Unlock()
		}
		return nil
	})
	return float64(done.Load()) / time.Since(begun).Seconds(), took, err
}

// measurePipeline compares orders with workflows that do nothing.
func (h *platform) measurePipeline(ctx context.Context, p plan, r *report) error {
	bare, err := h.bareWorkflows()
	if err != nil {
		return err
	}
	defer bare.close()
	nothing := func(ctx context.Context, _ int) error { return bare.run(ctx, rand.Text(), anOrder) }
	order := func(ctx context.Context, i int) error { return h.runOrder(ctx, h.customers[i%len(h.customers)]) }
	for _, warm := range []func(context.Context, int) error{nothing, order} {
		if _, _, err := rate(ctx, p.clients, 3*time.Second, warm); err != nil {
			return err
		}
	}
	var ours, theirs, ratios, apart, later []float64
	var oursOne, theirsOne []time.Duration
	for range p.rounds {
		b, _, err := rate(ctx, p.clients, p.round, nothing)
		if err != nil {
			return err
		}
		a, _, err := rate(ctx, p.clients, p.round, func(ctx context.Context, _ int) error { return bare.run(ctx, rand.Text(), anOrder.apart()) })
		if err != nil {
			return err
		}
		o, _, err := rate(ctx, p.clients, 2*p.round, order)
		if err != nil {
			return err
		}
		ours, theirs, ratios, apart = append(ours, o), append(theirs, b), append(ratios, o/b), append(apart, a)
		_, one, err := rate(ctx, 1, p.round/2, nothing)
		if err != nil {
			return err
		}
		_, another, err := rate(ctx, 1, p.round/2, order)
		if err != nil {
			return err
		}
		oursOne, theirsOne = append(oursOne, another...), append(theirsOne, one...)
		later = append(later, (percentile(another, 50)-percentile(one, 50)).Seconds()*1000)
		fmt.Printf("  round: %.1f orders/s, %.1f bare/s; one at a time %s and %s\n", o, b, ms(percentile(another, 50)), ms(percentile(one, 50)))
	}
	r.ratio("pipeline", fmt.Sprintf("orders from create to sent, %d at a time", p.clients), median(ours), median(theirs), median(ratios), 0.5, "/s")
	r.note("pipeline", "the bare workflow with its activities in a process of their own", fmt.Sprintf("%.1f/s; ours %.2f of it", median(apart), median(ours)/median(apart)))
	r.atMost("pipeline", "one order at a time, over the bare workflow", ms(percentile(oursOne, 50)), ms(percentile(theirsOne, 50)), median(later), 150, " ms")
	return h.memory(r, "after the load of the pipeline")
}
