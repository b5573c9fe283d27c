package main

import (
	"slices"

	"github.com/tradepost/tradepost/models/money"
)

// index is the facts by order.
type index struct {
	*Facts
	payment   map[string]PaymentFact
	events    map[string][]EventFact
	postings  map[string][]PostingFact
	purchases map[string][]PurchaseFact
	sends     map[string][]WithdrawalFact
	refunds   map[string][]RefundFact
	receipts  map[string]money.Units
	disputes  map[string][]DisputeFact
	returns   map[string][]ReturnFact
	intents   map[string][]IntentFact
	arrived   map[string][]TransferFact // by address
	effects   map[string]int            // provider/operation/subject
}

func by[T any](list []T, order func(T) string) map[string][]T {
	m := map[string][]T{}
	for _, one := range list {
		m[order(one)] = append(m[order(one)], one)
	}
	return m
}

func newIndex(f *Facts) *index {
	x := &index{Facts: f, payment: map[string]PaymentFact{}, receipts: map[string]money.Units{}, effects: map[string]int{}}
	for _, p := range f.Payments {
		x.payment[p.OrderID] = p
	}
	x.events = by(f.Events, func(e EventFact) string { return e.OrderID })
	x.postings = by(f.Postings, func(p PostingFact) string { return deref(p.OrderID) })
	x.purchases = by(f.Purchases, func(p PurchaseFact) string { return p.OrderID })
	x.sends = by(f.Withdrawals, func(w WithdrawalFact) string { return w.OrderID })
	x.refunds = by(f.Refunds, func(r RefundFact) string { return r.OrderID })
	x.returns = by(f.Returns, func(r ReturnFact) string { return r.OrderID })
	x.disputes = by(f.Disputes, func(d DisputeFact) string { return d.OrderID })
	x.intents = by(f.Intents, func(i IntentFact) string { return i.OrderID })
	x.arrived = by(f.Transfers, func(t TransferFact) string { return t.Address })
	for _, r := range f.Receipts {
		x.receipts[r.OrderID] = x.receipts[r.OrderID].Add(r.Amount)
	}
	for _, e := range f.Effects {
		x.effects[e.Provider+"/"+e.Operation+"/"+e.Subject] += e.Count
	}
	return x
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// moved is what an order moved: into each account less out of it, by account
// and currency.
func (x *index) moved(order string) map[string]money.Units {
	m := map[string]money.Units{}
	for _, p := range x.postings[order] {
		m[p.ToAccount+" "+p.Cur] = m[p.ToAccount+" "+p.Cur].Add(p.Amount)
		m[p.FromAccount+" "+p.Cur] = m[p.FromAccount+" "+p.Cur].Sub(p.Amount)
	}
	return m
}

// booked counts an order's groups of postings of an event, and sums those into
// or out of an account.
func (x *index) booked(order, event string) (groups int) {
	seen := map[string]bool{}
	for _, p := range x.postings[order] {
		if p.Event == event && !seen[p.GroupKey] {
			seen[p.GroupKey] = true
			groups++
		}
	}
	return groups
}

// fromBalance is what was paid of an order from its customer's balance.
func (x *index) fromBalance(order string) (sum money.Units) {
	for _, p := range x.postings[order] {
		if p.Event == "paid_from_balance" {
			sum = sum.Add(p.Amount)
		}
	}
	return sum
}

func (x *index) countEvents(order, kind string) (n int) {
	for _, e := range x.events[order] {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// marked reports whether staff marked the order as sent: its coin is then never recorded as confirmed.
func (x *index) marked(order string) bool {
	return slices.ContainsFunc(x.Decisions, func(d DecisionFact) bool { return d.OrderID == order && d.Kind == "mark_sent" })
}

// addresses are where an order's coin may go: as ordered, and as amended.
func (x *index) addresses(o OrderFact) []string {
	all := []string{o.DestAddress}
	for _, w := range x.sends[o.ID] {
		if !slices.Contains(all, w.Address) {
			all = append(all, w.Address)
		}
	}
	return all
}

// lostCoin reports whether a restored backup lost the order's transfer, and its money was reversed by a party that we
// cannot refuse: a bank, or staff at the processor. Its coin is then booked as a loss.
func (x *index) lostCoin(o OrderFact, live []TransferFact) bool {
	disputed := slices.ContainsFunc(x.disputes[o.ID], func(d DisputeFact) bool { return d.Status == "lost" })
	elsewhere := slices.ContainsFunc(x.refunds[o.ID], func(r RefundFact) bool { return r.Origin == "provider" })
	booked := slices.ContainsFunc(x.sends[o.ID], func(w WithdrawalFact) bool {
		return w.Status == "revived" && w.SequenceID == live[0].SequenceID
	})
	return o.Restored && (disputed || elsewhere) && booked && len(live) == 1
}

// live are the order's transfers that are pending or have arrived.
func (x *index) live(o OrderFact) (list []TransferFact) {
	for _, address := range x.addresses(o) {
		for _, t := range x.arrived[address] {
			if t.alive() {
				list = append(list, t)
			}
		}
	}
	return list
}
