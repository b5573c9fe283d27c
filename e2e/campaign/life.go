package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"
)

// life is one order from the first click to its rest, as its customer, staff and
// custody's approver live it: each turn looks at the order as it stands and does
// the next thing that its plan has for such a moment, or, when the plan has
// nothing left, what leads it to an end.
type life struct {
	town *town
	plan OrderPlan
	id   string

	customer *browser
	staff    *browser // who deals with it
	other    *browser // who clicks at the same time, and approves
	teller   *browser // who confirms receipts, and sends no coin for them

	cards, money, trouble []string
	did                   map[string]int
	firmly                bool // no more adventures: lead it to its end
	asides                []Aside
	proposalUntil         time.Time // until then a proposal is left open
	contests              []Contest
	stuck                 []StuckFact
	keys                  []Click
	lastSeen              string
	until                 time.Time // nobody does anything about its trouble before that
	byHand                string    // the transaction of coin that staff sent beside the product
}

// Click is one pressing of Buy, and what came of it.
type Click struct {
	Order  int    // number in the plan
	Key    string // Idempotency-Key
	Body   string // short digest of what was sent
	Status int
	Code   string
	ID     string
}

// Contest is several people pressing the same button at the same moment.
type Contest struct {
	Order, Kind string
	Statuses    []int
	At          time.Time
}

func newLife(t *town, p OrderPlan) *life {
	n := len(t.staff)
	l := &life{town: t, plan: p, customer: t.customers[p.Customer], staff: t.staff[p.N%n], other: t.staff[(p.N+1)%n], teller: t.staff[(p.N+2)%n], did: map[string]int{}}
	l.cards, l.money, l.trouble, l.asides = slices.Clone(p.Cards), slices.Clone(p.Money), slices.Clone(p.Trouble), slices.Clone(p.Asides)
	return l
}

// view is an order as its admin's card shows it, with what its customer can do.
type view struct {
	ID, UserID, Reference, Status, TxID, QuoteFiat, Received, Refunded, DestAddress string
	Held                                                                            bool
	Actions                                                                         []string
	Metadata                                                                        struct{ Resolution, FailedStep, FulfillmentCode string }
	Attention                                                                       *struct{ Reason string }
	Decision                                                                        *struct{ Kind string }
	Payment                                                                         struct {
		ID, AdminApprovalStatus string
		Actions                 []string
		CardLast4               string
		StripePaymentIntentID   string
	}
	Choice    *struct{ Offers []string }
	Proposal  *struct{ ID string }
	Transfers []struct{ SequenceID, TransferID, ApprovalID, Status string }
	Disputes  []struct{ Status, Answer, ProviderID, ClosedAt string }
	Refunds   []struct{ Status string }
	Receipts  []receipt
	Returns   []moneyReturn

	mine struct { // as the customer sees it
		Choices  []string
		ClosedAt string
		Payment  struct {
			AuthorisedAt string
			Checkout     *struct{ State, URL string }
		}
	}
}

func (v *view) waitsFor() string {
	if v.Attention == nil {
		return ""
	}
	return v.Attention.Reason
}

func (v *view) can(action string) bool { return slices.Contains(v.Actions, action) }

// offers are the choices the customer has.
func (v *view) offers() []string {
	if v.Choice == nil {
		return nil
	}
	return v.Choice.Offers
}

func (v *view) busy() bool {
	return v.Decision != nil || slices.ContainsFunc(v.Refunds, func(r struct{ Status string }) bool { return r.Status == "requested" || r.Status == "pending" })
}

// rested is an order that is over, and so is everything about its money.
func (v *view) rested() bool {
	open := slices.ContainsFunc(v.Disputes, func(d struct{ Status, Answer, ProviderID, ClosedAt string }) bool { return d.ClosedAt == "" })
	return v.mine.ClosedAt != "" && !v.busy() && !open
}

// stuck is an order that waits for a person although neither its customer nor
// staff have anything to press, and no bank or approver is asked.
func (v *view) stuck() bool {
	waits := v.waitsFor() != "" || v.Status == "failed" && v.mine.ClosedAt == ""
	asked := slices.Contains([]string{"transfer_awaiting_approval", "disputed", "refund_pending"}, v.waitsFor())
	return waits && !asked && len(v.Actions)+len(v.Payment.Actions)+len(v.offers())+len(v.mine.Choices) == 0
}

// looksToBeStuck is how many looks in a row must find an order stuck: the two
// answers of a look are not of one moment.
const looksToBeStuck = 10

func (l *life) wait(v *view) {
	if !v.stuck() {
		l.did["stuck"] = 0
		return
	}
	if l.did["stuck"]++; l.did["stuck"] == looksToBeStuck {
		l.stuck = append(l.stuck, StuckFact{l.id, l.lastSeen})
	}
}

func (l *life) look(ctx context.Context) (*view, error) {
	var v view
	if err := l.staff.get(ctx, "/api/admin/orders/"+l.id, &v); err != nil {
		return nil, err
	}
	return &v, l.customer.get(ctx, "/api/orders/"+l.id, &v.mine)
}

// errParked is an order whose plan is to be left alone until the clock moves.
var errParked = errors.New("parked")

// run lives the order until it rests, its plan leaves it to the clock, or the
// time is over.
func (l *life) run(ctx context.Context) error {
	if l.id == "" {
		if err := l.buy(ctx); err != nil {
			return err
		}
	}
	for {
		v, err := l.look(ctx)
		if errors.Is(err, errRefused) && l.town.isLost(l.id) {
			return nil // what came of it is for checkLost
		}
		if err != nil {
			return err
		}
		if seen := fmt.Sprintf("%s, waits for %q, actions %v, offers %v", v.Status, v.waitsFor(), v.Actions, v.offers()); seen != l.lastSeen {
			l.lastSeen = seen
			l.town.stir()
		}
		rested := v.rested() && l.did["disputed"] <= len(v.Disputes) // a dispute is told a moment later
		if rested && !l.more(v) {
			return nil
		}
		if l.left(v) {
			return errParked
		}
		if !l.firmly {
			l.beginAsides(ctx, v)
		}
		if !v.busy() {
			l.wait(v)
			if err := l.act(ctx, v); err != nil {
				return err
			}
		}
		if err := pause(ctx, 600*time.Millisecond); err != nil {
			return fmt.Errorf("order %s is %s: %w", l.id, l.lastSeen, err)
		}
	}
}

// left says that staff leave the order where it is, as its plan has it, or that a
// bank takes days over its refund.
func (l *life) left(v *view) bool {
	if !l.firmly && slices.ContainsFunc(v.Refunds, func(r struct{ Status string }) bool { return r.Status == "pending" }) {
		return true
	}
	switch l.plan.Leave {
	case "authorised":
		return slices.Contains(v.Payment.Actions, "process") || v.Status != "pending"
	case "paid":
		return v.Status == "payment_approved" || v.Status == "failed"
	case "trouble":
		return v.waitsFor() != "" || v.Status == "failed"
	}
	return false
}

// act does the next thing.
func (l *life) act(ctx context.Context, v *view) error {
	waits := v.waitsFor()
	switch {
	case v.Proposal != nil:
		l.judgeProposal(ctx, v)
	case waits == "risk_review", waits == "refund_pending": // compliance releases it; its bank ends the refund
	case waits == "transfer_awaiting_approval":
		l.approve(ctx, v)
	case waits == "disputed" || l.disputed(v):
		l.argue(ctx, v)
	case v.rested():
		l.after(ctx, v)
	case slices.Contains([]string{"money_short", "money_over", "money_late"}, waits):
		return l.misfit(ctx, v)
	case v.Status == "pending" && waits == "":
		return l.pay(ctx, v)
	case v.Status == "payment_approved" && waits == "" && v.can("fulfill"), v.Held:
		l.fulfil(ctx, v)
	case waits != "" || v.Status == "failed":
		return l.mend(ctx, v)
	}
	return nil
}

// do does a thing once in the order's life, and says whether it is now.
func (l *life) once(what string) bool {
	l.did[what]++
	return l.did[what] == 1 && !l.firmly
}

// press presses a button of staff's.
func (l *life) press(ctx context.Context, who *browser, path string, body any) answer {
	got := who.post(ctx, path, "", body)
	l.town.count(fmt.Sprintf("decisions answered %d", got.status))
	return got
}

// agree is the second person's word on a proposal. Who may not give it, because the
// order's money came on theirs, has it taken back.
func (l *life) agree(ctx context.Context, id string) {
	path := "/api/admin/orders/" + l.id + "/proposal/"
	got := l.press(ctx, l.other, path+"approve", map[string]string{"proposalId": id})
	if got.status == http.StatusForbidden || got.code == "proposal_outdated" {
		l.press(ctx, l.other, path+"reject", map[string]string{"proposalId": id, "reason": "not by me"})
	}
	l.town.count("proposals answered")
}

// agreed has what was proposed approved at once, unless the plan has the second person
// do otherwise (judgeProposal).
func (l *life) agreed(ctx context.Context, got answer) answer {
	var said struct{ State, DecisionID string }
	if got.read(&said) == nil && said.State == "proposed" && (l.plan.Second == "approve" || l.firmly) {
		l.agree(ctx, said.DecisionID)
	}
	return got
}

func (l *life) decide(ctx context.Context, kind string, body map[string]string) answer {
	if body == nil {
		body = map[string]string{"reason": "as the campaign has it"}
	}
	l.town.count("pressed " + kind)
	return l.agreed(ctx, l.press(ctx, l.staff, "/api/admin/orders/"+l.id+"/"+kind, body))
}

// contest has both admins press a button twice at the same moment.
func (l *life) contest(ctx context.Context, kind, path string, body any) {
	got := Contest{Order: l.id, Kind: kind, Statuses: make([]int, 4), At: time.Now()}
	var all sync.WaitGroup
	for i := range got.Statuses {
		all.Go(func() { got.Statuses[i] = l.press(ctx, []*browser{l.staff, l.other}[i%2], path, body).status })
	}
	all.Wait()
	l.contests = append(l.contests, got)
	l.town.count("contests")
}

// buy asks for a price and presses Buy as the plan has it, until the order is
// there.
func (l *life) buy(ctx context.Context) error {
	for _, f := range l.plan.Faults {
		if f.Any || f.Provider != "stripe" {
			_ = l.town.arm(ctx, f, map[string]string{"kraken": l.plan.Amount, "bitgo": l.plan.Address}[f.Provider]) // a simulator that is down gives no trouble
		}
	}
	for try := 0; l.id == ""; try++ {
		order := map[string]string{"asset": l.plan.Asset, "amountAsset": l.plan.Amount, "paymentMethod": l.plan.Method, "destAddress": l.plan.Address}
		var price struct{ QuoteID string }
		quoted := l.customer.post(ctx, "/api/orders/calculate-pricing", "", order)
		l.withoutBalance(quoted.code)
		if err := quoted.read(&price); err != nil {
			if err := pause(ctx, time.Second); err != nil {
				return fmt.Errorf("no price: %d %s %s: %w", quoted.status, quoted.code, quoted.body, err)
			}
			continue
		}
		order["quoteId"], order["network"] = price.QuoteID, l.plan.Network
		l.clickBuy(ctx, fmt.Sprintf("campaign-%d-%d", l.plan.N, try), order)
		if n := len(l.keys); n > 0 {
			l.withoutBalance(l.keys[n-1].Code)
		}
		if l.barred() {
			return fmt.Errorf("order %d: %s: %w", l.plan.N, l.keys[len(l.keys)-1].Code, errRefused)
		}
		if err := pause(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
	l.town.count("orders begun")
	for _, f := range l.plan.Faults {
		if f.Provider == "stripe" && !f.Any {
			_ = l.town.arm(ctx, f, l.id)
		}
	}
	return nil
}

// withoutBalance has a customer whose balance is too low pay by wire instead.
func (l *life) withoutBalance(refusal string) {
	if l.plan.Method == "balance" && l.id == "" && refusal != "" {
		l.plan.Method = "domestic_wire"
	}
}

// patience is how often somebody presses Buy who is told that they may not.
const patience = 3

// barred says that the customer may not buy, whatever they ask for: they are not
// verified yet, or frozen. They leave.
func (l *life) barred() bool {
	if l.id != "" || l.town.insisting || len(l.keys) < patience {
		return false
	}
	return !slices.ContainsFunc(l.keys[len(l.keys)-patience:], func(c Click) bool { return c.Status != http.StatusForbidden })
}

// clickBuy presses Buy as the plan has it. Whatever gets no answer is pressed
// again with the same key until there is one.
func (l *life) clickBuy(ctx context.Context, key string, order map[string]string) {
	var all sync.WaitGroup
	var mu sync.Mutex
	press := func(key string, order map[string]string) {
		for ctx.Err() == nil {
			got := l.customer.post(ctx, "/api/orders", key, order)
			if got.unknown() || got.code == "idempotency_key_in_use" || got.status == 429 {
				l.town.count("buy pressed again")
				_ = pause(ctx, 200*time.Millisecond) // the loop's condition sees the end
				continue
			}
			c := Click{Order: l.plan.N, Key: key, Body: digest(order), Status: got.status, Code: got.code}
			var made struct{ ID string }
			if got.done() && json.Unmarshal(got.body, &made) == nil {
				c.ID = made.ID
			}
			mu.Lock()
			defer mu.Unlock()
			l.keys = append(l.keys, c)
			if c.ID != "" {
				l.id = c.ID
			}
			return
		}
	}
	clicks := []string{key}
	switch l.plan.Clicks {
	case "twice", "other_body":
		clicks = append(clicks, key)
	case "two_keys":
		clicks = append(clicks, key+"-again")
	}
	for i, k := range clicks {
		if l.plan.Clicks == "other_body" && i == 1 {
			all.Wait() // the first has been answered
			changed := map[string]string{}
			for name, value := range order {
				changed[name] = value
			}
			changed["amountAsset"], order = "0.5", changed
		}
		body := order
		all.Go(func() { press(k, body) })
	}
	all.Wait()
}

func digest(body map[string]string) string {
	raw, err := json.Marshal(body)
	if err != nil {
		panic(err) // strings always encode
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:4])
}
