package order

import (
	"fmt"
	"slices"

	"github.com/tradepost/tradepost/models/casework"
)

// Situation is a state an order can be in: its status, and its reason to wait, if any.
type Situation struct {
	Status    OrderStatus `json:"status"`
	Attention string      `json:"attention,omitempty"`
}

// waitingIn lists, for each reason to wait for a person, the statuses it can be combined with. It is the one table of
// them: an order that would wait anywhere else is refused (OrderChange.store), and the browser suite leads an order
// out of each through the screens.
var waitingIn = map[string][]OrderStatus{
	AttentionCheckout:             {StatusPending},
	AttentionCaptureUnknown:       {StatusPending},
	AttentionShort:                {StatusPending},
	AttentionOver:                 {StatusPending},
	AttentionLate:                 {StatusFailed},
	casework.AttentionKYC:         {StatusPaymentApproved, StatusFulfilling, StatusFilled},
	casework.AttentionCustomer:    {StatusPaymentApproved, StatusFulfilling, StatusFilled},
	casework.AttentionBlocked:     {StatusPaymentApproved, StatusFilled},
	casework.AttentionPrice:       {StatusPaymentApproved, StatusFulfilling},
	casework.AttentionNoPrice:     {StatusPaymentApproved},
	casework.AttentionFloat:       {StatusPaymentApproved},
	casework.AttentionBuyUnknown:  {StatusFulfilling},
	casework.AttentionSendUnknown: {StatusFilled},
	casework.AttentionApproval:    {StatusFilled},
	casework.AttentionAddress:     {StatusFilled},
	casework.AttentionCaps:        {StatusFilled},
	casework.AttentionTransfer:    {StatusFilled, StatusSent},
	casework.AttentionUnconfirmed: {StatusSent},
	AttentionRefundFailed:         {StatusPaymentApproved, StatusFulfilling, StatusFilled, StatusSent, StatusFailed},
	AttentionRefundPending:        {StatusPaymentApproved, StatusFulfilling, StatusFilled, StatusSent, StatusFailed},
	AttentionRefundBlocked:        {StatusPaymentApproved, StatusFulfilling, StatusFailed},
	AttentionRefundedThere:        {StatusPaymentApproved, StatusFulfilling, StatusFilled, StatusFailed},
	AttentionDisputed:             {StatusPaymentApproved, StatusFulfilling, StatusFilled, StatusSent, StatusFailed},
	casework.AttentionRisk:        {StatusPending, StatusPaymentApproved, StatusFulfilling, StatusFilled},
	casework.AttentionPaused:      {StatusPaymentApproved, StatusFulfilling, StatusFilled},
	casework.AttentionInternal:    {StatusPending, StatusPaymentApproved, StatusFulfilling, StatusFilled, StatusSent, StatusFailed},
}

// passing are the reasons that an order continues from by itself: its workflow pays it by the money that is there.
var passing = []string{AttentionOver}

// Situations lists every state in which an order can stay, those without a reason to wait first.
func Situations() []Situation {
	var all []Situation
	for _, status := range OrderStatuses {
		all = append(all, Situation{Status: status})
	}
	reasons := make([]string, 0, len(waitingIn))
	for reason := range waitingIn {
		reasons = append(reasons, reason)
	}
	slices.Sort(reasons)
	for _, status := range OrderStatuses {
		for _, reason := range reasons {
			if canWait(status, reason) && !slices.Contains(passing, reason) {
				all = append(all, Situation{Status: status, Attention: reason})
			}
		}
	}
	return all
}

// canWait reports whether an order with the status can wait for the reason.
func canWait(status OrderStatus, reason string) bool {
	return slices.Contains(waitingIn[reason], status)
}

// checkSituation refuses a place that the table does not list.
func (o *Order) checkSituation() error {
	if o.AttentionReason == nil || canWait(o.Status, *o.AttentionReason) {
		return nil
	}
	return fmt.Errorf("an order that is %s cannot wait for %s", o.Status, *o.AttentionReason)
}
