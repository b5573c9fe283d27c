package correction

import (
	"time"

	"github.com/danielgtaylor/huma/v2"

	payoutapi "github.com/tradepost/tradepost/api/payout"
	"github.com/tradepost/tradepost/api/rest"
)

// UnplacedMoney is money on our bank account that belongs to no order yet.
type UnplacedMoney struct {
	ID             string     `json:"id" format:"uuid"`
	Amount         string     `json:"amount" doc:"US dollars"`
	BankReference  string     `json:"bankReference"`
	ReceivedOn     string     `json:"receivedOn" doc:"YYYY-MM-DD"`
	Rail           string     `json:"rail" doc:"the payment method it came by"`
	Sender         string     `json:"sender" doc:"what the bank says of who sent it"`
	Note           string     `json:"note"`
	Status         string     `json:"status" enum:"open,placed,credited,sent_back"`
	BeingPlaced    bool       `json:"beingPlaced" doc:"an order is about to take it"`
	OpenedBy       string     `json:"openedBy"`
	FromOrderID    *string    `json:"fromOrderId" format:"uuid" doc:"where it had been confirmed before"`
	FromReference  string     `json:"fromReference"`
	OrderID        *string    `json:"orderId" format:"uuid"`
	OrderReference string     `json:"orderReference"`
	CustomerID     *string    `json:"customerId" format:"uuid"`
	CustomerEmail  string     `json:"customerEmail"`
	SentReference  *string    `json:"sentReference" doc:"of the payment that sent it back"`
	Restored       bool       `json:"restored" doc:"of a restored backup: the bank may have sent it back"`
	CreatedAt      time.Time  `json:"createdAt"`
	ClosedAt       *time.Time `json:"closedAt"`

	Proposal   *payoutapi.OpenMoneyProposal `json:"proposal" doc:"what waits for a second person"`
	Returnable string                       `json:"returnable" doc:"US dollars of it that its bank can still take back; 0.00 unless it was credited"`
	Returns    []MoneyRecall                `json:"returns" doc:"what the bank took back after it was credited, oldest first"`
	Actions    []string                     `json:"actions" doc:"what the signed-in person can do now: place, credit, send_back, recall, approve, reject, withdraw"`
}

// MoneyRecall is credited money that the bank took back: a claim on the customer whom it was credited to.
type MoneyRecall struct {
	ID            string     `json:"id" format:"uuid"`
	Reference     string     `json:"reference" doc:"what the customer knows it by"`
	Amount        string     `json:"amount" doc:"US dollars"`
	Owed          string     `json:"owed" doc:"US dollars that the balance did not cover as it was booked"`
	BankReference string     `json:"bankReference"`
	ReturnedOn    string     `json:"returnedOn" doc:"YYYY-MM-DD"`
	Code          string     `json:"code" doc:"the bank's reason"`
	At            time.Time  `json:"at"`
	ReinstatedAt  *time.Time `json:"reinstatedAt"`
}

// NewUnplacedMoney is money that belongs to no order, as the bank shows it.
type NewUnplacedMoney struct {
	Amount        string `json:"amount" maxLength:"64" doc:"US dollars"`
	BankReference string `json:"bankReference" minLength:"1" maxLength:"100" doc:"unique at our bank"`
	ReceivedOn    string `json:"receivedOn" format:"date" doc:"YYYY-MM-DD"`
	Rail          string `json:"rail" maxLength:"40" doc:"the payment method it came by"`
	Sender        string `json:"sender,omitempty" maxLength:"200" doc:"what the bank says of who sent it"`
	Note          string `json:"note,omitempty" maxLength:"500"`
}

// MoneyPlacement is on which order unplaced money is to be confirmed.
type MoneyPlacement struct {
	Order     string `json:"order" minLength:"1" maxLength:"64" doc:"its reference or id"`
	Reason    string `json:"reason" minLength:"1" maxLength:"500"`
	Statement string `json:"statement,omitempty" maxLength:"500" doc:"what the bank's statement shows; for restored money"`
}

// MoneyCredit is to whose balance unplaced money is to be credited.
type MoneyCredit struct {
	Customer  string `json:"customer" minLength:"1" maxLength:"320" doc:"their id or e-mail address"`
	Reason    string `json:"reason" minLength:"1" maxLength:"500"`
	Statement string `json:"statement,omitempty" maxLength:"500" doc:"what the bank's statement shows; for restored money"`
}

// MoneySentBack is the payment that returned unplaced money to its sender.
type MoneySentBack struct {
	BankReference string `json:"bankReference" minLength:"1" maxLength:"100" doc:"of the outgoing payment"`
	SentOn        string `json:"sentOn" format:"date" doc:"YYYY-MM-DD"`
	Reason        string `json:"reason" minLength:"1" maxLength:"500"`
}

// ReceiptReversal undoes a receipt that was confirmed on the wrong order.
type ReceiptReversal struct {
	Kept   bool   `json:"kept,omitempty" doc:"the money is at our bank all the same: it becomes unplaced money"`
	Order  string `json:"order,omitempty" maxLength:"64" doc:"reference or id of the order it belongs to"`
	Reason string `json:"reason" minLength:"1" maxLength:"500"`
}

// ReturnedMoney is the part of a receipt, or of credited money, that the bank recalled.
type ReturnedMoney struct {
	Amount        string `json:"amount" maxLength:"64" doc:"US dollars"`
	BankReference string `json:"bankReference" minLength:"1" maxLength:"100" doc:"of the return"`
	ReturnedOn    string `json:"returnedOn" format:"date" doc:"YYYY-MM-DD"`
	Code          string `json:"code" minLength:"1" maxLength:"40" doc:"the bank's reason, such as R01"`
	Reason        string `json:"reason" minLength:"1" maxLength:"500"`
}

// ReinstatedMoney is money that a bank returned after it had recalled it.
type ReinstatedMoney struct {
	BankReference string `json:"bankReference" minLength:"1" maxLength:"100"`
	ReinstatedOn  string `json:"reinstatedOn" format:"date" doc:"YYYY-MM-DD"`
	Reason        string `json:"reason" minLength:"1" maxLength:"500"`
}

// NewGiftCardClaim is a claim on the customer of a gift card that was found used after we paid for it.
type NewGiftCardClaim struct {
	Amount        string `json:"amount" maxLength:"64" doc:"US dollars; at most what we lost on the card"`
	TakenBack     string `json:"takenBack,omitempty" maxLength:"64" doc:"US dollars of the proceeds that the buyer took back"`
	BankReference string `json:"bankReference,omitempty" maxLength:"100" doc:"of what the buyer took back"`
	Reason        string `json:"reason" minLength:"1" maxLength:"500" doc:"the customer reads it"`
}

// GiftCardClaimReversal credits a claim to its customer again.
type GiftCardClaimReversal struct {
	PaidAgain     string `json:"paidAgain,omitempty" maxLength:"64" doc:"US dollars that the buyer paid after the claim"`
	BankReference string `json:"bankReference,omitempty" maxLength:"100" doc:"of what the buyer paid after the claim"`
	Reason        string `json:"reason" minLength:"1" maxLength:"500" doc:"the customer reads it"`
}

// JournalEntryLine moves an amount from one account to another.
type JournalEntryLine struct {
	From     string        `json:"from" minLength:"1" maxLength:"80"`
	To       string        `json:"to" minLength:"1" maxLength:"80"`
	Currency rest.Currency `json:"currency"`
	Amount   string        `json:"amount" maxLength:"64" doc:"whole dollars or coins"`
}

// JournalEntry is a manual entry in the books.
type JournalEntry struct {
	Lines      []JournalEntryLine `json:"lines" minItems:"1" maxItems:"20"`
	DocumentID string             `json:"documentId" format:"uuid" doc:"a picture of what stands behind it"`
	Reason     string             `json:"reason" minLength:"1" maxLength:"500"`
}

// MoneyDocument is a picture that was kept.
type MoneyDocument struct {
	ID string `json:"id" format:"uuid"`
}

// MoneyAct is what a proposal would do; what does not belong to its kind is empty.
type MoneyAct struct {
	ReceiptID     string             `json:"receiptId,omitempty"`
	ReturnID      string             `json:"returnId,omitempty"`
	MoneyID       string             `json:"moneyId,omitempty"`
	PayoutID      string             `json:"payoutId,omitempty"`
	RedemptionID  string             `json:"redemptionId,omitempty"`
	CardID        string             `json:"cardId,omitempty"`
	Evidence      string             `json:"evidence,omitempty"`
	Statement     string             `json:"statement,omitempty" doc:"what the bank's statement shows"`
	OrderID       string             `json:"orderId,omitempty"`
	CustomerID    string             `json:"customerId,omitempty"`
	Kept          bool               `json:"kept,omitempty"`
	Amount        string             `json:"amount,omitempty"`
	TakenBack     string             `json:"takenBack,omitempty" doc:"US dollars of a card's proceeds that its buyer took back"`
	PaidAgain     string             `json:"paidAgain,omitempty" doc:"US dollars that a card's buyer paid after the claim"`
	BankReference string             `json:"bankReference,omitempty"`
	On            string             `json:"on,omitempty" doc:"YYYY-MM-DD"`
	Code          string             `json:"code,omitempty"`
	Lines         []JournalEntryLine `json:"lines,omitempty"`
}

// MoneyProposalKind is a kind of act that needs two people.
type MoneyProposalKind string

// moneyProposalKinds lists them.
var moneyProposalKinds = []string{"reverse_receipt", "bank_return", "reinstate_return", "place_money", "credit_money", "recall_money",
	"send_back_money", "journal", "return_payout", "transfer_dead", "claim_card", "reverse_card_claim"}

// Schema implements huma.SchemaProvider.
func (MoneyProposalKind) Schema(huma.Registry) *huma.Schema { return rest.Listed(moneyProposalKinds) }

// MoneyProposal is what one person proposed and another decides.
type MoneyProposal struct {
	ID         string            `json:"id" format:"uuid"`
	Kind       MoneyProposalKind `json:"kind"`
	Act        MoneyAct          `json:"act"`
	OrderID    *string           `json:"orderId" format:"uuid" doc:"the order whose coin waits for it"`
	Reference  string            `json:"reference" doc:"of that order"`
	DocumentID *string           `json:"documentId" format:"uuid"`
	Reason     string            `json:"reason"`
	Proposer   string            `json:"proposer"`
	CreatedAt  time.Time         `json:"createdAt"`
	Status     string            `json:"status" enum:"open,approved,rejected,withdrawn,lapsed"`
	Decider    string            `json:"decider"`
	DecidedAt  *time.Time        `json:"decidedAt"`
	Answer     string            `json:"answer"`
	Actions    []string          `json:"actions" doc:"what the signed-in person can do now: approve, reject, withdraw"`
}

// MoneyProposed is a proposal that was written down.
type MoneyProposed struct {
	ID string `json:"id" format:"uuid"`
}

// MoneyApproval is the approval of a proposal about money.
type MoneyApproval struct {
	Reason  string `json:"reason,omitempty" maxLength:"500"`
	Version string `json:"version,omitempty" maxLength:"24000" doc:"of GET /api/admin/approvals: what was shown; another one is refused, 409"`
}

// MoneyDecided is the state of an approved act.
type MoneyDecided struct {
	Done bool `json:"done" doc:"false while the workflow of the order or payout has yet to take the money"`
}

// MoneySummary counts what waits for staff.
type MoneySummary struct {
	Unplaced  int `json:"unplaced" doc:"open cases of money that nobody could place"`
	Proposals int `json:"proposals" doc:"that wait for a second person"`
}
