package main

import (
	"context"

	"github.com/tradepost/tradepost/models/money"
)

// heldSurplus is what arrived for an order beyond its price, as its customer sees it.
type heldSurplus struct {
	Status  string
	Choices []string
}

// choosesSurplus has the customer choose what the plan has for a surplus, and reports whether the order waits for that:
// also while they cannot choose, because their account is frozen for a while.
func (l *life) choosesSurplus(ctx context.Context, v *view) (waits bool) {
	if l.plan.Surplus == "" {
		return false
	}
	for _, s := range v.mine.Surpluses {
		switch {
		case len(s.Choices) > 0:
			got := l.customer.post(ctx, "/api/orders/"+l.id+"/surplus", "", map[string]string{"choice": l.plan.Surplus})
			if got.done() {
				l.cluster.count("money surplus " + l.plan.Surplus)
			}
			return true
		case s.Status == "held" && v.rested() && !l.firmly:
			return true
		}
	}
	return false
}

// lessRefund is what is refunded with less coin, in dollars; maxOffers is how often staff try to offer that.
const (
	lessRefund = "40.00"
	maxOffers  = 20
)

// answersOffer is the customer's answer to less coin: they agree, decline, or leave it to the time.
func (l *life) answersOffer(ctx context.Context, v *view) error {
	answer := l.plan.Answer
	if answer == "silence" && !l.last {
		return errBlocked
	}
	if answer != "agree" {
		answer = "decline"
	}
	path, seen := "/api/orders/"+l.id+"/less-coin/"+answer, map[string]string{"offerId": v.mine.CoinOffer.ID}
	got := l.customer.post(ctx, path, "", seen)
	if got.done() {
		l.cluster.count("money less coin " + answer)
	}
	return nil
}

// SurplusFact is what arrived for an order beyond its price.
type SurplusFact struct {
	OrderID                    string
	Outcome, Chosen, StaffOnly *string
	Amount                     money.Units
	SentBack                   bool // by two of staff
}

// CoinOfferFact is a refund that was offered together with less coin.
type CoinOfferFact struct{ OrderID, Status string }

// leftAsSurplus is what of an order's receipts is on its way back to its sender, or was sent back, as a surplus.
func (x *index) leftAsSurplus(order string) (sum money.Units) {
	for _, s := range x.Surpluses {
		if s.OrderID == order && deref(s.Outcome) == "returned" {
			sum = sum.Add(s.Amount)
		}
	}
	return sum
}

// surplusesThat counts those that ended so; chosen and size are whose choice that was, "" is nobody's.
func surplusesThat(outcome, chosen string, bySize bool) func(Result) int {
	return func(r Result) (n int) {
		for _, s := range r.Facts.Surpluses {
			sized := deref(s.StaffOnly) == "large" || deref(s.StaffOnly) == "two_above"
			ended := deref(s.Outcome) == outcome && s.SentBack == (outcome == "returned")
			if ended && deref(s.Chosen) == chosen && sized == bySize {
				n++
			}
		}
		return n
	}
}

// offersThat counts the offers of less coin with a status.
func offersThat(status string) func(Result) int {
	return func(r Result) (n int) {
		for _, o := range r.Facts.CoinOffers {
			if o.Status == status {
				n++
			}
		}
		return n
	}
}
