package order

import (
	"slices"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// Reasons for which an order waits for a person, beside its status.
const (
	AttentionCheckout       = "checkout_failed"    // no payment page could be made
	AttentionCaptureUnknown = "capture_unknown"    // capture outcome unknown
	AttentionRefundFailed   = "refund_failed"      // the card's bank refused the refund
	AttentionRefundPending  = "refund_pending"     // a refund is still in progress
	AttentionShort          = "money_short"        // less arrived than the order's price
	AttentionOver           = "money_over"         // more did
	AttentionLate           = "money_late"         // it arrived after the order's window
	AttentionRefundBlocked  = "refund_blocked"     // to be refunded, but the coin's fate is open
	AttentionRefundedThere  = "refunded_elsewhere" // money was refunded at the provider itself
	AttentionDisputed       = "disputed"           // the card's holder disputes the payment
)

// ByCard reports whether the payment is by card.
func (p *Payment) ByCard() bool { return p.PaymentMethod == pricing.MethodCard }

// Waits reports whether the order is stopped until a person decides. An order whose transfer waits for custody's own
// approval continues automatically, and so does a sent one with a dispute.
func (o *Order) Waits() bool {
	switch store.Text(o.AttentionReason) {
	case "", casework.AttentionApproval:
		return false
	case AttentionDisputed, AttentionRefundFailed, AttentionRefundPending:
		return o.Status != StatusSent
	}
	return true
}

// MayComeRight reports whether an order whose coin was sent waits for a person because the network lost its transfer,
// or is slow: its transfer is read on, and may confirm.
func (o *Order) MayComeRight() bool {
	reason := store.Text(o.AttentionReason)
	return o.Status == StatusSent && (reason == casework.AttentionTransfer || reason == casework.AttentionUnconfirmed)
}

// DecisionsFor lists the decisions about an order in its present state: the one table behind every button, in the
// buttons' order. None of them continues an order under review, or one with a refund in progress; and none gives up
// coin that may still arrive.
func DecisionsFor(o *Order, p *Payment) []string {
	kinds := decisionsFor(o, p)
	switch store.Text(o.AttentionReason) {
	case AttentionRefundPending:
		kinds = without(kinds, towardsCoin)
	case casework.AttentionKYC:
		kinds = without(kinds, []string{DecisionAmendAddress, DecisionMarkSent})
	case casework.AttentionTransfer:
		kinds = DoubtBars(kinds)
	}
	if !o.UnderReview || o.Status == StatusSent {
		return kinds
	}
	return slices.DeleteFunc(slices.Clone(kinds), func(kind string) bool {
		return kind == DecisionRetry && o.Status != StatusPending || slices.Contains(goingOn, kind)
	})
}

// without returns kinds less those that are barred.
func without(kinds, barred []string) []string {
	return slices.DeleteFunc(slices.Clone(kinds), func(kind string) bool { return slices.Contains(barred, kind) })
}

// NamesAddress reports whether the customer can name another address for their
// coin: custody refuses the one of the order, and nothing was sent to it.
func NamesAddress(o *Order) bool {
	return o.Status == StatusFilled && store.Text(o.AttentionReason) == casework.AttentionAddress
}

// goingOn are the decisions that lead an order towards its coin, besides trying
// its step again; a payment page may be tried again.
var goingOn = []string{DecisionProcess, DecisionFulfill, DecisionMarkSent}

// towardsCoin are the decisions of staff after which coin is bought or sent, or booked as sent. None is made while a
// refund is in progress.
var towardsCoin = []string{DecisionFulfill, DecisionRetry, DecisionAmendAddress, DecisionMarkSent}

func decisionsFor(o *Order, p *Payment) []string {
	if o.ClosedAt != nil {
		return decisionsAfterEnd(o)
	}
	if o.MoneyWaits() {
		return []string{DecisionConfirmReceipt, DecisionRefund}
	}
	disputed := store.Text(o.AttentionReason) == AttentionDisputed
	switch o.Status {
	case StatusPending:
		return decisionsWhilePending(o, p)
	case StatusPaymentApproved:
		switch {
		case disputed && !o.Held:
			return []string{DecisionHold}
		case disputed:
			return []string{DecisionResume}
		case o.Held:
			return []string{DecisionResume, DecisionRefund}
		case o.Waits():
			return []string{DecisionRetry, DecisionHold, DecisionRefund}
		}
		return []string{DecisionFulfill, DecisionHold, DecisionRefund}
	case StatusFulfilling:
		if o.Waits() && !disputed {
			return []string{DecisionRetry, DecisionRefund}
		}
	case StatusFilled:
		if o.Waits() && !disputed {
			return []string{DecisionRetry, DecisionAmendAddress, DecisionMarkSent, DecisionRefund}
		}
	case StatusSent:
		if o.Waits() {
			return []string{DecisionRetry}
		}
	case StatusFailed:
		if !disputed {
			return decisionsAfterFailure(o)
		}
	}
	return nil
}

// decisionsAfterEnd: money by a rail without a card may arrive after the order's end.
func decisionsAfterEnd(o *Order) []string {
	if o.ByCard() || o.PaymentMethod == pricing.MethodBalance || o.Paid() || store.Text(o.Resolution) == string(ResolutionRefunded) {
		return nil
	}
	return []string{DecisionConfirmReceipt}
}

// CreditsMore reports whether money that arrives for the order now exceeds what is due, because it is paid or was
// refunded: it is credited to the customer's balance.
func (o *Order) CreditsMore() bool {
	return !o.ByCard() && o.PaymentMethod != pricing.MethodBalance && (o.Paid() || store.Text(o.Resolution) == string(ResolutionRefunded)) && !o.MoneyWaits()
}

// RefundsFor lists the refunds of a paid order that its workflow does not wait
// for: of a part while money is left, of all of it once the coin was sent.
func RefundsFor(o *Order) []string {
	waits := store.Text(o.AttentionReason)
	switch {
	case !o.Paid() || o.Resolution != nil || o.Refunded.Cmp(o.Total) >= 0:
		return nil
	case waits == AttentionRefundPending, waits == casework.AttentionTransfer:
		return nil
	case waits == AttentionDisputed && o.Status != StatusSent:
		return nil
	}
	if o.Status == StatusSent {
		return []string{DecisionRefund, ActionRefundPart}
	}
	return []string{ActionRefundPart}
}

// Offered removes from what staff can do about the order what is always rejected in its present state: refunds while
// the bank holds the money of a dispute, beside another refund, or of money that is not here; and whatever gives up a
// transfer in doubt. The end of an order without money left is no such refund.
func (o *StaffOrder) Offered(kinds []string) []string {
	if o.OfferUntil != nil {
		kinds = CoinOfferBars(kinds)
	}
	refunds := []string{DecisionRefund, ActionRefundPart}
	if o.BankHolds || o.Refunding {
		kinds = without(kinds, refunds)
	}
	if o.NothingLeft && o.Paid() {
		kinds = without(kinds, []string{ActionRefundPart})
		if o.Status == StatusSent {
			kinds = without(kinds, refunds)
		}
	}
	if o.InDoubt {
		kinds = DoubtBars(kinds)
	}
	return kinds
}

// ActionRefundPart is the button for a partial refund; it is the same decision with an amount.
const ActionRefundPart = "refund_part"

// AnswersFor lists what staff can answer the bank, as the last reading of the
// dispute left it on the row.
func AnswersFor(o *Order) []string {
	if store.Text(o.AttentionReason) != AttentionDisputed {
		return nil
	}
	return slices.DeleteFunc(slices.Clone([]string(o.AttentionChoices)), func(kind string) bool { return kind != DecisionContest && kind != DecisionAccept })
}

func decisionsWhilePending(o *Order, p *Payment) []string {
	switch {
	case o.AwaitsLink(): // no money is to arrive for it
		return []string{DecisionReject, DecisionCancel}
	case !o.ByCard():
		return []string{DecisionConfirmReceipt, DecisionReject, DecisionCancel}
	case p.AuthorisedAt != nil:
		return []string{DecisionProcess, DecisionDecline}
	case o.Waits():
		return []string{DecisionRetry, DecisionCancel}
	}
	return []string{DecisionCancel}
}

func decisionsAfterFailure(o *Order) []string {
	switch {
	case o.Resolution != nil:
		return nil
	case o.FailedStep != nil && *o.FailedStep == execution.StepSend:
		return []string{DecisionRetry, DecisionAmendAddress, DecisionMarkSent, DecisionRefund}
	}
	return []string{DecisionRetry, DecisionRefund}
}
