package reporting

import (
	"time"
)

// SearchHit is one object that a search of the back office found.
type SearchHit struct {
	Kind   string    `json:"kind" enum:"customer,order,payout,gift_card,voucher,ticket,treasury_move,break"`
	ID     string    `json:"id" format:"uuid"`
	Title  string    `json:"title" doc:"its reference; a customer's name; what its provider calls a break"`
	Detail string    `json:"detail" doc:"what it is, and whose"`
	Status string    `json:"status" doc:"the kind's own word; a customer's identity"`
	At     time.Time `json:"at" doc:"when it was made"`
}
