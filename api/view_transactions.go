package api

import "time"

// AdminTransaction is something a customer did, as staff see it.
type AdminTransaction struct {
	ID            string    `json:"id" format:"uuid"`
	Type          string    `json:"type" enum:"order,gift_card,voucher,payout,refund"`
	Reference     string    `json:"reference" doc:"of a refund: its order's, and its number"`
	CustomerID    string    `json:"customerId" format:"uuid"`
	CustomerName  string    `json:"customerName"`
	CustomerEmail string    `json:"customerEmail"`
	State         string    `json:"state" enum:"pending,payment_processing,completed,failed,cancelled"`
	Status        string    `json:"status" doc:"its own word for that; of an order how it ended, or authorised"`
	Rail          *string   `json:"rail" doc:"how an order was paid"`
	Label         *string   `json:"label" doc:"the brand of a gift card; where a refund goes: card or balance"`
	Asset         *string   `json:"asset" doc:"the coin, when it pays one"`
	Coins         *string   `json:"coins"`
	Amount        string    `json:"amount" doc:"US dollars; of a redeemed voucher what its coin cost"`
	OrderID       *string   `json:"orderId" format:"uuid" doc:"of a refund"`
	CreatedAt     time.Time `json:"createdAt"`
}

// AdminTransactionSum is how many of a type there are, and what they come to.
type AdminTransactionSum struct {
	Type   string `json:"type" enum:"order,gift_card,voucher,payout,refund"`
	Count  int    `json:"count"`
	Amount string `json:"amount" doc:"US dollars"`
}

// AdminTransactionsSummary counts everything there is, and what the filters let
// through.
type AdminTransactionsSummary struct {
	Total    int                   `json:"total"`
	Matching int                   `json:"matching"`
	Exact    bool                  `json:"exact" doc:"false: there are more than matching, and no sums"`
	Sums     []AdminTransactionSum `json:"sums" doc:"of what the filters let through, by type"`
	Rails    []string              `json:"rails" doc:"by which orders were ever paid"`
}
