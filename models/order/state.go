package order

import (
	"context"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// OrderState is an order as its workflow reads it: states, amounts and times, nothing personal. Durations are from
// the database's now to the deadline in the row, independent of any process's clock; a missed one is negative.
type OrderState struct {
	ID         string         `json:"id"`
	Summary    string         `json:"summary"`
	Status     OrderStatus    `json:"status"`
	Resolution string         `json:"resolution,omitempty"`
	Asset      money.Currency `json:"asset"`
	Rail       string         `json:"rail"`
	Reference  string         `json:"reference,omitempty"`

	Attention  string `json:"attention,omitempty"`
	Waits      bool   `json:"waits,omitempty"` // is stopped until a person decides
	Held       bool   `json:"held,omitempty"`
	GoesOn     bool   `json:"goesOn,omitempty"` // what it waited for, a switch or its money, lets it continue
	FailedStep string `json:"failedStep,omitempty"`
	MoneyWaits bool   `json:"moneyWaits,omitempty"` // money differs from the terms; the customer chooses
	Closed     bool   `json:"closed,omitempty"`

	PageOpen   bool          `json:"pageOpen,omitempty"`   // a payment page has been made and is not known to be over
	Authorised bool          `json:"authorised,omitempty"` // the card's whole amount is held
	DueIn      time.Duration `json:"dueIn,omitempty"`
	LapsesIn   time.Duration `json:"lapsesIn,omitempty"`   // until the hold on the card ends
	TransferOn bool          `json:"transferOn,omitempty"` // custody has the transfer
	Watched    bool          `json:"watched,omitempty"`    // staff review a transfer that may yet confirm

	AskCustomer bool          `json:"askCustomer,omitempty"` // a choice is to be offered
	Choices     []string      `json:"choices,omitempty"`     // what the customer can decide
	LooksIn     time.Duration `json:"looksIn,omitempty"`     // until something of the choice is due; zero is never
	Default     string        `json:"default,omitempty"`     // the open decision made in the customer's place
}

// ReadOrderState reads the state of an order, in one query.
func ReadOrderState(ctx context.Context, db *store.DB, orderID string) (OrderState, error) {
	var row struct {
		Order         `gorm:"embedded"`
		PageOpen      bool
		AuthorisedAt  *time.Time
		CaptureBefore *time.Time
		TransferOn    bool
		DefaultID     *string
		GoesOn        bool
		DBNow         time.Time `gorm:"column:db_now"`
	}
	result := db.ORM(ctx).Raw(`
		SELECT o.*, p.checkout_id IS NOT NULL AS page_open, p.authorised_at, p.capture_before, clock_now() AS db_now,
		       EXISTS (SELECT FROM withdrawals w WHERE w.order_id = o.id AND (w.transfer_id IS NOT NULL OR w.approval_id IS NOT NULL)
		                  AND w.status IN ('awaiting_approval', 'signed', 'broadcast', 'confirmed', 'removed', 'replaced')) AS transfer_on,
		       `+goesOnOrder+` AS goes_on,
		       (SELECT d.id FROM decisions d WHERE d.order_id = o.id AND `+madeByDefault+`) AS default_id
		  FROM orders o JOIN payments p ON p.order_id = o.id WHERE o.id = ?`, orderID).Scan(&row)
	if result.Error != nil {
		return OrderState{}, fmt.Errorf("read order state: %w", result.Error)
	}
	if result.RowsAffected == 0 {
		return OrderState{}, store.NotFound("Order")
	}
	o := &row.Order
	state := OrderState{ID: o.ID, Summary: o.Sentence(), Status: o.Status, Asset: o.Asset, Rail: o.PaymentMethod, Reference: o.Reference, Held: o.Held,
		Waits: o.Waits(), MoneyWaits: o.MoneyWaits(), GoesOn: row.GoesOn, Closed: o.ClosedAt != nil, PageOpen: row.PageOpen, Authorised: row.AuthorisedAt != nil,
		DueIn: o.PaymentDueAt.Sub(row.DBNow), TransferOn: row.TransferOn,
		Resolution: store.Text(o.Resolution), Attention: store.Text(o.AttentionReason), FailedStep: store.Text(o.FailedStep)}
	if row.CaptureBefore != nil {
		state.LapsesIn = row.CaptureBefore.Sub(row.DBNow)
	}
	state.Watched = row.TransferOn && o.MayComeRight()
	state.chooses(o, row.DBNow)
	state.Default = store.Text(row.DefaultID)
	return state, nil
}

// chooses says what the workflow has to know of the customer's choice.
func (s *OrderState) chooses(o *Order, now time.Time) {
	wanted, kept := ChoiceOf(o), o.KeptUntil != nil && o.KeptUntil.After(now)
	s.Choices = CustomerChoices(o, nil)
	s.AskCustomer = wanted != "" && o.ChoiceReason == nil && !kept
	next := o.ChoiceDueAt
	if wanted != "" && kept {
		next = o.TryNextAt
	}
	if next != nil {
		s.LooksIn = max(next.Sub(now), time.Millisecond)
	}
}
