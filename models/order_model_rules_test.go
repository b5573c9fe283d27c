package models_test

import (
	"maps"
	"slices"
)

// rule is what an event makes of a state; ok is false when it is refused.
type rule struct {
	kind  string // of the events it is explored with, as words; "" is a good order's
	rail  string // the only rail it is of
	aside bool   // it leads to no guaranteed end
	do    func(o orderModel) (after orderModel, ok bool)
}

// orderRules are all events, by the name under which the walk does them.
var orderRules = rulesOf(payingRules, receiptRules, returnRules, coinRules, marketRules, transferRules, refundRules,
	disputeRules, stopRules, reviewRules, choiceRules, proposalRules, deadRules, lessRules)

func rulesOf(tables ...map[string]rule) map[string]rule {
	all := map[string]rule{}
	for _, table := range tables {
		maps.Copy(all, table)
	}
	return all
}

// always is a rule that is never refused.
func always(do func(o orderModel) orderModel) func(o orderModel) (orderModel, bool) {
	return func(o orderModel) (orderModel, bool) { return do(o), true }
}

// decided is a rule of a decision that staff are offered.
func decided(kind string, do func(o orderModel) orderModel) func(o orderModel) (orderModel, bool) {
	return func(o orderModel) (orderModel, bool) {
		if !o.offers(kind) {
			return o, false
		}
		return do(o), true
	}
}

// chosen is a rule of a choice that the customer is given.
func chosen(kind string, do func(o orderModel) (orderModel, bool)) func(o orderModel) (orderModel, bool) {
	return func(o orderModel) (orderModel, bool) {
		if !o.chooses(kind) {
			return o, false
		}
		return do(o)
	}
}

var payingRules = map[string]rule{
	"authorise": {rail: "card", do: always(func(o orderModel) orderModel {
		if o.Status != "pending" || o.Authorised {
			return o
		}
		o.Authorised, o.Waits = true, ""
		return o
	})},
	"process": {rail: "card", do: func(o orderModel) (orderModel, bool) {
		switch {
		case !o.mayCapture():
			return o, false
		case o.stopsCapture():
			return o.found().attend("risk_review"), true
		}
		return o.captured(), true
	}},
	"no page": {kind: "page", rail: "card", aside: true, do: always(func(o orderModel) orderModel {
		if o.Status != "pending" || o.Authorised || o.Waits != "" {
			return o
		}
		return o.attend("checkout_failed")
	})},
	"capture unknown": {kind: "page", rail: "card", aside: true, do: func(o orderModel) (orderModel, bool) {
		switch {
		case !o.mayCapture():
			return o, false
		case o.stopsCapture():
			return o.found().attend("risk_review"), true
		}
		o.Capturing = true
		return o.attend("capture_unknown"), true
	}},
	"capture refused": {kind: "page", rail: "card", aside: true, do: func(o orderModel) (orderModel, bool) {
		switch {
		case !o.mayCapture():
			return o, false
		case o.stopsCapture():
			return o.found().attend("risk_review"), true
		}
		o.Capturing = false
		return o.resumedFrom("capture_unknown"), true
	}},
	"captured after all": {kind: "page", rail: "card", aside: true, do: always(func(o orderModel) orderModel {
		if o.Status != "pending" || !o.Capturing {
			return o
		}
		return o.captured()
	})},
	"decline": {kind: "end", rail: "card", do: decided("decline", func(o orderModel) orderModel { return o.ends("declined") })},
	"lapse": {kind: "end", rail: "card", aside: true, do: always(func(o orderModel) orderModel {
		if o.Status != "pending" || !o.Authorised {
			return o
		}
		return o.ends("expired")
	})},
	"cancel":       {kind: "end", do: decided("cancel", func(o orderModel) orderModel { return o.ends("cancelled") })},
	"reject order": {kind: "receipt", rail: "bank", do: decided("reject order", func(o orderModel) orderModel { return o.ends("declined") })},
	"time to pay passes": {kind: "receipt", do: always(func(o orderModel) orderModel {
		if o.Status != "pending" || o.Authorised {
			return o
		}
		if o.Over = true; o.moneyWaits() {
			return o
		}
		return o.ends("expired")
	})},
}

// mayCapture is whether the card can be captured, or read again where it may have been.
func (o orderModel) mayCapture() bool { return o.offers("process") && (!o.Frozen || o.Capturing) }

// stopsCapture is whether the address was listed before the capture was first requested.
func (o orderModel) stopsCapture() bool { return o.Listed == "listed" && !o.Capturing }

func (o orderModel) captured() orderModel {
	o.Status, o.Waits, o.Paid, o.Capturing = "payment_approved", "", true, false
	o.Prepaid += o.Price
	return o
}

func (o orderModel) ends(how string) orderModel {
	o.Capturing = false
	o.Status, o.Resolution, o.Closed, o.Waits = "failed", how, true, ""
	return o
}

var coinRules = map[string]rule{
	"fulfill": {do: decided("fulfill", orderModel.reserve)},
	"retry":   {do: decided("retry", orderModel.retried)},
	"start buy": {do: always(func(o orderModel) orderModel {
		switch {
		case o.Status != "fulfilling" || o.Coin == "buying":
			return o
		case o.Coin == "bought": // reported late, when it had failed
			return o.filled()
		}
		if why := o.blocker(); why != "" {
			return o.attend(why)
		}
		if o.Unfilled >= 3 {
			return o.attend("price_moved")
		}
		o.Coin = "buying"
		return o
	})},
	"fill": {do: always(func(o orderModel) orderModel {
		if o.Coin != "buying" {
			return o
		}
		o.Coin, o.Inventory, o.Part, o.Unfilled = "bought", 1, false, 0
		if o.Closed { // cannot be: an order does not end while coin may be bought
			return o
		}
		return o.filled()
	})},
	"start transfer": {do: always(func(o orderModel) orderModel {
		if o.Status != "filled" || o.transferOpen() {
			return o
		}
		return o.sendsUnless("")
	})},
	"cap": {kind: "transfer", aside: true, do: always(func(o orderModel) orderModel {
		if o.Status != "filled" || o.transferOpen() {
			return o
		}
		return o.sendsUnless("custody_cap")
	})},
	"broadcast": {do: always(func(o orderModel) orderModel { return o.onNetwork("broadcast") })},
	"confirm":   {do: always(func(o orderModel) orderModel { return o.onNetwork("confirmed") })},
}

func (o orderModel) filled() orderModel {
	if o.Status != "fulfilling" {
		return o
	}
	o.Status = "filled"
	return o.resumed()
}

// unfit is why no coin is promised to the order now.
func (o orderModel) unfit() (orderModel, string) {
	switch why := o.blocker(); {
	case why != "":
		return o, why
	case o.Listed == "listed":
		return o.found(), "address_blocked"
	case o.Unknown:
		return o, "price_unavailable"
	case o.Dear:
		return o, "price_moved"
	case o.Short:
		return o, "wallet_short"
	}
	return o, ""
}

// found has compliance review a listed address.
func (o orderModel) found() orderModel {
	if o.Review == "" {
		o.Review = "list"
	}
	return o
}

// reserve promises coin to a paid order, or gives what prevents it.
func (o orderModel) reserve() orderModel {
	o, why := o.unfit()
	if why != "" {
		return o.attend(why)
	}
	o.Status, o.Coin, o.Promised = "fulfilling", "reserved", 1
	return o.resumed()
}

// retried continues from where it stopped, as staff decide.
func (o orderModel) retried() orderModel {
	o.News = false
	if o.Status == "payment_approved" {
		return o.reserve()
	}
	return o.goesOn()
}

var statusOfStep = map[string]string{"buy": "fulfilling", "send": "filled"}

func (o orderModel) goesOn() orderModel {
	o.Unfilled = 0
	if o.Status == "failed" {
		o.Status, o.FailedStep, o.Code = statusOfStep[o.FailedStep], "", ""
	}
	return o.resumed()
}

// sendsUnless requests a transfer from custody, unless something prevents it.
func (o orderModel) sendsUnless(capped string) orderModel {
	if o.Reversed > 0 { // the ledger shows no payment of theirs
		return o.attend("refunded_elsewhere")
	}
	if why := o.blocker(); why != "" {
		return o.attend(why)
	}
	if o.Listed == "listed" {
		return o.found().attend("address_blocked")
	}
	if capped != "" {
		return o.attend(capped)
	}
	o.Transfer = "requested"
	if o.Declared != "" {
		o.Declared = "before"
	}
	return o
}

func (o orderModel) onNetwork(how string) orderModel {
	if o.Closed || !o.transferOpen() || o.Transfer == how {
		return o
	}
	if o.Status != "sent" {
		o = o.sends()
	}
	o.Transfer = how
	if how == "confirmed" {
		o = o.resumed()
		o.Closed = true
	}
	return o
}

// sends books coin that left: earlier refunds of its price are our loss, and earlier reversals by the bank are the
// customer's debt.
func (o orderModel) sends() orderModel {
	o = o.resumed()
	settled, gestures := o.Settled-o.unreduced(), o.Back-o.BackLess+o.There
	o.Prepaid += settled + gestures + o.Returned + o.Less - o.Price
	o.Charged += settled
	o.Goodwill += gestures
	o.Customer -= o.Returned
	o.Earned, o.Promised, o.Inventory, o.Out = o.Price-o.Less, 0, 0, o.Out+1
	o.Status, o.FailedStep, o.Code = "sent", "", ""
	return o
}

// unsends reverses what was booked as sent, because it never will be.
func (o orderModel) unsends() orderModel {
	settled, gestures := o.Settled-o.unreduced(), o.Back-o.BackLess+o.There
	o.Prepaid += o.Price - o.Less - settled - gestures - o.Returned
	o.Charged -= settled
	o.Goodwill -= gestures
	o.Customer += o.Returned
	o.Earned, o.Promised, o.Inventory, o.Out = 0, 1, 1, o.Out-1
	return o
}

func (o orderModel) failed(at, step, code string) orderModel {
	if o.Status != at {
		return o
	}
	o = o.resumed()
	if o.Status, o.FailedStep, o.Code = "failed", step, code; o.disputed() {
		return o.attend("disputed")
	}
	return o
}

var transferRules = map[string]rule{
	"fail buy":  {kind: "transfer", aside: true, do: always(func(o orderModel) orderModel { return o.failed("fulfilling", "buy", "") })},
	"fail send": {kind: "transfer", aside: true, do: always(func(o orderModel) orderModel { return o.failed("filled", "send", "") })},
	"die":       {kind: "transfer", aside: true, do: func(o orderModel) (orderModel, bool) { return o.dies("transfer_failed") }},
	"reject transfer": {kind: "transfer", aside: true, do: func(o orderModel) (orderModel, bool) {
		return o.dies(pick(o.Status == "sent", "transfer_failed", "transfer_rejected"))
	}},
	"lose":         {kind: "transfer", aside: true, do: always(orderModel.lost)},
	"unconfirmed":  parks("transfer_unconfirmed", "sent"),
	"buy unknown":  parks("exchange_unknown", "fulfilling"),
	"send unknown": parks("transfer_unknown", "filled"),
	"stuck": {kind: "transfer page", aside: true, do: always(func(o orderModel) orderModel {
		if o.Closed || o.Waits != "" {
			return o
		}
		return o.attend("step_stuck")
	})},
	"custody asks": {kind: "transfer", aside: true, do: always(func(o orderModel) orderModel {
		if o.Status != "filled" || o.Transfer != "requested" {
			return o
		}
		o.Transfer = "awaiting"
		return o.attend("transfer_awaiting_approval")
	})},
	"custody approves": {kind: "transfer", do: always(func(o orderModel) orderModel {
		if o.Transfer != "awaiting" {
			return o
		}
		o.Transfer = "signed"
		return o.resumed()
	})},
	"address refused": {kind: "transfer", aside: true, do: always(orderModel.addressRefused)},
	"resend buy": {kind: "transfer", aside: true, do: always(func(o orderModel) orderModel {
		why := o.blocker()
		if o.Status != "fulfilling" || o.Coin != "buying" || why == "" {
			return o
		}
		o.Coin, o.Unfilled = "reserved", 0
		return o.attend(why)
	})},
	"resend transfer": {kind: "transfer", aside: true, do: always(func(o orderModel) orderModel {
		why := o.blocker()
		if o.Status != "filled" || o.Transfer != "requested" || why == "" {
			return o
		}
		return o.attend(why)
	})},
	"mark sent": {kind: "transfer", do: func(o orderModel) (orderModel, bool) {
		if !o.offers("mark sent") || o.transferOpen() {
			return o, false
		}
		return o.markedSent(), true
	}},
	"mark this sent": {kind: "transfer", do: func(o orderModel) (orderModel, bool) {
		if o.Closed || !o.transferOpen() {
			return o, true
		}
		if !o.offers("mark sent") {
			return o, false
		}
		o = o.sends()
		o.Transfer, o.Closed = "confirmed", true
		return o, true
	}},
}

// markedSent is an order whose coin was sent by hand.
func (o orderModel) markedSent() orderModel {
	o = o.sends()
	o.Closed = true
	return o
}

// parks is a step of our own that did not finish: the order waits for staff.
func parks(reason string, statuses ...string) rule {
	return rule{kind: "transfer", aside: true, do: always(func(o orderModel) orderModel {
		if o.Closed || !o.Paid || !o.is(statuses...) || o.stops() {
			return o
		}
		return o.attend(reason)
	})}
}

func (o orderModel) dies(code string) (orderModel, bool) {
	switch {
	case o.Closed || !o.transferOpen():
		return o, true
	case o.Status == "failed":
		return o, false
	}
	sent := o.Status == "sent"
	o.Transfer = "dead"
	if sent {
		o = o.unsends()
	}
	if o = o.failed(o.Status, "send", code); sent {
		o = o.settlesAll()
	}
	return o, true
}

// lost is a transfer that the network has lost: it may reappear.
func (o orderModel) lost() orderModel {
	if o.Closed || !o.is("filled", "sent") || !o.transferOpen() || o.Transfer == "lost" && o.Waits != "" {
		return o
	}
	o.Transfer = "lost"
	return o.attend("transfer_failed")
}

func (o orderModel) addressRefused() orderModel {
	if o.Status != "filled" || o.Transfer != "requested" || o.Waits != "" {
		return o
	}
	o.Transfer = "dead"
	return o.attend("address_refused")
}

var stopRules = map[string]rule{
	"hold":              {kind: "stop", aside: true, do: decided("hold", func(o orderModel) orderModel { o.Held = true; return o })},
	"resume":            {kind: "stop", do: decided("resume", func(o orderModel) orderModel { o.Held = false; return o })},
	"pause":             {kind: "stop", aside: true, do: always(func(o orderModel) orderModel { o.Paused = true; return o })},
	"take back pause":   {kind: "stop", do: always(func(o orderModel) orderModel { o.Paused = false; return o })},
	"withdraw identity": {kind: "stop", aside: true, do: always(func(o orderModel) orderModel { o.NoIdentity = true; return o })},
	"verify again":      {kind: "stop", do: always(func(o orderModel) orderModel { o.NoIdentity = false; return o })},
	"freeze":            {kind: "stop", aside: true, do: always(func(o orderModel) orderModel { o.Frozen = true; return o })},
	"unfreeze": {kind: "stop", do: always(func(o orderModel) orderModel {
		parked := o.Frozen && o.Waits == "customer_frozen" && o.offers("retry")
		if o.Frozen = false; parked {
			return o.retried()
		}
		return o
	})},
	"go on": {do: always(func(o orderModel) orderModel {
		undecided := o.Deciding != "" || o.Proposal.Kind != "" || o.Offer > 0
		if o.Waits != "paused" || o.Held || o.Paused || o.Pending > 0 || undecided {
			return o
		}
		if o.Status != "payment_approved" {
			o.Unfilled = 0
			return o.resumed()
		}
		return o.reserve()
	})},
}

var reviewRules = map[string]rule{
	"list address": {kind: "review", aside: true, do: always(func(o orderModel) orderModel {
		if o.Listed == "" && o.Review == "" {
			o.Listed = "listed"
		}
		return o
	})},
	"release": {kind: "review", do: orderModel.released},
}

// released continues what compliance reviewed. What had begun is tried again, which has to be possible.
func (o orderModel) released() (orderModel, bool) {
	if o.Review == "" || o.Closed || o.Waits == "money_late" {
		return o, true
	}
	if o.Deciding != "" {
		return o, false
	}
	before, parked := o, o.waits("risk_review", "address_blocked")
	if o.Review == "list" {
		o.Listed = "released"
	}
	switch o.Review = ""; {
	case !parked:
		return o, true
	case o.is("pending", "payment_approved"):
		return o.resumed(), true
	case !o.offers("retry"):
		return before, false
	}
	return o.retried(), true
}

var choiceRules = map[string]rule{
	"price up":   {kind: "choice", aside: true, do: always(func(o orderModel) orderModel { o.Dear = true; return o })},
	"price down": {kind: "choice", do: always(func(o orderModel) orderModel { o.Dear = false; return o })},
	"keep trying": {kind: "choice", aside: true, do: chosen("keep trying", func(o orderModel) (orderModel, bool) {
		o.Kept, o.Asked = true, ""
		return o.triesAgain(), true
	})},
	"try again": {kind: "choice", aside: true, do: always(func(o orderModel) orderModel {
		if !o.Kept || o.choice() == "" || o.Deciding != "" || o.Proposal.Kind != "" || o.Offer > 0 {
			return o
		}
		return o.triesAgain()
	})},
	"refund now": {kind: "choice", do: chosen("refund now", func(o orderModel) (orderModel, bool) { return o.decides(), true })},
	"choice lapses": {kind: "choice", do: always(func(o orderModel) orderModel {
		if o.choice() == "" || o.Deciding != "" {
			return o
		}
		if o.Asked, o.Kept = o.choice(), false; o.Proposal.Kind == "mark sent" || o.Offer > 0 {
			return o
		}
		if !o.moneyWaits() && (!o.mayRefund() || o.Pending > 0) {
			return o.attend("refund_blocked")
		}
		o.Deciding = "default"
		return o
	})},
}

func (o orderModel) triesAgain() orderModel {
	switch {
	case o.Proposal.Kind != "":
		return o
	case o.Status != "payment_approved":
		return o.goesOn()
	case o.Held:
		return o
	}
	return o.reserve()
}

var proposalRules = map[string]rule{
	"propose refund": {kind: "proposal", aside: true, do: func(o orderModel) (orderModel, bool) {
		amount := pick(o.moneyWaits(), o.Waiting, o.left())
		return o.proposes("refund", amount)
	}},
	"propose address": {kind: "proposal", aside: true, do: func(o orderModel) (orderModel, bool) { return o.proposes("amend", o.Price) }},
	"propose sent": {kind: "proposal", aside: true, do: func(o orderModel) (orderModel, bool) {
		if o.transferOpen() {
			return o, o.Status == "sent"
		}
		return o.proposes("mark sent", o.Price)
	}},
	"reject proposal": {kind: "proposal dead less", do: always(func(o orderModel) orderModel {
		o.Proposal = proposal{}
		return o
	})},
	"approve": {kind: "proposal dead less", do: orderModel.approves},
}

func (o orderModel) proposes(kind string, amount quarters) (orderModel, bool) {
	if amount == 0 || o.Status == "sent" {
		return o, true
	}
	if !o.offers(kind) {
		return o, false
	}
	o.Proposal = proposal{kind, o.Status, amount}
	return o, true
}

// approves is what a second person makes of what was proposed.
func (o orderModel) approves() (orderModel, bool) {
	p := o.Proposal
	switch p.Kind {
	case "":
		return o, true
	case "less":
		return o.approvesLess()
	}
	stake := o.Price
	if p.Kind == "refund" {
		stake = pick(o.moneyWaits(), o.Waiting, o.left())
	}
	if o.Status != p.At || stake != p.Amount || !o.allows(p.Kind) || p.Kind == "mark sent" && o.transferOpen() {
		return o, false
	}
	switch o.Proposal = (proposal{}); p.Kind {
	case "refund":
		return o.decides(), true
	case "amend":
		return o.amended()
	case "dead":
		o.Declared = "last"
		return o.dies("transfer_failed")
	}
	return o.markedSent(), true
}

// deadRules are about a transfer that custody calls removed for good. The model has one that was declared dead.
var deadRules = map[string]rule{
	"propose dead": {kind: "dead", aside: true, do: func(o orderModel) (orderModel, bool) {
		if o.Declared != "" {
			return o, true
		}
		if !o.offers("dead") {
			return o, false
		}
		o.Proposal = proposal{"dead", o.Status, o.Price}
		return o, true
	}},
	"revive": {kind: "dead", aside: true, do: always(orderModel.revives)},
}

// revives is that a transfer which was declared dead confirms: it sends the order, or is a loss where that is over;
// what is in progress ends first.
func (o orderModel) revives() orderModel {
	switch {
	case o.Declared == "" || !o.Closed && (o.Pending > 0 || o.transferOpen()):
		return o
	case o.Closed:
		o.Declared, o.Revived, o.Out = "", true, o.Out+1
		return o
	case o.Declared == "last":
		o.Transfer = "confirmed"
	}
	o.Declared = ""
	return o.markedSent()
}

// amended sends the coin elsewhere. What compliance had found of the old address does
// not speak for the new one.
func (o orderModel) amended() (orderModel, bool) {
	o.News = false
	if o.transferOpen() || o.Pending > 0 {
		return o, false
	}
	o.Listed = ""
	if o.Review != "" {
		o.Review = "risk"
	}
	return o.goesOn(), true
}

// changing are the events that change a state.
func (o orderModel) changing(events []string) []string {
	some := slices.DeleteFunc(slices.Clone(events), func(event string) bool { after, _ := o.apply(event); return after == o })
	return pick(len(some) > 0, some, events)
}
