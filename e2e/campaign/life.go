package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"
)

// life is one order from the first click to its end, with its customer, staff and custody's approver: each turn reads
// the order and does the next act that its plan has for that state, or, when the plan is exhausted, what leads it to an
// end.
type life struct {
	cluster *cluster
	plan    OrderPlan
	id      string

	customer *browser
	staff    *browser // who deals with it
	other    *browser // who clicks at the same time, and approves
	spare    *browser // who approves what the other may not
	cashier  *browser // who confirms receipts, and sends no coin for them

	cards, money, faults []string
	did                  map[string]int
	firmly               bool // no more adventures: lead it to its end
	last                 bool // no more days pass: what a bank had to end is ended
	asides               []Aside
	proposalUntil        time.Time // until then a proposal is left open
	contests             []Contest
	stuck                []StuckFact
	keys                 []Click
	lastSeen             string
	until                time.Time // no actor resolves its fault before that
	byHand               string    // the transaction of coin that staff sent beside the product
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

func newLife(t *cluster, p OrderPlan) *life {
	n := len(t.staff)
	l := &life{cluster: t, plan: p, customer: t.customers[p.Customer], staff: t.staff[p.N%n], other: t.staff[(p.N+1)%n], cashier: t.staff[(p.N+2)%n], spare: t.staff[(p.N+3)%n], did: map[string]int{}}
	l.cards, l.money, l.faults, l.asides = slices.Clone(p.Cards), slices.Clone(p.Money), slices.Clone(p.Trouble), slices.Clone(p.Asides)
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

	CoinOffers []struct{ Status string }

	mine struct { // as the customer sees it
		Action    *struct{ Kind string }
		Choices   []string
		ClosedAt  string
		Surpluses []heldSurplus
		CoinOffer *struct{ ID string }
		Payment   struct {
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

// stuck is an order that waits for an admin although neither its customer nor staff have a button, and no bank or
// approver is asked.
func (v *view) stuck() bool {
	waits := v.waitsFor() != "" || v.Status == "failed" && v.mine.ClosedAt == ""
	asked := slices.Contains([]string{"transfer_awaiting_approval", "disputed", "refund_pending"}, v.waitsFor())
	return waits && !asked && len(v.Actions)+len(v.Payment.Actions)+len(v.offers())+len(v.mine.Choices) == 0
}

// readsToBeStuck is how many consecutive reads must find an order stuck: the two answers of a read are not of one
// moment.
const readsToBeStuck = 10

func (l *life) wait(v *view) {
	if !v.stuck() {
		l.did["stuck"] = 0
		return
	}
	if l.did["stuck"]++; l.did["stuck"] == readsToBeStuck {
		l.stuck = append(l.stuck, StuckFact{l.id, l.lastSeen})
	}
}

func (l *life) fetch(ctx context.Context) (*view, error) {
	var v view
	if err := l.staff.get(ctx, "/api/admin/orders/"+l.id, &v); err != nil {
		return nil, err
	}
	return &v, l.customer.get(ctx, "/api/orders/"+l.id, &v.mine)
}

// errBlocked is an order whose plan is to be left alone until the clock moves.
var errBlocked = errors.New("parked")

// run executes the order until it is at rest, its plan leaves it to the clock, or the time is over.
func (l *life) run(ctx context.Context) error {
	if l.id == "" {
		if err := l.buy(ctx); err != nil {
			return err
		}
	}
	for {
		v, err := l.fetch(ctx)
		if errors.Is(err, errRefused) && l.cluster.isLost(l.id) {
			return nil // what came of it is for checkLost
		}
		if err != nil {
			return err
		}
		if seen := fmt.Sprintf("%s, waits for %q, actions %v, offers %v", v.Status, v.waitsFor(), v.Actions, v.offers()); seen != l.lastSeen {
			l.lastSeen = seen
			l.cluster.stir()
		}
		rested := v.rested() && l.did["disputed"] <= len(v.Disputes) // a dispute is recorded a moment later
		chooses := l.choosesSurplus(ctx, v)
		if rested && !chooses && !l.more(v) {
			return nil
		}
		if chooses || l.bounces(ctx, v) {
			if err := pause(ctx, 600*time.Millisecond); err != nil {
				return fmt.Errorf("order %s is %s: %w", l.id, l.lastSeen, err)
			}
			continue
		}
		if l.left(v) {
			return errBlocked
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
	if !l.last && slices.ContainsFunc(v.Refunds, func(r struct{ Status string }) bool { return r.Status == "pending" }) {
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

// act executes the next act.
func (l *life) act(ctx context.Context, v *view) error {
	waits := v.waitsFor()
	switch {
	case v.Proposal != nil:
		l.judgeProposal(ctx, v)
	case v.mine.CoinOffer != nil:
		return l.answersOffer(ctx, v)
	case waits == "risk_review", waits == "refund_pending": // compliance releases it; its bank ends the refund
	case waits == "transfer_awaiting_approval":
		l.approve(ctx, v)
	case waits == "disputed" || l.disputed(v):
		l.argue(ctx, v)
	case v.rested() && l.did["disputed"] > len(v.Disputes): // a dispute is recorded a moment later
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

// once runs an act once per order, and reports whether it ran now.
func (l *life) once(what string) bool {
	l.did[what]++
	return l.did[what] == 1 && !l.firmly
}

// press presses a button of staff's.
func (l *life) press(ctx context.Context, who *browser, path string, body any) answer {
	got := who.post(ctx, path, "", body)
	l.cluster.count(fmt.Sprintf("decisions answered %d", got.status))
	return got
}

// agree is the second admin's approval of a proposal. Where that is not allowed, because the order's money was
// confirmed by that admin, another approves it, or has the proposal withdrawn.
func (l *life) agree(ctx context.Context, id string) {
	path := "/api/admin/orders/" + l.id + "/proposal/"
	got := l.press(ctx, l.other, path+"approve", map[string]string{"proposalId": id})
	if got.status == http.StatusForbidden {
		got = l.press(ctx, l.spare, path+"approve", map[string]string{"proposalId": id})
	}
	if got.status == http.StatusForbidden || got.code == "proposal_outdated" {
		l.press(ctx, l.other, path+"reject", map[string]string{"proposalId": id, "reason": "not by me"})
	}
	l.cluster.count("proposals answered")
}

// agreed has a proposal approved at once, unless the plan has the second admin do otherwise (judgeProposal).
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
	l.cluster.count("pressed " + kind)
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
	l.cluster.count("contests")
}
