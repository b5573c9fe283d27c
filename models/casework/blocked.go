package casework

// Blocked is an order, or a redemption, that waited because its customer was
// frozen, with the decision that resumes it.
type Blocked struct {
	Matter               Kind // empty for an order
	ID, DecisionID, Kind string
}

// Reasons why a redemption waits for a person beside those an order has too.
const (
	AttentionFrozen = "account_frozen" // its customer's account is
)
