package customer

import (
	"time"

	accountapi "github.com/tradepost/tradepost/api/account"
	ledgerapi "github.com/tradepost/tradepost/api/ledger"
)

// AdminCustomer is a customer in the list (rules §1).
type AdminCustomer struct {
	ID            string     `json:"id" format:"uuid"`
	Name          *string    `json:"name" doc:"null for one without a name"`
	Email         string     `json:"email"`
	KYCStatus     string     `json:"kycStatus" enum:"not_started,pending,verified,enhanced,rejected"`
	VolumeTier    string     `json:"volumeTier" doc:"bronze, silver, gold or platinum"`
	TierUntil     *time.Time `json:"tierUntil" doc:"until when a tier set by hand stands; null when it follows the volume"`
	TotalVolume30 string     `json:"totalVolume30Days" doc:"US dollars: orders paid in the last 30 days (UTC), without those given back"`
	CountryCode   *string    `json:"countryCode"`
	Frozen        bool       `json:"frozen"`
	Version       int        `json:"version" doc:"to be named by who changes it"`
	CreatedAt     time.Time  `json:"createdAt"`
}

// CustomersSummary counts all customers that the search finds.
type CustomersSummary struct {
	Total           int `json:"total"`
	Verified        int `json:"verified" doc:"standard or enhanced"`
	Premium         int `json:"premium" doc:"gold or platinum"`
	PendingKYC      int `json:"pendingKyc"`
	MatchingFilters int `json:"matchingFilters"`
}

// AdminCustomerStats are a customer's figures of all time.
type AdminCustomerStats struct {
	TotalOrders   int        `json:"totalOrders" doc:"that were paid and not given back; the figures below are of these"`
	TotalVolume   string     `json:"totalVolume" doc:"US dollars"`
	AvgOrderSize  string     `json:"avgOrderSize" doc:"US dollars"`
	LastOrderDate *time.Time `json:"lastOrderDate"`
	UnpaidOrders  int        `json:"unpaidOrders" doc:"all other orders they placed"`
}

// AdminCustomerDetail is a customer with all that staff decide from.
type AdminCustomerDetail struct {
	AdminCustomer
	Flags        []string                   `json:"flags" doc:"frozen, restricted, closed, kyc_rejected, owes_us, disputed, cards_declined"`
	FrozenAt     *time.Time                 `json:"frozenAt"`
	FrozenReason *string                    `json:"frozenReason"`
	Identity     *CustomerIdentity          `json:"identity" doc:"null before they begin"`
	Stats        AdminCustomerStats         `json:"stats"`
	Balance      string                     `json:"balance" doc:"US dollars"`
	Reserved     string                     `json:"reserved" doc:"US dollars set aside for payouts"`
	Receivable   string                     `json:"receivable" doc:"US dollars they owe us"`
	Entries      []ledgerapi.BalanceEntry   `json:"entries" doc:"the newest changes of their balance"`
	Trades       []CustomerTrade            `json:"trades" doc:"their newest orders, gift cards and vouchers"`
	Tickets      []CustomerTicket           `json:"tickets" doc:"the newest"`
	Sessions     []accountapi.ActiveSession `json:"sessions" doc:"where they are signed in"`
	Consents     []accountapi.Consent       `json:"consents" doc:"versions of legal texts that they have agreed to, newest first"`
	Notes        []CustomerNote             `json:"notes" doc:"of staff, newest first"`
	Actions      []string                   `json:"actions" doc:"what the signed-in person can do: tier, freeze, unfreeze, sign_out, note"`
}

// CustomerIdentity is the state of a customer's verification.
type CustomerIdentity struct {
	Level     string     `json:"level" enum:"none,standard,enhanced" doc:"in force"`
	Status    string     `json:"status" enum:"not_started,pending,approved,rejected" doc:"of the current attempt"`
	ExpiresAt *time.Time `json:"expiresAt"`
}

// CustomerTrade is a line of what a customer did.
type CustomerTrade struct {
	ID         string    `json:"id" format:"uuid"`
	Kind       string    `json:"kind" enum:"crypto_swap,gift_card,voucher"`
	Reference  string    `json:"reference"`
	Amount     string    `json:"amount" doc:"US dollars"`
	Status     string    `json:"status" enum:"pending,payment_processing,completed,failed,cancelled"`
	Resolution *string   `json:"resolution" doc:"how an order ended that was not delivered: declined, cancelled, expired or refunded"`
	Authorised bool      `json:"authorised" doc:"an order whose card holds the amount, and which we have yet to accept"`
	CreatedAt  time.Time `json:"createdAt"`
}

// CustomerTicket is a line of a customer's tickets.
type CustomerTicket struct {
	ID        string    `json:"id" format:"uuid"`
	Reference string    `json:"reference"`
	Subject   string    `json:"subject"`
	Status    string    `json:"status" enum:"open,in_progress,closed"`
	CreatedAt time.Time `json:"createdAt"`
}

// CustomerNote is a staff member's note about a customer.
type CustomerNote struct {
	ID        string    `json:"id" format:"uuid"`
	Author    string    `json:"author"`
	Body      string    `json:"body"`
	CreatedAt time.Time `json:"createdAt"`
}

// TierChange sets a customer's volume tier by hand.
type TierChange struct {
	VolumeTier string     `json:"volumeTier" enum:"bronze,silver,gold,platinum"`
	Until      *time.Time `json:"until,omitempty" doc:"until when it stands; 90 days when left out"`
	Version    *int       `json:"version,omitempty" minimum:"1" doc:"of the customer, as the chooser saw it"`
	Reason     string     `json:"reason,omitempty" maxLength:"500"`
}

// CustomerReason is the reason of an action on a customer.
type CustomerReason struct {
	Reason string `json:"reason" maxLength:"500"`
}

// NewCustomerNote is a note about a customer.
type NewCustomerNote struct {
	Body string `json:"body" maxLength:"2000"`
}

// Unfrozen is what resumes when a customer is unfrozen.
type Unfrozen struct {
	TookOn int `json:"tookOn" doc:"orders and redemptions that had parked"`
}
