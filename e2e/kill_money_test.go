package e2e

import (
	"context"
	"fmt"
	"maps"
	"net/http"

	"github.com/tradepost/tradepost/models/money"
)

// Scenarios with a customer's choice, with money that does not fit, and with money that is refunded after the coin was
// sent.

var noFunds = fault{Provider: "kraken", Operation: "AddOrder", Match: "%client", Code: "decline:EOrder:Insufficient funds"}

// and is what the providers count, with more.
func and(counts map[string]int, more ...string) map[string]int {
	sum := maps.Clone(counts)
	for _, name := range more {
		sum[name]++
	}
	return sum
}

var moneyScenarios = []scenario{
	cardScenario("kept trying", cardSent, []fault{noFunds}, func(b *buyer) []func(context.Context) error {
		return []func(context.Context) error{b.authorise, b.process, b.fulfilOrFail, b.keepsTryingIfFailed, b.arrives}
	}).otherwise("card"),
	cardScenario("nobody chose", cardRefunded, []fault{noFunds}, func(b *buyer) []func(context.Context) error {
		return []func(context.Context) error{b.authorise, b.process, b.fulfilOrFail, b.expiresOrArrives}
	}).otherwise("card"),
	wireScenario("more money", wireSent, func(b *buyer) []func(context.Context) error {
		return []func(context.Context) error{b.receives(700, hasEvent("surplus_held")), b.fulfil, b.arrives, b.takesSurplus}
	}),
	wireScenario("more money returned", wireSent, func(b *buyer) []func(context.Context) error {
		return []func(context.Context) error{b.receives(700, hasEvent("surplus_held")), b.hasSurplusReturned, b.fulfil, b.arrives}
	}),
	wireScenario("less money", wireSent, func(b *buyer) []func(context.Context) error {
		return []func(context.Context) error{b.receives(-700, attention("money_short")), b.requotes, b.fulfil, b.arrives}
	}),
	wireScenario("money again", wireSent, func(b *buyer) []func(context.Context) error {
		return []func(context.Context) error{b.confirm, b.paidAgain, b.fulfil, b.arrives}
	}),
	cardScenario("refunded after all", and(cardSent, "stripe/refund"), nil, func(b *buyer) []func(context.Context) error {
		return []func(context.Context) error{b.authorise, b.process, b.fulfil, b.arrives, b.refundsAll}
	}),
	cardScenario("less coin", and(cardSent, "stripe/refund"), nil, func(b *buyer) []func(context.Context) error {
		return []func(context.Context) error{b.authorise, b.process, b.offersLess, b.agreesToLess, b.fulfil, b.arrives}
	}),
	wireScenario("less coin declined", wireSent, func(b *buyer) []func(context.Context) error {
		return []func(context.Context) error{b.confirm, b.offersLess, b.declinesLess, b.fulfil, b.arrives}
	}),
	cardScenario("refunded at Stripe", and(cardRefunded), nil, func(b *buyer) []func(context.Context) error {
		return []func(context.Context) error{b.authorise, b.process, b.refundsThere}
	}),
	disputed(cardScenario("dispute", and(cardSent, "stripe/contest"), nil, func(b *buyer) []func(context.Context) error {
		return []func(context.Context) error{b.authorise, b.process, b.fulfil, b.arrives, b.dispute, b.contest, b.wins}
	})),
	disputed(cardScenario("dispute lost", cardSent, nil, func(b *buyer) []func(context.Context) error {
		return []func(context.Context) error{b.authorise, b.process, b.fulfil, b.arrives, b.dispute, b.loses}
	})),
}

// disputed is a scenario whose fee at the card processor is visible only in the books of all orders together.
func disputed(s scenario) scenario {
	s.fee = true
	return s
}

func (b *buyer) chooses(ctx context.Context, what string, body any, there func(order) bool) error {
	return insist(ctx, "what comes of "+what, func() bool { return there(b.now(ctx)) }, func() {
		b.customer.try(ctx, http.MethodPost, "/api/orders/"+b.id+"/"+what, "", body, nil)
	})
}

func (b *buyer) keepsTryingIfFailed(ctx context.Context) error {
	return b.ifFailed(ctx, func(ctx context.Context) error { return b.chooses(ctx, "keep-trying", nil, past("filled")) })
}

// expiresOrArrives lets the customer's time to choose pass.
func (b *buyer) expiresOrArrives(ctx context.Context) error {
	if !b.failed(b.now(ctx)) && !resolved("refunded")(b.now(ctx)) {
		return b.arrives(ctx)
	}
	return insist(ctx, "the money to go back", func() bool { return resolved("refunded")(b.now(ctx)) }, func() {
		_, _ = database.Exec(ctx, "UPDATE orders SET choice_due_at = clock_now() - interval '1 minute' WHERE id = $1 AND choice_due_at > clock_now()", b.id)
	})
}

// receives books a receipt of so many cents more, or less, than the price.
func (b *buyer) receives(more int64, there func(order) bool) func(context.Context) error {
	return func(ctx context.Context) error {
		cents, err := money.USD.Parse(b.total)
		if err != nil {
			return err
		}
		receipt := map[string]string{"amount": money.USD.Format(cents.Add(money.FromInt(more))), "receivedOn": b.today(ctx), "bankReference": "WIRE-" + b.what.address}
		return b.pressAs(ctx, b.second, "payment confirm", receipt, there)
	}
}

// paidAgain books money for an order that is paid: it is the customer's.
func (b *buyer) paidAgain(ctx context.Context) error {
	receipt := map[string]string{"amount": "25.00", "receivedOn": b.today(ctx), "bankReference": "AGAIN-" + b.what.address}
	return b.pressAs(ctx, b.second, "payment confirm", receipt, hasEvent("money_credited"))
}

// takesSurplus has the customer choose the balance, until core has credited it.
func (b *buyer) takesSurplus(ctx context.Context) error {
	return b.chooses(ctx, "surplus", map[string]string{"choice": "credit"}, hasEvent("surplus_credited"))
}

// hasSurplusReturned has the customer choose that the surplus goes back to its sender.
func (b *buyer) hasSurplusReturned(ctx context.Context) error {
	return b.chooses(ctx, "surplus", map[string]string{"choice": "return"}, hasEvent("surplus_returning"))
}

// offersLess offers the customer a part of the money back with less coin.
func (b *buyer) offersLess(ctx context.Context) error {
	return b.press(ctx, "refund", map[string]string{"reason": "too much", "amount": "5.00", "coin": "less"}, hasEvent("coin_offered"))
}

// agreesToLess has the customer agree to it, until the money is back on their card.
func (b *buyer) agreesToLess(ctx context.Context) error {
	return b.answersLess(ctx, "agree", hasEvent("refunded_in_part"))
}

// declinesLess has the customer decline it.
func (b *buyer) declinesLess(ctx context.Context) error {
	return b.answersLess(ctx, "decline", hasEvent("coin_offer_ended"))
}

func (b *buyer) answersLess(ctx context.Context, answer string, there func(order) bool) error {
	var offer string
	err := insist(ctx, "the offer", func() bool { return offer != "" }, func() {
		_ = database.QueryRow(ctx, "SELECT id::text FROM coin_offers WHERE order_id = $1", b.id).Scan(&offer) // repeated
	})
	if err != nil {
		return err
	}
	return b.chooses(ctx, "less-coin/"+answer, map[string]string{"offerId": offer}, there)
}

// requotes takes as much coin as the money buys.
func (b *buyer) requotes(ctx context.Context) error {
	return insist(ctx, "the requote to be taken", func() bool { return past("payment_approved")(b.now(ctx)) }, func() {
		var offer struct{ QuoteID string }
		if b.customer.try(ctx, http.MethodGet, "/api/orders/"+b.id+"/requote", "", nil, &offer) == http.StatusOK {
			b.customer.try(ctx, http.MethodPost, "/api/orders/"+b.id+"/requote", "", map[string]string{"quoteId": offer.QuoteID}, nil)
		}
	})
}

// holds queries whether a condition on the order holds.
func (b *buyer) holds(ctx context.Context, condition string) bool {
	var so bool
	return database.QueryRow(ctx, "SELECT EXISTS ("+condition+")", b.id).Scan(&so) == nil && so
}

// refundsAll gives everything back for an order that was sent.
func (b *buyer) refundsAll(ctx context.Context) error {
	return b.press(ctx, "refund", reason("a gesture"), func(order) bool {
		return b.holds(ctx, "SELECT FROM refunds WHERE order_id = $1 AND status = 'succeeded'")
	})
}

func (b *buyer) charge(ctx context.Context) (string, error) {
	var payment string
	if err := database.QueryRow(ctx, "SELECT stripe_payment_intent_id FROM payments WHERE order_id = $1", b.id).Scan(&payment); err != nil {
		return "", err
	}
	var intent struct {
		Charge string `json:"latest_charge"`
	}
	err := readStripe(ctx, "/v1/payment_intents/"+payment, &intent)
	return intent.Charge, err
}

// atStripeItself does something with the order's charge there, once.
func (b *buyer) atStripeItself(ctx context.Context, what string) error {
	var charge string
	err := insist(ctx, "the charge", func() bool { return charge != "" }, func() { charge, _ = b.charge(ctx) })
	if err != nil {
		return err
	}
	return ask(ctx, http.MethodPost, "/control/stripe/"+what, map[string]string{"charge": charge}, nil)
}

func (b *buyer) refundsThere(ctx context.Context) error {
	if err := b.atStripeItself(ctx, "refund"); err != nil {
		return err
	}
	return b.waitsFor("the refund to be found", resolved("refunded"))(ctx)
}

func (b *buyer) dispute(ctx context.Context) error {
	if err := b.atStripeItself(ctx, "dispute"); err != nil {
		return err
	}
	return b.waitsFor("the dispute to be found", hasEvent("dispute_opened"))(ctx)
}

func (b *buyer) contest(ctx context.Context) error {
	return b.press(ctx, "dispute/contest", reason("as the file shows"), func(o order) bool {
		return o.Status != "" && o.Attention == nil && b.holds(ctx, "SELECT FROM disputes WHERE order_id = $1 AND status = 'under_review'")
	})
}

func (b *buyer) wins(ctx context.Context) error {
	return b.bankDecides(ctx, "won", hasEvent("dispute_won"))
}

// loses has the bank keep the money of coin that was sent: its customer owes it.
func (b *buyer) loses(ctx context.Context) error {
	return b.bankDecides(ctx, "lost", func(o order) bool {
		return hasEvent("dispute_lost")(o) && hasEvent("money_returned")(o)
	})
}

// bankDecides has the bank decide the order's dispute, and waits for what that leads to.
func (b *buyer) bankDecides(ctx context.Context, outcome string, there func(order) bool) error {
	var id string
	err := insist(ctx, "the dispute's row", func() bool { return id != "" }, func() {
		_ = database.QueryRow(ctx, "SELECT provider_id FROM disputes WHERE order_id = $1", b.id).Scan(&id) // repeated
	})
	if err != nil {
		return err
	}
	decision := map[string]string{"dispute": id, "outcome": outcome}
	if err := ask(ctx, http.MethodPost, "/control/stripe/dispute/decide", decision, nil); err != nil {
		return fmt.Errorf("decide %s: %w", id, err)
	}
	return b.waitsFor("the end of the dispute", there)(ctx)
}
