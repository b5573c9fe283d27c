package order

import (
	"cmp"
	"fmt"
	"time"
)

// pastTense is what the actor of each kind of decision did to the order.
var pastTense = map[string]string{
	DecisionProcess:        "processed it",
	DecisionDecline:        "declined it",
	DecisionConfirmReceipt: "confirmed its payment",
	DecisionReject:         "rejected it",
	DecisionFulfill:        "fulfilled it",
	DecisionRetry:          "retried it",
	DecisionRefund:         "refunded it",
	DecisionCancel:         "cancelled it",
	DecisionHold:           "held it",
	DecisionResume:         "resumed it",
	DecisionAmendAddress:   "amended its address",
	DecisionMarkSent:       "marked it as sent",
	DecisionTransferDead:   "declared its transfer dead",
	DecisionKeepTrying:     "chose to keep trying",
	DecisionRefundNow:      "chose a refund",
	DecisionRequote:        "accepted a new price",
	DecisionKeepOrder:      "kept it as ordered",
	DecisionContest:        "contested its dispute",
	DecisionAccept:         "accepted its dispute",
}

// Told continues a refusal to staff with who made the decision, and when: ". Bob Baker processed it 2 seconds ago."
// It is empty without a decision, and for customers, who get no names.
func (d *lastDecision) Told(instead NewDecision) string {
	if d == nil || instead.Own || MadeByCustomer(instead.Kind) {
		return ""
	}
	who := cmp.Or(d.ActorName, "A colleague")
	if d.ByCustomer {
		who = "The customer"
	}
	return fmt.Sprintf(". %s %s %s.", who, pastTense[d.Kind], ago(time.Duration(d.AgeSeconds)*time.Second))
}

// ago is the time since something, in its largest whole unit.
func ago(age time.Duration) string {
	switch {
	case age < time.Second:
		return "just now"
	case age < time.Minute:
		return units(age, time.Second, "second")
	case age < time.Hour:
		return units(age, time.Minute, "minute")
	case age < 48*time.Hour:
		return units(age, time.Hour, "hour")
	}
	return units(age, 24*time.Hour, "day")
}

func units(age, unit time.Duration, name string) string {
	n := age / unit
	if n != 1 {
		name += "s"
	}
	return fmt.Sprintf("%d %s ago", n, name)
}
