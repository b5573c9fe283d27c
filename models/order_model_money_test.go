package models_test

var refundRules = map[string]rule{
	"refund":       {kind: "refund", do: decided("refund", orderModel.decides)},
	"carry refund": {do: orderModel.refunds},
	"budget over": {kind: "refund", do: always(func(o orderModel) orderModel {
		if o.Deciding != "carried" {
			return o
		}
		o.Deciding = ""
		if o.Closed {
			return o
		}
		return o.attend("refund_pending")
	})},
	"refund part": {kind: "refund", aside: true, do: func(o orderModel) (orderModel, bool) {
		whole := o.left() == 1 && o.Status != "sent"
		if o.Transfer == "lost" {
			return o, false
		}
		asked := o.Proposal.Kind != "" || o.Offer > 0
		if !o.Paid || o.Resolution != "" || o.disputed() || o.Pending > 0 || o.left() == 0 || whole || asked {
			return o, false
		}
		o.Pending, o.PendingWhole = 1, false
		if o.Rail != "card" {
			return o.gaveBack(), true
		}
		return o, true
	}},
	"refund succeeds": {do: always(func(o orderModel) orderModel {
		if o.Pending == 0 {
			return o
		}
		return o.gaveBack()
	})},
	"refund fails": {kind: "refund", do: always(func(o orderModel) orderModel {
		if o.Pending == 0 {
			return o
		}
		if o.PendingWhole {
			o.Deciding = ""
		}
		o = o.restored(o.PendingLess, o.Pending)
		o.Pending, o.PendingWhole, o.PendingLess = 0, false, false
		if o.Paid && o.Resolution == "" {
			return o.attend("refund_failed")
		}
		return o
	})},
	"refund stuck": {kind: "refund", rail: "card", aside: true, do: always(func(o orderModel) orderModel {
		if o.Pending == 0 || o.Resolution != "" || o.Deciding == "carried" {
			return o
		}
		return o.attend("refund_pending")
	})},
	"refund bounces": {kind: "refund", rail: "card", aside: true, do: always(func(o orderModel) orderModel {
		if o.Last == 0 {
			return o
		}
		back, withLess := o.Last, o.LastLess
		o = o.returned(-back, withLess)
		o.Back, o.Last, o.LastLess, o.WholeBack = o.Back-back, 0, false, false
		o.LessFailed = o.LessFailed || withLess
		if o.Status != "sent" {
			o = o.settlesUnsettled()
		}
		if o.Resolution == "" && !o.PendingWhole && !withLess {
			return o.attend("refund_failed")
		}
		if o.Resolution == "" && !o.PendingWhole && o.maySettle() {
			return o
		}
		instead := min(back, o.Price-o.gone()) // the order ends by it, or sends less coin for it: to their balance
		if instead == 0 {
			return o
		}
		o.Back, o.Customer = o.Back+instead, o.Customer+instead
		return o.returned(instead, withLess).resumedFrom("refund_failed", "refund_pending")
	})},
	"refunded there": {kind: "refund", rail: "card", aside: true, do: always(func(o orderModel) orderModel {
		back := o.left()
		if back == 0 {
			return o
		}
		o.There, o.News = o.There+back, true
		o = o.bears(back).resumedFrom("refund_failed", "refund_pending")
		switch {
		case o.Status == "sent" || o.Closed:
			return o
		case o.gone() >= o.Price && o.coinIsStill():
			return o.refunded()
		}
		return o.attend("refunded_elsewhere")
	})},
}

func (o orderModel) decides() orderModel {
	o.Deciding = "taken"
	return o
}

// decided is that a decision to refund is to be executed.
func (o orderModel) decided() bool { return o.Deciding == "taken" || o.Deciding == "default" }

// refunds executes a decision to refund: at once to a balance, to a card as the processor does.
func (o orderModel) refunds() (orderModel, bool) {
	if !o.decided() {
		return o, true
	}
	expired := o.Deciding == "default"
	o.Deciding = ""
	switch {
	case o.Resolution == "refunded":
		return o, true
	case o.moneyWaits():
		return o.givesUp(), true
	case !o.mayRefund() || o.Pending > 0 && !o.PendingWhole:
		if expired {
			o.Asked = "" // the choice is theirs again
		}
		return o, false
	case o.Pending == 0 && o.left() == 0:
		return o.refunded(), true
	}
	if o.Pending == 0 {
		o.Pending, o.PendingWhole = o.left(), true
	}
	if o.Rail != "card" {
		return o.gaveBack(), true
	}
	o.Deciding = "carried"
	return o, true
}

// mayRefund is that the money is here, and the outcome of the coin is known.
func (o orderModel) mayRefund() bool {
	return o.Paid && o.Status != "sent" && o.Resolution == "" && o.coinIsStill() && !o.disputed()
}

// bears books returned money: the debt bears it, or we do once coin was sent.
func (o orderModel) bears(back quarters) orderModel {
	if o.Status == "sent" {
		o.Goodwill += back
	} else {
		o.Prepaid -= back
	}
	return o
}

// gaveBack is what a refund of ours that succeeded leaves.
func (o orderModel) gaveBack() orderModel {
	back, withLess := o.Pending, o.PendingLess
	if o.PendingWhole {
		o.Deciding = ""
	}
	o.Back, o.WholeBack, o.Pending, o.PendingWhole = o.Back+back, o.WholeBack || o.PendingWhole, 0, false
	o.PendingLess = false
	if o = o.returned(back, withLess); o.Rail != "card" {
		o.Customer += back
	} else {
		o.Last, o.LastLess = back, withLess
	}
	o = o.resumedFrom("refund_failed", "refund_pending")
	if o.Status == "sent" || o.Closed || o.gone() < o.Price || !o.coinIsStill() {
		return o
	}
	return o.refunded()
}

// refunded ends an order without coin: what was promised or bought is ours.
func (o orderModel) refunded() orderModel {
	o.Status, o.Resolution, o.Closed, o.Held, o.Waits = "failed", "refunded", true, false, ""
	o.Promised, o.Inventory = 0, 0
	return o
}

var disputeRules = map[string]rule{
	"dispute": {kind: "dispute", rail: "card", aside: true, do: always(func(o orderModel) orderModel { return o.deductedByBank(o.left()) })},
	"dispute part": {kind: "dispute", rail: "card", aside: true, do: always(func(o orderModel) orderModel {
		if o.left() == 1 {
			return o
		}
		return o.deductedByBank(min(1, o.left()))
	})},
	"dispute whole": {kind: "late", rail: "card", aside: true, do: always(func(o orderModel) orderModel {
		if o.left() == 0 || o.left() == o.Price || o.Pending > 0 || o.Taken > 0 {
			return o
		}
		after := o.deductedByBank(o.Price)
		after.Whole = after != o
		return after
	})},
	"funds reinstated": {kind: "late", rail: "card", aside: true, do: always(func(o orderModel) orderModel {
		kept, paid := o.Taken-o.TakenBefore, o.Settled-o.PaidBefore
		if o.Dispute != "lost" || kept == 0 {
			return o
		}
		o.Taken, o.Settled, o.Charged = o.TakenBefore, o.PaidBefore, o.Charged-kept
		if o.Status == "sent" || paid == 0 {
			return o.regains(paid)
		}
		o.Prepaid, o.Charged = o.Prepaid+paid, o.Charged+paid
		o = o.regains(paid)
		if o.Resolution == "" {
			if o.TakenBefore > 0 { // the bank keeps what it withdrew by another dispute
				return o
			}
			return o.resumedFrom("refunded_elsewhere")
		}
		instead := min(paid, o.Price-o.gone()) // the order ended by it: to their balance
		o.Back, o.Customer = o.Back+instead, o.Customer+instead
		return o.bears(instead)
	})},
	"contest": {kind: "dispute", rail: "card", aside: true, do: orderModel.answered},
	"accept":  {kind: "dispute", rail: "card", aside: true, do: orderModel.answered},
	"the bank looks": {kind: "dispute", rail: "card", aside: true, do: always(func(o orderModel) orderModel {
		if o.Dispute != "open" {
			return o
		}
		if o.Dispute = "review"; o.Status == "sent" {
			return o.resumedFrom("disputed")
		}
		return o.expectState()
	})},
	"dispute won": {kind: "dispute", rail: "card", do: always(func(o orderModel) orderModel {
		if !o.disputed() {
			return o
		}
		o.Charged -= o.Taken - o.TakenBefore
		o.Dispute, o.Taken = "won", o.TakenBefore
		return o.creditsDecided().resumedFrom("disputed")
	})},
	"dispute lost": {kind: "dispute", rail: "card", aside: true, do: always(func(o orderModel) orderModel {
		if !o.disputed() {
			return o
		}
		o.Dispute = "lost"
		if o.Status != "sent" {
			if o = o.settles(o.Taken - o.TakenBefore); o.Closed {
				return o
			}
		}
		return o.creditsDecided().resumedFrom("disputed")
	})},
}

// deductedByBank opens a dispute: the first, or a second when the first is decided.
func (o orderModel) deductedByBank(amount quarters) orderModel {
	if amount == 0 || o.disputed() || o.Disputes == 2 {
		return o
	}
	o.disputes = disputes{Dispute: "open", Disputes: o.Disputes + 1, Taken: o.Taken + amount, Settled: o.Settled,
		TakenBefore: o.Taken, PaidBefore: o.Settled, Claimed: o.Claimed, Whole: o.Whole}
	o.Charged += amount
	return o.expectState()
}

func (o orderModel) expectState() orderModel {
	if o.Resolution != "" {
		return o
	}
	return o.attend("disputed")
}

func (o orderModel) answered() (orderModel, bool) {
	if o.Dispute != "open" || o.Answered {
		return o, false
	}
	o.Answered = true
	return o, true
}

// settlesAll has all that disputes withdrew pay our debt, where they were lost when the coin was sent.
func (o orderModel) settlesAll() orderModel {
	before := o
	if o = o.settlesUnsettled(); o.Settled == before.Settled {
		return o
	}
	return o.afterSettled()
}

// settlesUnsettled has what lost disputes withdrew and did not settle yet pay our debt.
func (o orderModel) settlesUnsettled() orderModel {
	first := max(0, min(o.TakenBefore-o.PaidBefore, o.Price-o.gone()))
	o.PaidBefore += first
	o = o.pays(first)
	if o.Dispute == "lost" {
		o = o.pays(max(0, min(o.Taken-o.TakenBefore-(o.Settled-o.PaidBefore), o.Price-o.gone())))
	}
	return o
}

// pays books that a dispute settled so much of our debt.
func (o orderModel) pays(settled quarters) orderModel {
	o.Settled += settled
	o.Prepaid -= settled
	o.Charged -= settled
	return o
}

// settles has what the bank withdrew by a dispute pay our debt, while no coin is sent.
func (o orderModel) settles(taken quarters) orderModel {
	settled := min(taken, o.Price-o.gone())
	if !o.Paid || o.Resolution != "" || settled <= 0 {
		return o
	}
	return o.pays(settled).afterSettled()
}

// afterSettled ends an order whose debt is paid, or has staff review it.
func (o orderModel) afterSettled() orderModel {
	if o.gone() >= o.Price && o.coinIsStill() {
		return o.refunded()
	}
	return o.attend("refunded_elsewhere")
}

var receiptRules = map[string]rule{
	"receipt":       comes("", false, func(o orderModel) quarters { return o.missing() }),
	"receipt short": comes("receipt", false, func(orderModel) quarters { return 1 }),
	"receipt over":  comes("receipt", false, func(o orderModel) quarters { return o.missing() + 1 }),
	"receipt late":  comes("receipt", true, func(o orderModel) quarters { return o.missing() }),
	"requote": {kind: "receipt", rail: "bank", do: chosen("requote", func(o orderModel) (orderModel, bool) {
		if !o.mayBuy() || o.Paused || o.Unknown {
			return o, false
		}
		o.Price, o.Dear = o.Waiting, false
		return o.allocates().newTerms().paidByBank(), true
	})},
}

// missing is what is to come for the price, at least something.
func (o orderModel) missing() quarters { return max(1, o.Price-o.Waiting) }

// most is how much the model has come for an order, by two receipts at a time.
const most = 2 * price

// comes is money that staff see at the bank: received in time, or too late.
func comes(kind string, old bool, amount func(o orderModel) quarters) rule {
	return rule{kind: kind, rail: "bank", aside: kind != "", do: func(o orderModel) (orderModel, bool) {
		n := amount(o)
		switch {
		case o.Receipts[1].Amount > 0 || o.came()+n > most:
			return o, true
		case o.Deciding != "" || o.Proposal.Kind != "" || !o.creditsMore() && !o.offers("confirm receipt"):
			return o, false
		}
		o.Receipts[pick(o.Receipts[0].Amount > 0, 1, 0)] = receipt{Amount: n, Beyond: o.creditsMore()}
		if o.creditsMore() {
			o.Customer += n
			return o, true
		}
		return o.received(n, old), true
	}}
}

// creditsMore is that what comes is the customer's, beyond what is due.
func (o orderModel) creditsMore() bool {
	return (o.Paid || o.Resolution == "refunded") && !o.moneyWaits()
}

func (o orderModel) received(n quarters, old bool) orderModel {
	o.Waiting += n
	asAgreed := o.Status == "failed" && !old && o.Resolution == "expired" && o.Waiting >= o.Price && o.mayBuy()
	late := o.Status == "failed" && !asAgreed || o.Status == "pending" && o.Over && old
	switch {
	case late:
		o.Status, o.Resolution, o.Closed, o.Waits = "failed", "", false, "money_late"
		return o
	case asAgreed:
		o.Resolution, o.Closed = "", false
		o = o.newTerms()
	}
	return o.judged()
}

// newTerms has a price that is agreed on now assessed as a new order's is.
func (o orderModel) newTerms() orderModel {
	if o.Listed != "" {
		return o.found()
	}
	return o
}

// judged compares what came in time with the price.
func (o orderModel) judged() orderModel {
	if o.Waiting < o.Price {
		o.Waits = "money_short"
		return o
	}
	return o.allocates().paidByBank()
}

// allocates deducts the price from what waits; the rest, at least a quarter, is a surplus that goes back to its sender.
func (o orderModel) allocates() orderModel {
	o.Prepaid += o.Price
	o.Away += o.Waiting - o.Price
	o.Waiting = 0
	return o
}

func (o orderModel) paidByBank() orderModel {
	o.Status, o.Waits, o.Paid, o.FailedStep = "payment_approved", "", true, ""
	return o
}

// givesUp gives what waits to the customer's balance, and ends the order so.
func (o orderModel) givesUp() orderModel {
	o.Back += o.Waiting
	o.Customer += o.Waiting
	o.Waiting = 0
	return o.refunded()
}
