package api

import "time"

// Choice is what a customer is asked to decide about an order, and until when.
type Choice struct {
	Reason    string     `json:"reason" enum:"failed,price_moved,money_short,money_over,money_late"`
	DueAt     *time.Time `json:"dueAt" doc:"when the default is carried out; null while we keep trying"`
	Default   string     `json:"default" enum:"refund_now"`
	KeptUntil *time.Time `json:"keptUntil" doc:"until when we keep trying, as was asked"`
	Offers    []string   `json:"offers" doc:"keep_trying, refund_now, requote, keep_order"`
}

// OrderMoney is what became of an order's money so far, as its customer sees it.
type OrderMoney struct {
	Received string         `json:"received" doc:"US dollars that arrived"`
	Refunded string         `json:"refunded" doc:"US dollars given back so far"`
	Refunds  []OrderRefund  `json:"refunds"`
	Receipts []MoneyReceipt `json:"receipts" doc:"money that arrived by itself, by rails without a card"`
	Dispute  *OrderDispute  `json:"dispute" doc:"the last dispute of the card payment"`
	Choice   *Choice        `json:"choice,omitempty"`
}

// OrderRefund is money given back.
type OrderRefund struct {
	Amount      string    `json:"amount" doc:"US dollars"`
	Destination string    `json:"destination" enum:"card,balance"`
	Status      string    `json:"status" doc:"requested, pending, succeeded or failed"`
	At          time.Time `json:"at"`
}

// MoneyReceipt is money that arrived.
type MoneyReceipt struct {
	Amount     string    `json:"amount" doc:"US dollars"`
	ReceivedOn string    `json:"receivedOn" doc:"YYYY-MM-DD"`
	At         time.Time `json:"at" doc:"when we noted it"`
}

// OrderDispute is a dispute of a card payment at its bank.
type OrderDispute struct {
	Status string    `json:"status" doc:"open, won, lost or accepted"`
	Amount string    `json:"amount" doc:"US dollars"`
	At     time.Time `json:"at"`
}

// AdminReceipt is money on our bank account, as staff noted it.
type AdminReceipt struct {
	ID            string    `json:"id" format:"uuid"`
	Amount        string    `json:"amount" doc:"US dollars"`
	ReceivedOn    string    `json:"receivedOn" doc:"YYYY-MM-DD"`
	BankReference string    `json:"bankReference"`
	At            time.Time `json:"at" doc:"when it was confirmed"`
}
