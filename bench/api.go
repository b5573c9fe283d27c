package main

import (
	"context"
	"fmt"
	"net"
	"strings"
	"time"
)

const pricingBody = `{"asset":"BTC","amountAsset":"0.01","paymentMethod":"card","destAddress":"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"}`

func each(i int) int { return i }

func ourPath(c call) string { return c.path }

// calls are what is measured: against a handler that sends the same SQL, and,
// for what is answered from memory, against one that does nothing.
var calls = []call{
	{what: "calculate-pricing", path: "/api/orders/calculate-pricing", body: pricingBody, who: each, kind: "sql"},
	{what: "auth/user", path: "/api/auth/user", who: each, kind: "sql"},
	{what: "orders (50 rows)", path: "/api/orders", who: each, kind: "sql"},
	{what: "public/prices, bare with limiter and prices from SQL", path: "/api/public/prices", kind: "sql"},
	{what: "public/prices, an empty handler", path: "/api/public/prices", bare: "/empty"},
	{what: "exchange-rates, an empty handler", path: "/api/exchange-rates", bare: "/empty"},
}

// measureAPI compares the API with bare gin handlers.
func (h *platform) measureAPI(ctx context.Context, p plan, r *report) error {
	if err := h.lists(ctx, len(h.customers)*60, 0); err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // a free port, no more
	if err != nil {
		return err
	}
	address := l.Addr().String()
	_ = l.Close()
	if err := h.run("-role", "web", "-address", address, "-database", h.stack.AppDSN()); err != nil {
		return err
	}
	for begun := time.Now(); ; {
		conn, err := net.Dial("tcp", address) //nolint:noctx // our own process, a moment away
		if err == nil {
			_ = conn.Close()
			break
		}
		if time.Since(begun) > 10*time.Second {
			return err
		}
	}
	ours := side{strings.TrimPrefix(h.stack.SiteURL(), "http://"), ourPath}
	bare := side{address, func(c call) string {
		if c.bare != "" {
			return c.bare
		}
		return c.path
	}}
	for _, c := range calls {
		if err := h.compare(ctx, p, r, c, ours, bare); err != nil {
			return fmt.Errorf("%s: %w", c.what, err)
		}
	}
	return h.memory(r, "after the load of the API")
}

// compare measures one call on both sides, in turns.
func (h *platform) compare(ctx context.Context, p plan, r *report, c call, ours, bare side) error {
	var us, them, ratios, slower []float64
	var ourTail, theirTail []float64
	length := p.round / 2
	for round := range p.rounds + 1 {
		o, _, err := h.load(ctx, ours, c, p.clients, length, 0)
		if err != nil {
			return err
		}
		b, _, err := h.load(ctx, bare, c, p.clients, length, 0)
		if err != nil {
			return err
		}
		half := o / 2
		_, paced, err := h.load(ctx, ours, c, p.clients, length, half)
		if err != nil {
			return err
		}
		_, theirs, err := h.load(ctx, bare, c, p.clients, length, half)
		if err != nil {
			return err
		}
		if round == 0 {
			continue // both are warm now
		}
		us, them, ratios = append(us, o), append(them, b), append(ratios, o/b)
		a, z := percentile(paced, 99), percentile(theirs, 99)
		ourTail, theirTail, slower = append(ourTail, a.Seconds()), append(theirTail, z.Seconds()), append(slower, a.Seconds()/z.Seconds())
	}
	least := 0.7
	if c.kind == "" {
		least = 0.4
	}
	r.ratio("api", c.what, median(us), median(them), median(ratios), least, "/s")
	tail := func(seconds []float64) string { return ms(time.Duration(median(seconds) * float64(time.Second))) }
	r.atMost("api", c.what+": p99 at half load", tail(ourTail), tail(theirTail), median(slower), 3, "×")
	return nil
}
