package order

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// lastDecision is a decision with its actor's name.
type lastDecision struct {
	Decision   `gorm:"embedded"`
	ActorName  string
	ByCustomer bool  // by the order's own
	Seconds    int64 // since it was made
}

// LastDecision is the latest decision about the order: the open one, if there is
// one. It is nil before the first.
func (c *OrderChange) LastDecision() (*lastDecision, error) {
	var rows []lastDecision
	const actor = "trim(users.first_name || ' ' || users.last_name) AS actor_name, actor_id = ? AS by_customer"
	const age = "CAST(extract(epoch FROM clock_now() - decisions.created_at) AS bigint) AS seconds"
	err := c.Tx.ORM(c.Ctx).Table("decisions").Select("decisions.*, "+actor+", "+age, c.Order.UserID).
		Joins("JOIN users ON users.id = decisions.actor_id").Where("order_id = ?", c.Order.ID).
		Order("(settled_at IS NULL) DESC, decisions.created_at DESC, decisions.id DESC").Limit(1).Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read the last decision: %w", err)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	return &rows[0], nil
}

// didWhat is what a decision did, after the name of its actor.
var didWhat = map[string]string{
	DecisionProcess:        "processed it",
	DecisionDecline:        "declined it",
	DecisionConfirmReceipt: "confirmed its receipt",
	DecisionReject:         "rejected it",
	DecisionFulfill:        "chose to fulfill it",
	DecisionRetry:          "chose to retry it",
	DecisionRefund:         "chose to refund it",
	DecisionCancel:         "cancelled it",
	DecisionHold:           "held it",
	DecisionResume:         "resumed it",
	DecisionAmendAddress:   "amended its address",
	DecisionMarkSent:       "marked it as sent",
	DecisionTransferDead:   "declared its transfer dead",
	DecisionContest:        "contested its dispute",
	DecisionAccept:         "accepted its dispute",
	DecisionKeepTrying:     "chose to keep trying",
	DecisionRefundNow:      "chose a refund",
	DecisionRequote:        "accepted a new price",
	DecisionKeepOrder:      "kept it",
}

// By tells staff who decide something else who decided what, and when. Customers get no name.
func (d *lastDecision) By(instead NewDecision) string {
	if d == nil || instead.Own || MadeByCustomer(instead.Kind) {
		return ""
	}
	who := cmp.Or(d.ActorName, "A colleague")
	if d.ByCustomer {
		who = "The customer"
	}
	did := cmp.Or(didWhat[d.Kind], "decided to "+strings.ReplaceAll(d.Kind, "_", " "))
	return fmt.Sprintf(". %s %s %s ago", who, did, lasted(time.Duration(d.Seconds)*time.Second))
}

// lasted is a time in its largest unit.
func lasted(d time.Duration) string {
	n, unit := int64(d/(24*time.Hour)), "day"
	switch {
	case d < time.Minute:
		n, unit = max(int64(d/time.Second), 1), "second"
	case d < time.Hour:
		n, unit = int64(d/time.Minute), "minute"
	case d < 48*time.Hour:
		n, unit = int64(d/time.Hour), "hour"
	}
	if n == 1 {
		return "1 " + unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}
