package workflows

import (
	"strings"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/order"
)

// Update names are the kinds of decision that staff or a customer can make about an order;
// the argument is a Decision and the answer an Outcome.
const (
	Process        = order.DecisionProcess        // capture the authorised card
	Decline        = order.DecisionDecline        // release the authorised card
	ConfirmReceipt = order.DecisionConfirmReceipt // the money arrived by another rail
	Reject         = order.DecisionReject         // it was not made, or must not be captured
	Fulfill        = order.DecisionFulfill        // reserve, buy and send
	Retry          = order.DecisionRetry          // go on from the step that failed or waits
	Refund         = order.DecisionRefund         // give the money back
	Cancel         = order.DecisionCancel         // the customer changed their mind before paying
	Hold           = order.DecisionHold           // suspend its fulfilment
	Resume         = order.DecisionResume         // lift the hold
	AmendAddress   = order.DecisionAmendAddress   // send to another address
	MarkSent       = order.DecisionMarkSent       // it was sent by other means, with evidence
	TransferDead   = order.DecisionTransferDead   // its removed transfer can never confirm, with evidence
	KeepTrying     = order.DecisionKeepTrying     // the customer waits on
	RefundNow      = order.DecisionRefundNow      // the customer does not
	Requote        = order.DecisionRequote        // as much coin as the received money buys now
	KeepOrder      = order.DecisionKeepOrder      // as ordered; the surplus to the balance
)

// Decisions lists every kind, in the order in which they occur.
var Decisions = []string{Cancel, Process, Decline, ConfirmReceipt, Reject, Fulfill, Hold, Resume, Retry, AmendAddress, MarkSent, TransferDead, Refund, KeepTrying, RefundNow, Requote, KeepOrder}

// Decision is the argument of every Update: the id of the decision's row and
// nothing else.
type Decision struct {
	ID string `json:"id"`
}

// Outcome is a decision's result. Status is the order's status then. Code is "done", or a
// stable code of the reason why it failed: "card_declined", "still_running", …
type Outcome struct {
	Status  string `json:"status"`
	Code    string `json:"code"`
	Message string `json:"message,omitempty"`
}

// Done is the code of an executed decision.
const Done = casework.DecisionDone

// OK reports whether the decision was executed.
func (o Outcome) OK() bool { return o.Code == Done }

// NotAwaited is the type of the error with which an Update is refused when the workflow
// does not wait for that kind of decision: another one is being executed, or the order has
// moved on.
const NotAwaited = "not_awaited"

// OrderInput starts an order's workflow. Release is what the code that started
// it could do (versions.go).
type OrderInput struct {
	OrderID string `json:"orderId"`
	Release int    `json:"release,omitempty"`
}

// paymentSignals are the card processor's events worth signalling to an order. The others
// repeat the same change a moment earlier or later.
var paymentSignals = map[string]bool{
	"charge.succeeded":              true, // unless the inbox recorded the payment from it
	"payment_intent.payment_failed": true,
	"payment_intent.canceled":       true,
	"charge.expired":                true,
	"checkout.session.expired":      true,
}

// SignalsPayment reports whether a card processor's event of this type is worth a
// PaymentChanged signal; every other type is handled by being stored.
func SignalsPayment(event string) bool { return paymentSignals[event] }

// SignalsMoney reports whether a card processor's event is about a refund or a dispute:
// they are read whether or not their order is over.
func SignalsMoney(event string) bool {
	return strings.HasPrefix(event, "charge.dispute.") || strings.HasPrefix(event, "refund.")
}
