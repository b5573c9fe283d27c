package order

import (
	"time"

	"github.com/tradepost/tradepost/models/money"
)

// ApprovalStatus is the state of an admin's decision on a payment.
type ApprovalStatus string

// The approval statuses of specification §4.
const (
	ApprovalPending  ApprovalStatus = "pending"
	ApprovalApproved ApprovalStatus = "approved"
	ApprovalDeclined ApprovalStatus = "declined"
)

// Payment is how an order is paid: one a order. Amounts are cents. Each
// *StartedAt is committed before the first send of what it is about.
type Payment struct {
	ID                  string `gorm:"primaryKey"`
	OrderID             string
	UserID              string
	PaymentMethod       string
	Amount              money.Units
	AdminApprovalStatus ApprovalStatus
	DueAt               time.Time
	SubmittedAt         *time.Time

	CheckoutGeneration    int
	CheckoutStartedAt     *time.Time
	CheckoutID            *string
	CheckoutURL           *string
	CheckoutExpiresAt     *time.Time
	StripePaymentIntentID *string
	AuthorisedAt          *time.Time
	CaptureBefore         *time.Time
	CardBrand             *string
	CardLast4             *string `gorm:"column:card_last4"`
	CardFingerprint       *string
	DeclineCode           *string
	DeclineCharge         *string
	Declines              int
	CaptureGeneration     int
	CancelGeneration      int
	CaptureStartedAt      *time.Time
	CapturedAt            *time.Time
	CancelStartedAt       *time.Time
	CancelledAt           *time.Time
	// ReadAt is when the processor was last read for the payment.
	ReadAt *time.Time

	ReceivedAmount *money.Units
	ReceivedOn     *time.Time
	BankReference  *string

	DecidedBy     *string
	DecidedAt     *time.Time
	DeclineReason *string
	CreatedAt     time.Time `gorm:"default:clock_now()"`
	UpdatedAt     time.Time `gorm:"autoUpdateTime:false;default:clock_now()"`
}
