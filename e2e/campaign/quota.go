package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// kind is a case at the edges of money that every plan holds at least once, by one recipe, scenario or strike. To add
// one, name where a plan holds it and count how often it happened.
type kind struct {
	name                    string
	recipe, errand, strikes string // the name of one of the three
	fired                   func(r Result) int
}

// quota are the kinds. A campaign in which a planned kind did not happen fails with the reason.
var quota = []kind{
	{name: "claw-back of a recalled credit", errand: "credit_recalled", fired: caseEvents("recall credit_recalled")},
	{name: "claw-back of a used gift card", errand: "card_claimed", fired: caseEvents("gift_card claimed")},
	{name: "claim of a gift card reversed", errand: "card_claimed", fired: caseEvents("gift_card claim_reversed")},
	{name: "claw-back of a lost dispute", recipe: lostDispute, fired: postingsOf("dispute_claimed")},
	{name: "freeze between approval and payment", errand: "payout_frozen", fired: counted("refusals account_frozen")},
	{name: "requote between two releases", errand: "requoted_release", fired: counted("errands requoted_release")},
	{name: "transfer rejected after keep trying", recipe: rejectedAfterKeeping,
		fired: inOrder("keep_trying", "transfer_rejected")},
	{name: "lost dispute reinstated", recipe: reinstatedDispute, fired: Result.reinstated},
	{name: "bounced refund after a lost dispute", recipe: bouncedAfterLoss,
		fired: inOrder("dispute_lost", "refund_bounced", "refund_failed")},
	{name: "delisted pair", strikes: "delisted", fired: counted("strikes delisted")},
	{name: "restore with an approved payout", strikes: "restore", fired: counted("payouts of a backup booked as paid")},
	{name: "counter-offer accepted", errand: "offer_accepted", fired: counted("errands offer_accepted")},
	{name: "counter-offer declined", errand: "offer_declined", fired: counted("errands offer_declined")},
	{name: "counter-offer rejected by a reviewer", errand: "offer_rejected", fired: counted("errands offer_rejected")},
	{name: "surplus credited by time", recipe: creditedByTime, fired: surplusesThat("credited", "", false)},
	{name: "surplus credited by choice", recipe: creditedByChoice, fired: surplusesThat("credited", "credit", false)},
	{name: "surplus returned by choice", recipe: returnedByChoice, fired: surplusesThat("returned", "return", false)},
	{name: "surplus returned by its size", recipe: returnedBySize, fired: surplusesThat("returned", "", true)},
	{name: "less coin agreed to", recipe: lessAgreed, fired: offersThat("agreed")},
	{name: "less coin declined", recipe: lessDeclined, fired: offersThat("declined")},
	{name: "less coin never answered", recipe: lessLapsed, fired: offersThat("expired")},
	{name: "less coin whose refund is refused", recipe: lessRestored, fired: offersThat("undone")},
	{name: "counter-offer expired", errand: "offer_expires", fired: caseEvents("gift_card declined by time")},
}

// impossible are kinds that no plan can hold, each with the reason and with what proves it instead.
var impossible = [][2]string{
	{"foreign entry in a list", "no simulator lists an entry of another pair, currency or id: " +
		"internal/provider/lists_test.go, TestForeignEntryStopsNoList"},
}

// planned counts how often a plan holds the kind.
func (k kind) planned(p Plan) (n int) {
	for _, o := range p.Orders {
		if k.recipe != "" && o.Recipe == k.recipe {
			n++
		}
	}
	for _, e := range p.Errands {
		if k.errand != "" && e.Kind == k.errand {
			n++
		}
	}
	for _, s := range p.Strikes {
		if k.strikes != "" && s.Kind == k.strikes {
			n++
		}
	}
	return n
}

// missed returns a violation for each planned kind that did not happen, with the last known reason.
func (r Result) missed() (all []Violation) {
	for _, k := range quota {
		planned := k.planned(r.Plan)
		if planned == 0 || k.fired(r) > 0 {
			continue
		}
		reason := "no reason is known"
		for _, name := range []string{k.recipe, k.errand, k.strikes} {
			if known := r.Reasons[name]; name != "" && known != "" {
				reason = known
			}
		}
		all = append(all, Violation{What: fmt.Sprintf("%q was planned %d times and did not happen: %s", k.name, planned, reason),
			Look: "quota.go"})
	}
	return all
}

// printQuota writes how often each kind was planned, and how often it happened.
func (r Result) printQuota(w io.Writer) {
	fmt.Fprintf(w, "%-40s %8s %8s\n", "kind", "planned", "fired")
	for _, k := range quota {
		fmt.Fprintf(w, "%-40s %8d %8d\n", k.name, k.planned(r.Plan), k.fired(r))
	}
	for _, k := range impossible {
		fmt.Fprintf(w, "%-40s not possible: %s\n", k[0], k[1])
	}
}

func counted(what string) func(Result) int { return func(r Result) int { return r.Counts[what] } }

func caseEvents(what string) func(Result) int {
	return func(r Result) (n int) {
		for _, e := range r.Facts.CaseEvents {
			if e.Case+" "+e.Kind == what {
				n++
			}
		}
		return n
	}
}

func postingsOf(event string) func(Result) int {
	return func(r Result) int {
		groups := map[string]bool{}
		for _, p := range r.Facts.Postings {
			if p.Event == event {
				groups[deref(p.OrderID)+" "+p.GroupKey] = true
			}
		}
		return len(groups)
	}
}

// inOrder counts the orders that met the first event and later one of the others. An event is named by its kind, or by
// a word of its data.
func inOrder(first string, later ...string) func(Result) int {
	is := func(e EventFact, name string) bool { return e.Kind == name || strings.Contains(e.Data, `"`+name+`"`) }
	return func(r Result) (n int) {
		met, done := map[string]bool{}, map[string]bool{}
		for _, e := range r.Facts.Events {
			if met[e.OrderID] && slices.ContainsFunc(later, func(name string) bool { return is(e, name) }) {
				done[e.OrderID] = true
			}
			met[e.OrderID] = met[e.OrderID] || is(e, first)
		}
		return len(done)
	}
}

// reinstated counts the lost disputes whose money came back.
func (r Result) reinstated() (n int) {
	for _, d := range r.Facts.Disputes {
		if d.Status == "lost" && d.Reinstated.Sign() > 0 {
			n++
		}
	}
	return n
}

// recipesOneIn is the share of orders that follow a recipe: every third, every second where a third of them is fewer
// than there are recipes, and every one of a plan that otherwise would not hold the recipes of the quota.
func recipesOneIn(orders int) int {
	switch {
	case orders/3 >= len(recipes):
		return 3
	case orders/2 >= len(edges):
		return 2
	}
	return 1
}

// note keeps the last reason why something of a plan did not happen.
func (c *campaign) note(name, format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reasons == nil {
		c.reasons = map[string]string{}
	}
	c.reasons[name] = fmt.Sprintf(format, args...)
}

// noteRecipes keeps where the orders of recipes ended.
func (c *campaign) noteRecipes() {
	for _, l := range slices.Clone(c.lives) {
		if l.plan.Recipe == "" {
			continue
		}
		switch {
		case l.id == "":
			c.note(l.plan.Recipe, "order %d was not made", l.plan.N)
		case c.isLost(l.id):
			c.note(l.plan.Recipe, "order %d was lost with a backup", l.plan.N)
		default:
			c.note(l.plan.Recipe, "order %s ended as %s", l.id, l.lastSeen)
		}
	}
}
