package execution

import (
	"context"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// Steps of an order that can fail, as orders.failed_step names them.
const (
	StepReserve = "reserve"
	StepBuy     = "buy"
	StepSend    = "send"
)

// Subject is what coin is bought and sent for, an order or the redemption of a voucher,
// within the transaction that holds the lock of its row.
type Subject struct {
	Ctx context.Context
	Tx  *store.DB
	Now time.Time

	Delivery
	Of                  string // the ledger's name of it
	Sequence            string // how the sequence ids of its transfers begin
	ID, UserID, Address string
	CreatedAt           time.Time
	RestoredAt          *time.Time
}

// Change is a change of a subject.
type Change interface {
	Subject() *Subject
	// Missing is how much coin is still to be bought, and at which price.
	Missing(bought Fill) (coin money.Units, price decimal.Decimal, err error)
	// Enough reports whether nothing is missing; WhenFilled moves the subject on then.
	Enough(bought Fill) bool
	WhenFilled(bought Fill) error
	// Halted says why nothing new may begin, Unsendable why custody does not send; "" when
	// they may.
	Halted() (string, error)
	Unsendable(caps Caps) (string, error)
	Escalate(reason string) error
}

// column names the subject in exchange_orders and withdrawals.
func (s *Subject) column() string {
	if s.Of == ledger.OfOrder {
		return "order_id"
	}
	return "redemption_id"
}

// name writes the subject into a row.
func (s *Subject) name(orderID, redemptionID **string) {
	if s.Of == ledger.OfOrder {
		*orderID = &s.ID
	} else {
		*redemptionID = &s.ID
	}
}

func (s *Subject) post(event, group string, lines []ledger.Posting) error {
	return ledger.PostAbout(s.Ctx, s.Tx, ledger.About(s.Of, s.ID, event, group), lines)
}

// maybeSince is since when something that is about to be sent may have been sent.
func (s *Subject) maybeSince() time.Time { return MaybeSince(s.Now, s.CreatedAt, s.RestoredAt) }
