package main

import "slices"

// recipe is an order led into a case that chance rarely reaches: the fault that stops it, the act of staff or a bank,
// and what is tried afterwards. A share of every plan is drawn from this list, so that each seed covers it.
type recipe struct {
	name  string
	write func(o *OrderPlan)
}

var (
	refuses     = Fault{Provider: "bitgo", Operation: "sendcoins", Code: "decline:400:InvalidAddress", Count: 1}
	tooPoor     = Fault{Provider: "bitgo", Operation: "sendcoins", Code: "insufficient", Count: 1}
	buysLate    = Fault{Provider: "kraken", Operation: "AddOrder", Code: "drop_before", Count: 3}
	waits       = Fault{Provider: "stripe", Operation: "refund", Code: "refund_waits", Count: 1}
	silent      = Fault{Provider: "kraken", Operation: "AddOrder", Code: "drop_before", Count: 8}
	unheard     = Fault{Provider: "bitgo", Operation: "sendcoins", Code: "drop_before", Count: 8}
	noPage      = Fault{Provider: "stripe", Operation: "create_checkout", Code: "decline:parameter_invalid_integer", Count: 1}
	noAnswer    = Fault{Provider: "stripe", Operation: "capture", Code: "drop_before", Count: 9}
	noCancel    = Fault{Provider: "stripe", Operation: "cancel", Code: "http:503_before", Count: 9}
	asksCustody = Fault{Provider: "bitgo", Operation: "sendcoins", Code: "approval", Count: 1}
	bounces     = Fault{Provider: "stripe", Operation: "refund", Code: "refund_failed", Count: 1}
)

// stops are where an order of a recipe stands when something becomes of its money.
var stops = []struct {
	name  string
	write func(o *OrderPlan)
}{
	{"fulfilling", func(o *OrderPlan) {
		o.Faults = append(o.Faults, buysLate)
		o.Asides = []Aside{{At: "fulfilling", What: "freeze", For: 45000}}
	}},
	{"filled", func(o *OrderPlan) { o.Faults = append(o.Faults, refuses) }},
	{"failed", func(o *OrderPlan) { o.Faults = append(o.Faults, tooPoor) }},
}

// recipes are all of them: those of the quota first, so that a short plan holds them too.
var recipes = slices.Concat(edges, alone, stopped())

// Recipes of the quota.
const (
	lostDispute          = "sent, and its dispute is lost"
	reinstatedDispute    = "sent, and its lost dispute is reinstated"
	bouncedAfterLoss     = "sent, and a refund bounces after a lost dispute"
	rejectedAfterKeeping = "custody's approver rejects what its customer kept trying"

	creditedByTime   = "overpaid by wire, and its surplus is left to the time"
	creditedByChoice = "overpaid by wire, and its customer has the surplus credited"
	returnedByChoice = "overpaid by wire, and its customer has the surplus returned"
	returnedBySize   = "overpaid by wire by too much to be credited"

	lessAgreed   = "paid, and its customer agrees to less coin"
	lessDeclined = "paid, and its customer declines less coin"
	lessLapsed   = "paid, and its customer never answers about less coin"
	lessRestored = "paid, and its bank refuses the refund with less coin"
)

var edges = []recipe{
	{lostDispute, func(o *OrderPlan) { o.After = "dispute_lost" }},
	{reinstatedDispute, func(o *OrderPlan) { o.After = "dispute_lost_then_reinstated" }},
	{bouncedAfterLoss, func(o *OrderPlan) { o.Faults, o.After = []Fault{waits}, afterBounce }},
	{rejectedAfterKeeping, func(o *OrderPlan) {
		o.Faults, o.Trouble = []Fault{tooPoor, asksCustody}, []string{untilKept, "refund"}
		o.Approve = "rejected"
	}},
	{creditedByTime, func(o *OrderPlan) { overpaid(o, smallWorth, "later", "") }},
	{creditedByChoice, func(o *OrderPlan) { overpaid(o, smallWorth, "over", "credit") }},
	{returnedByChoice, func(o *OrderPlan) { overpaid(o, smallWorth, "over", "return") }},
	{returnedBySize, func(o *OrderPlan) { overpaid(o, largeWorth, "over", "") }},
	{lessAgreed, func(o *OrderPlan) { lessCoin(o, "agree") }},
	{lessDeclined, func(o *OrderPlan) { lessCoin(o, "decline") }},
	{lessLapsed, func(o *OrderPlan) { lessCoin(o, "silence") }},
	{lessRestored, func(o *OrderPlan) {
		o.Faults = []Fault{bounces}
		lessCoin(o, "agree")
	}},
}

// smallWorth and largeWorth are worth in dollars of orders whose surplus, overPercent of them paid, is credited, and is
// only returned: it is above 50 dollars and a fifth of the order's total.
const smallWorth, largeWorth = 90, 280

// overpaid has more money than the price arrive by wire, as the word of the plan says.
func overpaid(o *OrderPlan, worth float64, word, surplus string) {
	o.Method, o.Cards, o.Money, o.Surplus = "domestic_wire", nil, []string{word}, surplus
	o.Amount = amountFor(worth, o.Asset, o.N)
}

// lessCoin has staff offer less coin with a refund, of an order that is still large enough for its method after it.
func lessCoin(o *OrderPlan, answer string) {
	o.Fulfil, o.Answer, o.Amount = "less_coin", answer, amountFor(lessWorth, o.Asset, o.N)
}

// lessWorth is worth in dollars of an order of which lessRefund is refunded with less coin, by one person.
const lessWorth = 200

// alone are those of one place.
var alone = []recipe{
	{"card declined", declined},
	{"no page to pay on", func(o *OrderPlan) { o.Faults = []Fault{noPage} }},
	{"nobody knows whether it is captured", func(o *OrderPlan) { o.Faults = []Fault{noAnswer} }},
	{"its hold is not released", func(o *OrderPlan) { o.Faults, o.Decide = []Fault{noCancel}, "decline" }},
	{"card declined once more", declined},
	{"nobody knows whether it is bought", func(o *OrderPlan) { o.Faults = []Fault{silent} }},
	{"nobody knows whether it is sent", func(o *OrderPlan) { o.Faults = []Fault{unheard} }},
	{"sent by hand", func(o *OrderPlan) { o.Faults, o.Trouble = []Fault{tooPoor}, []string{"by_hand"} }},
	{"paid, a part waits for its customer", func(o *OrderPlan) { o.Faults, o.Fulfil = []Fault{waits}, "part_refund" }},
	{"paid, all of it waits for its customer", func(o *OrderPlan) { o.Faults, o.Fulfil = []Fault{waits}, "refund" }},
	{"sent, and its refund waits", func(o *OrderPlan) { o.Faults, o.After = []Fault{waits}, "part_refund" }},
	{"sent, and its refund bounces", func(o *OrderPlan) { o.Faults, o.After = []Fault{bounces}, "part_refund" }},
	{"left until its hold ends", func(o *OrderPlan) { o.Decide = "lapse" }},
	{"beyond custody's caps", func(o *OrderPlan) { o.Amount = amountFor(380, o.Asset, o.N) }},
	{"identity withdrawn while it buys", func(o *OrderPlan) {
		o.Faults, o.Asides = []Fault{buysLate}, []Aside{{At: "fulfilling", What: "revoke_identity", For: 45000}}
	}},
	{"address listed while it buys", func(o *OrderPlan) {
		o.Faults, o.Asides = []Fault{buysLate}, []Aside{{At: "fulfilling", What: "list_address", For: 8000}}
	}},
	{"address listed while it is held", func(o *OrderPlan) {
		o.Fulfil, o.Asides = "hold", []Aside{{At: "payment_approved", What: "list_address", For: 12000}}
	}},
	{"taken back once its bonus is paid", func(o *OrderPlan) { o.After, o.Customer = "refund", o.Customer-o.Customer%3 }}, // of one with a tier
	{"paid by wire by one whose cards were declined", func(o *OrderPlan) {
		o.Customer, o.Method, o.Cards, o.Money = riskyCustomer, "domestic_wire", nil, []string{"exact"}
	}},
}

// riskyCustomer is whose orders are reviewed once a card of theirs was declined in so many
// orders (suspect).
const (
	riskyCustomer    = 1
	declinesReviewed = 2
)

// declined has the risky customer's card declined before another is used.
func declined(o *OrderPlan) { o.Customer, o.Cards = riskyCustomer, []string{"declined", "good"} }

// stopped are the recipes of each stop: what becomes of the money there.
func stopped() (list []recipe) {
	for _, stop := range stops {
		for _, then := range []struct {
			name, answer string
			fault        *Fault
		}{{"given back at Stripe", "elsewhere", nil}, {"disputed", "dispute", nil}, {"its refund waits", "refund", &waits}, {"its refund bounces", "refund", &bounces}} {
			list = append(list, recipe{stop.name + ", " + then.name, func(o *OrderPlan) {
				stop.write(o)
				o.Trouble = []string{then.answer}
				if then.fault != nil {
					o.Faults = append(o.Faults, *then.fault)
				}
			}})
		}
	}
	return list
}

// recipeOf gives one in so many orders the next recipe: a good card, staff who agree,
// and nothing by chance beside it.
func recipeOf(o *OrderPlan, oneIn int) {
	if o.N%oneIn != oneIn/2 {
		return
	}
	r := recipes[(o.N-1)/oneIn%len(recipes)]
	o.Recipe, o.Method, o.Clicks, o.Cards, o.Decide, o.Fulfil, o.After = r.name, "card", "once", []string{"good"}, "process", "fulfill", ""
	o.Surplus, o.Answer = "", ""
	o.Money, o.Evidence, o.Faults, o.Asides, o.Trouble, o.Second, o.Approve = nil, false, nil, nil, nil, "approve", "approved"
	r.write(o)
}
