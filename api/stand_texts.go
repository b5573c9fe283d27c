package api

import "github.com/tradepost/tradepost/models"

// standTexts say to staff what an order waits for, when their decision led there.
var standTexts = map[string]string{
	models.AttentionCheckout:       "Stripe didn't provide a payment page. Try again, or cancel the order.",
	models.AttentionCaptureUnknown: "Stripe hasn't confirmed the charge yet. We keep checking.",
	models.AttentionNoPrice:        "There is no market price to compare with right now. Try again in a minute.",
	models.AttentionBuyUnknown:     "The exchange hasn't confirmed the purchase yet. We keep checking.",
	models.AttentionSendUnknown:    "Custody hasn't confirmed the transfer yet. We keep checking.",
	models.AttentionApproval:       "The transfer needs approval at custody.",
	models.AttentionAddress:        "Custody rejected the address. Change it, or refund the order.",
	models.AttentionCaps:           "The transfer is above custody's limits.",
	models.AttentionTransfer:       "The transfer failed on the network.",
	models.AttentionUnconfirmed:    "The network hasn't confirmed the transfer yet.",
	models.AttentionShort:          "Less money arrived than the order costs. We asked the customer what to do.",
	models.AttentionOver:           "More money arrived than the order costs. We asked the customer what to do.",
	models.AttentionLate:           "The money arrived after the price expired. We asked the customer what to do.",
	models.AttentionRefundBlocked:  "The crypto may still arrive. Check first, then refund.",
	models.AttentionRefundedThere:  "Money was refunded at Stripe. Check the order's payments first.",
	models.AttentionDisputed:       "The cardholder disputes this payment.",
	models.AttentionInternal:       "A step failed. Try again, or contact an engineer. The log shows the reason.",
}
