package api

import "github.com/tradepost/tradepost/models"

// standTexts say to staff what an order waits for, when their decision led there.
var standTexts = map[string]string{
	models.AttentionCheckout:       "Stripe gave no payment page. Try again, or cancel the order.",
	models.AttentionCaptureUnknown: "Stripe has not said whether the card was charged. It is asked again.",
	models.AttentionNoPrice:        "There is no price to compare with at the moment. Try again in a minute.",
	models.AttentionBuyUnknown:     "The exchange has not said whether the coin was bought. It is asked again.",
	models.AttentionSendUnknown:    "Custody has not said whether the coin was sent. It is asked again.",
	models.AttentionApproval:       "Custody waits for an approval of its own.",
	models.AttentionAddress:        "Custody refused the address. Change it, or refund the order.",
	models.AttentionCaps:           "The transfer is over custody's own limits.",
	models.AttentionTransfer:       "The transfer failed on the network.",
	models.AttentionUnconfirmed:    "The network has not confirmed the transfer yet.",
	models.AttentionShort:          "Less money arrived than the order costs. The customer is asked.",
	models.AttentionOver:           "More money arrived than the order costs. The customer is asked.",
	models.AttentionLate:           "The money arrived after the price expired. The customer is asked.",
	models.AttentionRefundBlocked:  "The coin may still arrive. Find out first, then refund.",
	models.AttentionRefundedThere:  "Money was given back at Stripe itself. Check the order's money first.",
	models.AttentionDisputed:       "The cardholder disputes this payment.",
	models.AttentionInternal:       "Our own step failed. The log says why; try again, or call an engineer.",
}
