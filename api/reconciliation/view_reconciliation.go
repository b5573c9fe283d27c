package reconciliation

import (
	"time"

	"github.com/danielgtaylor/huma/v2"

	ledgerapi "github.com/tradepost/tradepost/api/ledger"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/reconciliation"
)

// BreakCause is a break's most likely cause.
type BreakCause string

// Schema implements huma.SchemaProvider.
func (BreakCause) Schema(huma.Registry) *huma.Schema { return rest.Listed(reconciliation.BreakCauses) }

// ReconciliationBreak is an effect on which the ledger and its provider's statement
// do not agree. Amounts are by how much what we have there changed.
type ReconciliationBreak struct {
	ID         string     `json:"id" format:"uuid"`
	Holder     string     `json:"holder" enum:"stripe,kraken,bitgo"`
	Kind       string     `json:"kind" doc:"charge, refund, dispute, payout, fill, withdraw, deposit, transfer, by_hand, receipt, other, unsettled, unread, or booking"`
	Subject    string     `json:"subject" doc:"what its holder calls it"`
	URL        *string    `json:"url" doc:"its page at the holder"`
	Cause      BreakCause `json:"cause" doc:"what it most likely comes from"`
	Currency   string     `json:"currency"`
	Booked     string     `json:"booked" doc:"what the ledger has of it"`
	Told       string     `json:"told" doc:"what the statement says"`
	Difference string     `json:"difference" doc:"what is missing in the ledger; negative when too much is booked"`
	ObjectKind *string    `json:"objectKind" doc:"order, voucher or treasury_move"`
	ObjectID   *string    `json:"objectId" format:"uuid"`
	Reference  *string    `json:"reference"`
	Opposite   *string    `json:"opposite" format:"uuid" doc:"another open break of the same amount with the opposite sign: probably the other side of one transaction"`
	LastAt     time.Time  `json:"lastAt" doc:"the newest that either side says"`
	CreatedAt  time.Time  `json:"createdAt" doc:"when it was found"`
	Actions    []string   `json:"actions" doc:"what the signed-in person can do now: resolve, approve, reject, withdraw"`
	Accounts   []string   `json:"accounts" doc:"of the ledger, that can bear the difference"`

	Wanted  *BreakWanted `json:"wanted" doc:"what waits for a second person"`
	Outcome *string      `json:"outcome" enum:"agreed,booked,ended"`
	// of one that a person booked
	Account  *string    `json:"account"`
	Reason   *string    `json:"reason"`
	ClosedBy *string    `json:"closedBy"`
	ClosedAt *time.Time `json:"closedAt"`
}

// BreakWanted is a proposed booking.
type BreakWanted struct {
	Account string    `json:"account"`
	Reason  string    `json:"reason"`
	By      string    `json:"by"`
	At      time.Time `json:"at"`
}

// ReportedLine is a line of a provider's statement.
type ToldLine struct {
	ID     string    `json:"id"`
	Kind   string    `json:"kind"`
	State  string    `json:"state" doc:"the holder's word"`
	At     time.Time `json:"at"`
	Amount string    `json:"amount"`
	Ours   *string   `json:"ours" doc:"our identity for it"`
	TxID   *string   `json:"txid"`
}

// BreakDetail is a break with both sides of it, line by line.
type BreakDetail struct {
	ReconciliationBreak
	ToldLines   []ToldLine                `json:"toldLines"`
	BookedLines []ledgerapi.BookedPosting `json:"bookedLines" doc:"at the holder, of the object it is about"`
	Story       []BreakEvent              `json:"story" doc:"what happened to it, from its beginning"`
	// whose the order or voucher is
	CustomerID    *string `json:"customerId" format:"uuid"`
	CustomerEmail *string `json:"customerEmail"`
}

// BreakEventKind is what an event of a break's timeline reports.
type BreakEventKind string

// Schema implements huma.SchemaProvider.
func (BreakEventKind) Schema(huma.Registry) *huma.Schema {
	return rest.Listed(reconciliation.BreakEvents)
}

// BreakEvent is one step of a break's timeline.
type BreakEvent struct {
	At      time.Time      `json:"at"`
	Kind    BreakEventKind `json:"kind"`
	Actor   *string        `json:"actor" doc:"the e-mail address of who did it; null: the system"`
	Account *string        `json:"account" doc:"that was to bear the difference"`
	Amount  *string        `json:"amount" doc:"the difference then"`
	Reason  *string        `json:"reason"`
	Other   *string        `json:"other" format:"uuid" doc:"another break of the same effect"`
}

// HolderReconciled is how far a provider's statement was read, and its state.
type HolderReconciled struct {
	Holder    string     `json:"holder" enum:"stripe,kraken,bitgo"`
	ReadTo    *time.Time `json:"readTo" doc:"the end of what was read"`
	Open      int        `json:"open" doc:"breaks"`
	Oldest    *time.Time `json:"oldest"`
	Agreed    int        `json:"agreed" doc:"breaks that time closed"`
	Booked    int        `json:"booked" doc:"breaks that a person closed"`
	Unsettled int        `json:"unsettled" doc:"lines that may still change"`
	Differing int        `json:"differing" doc:"effects in what was read that differ, and are no break yet"`
	BreakAt   *time.Time `json:"breakAt" doc:"when the first of them becomes a break"`
}

// ReconciliationSummary is the state of statements and books.
type ReconciliationSummary struct {
	ComparedAt *time.Time         `json:"comparedAt"`
	Holders    []HolderReconciled `json:"holders"`
	TwoAbove   string             `json:"twoAbove" doc:"dollars: what is worth more needs a second person"`
}

// BreakResolution books a break's difference.
type BreakResolution struct {
	Account    string `json:"account" maxLength:"60" doc:"of the ledger, that bears the difference"`
	Difference string `json:"difference" maxLength:"60" doc:"as it was looked at"`
	Reason     string `json:"reason" maxLength:"500"`
}

// BreakApproval approves the booking that another person proposed.
type BreakApproval struct {
	Difference string `json:"difference" maxLength:"60" doc:"as it was looked at"`
	Account    string `json:"account" maxLength:"60" doc:"that was proposed, as it was looked at"`
	Reason     string `json:"reason,omitempty" maxLength:"500"`
	Version    string `json:"version,omitempty" maxLength:"24000" doc:"of GET /api/admin/approvals: what was shown; another one is refused, 409"`
}

// BreakResolved is how a break was resolved.
type BreakResolved struct {
	Waiting bool `json:"waiting" doc:"a second person has to approve it"`
}

// Comparing means that statements are being compared.
type Comparing struct {
	Started bool `json:"started"`
}
