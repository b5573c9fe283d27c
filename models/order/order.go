package order

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/lib/pq"
	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// OrderStatus is one of the six states an order is ever stored in.
type OrderStatus string

// The order statuses, in the order a good order passes them.
const (
	StatusPending         OrderStatus = "pending"          // waiting for the payment
	StatusPaymentApproved OrderStatus = "payment_approved" // paid, waiting for Fulfill
	StatusFulfilling      OrderStatus = "fulfilling"       // coin reserved, buying on the exchange
	StatusFilled          OrderStatus = "filled"           // bought, transfer being prepared
	StatusSent            OrderStatus = "sent"             // broadcast, transaction id known
	StatusFailed          OrderStatus = "failed"
)

// OrderStatuses lists them all, for filters and generated tests.
var OrderStatuses = []OrderStatus{StatusPending, StatusPaymentApproved, StatusFulfilling, StatusFilled, StatusSent, StatusFailed}

// Resolution says how a failed order ended. A paid failed order without one is open: it ends only as sent or
// refunded.
type Resolution string

// The ends a failed order can have.
const (
	ResolutionDeclined  Resolution = "declined"
	ResolutionCancelled Resolution = "cancelled"
	ResolutionExpired   Resolution = "expired"
	ResolutionRefunded  Resolution = "refunded"
)

// Order is a customer's purchase of coin. Prices are US cents, Amount is base
// units of Asset.
type Order struct {
	ID            string `gorm:"primaryKey"`
	Reference     string
	UserID        string
	Asset         money.Currency
	Network       string
	Amount        money.Units
	DestAddress   string
	PaymentMethod string
	Channel       string

	Status           OrderStatus
	Resolution       *Resolution
	AttentionReason  *string
	AttentionSince   *time.Time
	AttentionChoices pq.StringArray `gorm:"type:text[]"`
	Held             bool
	// The broken risk rules (risk.go), and whether compliance has yet to release it: for staff only.
	UnderReview bool
	RiskScore   int
	RiskReasons pq.StringArray `gorm:"type:text[]"`

	// The customer's choice (choice.go): why it is offered and until when; from
	// when and until when we keep trying, and when next.
	ChoiceReason *string
	ChoiceDueAt  *time.Time
	KeptFrom     *time.Time
	KeptUntil    *time.Time
	TryNextAt    *time.Time
	ResumedAt    *time.Time // last resumed before a step that had stopped
	RestoredAt   *time.Time // was open when a backup was restored (restore.go)
	Refunded     money.Units
	// Reduced is the part of Total that was refunded with less coin (coin_offer.go), in cents. OfferUntil is set while
	// such an offer is open.
	Reduced    money.Units
	OfferUntil *time.Time

	UnitPrice      decimal.Decimal
	BasePrice      money.Units
	PaymentFee     money.Units
	VolumeDiscount money.Units
	Total          money.Units
	BonusPercent   decimal.Decimal
	QuoteID        *string
	PaymentDueAt   time.Time

	KrakenOrderID    *string
	BitgoTransferID  *string
	TxID             *string `gorm:"column:txid"`
	FailedStep       *string
	FulfillmentCode  *string
	FulfillmentError *string
	RetryCount       int
	LastError        *string
	LastErrorAt      *time.Time
	NextAttemptAt    *time.Time // when the step that failed last is tried again; nil: not by itself

	WorkflowStartedAt *time.Time
	SweptAt           *time.Time

	CreatedAt   time.Time  `gorm:"default:clock_now()"`
	UpdatedAt   time.Time  `gorm:"autoUpdateTime:false;default:clock_now()"`
	MovedAt     *time.Time // last change of its state, its reason to wait or its resumption; nil before the first
	PaidAt      *time.Time
	SentAt      *time.Time
	ConfirmedAt *time.Time
	ClosedAt    *time.Time
}

// ByCard reports whether the order is paid by card.
func (o *Order) ByCard() bool { return o.PaymentMethod == pricing.MethodCard }

// Paid reports whether the order is paid.
func (o *Order) Paid() bool { return o.PaidAt != nil }

// Price returns what the coin that the order delivers costs, in cents: the total, less what was refunded with less coin.
func (o *Order) Price() money.Units { return o.Total.Sub(o.Reduced) }

// Final reports whether nothing can happen to the order any more, except what
// has a timeline of its own (a dispute).
func (o *Order) Final() bool {
	return o.Status == StatusSent && o.ConfirmedAt != nil || o.Status == StatusFailed && o.Resolution != nil
}

// Sentence is the order in one line, for lists and workflow summaries: it holds
// nothing personal.
func (o *Order) Sentence() string {
	return fmt.Sprintf("%s · %s %s for $%s by %s", o.Reference, o.Asset.Format(o.Amount), o.Asset, money.USD.Format(o.Total), o.PaymentMethod)
}

// ReadOrder reads one order; NotFound when there is none.
func ReadOrder(ctx context.Context, db *store.DB, id string) (*Order, error) {
	return store.RowByID[Order](ctx, db, id, "Order")
}

// LockOrder reads one order for a change, and the database's time with it.
func LockOrder(ctx context.Context, db *store.DB, id string) (*Order, time.Time, error) {
	return store.LockedRow[Order](ctx, db, "orders", id, "Order")
}

// lockedWithPayment is locked for an order and its payment, which is behind db_now.
// Both rows are locked, and so read as they are then, not as they were before a wait.
const lockedWithPayment = `WITH locked AS (SELECT * FROM orders WHERE id = $1 FOR UPDATE),
	paid AS (SELECT payments.* FROM locked JOIN payments ON payments.order_id = locked.id FOR UPDATE OF payments)
	SELECT locked.*, clock_timestamp() + (SELECT ahead FROM clock) AS db_now, paid.* FROM locked LEFT JOIN paid ON true`

// lockWithPayment reads an order and its payment for a change, and the database's
// time with them. An order without a payment has an empty one.
func lockWithPayment(ctx context.Context, db *store.DB, id string) (o *Order, p *Payment, now time.Time, err error) {
	if !store.IsID(id) {
		return nil, nil, now, store.NotFound("Order")
	}
	o, p = new(Order), new(Payment)
	ofOrder, err := db.ColumnsOf(ctx, o)
	ofPayment, also := db.ColumnsOf(ctx, p)
	if err = store.FirstError(err, also); err != nil {
		return nil, nil, now, err
	}
	rows, err := db.Direct().Query(ctx, lockedWithPayment, id)
	if err == nil {
		_, err = pgx.CollectExactlyOneRow(rows, func(r pgx.CollectableRow) (bool, error) {
			fields, of := make([]any, len(r.FieldDescriptions())), ofOrder
			for i, column := range r.FieldDescriptions() {
				if column.Name == "db_now" {
					fields[i], of = &now, ofPayment
				} else if r.RawValues()[i] != nil {
					fields[i] = of(column.Name)
				}
			}
			return true, r.Scan(fields...)
		})
	}
	if store.IsMissing(err) {
		err = store.NotFound("Order")
	} else if err != nil {
		err = fmt.Errorf("read order: %w", err)
	}
	return o, p, now, err
}

// newReference makes the short public reference of an order, such as
// TP-7K3M-9QWX: 40 random bits. The caller retries on the rare collision.
func newReference() string { return store.Reference("TP-") }
