package order

import (
	"maps"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/order"
)

// failureTexts are the messages to customers about what happened to an order, by the code
// on its row. A code without a message of its own gets the last.
var failureTexts = map[string]string{
	"card_declined":         "Your card was declined.",
	"capture_failed":        "We couldn't charge your card.",
	"authorisation_expired": "The hold on your card expired before we processed the order.",
	"price_moved":           "The price moved too far while we processed your order.",
	"exchange_refused":      "We couldn't buy your crypto.",
	"transfer_refused":      "We couldn't send the crypto to your address.",
	"invalid_address":       "We couldn't send the crypto to your address.",
	"transfer_failed":       "The transfer failed on the network.",
	"":                      "Something went wrong with your order. Our team is checking it.",
}

// failureText is the sentence for a failed order, or nil when nothing failed.
func failureText(o *order.Order) *string {
	if o.Status != order.StatusFailed || o.Resolution != nil || o.MoneyWaits() {
		return nil
	}
	text, known := failureTexts[rest.Word(o.FulfillmentCode)]
	if !known {
		text = failureTexts[""]
	}
	return &text
}

// beingReviewed is shown to a customer for reasons that are internal, or that must not be
// disclosed: an address on a blocked list is one.
const beingReviewed WaitingReason = "being_reviewed"

// waitingWords are the codes shown to a customer for what an order waits for, by the reason
// on its row. Reasons that are the same to the customer share one.
var waitingWords = map[string]WaitingReason{
	order.AttentionCheckout:       "payment_page",
	order.AttentionCaptureUnknown: "payment_check",
	order.AttentionRefundFailed:   "refund_check",
	order.AttentionRefundPending:  "refund_on_its_way",
	order.AttentionRefundBlocked:  "refund_waits",
	casework.AttentionKYC:         "identity",
	casework.AttentionCustomer:    "account_frozen",
	casework.AttentionPrice:       "price_moved",
	casework.AttentionNoPrice:     "price_unavailable",
	casework.AttentionFloat:       "delivery_delayed",
	casework.AttentionBuyUnknown:  "purchase_check",
	casework.AttentionSendUnknown: "transfer_check",
	casework.AttentionApproval:    "transfer_approval",
	casework.AttentionCaps:        "transfer_approval",
	casework.AttentionAddress:     "address_refused",
	casework.AttentionTransfer:    "transfer_replaced",
	casework.AttentionUnconfirmed: "unconfirmed",
	order.AttentionShort:          "money_short",
	order.AttentionOver:           "money_over",
	order.AttentionLate:           "money_late",
	order.AttentionDisputed:       "disputed",
	casework.AttentionPaused:      "paused",
	order.AttentionRefundedThere:  "refunded_elsewhere",
}

// waitingWord is the customer's code for a review reason.
func waitingWord(reason string) WaitingReason {
	if word, ok := waitingWords[reason]; ok {
		return word
	}
	return beingReviewed
}

// WaitingReason is the code of what an order waits for, as its customer sees it.
type WaitingReason string

// Schema lists the codes.
func (WaitingReason) Schema(huma.Registry) *huma.Schema {
	words := slices.Sorted(maps.Values(waitingWords))
	return rest.Listed(append(slices.Compact(words), beingReviewed))
}

// EventKind is what an event of an order's timeline reports.
type EventKind string

// Schema lists the kinds.
func (EventKind) Schema(huma.Registry) *huma.Schema { return rest.Listed(order.EventKinds) }

// shownToCustomers are the figures of an event a customer may see. Everything
// else in an event's data is for staff: provider ids among them.
var shownToCustomers = map[string]bool{
	"amount": true, "asset": true, "total": true, "method": true, "currency": true, "txid": true, "code": true,
	"brand": true, "last4": true, "kind": true, "resolution": true, "reason": true, "choices": true, "due": true,
	"dueAt": true, "received": true, "filled": true, "percent": true, "destination": true, "attempt": true,
	"to": true, "left": true, "expected": true, "default": true, "amountAsset": true, "credited": true, "of": true, "by": true,
	"delivers": true, "before": true, "until": true, "outcome": true, "agreed": true,
}
