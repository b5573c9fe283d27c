package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// MonthPlan is all that a month will try. It follows from its seed, its days and
// how many orders it has.
type MonthPlan struct {
	Seed     uint64
	Days     int
	Quarters []Quarter
}

// Quarter is a quarter of a day.
type Quarter struct {
	Day, Part int
	Newcomers int
	Orders    []OrderPlan
	Errands   []Scenario
}

// Scenario is something else than an order: a card to sell, a ticket, a voucher, a
// payout, or something that happens behind our back.
type Scenario struct {
	Kind     string
	Customer int
	Seed     uint64
}

func (q Quarter) name() string { return []string{"night", "morning", "afternoon", "evening"}[q.Part] }

// busyness is how much of a day happens in each of its quarters, in percent.
var busyness = []int{8, 27, 38, 27}

// NewMonth plans a month with about so many orders. Business grows, and is slower
// at week-ends.
func NewMonth(seed uint64, days, orders int) MonthPlan {
	m := MonthPlan{Seed: seed, Days: days}
	share := make([]float64, days)
	sum := 0.0
	for d := range share {
		share[d] = 0.6 + 0.8*float64(d)/float64(days)
		if d%7 >= 5 {
			share[d] *= 0.6
		}
		sum += share[d]
	}
	n, customers := 0, 0
	for d, s := range share {
		for part, percent := range busyness {
			r := generator(seed, 1_000_000+4*d+part)
			of := s / sum * float64(percent) / 100
			q := Quarter{Day: d, Part: part, Newcomers: about(r, of*float64(orders)/9)}
			if d == 0 && part == 0 {
				q.Newcomers = max(3, orders/60)
			}
			customers += q.Newcomers
			for range about(r, of*float64(orders)) {
				n++
				q.Orders = append(q.Orders, monthOrder(r, n, customers))
			}
			for _, e := range scenariosOf {
				for range about(r, of*float64(orders)*e.often) {
					q.Errands = append(q.Errands, Scenario{Kind: e.kind, Customer: r.IntN(max(1, customers)), Seed: r.Uint64()})
				}
			}
			m.Quarters = append(m.Quarters, q)
		}
	}
	m.leaveOpen()
	return m
}

// scenariosOf is how many of each there are for an order.
var scenariosOf = []struct {
	kind  string
	often float64
}{{"gift_card", 0.14}, {"ticket", 0.08}, {"voucher", 0.05}, {"payout", 0.05}, {"deposit", 0.006}, {"bank", 0.01}}

// about is a whole number that is x on the average.
func about(r *rand.Rand, x float64) int {
	whole := math.Floor(x)
	if r.Float64() < x-whole {
		whole++
	}
	return int(whole)
}

// leaveOpen keeps the last day's orders waiting where they can be inspected.
func (m *MonthPlan) leaveOpen() {
	for i := len(m.Quarters) - 1; i >= max(0, len(m.Quarters)-2); i-- {
		for j := range m.Quarters[i].Orders {
			m.Quarters[i].Orders[j].Leave = []string{"authorised", "paid", "", "trouble", ""}[j%5]
		}
	}
}

var (
	monthDecides = weighted{{"process", 40}, {"decline", 2}, {"lapse", 1}}
	monthFulfils = weighted{{"fulfill", 60}, {"hold", 2}, {"part_refund", 1}, {"refund", 2}}
	monthMoneys  = weighted{{"exact", 40}, {"short_rest", 2}, {"short_requote", 1}, {"over_keep", 2}, {"over_refund", 1}, {"late_refund", 1}, {"reject", 1}, {"cancel", 2}, {"never", 2}}
	monthCards   = weighted{{"good", 40}, {"declined", 4}, {"secure", 6}, {"secure_failed", 1}, {"cancel", 2}, {"never", 2}}
	monthAfters  = weighted{{"", 80}, {"part_refund", 1}, {"refund", 1}, {"elsewhere", 1}, {"dispute_won", 1}, {"dispute_lost", 1}}
)

// faultyOneIn is how seldom a provider fails for an order.
const faultyOneIn = 12

// monthOrder is an order of an ordinary day: most go well.
func monthOrder(r *rand.Rand, n, customers int) OrderPlan {
	o := planOrder(r, n, max(1, customers), true)
	o.Clicks, o.Decide, o.Fulfil, o.After, o.Approve = "once", "", monthFulfils.pick(r), monthAfters.pick(r), "approved"
	o.Second, o.Asides = "approve", nil
	o.Amount = monthAmount(r, o.Asset, n)
	o.Cards, o.Money = nil, nil
	if o.Method == "card" {
		for last := ""; last != "good" && last != "cancel" && last != "never" && last != "secure"; {
			last = monthCards.pick(r)
			o.Cards = append(o.Cards, last)
		}
		o.Decide = monthDecides.pick(r)
	} else {
		o.Money = strings.Split(monthMoneys.pick(r), "_")
	}
	if r.IntN(faultyOneIn) > 0 {
		o.Faults = nil
	}
	return o
}

// monthAmount is worth 60 to 900 dollars, small ones more often.
func monthAmount(r *rand.Rand, asset string, n int) string {
	worth := 60 * math.Pow(15, r.Float64()*r.Float64())
	switch asset {
	case "BTC":
		return fmt.Sprintf("%.5f%03d", worth/nominal[asset], n%1000)
	case "ETH":
		return fmt.Sprintf("%.4f%03d", worth/nominal[asset], n%1000)
	}
	return fmt.Sprintf("%.0f.%03d", worth, n%1000)
}

var (
	givenNames  = strings.Fields("Ada Ben Chloe Diego Elena Farid Grace Hugo Ines Jonas Keiko Liam Maya Noah Olga Pedro Quinn Rosa Samir Tessa Umar Vera Wen Ximena Yusuf Zoe")
	familyNames = strings.Fields("Abbott Bauer Castillo Dubois Eriksen Fischer Garcia Haddad Ivanova Jensen Kaplan Lindqvist Moreau Nakamura Okafor Petrov Quispe Rossi Silva Tanaka Ueda Vargas Weber Xu Young Ziegler")
)

// name is the n-th customer's.
func (m MonthPlan) name(n int) (given, family string) {
	r := generator(m.Seed, 2_000_000+n)
	return givenNames[r.IntN(len(givenNames))], familyNames[r.IntN(len(familyNames))]
}

// verifies says whether the n-th customer has their identity verified at once.
func (m MonthPlan) verifies(n int) bool { return n%11 != 10 }

func monthMail(seed uint64, n int) string { return fmt.Sprintf("month%d-%d@example.com", seed, n) }
