package risk

import (
	"time"

	orderapi "github.com/tradepost/tradepost/api/order"
)

// RiskReview is an order or a redemption under compliance review, or after it.
type RiskReview struct {
	ID            string                `json:"id" format:"uuid"`
	Kind          string                `json:"kind" enum:"order,voucher"`
	ObjectID      string                `json:"objectId" format:"uuid" doc:"the order's, or the redemption's"`
	Reference     string                `json:"reference"`
	Status        string                `json:"status" doc:"where it stands"`
	UserID        string                `json:"userId" format:"uuid"`
	CustomerEmail string                `json:"customerEmail"`
	Asset         string                `json:"asset"`
	Amount        string                `json:"amount"`
	Total         string                `json:"total" doc:"US dollars"`
	Network       string                `json:"network"`
	DestAddress   string                `json:"destAddress"`
	Score         int                   `json:"score"`
	Reasons       []orderapi.RiskReason `json:"reasons"`
	Waits         bool                  `json:"waits" doc:"it stands still until somebody decides; one that does not may not be paid yet"`
	Deciding      bool                  `json:"deciding" doc:"a decision about it is being carried out"`
	Actions       []string              `json:"actions" doc:"what the signed-in person can do now"`
	Outcome       *string               `json:"outcome" enum:"released,refused,ended"`
	DecidedBy     *string               `json:"decidedBy"`
	Reason        string                `json:"reason"`
	FirstBy       *string               `json:"firstBy" doc:"who released it as the first of two people; another one has to release it too"`
	FirstReason   string                `json:"firstReason"`
	TwoAbove      string                `json:"twoAbove" doc:"US dollars of a customer and day above which a release needs a second person"`
	CreatedAt     time.Time             `json:"createdAt"`
	ClosedAt      *time.Time            `json:"closedAt"`
}

// RiskSummary is how much compliance has to review.
type RiskSummary struct {
	Open   int        `json:"open" doc:"1000 is that many or more"`
	Oldest *time.Time `json:"oldest"`
}

// Released is the result of a release.
type Released struct {
	TookOn bool `json:"tookOn" doc:"it had parked before a step, and goes on from there"`
	Waits  bool `json:"waits" doc:"it needs a second person: nothing is released yet"`
}

// RiskRule is one of the rules, or the threshold.
type RiskRule struct {
	Code      string     `json:"code" enum:"threshold,orders_per_hour,orders_per_day,volume_per_hour,volume_per_day,new_account_large_order,shared_address,failed_payments,shared_card"`
	Enabled   bool       `json:"enabled"`
	Most      int64      `json:"most" doc:"a number, or cents: from there on it speaks against an order"`
	Hours     int        `json:"hours" doc:"how far back it looks"`
	Score     int        `json:"score"`
	Version   int        `json:"version"`
	ChangedBy *string    `json:"changedBy"`
	ChangedAt *time.Time `json:"changedAt"`
}

// RiskRuleChange changes a rule from the version that the caller saw.
type RiskRuleChange struct {
	Enabled bool   `json:"enabled"`
	Most    int64  `json:"most"`
	Hours   int    `json:"hours"`
	Score   int    `json:"score"`
	Version int    `json:"version" doc:"the version that was looked at"`
	Reason  string `json:"reason" maxLength:"500"`
}

// AddressList is what a list holds now.
type AddressList struct {
	Source    string `json:"source"`
	Addresses int    `json:"addresses"`
}

// AddressLists are the lists, and their latest imports.
type AddressLists struct {
	Lists   []AddressList   `json:"lists"`
	Imports []AddressImport `json:"imports" doc:"the latest 50, newest first"`
}

// AddressImport is what an import changed, or would change.
type AddressImport struct {
	Source     string     `json:"source"`
	Version    int        `json:"version" doc:"of a preview: the version in force"`
	Format     string     `json:"format" enum:"text,json,sdn_xml,sdn_advanced_xml"`
	SHA256     string     `json:"sha256"`
	Addresses  int        `json:"addresses" doc:"on the list then"`
	Added      int        `json:"added"`
	Removed    int        `json:"removed"`
	Unchanged  int        `json:"unchanged"`
	Refused    int        `json:"refused" doc:"entries that are no address of a network we send on"`
	RefusedAt  []int      `json:"refusedAt" doc:"the numbers of their lines, the first 50; only where the file was just read"`
	Preview    bool       `json:"preview"`
	ImportedBy *string    `json:"importedBy" doc:"null: by the command"`
	Reason     string     `json:"reason"`
	At         *time.Time `json:"at"`
}

// RiskRelease is why something is released, and what the second person was shown of the first release.
type RiskRelease struct {
	Reason  string `json:"reason,omitempty" maxLength:"500"`
	Version string `json:"version,omitempty" maxLength:"24000" doc:"of GET /api/admin/approvals: the first approval that was shown; required once another person has approved, else 409"`
}
