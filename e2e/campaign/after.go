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
	if l.did["then"] == 0 && l.did["after"] == 1 && v.Status == "sent" && strings.Contains(l.plan.After, "_then_") {
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
			if strings.HasSuffix(l.plan.After, "lost") || l.plan.N%2 == 0 {
				outcome = "lost"
			}
			_ = l.cluster.control(ctx, http.MethodPost, "/control/stripe/dispute/decide", map[string]string{"dispute": d.ProviderID, "outcome": outcome}, nil) // decided already, or another turn follows
		}
	}
}
