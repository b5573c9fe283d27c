package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tradepost/tradepost/models/money"
)

// checkDecisions: each decision was executed or refused, and those of staff stand in the audit log once, under the name
// of the admin who made it.
func checkDecisions(x *index) (all []Violation) {
	audited := map[string]int{}
	for _, a := range x.Audit {
		if strings.HasPrefix(a.Action, "money.") || strings.HasPrefix(a.Action, "risk.") || strings.HasSuffix(a.Action, "_proposed") || strings.HasSuffix(a.Action, "_rejected") || strings.HasSuffix(a.Action, "_withdrawn") {
			continue // neither a proposal nor a review decides: what comes of it is a decision, or moves the money
		}
		action := a.Action
		if action == "order.coin_offered" { // the decision is the refund's
			action = "order.refund"
		}
		audited[a.ObjectID+" "+action+" "+a.ActorID]++
	}
	customer, used := map[string]string{}, map[string]int{}
	for _, o := range x.Orders {
		customer[o.ID] = o.UserID
	}
	for _, d := range x.Decisions {
		if d.SettledAt == nil || d.Outcome == nil {
			all = append(all, Violation{d.OrderID, "decision " + d.Kind + " was never carried out or refused", "decisions " + d.ID})
		}
		if d.ActorID != customer[d.OrderID] { // customers' choices stand in the timeline only
			used[d.OrderID+" order."+d.Kind+" "+d.ActorID]++
		}
	}
	for what, n := range used {
		if audited[what] < n {
			order, rest, _ := strings.Cut(what, " ")
			all = append(all, Violation{order, fmt.Sprintf("%s was decided %d times and audited %d times", rest, n, audited[what]), "audit_log, decisions"})
		}
	}
	for what, n := range audited {
		order, rest, _ := strings.Cut(what, " ")
		beside := strings.HasPrefix(rest, "order.refund ") || strings.HasPrefix(rest, "order.contest_dispute ") || strings.HasPrefix(rest, "order.accept_dispute ") || // executed by workflows of their own
			strings.Contains(rest, "_proposed ") || strings.Contains(rest, "_rejected ") || strings.Contains(rest, "_withdrawn ")
		if n > used[what] && !beside {
			all = append(all, Violation{order, fmt.Sprintf("%s is audited %d times and was decided %d times", rest, n, used[what]), "audit_log, decisions"})
		}
	}
	return all
}

// checkContests: of several admins who press a button at the same moment, one at most receives a success.
func checkContests(x *index) (all []Violation) {
	for _, c := range x.Contests {
		won := 0
		for _, status := range c.Statuses {
			if status == 200 || status == 202 {
				won++
			}
		}
		decided := 0
		for _, d := range x.Decisions {
			if d.OrderID == c.Order && d.Kind == c.Kind {
				decided++
			}
		}
		if won > 1 && won > decided {
			all = append(all, Violation{c.Order, fmt.Sprintf("%s was granted to %d of %v, and decided %d times", c.Kind, won, c.Statuses, decided), "decisions, audit_log"})
		}
	}
	return all
}

// checkClicks: pressing Buy creates one order: the same key returns the same one, another body is refused, one price
// makes one order, and no order exists that was not returned to a caller.
func checkClicks(x *index) (all []Violation) {
	type pressed struct{ body, id string }
	first, answers := map[string]pressed{}, map[string]int{}
	for _, c := range x.Clicks {
		if c.ID == "" || x.Lost.order(c.ID) { // the site has forgotten it, and the key with it
			continue
		}
		if was, again := first[c.Key]; again && (was.id != c.ID || was.body != c.Body) {
			all = append(all, Violation{c.ID, "the key " + c.Key + " gave order " + was.id + " as well, or took another body", "idempotency_keys"})
		}
		first[c.Key] = pressed{c.Body, c.ID}
		answers[c.ID] = c.Order
	}
	orders := map[int]string{}
	for id, n := range answers {
		if other, twice := orders[n]; twice {
			all = append(all, Violation{id, "is the second order of one purchase, beside " + other, "orders, idempotency_keys"})
		}
		orders[n] = id
	}
	for _, o := range x.Orders {
		if _, known := answers[o.ID]; !known {
			all = append(all, Violation{o.ID, "exists, and nobody was told of it", "orders, idempotency_keys"})
		}
	}
	for id := range answers {
		if !slices.ContainsFunc(x.Orders, func(o OrderFact) bool { return o.ID == id }) {
			all = append(all, Violation{id, "was told of, and does not exist", "orders"})
		}
	}
	return all
}

// checkHooks: every webhook was processed once after it was stored, and no forged one was stored.
func checkHooks(x *index) (all []Violation) {
	for _, h := range x.Hooks {
		if h.HandledAt == nil && h.OrderID != nil {
			all = append(all, Violation{*h.OrderID, "notice " + h.EventID + " (" + h.Type + ") was never acted on", "webhook_inbox"})
		}
		if slices.Contains(x.Forged, h.EventID) {
			all = append(all, Violation{deref(h.OrderID), "the forged notice " + h.EventID + " was taken in", "webhook_inbox"})
		}
	}
	return all
}

// checkMails: every mail was sent or is not needed any more, and customers got each
// once.
func checkMails(x *index) (all []Violation) {
	arrived := map[string]int{}
	for _, l := range x.Letters {
		id, _, _ := strings.Cut(strings.Trim(l.MessageID, "<>"), "@")
		arrived[id]++
	}
	for _, m := range x.Mails {
		bad := func(what string) {
			all = append(all, Violation{m.OrderID, "the mail " + m.Kind + " " + what, "mails " + m.ID + ", the mailbox"})
		}
		switch {
		case m.SentAt == nil && m.GivenUpAt == nil:
			bad("never went out")
		case m.Staff: // their mailbox holds more than it shows
		case m.SentAt != nil && arrived[m.ID] == 0:
			bad("counts as sent and did not arrive")
		case arrived[m.ID] > 1:
			bad("arrived more than once")
		}
	}
	return all
}

// totals are all accounts' balances, by account and currency.
func totals(postings []PostingFact) map[string]money.Units {
	sum := map[string]money.Units{}
	for _, p := range postings {
		sum[p.ToAccount+" "+p.Cur] = sum[p.ToAccount+" "+p.Cur].Add(p.Amount)
		sum[p.FromAccount+" "+p.Cur] = sum[p.FromAccount+" "+p.Cur].Sub(p.Amount)
	}
	return sum
}

// checkLedger: every posting moves something from one account to another (so that
// each currency sums to zero), no protected account is on its wrong side, and
// customers are shown what the ledger says.
func checkLedger(x *index) (all []Violation) {
	for _, p := range x.Postings {
		if p.Amount.Sign() <= 0 || p.FromAccount == p.ToAccount {
			all = append(all, Violation{deref(p.OrderID), fmt.Sprintf("a posting moves %s %s from %s to %s", p.Amount, p.Cur, p.FromAccount, p.ToAccount), "postings " + p.GroupKey})
		}
	}
	sums := totals(x.Postings)
	for name, sum := range sums {
		account, _, _ := strings.Cut(name, " ")
		a, known := x.Accounts[account]
		wrong := a.Kind == "asset" && sum.Sign() < 0 || a.Kind == "liability" && sum.Sign() > 0
		if !known || a.Protected && wrong {
			all = append(all, Violation{"", fmt.Sprintf("%s holds %s", name, sum), "postings, accounts"})
		}
		owned := sum.Neg()
		if a.Kind == "asset" { // what the customer owes
			owned = sum
		}
		if shown, customer := x.Balances[name]; customer && shown.Cmp(owned) != 0 || a.Kind == "liability" && strings.HasPrefix(account, "customer:") && !customer && !sum.IsZero() {
			all = append(all, Violation{"", fmt.Sprintf("%s is shown as %s, and the ledger says %s", name, shown, owned), "customer_balances, postings"})
		}
	}
	for name, shown := range x.Balances {
		if _, booked := sums[name]; !booked && !shown.IsZero() {
			all = append(all, Violation{"", fmt.Sprintf("%s is shown as %s, and nothing is booked there", name, shown), "customer_balances, postings"})
		}
	}
	return all
}

// checkProviders: what the ledger says lies at the providers lies there, to the
// smallest unit. Dollars at the exchange are finer than cents there: we book what
// a purchase cost, and its fee, each rounded up to the cent, so that up to two
// cents a purchase are there beyond what is booked, and never less than is.
func checkProviders(x *index) (all []Violation) {
	sums := totals(x.Postings)
	for name, there := range x.Held {
		booked := sums[name]
		if rest, ok := strings.CutPrefix(name, "wallet:"); ok {
			booked = booked.Add(sums["wallet_reserved:"+rest])
		}
		beyond, rounding := there.Sub(booked), money.Units{}
		if name == "exchange USD" {
			rounding = money.FromInt(int64(2 * len(x.Purchases)))
		}
		if beyond.Sign() < 0 || beyond.Cmp(rounding) > 0 {
			all = append(all, Violation{"", fmt.Sprintf("%s: %s are booked, and %s are there", name, booked, there), "postings, the simulator's balance"})
		}
	}
	return all
}

// checkStatements: effect by effect, what providers report is booked, and what is booked is reported.
func checkStatements(x *index) (all []Violation) {
	if !x.Compared {
		all = append(all, Violation{"", "statements and ledger were not compared in the end", "reconciliation_progress, polls"})
	}
	for _, a := range x.Apart {
		all = append(all, Violation{deref(a.OrderID), fmt.Sprintf("%s %s: %s %s are booked, and %s are told", a.Holder, a.Key, a.Booked, a.Currency, a.Told), "reconciled_effects, statement_lines"})
	}
	return all
}

// checkWorkflows: nothing runs for an order that is over, and no workflow ended
// but by coming to its end.
func checkWorkflows(x *index) (all []Violation) {
	open := map[string]bool{}
	for _, o := range x.Orders {
		open[o.ID] = o.ClosedAt == nil
	}
	for _, id := range x.Running {
		if order, is := strings.CutPrefix(id, "order/"); is && !open[order] {
			all = append(all, Violation{order, "is over, and its workflow runs", "Temporal: " + id})
		}
	}
	for _, id := range x.Broken {
		all = append(all, Violation{"", "workflow " + id + " ended badly", "Temporal"})
	}
	return all
}
