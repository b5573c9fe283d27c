package order

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// OrderFilter narrows a list of orders. Empty fields do not narrow.
type OrderFilter struct {
	UserID    string
	Status    OrderStatus
	State     string   // one of StateSQL
	Legacy    []string // any of these legacy statuses
	Asset     money.Currency
	NotEnded  bool // not those that were declined, cancelled, refunded, or expired
	Attention bool // only those that wait for a person
	ToAct     bool // only those that wait for their customer
	Returned  bool // only orders with returned money
	Proposed  bool // only those about which something waits for a second person
	Query     string
	// Actionable is for StaffOrders: only what staff can act on now.
	Actionable bool
}

// LegacySQL is LegacyStatus as conditions, for filters and counts.
var LegacySQL = map[string]string{
	"pending":            "orders.status = 'pending'",
	"payment_processing": "orders.status IN ('payment_approved', 'fulfilling', 'filled')",
	"completed":          "orders.status = 'sent'",
	"cancelled":          "orders.status = 'failed' AND orders.resolution IN ('declined', 'cancelled', 'expired')",
	"failed":             "orders.status = 'failed' AND (orders.resolution IS NULL OR orders.resolution = 'refunded')",
}

// stateAuthorised is the state that no tally has.
const stateAuthorised = "authorised"

// StateSQL maps state names that are no status to conditions.
var StateSQL = map[string]string{
	stateAuthorised: AuthorisedSQL,
	"declined":      "orders.status = 'failed' AND orders.resolution = 'declined'",
	"cancelled":     "orders.status = 'failed' AND orders.resolution = 'cancelled'",
	"expired":       "orders.status = 'failed' AND orders.resolution = 'expired'",
	"refunded":      "orders.status = 'failed' AND orders.resolution = 'refunded'",
}

// searches reports whether the filter has a search text.
func (f OrderFilter) searches() bool { return strings.TrimSpace(f.Query) != "" }

// over is where a filter's query runs: the plan of a text search depends on the text.
func (f OrderFilter) over(ctx context.Context, db *store.DB) *gorm.DB {
	if f.searches() {
		return db.CustomPlans(ctx)
	}
	return db.ORM(ctx)
}

// Narrow applies the filter to a query over orders.
func (f OrderFilter) Narrow(query *gorm.DB) *gorm.DB {
	if f.UserID != "" {
		query = query.Where("orders.user_id = ?", f.UserID)
	}
	if f.Status != "" {
		query = query.Where("orders.status = ?", f.Status)
	}
	if len(f.Legacy) > 0 {
		var any []string
		for _, status := range f.Legacy {
			any = append(any, "("+LegacySQL[status]+")")
		}
		query = query.Where("(" + strings.Join(any, " OR ") + ")")
	}
	if f.Asset != "" {
		query = query.Where("orders.asset = ?", f.Asset)
	}
	if f.NotEnded {
		query = query.Where("orders.resolution IS NULL")
	}
	if f.Attention {
		query = query.Where("orders.attention_reason IS NOT NULL")
	}
	if f.ToAct {
		query = query.Where(toAct)
	}
	if f.Returned {
		query = query.Where("orders.refunded > 0")
	}
	if f.State != "" {
		query = query.Where(StateSQL[f.State])
	}
	if f.Proposed {
		query = query.Where("orders.id IN (SELECT order_id FROM order_proposals WHERE status = ?)", casework.ProposalOpen)
	}
	if id := strings.ToLower(strings.TrimSpace(f.Query)); store.IsID(id) {
		query = query.Where("orders.id = ?", id) // a whole id is in no other field
	} else if coin := money.CoinNamed(id); coin != "" {
		query = query.Where("orders.asset = ?", coin)
	} else if f.searches() {
		query = query.Where("EXISTS (SELECT FROM order_search WHERE order_id = orders.id AND "+store.HoldsTyped+")", store.AsTyped(f.Query))
	}
	return query
}

// unlisted are the columns that no list of a customer's orders shows; reading them would double its cost.
var unlisted = []string{"AttentionChoices", "Held", "UnderReview", "RiskScore", "RiskReasons", "KeptFrom", "KeptUntil", "TryNextAt", "Refunded", "Reduced", "UnitPrice", "BasePrice", "PaymentFee",
	"VolumeDiscount", "BonusPercent", "QuoteID", "KrakenOrderID", "BitgoTransferID", "FailedStep", "LastError", "LastErrorAt", "NextAttemptAt", "WorkflowStartedAt", "SweptAt",
	"SentAt", "ConfirmedAt"}

// Orders is one page of the orders that match a filter, and the cursor of the next one. It reads the columns that
// lists show (all but unlisted).
func Orders(ctx context.Context, db *store.DB, f OrderFilter, p store.Page) ([]Order, *store.Cursor, error) {
	query := p.In(f.Narrow(f.over(ctx, db).Model(&Order{})).Omit(unlisted...), "orders")
	var rows []Order
	var err error
	if f.searches() { // with a plan of its own
		err = query.Find(&rows).Error
	} else {
		rows, err = store.Found[Order](ctx, db, query)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("list orders: %w", err)
	}
	rows, next := store.Cut(rows, p, func(o Order) store.Cursor { return store.Cursor{At: o.CreatedAt, ID: o.ID} })
	return rows, next, nil
}

// OrderOf reads one order of a customer; another customer's is not found.
func OrderOf(ctx context.Context, db *store.DB, userID, orderID string) (*Order, error) {
	order, err := ReadOrder(ctx, db, orderID)
	if err == nil && order.UserID != userID {
		return nil, store.NotFound("Order")
	}
	return order, err
}

// OrderCounts counts the orders that match a filter.
type OrderCounts struct {
	Total           int
	Pending         int
	PaymentApproved int
	Fulfilling      int
	Filled          int
	Sent            int
	Failed          int
	Attention       int
	FiatTotal       money.Units // totals of all of them, in cents
	FiatSent        money.Units // totals of the sent ones
}

// CountOrders counts over the whole filtered set, never over a page.
func CountOrders(ctx context.Context, db *store.DB, f OrderFilter) (OrderCounts, error) {
	var facets []store.Tallied
	var err error
	if f.Proposed || f.ToAct || f.Returned || f.State == stateAuthorised { // few, and in no tally
		err = f.Narrow(f.over(ctx, db).Table("orders")).Select("order_facet(orders) AS facet, count(*) AS n, sum(total) AS amount").Group("facet").Scan(&facets).Error
	} else if f.searches() {
		facets, err = db.CountSearch("orders", f.UserID, f.Query, func(facets *[]store.Tallied) error {
			return OrderFilter{UserID: f.UserID, Query: f.Query}.Narrow(db.CustomPlans(ctx).Table("orders")).
				Select("order_facet(orders) AS facet, count(*) AS n, sum(total) AS amount").Group("facet").Scan(facets).Error
		})
	} else {
		facets, err = db.Tally(ctx, "orders", f.UserID)
	}
	if err != nil {
		return OrderCounts{}, err
	}
	var counts OrderCounts
	for _, facet := range facets {
		if o := FromTally(facet); f.lets(&o) {
			counts.add(&o, facet)
		}
	}
	if f.Actionable {
		proposed, err := f.onlyProposed(ctx, db)
		if err != nil {
			return OrderCounts{}, err
		}
		for _, facet := range proposed {
			o := FromTally(facet)
			counts.add(&o, facet)
		}
	}
	return counts, nil
}

// lets reports whether orders of a facet pass the filter.
func (f OrderFilter) lets(o *Order) bool {
	return (f.Status == "" || f.Status == o.Status) && (f.Asset == "" || f.Asset == o.Asset) &&
		(!f.NotEnded || o.Resolution == nil) && (f.State == "" || f.State == stateAuthorised || o.Resolution != nil && string(*o.Resolution) == f.State) && (!f.Attention || o.AttentionReason != nil) && (!f.Actionable || o.isActionable()) && (len(f.Legacy) == 0 || slices.Contains(f.Legacy, LegacyStatus(o)))
}

// add adds the orders of a facet.
func (c *OrderCounts) add(o *Order, t store.Tallied) {
	byStatus := map[OrderStatus]*int{StatusPending: &c.Pending, StatusPaymentApproved: &c.PaymentApproved, StatusFulfilling: &c.Fulfilling,
		StatusFilled: &c.Filled, StatusSent: &c.Sent, StatusFailed: &c.Failed}
	if counter, known := byStatus[o.Status]; known {
		*counter += t.N
	}
	c.Total += t.N
	c.FiatTotal = c.FiatTotal.Add(t.Amount)
	if o.AttentionReason != nil {
		c.Attention += t.N
	}
	if o.Status == StatusSent {
		c.FiatSent = c.FiatSent.Add(t.Amount)
	}
}

// OpenDecisionRow is a decision that is being executed; ID is nil when there is none.
type OpenDecisionRow struct {
	DecisionID   *string
	DecisionKind *string
	DecisionAt   *time.Time
}

// StaffOrder is an order with what staff see beside it.
type StaffOrder struct {
	Order         `gorm:"embedded"`
	CustomerEmail string
	CustomerFirst string
	CustomerLast  string
	Country       string
	Payment       Payment   `gorm:"embedded;embeddedPrefix:pay_"`
	DBNow         time.Time `gorm:"column:db_now"`
	OpenDecisionRow
	OpenProposalRow
	BankHolds   bool // the bank holds the money of a dispute, so that no refund is possible
	Refunding   bool // a refund of ours is in progress
	NothingLeft bool // of what was paid, to be refunded
	InDoubt     bool // its transfer may still confirm, although custody calls it removed or replaced
}

// OpenProposalRow is a proposal that waits for a second person; ID is nil when
// there is none.
type OpenProposalRow struct {
	ProposalID     *string
	ProposalKind   string
	ProposalAmount money.Units
	ProposalReason string
	ProposalBy     string
	ProposalMaker  string // e-mail address
	ProposalAt     time.Time
	ProposalData   json.RawMessage
}

// Proposal is the open proposal as far as it is known here.
func (r OpenProposalRow) Proposal() *Proposal {
	return &Proposal{Kind: r.ProposalKind, Data: r.ProposalData}
}

const openProposal = `LEFT JOIN order_proposals ON order_proposals.order_id = orders.id AND order_proposals.status = 'open'
	LEFT JOIN users proposer ON proposer.id = order_proposals.proposed_by`

const proposalColumns = `order_proposals.id::text AS proposal_id, coalesce(order_proposals.kind, '') AS proposal_kind, coalesce(order_proposals.amount, 0) AS proposal_amount,
	coalesce(order_proposals.reason, '') AS proposal_reason, coalesce(order_proposals.proposed_by::text, '') AS proposal_by, coalesce(proposer.email, '') AS proposal_maker,
	coalesce(order_proposals.created_at, orders.created_at) AS proposal_at, coalesce(order_proposals.data, '{}') AS proposal_data`

// CustomerName is what staff call the order's customer.
func (o *StaffOrder) CustomerName() string {
	return people.PersonName(o.CustomerFirst, o.CustomerLast, o.CustomerEmail)
}

const openDecision = `LEFT JOIN decisions ON decisions.order_id = orders.id AND decisions.settled_at IS NULL`

const decisionColumns = `decisions.id::text AS decision_id, decisions.kind AS decision_kind, decisions.created_at AS decision_at`

// staffOrders is orders with their customer, the payment's few columns that
// decide what can be done, and the open decision: one query, no N+1. Refunds and transfers are counted per order: the
// planner would hash the whole table for an EXISTS.
func staffOrders(orm *gorm.DB) *gorm.DB {
	return orm.Table("orders").
		Select(`orders.*, users.email AS customer_email, users.first_name AS customer_first, users.last_name AS customer_last, users.country,
			payments.id AS pay_id, payments.order_id AS pay_order_id, payments.admin_approval_status AS pay_admin_approval_status,
			payments.authorised_at AS pay_authorised_at, payments.captured_at AS pay_captured_at,
			payments.capture_before AS pay_capture_before, payments.amount AS pay_amount, payments.received_amount AS pay_received_amount, clock_now() AS db_now,
			EXISTS (SELECT FROM disputes d
				WHERE d.order_id = orders.id AND d.closed_at IS NULL AND d.withdrawn > d.reinstated) AS bank_holds,
			(SELECT count(*) FROM refunds r
				WHERE r.order_id = orders.id AND r.done_at IS NULL AND r.origin = 'ours') > 0 AS refunding,
			orders.total <= ` + goneSQL("orders.id") + ` AS nothing_left,
			(SELECT count(*) FROM withdrawals w
				WHERE w.order_id = orders.id AND w.` + execution.InDoubtSQL + `) > 0 AS in_doubt, ` +
			decisionColumns + ", " + proposalColumns).
		Joins("JOIN users ON users.id = orders.user_id").
		Joins("JOIN payments ON payments.order_id = orders.id").
		Joins(openDecision).Joins(openProposal)
}

// StaffOrders is one page of orders as staff see them.
func StaffOrders(ctx context.Context, db *store.DB, f OrderFilter, p store.Page) ([]StaffOrder, *store.Cursor, error) {
	var rows []StaffOrder
	query := f.Narrow(staffOrders(f.over(ctx, db)))
	if f.Actionable {
		query = f.walkActionable(query, db.ORM(ctx), p)
	}
	if err := p.In(query, "orders").Find(&rows).Error; err != nil {
		return nil, nil, fmt.Errorf("list orders: %w", err)
	}
	rows, next := store.Cut(rows, p, func(o StaffOrder) store.Cursor { return store.Cursor{At: o.CreatedAt, ID: o.ID} })
	return rows, next, nil
}

// ReadStaffOrder reads one order as staff see it.
func ReadStaffOrder(ctx context.Context, db *store.DB, id string) (*StaffOrder, error) {
	if _, err := ReadOrder(ctx, db, id); err != nil {
		return nil, err
	}
	var row StaffOrder
	if err := staffOrders(db.ORM(ctx)).Where("orders.id = ?", id).Take(&row).Error; err != nil {
		return nil, fmt.Errorf("read order: %w", err)
	}
	return &row, nil
}

// OpenDecisionOf is the decision that is being executed for an order, if any.
func OpenDecisionOf(ctx context.Context, db *store.DB, orderID string) (OpenDecisionRow, error) {
	var row OpenDecisionRow
	err := db.ORM(ctx).Table("decisions").Select(decisionColumns).Where("order_id = ? AND settled_at IS NULL", orderID).Scan(&row).Error
	if err != nil {
		return OpenDecisionRow{}, fmt.Errorf("read open decision: %w", err)
	}
	return row, nil
}

// PaymentOf reads an order's payment.
func PaymentOf(ctx context.Context, db *store.DB, orderID string) (*Payment, error) {
	var payment Payment
	if err := db.ORM(ctx).Where("order_id = ?", orderID).Take(&payment).Error; err != nil {
		return nil, fmt.Errorf("read payment: %w", err)
	}
	return &payment, nil
}

// MarkWorkflowStarted records that an order's workflow was started.
func MarkWorkflowStarted(ctx context.Context, db *store.DB, orderID string) error {
	err := db.ORM(ctx).Exec(`UPDATE orders SET workflow_started_at = clock_now() WHERE id = ? AND workflow_started_at IS NULL`, orderID).Error
	if err != nil {
		return fmt.Errorf("note workflow start: %w", err)
	}
	return nil
}

// OrderRefunds reads the refunds of an order, oldest first.
func OrderRefunds(ctx context.Context, db *store.DB, orderID string) ([]Refund, error) {
	var rows []Refund
	if err := db.ORM(ctx).Where("order_id = ?", orderID).Order("sequence").Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read refunds: %w", err)
	}
	return rows, nil
}

// FromTally is one row of an order list's tally, by column.
func FromTally(t store.Tallied) (o Order) {
	words := strings.SplitN(t.Facet, "/", 4)
	if len(words) != 4 {
		return o
	}
	o.Asset, o.Status = money.Currency(words[0]), OrderStatus(words[1])
	if resolution := Resolution(words[2]); resolution != "" {
		o.Resolution = &resolution
	}
	if words[3] != "" {
		o.AttentionReason = &words[3]
	}
	return o
}
