package casework

import (
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/order"
)

// stateTexts are the messages for staff of what an order waits for, when their decision led
// there.
var stateTexts = map[string]string{
	order.AttentionCheckout:       "Stripe didn't provide a payment page. Try again, or cancel the order.",
	order.AttentionCaptureUnknown: "Stripe hasn't confirmed the charge yet. We keep checking.",
	casework.AttentionNoPrice:     "There is no market price to compare with right now. Try again in a minute.",
	casework.AttentionBuyUnknown:  "The exchange hasn't confirmed the purchase yet. We keep checking.",
	casework.AttentionSendUnknown: "Custody hasn't confirmed the transfer yet. We keep checking.",
	casework.AttentionApproval:    "The transfer needs approval at custody.",
	casework.AttentionAddress:     "Custody rejected the address. Change it, or refund the order.",
	casework.AttentionCaps:        "The transfer is above custody's limits.",
	casework.AttentionTransfer:    "The transfer failed on the network.",
	casework.AttentionUnconfirmed: "The network hasn't confirmed the transfer yet.",
	order.AttentionShort:          "Less money arrived than the order costs. We asked the customer what to do.",
	order.AttentionOver:           "More money arrived than the order costs. We asked the customer what to do.",
	order.AttentionLate:           "The money arrived after the price expired. We asked the customer what to do.",
	order.AttentionRefundBlocked:  "The crypto may still arrive. Check first, then refund.",
	order.AttentionRefundedThere:  "Money was refunded at Stripe. Check the order's payments first.",
	order.AttentionDisputed:       "The cardholder disputes this payment.",
	casework.AttentionInternal:    "A step failed. Try again, or contact an engineer. The log shows the reason.",
}
