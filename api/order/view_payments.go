package order

import (
	"time"

	caseworkapi "github.com/tradepost/tradepost/api/casework"
)

// PendingPayment is a payment as the admin screen shows it.
type PendingPayment struct {
	ID                    string                `json:"id" format:"uuid"`
	OrderID               string                `json:"orderId" format:"uuid"`
	TradeHash             string                `json:"tradeHash" doc:"the order's short public reference"`
	CustomerUsername      string                `json:"customerUsername"`
	CustomerID            string                `json:"customerId" format:"uuid"`
	CustomerEmail         string                `json:"customerEmail"`
	Country               string                `json:"country" doc:"of the customer; empty while unknown"`
	Risk                  *OrderRisk            `json:"risk,omitempty" doc:"of the order; left out where nothing speaks against it"`
	Amount                string                `json:"amount"`
	Currency              string                `json:"currency"`
	PaymentMethod         string                `json:"paymentMethod"`
	AdminApprovalStatus   string                `json:"adminApprovalStatus" enum:"pending,approved,declined"`
	CardBrand             *string               `json:"cardBrand"`
	CardLast4             *string               `json:"cardLast4"`
	CustomerSubmittedAt   *time.Time            `json:"customerSubmittedAt"`
	StripePaymentIntentID *string               `json:"stripePaymentIntentId" doc:"once the whole amount is authorised"`
	Validation            PaymentValidation     `json:"validation"`
	WaitsFor              *string               `json:"waitsFor" enum:"card,money" doc:"what has to come before staff can decide, since createdAt: the customer's card, or the money"`
	DueAt                 time.Time             `json:"dueAt"`
	CaptureBefore         *time.Time            `json:"captureBefore"`
	Expiring              bool                  `json:"expiring" doc:"the hold on the card ends soon, and nobody has decided yet"`
	ReceivedAmount        *string               `json:"receivedAmount"`
	ReceivedOn            *string               `json:"receivedOn" doc:"YYYY-MM-DD"`
	BankReference         *string               `json:"bankReference"`
	DeclineReason         *string               `json:"declineReason"`
	DecidedAt             *time.Time            `json:"decidedAt"`
	OrderStatus           string                `json:"orderStatus"`
	Resolution            *string               `json:"resolution"`
	Decision              *caseworkapi.Decision `json:"decision,omitempty" doc:"a decision that is being carried out: buttons stay locked"`
	Proposal              *WaitingProposal      `json:"proposal,omitempty" doc:"what waits for a second person about the order"`
	Actions               []string              `json:"actions" doc:"what the signed-in person can do now: process, decline, confirm, reject, confirm_more"`
	CreatedAt             time.Time             `json:"createdAt"`
}

// PaymentValidation is the evidence behind a payment.
type PaymentValidation struct {
	ReceiptURL   *string `json:"receiptUrl"`
	CardPhotoURL *string `json:"cardPhotoUrl"`
}

// PendingPayments wraps the list, as specification §3 has it.
type PendingPayments struct {
	Payments []PendingPayment `json:"payments"`
}

// PaymentsSummary is the admin screen's counters. The counts by status are over
// the method filter, the choices of method over the status filter.
type PaymentsSummary struct {
	Total      int            `json:"total"`
	Pending    int            `json:"pending"`
	Approved   int            `json:"approved"`
	Declined   int            `json:"declined"`
	TotalValue string         `json:"totalValue" doc:"US dollars of all payments that the method filter lets through, whatever their status"`
	Matching   int            `json:"matching"`
	Actionable int            `json:"actionable" doc:"those that staff can decide now, over the method filter"`
	Waiting    int            `json:"waiting" doc:"the pending ones that staff cannot decide yet, over the method filter"`
	Expiring   int            `json:"expiring" doc:"authorised cards whose hold ends soon, over all payments"`
	Methods    []MethodChoice `json:"methods" doc:"the methods present"`
}

// MethodChoice is one choice of the payment method filter.
type MethodChoice struct {
	Method string `json:"method"`
	Count  int    `json:"count"`
}

// Confirmation is money seen on our bank account.
type Confirmation struct {
	Amount        string `json:"amount" maxLength:"64" doc:"US dollars received"`
	ReceivedOn    string `json:"receivedOn" format:"date" doc:"YYYY-MM-DD"`
	BankReference string `json:"bankReference" minLength:"1" maxLength:"100" doc:"unique at our bank"`
}

// AmendAddress changes an order's address, with the reason.
type AmendAddress struct {
	DestAddress string `json:"destAddress" maxLength:"200"`
	Reason      string `json:"reason" maxLength:"500"`
}

// MarkSent is a transfer that was made by other means, and why.
type MarkSent struct {
	TxID       string `json:"txid" maxLength:"200" doc:"the transaction on the network"`
	TransferID string `json:"transferId,omitempty" maxLength:"100" doc:"custody's name of the transfer; required while a transfer of the order may still happen, which it has to be"`
	Reason     string `json:"reason" maxLength:"500"`
}
