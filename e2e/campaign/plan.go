package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// Plan is all that a campaign will try. It follows from its seed, the number of
// orders and its length alone.
type Plan struct {
	Seed      uint64       `json:"seed"`
	Customers int          `json:"customers"`
	Orders    []OrderPlan  `json:"orders"`
	Strikes   []Strike     `json:"strikes"`
	Errands   []ScenarioAt `json:"errands"`
}

// OrderPlan is the plan of one order. Each value is one of the choices below; what a state does not allow is skipped at
// that point.
type OrderPlan struct {
	N        int      `json:"n"`
	Customer int      `json:"customer"`
	Asset    string   `json:"asset"`
	Network  string   `json:"network"`
	Amount   string   `json:"amount"` // no other order's: faults at the exchange are meant for it by this
	Address  string   `json:"address"`
	Amended  string   `json:"amended"` // where to, should the address be amended
	Method   string   `json:"method"`
	Clicks   string   `json:"clicks"`             // how Buy is pressed
	Cards    []string `json:"cards,omitempty"`    // cards, in turn
	Money    []string `json:"money,omitempty"`    // what comes by other rails, in turn
	Evidence bool     `json:"evidence,omitempty"` // a picture of the transfer is sent in
	Decide   string   `json:"decide"`             // what staff say to the payment
	Fulfil   string   `json:"fulfil"`             // and to the paid order
	Trouble  []string `json:"trouble"`            // answers to each stop, in order
	Approve  string   `json:"approve"`            // custody's own approver, when asked
	After    string   `json:"after,omitempty"`    // what comes once it was sent
	Surplus  string   `json:"surplus,omitempty"`  // what its customer has become of a surplus; "" leaves it to the time
	Answer   string   `json:"answer,omitempty"`   // what its customer says to less coin
	Leave    string   `json:"leave,omitempty"`    // where staff leave it: authorised, paid, or failed
	Second   string   `json:"second"`             // what a second member of staff says to a proposal
	Faults   []Fault  `json:"faults,omitempty"`
	Asides   []Aside  `json:"asides,omitempty"`
	Recipe   string   `json:"recipe,omitempty"` // what it follows instead of being drawn
}

// ScenarioAt is a scenario other than an order, begun when At orders are half-way.
type ScenarioAt struct {
	At int `json:"at"`
	Scenario
}

// Fault is a fault at a provider, in the sandbox's format. Match is filled in when the order exists: its id for Stripe,
// the amount for Kraken and for the page that Stripe makes at once, the address for BitGo; Any leaves it empty, so that
// the next order of any kind meets it.
type Fault struct {
	Provider  string `json:"provider"`
	Operation string `json:"operation"`
	Code      string `json:"code"`
	Count     int    `json:"count"`
	Any       bool   `json:"any,omitempty"`
}

// ofOrder says that the fault is meant for an order by its id.
func (f Fault) ofOrder() bool {
	return f.Provider == "stripe" && f.Operation != "create_checkout" && !f.Any
}

// choice is one of several values, drawn by its weight.
type choice struct {
	word   string
	weight int
}

// weighted are choices to draw from.
type weighted []choice

func (w weighted) pick(r *rand.Rand) string {
	sum := 0
	for _, c := range w {
		sum += c.weight
	}
	n := r.IntN(sum)
	for _, c := range w {
		if n -= c.weight; n < 0 {
			return c.word
		}
	}
	panic("weights do not sum up")
}

// generator gives the n-th order of a seed its own randomness; 0 is the strikes'.
func generator(seed uint64, n int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(n))) //nolint:gosec // to be repeated, not to be secret
}

// NewPlan plans a campaign. A brisk one leaves out what only time brings on:
// answers later than clients wait, deadlines, long outages. Every other one has at least an order for each recipe of
// the quota.
func NewPlan(seed uint64, orders int, brisk bool) Plan {
	if !brisk {
		orders = max(orders, len(edges))
	}
	p := Plan{Seed: seed, Customers: max(3, (orders+7)/8)}
	oneIn := recipesOneIn(orders)
	for n := 1; n <= orders; n++ {
		o := planOrder(generator(seed, n), n, p.Customers, brisk)
		if !brisk {
			recipeOf(&o, oneIn)
		}
		p.Orders = append(p.Orders, o)
	}
	p.Strikes = planStrikes(generator(seed, 0), orders, brisk)
	kinds := scenarioKinds
	if brisk {
		kinds = briefScenarios
	}
	p.Errands = planScenarios(generator(seed, scenarioStream), kinds, orders, p.Customers)
	return p
}

// only leaves of a plan the recipes, scenarios and strikes whose names match.
func (p *Plan) only(pattern *regexp.Regexp) {
	p.Customers = min(p.Customers, fewCustomers)
	p.Strikes = slices.DeleteFunc(p.Strikes, func(s Strike) bool { return !pattern.MatchString(s.Kind + " " + s.What) })
	p.Orders = slices.DeleteFunc(p.Orders, func(o OrderPlan) bool { return !pattern.MatchString(o.Recipe) })
	p.Errands = slices.DeleteFunc(p.Errands, func(e ScenarioAt) bool { return !pattern.MatchString(e.Kind) })
	for i := range p.Orders {
		p.Orders[i].Customer %= p.Customers
	}
	for i := range p.Errands {
		p.Errands[i].At = 0
	}
	spread(p.Strikes, len(p.Orders))
}

// fewCustomers are enough for a part of a plan; every third has a tier with a bonus.
const fewCustomers = 6

var (
	assets = weighted{{"BTC", 5}, {"ETH", 3}, {"USDT", 3}, {"USDC", 3}}
	rails  = weighted{{"card", 12}, {"domestic_wire", 3}, {"international_wire", 1}, {"bank_transfer", 2}, {"paypal", 1},
		{"zelle", 1}, {"zelle_pay", 1}, {"chime", 1}, {"revolut", 1}, {"balance", 1}}
	clicks = weighted{{"once", 5}, {"twice", 3}, {"two_keys", 2}, {"other_body", 1}}
	cards  = weighted{{"good", 10}, {"declined", 2}, {"secure", 2}, {"secure_failed", 1}, {"cancel", 1}, {"never", 1}}
	moneys = weighted{{"exact", 8}, {"short_rest", 2}, {"short_requote", 2}, {"short_refund", 1}, {"short_silence", 1}, {"over_keep", 2}, {"over_requote", 2},
		{"over_refund", 1}, {"late_requote", 1}, {"late_refund", 2}, {"exact_twice", 1}, {"placed", 2}, {"reject", 1}, {"cancel", 1}, {"never", 1}}
	decides = weighted{{"process", 7}, {"contest", 4}, {"decline", 1}, {"lapse", 1}}
	fulfils = weighted{{"fulfill", 9}, {"contest", 4}, {"hold", 2}, {"part_refund", 2}, {"refund", 1}, {"dispute", 1}}
	// surpluses are what customers have become of what they paid beyond the price.
	surpluses = weighted{{"", 1}, {"credit", 1}, {"return", 1}}
	// bankFulfils and bankAfters are the same for orders that no card pays.
	bankFulfils = weighted{{"fulfill", 8}, {"contest", 4}, {"hold", 2}, {"part_refund", 2}, {"refund", 1}, {"returned", 2}, {"reversed", 1}}
	answers     = weighted{{"retry", 6}, {"keep_trying", 3}, {"refund_now", 1}, {"refund", 1}, {"amend", 1}, {"elsewhere", 1}, {"dispute", 1}, {"by_hand", 1}}
	seconds     = weighted{{"approve", 6}, {"reject", 2}, {"leave", 2}}
	afters      = weighted{{"", 10}, {"part_refund", 2}, {"refund", 1}, {"elsewhere", 2}, {"dispute_won", 1}, {"dispute_lost", 1}, {"dispute_accept", 1}, {"failed", 1}, {"part_then_dispute_lost", 1}, {"part_then_dispute_won", 1}}
	bankAfters  = weighted{{"", 8}, {"part_refund", 2}, {"refund", 1}, {"failed", 1}, {"returned", 2}, {"returned_then_reinstated", 2}, {"reversed", 2}}
)

// nominal is the approximate price of a coin in the sandbox; amounts cost between the methods' minimum and a customer's
// daily limit.
var nominal = map[string]float64{"BTC": 100000, "ETH": 3500, "USDT": 1, "USDC": 1}

func planOrder(r *rand.Rand, n, customers int, brisk bool) OrderPlan {
	o := OrderPlan{N: n, Customer: r.IntN(customers), Asset: assets.pick(r), Method: rails.pick(r), Clicks: clicks.pick(r)}
	o.Network = map[string]string{"BTC": "bitcoin"}[o.Asset]
	if o.Network == "" {
		o.Network = "ethereum"
	}
	if o.Asset == "USDT" && r.IntN(2) == 0 {
		o.Network = "tron"
	}
	o.Amount, o.Address, o.Amended = amount(r, o.Asset, n), newAddress(r, o.Network), newAddress(r, o.Network)
	if o.Method == "card" {
		for last := ""; last != "good" && last != "cancel" && last != "never" && last != "secure"; {
			last = cards.pick(r)
			o.Cards = append(o.Cards, last)
		}
		o.Decide = decides.pick(r)
	} else {
		o.Money = strings.Split(moneys.pick(r), "_")
	}
	o.Fulfil, o.After = fulfils.pick(r), afters.pick(r)
	if o.Method != "card" {
		o.Fulfil, o.After, o.Evidence = bankFulfils.pick(r), bankAfters.pick(r), r.IntN(3) == 0
	}
	for range 1 + r.IntN(3) {
		o.Trouble = append(o.Trouble, answers.pick(r))
	}
	o.Approve = weighted{{"approved", 4}, {"rejected", 1}}.pick(r)
	for range r.IntN(4) {
		o.Faults = append(o.Faults, planFault(r, brisk))
	}
	o.Second, o.Asides = seconds.pick(r), planAside(r)
	if len(o.Money) > 0 && o.Money[0] == "over" {
		o.Surplus = surpluses.pick(r)
	}
	return o
}

// amount is worth 70 to 370 dollars and ends in digits that belong to the order
// alone.
func amount(r *rand.Rand, asset string, n int) string { return amountFor(70+300*r.Float64(), asset, n) }

func amountFor(worth float64, asset string, n int) string {
	mark := fmt.Sprintf("%d%d%d", 1+n/81%9, 1+n/9%9, 1+n%9)
	switch asset {
	case "BTC":
		return fmt.Sprintf("%.4f9%s", worth/nominal[asset], mark)
	case "ETH":
		return fmt.Sprintf("%.3f9%s", worth/nominal[asset], mark)
	}
	return fmt.Sprintf("%.0f.9%s", worth, mark)
}

// faultChoice is one entry of the catalogue: where, and what.
type faultChoice struct {
	provider, operation string
	any                 bool
	codes               []string
}

// anywhere are the faults that are armed for every call.
var anywhere = []string{"drop_after", "drop_before", "http:500_after", "http:500_before", "http:503_before", "429"}

var catalogue = []faultChoice{
	{"stripe", "create_checkout", true, []string{"drop_after", "drop_before", "http:500_after", "http:500_before", "429", "500_stored", "lag:2"}},
	{"stripe", "read_payment", false, anywhere},
	{"stripe", "capture", false, append([]string{"decline:expired_card", "500_stored"}, anywhere...)},
	{"stripe", "capture", false, anywhere},
	{"stripe", "cancel", false, append([]string{"500_stored"}, anywhere...)},
	{"stripe", "refund", false, append([]string{"refund_failed", "refund_waits", "500_stored", "lag:2"}, anywhere...)},
	{"stripe", "webhook", false, []string{"dup_hook:20", "late_hook:4", "reorder_hook", "lost_hook", "bad_sig_hook"}},
	{"stripe", "webhook", false, []string{"dup_hook:20", "late_hook:4", "reorder_hook", "lost_hook", "bad_sig_hook"}},
	{"kraken", "AddOrder", false, append([]string{"insufficient", "decline:EOrder:Order minimum not met", "part_fill:0.4", "worse_fill:0.2", "price_jump:2",
		"decline:EService:Market in cancel_only mode", "decline:EAPI:Rate limit exceeded", "decline_after:EService:Unavailable",
		"decline_after:EGeneral:Internal error", "decline:EService:Deadline elapsed", "decline:EAPI:Invalid nonce", "lag:2"}, anywhere...)},
	{"kraken", "AddOrder", false, anywhere},
	{"kraken", "ClosedOrders", true, anywhere},
	{"kraken", "QueryOrders", true, anywhere},
	{"bitgo", "sendcoins", false, append([]string{"insufficient", "decline:400:InvalidAddress", "approval", "replaced", "failed", "removed", "lag:2"}, anywhere...)},
	{"bitgo", "sendcoins", false, anywhere},
	{"bitgo", "transfer", true, anywhere},
	{"bitgo", "webhook", true, []string{"dup_hook:20", "late_hook:4", "reorder_hook", "lost_hook", "bad_sig_hook"}},
	{"mailbox", "deliver", true, []string{"decline"}},
}

func planFault(r *rand.Rand, brisk bool) Fault {
	c := catalogue[r.IntN(len(catalogue))]
	codes := c.codes
	if !brisk && c.operation != "webhook" && c.provider != "mailbox" {
		codes = append(append([]string{}, codes...), "slow:12")
	}
	f := Fault{Provider: c.provider, Operation: c.operation, Any: c.any, Code: codes[r.IntN(len(codes))], Count: 1}
	if !strings.Contains(f.Code, "decline:") && r.IntN(4) == 0 {
		f.Count = 2
	}
	return f
}

// print writes the plan, a line each.
func (p Plan) print(w io.Writer) error {
	lines := json.NewEncoder(w)
	fmt.Fprintf(w, "seed %d: %d orders of %d customers, %d strikes\n", p.Seed, len(p.Orders), p.Customers, len(p.Strikes))
	for _, o := range p.Orders {
		if err := lines.Encode(o); err != nil {
			return err
		}
	}
	for _, s := range p.Strikes {
		if err := lines.Encode(s); err != nil {
			return err
		}
	}
	return nil
}
