package pricing

// Payment methods ("rails") with rules of their own; every other rail is money
// that arrives by itself and is confirmed by a person.
const (
	MethodCard    = "card"
	MethodBalance = "balance"
)
