package pricing

import (
	"time"
)

// Switches are all kill switches, and how much waits for them.
type Switches struct {
	Switches          []KillSwitch `json:"switches"`
	ParkedOrders      int          `json:"parkedOrders" doc:"orders that wait for a switch; 1000 is that many or more"`
	ParkedRedemptions int          `json:"parkedRedemptions" doc:"redeemed vouchers that do"`
}

// KillSwitch is a service that can be paused.
type KillSwitch struct {
	Kind      string     `json:"kind" enum:"rail,asset,fulfilment,signups"`
	Name      string     `json:"name" doc:"the payment method's code, or the asset; empty where there is one only"`
	Paused    bool       `json:"paused"`
	Reason    string     `json:"reason" doc:"why it was turned last"`
	By        string     `json:"by" doc:"who turned it last"`
	ChangedAt *time.Time `json:"changedAt"`
}

// SwitchTurn pauses a service or resumes it.
type SwitchTurn struct {
	Kind   string `json:"kind" enum:"rail,asset,fulfilment,signups"`
	Name   string `json:"name" maxLength:"40"`
	Paused bool   `json:"paused"`
	Reason string `json:"reason" maxLength:"500"`
}

// PublicNotices are the paused services that any visitor may see.
type PublicNotices struct {
	SignUps    *string `json:"signUps" prose:"yes" doc:"why nobody new is let in"`
	Fulfilment *string `json:"fulfilment" prose:"yes" doc:"why nothing is delivered"`
}
