package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Worth in dollars of the two orders whose releases add up to more than one admin releases of a customer and day
// (CREDIT_TWO_ABOVE), and less than custody's cap each.
const firstWorth, secondWorth = 345, 355

// requotedPercent is the share of the second order's price that arrives: with the first order it is above that limit too.
const requotedPercent = 90

// requotesBetweenReleases has a customer's second order released once, and has its customer take another price before
// the second release. The first release was of another amount, so two are needed again.
func (c *campaign) requotesBetweenReleases(ctx context.Context, seed uint64, n int) error {
	ctx, stop := context.WithTimeout(ctx, guestTime)
	defer stop()
	who := newBrowser(c.cluster, fmt.Sprintf("listed-%d@example.com", seed), newPassword)
	var session struct{ User struct{ ID string } }
	if err := errors.Join(who.signUp(ctx), who.passKYC(ctx), who.get(ctx, "/api/session", &session)); err != nil {
		return err
	}
	c.joins(who)
	c.keepFromQueues(session.User.ID)
	defer c.backToQueues(session.User.ID)
	first, second := c.listedOrder(who, n, firstWorth), c.listedOrder(who, n+1, secondWorth)
	second.money = []string{"short", "requote"}
	defer c.listed(ctx, seed, second.staff, second.other, first.plan.Address+"\n"+second.plan.Address)()
	for _, l := range []*life{first, second} {
		c.addLife(l)
		if err := l.buy(ctx); err != nil {
			return err
		}
	}
	// The cashier and the admin who seconds a receipt may not release the order.
	if waits, err := c.release(ctx, second.spare, first.id); err != nil || waits {
		return fmt.Errorf("the first order is not released by one admin: %w", err)
	}
	if waits, err := c.release(ctx, second.spare, second.id); err != nil || !waits {
		return fmt.Errorf("the second order is released by one admin: %w", err)
	}
	if err := second.requotes(ctx); err != nil {
		return err
	}
	waits, err := c.release(ctx, second.staff, second.id)
	if err == nil && !waits {
		err = errors.New("the release of the amount before the requote counted")
		c.mu.Lock()
		c.early = append(c.early, Violation{second.id, err.Error(), "risk_reviews"})
		c.mu.Unlock()
	}
	return err
}

// listedOrder is an order by wire whose address is listed.
func (c *campaign) listedOrder(who *browser, n int, worth float64) *life {
	l := c.guestOrder(who, n, "domestic_wire")
	r := generator(c.plan.Seed, guestStream+n)
	l.plan.N += guestStream // beside the numbers of other guests
	l.plan.Amount, l.plan.Address = amountFor(worth, l.plan.Asset, n), newAddress(r, l.plan.Network)
	return l
}

// listed lists addresses for review, and returns how to take them off.
func (c *campaign) listed(ctx context.Context, seed uint64, who, second *browser, addresses string) (over func()) {
	source, other := fmt.Sprintf("listed %d", seed), newAddress(generator(seed, 13), "ethereum")
	insist(ctx, func() answer { return c.listing(who, source, addresses)(ctx) })
	owed := c.owe(byTwo(c.listing(who, source, other), c.listing(second, source, other)))
	return func() { c.takeBackSoon(ctx, owed) }
}

// release releases an order's review, and reports whether it waits for another admin.
func (c *campaign) release(ctx context.Context, who *browser, order string) (waits bool, err error) {
	var review string
	err = persist(ctx, func(ctx context.Context) error {
		err := c.database.QueryRow(ctx, "SELECT id::text FROM risk_reviews WHERE order_id::text = $1 AND closed_at IS NULL", order).Scan(&review)
		if err != nil {
			return fmt.Errorf("find the review: %w", err)
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	var said struct{ Waits bool }
	got := insist(ctx, func() answer {
		body := who.seen(ctx, review, map[string]string{"reason": "a namesake"})
		return who.post(ctx, "/api/admin/risk/reviews/"+review+"/release", "", body)
	})
	if err := got.read(&said); err != nil {
		return false, fmt.Errorf("release: %d %s", got.status, got.code)
	}
	return said.Waits, nil
}

// requotes has too little money arrive, and the customer take the price of what arrived.
func (l *life) requotes(ctx context.Context) error {
	price := ""
	return persist(ctx, func(ctx context.Context) error {
		v, err := l.fetch(ctx)
		if err != nil {
			return err
		}
		switch {
		case price != "" && v.QuoteFiat != price:
			return nil
		case v.waitsFor() == "money_short" || slices.Contains(v.mine.Choices, "requote"):
			price = v.QuoteFiat
			if err := l.misfit(ctx, v); err != nil {
				return err
			}
		case v.Proposal != nil:
			l.agree(ctx, v.Proposal.ID)
		default:
			l.receive(ctx, v, "first", requotedPercent)
		}
		return fmt.Errorf("it is not requoted: %s", v.Status)
	})
}

// backToQueues has staff work off a customer's cases again.
func (t *cluster) backToQueues(user string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = slices.DeleteFunc(t.kept, func(kept string) bool { return kept == user })
}
