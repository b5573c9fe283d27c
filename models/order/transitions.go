package order

import (
	"slices"
)

// transitions is the one table of what an order's status may become. Anything
// not listed is refused.
var transitions = map[OrderStatus][]OrderStatus{
	StatusPending:         {StatusPaymentApproved, StatusFailed},
	StatusPaymentApproved: {StatusFulfilling, StatusFailed},
	StatusFulfilling:      {StatusFilled, StatusFailed},
	StatusFilled:          {StatusSent, StatusFailed},
	// The transfer died after it was reported as sent: removed or replaced by nothing.
	StatusSent: {StatusFailed},
	// Retry from the failed step, or marked as sent with evidence.
	StatusFailed: {StatusPaymentApproved, StatusFulfilling, StatusFilled, StatusSent},
}

// CanMove reports whether an order may move from one status to another.
func CanMove(from, to OrderStatus) bool { return slices.Contains(transitions[from], to) }

// LegacyStatus is the same order in the older states that Wallet and Transactions read: completed, pending,
// payment_processing, cancelled, failed.
func LegacyStatus(o *Order) string {
	switch o.Status {
	case StatusSent:
		return "completed"
	case StatusPaymentApproved, StatusFulfilling, StatusFilled:
		return "payment_processing"
	case StatusFailed:
		if o.Resolution != nil && *o.Resolution != ResolutionRefunded {
			return "cancelled"
		}
		return "failed"
	}
	return "pending"
}
