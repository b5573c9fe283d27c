package api

import "github.com/tradepost/tradepost/models"

// failureTexts say to customers what happened to an order, in our own words,
// by the code on its row. A code without a sentence of its own gets the last.
var failureTexts = map[string]string{
	"card_declined":         "Your card was declined.",
	"capture_failed":        "Your card payment could not be taken.",
	"authorisation_expired": "The hold on your card ran out before the order was processed.",
	"price_moved":           "The price moved too far while your order was being processed.",
	"exchange_refused":      "We could not buy the coin at this moment.",
	"transfer_refused":      "The coin could not be sent to your address.",
	"invalid_address":       "The coin could not be sent to your address.",
	"transfer_failed":       "The transfer did not go through on the network.",
	"":                      "Something went wrong while fulfilling your order. Our team has been told.",
}

// failureText is the sentence for a failed order, or nil when nothing failed.
func failureText(o *models.Order) *string {
	if o.Status != models.StatusFailed || o.Resolution != nil {
		return nil
	}
	text, known := failureTexts[word(o.FulfillmentCode)]
	if !known {
		text = failureTexts[""]
	}
	return &text
}

// shownToCustomers are the figures of an event a customer may see. Everything
// else in an event's data is for staff: provider ids among them.
var shownToCustomers = map[string]bool{
	"amount": true, "asset": true, "total": true, "method": true, "currency": true, "txid": true, "code": true,
	"brand": true, "last4": true, "kind": true, "resolution": true, "reason": true, "choices": true, "due": true,
	"dueAt": true, "received": true, "filled": true, "percent": true, "destination": true, "attempt": true,
}

// word reads an optional text.
func word[T ~string](text *T) string {
	if text == nil {
		return ""
	}
	return string(*text)
}
