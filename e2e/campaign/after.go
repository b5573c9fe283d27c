package main

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"
)

// more says whether the plan has something left for an order that is over.
func (l *life) more(v *view) bool {
	if l.firmly {
		return false
	}
	late := len(l.money) > 0 && l.money[0] == "late" && v.Status == "failed" && l.did["after"] == 0
	if l.did["then"] == 0 && l.did["after"] == 1 && v.Status == "sent" && strings.Contains(l.plan.After, "_then_") &&
		l.plan.After != afterBounce {
		return true
	}
	return late || v.Status == "sent" && l.plan.After != "" && l.did["after"] == 0
}

// after is what comes once an order is over.
func (l *life) after(ctx context.Context, v *view) {
	if v.Status == "failed" {
		if slices.Contains(v.Payment.Actions, "confirm") {
			if got := l.receive(ctx, v, "late", 100); got.done() || got.code == "bank_reference_used" {
				l.did["after"]++
			}
			return
		}
		l.did["after"]++
		return
	}
	l.did["after"]++
	wish, then, both := strings.Cut(l.plan.After, "_then_")
	switch {
	case both && l.did["after"] == 1 && wish == "part":
		wish = "part_refund"
	case both && l.did["after"] == 1:
	case both:
		l.did["then"]++
		wish = then
	}
	switch wish {
	case "part_refund":
		l.decide(ctx, "refund", map[string]string{"reason": "a gesture", "amount": "7.31"})
	case "refund":
		l.decide(ctx, "refund", map[string]string{"reason": "goodwill"})
	case "elsewhere":
		l.refundsElsewhere(ctx, v)
	case "dispute_won", "dispute_lost", "dispute_accept":
		l.dispute(ctx, v)
	case "returned":
		l.bankReturns(ctx, v)
	case "reinstated":
		if l.plan.Method == "card" {
			l.reinstatesDispute(ctx, v)
			return
		}
		l.bankReinstates(ctx, v)
	case "reversed":
		l.reverses(ctx, v)
	}
}

// untilReported is the timeout until an act of a bank or on Stripe's own pages is recorded by the platform.
const untilReported = 15 * time.Second

// refundsElsewhere has a part refunded at Stripe itself.
func (l *life) refundsElsewhere(ctx context.Context, v *view) bool {
	charge := ""
	if l.plan.Method == "card" {
		charge = l.charge(ctx, v)
	}
	if charge == "" || l.cluster.control(ctx, http.MethodPost, "/control/stripe/refund", map[string]any{"charge": charge, "amount": "913"}, nil) != nil {
		return false
	}
	l.cluster.count("refunds made at Stripe itself")
	return true
}

// charge is the id of the card charge at Stripe.
func (l *life) charge(ctx context.Context, v *view) string {
	if v.Payment.StripePaymentIntentID == "" {
		return ""
	}
	var intent struct {
		Charge string `json:"latest_charge"`
	}
	_ = l.cluster.stripe(ctx, http.MethodGet, "/v1/payment_intents/"+v.Payment.StripePaymentIntentID, &intent) // none is found then
	return intent.Charge
}

// dispute has the card's bank take the money back.
func (l *life) dispute(ctx context.Context, v *view) bool {
	charge := ""
	if l.plan.Method == "card" {
		charge = l.charge(ctx, v)
	}
	if charge == "" || l.cluster.control(ctx, http.MethodPost, "/control/stripe/dispute", map[string]string{"charge": charge, "reason": "fraudulent"}, nil) != nil {
		return false
	}
	l.cluster.count("disputes")
	l.did["disputed"]++
	return true
}

// disputed reports whether a dispute is open, recorded here or only at the bank.
func (l *life) disputed(v *view) bool {
	for _, d := range v.Disputes {
		if d.ClosedAt == "" {
			return true
		}
	}
	return false
}

// argue answers a dispute, and has the bank decide it once it was answered: also where a
// restored backup lost that it was.
func (l *life) argue(ctx context.Context, v *view) {
	for _, d := range v.Disputes {
		if d.ClosedAt != "" {
			continue
		}
		accept := strings.HasSuffix(l.plan.After, "accept") || l.plan.Fulfil == "dispute" && l.plan.N%3 == 0
		switch {
		case accept && v.can("accept_dispute"):
			l.decide(ctx, "dispute/accept", nil)
		case v.can("contest_dispute"):
			l.decide(ctx, "dispute/contest", nil)
		case (d.Answer != "" || d.Status == "under_review") && d.ProviderID != "":
			outcome := "won"
			if strings.Contains(l.plan.After, "lost") || l.plan.After == afterBounce || l.plan.N%2 == 0 {
				outcome = "lost"
			}
			_ = l.cluster.control(ctx, http.MethodPost, "/control/stripe/dispute/decide", map[string]string{"dispute": d.ProviderID, "outcome": outcome}, nil) // decided already, or another turn follows
		}
	}
}

// reinstatesDispute has the bank return the money of a lost dispute, as it does when the cardholder withdraws it.
func (l *life) reinstatesDispute(ctx context.Context, v *view) {
	for _, d := range v.Disputes {
		if l.cluster.control(ctx, http.MethodPost, "/control/stripe/dispute/reinstate", map[string]string{"dispute": d.ProviderID}, nil) != nil {
			l.did["after"], l.did["then"] = 1, 0 // the simulator is down, or the order is read again
			return
		}
		l.cluster.count("disputes reinstated")
	}
}

// afterBounce is a part refunded of sent coin that waits at Stripe, is overtaken by a lost dispute of the rest, and
// then bounces.
const afterBounce = "part_then_bounce"

// bounces leads an order of afterBounce while its refund waits, and reports whether it has.
func (l *life) bounces(ctx context.Context, v *view) bool {
	waiting := slices.ContainsFunc(v.Refunds, func(r struct{ Status string }) bool { return r.Status == "pending" })
	if l.plan.After != afterBounce || !waiting || l.firmly || v.Decision != nil {
		return false
	}
	switch {
	case l.did["disputed"] == 0:
		return l.dispute(ctx, v)
	case l.did["disputed"] > len(v.Disputes): // it is recorded a moment later
		return true
	case l.disputed(v):
		l.argue(ctx, v)
		return true
	}
	l.cluster.callBack(ctx, v.Payment.StripePaymentIntentID)
	l.did["then"]++
	return true
}

// callBack cancels the refunds of a payment that wait at Stripe.
func (t *cluster) callBack(ctx context.Context, intent string) {
	var waiting []string
	err := each(ctx, t, "/v1/refunds", func(r stripeRefund) {
		if r.Status == "requires_action" && r.Intent == intent {
			waiting = append(waiting, r.ID)
		}
	})
	for _, id := range waiting {
		if err == nil && t.stripe(ctx, http.MethodPost, "/v1/refunds/"+id+"/cancel", &stripeRefund{}) == nil {
			t.count("refunds called back")
		}
	}
}
