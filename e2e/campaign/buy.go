package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"
)

// buy requests a price and presses Buy as the plan has it, until the order exists.
func (l *life) buy(ctx context.Context) error {
	for _, f := range l.plan.Faults {
		if !f.ofOrder() {
			_ = l.cluster.arm(ctx, f, map[string]string{"kraken": l.plan.Amount, "stripe": l.plan.Amount, "bitgo": l.plan.Address}[f.Provider]) // a simulator that is down causes no fault
		}
	}
	for try := 0; l.id == ""; try++ {
		order := map[string]string{"asset": l.plan.Asset, "amountAsset": l.plan.Amount, "paymentMethod": l.plan.Method, "destAddress": l.plan.Address}
		var price struct{ QuoteID string }
		quoted := l.customer.post(ctx, "/api/orders/calculate-pricing", "", order)
		l.withoutBalance(quoted.code)
		if err := quoted.read(&price); err != nil {
			if err := pause(ctx, time.Second); err != nil {
				return fmt.Errorf("no price: %d %s %s: %w", quoted.status, quoted.code, quoted.body, err)
			}
			continue
		}
		order["quoteId"], order["network"] = price.QuoteID, l.plan.Network
		l.clickBuy(ctx, fmt.Sprintf("campaign-%d-%d", l.plan.N, try), order)
		if n := len(l.keys); n > 0 {
			l.withoutBalance(l.keys[n-1].Code)
		}
		if l.barred() {
			return fmt.Errorf("order %d: %s: %w", l.plan.N, l.keys[len(l.keys)-1].Code, errRefused)
		}
		if err := pause(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
	l.cluster.count("orders begun")
	for _, f := range l.plan.Faults {
		if f.ofOrder() {
			_ = l.cluster.arm(ctx, f, l.id)
		}
	}
	return nil
}

// withoutBalance has a customer whose balance is too low pay by wire instead.
func (l *life) withoutBalance(refusal string) {
	if l.plan.Method == "balance" && l.id == "" && refusal != "" {
		l.plan.Method = "domestic_wire"
	}
}

// patience is how often a customer presses Buy after a refusal.
const patience = 3

// barred reports whether the customer may not buy at all: they are not verified yet, or frozen.
func (l *life) barred() bool {
	if l.id != "" || l.cluster.insisting || len(l.keys) < patience {
		return false
	}
	return !slices.ContainsFunc(l.keys[len(l.keys)-patience:], func(c Click) bool { return c.Status != http.StatusForbidden })
}

// clickBuy presses Buy as the plan has it. A call without an answer is repeated with the same key until there is one.
func (l *life) clickBuy(ctx context.Context, key string, order map[string]string) {
	var all sync.WaitGroup
	var mu sync.Mutex
	press := func(key string, order map[string]string) {
		for ctx.Err() == nil {
			got := l.customer.post(ctx, "/api/orders", key, order)
			if got.unknown() || got.code == "idempotency_key_in_use" || got.status == 429 {
				l.cluster.count("buy pressed again")
				_ = pause(ctx, 200*time.Millisecond) // the loop's condition sees the end
				continue
			}
			c := Click{Order: l.plan.N, Key: key, Body: digest(order), Status: got.status, Code: got.code}
			var made struct{ ID string }
			if got.done() && json.Unmarshal(got.body, &made) == nil {
				c.ID = made.ID
			}
			mu.Lock()
			defer mu.Unlock()
			l.keys = append(l.keys, c)
			if c.ID != "" {
				l.id = c.ID
			}
			return
		}
	}
	clicks := []string{key}
	switch l.plan.Clicks {
	case "twice", "other_body":
		clicks = append(clicks, key)
	case "two_keys":
		clicks = append(clicks, key+"-again")
	}
	for i, k := range clicks {
		if l.plan.Clicks == "other_body" && i == 1 {
			all.Wait() // the first has been answered
			changed := map[string]string{}
			for name, value := range order {
				changed[name] = value
			}
			changed["amountAsset"], order = "0.5", changed
		}
		body := order
		all.Go(func() { press(k, body) })
	}
	all.Wait()
}

func digest(body map[string]string) string {
	raw, err := json.Marshal(body)
	if err != nil {
		panic(err) // strings always encode
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:4])
}
