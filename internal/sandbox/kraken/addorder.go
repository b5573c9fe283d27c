package kraken

import (
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/internal/sandbox"
)

// addOrder is AddOrder: it checks everything, and only then writes.
func (s *Simulator) addOrder(c *call) (any, error) {
	o, p, problem := parseOrder(c.fields, c.who, c.now)
	if problem != "" {
		return nil, refusal(problem)
	}
	top := s.jumped(p, c.trick.jumpy)
	if problem := s.admitOrder(c, o, p); problem != "" {
		return nil, refusal(problem)
	}
	if problem, err := checkOpen(c, o); problem != "" || err != nil {
		return nil, problemOr(problem, err)
	}
	if o.flagged("viqc") {
		o.Asked = o.Volume
		o.Volume = o.Volume.Div(top.Ask).Truncate(lotDecimals)
	}
	if problem := checkSize(o, p, top); problem != "" {
		return nil, refusal(problem)
	}
	rate, err := rateOf(c.tx, c.who, c.now, false)
	if err != nil {
		return nil, err
	}
	b, err := balanceOf(c.tx, c.who, o.pays(p))
	if err != nil {
		return nil, err
	}
	if o.needs(top, rate).GreaterThan(b.free()) {
		return nil, refusal(errFunds)
	}
	return s.execute(c, o, p, top, rate)
}

// execute matches a checked order and, unless it only validates, places it.
func (s *Simulator) execute(c *call, o *order, p pair, top quote, rate decimal.Decimal) (any, error) {
	todo := match(o.terms(), top, p, fraction(c.trick.portion), amountOr(c.trick.worse, decimal.Zero))
	if todo.Problem != "" {
		return nil, refusal(todo.Problem)
	}
	answer := map[string]any{"descr": map[string]string{"order": o.describe(p)}}
	if c.fields.on("validate") {
		return answer, nil
	}
	answer["txid"] = []string{o.TxID}
	o.Visible = c.now.Add(time.Duration(max(c.trick.lag, c.set.Lag)) * time.Second)
	return answer, s.place(c.tx, c.who, o, p, todo, o.needs(top, rate), rate, c.now)
}

func problemOr(problem string, err error) error {
	if err != nil {
		return err
	}
	return refusal(problem)
}

// admitOrder checks what does not depend on the order's terms: deadline, the
// market's mode and the engine's counter of the pair.
func (s *Simulator) admitOrder(c *call, o *order, p pair) string {
	if problem := checkDeadline(c.fields["deadline"], time.Now(), c.now); problem != "" {
		return problem
	}
	if slices.Contains(c.set.Unlisted, p.Key) {
		return errUnknownPair
	}
	switch c.set.Status {
	case "maintenance":
		return errUnavailable
	case "cancel_only":
		return errCancelOnly
	case "post_only":
		if !o.flagged("post") {
			return errPostOnly
		}
	}
	l := c.set.limitsOf(c.who)
	if !s.counters.add("engine/"+c.who.Key+"/"+p.Key, 1, l.engine, l.engineDecay, c.now) {
		return errOrderRate
	}
	return ""
}

// checkOpen keeps cl_ord_id unique among the open orders and their number
// within the account's limit.
func checkOpen(c *call, o *order) (string, error) {
	if o.ClientID != "" {
		txids, err := clientIDs(c.tx, c.who.Name, o.ClientID)
		if err != nil {
			return "", err
		}
		same, err := loadAll(c.tx, c.who.Name, txids)
		if err != nil {
			return "", err
		}
		for _, other := range same {
			if other.Status == "open" {
				return errDuplicateID, nil
			}
		}
	}
	open, err := openIDs(c.tx, c.who.Name, o.Pair)
	if err == nil && len(open) >= c.set.limitsOf(c.who).openOrders {
		return errOrdersLimit, nil
	}
	return "", err
}

// checkSize applies the minimums that need the price.
func checkSize(o *order, p pair, top quote) string {
	price := o.Limit
	if o.Type == "market" {
		price = top.priceFor(o.Side)
	}
	switch {
	case o.Volume.LessThan(p.OrderMin):
		return errOrderMinimum
	case costOf(price, o.Volume).LessThan(p.CostMin):
		return errCostMinimum
	}
	return ""
}

// needs is what the account must have free: for a buy the cost at the limit (or
// the ask) and its fee, for a sale the volume.
func (o *order) needs(top quote, rate decimal.Decimal) decimal.Decimal {
	if o.Side == "sell" {
		return o.left()
	}
	price := o.Limit
	if o.Type == "market" {
		price = top.Ask
	}
	cost := costOf(price, o.left())
	if !o.flagged("fcib") {
		cost = cost.Add(cost.Mul(rate).Round(costDecimals))
	}
	return cost
}

func (o *order) terms() terms {
	return terms{Side: o.Side, Type: o.Type, TIF: o.TIF, Limit: o.Limit, Volume: o.left(), Post: o.flagged("post")}
}

// place opens the order, trades what trades at once, and leaves the rest in the
// book with its funds on hold or ends it.
func (s *Simulator) place(tx *sandbox.Tx, who account, o *order, p pair, todo execution, needs, rate decimal.Decimal, now time.Time) error {
	o.Held = needs
	if err := hold(tx, who, o.pays(p), needs); err != nil {
		return err
	}
	if todo.Volume.IsPositive() {
		if err := s.trade(tx, who, o, p, todo.Price, todo.Volume, rate, false, now); err != nil {
			return err
		}
	}
	switch {
	case o.left().IsZero():
		return s.end(tx, who, o, p, "closed", "", now)
	case !todo.Rests:
		return s.end(tx, who, o, p, "canceled", reasonFor(o), now)
	}
	if err := hold(tx, who, o.pays(p), o.needs(quote{}, rate).Sub(o.Held)); err != nil {
		return err
	}
	o.Held, o.Starved = o.needs(quote{}, rate), todo.Volume.IsPositive()
	return o.save(tx)
}

func reasonFor(o *order) string {
	switch o.TIF {
	case "IOC":
		return "Immediate or cancel"
	case "FOK":
		return "Fill or kill"
	}
	return "Out of liquidity"
}

// end closes the order and releases its hold.
func (s *Simulator) end(tx *sandbox.Tx, who account, o *order, p pair, status, reason string, now time.Time) error {
	if err := hold(tx, who, o.pays(p), o.Held.Neg()); err != nil {
		return err
	}
	o.Held, o.Status, o.Reason, o.Closed = decimal.Zero, status, reason, now
	return o.save(tx)
}

// rateOf is the account's fee rate at its thirty-day volume.
func rateOf(tx *sandbox.Tx, who account, now time.Time, maker bool) (decimal.Decimal, error) {
	volume, err := volumeOf(tx, who, now)
	if err != nil {
		return decimal.Zero, err
	}
	tier, _ := tierFor(volume)
	return tier.rate(maker), nil
}

// fraction reads part_fill's argument: between 0 and 1, else all.
func fraction(text string) decimal.Decimal {
	one := decimal.NewFromInt(1)
	f := amountOr(text, one)
	if f.IsNegative() || f.GreaterThan(one) {
		return one
	}
	return f
}

func amountOr(text string, otherwise decimal.Decimal) decimal.Decimal {
	d, err := decimal.NewFromString(text)
	if err != nil {
		return otherwise
	}
	return d
}
