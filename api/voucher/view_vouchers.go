package voucher

import (
	"time"

	"github.com/danielgtaylor/huma/v2"

	caseworkapi "github.com/tradepost/tradepost/api/casework"
	executionapi "github.com/tradepost/tradepost/api/execution"
	ledgerapi "github.com/tradepost/tradepost/api/ledger"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/voucher"
)

// VoucherCode is a code that a customer typed.
type VoucherCode struct {
	Code string `json:"code" maxLength:"256" doc:"16 digits, dashes allowed"`
}

// VoucherFound is a voucher that can be redeemed.
type VoucherFound struct {
	Amount        string            `json:"amount"`
	Currency      VoucherCurrency   `json:"currency"`
	ExpiresAt     time.Time         `json:"expiresAt"`
	MarginPercent string            `json:"marginPercent" doc:"on the market price, when dollars are converted; 0 for a voucher in coin"`
	NeedsIdentity bool              `json:"needsIdentity" doc:"whoever redeems it must verify their identity first"`
	Options       []VoucherEstimate `json:"options" doc:"the coins it can be redeemed for"`
}

// VoucherEstimate is a voucher's current amount in a coin.
type VoucherEstimate struct {
	CryptoType VoucherCoin `json:"cryptoType"`
	Amount     *string     `json:"amount" doc:"nothing while there is no price"`
}

// VoucherRedemption requests the redemption of a voucher.
type VoucherRedemption struct {
	Code          string `json:"code" maxLength:"256"`
	CryptoType    string `json:"cryptoType" maxLength:"10" doc:"BTC, ETH, USDT or USDC"`
	WalletAddress string `json:"walletAddress" maxLength:"200"`
}

// RedeemedVoucher is a customer's own redemption. It does not hold the code.
type RedeemedVoucher struct {
	ID            string          `json:"id" format:"uuid"`
	Reference     string          `json:"reference" doc:"short public reference, such as VR-7K3M-9QWX"`
	Amount        string          `json:"amount" doc:"what the voucher was worth"`
	Currency      VoucherCurrency `json:"currency"`
	CryptoType    VoucherCoin     `json:"cryptoType"`
	CryptoAmount  string          `json:"cryptoAmount"`
	WalletAddress string          `json:"walletAddress"`
	Network       string          `json:"network"`
	Status        string          `json:"status" enum:"accepted,fulfilling,filled,sent,restored"`
	LegacyStatus  string          `json:"legacyStatus" enum:"pending,completed,cancelled" doc:"in the words of the dashboard's transactions"`
	Delayed       bool            `json:"delayed" doc:"one of us sees to it"`
	TxID          *string         `json:"txid"`
	UnitPrice     string          `json:"unitPrice" doc:"US dollars for one coin"`
	MarginPercent string          `json:"marginPercent"`
	CreatedAt     time.Time       `json:"createdAt"`
	SentAt        *time.Time      `json:"sentAt"`
	ConfirmedAt   *time.Time      `json:"confirmedAt"`
}

// RedeemedVoucherDetail is a redemption with its timeline.
type RedeemedVoucherDetail struct {
	RedeemedVoucher
	Events []VoucherEvent `json:"events"`
}

// What vouchers are made in and pay, as the contract lists it.
type (
	VoucherCurrency       string
	VoucherCurrencyFilter string
	VoucherCoin           string
)

// Schema implements huma.SchemaProvider.
func (VoucherCurrency) Schema(huma.Registry) *huma.Schema { return rest.Listed(voucher.Currencies) }

// Schema implements huma.SchemaProvider.
func (VoucherCurrencyFilter) Schema(huma.Registry) *huma.Schema {
	return rest.OrAll(voucher.Currencies)
}

// Schema implements huma.SchemaProvider.
func (VoucherCoin) Schema(huma.Registry) *huma.Schema { return rest.Listed(voucher.RedeemedFor) }

// VoucherEventKind is what an event of a redemption's timeline reports.
type VoucherEventKind string

// Schema implements huma.SchemaProvider.
func (VoucherEventKind) Schema(huma.Registry) *huma.Schema {
	return rest.Listed(voucher.VoucherEventKinds)
}

// VoucherReason is why a redemption waits for staff.
type VoucherReason string

// Schema implements huma.SchemaProvider.
func (VoucherReason) Schema(huma.Registry) *huma.Schema {
	return rest.Listed(voucher.RedemptionReasons)
}

// VoucherEvent is one step of a redemption's timeline.
type VoucherEvent struct {
	ID       int64            `json:"id"`
	At       time.Time        `json:"at"`
	Kind     VoucherEventKind `json:"kind"`
	Actor    string           `json:"actor" enum:"system,customer,staff,provider"`
	Internal bool             `json:"internal,omitempty" doc:"for staff only"`
	Data     map[string]any   `json:"data"`
}

// NewVoucher requests one voucher: one call for each of a batch.
type NewVoucher struct {
	Amount    string     `json:"amount" maxLength:"60"`
	Currency  string     `json:"currency" maxLength:"10" doc:"USD, BTC or ETH"`
	ExpiresAt *time.Time `json:"expiresAt,omitempty" doc:"within 365 days, which is also the default"`
	BatchID   *string    `json:"batchId,omitempty" maxLength:"64" doc:"a UUID that names the batch; at most 100 vouchers"`
}

// MadeVoucher is a voucher as who made it sees it, once.
type MadeVoucher struct {
	ID        string          `json:"id" format:"uuid"`
	Reference string          `json:"reference"`
	BatchID   string          `json:"batchId" format:"uuid"`
	Code      string          `json:"code"`
	Amount    string          `json:"amount"`
	Currency  VoucherCurrency `json:"currency"`
	Status    string          `json:"status" enum:"awaiting_approval,active"`
	ExpiresAt time.Time       `json:"expiresAt"`
	CreatedAt time.Time       `json:"createdAt"`
}

// NewVoucherBatch requests a batch of equal vouchers.
type NewVoucherBatch struct {
	Amount    string     `json:"amount" maxLength:"60" doc:"of each voucher"`
	Currency  string     `json:"currency" maxLength:"10" doc:"USD, BTC or ETH"`
	Quantity  int        `json:"quantity" doc:"1 to 100"`
	Purpose   string     `json:"purpose" maxLength:"500" doc:"what the vouchers are for; shown to the approver"`
	ExpiresAt *time.Time `json:"expiresAt,omitempty" doc:"within 365 days, which is also the default"`
}

// MadeVoucherBatch is a batch that was made. Only the export holds its codes.
type MadeVoucherBatch struct {
	ID        string          `json:"id" format:"uuid"`
	Quantity  int             `json:"quantity"`
	Amount    string          `json:"amount" doc:"of each voucher"`
	Currency  VoucherCurrency `json:"currency"`
	Total     string          `json:"total" doc:"US dollars of all vouchers"`
	Status    string          `json:"status" enum:"awaiting_approval,active" doc:"of the batch as a whole"`
	ExpiresAt time.Time       `json:"expiresAt"`
	CreatedAt time.Time       `json:"createdAt"`
}

// AdminVoucher is a voucher as staff see it: without its code.
type AdminVoucher struct {
	ID         string                `json:"id" format:"uuid"`
	Reference  string                `json:"reference"`
	Last4      *string               `json:"last4" doc:"last digits of the code; null for an old one that ended"`
	BatchID    string                `json:"batchId" format:"uuid"`
	Amount     string                `json:"amount"`
	Currency   VoucherCurrency       `json:"currency"`
	USDValue   string                `json:"usdValue" doc:"what it was worth as it was made"`
	Status     string                `json:"status" enum:"awaiting_approval,active,redeemed,paid,voided,expired"`
	ExpiresAt  time.Time             `json:"expiresAt"`
	CreatedBy  string                `json:"createdBy" doc:"e-mail"`
	ApprovedBy *string               `json:"approvedBy" doc:"e-mail"`
	EndReason  *string               `json:"endReason"`
	Redemption *AdminRedemption      `json:"redemption" doc:"the one that counts now"`
	Decision   *caseworkapi.Decision `json:"decision" doc:"one that is being carried out"`
	WaitsSince *time.Time            `json:"waitsSince" doc:"since when staff can act on it; null when they cannot"`
	Actions    []string              `json:"actions" doc:"what the signed-in person can do: approve, void, resume, restore"`
	CreatedAt  time.Time             `json:"createdAt"`
	UpdatedAt  time.Time             `json:"updatedAt"`
}

// AdminRedemption is a redemption as staff see it.
type AdminRedemption struct {
	RedeemedVoucher
	UserID      string        `json:"userId" format:"uuid"`
	Customer    string        `json:"customer" doc:"e-mail"`
	Attention   VoucherReason `json:"attention,omitempty" doc:"why it waits for a person, or is looked at by one"`
	Since       *time.Time    `json:"attentionSince"`
	RetryCount  int           `json:"retryCount"`
	LastError   *string       `json:"lastError"`
	WorkflowURL *string       `json:"workflowUrl"`
}

// AdminVoucherDetail is a voucher with all records of its redemption.
type AdminVoucherDetail struct {
	AdminVoucher
	Events    []VoucherEvent                 `json:"events"`
	Decisions []caseworkapi.TakenDecision    `json:"decisions"`
	Postings  []ledgerapi.LedgerPosting      `json:"postings" doc:"empty for who may not read the ledger"`
	Transfers []executionapi.AdminWithdrawal `json:"transfers"`
}

// VouchersSummary are the figures of the statistics card, and counts by status.
type VouchersSummary struct {
	Total            int            `json:"total" doc:"of those that the search, the currency and the batch let through"`
	ByStatus         map[string]int `json:"byStatus" doc:"of those too"`
	RedeemedToday    int            `json:"redeemedToday"`
	RedeemedValue    string         `json:"redeemedTodayValue" doc:"US dollars"`
	TotalValue       string         `json:"totalValue" doc:"US dollars of all vouchers that could be redeemed, were or can be"`
	OutstandingValue string         `json:"outstandingValue" doc:"US dollars of those that can be redeemed"`
	SuccessRate      *string        `json:"successRate" doc:"percent of ended redemptions that were sent; nothing while none has ended"`
	Waiting          int            `json:"waiting" doc:"redemptions that wait for a person"`
	Actionable       int            `json:"actionable" doc:"those that staff can act on now, of those that the search, the currency and the batch let through"`
	MatchingFilters  int            `json:"matchingFilters"`
}

// VoucherVoid is why a voucher is ended.
type VoucherVoid struct {
	Reason string `json:"reason" maxLength:"500"`
}

// VouchersApproved is how many vouchers of a batch can be redeemed now.
type VouchersApproved struct {
	Approved int `json:"approved"`
}

// AdminVoucherBatch is a batch of vouchers as staff see it.
type AdminVoucherBatch struct {
	ID         string            `json:"id" format:"uuid"`
	CreatedBy  string            `json:"createdBy" doc:"e-mail"`
	CreatedAt  time.Time         `json:"createdAt"`
	Purpose    string            `json:"purpose" doc:"empty: made voucher by voucher"`
	ApprovedBy *string           `json:"approvedBy" doc:"e-mail of the second admin; null where none was needed, or none has yet"`
	ApprovedAt *time.Time        `json:"approvedAt"`
	AskedBy    *string           `json:"askedBy" doc:"e-mail of who wants it voided, while another admin has to agree"`
	AskedAt    *time.Time        `json:"askedAt"`
	AskedWhy   string            `json:"askedWhy"`
	VoidedBy   *string           `json:"voidedBy" doc:"e-mail"`
	VoidedAt   *time.Time        `json:"voidedAt"`
	VoidReason string            `json:"voidReason"`
	Total      int               `json:"total"`
	ByStatus   map[string]int    `json:"byStatus"`
	Values     map[string]string `json:"values" doc:"US dollars by status, as they were worth when made"`
	Actions    []string          `json:"actions" doc:"what the signed-in person can do: approve, void, agree, refuse"`
}

// BatchVoided is the result of voiding a batch.
type BatchVoided struct {
	State   string `json:"state" enum:"voided,asked"`
	Message string `json:"message"`
	Voided  int    `json:"voided"`
	Left    int    `json:"left" doc:"redeemed, being redeemed, or ended before"`
	Value   string `json:"value" doc:"US dollars of what could be redeemed"`
}
