package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/tradepost/tradepost/models/money"
)

// pay is what happens while money is awaited.
func (l *life) pay(ctx context.Context, v *view) error {
	switch l.plan.Method {
	case "balance": // paid at once, or when its customer has confirmed a new address
		if v.mine.Action != nil && v.mine.Action.Kind == "confirm_order" {
			l.customer.confirm(ctx, l.id)
		}
		return nil
	case "card":
	default:
		return l.transfer(ctx, v)
	}
	if slices.Contains(v.Payment.Actions, "process") {
		return l.judge(ctx, v)
	}
	if v.mine.Payment.AuthorisedAt != "" || v.mine.Payment.Checkout == nil || v.mine.Payment.Checkout.State != "ready" {
		return nil
	}
	if time.Now().Before(l.until) {
		return nil // another card is searched
	}
	if len(l.cards) == 0 {
		if l.firmly { // it was left to expire, and did not yet
			l.customer.post(ctx, "/api/orders/"+l.id+"/cancel", "", nil)
		}
		return nil // paid, and the site has no record of it yet
	}
	switch card := l.cards[0]; card {
	case "never":
		l.cards = nil
		return errBlocked
	case "cancel":
		if !l.customer.post(ctx, "/api/orders/"+l.id+"/cancel", "", nil).unknown() {
			l.cards = nil
		}
	default:
		if l.customer.pay(ctx, v.mine.Payment.Checkout.URL, card) == nil {
			l.cards = l.cards[1:]
			l.cluster.count("cards " + card)
			if card == "declined" {
				l.until = time.Now().Add(untilNextCard)
			}
		}
	}
	return nil
}

// untilNextCard is how long a customer waits after a decline, which is recorded by then.
const untilNextCard = 4 * time.Second

// judge is what staff say to a card that is authorised.
func (l *life) judge(ctx context.Context, v *view) error {
	path := "/api/admin/payments/" + v.Payment.ID
	if l.plan.Decide == "lapse" && !l.firmly {
		return errBlocked
	}
	if l.plan.Decide == "decline" && v.waitsFor() == "step_stuck" {
		l.press(ctx, l.staff, path+"/reject", map[string]string{"reason": "name differs"})
		return nil
	}
	if !l.once("judge") {
		l.press(ctx, l.staff, path+"/process", nil)
		return nil
	}
	switch l.plan.Decide {
	case "contest":
		l.contest(ctx, "process", path+"/process", nil)
	case "decline":
		l.press(ctx, l.staff, path+"/reject", map[string]string{"reason": "name differs"})
	default:
		l.press(ctx, l.staff, path+"/process", nil)
	}
	return nil
}

// transfer is what comes by a rail without a card, as the plan has it.
func (l *life) transfer(ctx context.Context, v *view) error {
	if l.plan.Evidence && l.once("evidence") {
		l.sendsEvidence(ctx)
	}
	what := "exact"
	if len(l.money) > 0 && !l.firmly {
		what = l.money[0]
	}
	switch what {
	case "never":
		if l.once("never") {
			return errBlocked
		}
		l.receive(ctx, v, "exact", 100)
	case "cancel":
		l.customer.post(ctx, "/api/orders/"+l.id+"/cancel", "", nil)
	case "late":
		// It comes once the order is over: see after.
		l.customer.post(ctx, "/api/orders/"+l.id+"/cancel", "", nil)
	case "reject":
		l.press(ctx, l.staff, "/api/admin/payments/"+v.Payment.ID+"/reject", map[string]string{"reason": "never arrived"})
	case "short":
		l.receive(ctx, v, "first", 60)
	case "over":
		l.receive(ctx, v, "first", overPercent)
	case "later": // once no backup is put back any more, which would have a surplus returned
		if l.once("later") {
			return errBlocked
		}
		l.receive(ctx, v, "first", overPercent)
	case "placed":
		if l.did["opened"] < 3 { // a proposal may be rejected, or its answer lost
			l.places(ctx, v)
			return nil
		}
		l.receive(ctx, v, "exact", 100)
	default:
		l.receive(ctx, v, "exact", 100)
	}
	return nil
}

// overPercent is the share of the price that arrives where it is more.
const overPercent = 130

// receive confirms a share of the price as seen on our account. The same money
// keeps its reference, so that pressing again cannot book it twice.
func (l *life) receive(ctx context.Context, v *view, mark string, percent int64) answer {
	total, err := money.USD.Parse(v.QuoteFiat)
	if err != nil {
		return answer{}
	}
	cents, _ := total.Int64() // prices are small
	amount := money.FromInt(cents * percent / 100)
	if mark == "rest" {
		if had, err := money.USD.Parse(v.Received); err == nil {
			amount = total.Sub(had)
		}
	}
	day, err := l.cluster.today(ctx)
	if err != nil || amount.Sign() <= 0 {
		return answer{}
	}
	l.cluster.count("receipts " + mark)
	return l.agreed(ctx, l.press(ctx, l.cashier, "/api/admin/payments/"+v.Payment.ID+"/confirm", map[string]string{
		"amount": money.USD.Format(amount), "receivedOn": day, "bankReference": fmt.Sprintf("B-%s-%s", v.Reference, mark)}))
}

// misfit is a customer's choice about money that does not fit.
func (l *life) misfit(ctx context.Context, v *view) error {
	wish := "refund"
	if len(l.money) > 1 {
		wish = l.money[1]
	}
	l.did["misfit"]++
	if l.firmly || l.did["misfit"] > 6 {
		wish = "refund"
	}
	orders := "/api/orders/" + l.id
	switch wish {
	case "silence":
		return errBlocked
	case "rest":
		l.receive(ctx, v, "rest", 0)
	case "keep":
		l.customer.post(ctx, orders+"/keep", "", nil)
	case "requote":
		var price struct{ QuoteID string }
		got := l.customer.call(ctx, http.MethodGet, orders+"/requote", "", nil)
		if got.read(&price) == nil {
			l.customer.post(ctx, orders+"/requote", "", map[string]string{"quoteId": price.QuoteID})
		}
	default:
		l.customer.post(ctx, orders+"/refund", "", nil)
	}
	return nil
}

// fulfil is what staff do with an order that is paid.
func (l *life) fulfil(ctx context.Context, v *view) {
	if len(l.money) > 1 && l.money[1] == "twice" && l.once("second receipt") {
		l.receive(ctx, v, "again", 40)
	}
	path := "/api/admin/orders/" + l.id + "/"
	if v.Held {
		l.decide(ctx, "resume", nil)
		return
	}
	wish := l.plan.Fulfil
	switch {
	case wish == "less_coin" && len(v.CoinOffers) == 0 && l.did["fulfil"] < maxOffers && !l.firmly: // also once more
	case l.did["fulfil"] > 0 || l.firmly:
		wish = "fulfill"
	}
	l.did["fulfil"]++
	switch wish {
	case "contest":
		l.contest(ctx, "fulfill", path+"fulfill", nil)
	case "hold":
		l.decide(ctx, "hold", nil)
	case "refund":
		l.decide(ctx, "refund", nil)
	case "part_refund":
		l.decide(ctx, "refund", map[string]string{"reason": "a gesture", "amount": "11.07"})
	case "less_coin":
		l.decide(ctx, "refund", map[string]string{"reason": "a gesture", "amount": lessRefund, "coin": "less"})
	case "dispute":
		if !l.dispute(ctx, v) {
			l.decide(ctx, "fulfill", nil)
		}
	case "returned":
		l.bankReturns(ctx, v)
	case "reversed":
		l.reverses(ctx, v)
	default:
		l.decide(ctx, "fulfill", nil)
	}
}

// mend is what staff, or the customer, do about an order that stopped.
func (l *life) mend(ctx context.Context, v *view) error {
	if v.Status == "sent" && v.waitsFor() == "refund_failed" {
		if !l.once("refund again") {
			return nil // it is over all the same
		}
		l.decide(ctx, "refund", map[string]string{"reason": "the bank refused the card", "to": "balance"})
		return nil
	}
	if v.Status == "pending" && slices.Contains(v.Payment.Actions, "process") {
		return l.judge(ctx, v) // the capture's outcome is unknown: it is looked up
	}
	if time.Now().Before(l.until) && !l.firmly {
		return nil
	}
	if len(l.faults) > 0 && l.faults[0] == untilKept && !l.firmly && l.did["kept"] < maxKept {
		if l.did["kept"]++; !slices.Contains(v.offers(), "keep_trying") {
			return nil // it is offered in a moment
		}
		if l.customer.post(ctx, "/api/orders/"+l.id+"/keep-trying", "", nil).done() {
			l.faults = l.faults[1:]
		}
		return nil
	}
	l.did["mend"]++
	wish := l.wishOf(v)
	switch back, err := l.cameBack(ctx, v); {
	case err != nil:
		return nil // a transfer that may yet return: nothing is sent or refunded now
	case back:
		wish = "retry" // which records that it arrived
	}
	if l.byHand != "" {
		wish = "by_hand"
	}
	return l.answerProblem(ctx, v, wish)
}

// untilKept is a customer who waits for the offer to keep trying, and takes it; maxKept is how many reads they wait.
const (
	untilKept = "until_kept"
	maxKept   = 100
)

// wishOf is the plan's act for an order that stopped. What may have been bought or sent is looked up instead of
// refunded.
func (l *life) wishOf(v *view) string {
	unknown := strings.HasSuffix(v.waitsFor(), "_unknown")
	switch {
	case len(l.faults) > 0 && !l.firmly:
		wish := l.faults[0]
		if wish == "refund" && unknown {
			return "retry"
		}
		l.faults = l.faults[1:]
		return wish
	case l.did["mend"] > 12 && !unknown && l.did["mend"]%2 == 0:
		return "refund"
	}
	return "retry"
}

func (l *life) answerProblem(ctx context.Context, v *view, wish string) error {
	offers := v.offers()
	switch {
	case wish == "keep_trying" && slices.Contains(offers, "keep_trying"):
		l.customer.post(ctx, "/api/orders/"+l.id+"/keep-trying", "", nil)
	case wish == "refund_now" && slices.Contains(offers, "refund_now"):
		l.customer.post(ctx, "/api/orders/"+l.id+"/refund", "", nil)
	case wish == "amend" && v.can("amend_address"):
		l.decide(ctx, "amend-address", map[string]string{"reason": "the customer asks", "destAddress": l.plan.Amended})
	case wish == "by_hand" && v.can("mark_sent"):
		l.sendsByHand(ctx)
	case wish == "dispute" && l.dispute(ctx, v), wish == "elsewhere" && l.refundsElsewhere(ctx, v):
		l.until = time.Now().Add(untilReported)
	case wish == "refund" && v.can("refund"):
		l.decide(ctx, "refund", nil)
	case v.can("retry"):
		l.decide(ctx, "retry", nil)
	case v.can("refund"):
		l.decide(ctx, "refund", nil)
	case slices.Contains(offers, "refund_now"):
		l.customer.post(ctx, "/api/orders/"+l.id+"/refund", "", nil)
	}
	return nil
}

// errOpen is a transfer that may be confirmed, or not.
var errOpen = errors.New("a transfer may yet come back")

// cameBack is the check of the network before anything is sent or refunded again: whether a transfer of the order that
// counted as dead is confirmed after all, or why that is unknown yet.
func (l *life) cameBack(ctx context.Context, v *view) (bool, error) {
	if v.waitsFor() != "transfer_failed" && v.Metadata.FulfillmentCode != "transfer_failed" {
		return false, nil
	}
	for _, t := range v.Transfers {
		if t.TransferID == "" {
			continue
		}
		there, err := l.cluster.findTransfer(ctx, l.plan.Asset, l.plan.Network, t.SequenceID)
		switch {
		case err != nil:
			return false, err
		case there.State == "confirmed":
			return true, nil
		case there.alive():
			return false, errOpen
		}
	}
	return false, nil
}

// approve is custody's own approver.
func (l *life) approve(ctx context.Context, v *view) {
	last := v.Transfers[len(v.Transfers)-1]
	if last.ApprovalID == "" {
		return
	}
	state := l.plan.Approve
	if !l.once("approve") {
		state = "approved"
	}
	if l.cluster.control(ctx, http.MethodPost, "/control/bitgo/approvals/"+last.ApprovalID, map[string]string{"state": state}, nil) == nil {
		l.cluster.count("approvals " + state)
	}
}
