package models_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// The rules of an order paid by card, as a pure model: what each event makes of a
// state. It is explored exhaustively here, and compared with the code by random walks
// on Postgres (order_model_walk_test.go). Money is counted in quarters of the price.

// price is the whole of what an order costs, in quarters.
const price = 4

// orderModel is where an order stands: only what later events depend on.
type orderModel struct {
	Status, Resolution string
	Closed             bool
	Authorised, Held   bool
	Waits              string // the reason it needs review; "" is none
	FailedStep         string
	Coin               string // "", reserved, buying, bought
	Transfer           string // "", requested, broadcast, confirmed, dead
	Pending            int    // quarters in a refund that is under way
	PendingWhole       bool   // it is the order's own end
	Back               int    // quarters given back and booked, by us
	There              int    // quarters given back at the processor itself
	ThereNew           bool   // and staff have not said since that the order goes on
	Dispute            string // "", open, lost, won
	Taken              int    // quarters the bank of the card has
	Settled            int    // of these, what paid our debt because no coin was sent
	Paused, NoIdentity bool
}

// left is what can still be given back.
func (o orderModel) left() int { return max(0, price-o.Back-o.There-o.Pending-o.Taken) }

func (o orderModel) paid() bool {
	return !slices.Contains([]string{"", "pending"}, o.Status) && o.Resolution != "cancelled" && o.Resolution != "expired"
}

func (o orderModel) disputed() bool { return o.Waits == "disputed" }

// transferOpen is a transfer that may still bring the coin.
func (o orderModel) transferOpen() bool { return o.Transfer != "" && o.Transfer != "dead" }

// blocker is why nothing new may begin at a provider: the one guard of every step
// that moves coin.
func (o orderModel) blocker() string {
	switch {
	case o.Dispute == "open":
		return "disputed"
	case o.ThereNew || o.Back+o.There+o.Settled >= price:
		return "refunded_elsewhere"
	case o.Pending > 0:
		return "refund_pending"
	case o.NoIdentity:
		return "kyc_revoked"
	case o.Paused:
		return "paused"
	}
	return ""
}

// rule is what an event makes of a state; ok is false when it is refused.
type rule func(o orderModel) (after orderModel, ok bool)

// stops is whether the order waits for a person.
func (o orderModel) stops() bool {
	if (o.Waits == "disputed" || o.Waits == "refund_failed") && o.Status == "sent" {
		return false
	}
	return o.Waits != ""
}

// attend has the order wait for a reason. A dispute that is open stays the reason
// when something else about the money comes: it hides its answer otherwise.
func (o orderModel) attend(reason string) orderModel {
	if o.disputed() && o.Dispute == "open" {
		return o
	}
	o.Waits = reason
	return o
}

// resumed has the order wait no more, unless its dispute is open.
func (o orderModel) resumed() orderModel {
	if o.Waits != "disputed" || o.Dispute != "open" {
		o.Waits = ""
	}
	return o
}

func (o orderModel) refunded() orderModel {
	o.Status, o.Resolution, o.Closed, o.Held, o.Waits = "failed", "refunded", true, false, ""
	return o
}

// gaveBack is what a refund that succeeded leaves.
func (o orderModel) gaveBack() orderModel {
	if o.Waits == "refund_failed" {
		o.Waits = ""
	}
	switch {
	case o.Status == "sent" || o.transferOpen():
		return o
	case o.Closed || o.Back+o.There+o.Settled < price || o.Coin == "buying":
		return o
	}
	return o.refunded()
}

func is(o orderModel, statuses ...string) bool { return slices.Contains(statuses, o.Status) }

// decided are the decisions a state offers staff.
func (o orderModel) offers(kind string) bool {
	if o.Closed || o.Pending > 0 && slices.Contains([]string{"fulfill", "retry", "mark sent"}, kind) {
		return false
	}
	open := !o.disputed()
	switch kind {
	case "process":
		return o.Status == "pending" && o.Authorised
	case "fulfill":
		return o.Status == "payment_approved" && open && !o.Held && o.Waits == ""
	case "hold":
		return o.Status == "payment_approved" && !o.Held
	case "resume":
		return o.Status == "payment_approved" && o.Held
	case "retry":
		return o.Status == "payment_approved" && open && !o.Held && o.Waits != "" || is(o, "fulfilling", "filled") && open && o.Waits != "" ||
			o.Status == "sent" && o.stops() || o.Status == "failed" && open && o.Resolution == ""
	case "refund":
		return o.Status == "payment_approved" && open || is(o, "fulfilling", "filled") && open && o.Waits != "" || o.Status == "failed" && open && o.Resolution == ""
	case "mark sent":
		return o.Status == "filled" && open && o.Waits != "" || o.Status == "failed" && open && o.Resolution == "" && o.FailedStep == "send"
	}
	panic(kind)
}

var statusOfStep = map[string]string{"reserve": "payment_approved", "buy": "fulfilling", "send": "filled"}

// orderRules are all events, by the name under which the walk does them.
var orderRules = map[string]rule{
	"authorise": func(o orderModel) (orderModel, bool) {
		o.Authorised = o.Authorised || o.Status == "pending"
		return o, true
	},
	"process": func(o orderModel) (orderModel, bool) {
		if !o.offers("process") {
			return o, false
		}
		o.Status = "payment_approved"
		return o, true
	},
	"cancel": func(o orderModel) (orderModel, bool) {
		if o.Status != "pending" || o.Authorised {
			return o, false
		}
		o.Status, o.Resolution, o.Closed = "failed", "cancelled", true
		return o, true
	},
	"fulfill": func(o orderModel) (orderModel, bool) {
		if !o.offers("fulfill") {
			return o, false
		}
		return o.reserve(), true
	},
	"hold":   func(o orderModel) (orderModel, bool) { h := o; h.Held = true; return pick(o.offers("hold"), h, o) },
	"resume": func(o orderModel) (orderModel, bool) { h := o; h.Held = false; return pick(o.offers("resume"), h, o) },
	"start buy": func(o orderModel) (orderModel, bool) {
		if o.Status != "fulfilling" || o.Coin == "buying" {
			return o, true
		}
		if o.Coin == "bought" {
			o.Status = "filled"
			return o.resumed(), true
		}
		if why := o.blocker(); why != "" {
			return o.attend(why), true
		}
		o.Coin = "buying"
		return o, true
	},
	"fill": func(o orderModel) (orderModel, bool) {
		if o.Coin != "buying" {
			return o, true
		}
		o.Coin = "bought"
		if o.Status == "fulfilling" {
			o.Status = "filled"
			o = o.resumed()
		}
		return o, true
	},
	"fail buy":  func(o orderModel) (orderModel, bool) { return o.failed("fulfilling", "buy"), true },
	"fail send": func(o orderModel) (orderModel, bool) { return o.failed("filled", "send"), true },
	"start transfer": func(o orderModel) (orderModel, bool) {
		if o.Status != "filled" || o.transferOpen() {
			return o, true
		}
		if why := o.blocker(); why != "" {
			return o.attend(why), true
		}
		o.Transfer = "requested"
		return o, true
	},
	"broadcast": func(o orderModel) (orderModel, bool) { return o.onNetwork("broadcast"), true },
	"confirm":   func(o orderModel) (orderModel, bool) { return o.onNetwork("confirmed"), true },
	"die": func(o orderModel) (orderModel, bool) {
		switch {
		case o.Closed || !o.transferOpen():
			return o, true
		case o.Status == "failed":
			return o, false
		}
		sent := o.Status == "sent"
		o.Transfer = "dead"
		o = o.failed(o.Status, "send")
		if sent {
			if o.Dispute == "lost" && o.Settled == 0 {
				o = o.settleLost()
			}
		}
		return o, true
	},
	"retry": func(o orderModel) (orderModel, bool) {
		if !o.offers("retry") {
			return o, false
		}
		o.ThereNew = false
		if o.Status == "payment_approved" {
			return o.reserve(), true
		}
		if o.Status == "failed" {
			o.Status, o.FailedStep = statusOfStep[o.FailedStep], ""
		}
		return o.resumed(), true
	},
	"mark sent": func(o orderModel) (orderModel, bool) {
		if !o.offers("mark sent") || o.transferOpen() {
			return o, false
		}
		o = o.sends()
		o.Closed = true
		return o, true
	},
	"refund": func(o orderModel) (orderModel, bool) {
		if !o.mayRefundWhole() {
			return o, false
		}
		if o.Pending > 0 { // the same one, looked up again
			return o.attend("refund_pending"), true
		}
		if o.left() == 0 {
			return o.refunded(), true
		}
		o.Pending, o.PendingWhole = o.left(), true
		return o.attend("refund_pending"), true
	},
	"refund part": func(o orderModel) (orderModel, bool) {
		whole := o.left() == 1 && o.Status != "sent"
		if !o.paid() || o.Resolution != "" || o.Taken > 0 && o.Dispute == "open" || o.Pending > 0 || o.left() == 0 || whole {
			return o, false
		}
		o.Pending, o.PendingWhole = 1, false
		return o, true
	},
	"refund succeeds": func(o orderModel) (orderModel, bool) {
		if o.Pending == 0 {
			return o, true
		}
		o.Back += o.Pending
		o.Pending = 0
		return o.gaveBack(), true
	},
	"refund fails": func(o orderModel) (orderModel, bool) {
		if o.Pending == 0 {
			return o, true
		}
		o.Pending = 0
		if o.paid() && o.Resolution == "" {
			o = o.attend("refund_failed")
		}
		return o, true
	},
	"refunded there": func(o orderModel) (orderModel, bool) {
		if !o.paid() || o.left() == 0 {
			return o, true
		}
		o.There += o.left()
		o.ThereNew = true
		if o.Waits == "refund_failed" {
			o.Waits = ""
		}
		if o.Status == "sent" || o.Closed {
			return o, true
		}
		if o.Back+o.There+o.Settled >= price && !o.transferOpen() && o.Coin != "buying" {
			return o.refunded(), true
		}
		return o.attend("refunded_elsewhere"), true
	},
	"dispute": func(o orderModel) (orderModel, bool) {
		if o.Dispute != "" || !o.paid() || o.left() == 0 {
			return o, true
		}
		o.Taken, o.Dispute = o.left(), "open"
		if o.Resolution == "" {
			o = o.attend("disputed")
		}
		return o, true
	},
	"dispute won": func(o orderModel) (orderModel, bool) {
		if o.Dispute != "open" {
			return o, true
		}
		o.Dispute, o.Taken = "won", 0
		if o.Waits == "disputed" {
			o.Waits = ""
		}
		return o, true
	},
	"dispute lost": func(o orderModel) (orderModel, bool) {
		if o.Dispute != "open" {
			return o, true
		}
		o.Dispute = "lost"
		if o.Status != "sent" {
			if o = o.settleLost(); o.Closed {
				return o, true
			}
		}
		if o.Waits == "disputed" {
			o.Waits = ""
		}
		return o, true
	},
	"pause":             func(o orderModel) (orderModel, bool) { o.Paused = true; return o, true },
	"take back pause":   func(o orderModel) (orderModel, bool) { o.Paused = false; return o, true },
	"withdraw identity": func(o orderModel) (orderModel, bool) { o.NoIdentity = true; return o, true },
	"verify again":      func(o orderModel) (orderModel, bool) { o.NoIdentity = false; return o, true },
	"go on": func(o orderModel) (orderModel, bool) {
		if o.Waits != "paused" || o.Held || o.Paused || o.Pending > 0 {
			return o, true
		}
		if o.Status != "payment_approved" {
			return o.resumed(), true
		}
		return o.reserve(), true
	},
}

func pick(ok bool, yes, no orderModel) (orderModel, bool) {
	if ok {
		return yes, true
	}
	return no, false
}

// reserve promises coin to a paid order, or says what stands in the way.
func (o orderModel) reserve() orderModel {
	if why := o.blocker(); why != "" {
		return o.attend(why)
	}
	o.Status, o.Coin = "fulfilling", "reserved"
	return o.resumed()
}

func (o orderModel) failed(at, step string) orderModel {
	if o.Status != at {
		return o
	}
	o = o.resumed()
	o.Status, o.FailedStep = "failed", step
	return o
}

func (o orderModel) sends() orderModel {
	o = o.resumed()
	o.Status, o.FailedStep = "sent", ""
	return o
}

func (o orderModel) onNetwork(how string) orderModel {
	if o.Closed || !o.transferOpen() || o.Transfer == "confirmed" {
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

func (o orderModel) mayRefundWhole() bool {
	return o.offers("refund") && !o.transferOpen() && o.Coin != "buying" && (o.Dispute != "open" || o.Taken == 0) && (o.Pending == 0 || o.PendingWhole)
}

// settleLost has what the bank took pay our debt, while no coin is sent.
func (o orderModel) settleLost() orderModel {
	if !o.paid() || o.Resolution != "" || o.Taken == 0 {
		return o
	}
	o.Settled = min(o.Taken, price-o.Back-o.There)
	if o.Back+o.There+o.Settled >= price && !o.transferOpen() && o.Coin != "buying" {
		return o.refunded()
	}
	return o.attend("refunded_elsewhere")
}

// explore goes through every event of every state within so many events of a new
// order, and gives the events that led there.
func explore(depth int, visit func(before orderModel, event string, after orderModel, path []string)) (states map[orderModel]bool) {
	type step struct {
		before orderModel
		event  string
	}
	start := orderModel{Status: "pending"}
	from, states := map[orderModel]step{start: {}}, map[orderModel]bool{start: true}
	path := func(o orderModel) (events []string) {
		for ; o != start; o = from[o].before {
			events = append(events, from[o].event)
		}
		slices.Reverse(events)
		return events
	}
	edge, events := []orderModel{start}, slices.Sorted(maps.Keys(orderRules))
	for range depth {
		var next []orderModel
		for _, o := range edge {
			for _, event := range events {
				after, ok := orderRules[event](o)
				if !ok || after == o {
					continue
				}
				visit(o, event, after, path(o))
				if !states[after] {
					from[after], states[after] = step{o, event}, true
					next = append(next, after)
				}
			}
		}
		edge = next
	}
	return states
}

// exploredTo is how many events from a new order every state is visited.
const exploredTo = 14

// Coin is committed only while the customer's money is here, or was given back in
// part by decision; money is given back whole only while no coin can leave. What the
// bank or the processor takes afterwards is a loss, and no step of ours.
func TestModelOfAnOrderNeverGivesCoinAndMoney(t *testing.T) {
	states := explore(exploredTo, func(before orderModel, event string, after orderModel, path []string) {
		said := fmt.Sprintf("%s of %+v after %v", event, before, path)
		commits := after.Transfer == "requested" && before.Transfer != "requested"
		if commits {
			require.Less(t, before.Back+before.There+before.Settled, price, said)
		}
		if commits || event == "mark sent" { // which says what happened elsewhere
			require.Zero(t, before.Pending, said)
			require.NotEqual(t, "open", before.Dispute, said)
			require.False(t, before.transferOpen(), said)
		}
		if after.Pending > before.Pending && after.PendingWhole {
			require.False(t, before.transferOpen(), said)
		}
		require.LessOrEqual(t, after.Back+after.Pending+after.There+after.Settled, price, said)
		if after.Resolution == "refunded" {
			require.False(t, after.transferOpen(), said)
			require.GreaterOrEqual(t, after.Back+after.There+max(after.Settled, after.Taken), price, said)
		}
		if before.Closed && !before.Held {
			require.True(t, after.Closed, said)
			require.Equal(t, before.Status, after.Status, said)
		}
	})
	var stranded []string
	for o := range states {
		if !reaches(o, 12) {
			stranded = append(stranded, fmt.Sprintf("%+v", o))
		}
	}
	t.Logf("%d states within %d events", len(states), exploredTo)
	require.Greater(t, len(states), 1000)
	require.Empty(t, stranded[:min(5, len(stranded))], "%d states have no way on", len(stranded))
}

// closing remembers which states lead to an end.
var closing = map[orderModel]bool{}

// reaches reports whether an end can be reached within so many events.
func reaches(o orderModel, within int) bool {
	if o.Closed || closing[o] {
		return true
	}
	seen := map[orderModel]bool{o: true}
	edge := []orderModel{o}
	for range within {
		var next []orderModel
		for _, at := range edge {
			for _, event := range []string{"authorise", "process", "cancel", "resume", "fulfill", "retry", "start buy", "fill", "start transfer", "broadcast", "confirm", "refund",
				"refund succeeds", "refund fails", "dispute won", "take back pause", "verify again", "go on", "fail send", "die"} {
				after, ok := orderRules[event](at)
				if !ok || seen[after] {
					continue
				}
				if after.Closed || closing[after] {
					closing[o] = true
					return true
				}
				seen[after] = true
				next = append(next, after)
			}
		}
		edge = next
	}
	return false
}
