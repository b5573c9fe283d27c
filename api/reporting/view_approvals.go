package reporting

import (
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/casework"
)

// ApprovalKind is a kind of decision that waits for a second person.
type ApprovalKind string

// ApprovalKindFilter is one of the kinds, or all.
type ApprovalKindFilter string

func approvalKinds() (names []string) {
	for _, rules := range casework.ApprovalKinds() {
		names = append(names, string(rules.Kind))
	}
	return names
}

// Schema implements huma.SchemaProvider.
func (ApprovalKind) Schema(huma.Registry) *huma.Schema { return rest.Listed(approvalKinds()) }

// Schema implements huma.SchemaProvider.
func (ApprovalKindFilter) Schema(huma.Registry) *huma.Schema { return rest.OrAll(approvalKinds()) }

// Approval is what a second person decides about, with all that they need for it.
type Approval struct {
	ID            string           `json:"id" doc:"what the approving operation names: a proposal, a payout, a batch"`
	Kind          ApprovalKind     `json:"kind"`
	Act           string           `json:"act" doc:"which act of its kind"`
	Title         string           `json:"title"`
	Since         time.Time        `json:"since"`
	Amount        string           `json:"amount" doc:"whole dollars or coins; empty where there is none"`
	Currency      string           `json:"currency"`
	Coins         string           `json:"coins" doc:"the crypto that it is about; empty where there is none"`
	Asset         string           `json:"asset"`
	CustomerID    *string          `json:"customerId" format:"uuid"`
	Customer      string           `json:"customer" doc:"their name, or their address"`
	CustomerEmail string           `json:"customerEmail"`
	ObjectKind    string           `json:"objectKind" doc:"what it is about: order, payout, gift_card, voucher, voucher_batch, break, treasury_move, team, two_factor; or empty"`
	ObjectID      *string          `json:"objectId" format:"uuid"`
	Reference     string           `json:"reference" doc:"of that"`
	BankReference string           `json:"bankReference" doc:"of the bank line that it rests on"`
	BankDate      string           `json:"bankDate" doc:"its value date, YYYY-MM-DD"`
	BankSender    string           `json:"bankSender" doc:"who sent the money, as the bank states it"`
	Reason        string           `json:"reason"`
	DocumentID    *string          `json:"documentId" format:"uuid" doc:"a picture of what stands behind it"`
	Details       []ApprovalDetail `json:"details" doc:"further facts of its act"`
	Lines         []ApprovalLine   `json:"lines" doc:"of a journal entry"`
	Proposer      string           `json:"proposer" doc:"who began it; empty where the system did"`
	Version       string           `json:"version" doc:"names all of this; an approval repeats it"`
	MayDecide     bool             `json:"mayDecide" doc:"whether the signed-in person may decide"`
	Rule          *string          `json:"rule" enum:"role,frozen,own_account,own_proposal,own_receipt,own_credit,own_identity" doc:"the rule that bars the signed-in person"`
	Eligible      int              `json:"eligible" doc:"how many members of staff may decide"`
	Barred        []ApprovalBar    `json:"barred" doc:"when nobody may: which rule bars whom"`
}

// ApprovalDetail is a further fact of an approval.
type ApprovalDetail struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// ApprovalLine is a line of a journal entry.
type ApprovalLine struct {
	From     string `json:"from"`
	To       string `json:"to"`
	Currency string `json:"currency"`
	Amount   string `json:"amount"`
}

// ApprovalBar is the rule that bars a member of staff.
type ApprovalBar struct {
	Name string `json:"name"`
	Rule string `json:"rule" enum:"role,frozen,own_account,own_proposal,own_receipt,own_credit,own_identity"`
	Text string `json:"text"`
}
