package reporting

import (
	"time"
)

// AdminStats are the dashboard's figures (rules §8). Amounts are US dollars.
type AdminStats struct {
	TotalUsers      int         `json:"totalUsers" doc:"accounts that are not closed"`
	ActiveTrades    int         `json:"activeTrades" doc:"orders, gift cards and voucher redemptions in a state that is not final"`
	DailyVolume     string      `json:"dailyVolume" doc:"the same as totalVolume24h"`
	PendingKYC      int         `json:"pendingKyc" doc:"verifications that are not decided"`
	ActiveVouchers  int         `json:"activeVouchers" doc:"vouchers that can be redeemed"`
	TotalVolume24h  string      `json:"totalVolume24h" doc:"totals of orders whose payment was approved in the last 24 hours"`
	TotalRevenue30d string      `json:"totalRevenue30d" doc:"fees and margins less discounts and bonuses, as the ledger recognised them in 30 days"`
	AvgMargin       *string     `json:"avgMargin" doc:"that revenue as a percentage of the volume it was earned on; null while there is none"`
	VerifiedUsers   int         `json:"verifiedUsers"`
	TotalOrders     int         `json:"totalOrders"`
	CompletedOrders int         `json:"completedOrders" doc:"sent"`
	PendingOrders   int         `json:"pendingOrders" doc:"waiting for their payment, or for its approval"`
	Changes         StatChanges `json:"changes"`
	Series          []StatDay   `json:"series" doc:"the chosen span (UTC), oldest first, now included"`
	Before          []StatDay   `json:"before" doc:"as many steps of the span before"`
	Compared        StatCompare `json:"compared"`
	At              time.Time   `json:"at"`
}

// StatCompare compares the steps of the series that are over with the same steps of
// the span before. Each figure is a signed percentage, or null when there was nothing
// to compare with.
type StatCompare struct {
	Volume      *string `json:"volume"`
	Revenue     *string `json:"revenue"`
	Margin      *string `json:"margin" doc:"in percentage points"`
	MinutesSent *string `json:"minutesToSent"`
	Since       *string `json:"since" doc:"the day of the first account where the span before began earlier: then nothing is compared"`
}

// StatChanges compare figures with the period before. Each is a signed
// percentage, or null when there was nothing to compare with.
type StatChanges struct {
	TotalUsers      *string `json:"totalUsers" doc:"over 30 days"`
	TotalVolume24h  *string `json:"totalVolume24h" doc:"to the 24 hours before"`
	TotalRevenue30d *string `json:"totalRevenue30d" doc:"to the 30 days before"`
	AvgMargin       *string `json:"avgMargin" doc:"in percentage points, to the 30 days before"`
}

// StatDay are the figures of one day, or of one hour of the last 24.
type StatDay struct {
	Day         string  `json:"day" doc:"YYYY-MM-DD, or YYYY-MM-DDTHH for an hour (UTC)"`
	Volume      string  `json:"volume" doc:"US dollars"`
	Revenue     string  `json:"revenue" doc:"US dollars"`
	Margin      *string `json:"margin" doc:"percent"`
	Sent        int     `json:"sent" doc:"orders sent"`
	MinutesSent *string `json:"minutesToSent" doc:"from the payment's approval until the coin was sent, on average; null when none was, and for an hour, as it is counted by day"`
}

// ActivityItem is one of the newest events.
type ActivityItem struct {
	ID          string    `json:"id" doc:"of the item: its type and its subject"`
	SubjectID   string    `json:"subjectId" format:"uuid" doc:"what it is about; of kyc and sign_up the customer"`
	Type        string    `json:"type" enum:"order,gift_card,voucher,payout,kyc,sign_up"`
	Description string    `json:"description"`
	Timestamp   time.Time `json:"timestamp"`
	Amount      *string   `json:"amount" doc:"US dollars; null where there is none"`
	Status      string    `json:"status" doc:"completed, pending, failed, or the thing's own word"`
	CustomerID  string    `json:"customerId" format:"uuid" doc:"whose it is"`
	Customer    string    `json:"customer" doc:"their name, or their address"`
}

// Platform is the platform's health, computed from workers, providers and prices, and the
// queues with waiting entries.
type Platform struct {
	Services  []PlatformService  `json:"services"`
	Providers []PlatformProvider `json:"providers"`
	Queues    []PlatformQueue    `json:"queues" doc:"the longest wait first; an empty queue is left out"`
	Alerts    []PlatformAlert    `json:"alerts" doc:"what has been wrong for longer than it may, the oldest first; people were called"`
	Chores    []PlatformChore    `json:"chores" doc:"what recurs beside orders, with how each did"`
	PricesAt  *time.Time         `json:"pricesAt" doc:"when the oldest of the prices was read; null while one is missing"`
	At        time.Time          `json:"at"`
}

// PlatformService is a service for customers.
type PlatformService struct {
	Name   string `json:"name" enum:"payment_processing,kyc_verification,crypto_orders,p2p_integration"`
	Status string `json:"status" enum:"operational,limited"`
	Reason string `json:"reason" doc:"why it is limited; empty otherwise"`
}

// PlatformProvider is the state of one provider.
type PlatformProvider struct {
	Name        string     `json:"name" enum:"Stripe,Kraken,BitGo,Sumsub"`
	LastSuccess *time.Time `json:"lastSuccess"`
	LastFailure *time.Time `json:"lastFailure"`
	Polled      *bool      `json:"workerRuns" doc:"whether the worker that holds its key runs; null while Temporal is away"`
}

// PlatformAlert is a problem that staff were alerted of, until it is over.
type PlatformAlert struct {
	ID       string    `json:"id" format:"uuid"`
	Kind     string    `json:"kind" enum:"stale_prices,provider_silent,ageing_queue,stuck_orders,breaks,low_treasury,overdue_chore,statement_unread,wrong_books,webhook_backlog,mails_given_up,transfer_revived,no_approver"`
	Subject  string    `json:"subject" doc:"the asset, the worker whose provider it is, the queue, or the orders' status"`
	Text     string    `json:"text"`
	Page     string    `json:"page" doc:"where to look at it, from the site's root"`
	Since    time.Time `json:"since" doc:"since when it has been so"`
	OpenedAt time.Time `json:"openedAt" doc:"when people were called"`

	AcknowledgedAt *time.Time `json:"acknowledgedAt" doc:"when somebody who was called said that they see to it"`
}

// StaffAlert is an alert in the list of alerts, open or over.
type StaffAlert struct {
	PlatformAlert
	State          string     `json:"state" enum:"open,acknowledged,past"`
	Count          int        `json:"count" doc:"of what waits or is stuck"`
	GoneAt         *time.Time `json:"goneAt" doc:"since when it is not so any more; it closes when that has lasted"`
	ClosedAt       *time.Time `json:"closedAt"`
	AcknowledgedBy *string    `json:"acknowledgedBy"`
	Note           *string    `json:"note" doc:"of who acknowledged it"`
	Actions        []string   `json:"actions" doc:"what the signed-in person can do now: acknowledge"`
}

// Acknowledgment says that one sees to an alert.
type Acknowledgment struct {
	Note string `json:"note,omitempty" maxLength:"500"`
}

// PlatformChore is the state of a recurring chore.
type PlatformChore struct {
	Name        string     `json:"name" enum:"sweep,mails,alerts,tallies,roll_up,audit_seal,webhooks,tickets,erasure,vouchers,addresses,pruning"`
	LastSuccess *time.Time `json:"lastSuccess" doc:"null when it never succeeded"`
	Error       *string    `json:"error" doc:"of the last run; null when that succeeded"`
	Progress    int64      `json:"progress" doc:"rows taken on in the last run"`
}

// PlatformQueue is a queue with waiting entries.
type PlatformQueue struct {
	Name   string    `json:"name" enum:"payments,actionable_orders,risk,gift_cards,kyc,payouts,transfers,treasury,vouchers,rewards,breaks,unplaced,money_proposals,closed_credits,tickets,recoveries,team,approvals"`
	Count  int       `json:"count"`
	Oldest time.Time `json:"oldest" doc:"since when the oldest waits"`
}
