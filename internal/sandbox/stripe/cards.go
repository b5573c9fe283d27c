package stripe

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// testCard is one of Stripe's published test cards.
type testCard struct {
	Number  string
	Method  string // the PaymentMethod id of the card
	Brand   string
	Label   string // what it does, on the hosted page
	Code    string // error code of its decline, empty when it is accepted
	Decline string // decline code
	Secure  bool   // requires 3-D Secure first
}

// testCards are the only cards that exist here; the first is the usual one.
var testCards = []testCard{
	{Number: "4242424242424242", Method: "pm_card_visa", Brand: "visa", Label: "Visa, accepted"},
	{Number: "5555555555554444", Method: "pm_card_mastercard", Brand: "mastercard", Label: "Mastercard, accepted"},
	{Number: "378282246310005", Method: "pm_card_amex", Brand: "amex", Label: "American Express, accepted"},
	{Number: "6011111111111117", Method: "pm_card_discover", Brand: "discover", Label: "Discover, accepted"},
	{Number: "4000000000003220", Method: "pm_card_threeDSecure2Required", Brand: "visa", Label: "Asks for 3-D Secure 2", Secure: true},
	{Number: "4000002760003184", Method: "pm_card_authenticationRequired", Brand: "visa", Label: "Asks for authentication every time", Secure: true},
	{Number: "4000000000000002", Method: "pm_card_visa_chargeDeclined", Brand: "visa", Label: "Declined", Code: "card_declined", Decline: "generic_decline"},
	{Number: "4000000000009995", Method: "pm_card_visa_chargeDeclinedInsufficientFunds", Brand: "visa", Label: "Insufficient funds", Code: "card_declined", Decline: "insufficient_funds"},
	{Number: "4000000000009987", Method: "pm_card_visa_chargeDeclinedLostCard", Brand: "visa", Label: "Lost card", Code: "card_declined", Decline: "lost_card"},
	{Number: "4000000000009979", Method: "pm_card_visa_chargeDeclinedStolenCard", Brand: "visa", Label: "Stolen card", Code: "card_declined", Decline: "stolen_card"},
	{Number: "4000000000000069", Method: "pm_card_chargeDeclinedExpiredCard", Brand: "visa", Label: "Expired card", Code: "expired_card", Decline: "expired_card"},
	{Number: "4000000000000127", Method: "pm_card_chargeDeclinedIncorrectCvc", Brand: "visa", Label: "Incorrect CVC", Code: "incorrect_cvc", Decline: "incorrect_cvc"},
	{Number: "4000000000000119", Method: "pm_card_chargeDeclinedProcessingError", Brand: "visa", Label: "Processing error", Code: "processing_error", Decline: "processing_error"},
	{Number: "4000000000006975", Method: "pm_card_visa_chargeDeclinedVelocityLimitExceeded", Brand: "visa", Label: "Over its velocity limit", Code: "card_declined", Decline: "card_velocity_exceeded"},
}

// cardByNumber ignores spaces and dashes.
func cardByNumber(number string) (testCard, bool) {
	number = strings.NewReplacer(" ", "", "-", "", "\u00a0", "").Replace(number)
	i := slices.IndexFunc(testCards, func(c testCard) bool { return c.Number == number })
	if i < 0 {
		return testCard{}, false
	}
	return testCards[i], true
}

func cardByMethod(id string) (testCard, bool) {
	// Some of the ids are published both with the brand and without it.
	branded := strings.Replace(id, "pm_card_", "pm_card_visa_", 1)
	i := slices.IndexFunc(testCards, func(c testCard) bool { return c.Method == id || c.Method == branded })
	if i < 0 {
		return testCard{}, false
	}
	return testCards[i], true
}

// Spaced is the number as it is printed on a card.
func (c testCard) Spaced() string {
	groups := []int{4, 4, 4, 4}
	if c.Brand == "amex" {
		groups = []int{4, 6, 5}
	}
	parts, rest := []string{}, c.Number
	for _, n := range groups {
		parts, rest = append(parts, rest[:n]), rest[n:]
	}
	return strings.Join(parts, " ")
}

func (c testCard) last4() string { return c.Number[len(c.Number)-4:] }

func (c testCard) fingerprint() string {
	sum := sha256.Sum256([]byte("fingerprint " + c.Method))
	return hex.EncodeToString(sum[:8])
}

// declined is the card with a decline forced on it by a fault.
func (c testCard) declined(code string) testCard {
	c.Secure, c.Code, c.Decline = false, "card_declined", code
	if code == "" {
		c.Decline = "generic_decline"
	}
	switch code {
	case "expired_card", "incorrect_cvc", "processing_error":
		c.Code = code
	}
	return c
}

// declineText is Stripe's message to the customer.
func declineText(decline string) string {
	switch decline {
	case "insufficient_funds":
		return "Your card has insufficient funds."
	case "expired_card":
		return "Your card has expired."
	case "incorrect_cvc":
		return "Your card's security code is incorrect."
	case "processing_error":
		return "An error occurred while processing your card. Try again in a little bit."
	case "card_velocity_exceeded":
		return "Your card was declined for making repeated attempts too frequently or exceeding its amount limit."
	}
	return "Your card was declined."
}
