package reporting

import (
	"time"
)

// Transaction is one line of a customer's history.
type Transaction struct {
	ID             string    `json:"id" format:"uuid"`
	OrderID        *string   `json:"orderId" format:"uuid" doc:"of a crypto_swap"`
	Reference      string    `json:"reference"`
	Type           string    `json:"type" enum:"crypto_swap,gift_card,voucher"`
	FromAsset      string    `json:"fromAsset"`
	ToAsset        string    `json:"toAsset"`
	ToAmount       string    `json:"toAmount"`
	Status         string    `json:"status" enum:"completed,pending,failed,cancelled"`
	LegacyStatus   string    `json:"legacyStatus" enum:"pending,payment_processing,completed,failed,cancelled"`
	OrderStatus    *string   `json:"orderStatus" enum:"pending,payment_approved,fulfilling,filled,sent,failed" doc:"an order's own status"`
	Resolution     *string   `json:"resolution" doc:"how an order ended that was not delivered: declined, cancelled, expired or refunded; or what became of all its money since: refunded or disputed; of a gift card rejected or expired"`
	Returned       *string   `json:"returned" doc:"US dollars of an order that went back, or are disputed; null where none"`
	Authorised     bool      `json:"authorised" doc:"an order whose card holds the amount, and which we have yet to accept"`
	CryptoCurrency *string   `json:"cryptoCurrency" doc:"null for what paid dollars"`
	Amount         string    `json:"amount"`
	FiatAmount     *string   `json:"fiatAmount" doc:"null for what was never in dollars"`
	PaymentMethod  string    `json:"paymentMethod"`
	WalletAddress  *string   `json:"walletAddress" doc:"null for what paid dollars"`
	ExplorerURL    *string   `json:"explorerUrl" doc:"the page of what was sent at an explorer; null: not sent, or none is configured"`
	CreatedAt      time.Time `json:"createdAt"`
}

// TransactionsSummary counts a customer's history: 'Showing matching of total'.
type TransactionsSummary struct {
	Total    int    `json:"total" doc:"all transactions, without filters"`
	Matching int    `json:"matching" doc:"transactions the filters let through"`
	Active   int    `json:"active" doc:"orders, gift cards and vouchers that are under way, without filters"`
	FiatSum  string `json:"fiatSum" doc:"US dollars paid for the matching orders"`
}

// AdminTransaction is a customer's transaction, as staff see it.
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

// AdminTransactionSum is the number of a type, and their sum.
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
