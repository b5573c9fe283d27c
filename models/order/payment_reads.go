package order

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/lib/pq"
	"gorm.io/gorm"

	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// PaymentFilter narrows the admin's payments. Empty fields do not narrow.
type PaymentFilter struct {
	Status     ApprovalStatus
	Method     string
	Actionable bool // only what staff can decide now
	Waiting    bool // only what is pending and staff cannot decide yet
}

// StaffPayment is a payment with the columns that staff read beside it.
type StaffPayment struct {
	Payment        `gorm:"embedded"`
	Reference      string
	OrderStatus    OrderStatus
	Resolution     *string
	Attention      *string
	ClosedAt       *time.Time
	PaidAt         *time.Time
	CustomerEmail  string
	CustomerFirst  string
	CustomerLast   string
	Country        string
	UnderReview    bool
	RiskScore      int
	RiskReasons    pq.StringArray `gorm:"type:text[]"`
	ReceiptKey     *string
	CardPhotoKey   *string
	OrderCreatedAt time.Time
	DBNow          time.Time `gorm:"column:db_now"`
	OpenDecisionRow
	OpenProposalRow
}

// Order is the payment's order, as far as it is known here.
func (p *StaffPayment) Order() *Order {
	o := &Order{ID: p.OrderID, Status: p.OrderStatus, UserID: p.UserID, PaymentMethod: p.PaymentMethod, AttentionReason: p.Attention, ClosedAt: p.ClosedAt, PaidAt: p.PaidAt,
		UnderReview: p.UnderReview, RiskScore: p.RiskScore, RiskReasons: p.RiskReasons}
	if p.Resolution != nil {
		ended := Resolution(*p.Resolution)
		o.Resolution = &ended
	}
	return o
}

// CustomerName is what staff call the payment's customer.
func (p *StaffPayment) CustomerName() string {
	return people.PersonName(p.CustomerFirst, p.CustomerLast, p.CustomerEmail)
}

func (f PaymentFilter) narrow(query *gorm.DB) *gorm.DB {
	if f.Status != "" {
		query = query.Where("payments.admin_approval_status = ?", f.Status)
	}
	if f.Method != "" {
		query = query.Where("payments.payment_method = ?", f.Method)
	}
	if f.Actionable {
		query = query.Where(ActionablePayment)
	}
	if f.Waiting {
		query = query.Where(WaitingPayment)
	}
	return query
}

// newest evidence of a kind, by a lateral lookup on the evidence's index.
const newestEvidence = `LEFT JOIN LATERAL (SELECT file_key FROM evidence
	WHERE evidence.order_id = payments.order_id AND kind = '%s' AND purged_at IS NULL ORDER BY id DESC LIMIT 1) %s ON true`

func staffPayments(ctx context.Context, db *store.DB) *gorm.DB {
	return db.ORM(ctx).Table("payments").
		Select(`payments.*, orders.reference, orders.status AS order_status, orders.resolution, orders.attention_reason AS attention, orders.closed_at, orders.paid_at, orders.created_at AS order_created_at, clock_now() AS db_now,
			orders.under_review, orders.risk_score, orders.risk_reasons, users.country,
			users.email AS customer_email, users.first_name AS customer_first, users.last_name AS customer_last,
			receipt.file_key AS receipt_key, photo.file_key AS card_photo_key, ` + decisionColumns + ", " + proposalColumns).
		Joins("JOIN orders ON orders.id = payments.order_id").
		Joins("JOIN users ON users.id = payments.user_id").
		Joins(fmt.Sprintf(newestEvidence, EvidenceReceipt, "receipt")).
		Joins(fmt.Sprintf(newestEvidence, EvidenceCardPhoto, "photo")).
		Joins(openDecision).Joins(openProposal)
}

// StaffPayments is one page of payments as staff see them.
func StaffPayments(ctx context.Context, db *store.DB, f PaymentFilter, p store.Page) ([]StaffPayment, *store.Cursor, error) {
	var rows []StaffPayment
	if err := p.In(f.narrow(staffPayments(ctx, db)), "payments").Find(&rows).Error; err != nil {
		return nil, nil, fmt.Errorf("list payments: %w", err)
	}
	rows, next := store.Cut(rows, p, func(r StaffPayment) store.Cursor { return store.Cursor{At: r.CreatedAt, ID: r.ID} })
	return rows, next, nil
}

// ReadStaffPayment reads one payment, by its id or by its order's.
func ReadStaffPayment(ctx context.Context, db *store.DB, id string) (*StaffPayment, error) {
	if !store.IsID(id) {
		return nil, store.NotFound("Payment")
	}
	var row StaffPayment
	if err := staffPayments(ctx, db).Where("payments.id = @id OR payments.order_id = @id", map[string]any{"id": id}).Take(&row).Error; err != nil {
		if store.IsMissing(err) {
			return nil, store.NotFound("Payment")
		}
		return nil, fmt.Errorf("read payment: %w", err)
	}
	return &row, nil
}

// MethodCount is how many payments a method has.
type MethodCount struct {
	Method string
	Count  int
}

// PaymentCounts are the admin screen's figures: the counts by status and the value
// are over the method filter, the choices of method over the status filter, and
// matching over both.
type PaymentCounts struct {
	Total, Pending, Approved, Declined int
	Matching                           int
	Value                              money.Units   // cents
	Methods                            []MethodCount `gorm:"-"`
}

// CountPayments counts over the whole filtered set, never over a page.
func CountPayments(ctx context.Context, db *store.DB, f PaymentFilter) (PaymentCounts, error) {
	facets, err := db.Tally(ctx, "payments", "")
	if err != nil {
		return PaymentCounts{}, err
	}
	var counts PaymentCounts
	methods := map[string]int{}
	for _, facet := range facets {
		method, word, _ := strings.Cut(facet.Facet, "/")
		status := ApprovalStatus(word)
		ofStatus := f.Status == "" || f.Status == status
		if ofStatus {
			methods[method] += facet.N
		}
		if f.Method != "" && f.Method != method {
			continue
		}
		counts.add(status, facet.N)
		counts.Value = counts.Value.Add(facet.Amount)
		if ofStatus {
			counts.Matching += facet.N
		}
	}
	for _, method := range slices.Sorted(maps.Keys(methods)) {
		if methods[method] > 0 {
			counts.Methods = append(counts.Methods, MethodCount{method, methods[method]})
		}
	}
	return counts, nil
}

func (c *PaymentCounts) add(status ApprovalStatus, n int) {
	c.Total += n
	switch status {
	case ApprovalPending:
		c.Pending += n
	case ApprovalApproved:
		c.Approved += n
	case ApprovalDeclined:
		c.Declined += n
	}
}

// CountExpiring counts the cards whose hold ends within warning without a decision yet.
func CountExpiring(ctx context.Context, db *store.DB, warning time.Duration) (int, error) {
	var n int
	err := db.ORM(ctx).Raw(`SELECT count(*) FROM payments WHERE admin_approval_status = 'pending' AND authorised_at IS NOT NULL AND captured_at IS NULL
		AND capture_before <= clock_now() + CAST(? AS interval)`, store.Seconds(warning)).Row().Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count holds that end soon: %w", err)
	}
	return n, nil
}
