package payout

import (
	"time"

	"github.com/danielgtaylor/huma/v2"

	caseworkapi "github.com/tradepost/tradepost/api/casework"
	ledgerapi "github.com/tradepost/tradepost/api/ledger"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/payout"
)

// OpenMoneyProposal is an open proposal about money.
type OpenMoneyProposal struct {
	ID     string `json:"id" format:"uuid"`
	Kind   string `json:"kind"`
	Reason string `json:"reason"`
	By     string `json:"by"`
}

// NewPayout requests a part of the balance to be paid to a bank account.
type NewPayout struct {
	Amount        string `json:"amount" maxLength:"20" doc:"US dollars"`
	AccountKind   string `json:"accountKind" maxLength:"10" doc:"iban or us"`
	AccountHolder string `json:"accountHolder" maxLength:"200" doc:"as the bank knows them"`
	IBAN          string `json:"iban,omitempty" maxLength:"60"`
	RoutingNumber string `json:"routingNumber,omitempty" maxLength:"80"`
	AccountNumber string `json:"accountNumber,omitempty" maxLength:"160"`
}

// Payout is a customer's own payout.
type Payout struct {
	ID             string     `json:"id" format:"uuid"`
	Reference      string     `json:"reference" doc:"short public reference, such as PO-7K3M-9QWX"`
	Amount         string     `json:"amount" doc:"US dollars"`
	Status         string     `json:"status" enum:"unconfirmed,requested,approved,paid,rejected,cancelled,returned"`
	AccountKind    string     `json:"accountKind" enum:"iban,us"`
	AccountCountry string     `json:"accountCountry"`
	AccountLast4   string     `json:"accountLast4" doc:"the end of the account's number; nothing more of it is shown"`
	Reason         *string    `json:"reason" doc:"why it was rejected, or sent back by the bank"`
	BankReference  *string    `json:"bankReference" doc:"of the transfer, once it was made"`
	CanCancel      bool       `json:"canCancel"`
	ConfirmBy      *time.Time `json:"confirmBy" doc:"until when its customer can confirm it by the mailed link; null once they have"`
	PaidAt         *time.Time `json:"paidAt"`
	CreatedAt      time.Time  `json:"createdAt"`
	UpdatedAt      time.Time  `json:"updatedAt"`
}

// PayoutEventKind is what an event of a payout's timeline reports.
type PayoutEventKind string

// Schema implements huma.SchemaProvider.
func (PayoutEventKind) Schema(huma.Registry) *huma.Schema {
	return rest.Listed(payout.PayoutRules.Events)
}

// PayoutEvent is one step of a payout's timeline.
type PayoutEvent struct {
	ID       int64           `json:"id"`
	At       time.Time       `json:"at"`
	Kind     PayoutEventKind `json:"kind"`
	Actor    string          `json:"actor" enum:"system,customer,staff"`
	Internal bool            `json:"internal,omitempty" doc:"for staff only"`
}

// PayoutDetail is a payout with its timeline.
type PayoutDetail struct {
	Payout
	Events []PayoutEvent `json:"events"`
}

// AdminPayout is a payout as staff see it: whose account it is only by a reveal.
type AdminPayout struct {
	ID               string                `json:"id" format:"uuid"`
	Reference        string                `json:"reference"`
	UserID           string                `json:"userId" format:"uuid"`
	CustomerName     string                `json:"customerName"`
	CustomerEmail    string                `json:"customerEmail"`
	Amount           string                `json:"amount"`
	Status           string                `json:"status" enum:"unconfirmed,requested,approved,paid,rejected,cancelled,returned"`
	AccountKind      string                `json:"accountKind" enum:"iban,us"`
	AccountCountry   string                `json:"accountCountry"`
	AccountLast4     string                `json:"accountLast4"`
	AccountDestroyed bool                  `json:"accountDestroyed" doc:"whose account it is can be revealed no more"`
	Approvals        int                   `json:"approvals" doc:"people who have approved it"`
	ApprovalsNeeded  int                   `json:"approvalsNeeded"`
	HolderDiffers    bool                  `json:"holderDiffers" doc:"the account's holder does not have the verified name, so that two people have to approve"`
	Restored         bool                  `json:"restored" doc:"of a restored backup: the bank may have paid it"`
	Reason           *string               `json:"reason"`
	BankReference    *string               `json:"bankReference"`
	ReturnableUntil  *time.Time            `json:"returnableUntil" doc:"until when its bank may send it back"`
	Decision         *caseworkapi.Decision `json:"decision" doc:"one that is being carried out"`
	Actions          []string              `json:"actions" doc:"what the signed-in person can do: reveal, approve, reject, confirm, return"`
	WorkflowURL      *string               `json:"workflowUrl"`
	PaidAt           *time.Time            `json:"paidAt"`
	CreatedAt        time.Time             `json:"createdAt"`
	UpdatedAt        time.Time             `json:"updatedAt"`
}

// AdminPayoutDetail is a payout with all its records.
type AdminPayoutDetail struct {
	AdminPayout
	Events    []PayoutEvent               `json:"events"`
	Checks    []PayoutCheck               `json:"checks" doc:"what the house can tell by itself"`
	Decisions []caseworkapi.TakenDecision `json:"decisions"`
	Postings  []ledgerapi.LedgerPosting   `json:"postings" doc:"empty for who may not read the ledger"`

	CreditAlone string             `json:"creditAlone" doc:"US dollars that one person may still let in for the customer today; a return above them waits for a second one"`
	Proposal    *OpenMoneyProposal `json:"proposal" doc:"a return that waits for a second person"`
}

// PayoutCheck is a check of a payout that the platform makes by itself.
type PayoutCheck struct {
	Name   string `json:"name" enum:"holder,account,identity,owes,age,paid_before,returned_before"`
	Result string `json:"result" enum:"pass,warn,fail" doc:"what fails keeps it from being approved"`
	Count  int    `json:"count" doc:"of days or payouts, where something is counted"`
}

// PayoutsSummary counts the payouts that the search finds, by status.
type PayoutsSummary struct {
	Total           int            `json:"total"`
	ByStatus        map[string]int `json:"byStatus"`
	WaitingSum      string         `json:"waitingSum" doc:"US dollars of the payouts that wait for approval or for their transfer"`
	MatchingFilters int            `json:"matchingFilters"`
}

// PayoutAccount is whose account a payout goes to, for the member of staff who makes the
// transfer.
type PayoutAccount struct {
	AccountHolder string `json:"accountHolder"`
	IBAN          string `json:"iban,omitempty"`
	RoutingNumber string `json:"routingNumber,omitempty"`
	AccountNumber string `json:"accountNumber,omitempty"`
}

// PayoutReason is why a payout is rejected, or was returned; its customer reads it.
type PayoutReason struct {
	Reason string `json:"reason" maxLength:"500"`
}

// PayoutStatement is what the bank's statement since a restored backup shows of a payout.
type PayoutStatement struct {
	Statement string `json:"statement,omitempty" maxLength:"500" doc:"what the bank's statement shows; for a restored payout"`
}

// PayoutApproval is the version that was shown, and of a restored payout the transfer that the bank made.
type PayoutApproval struct {
	rest.ApprovedVersion
	PayoutStatement
}

// PayoutRejection is why a payout is rejected.
type PayoutRejection struct {
	PayoutReason
	PayoutStatement
}

// PayoutReturn is why a transfer was returned, and how much of it.
type PayoutReturn struct {
	PayoutReason
	Returned *string `json:"returned,omitempty" maxLength:"20" doc:"what came back, in dollars, when a bank kept a fee; without it, all"`
}

// PayoutConfirmation is the bank's reference of a transfer that was made.
type PayoutConfirmation struct {
	Reference string `json:"reference" maxLength:"100"`
}
