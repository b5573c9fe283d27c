package provider

import (
	"context"
	"time"

	"github.com/tradepost/tradepost/models/money"
)

// Givebacks reads refunds to cards, also those begun at the provider itself. Our own
// refunds are requested through Settlement.
type Givebacks interface {
	// PaymentRefunds lists every refund of a payment, regardless of its origin.
	PaymentRefunds(ctx context.Context, paymentID string) ([]CardRefund, error)
	// RecentRefunds lists the refunds of all payments made since a moment.
	RecentRefunds(ctx context.Context, since time.Time) ([]CardRefund, error)
}

// CardRefund is a refund with what it belongs to. OrderID and Sequence are ours
// when we made it; a refund made at the provider has none.
type CardRefund struct {
	Refund
	PaymentID string
	OrderID   string
	Sequence  int
	CreatedAt time.Time
	// Unread says why a list could not read the refund, such as its currency; empty when it could. Only its ids are
	// then set.
	Unread string
}

// Disputes reads and answers what customers' banks claim back.
type Disputes interface {
	// PaymentDisputes lists every dispute of a payment.
	PaymentDisputes(ctx context.Context, paymentID string) ([]Dispute, error)
	// RecentDisputes lists the disputes of all payments opened since a moment.
	RecentDisputes(ctx context.Context, since time.Time) ([]Dispute, error)
	ReadDispute(ctx context.Context, disputeID string) (Dispute, error)
	// Contest submits evidence. It is final: the bank decides next.
	Contest(ctx context.Context, disputeID, key string, evidence Evidence) (Dispute, error)
	// Accept gives the dispute up: it is lost.
	Accept(ctx context.Context, disputeID, key string) (Dispute, error)
}

// DisputeStatus is the state of a dispute, in the platform's terms.
type DisputeStatus string

// The states of a dispute.
const (
	DisputeOpen        DisputeStatus = "open"         // waits for our answer
	DisputeUnderReview DisputeStatus = "under_review" // answered; the bank decides
	DisputeWon         DisputeStatus = "won"          // the money is ours again
	DisputeLost        DisputeStatus = "lost"
)

// Dispute is a dispute as the provider reports it. Withdrawn, Reinstated and Fee are what
// moved on our account so far: an inquiry withdraws nothing.
type Dispute struct {
	ID, PaymentID              string
	Status                     DisputeStatus
	Amount                     money.Units // what the bank's customer disputes
	Withdrawn, Reinstated, Fee money.Units
	Reason                     string // the bank's reason: fraudulent, product_not_received
	DueBy                      time.Time
	CreatedAt                  time.Time
	// Unread says why a list could not read the dispute, such as its currency; empty when it could. Only its ids are
	// then set.
	Unread string
}

// Evidence is what the bank receives about a purchase: in whole sentences, and what it was
// for.
type Evidence struct {
	Product       string
	CustomerEmail string
	ServiceDate   string // day the coin was sent; empty when it was not
	Story         string
}
