package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tradepost/tradepost/models/money"
)

// Violation is a broken invariant: which order, what, and where to find it.
type Violation struct{ Order, What, Look string }

func (v Violation) String() string {
	about := "order " + v.Order + ": "
	if v.Order == "" {
		about = ""
	}
	return "VIOLATION " + about + v.What + " (look at " + v.Look + ")"
}

// checks are all of them, by what they are about.
var checks = []struct {
	name string
	find func(*index) []Violation
}{
	{"rest", checkRest}, {"story", checkOrderEvents}, {"money", checkMoney}, {"card", checkCard}, {"coin", checkCoin}, {"purchase", checkPurchase},
	{"refunds", checkRefunds}, {"conservation", checkConservation}, {"decisions", checkDecisions}, {"contests", checkContests},
	{"clicks", checkClicks}, {"hooks", checkHooks}, {"mails", checkMails}, {"ledger", checkLedger}, {"providers", checkProviders}, {"statements", checkStatements}, {"workflows", checkWorkflows}, {"vouchers", checkVouchers}, {"lost", checkLost},
}

// Check finds every violation in what a campaign left behind.
func Check(f *Facts) []Violation {
	x := newIndex(f)
	var all []Violation
	for _, check := range checks {
		all = append(all, check.find(x)...)
	}
	return all
}

// checkRest: every order has reached a known end, and every waiting customer was offered a choice.
func checkRest(x *index) (all []Violation) {
	if len(x.Orders) != x.Planned {
		all = append(all, Violation{"", fmt.Sprintf("%d orders were to be made, and %d are there", x.Planned, len(x.Orders)), "orders"})
	}
	for _, o := range x.Orders {
		rule := "orders, order_events"
		end := o.Status == "sent" && o.Resolution == nil || o.Status == "failed" && o.Resolution != nil
		switch {
		case o.ClosedAt == nil:
			all = append(all, Violation{o.ID, fmt.Sprintf("never came to rest: %s, waits for %q", o.Status, deref(o.AttentionReason)), rule})
		case !end:
			all = append(all, Violation{o.ID, "was closed while " + o.Status + " " + deref(o.Resolution), rule})
		case o.Held || o.ChoiceDueAt != nil:
			all = append(all, Violation{o.ID, "is over and still held, or asks its customer", rule})
		case o.Status == "sent" && (o.SentAt == nil || o.ConfirmedAt == nil || o.PaidAt == nil):
			all = append(all, Violation{o.ID, "was closed as sent without payment or confirmation", rule})
		}
	}
	for _, s := range x.Stuck {
		all = append(all, Violation{s.OrderID, "waits in a place without a way on: " + s.Where, "orders, models/situations.json"})
	}
	for _, d := range x.Disputes {
		if d.ClosedAt == nil {
			all = append(all, Violation{d.OrderID, "its dispute was never closed", "disputes"})
		}
	}
	for _, s := range x.Surpluses {
		if s.Outcome == nil {
			held := "its surplus of " + s.Amount.String() + " is held for good"
			all = append(all, Violation{s.OrderID, held, "surpluses"})
		}
	}
	for _, o := range x.CoinOffers {
		if o.Status == "open" {
			all = append(all, Violation{o.OrderID, "its offer of less coin never ended", "coin_offers"})
		}
	}
	for _, r := range x.Refunds {
		if r.DoneAt == nil {
			all = append(all, Violation{r.OrderID, "a refund of " + r.Amount.String() + " never ended", "refunds"})
		}
	}
	return all
}

// after lists the statuses that may follow each one in an order's timeline.
var after = map[string]string{
	"": "pending", "pending": "payment_approved failed", "payment_approved": "fulfilling failed", "fulfilling": "filled failed",
	"filled": "sent failed", "sent": "failed", "failed": "pending payment_approved fulfilling filled sent",
}

// oncePerOrder are events that a timeline has once at most, whatever happens.
var oncePerOrder = []string{"created", "captured", "declined", "cancelled", "authorised", "bonus_credited", "payment_submitted"}

// checkOrderEvents: the timeline begins with the order, has allowed transitions only, does not go back in time and ends in
// the order's status.
func checkOrderEvents(x *index) (all []Violation) {
	for _, o := range x.Orders {
		bad := func(what string) { all = append(all, Violation{o.ID, what, "order_events"}) }
		entries := x.events[o.ID]
		if len(entries) == 0 || entries[0].Kind != "created" {
			bad("its story does not begin with its creation")
			continue
		}
		status := ""
		for i, e := range entries {
			if e.Status != status && !slices.Contains(strings.Fields(after[status]), e.Status) {
				bad(fmt.Sprintf("its story goes from %q to %q with %q", status, e.Status, e.Kind))
			}
			status = e.Status
			if i > 0 && e.At.Before(entries[i-1].At) {
				bad("its story goes back in time at " + e.Kind)
			}
		}
		if status != o.Status {
			bad("its story ends as " + status + ", and it is " + o.Status)
		}
		for _, kind := range oncePerOrder {
			if n := x.countEvents(o.ID, kind); n > 1 {
				bad(fmt.Sprintf("its story tells %s %d times", kind, n))
			}
		}
		for _, pair := range []struct {
			kind string
			is   bool
		}{{"sent", o.SentAt != nil}, {"confirmed", o.Status == "sent" && o.ClosedAt != nil && !x.marked(o.ID)}} {
			if pair.is && x.countEvents(o.ID, pair.kind) == 0 {
				bad("its story does not tell " + pair.kind)
			}
		}
		reversals := x.countEvents(o.ID, "money_returned") + x.countEvents(o.ID, "receipt_reversed") // which end an order as refunded
		if ended := deref(o.Resolution); ended != "" && x.countEvents(o.ID, ended) == 0 && (ended != "refunded" || reversals == 0) {
			bad("its story does not tell that it was " + ended)
		}
	}
	return all
}

// checkMoney: an order proceeds only when its money is there, and no money stays with one that ended without it.
func checkMoney(x *index) (all []Violation) {
	for _, o := range x.Orders {
		came := x.receipts[o.ID].Add(x.fromBalance(o.ID))
		for _, i := range x.intents[o.ID] {
			came = came.Add(money.FromInt(i.Received))
		}
		paid := o.PaidAt != nil
		switch {
		case paid && came.Cmp(o.Total) < 0:
			all = append(all, Violation{o.ID, fmt.Sprintf("counts as paid, and of %s cents %s came", o.Total, came), "payments, receipts, Stripe"})
		case !paid && o.PaymentMethod == "card" && !came.IsZero():
			all = append(all, Violation{o.ID, "does not count as paid, and " + came.String() + " cents were captured", "payments, Stripe"})
		case o.Status == "sent" && !paid:
			all = append(all, Violation{o.ID, "was sent without being paid", "orders, payments"})
		}
	}
	return all
}

// checkCard: a card is captured once, for the whole price, when the order is paid; else the hold was released and
// nothing was captured.
func checkCard(x *index) (all []Violation) {
	for _, o := range x.Orders {
		if o.PaymentMethod != "card" {
			continue
		}
		bad := func(what string, args ...any) {
			all = append(all, Violation{o.ID, fmt.Sprintf(what, args...), "payments, postings, Stripe's payment"})
		}
		captures := x.effects["stripe/capture/"+o.ID]
		want := 0
		if o.PaidAt != nil {
			want = 1
		}
		if captures != want {
			bad("its card was captured %d times instead of %d", captures, want)
		}
		held := 0
		for _, i := range x.intents[o.ID] {
			total, _ := o.Total.Int64()
			switch {
			case i.Received != 0 && i.Received != total:
				bad("%d cents were captured of %d", i.Received, total)
			case i.Status == "requires_capture":
				held++
			}
		}
		if o.ClosedAt != nil && held > 0 {
			bad("is over, and %d holds on the card stand", held)
		}
		if n := x.booked(o.ID, "captured"); n != want {
			bad("its capture was booked %d times instead of %d", n, want)
		}
	}
	return all
}

// checkCoin: the coin arrives once, at the order's address, all of it, with the transaction that was shown; or not at
// all.
func checkCoin(x *index) (all []Violation) {
	txids := map[string]string{}
	for _, o := range x.Orders {
		bad := func(what string, args ...any) {
			all = append(all, Violation{o.ID, fmt.Sprintf(what, args...), "withdrawals, BitGo's transfers"})
		}
		live := x.live(o)
		if o.Status != "sent" {
			if len(live) > 0 && !x.lostCoin(o, live) {
				bad("is %s, and coin is on its way with %s", o.Status, live[0].TxID)
			}
			continue
		}
		if len(live) != 1 {
			bad("was sent, and %d transfers are on their way", len(live))
			continue
		}
		t := live[0]
		switch {
		case t.Address != o.DestAddress:
			bad("its coin went to %s, which is not its address any more", t.Address)
		case t.Value.Cmp(o.Amount) != 0 || t.Currency != o.Asset || !strings.HasSuffix(t.Account, o.Network):
			bad("%s %s of %s were sent instead of %s %s on %s", t.Value, t.Currency, t.Account, o.Amount, o.Asset, o.Network)
		case t.TxID != deref(o.Txid):
			bad("tells transaction %q, and %q is on the network", deref(o.Txid), t.TxID)
		}
		if other, twice := txids[deref(o.Txid)]; twice {
			bad("tells the transaction of order %s", other)
		}
		txids[deref(o.Txid)] = o.ID
	}
	for _, t := range x.Transfers {
		ordered := slices.ContainsFunc(x.Orders, func(o OrderFact) bool { return slices.Contains(x.addresses(o), t.Address) })
		if _, lost := x.Lost.sentTo(t.Address); !ordered && !lost && !slices.Contains(x.OwnAddresses, t.Address) && !slices.ContainsFunc(x.Redemptions, func(r RedemptionFact) bool { return r.DestAddress == t.Address }) {
			all = append(all, Violation{"", "transfer " + t.ID + " belongs to no order and no voucher", "BitGo's transfers"})
		}
	}
	return all
}

// checkPurchase: what is bought for an order is what is sent, never more; but where a
// restored backup lost a purchase at another price, what is beyond is stock.
func checkPurchase(x *index) (all []Violation) {
	ours := map[string]bool{}
	for _, o := range x.Orders {
		var filled money.Units
		for _, p := range x.purchases[o.ID] {
			filled = filled.Add(p.Filled)
			ours[p.ClientID] = true
			there := x.effects["kraken/fill/"+p.ClientID]
			want := 1
			if p.Filled.IsZero() {
				want = 0
			}
			if there != want {
				all = append(all, Violation{o.ID, fmt.Sprintf("booked %s from purchase %s, and the exchange filled it %d times", p.Filled, p.ClientID, there), "exchange_orders, Kraken's orders"})
			}
		}
		if filled.Cmp(o.Amount) > 0 && !o.Restored || o.Status == "sent" && filled.Cmp(o.Amount) < 0 {
			all = append(all, Violation{o.ID, fmt.Sprintf("%s base units were bought for %s", filled, o.Amount), "exchange_orders"})
		}
	}
	for _, p := range x.Purchases {
		ours[p.ClientID] = true
	}
	for _, p := range x.Lost.Purchases {
		ours[p.ClientID] = true
	}
	for _, e := range x.Effects {
		if e.Provider == "kraken" && e.Operation == "fill" && !ours[e.Subject] {
			all = append(all, Violation{"", "the exchange filled " + e.Subject + ", which no order asked for", "Kraken's orders"})
		}
	}
	return all
}

// checkRefunds: a refund at the provider is recorded and booked, and never more than was received.
func checkRefunds(x *index) (all []Violation) {
	for _, o := range x.Orders {
		bad := func(what string, args ...any) {
			all = append(all, Violation{o.ID, fmt.Sprintf(what, args...), "refunds, postings, Stripe's refunds"})
		}
		var card, balance money.Units
		for _, r := range x.refunds[o.ID] {
			switch {
			case r.Status != "succeeded":
			case r.Destination == "card":
				card = card.Add(r.Amount)
			default:
				balance = balance.Add(r.Amount)
			}
		}
		there := int64(0)
		for _, i := range x.intents[o.ID] {
			there += i.Refunded
		}
		if money.FromInt(there).Cmp(card) != 0 {
			bad("%d cents went back to the card, and %s are noted", there, card)
		}
		sum := card.Add(balance)
		for _, r := range x.returns[o.ID] {
			if r.BorneBy == "order" && !r.Reinstated {
				sum = sum.Add(r.FromOrder)
			}
		}
		sum = sum.Add(x.reversed(o, sum))
		if sum.Cmp(o.Refunded) != 0 && o.PaidAt != nil {
			bad("%s cents went back, and its row says %s", sum, o.Refunded)
		}
		if o.PaidAt != nil && o.Refunded.Cmp(o.Total) > 0 {
			bad("%s cents went back of %s", o.Refunded, o.Total)
		}
	}
	return all
}

// reversed is what banks reversed of an order without coin, up to what we still owed its customer beside other refunds:
// that much is a refund, and the rest is lost to us. A bank reverses no more than what the card has left.
func (x *index) reversed(o OrderFact, refunded money.Units) (sum money.Units) {
	if o.Status == "sent" {
		return sum
	}
	for _, d := range x.disputes[o.ID] {
		sum = sum.Add(d.Withdrawn).Sub(d.Reinstated)
	}
	left := int64(0)
	for _, i := range x.intents[o.ID] {
		left += i.Received - i.Refunded
	}
	if owed := o.Total.Sub(refunded); owed.Sign() >= 0 && sum.Cmp(money.FromInt(left)) <= 0 {
		return sum.Min(owed)
	}
	return sum
}

// checkConservation: an order that is over owes nothing and holds nothing: its money became coin, or was returned to
// the customer, or to their bank.
func checkConservation(x *index) (all []Violation) {
	for _, o := range x.Orders {
		if o.ClosedAt == nil {
			continue
		}
		moved := x.moved(o.ID)
		for name, amount := range moved {
			account, _, _ := strings.Cut(name, " ")
			open := account == "prepaid_orders" || account == "unallocated_receipts" || account == "conversion" || strings.HasPrefix(account, "wallet_reserved:")
			if open && !amount.IsZero() {
				all = append(all, Violation{o.ID, fmt.Sprintf("is over, and %s holds %s of it", name, amount), "postings"})
			}
		}
		there := int64(0)
		for _, i := range x.intents[o.ID] {
			there += i.Received - i.Refunded - i.Withdrawn + i.Reinstated - i.DisputeFees
		}
		if booked := moved["stripe_clearing USD"]; booked.Cmp(money.FromInt(there)) != 0 {
			all = append(all, Violation{o.ID, fmt.Sprintf("%d cents of it are at Stripe, and %s are booked", there, booked), "postings, Stripe's payment"})
		}
		left, booked := x.receiptsLeft(o.ID), moved["bank_clearing USD"].Add(moved["unplaced_receipts USD"]).Add(x.paidBack(o.ID))
		if booked.Cmp(left) != 0 {
			all = append(all, Violation{o.ID, fmt.Sprintf("%s cents came by bank and stayed, and %s are booked", left, booked), "receipts, receipt_returns, postings"})
		}
		all = append(all, x.madeWhole(o, moved)...)
	}
	return all
}

// madeWhole: a customer who gets no coin has all the money back.
func (x *index) madeWhole(o OrderFact, moved map[string]money.Units) []Violation {
	if o.Status == "sent" {
		return nil
	}
	came := x.receiptsLeft(o.ID)
	back := moved["customer:"+o.UserID+":balance USD"].Add(moved["customer:"+o.UserID+":receivable USD"]).Add(moved["closed_accounts USD"]).Neg().Add(x.paidBack(o.ID))
	for _, i := range x.intents[o.ID] {
		came = came.Add(money.FromInt(i.Received))
		back = back.Add(money.FromInt(i.Refunded + i.Withdrawn - i.Reinstated))
	}
	if came.Cmp(back) > 0 {
		return []Violation{{o.ID, fmt.Sprintf("ended without coin as %s: %s cents came and %s went back", deref(o.Resolution), came, back), "postings, refunds, disputes"}}
	}
	if came.Cmp(back) < 0 {
		return []Violation{{o.ID, fmt.Sprintf("more went back than came: %s of %s cents", back, came), "postings, refunds, disputes"}}
	}
	return nil
}
