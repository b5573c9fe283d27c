package models_test

// Deductions from an order's receipts, and their return: receipts of others, which may be moved to their own order,
// and what the bank reverses, whole or in part, and reinstates.

var returnRules = map[string]rule{
	"propose return":      questions("return", func(r receipt) quarters { return r.Amount }),
	"propose part return": questions("return", func(receipt) quarters { return 1 }),
	"propose reversal":    questions("reversal", func(r receipt) quarters { return r.Amount }),
	"propose move":        questions("move", func(r receipt) quarters { return r.Amount }),
	"drop question": {kind: "receipt returns", rail: "bank", do: always(func(o orderModel) orderModel {
		o.Question = question{}
		return o
	})},
	"approve question": {kind: "receipt returns", rail: "bank", do: always(func(o orderModel) orderModel {
		q := o.Question
		if o.Question = (question{}); q.Kind == "" {
			return o
		}
		return o.deduct(q)
	})},
	"reinstate":  {kind: "returns", rail: "bank", aside: true, do: always(orderModel.reinstated)},
	"moved here": comes("returns", false, func(o orderModel) quarters { return o.missing() }),
	"money recalled": {kind: "returns", rail: "balance", aside: true, do: always(func(o orderModel) orderModel {
		o.Owes = true
		return o
	})},
	"debt paid": {kind: "returns", rail: "balance", do: always(func(o orderModel) orderModel {
		o.Owes = false
		return o
	})},
}

// questions has one person propose that the last receipt was of others, or that the bank reversed a part or all of
// it. A receipt with such a reversal is never of others.
func questions(kind string, amount func(r receipt) quarters) rule {
	part := amount(receipt{Amount: 2}) == 1
	return rule{kind: pick(part || kind == "move", "returns", "receipt returns"), rail: "bank", aside: true, do: func(o orderModel) (orderModel, bool) {
		last := pick[int8](o.Receipts[1].Amount > 0, 1, 0)
		r := o.Receipts[last]
		switch {
		case o.Question.Kind != "" || r.Amount == 0 || part && r.Amount == 1:
			return o, true
		case kind != "return" && r.Bitten:
			return o, false
		}
		o.Question = question{kind, last, amount(r)}
		return o, true
	}}
}

// deduct deducts a receipt, or a part of it, from the order again: first what waits, then the excess, then the order's
// price, then the customer's other credits. The excess is first for a receipt that was credited.
func (o orderModel) deduct(q question) orderModel {
	amount, before := q.Amount, o
	o = o.without(q)
	excess := quarters(0)
	if o.Paid {
		excess = max(0, before.came()-o.Waiting-o.Away-o.Price)
	}
	waiting := min(o.Waiting+o.Away, amount)
	if before.Receipts[q.Receipt].Beyond {
		waiting = min(waiting, amount-min(excess, amount))
	}
	rest := amount - waiting
	rest -= min(rest, excess)
	unpaid := false
	switch {
	case o.Status == "sent":
		rest = min(rest, o.left())
	case o.Paid && o.Resolution == "":
		rest = min(rest, o.Price-o.gone())
		unpaid = q.Kind != "return" && o.Status == "payment_approved" && o.gone() == 0 && rest > 0
	default:
		rest = 0
	}
	if q.Kind == "return" {
		o.Gone.Waiting, o.Gone.Price, o.Gone.Paid = waiting, rest, o.Paid
	}
	if o.Paid {
		o.Away -= waiting
	} else {
		o.Waiting -= waiting
	}
	o.Customer -= amount - waiting - rest
	switch {
	case rest == 0 && o.moneyWaits():
		return o.judgedAnew()
	case rest == 0:
		return o
	case unpaid:
		return o.unpaid(rest)
	case q.Kind != "return" && o.Status != "sent":
		o.Reversed += rest
	}
	return o.lacks(rest)
}

// without is the receipts less what is deducted from them.
func (o orderModel) without(q question) orderModel {
	at, r := q.Receipt, o.Receipts[q.Receipt]
	whole := q.Amount == r.Amount
	if whole {
		if o.Receipts = [2]receipt{o.Receipts[1-at]}; at == 0 {
			o.Gone.Older, o.Gone.At = o.Gone.Amount > 0 && o.Gone.Whole, 0
		}
	} else {
		o.Receipts[at] = receipt{r.Amount - q.Amount, true, r.Beyond}
	}
	if q.Kind == "return" {
		o.Gone = bankReturn{Amount: q.Amount, At: pick(whole, 0, at), Whole: whole, Older: whole && at == 0, Bitten: r.Bitten, News: o.News, Beyond: r.Beyond}
	}
	return o
}

// reinstated books again what the bank reversed last. What the order does not need any more is the customer's.
func (o orderModel) reinstated() orderModel {
	g := o.Gone
	if g.Amount == 0 || o.came()+g.Amount > most || g.Whole && o.Receipts[1].Amount > 0 {
		return o
	}
	o.Gone = bankReturn{}
	switch back := (receipt{g.Amount, g.Bitten, g.Beyond}); {
	case !g.Whole:
		o.Receipts[g.At] = receipt{o.Receipts[g.At].Amount + g.Amount, g.Bitten, g.Beyond}
	case g.Older:
		if o.Receipts = [2]receipt{back, o.Receipts[0]}; o.Question.Kind != "" {
			o.Question.Receipt++
		}
	case o.Receipts[0].Amount == 0:
		o.Receipts[0] = back
	default:
		o.Receipts[1] = back
	}
	var waits, price, surplus quarters
	if o.Paid && g.Paid {
		surplus = g.Waiting
		o.Away += surplus
	}
	switch {
	case !o.Paid && !o.Closed:
		waits = g.Waiting
	case o.Status != "sent" && o.Resolution == "":
		price = g.Price
	}
	o.News = o.News && g.News
	o.Returned -= g.Price
	if o.Waiting, o.Prepaid, o.Customer = o.Waiting+waits, o.Prepaid+price, o.Customer+g.Amount-waits-price-surplus; o.Resolution == "refunded" {
		o.Again += g.Price
	}
	switch {
	case waits > 0:
		return o.judgedAnew()
	case price > 0:
		return o.resumedFrom("refunded_elsewhere")
	}
	return o
}

// judgedAnew is the customer's choice about the money that still waits.
func (o orderModel) judgedAnew() orderModel {
	o.Asked = ""
	switch {
	case o.Waiting == 0 && o.Status == "failed":
		return o.ends("expired")
	case o.Waiting == 0:
		o.Waits = ""
		return o
	case o.Status == "failed":
		o.Waits = "money_late"
		return o
	}
	return o.judged()
}

// unpaid is an order that was paid by money of others: what else came waits.
func (o orderModel) unpaid(rest quarters) orderModel {
	o.Paid, o.Held, o.FailedStep, o.Status = false, false, "", "failed"
	o.Waiting, o.Prepaid = o.Price-rest, 0
	if o.Waiting == 0 {
		return o.ends("expired")
	}
	o.Waits = "money_late"
	return o
}

// lacks is an order of whose price the customer's bank has reversed a part.
func (o orderModel) lacks(rest quarters) orderModel {
	o.Returned += rest
	o.News = true
	if o.Status == "sent" {
		o.Customer -= rest
		return o
	}
	o.Prepaid -= rest
	if o.gone() >= o.Price && o.coinIsStill() {
		return o.refunded()
	}
	return o.attend("refunded_elsewhere")
}
