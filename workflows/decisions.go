package workflows

import (
	"strings"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/order"
)

// Update names are the kinds of decision a person can take about an order; the
// argument is a Decision and the answer an Outcome.
const (
	Process        = order.DecisionProcess        // capture the authorised card
	Decline        = order.DecisionDecline        // release the authorised card
	ConfirmReceipt = order.DecisionConfirmReceipt // the money arrived by another rail
	Reject         = order.DecisionReject         // it did not, or must not be taken
	Fulfill        = order.DecisionFulfill        // reserve, buy and send
	Retry          = order.DecisionRetry          // go on from the step that failed or waits
	Refund         = order.DecisionRefund         // give the money back
	Cancel         = order.DecisionCancel         // the customer changed their mind before paying
	Hold           = order.DecisionHold           // let nobody fulfil it for now
	Resume         = order.DecisionResume         // take the hold back
	AmendAddress   = order.DecisionAmendAddress   // send to another address
	MarkSent       = order.DecisionMarkSent       // it was sent by other means, with evidence
	TransferDead   = order.DecisionTransferDead   // its removed transfer can never confirm, with evidence
	KeepTrying     = order.DecisionKeepTrying     // the customer waits on
	RefundNow      = order.DecisionRefundNow      // the customer does not
	Requote        = order.DecisionRequote        // as much coin as the money that came buys now
	KeepOrder      = order.DecisionKeepOrder      // as ordered; what came beyond it to the balance
)

// Decisions lists every kind, in the order people meet them.
var Decisions = []string{Cancel, Process, Decline, ConfirmReceipt, Reject, Fulfill, Hold, Resume, Retry, AmendAddress, MarkSent, TransferDead, Refund, KeepTrying, RefundNow, Requote, KeepOrder}

// Decision is the argument of every Update: the id of the decision's row and
// nothing else.
type Decision struct {
	ID string `json:"id"`
}

// Outcome is what became of a decision. Status is the order's status then. Code
// is "done", or a stable word for why it could not be done: "card_declined",
// "still_running", …
type Outcome struct {
	Status  string `json:"status"`
	Code    string `json:"code"`
	Message string `json:"message,omitempty"`
}

// Done is the code of a decision that was carried out.
const Done = casework.DecisionDone

// OK reports whether the decision was carried out.
func (o Outcome) OK() bool { return o.Code == Done }

// NotAwaited is the type of the error with which an Update is refused when the
// workflow does not wait for that kind of decision: another one is being
// carried out, or the order has moved on.
const NotAwaited = "not_awaited"

// OrderInput starts an order's workflow. Release is what the code that started
// it could do (versions.go).
type OrderInput struct {
	OrderID string `json:"orderId"`
	Release int    `json:"release,omitempty"`
}

// paymentSignals are the card processor's events worth signalling to an order. The others say
// the same thing again a moment earlier or later.
var paymentSignals = map[string]bool{
	"charge.succeeded":              true, // unless the inbox took the payment from it
	"payment_intent.payment_failed": true,
	"payment_intent.canceled":       true,
	"charge.expired":                true,
	"checkout.session.expired":      true,
}

// SignalsPayment reports whether a card processor's event of this type is worth a
// PaymentChanged signal; every other type is handled by being stored.
func SignalsPayment(event string) bool { return paymentSignals[event] }

// SignalsMoney reports whether a card processor's event is about a refund or a dispute: they
// are looked at whether or not their order is over.
func SignalsMoney(event string) bool {
	return strings.HasPrefix(event, "charge.dispute.") || strings.HasPrefix(event, "refund.")
}
