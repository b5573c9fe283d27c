package models_test

import (
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
)

// A refund of a quarter with less coin (decision 58). An offer books nothing; the agreement reduces the order and
// begins the refund, which our debt bears also when the coin is sent.

// lessCoin is what was offered and agreed to.
type lessCoin struct {
	Offer    quarters // refunded, if the customer agrees
	Less     quarters // of the price, for which no coin is sent
	BackLess quarters // of what was refunded by us, with less coin

	PendingLess bool // what is in progress is such a refund
	LastLess    bool // so is what was refunded to a card last
	LessFailed  bool // the card's bank sent one back
}

var lessRules = map[string]rule{
	"offer less": {kind: "less", aside: true, do: func(o orderModel) (orderModel, bool) {
		if !o.mayReduce() || o.Deciding != "" || o.Proposal.Kind != "" || o.Offer > 0 {
			return o, false
		}
		o.Offer = 1
		return o, true
	}},
	"propose less": {kind: "less", aside: true, do: func(o orderModel) (orderModel, bool) {
		if !o.mayReduce() || o.Proposal.Kind != "" || o.Offer > 0 {
			return o, false
		}
		o.Proposal = proposal{"less", o.Status, 1}
		return o, true
	}},
	"agree less":    {kind: "less", aside: true, do: answersLess(orderModel.agreesToLess)},
	"decline less":  {kind: "less", do: answersLess(orderModel.withoutOffer)},
	"withdraw less": {kind: "less", do: always(withdrawn)},
	"less lapses":   {kind: "less", do: always(withdrawn)},
}

// answersLess is a customer's answer to an offer, if there is one.
func answersLess(do func(o orderModel) (orderModel, bool)) func(o orderModel) (orderModel, bool) {
	return func(o orderModel) (orderModel, bool) {
		switch {
		case o.Offer == 0:
			return o, true
		case o.Frozen:
			return o, false
		}
		return do(o)
	}
}

func (o orderModel) withoutOffer() (orderModel, bool) { return withdrawn(o), true }

func withdrawn(o orderModel) orderModel {
	o.Offer = 0
	return o
}

// agreesToLess reduces the order, and begins the refund.
func (o orderModel) agreesToLess() (orderModel, bool) {
	if !o.mayReduce() || o.Deciding != "" {
		return o, false
	}
	o.Less, o.Pending, o.PendingWhole, o.PendingLess = o.Less+o.Offer, o.Offer, false, true
	o.Offer = 0
	if o.Rail != "card" {
		return o.gaveBack(), true
	}
	return o, true
}

// sellsLess is that an offer of less coin fits the order's place.
func (o orderModel) sellsLess() bool {
	inDoubt := o.waits("disputed", "refund_failed", "refund_pending", "refunded_elsewhere", "refund_blocked")
	if !o.Paid || o.Closed || o.Resolution != "" || inDoubt {
		return false
	}
	return o.Status == "payment_approved" || o.Status == "failed" && o.FailedStep == "buy"
}

// mayReduce is that nothing was bought, no money is elsewhere, and something is left to send coin for.
func (o orderModel) mayReduce() bool {
	begun := !o.coinIsStill() || o.Part || o.Coin == "bought"
	return o.sellsLess() && !begun && !o.disputed() && o.Pending == 0 && o.left() > 1 && o.Price-o.Less > 1
}

// reducing is what is in progress of refunds with less coin.
func (o orderModel) reducing() quarters { return pick(o.PendingLess, o.Pending, 0) }

// unreduced is what lost disputes settled although less coin is sent for it: its customer has no refund.
func (o orderModel) unreduced() quarters {
	return min(o.Settled, max(0, o.unrefunded()))
}

// unrefunded is what less coin is sent for although the customer does not have the refund.
func (o orderModel) unrefunded() quarters { return o.Less - o.BackLess - o.reducing() }

// maySettle is that an open dispute may take what we owe of an order whose coin is not on its way.
func (o orderModel) maySettle() bool {
	return o.disputed() && o.Status != "sent" && !o.transferOpen()
}

// creditsDecided credits what waited for the bank's decision, and was not settled by it.
func (o orderModel) creditsDecided() orderModel {
	if o.Resolution != "" {
		return o
	}
	return o.credits(o.unrefunded() - pick(o.Status == "sent", o.unreduced(), 0))
}

// credits refunds to the balance so much of what the card's bank sent back of less coin's refund.
func (o orderModel) credits(amount quarters) orderModel {
	if amount = min(amount, o.Price-o.gone()-o.Pending); !o.LessFailed || amount <= 0 {
		return o
	}
	o.Back += amount
	o.Customer += amount
	return o.returned(amount, true).resumedFrom("refund_failed", "refund_pending")
}

// returned books a refund of ours, or its return: the debt bears one with less coin.
func (o orderModel) returned(back quarters, withLess bool) orderModel {
	if !withLess {
		return o.bears(back)
	}
	o.Prepaid -= back
	o.BackLess += back
	return o
}

// restored gives an order its coin back, whose refund with less coin failed.
func (o orderModel) restored(withLess bool, amount quarters) orderModel {
	if withLess && o.Status != "sent" && !o.Closed {
		o.Less -= amount
	}
	return o
}

// regains refunds to the balance what less coin is sent for, of what a dispute does not settle any more.
func (o orderModel) regains(over quarters) orderModel {
	owed := min(o.unrefunded(), over, o.Price-o.gone()-o.Pending)
	if !o.LessFailed || o.Resolution != "" || owed <= 0 {
		return o
	}
	if o.Status == "sent" {
		o.Prepaid += owed
		o.Charged += owed
	}
	return o.credits(owed)
}

// approvesLess offers what was proposed.
func (o orderModel) approvesLess() (orderModel, bool) {
	if o.Status != o.Proposal.At || !o.mayReduce() || o.Deciding != "" || o.Offer > 0 {
		return o, false
	}
	o.Proposal, o.Offer = proposal{}, 1
	return o, true
}

func (w *walker) stepsOfLess() map[string]func() error {
	ctx := w.Context()
	return map[string]func() error{
		"offer less": func() error {
			quarter, err := w.aQuarter()
			if err == nil {
				_, err = w.offerLess(quarter)
			}
			return err
		},
		"propose less": w.proposesLess,
		"agree less": w.answers(func(offer *order.CoinOffer) error {
			row, err := w.agree(offer)
			if err != nil {
				return err
			}
			return w.requests(row)
		}),
		"decline less": w.answers(func(offer *order.CoinOffer) error {
			return order.KeepAllCoin(ctx, w.db, w.answer(offer))
		}),
		"withdraw less": w.answers(func(offer *order.CoinOffer) error {
			in := order.CoinAnswer{OrderID: offer.OrderID, OfferID: offer.ID, ActorID: w.staff, ActorRole: "admin", Reason: "no"}
			return order.WithdrawCoinOffer(ctx, w.db, in)
		}),
		"less lapses": w.answers(func(offer *order.CoinOffer) error {
			w.owner(`UPDATE coin_offers SET due_at = clock_now() WHERE id = $1`, offer.ID)
			return order.ExpireCoinOffers(ctx, w.db, 100)
		}),
	}
}

// answers does something to the order's open offer, if it has one.
func (w *walker) answers(do func(offer *order.CoinOffer) error) func() error {
	return func() error {
		offer, err := order.OpenCoinOffer(w.Context(), w.db, w.now())
		if err != nil || offer == nil {
			return err
		}
		return do(offer)
	}
}

// aQuarter is a quarter of what the order cost at first, or what is left of it, in cents.
func (w *walker) aQuarter() (int64, error) {
	left, err := order.Refundable(w.Context(), w.db, w.now())
	quarter := w.total() / int64(price)
	if cents, _ := left.Int64(); 2*cents < 3*quarter {
		quarter = cents
	}
	return quarter, err
}

func (w *walker) proposesLess() error {
	quarter, err := w.aQuarter()
	amount := money.FromInt(quarter)
	if err == nil {
		_, err = order.Propose(w.Context(), w.db, order.NewProposal{OrderID: w.order.ID, Kind: order.DecisionRefund,
			Amount: &amount, LessCoin: true, ActorID: w.staff, ActorRole: "admin", Reason: "they ask for it"})
	}
	return err
}

// seenOfLess reads what was offered and agreed to.
func (w *walker) seenOfLess(m *orderModel, o *order.Order) {
	w.Helper()
	offers, err := order.CoinOffers(w.Context(), w.db, o.ID)
	require.NoError(w, err)
	for i := range offers {
		if offers[i].Status == order.CoinOfferOpen {
			m.Offer += w.quarters(offers[i].Refund)
		}
	}
	require.Equal(w, m.Offer > 0, o.OfferUntil != nil, "an order says that its customer has an offer")
	rows, err := order.OrderRefunds(w.Context(), w.db, o.ID)
	require.NoError(w, err)
	var back money.Units
	for i := range rows {
		switch r := &rows[i]; {
		case !r.Reduces:
		case r.DoneAt == nil:
			m.PendingLess = true
		case r.Status == order.RefundSucceeded:
			back = back.Add(r.Amount)
		default:
			m.LessFailed = true
		}
	}
	if m.Less, m.BackLess = w.quarters(o.Reduced), w.quarters(back); m.Less > 0 {
		w.sellsCoinOf(o)
	}
}

// sellsCoinOf compares the coin of a reduced order with its price: it is what the rest buys at the price of a coin.
func (w *walker) sellsCoinOf(o *order.Order) {
	w.Helper()
	require.Equal(w, o.Price(), o.Terms().Price(), "the lines of the price add up")
	sold := o.Asset.Decimal(o.Amount).Mul(o.UnitPrice)
	most, least := money.USD.Decimal(o.BasePrice), money.USD.Decimal(o.BasePrice.Sub(money.FromInt(1)))
	fits := sold.LessThanOrEqual(most) && sold.GreaterThan(least)
	require.True(w, fits, "%s of coin are sold for %s", sold, most)
}

// lessWalks are walks to each way of an offer of less coin, and to each of its refunds.
var lessWalks = map[string][]string{
	"less coin": {
		"card", "", "authorise", "process", "offer less", "fulfill", "refund part", "refund", "propose refund", "offer less",
		"agree less", "agree less", "fulfill", "refund succeeds", "fulfill", "start buy", "fill", "start transfer",
		"broadcast", "confirm",
	},
	"less coin, twice, and all of it": {
		"card", "", "authorise", "process", "offer less", "agree less", "refund succeeds", "offer less", "agree less",
		"refund succeeds", "offer less", "agree less", "refund succeeds", "offer less", "refund", "carry refund",
		"refund succeeds",
	},
	"less coin for the balance": {
		"balance", "", "offer less", "agree less", "fulfill", "start buy", "fill", "start transfer", "broadcast",
		"refund part", "die", "refund", "carry refund",
	},
	"less coin by bank": {
		"bank", "", "receipt", "offer less", "propose part return", "agree less", "approve question", "offer less",
		"retry", "start buy", "fill", "start transfer", "broadcast", "reinstate", "confirm",
	},
	"an offer beside money of others": {
		"bank", "", "receipt", "offer less", "propose reversal", "approve question", "agree less",
	},
	"less coin after a purchase of nothing": {
		"card", "", "authorise", "process", "fulfill", "start buy", "offer less", "fill nothing", "fail buy", "offer less",
		"retry", "keep trying", "choice lapses", "agree less", "refund succeeds", "retry", "start buy", "fill",
		"start transfer", "broadcast", "confirm",
	},
	"no less coin once some is bought": {
		"card", "", "authorise", "process", "fulfill", "start buy", "fill part", "fail buy", "offer less", "propose less",
	},
	"less coin whose refund fails": {
		"card", "", "authorise", "process", "offer less", "agree less", "refund fails", "offer less", "retry", "start buy",
		"fill", "start transfer", "broadcast", "confirm",
	},
	"less coin of reserved coin, restored": {
		"card", "", "authorise", "process", "fulfill", "fail buy", "offer less", "agree less", "refund fails", "retry",
		"start buy", "fill", "start transfer", "broadcast", "confirm",
	},
	"less coin whose refund bounces": {
		"card", "", "authorise", "process", "offer less", "agree less", "refund succeeds", "refund bounces", "fulfill",
		"start buy", "fill", "start transfer", "broadcast", "confirm",
	},
	"less coin whose refund bounces when it is sent": {
		"card", "", "authorise", "process", "offer less", "agree less", "refund succeeds", "fulfill", "start buy", "fill",
		"start transfer", "broadcast", "refund bounces", "die", "refund", "carry refund", "refund succeeds",
	},
	"less coin whose refund bounces beside the rest": {
		"card", "", "authorise", "process", "offer less", "agree less", "refund succeeds", "refund", "carry refund",
		"refund bounces", "refund succeeds", "refund bounces",
	},
	"less coin whose refund the bank keeps": {
		"card", "", "authorise", "process", "offer less", "agree less", "refund succeeds", "fulfill", "start buy", "fill",
		"start transfer", "dispute whole", "dispute lost", "refund bounces", "broadcast", "funds reinstated", "confirm",
	},
	"less coin whose refund the bank keeps, and that died": {
		"card", "", "authorise", "process", "offer less", "agree less", "refund succeeds", "fulfill", "start buy", "fill",
		"start transfer", "dispute whole", "dispute lost", "refund bounces", "broadcast", "die", "funds reinstated",
	},
	"less coin whose refund the bank gives back": {
		"card", "", "authorise", "process", "offer less", "agree less", "refund succeeds", "fulfill", "start buy", "fill",
		"start transfer", "dispute whole", "dispute lost", "refund bounces", "funds reinstated", "broadcast", "die",
		"refund", "carry refund", "refund succeeds",
	},
	"less coin whose refund bounces beside a dispute": {
		"card", "", "authorise", "process", "offer less", "agree less", "refund succeeds", "dispute whole",
		"refund bounces", "dispute lost",
	},
	"less coin whose refund bounces beside a dispute that is won": {
		"card", "", "authorise", "process", "offer less", "agree less", "refund succeeds", "dispute whole",
		"refund bounces", "dispute won", "fulfill", "start buy", "fill", "start transfer", "broadcast", "confirm",
	},
	"less coin that leaves beside both": {
		"card", "", "authorise", "process", "offer less", "agree less", "refund succeeds", "fulfill", "start buy", "fill",
		"start transfer", "dispute whole", "refund bounces", "broadcast", "dispute lost", "funds reinstated", "confirm",
	},
	"less coin whose refund bounces beside another": {
		"card", "", "authorise", "process", "offer less", "agree less", "refund succeeds", "refund part", "dispute",
		"refund bounces", "refunded there", "dispute lost", "refund succeeds",
	},
	"an offer that a dispute ends": {
		"card", "", "authorise", "process", "offer less", "dispute part", "agree less", "decline less", "dispute won",
		"offer less", "refunded there", "agree less",
	},
	"an offer that a refund ends": {
		"card", "", "authorise", "process", "refund part", "refund succeeds", "offer less", "refund bounces", "agree less",
		"offer less", "retry",
	},
	"an offer to who is frozen": {
		"card", "", "authorise", "process", "offer less", "freeze", "agree less", "decline less", "unfreeze", "freeze",
		"less lapses", "unfreeze", "fulfill", "start buy", "fill", "start transfer", "broadcast",
	},
	"an offer that is withdrawn": {
		"card", "", "authorise", "process", "offer less", "withdraw less", "agree less", "offer less", "decline less",
		"offer less", "less lapses", "fulfill",
	},
	"an offer on hold": {
		"card", "", "authorise", "process", "offer less", "hold", "agree less", "refund succeeds", "resume", "fulfill",
	},
	"an offer beside a pause": {
		"card", "", "authorise", "process", "pause", "fulfill", "offer less", "take back pause", "go on", "agree less",
		"go on", "refund succeeds", "go on",
	},
	"an offer while it is kept trying": {
		"card", "", "authorise", "process", "price up", "fulfill", "keep trying", "offer less", "price down", "try again",
		"decline less", "try again",
	},
	"an offer of two people": {
		"card", "", "authorise", "process", "propose less", "offer less", "refund part", "fulfill", "approve",
		"propose less", "approve", "agree less", "refund succeeds", "fulfill",
	},
	"an offer that was proposed before": {
		"card", "", "authorise", "process", "propose less", "reject proposal", "propose less", "dispute part", "approve",
		"dispute won", "approve", "agree less",
	},
	"an offer of less coin under review": {
		"card", "risky", "authorise", "process", "offer less", "release", "agree less", "refund succeeds", "fulfill",
	},
}

// wrongOfLess is what no step may do about less coin.
func wrongOfLess(before orderModel, begins bool, after orderModel) string {
	bought := after.Part || after.Coin == "bought" || !after.coinIsStill()
	switch {
	case begins && before.Offer > 0:
		return "broken: nothing begins at a provider while less coin is offered"
	case after.Less != before.Less && bought:
		return "broken: coin that is bought, or may be, is neither reduced nor restored"
	case after.Offer > 0 && (after.Pending > 0 || after.Deciding != "" || !after.sellsLess()):
		return "broken: less coin is offered beside what moves the order's coin or money"
	case after.Resolution == "" && after.unrefunded() > after.Settled && !after.disputed():
		return "broken: coin is reduced by what nobody has refunded"
	}
	return ""
}

// barredByOffer are the decisions of staff that wait for the customer's answer.
var barredByOffer = slices.Concat(towardsCoin, []string{"refund"})
