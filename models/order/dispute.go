package order

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// A customer can have their bank reverse a card payment, weeks after the coin was sent. Such a dispute has a timeline
// of its own: it is read at the processor, its money is booked as it moves, staff contest or accept it, and the bank
// decides; while one is open, nothing more is bought or sent.

// States of a dispute.
const (
	DisputeOpen        = "open"
	DisputeUnderReview = "under_review"
	DisputeWon         = "won"
	DisputeLost        = "lost"
)

// Decisions about a dispute, which are also our answers to the bank.
const (
	DecisionContest = "contest_dispute"
	DecisionAccept  = "accept_dispute"

	AnswerContest = "contest"
	AnswerAccept  = "accept"
)

// Dispute is one dispute of an order's card payment. Amounts are cents; what
// was withdrawn, reinstated and charged is what has been booked.
type Dispute struct {
	ID                string `gorm:"primaryKey"`
	OrderID           string
	Sequence          int
	ProviderID        string
	Amount            money.Units
	Fee               money.Units
	Withdrawn         money.Units
	Reinstated        money.Units
	Settled           money.Units
	Reason            string
	Status            string
	DueBy             *time.Time
	WithdrawnAt       *time.Time
	ReinstatedAt      *time.Time
	Answer            *string
	AnswerGeneration  int `gorm:"default:1"`
	AnsweredAt        *time.Time
	SendStartedAt     *time.Time
	ContestedAt       *time.Time
	WorkflowStartedAt *time.Time
	SweptAt           *time.Time
	CreatedAt         time.Time `gorm:"default:clock_now()"`
	UpdatedAt         time.Time `gorm:"autoUpdateTime:false;default:clock_now()"`
	ClosedAt          *time.Time
}

// Outcome is the dispute's state as pages show it: open, won, lost, or accepted by us.
func (d *Dispute) Outcome() string {
	switch {
	case d.Status == DisputeLost && store.Text(d.Answer) == AnswerAccept:
		return "accepted"
	case d.Status == DisputeUnderReview:
		return DisputeOpen
	}
	return d.Status
}

// DisputeReading is what the processor says of a dispute.
type DisputeReading struct {
	ID, Status, Reason                 string
	Amount, Withdrawn, Reinstated, Fee money.Units
	DueBy                              time.Time
}

// Disputes reads an order's disputes, oldest first.
func Disputes(ctx context.Context, db *store.DB, orderID string) ([]Dispute, error) {
	var rows []Dispute
	if err := db.ORM(ctx).Where("order_id = ?", orderID).Order("sequence").Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read disputes: %w", err)
	}
	return rows, nil
}

// openDispute is the dispute that is not over, or nil.
func (c *OrderChange) openDispute() (*Dispute, error) {
	var rows []Dispute
	err := c.Tx.ORM(c.Ctx).Where("order_id = ? AND closed_at IS NULL", c.Order.ID).Order("sequence DESC").Limit(1).Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read disputes: %w", err)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	return &rows[0], nil
}

// undisputed refuses while the bank has the money.
func (c *OrderChange) undisputed() error {
	open, err := c.openDispute()
	if err != nil {
		return err
	}
	if open != nil && open.Withdrawn.Cmp(open.Reinstated) > 0 {
		return store.Conflict("disputed", "This card payment is disputed. The bank holds the money and decides.")
	}
	return nil
}

// givenBackOf4 is the condition that an order $4 was refunded at the processor itself, and was not continued since by
// a decision.
const givenBackOf4 = `EXISTS (SELECT FROM refunds WHERE order_id = $4 AND origin = 'provider' AND status <> 'failed'
	AND created_at > coalesce((SELECT max(created_at) FROM decisions WHERE order_id = $4 AND kind IN ('retry', 'amend_address')), '-infinity'))`

// moneyGone says why nothing more may be bought or sent for the order: its payment is disputed, or was refunded at
// the processor itself and no decision has continued the order since; on the other rails, money of it was returned,
// or an open proposal would book that. It is checked right before each step that moves money.
func (h *hindrances) moneyGone(o *Order) string {
	gone, disputed := h.receiptGone || o.Paid() && o.Refunded.Cmp(o.Total) >= 0, false
	if o.ByCard() {
		gone, disputed = h.givenBack || o.Refunded.Cmp(o.Total) >= 0, h.disputed
	}
	switch {
	case disputed:
		return AttentionDisputed
	case gone:
		return AttentionRefundedThere
	}
	return ""
}

// RecordDispute writes what the processor says of a dispute, with the money that
// moved since. It gives the dispute's number within the order.
func RecordDispute(ctx context.Context, db *store.DB, orderID string, r DisputeReading) (sequence int, err error) {
	err = ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		d, err := c.dispute(r)
		if err != nil {
			return err
		}
		sequence = d.Sequence
		moved, err := c.moveDispute(d, r)
		if err != nil {
			return err
		}
		switch decided := r.Status == DisputeWon || r.Status == DisputeLost; {
		case d.ClosedAt == nil && decided:
			err = c.closeDispute(d, r.Status)
		case d.ClosedAt == nil:
			err = c.recordOpenDispute(d, r)
		case moved:
			err = c.moveDecided(d, r.Status)
		}
		if err != nil {
			return err
		}
		d.UpdatedAt = c.Now
		return c.Save(d)
	})
	return sequence, err
}

// dispute finds the row of a dispute, or makes it and appends it to the order's timeline.
func (c *OrderChange) dispute(r DisputeReading) (*Dispute, error) {
	var rows []Dispute
	if err := c.Tx.ORM(c.Ctx).Where("order_id = ?", c.Order.ID).Order("sequence").Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read disputes: %w", err)
	}
	for i := range rows {
		if rows[i].ProviderID == r.ID {
			return &rows[i], nil
		}
	}
	d := &Dispute{ID: store.NewID(), OrderID: c.Order.ID, Sequence: len(rows) + 1, ProviderID: r.ID, Amount: r.Amount, Reason: r.Reason, Status: DisputeOpen,
		AnswerGeneration: 1, CreatedAt: c.Now, UpdatedAt: c.Now}
	if !r.DueBy.IsZero() {
		d.DueBy = &r.DueBy
	}
	if err := c.Tx.ORM(c.Ctx).Create(d).Error; err != nil {
		return nil, fmt.Errorf("store dispute: %w", err)
	}
	data := map[string]any{"amount": money.USD.Format(d.Amount)}
	if d.DueBy != nil {
		data["dueBy"] = d.DueBy.UTC().Format(time.RFC3339)
	}
	return d, c.Event(casework.Event{Kind: "dispute_opened", Actor: casework.ByProvider, Data: data, Dedupe: fmt.Sprintf("dispute:%d", d.Sequence)})
}

// moveDispute books what the dispute moved on our account since it was last read, and reports whether that was
// anything.
func (c *OrderChange) moveDispute(d *Dispute, r DisputeReading) (moved bool, err error) {
	withdrawn, fee, reinstated := r.Withdrawn.Sub(d.Withdrawn), r.Fee.Sub(d.Fee), r.Reinstated.Sub(d.Reinstated)
	if withdrawn.IsZero() && fee.IsZero() && reinstated.IsZero() || withdrawn.Sign() < 0 || reinstated.Sign() < 0 {
		return false, nil
	}
	group := fmt.Sprintf("dispute:%d:%s:%s:%s", d.Sequence, r.Withdrawn, r.Fee, r.Reinstated)
	if err := c.Post("disputed", group, DisputePostings(withdrawn, fee, reinstated)...); err != nil {
		return false, err
	}
	d.Withdrawn, d.Fee, d.Reinstated = r.Withdrawn, r.Fee, r.Reinstated
	if withdrawn.Sign() > 0 {
		d.WithdrawnAt = &c.Now
	}
	if reinstated.Sign() > 0 {
		d.ReinstatedAt = &c.Now
	}
	return true, nil
}

// recordOpenDispute keeps the order waiting while the dispute is open: for our
// answer; and when it is not sent, for the bank's decision too.
func (c *OrderChange) recordOpenDispute(d *Dispute, r DisputeReading) error {
	d.Status = r.Status
	if !r.DueBy.IsZero() {
		d.DueBy = &r.DueBy
	}
	if r.Status == DisputeUnderReview && d.ContestedAt == nil {
		d.ContestedAt = &c.Now
	}
	if err := c.Save(d); err != nil { // the next query reads open disputes
		return err
	}
	delivered := c.Order.Status == StatusSent
	switch {
	case delivered && r.Status == DisputeUnderReview:
		return c.clearAttentionOf(AttentionDisputed)
	case c.Order.Resolution == nil && canWait(c.Order.Status, AttentionDisputed):
		return c.Escalate(AttentionDisputed)
	}
	return nil
}

// disputeDecided appends the bank's decision to the order's timeline.
func (c *OrderChange) disputeDecided(d *Dispute) error {
	return c.Event(casework.Event{Kind: "dispute_" + d.Status, Actor: casework.ByProvider, Internal: true,
		Dedupe: fmt.Sprintf("dispute:%d:%s", d.Sequence, d.Status), Data: map[string]any{"amount": money.USD.Format(d.Amount)}})
}

// closeDispute ends a dispute as the bank decided. Lost before the coin was
// sent, the customer has their money back, and the order ends so; lost after that, they owe it to us.
func (c *OrderChange) closeDispute(d *Dispute, status string) error {
	d.Status, d.ClosedAt = status, &c.Now
	if err := c.disputeDecided(d); err != nil {
		return err
	}
	if err := c.Save(d); err != nil { // the next query reads open disputes
		return err
	}
	if status == DisputeLost || d.kept().Sign() > 0 && d.lost() {
		err := c.bearLost(d, fmt.Sprintf("dispute:%d:lost", d.Sequence))
		if err != nil || c.Order.Status != StatusSent && c.Order.ClosedAt != nil {
			return err
		}
	}
	if err := c.creditDecided(); err != nil {
		return err
	}
	return c.clearAttentionOf(AttentionDisputed)
}

// clearAttentionOf continues the order if it waited for this reason.
func (c *OrderChange) clearAttentionOf(reason string) error {
	if store.Text(c.Order.AttentionReason) != reason {
		return nil
	}
	return c.Continue()
}

// tookDecision stores a decision that is executed in this very transaction, or by a row of its own: it is done as it
// is made.
func (c *OrderChange) tookDecision(actorID, kind, reason string, data any) (*Decision, error) {
	raw, err := json.Marshal(data)
	if err != nil {
		return nil, fmt.Errorf("write decision: %w", err)
	}
	done, code := casework.DecisionDone, casework.DecisionDone
	row := c.DecisionRow(kind, actorID, reason, raw)
	row.DeliveredAt, row.SettledAt, row.Outcome, row.OutcomeCode = &c.Now, &c.Now, &done, &code
	if err := c.Tx.ORM(c.Ctx).Create(row).Error; err != nil {
		return nil, fmt.Errorf("store decision: %w", err)
	}
	return row, nil
}
