package order

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// NewAnswer is what staff answer the bank about a dispute. The caller has
// checked that the actor's role allows it.
type NewAnswer struct {
	OrderID   string
	Kind      string // DecisionContest or DecisionAccept
	ActorID   string
	ActorRole string
	Reason    string
	RequestID string
}

// OpenAnswer records how staff answer the open dispute of an order; the dispute's workflow answers the bank. One
// answer is final.
func OpenAnswer(ctx context.Context, db *store.DB, in NewAnswer) (*Dispute, error) {
	if in.Reason = strings.TrimSpace(in.Reason); in.Reason == "" {
		return nil, store.Invalid("reason", "required", "Enter a reason")
	}
	var d *Dispute
	err := ChangeOrder(ctx, db, in.OrderID, func(c *OrderChange) error {
		if err := people.Another(c.Ctx, c.Tx, in.ActorID, ErrOwnOrder, c.Order.UserID); err != nil {
			return err
		}
		var err error
		if d, err = c.openDispute(); err != nil {
			return err
		}
		switch {
		case d == nil:
			return store.Conflict("order_state", "The payment isn't disputed")
		case d.Answer != nil:
			return store.Conflict("dispute_answered", "This dispute was already answered")
		case d.Status != DisputeOpen:
			return store.Conflict("dispute_answered", "The bank no longer accepts an answer. It decides now.")
		}
		return c.answer(in, d)
	})
	return d, err
}

func (c *OrderChange) answer(in NewAnswer, d *Dispute) error {
	answer := map[string]string{DecisionContest: AnswerContest, DecisionAccept: AnswerAccept}[in.Kind]
	d.Answer, d.AnsweredAt, d.UpdatedAt = &answer, &c.Now, c.Now
	if err := c.Save(d); err != nil {
		return err
	}
	if _, err := c.tookDecision(in.ActorID, in.Kind, in.Reason, map[string]int{"dispute": d.Sequence}); err != nil {
		return err
	}
	err := c.Event(casework.Event{Kind: "dispute_answered", Actor: casework.ByStaff, Internal: true, Dedupe: fmt.Sprintf("dispute:%d:answered", d.Sequence), Data: map[string]any{"kind": answer}})
	if err != nil {
		return err
	}
	if store.Text(c.Order.AttentionReason) == AttentionDisputed {
		if err := c.Escalate(AttentionDisputed); err != nil { // the decisions change
			return err
		}
	}
	return audit.Audit(c.Ctx, c.Tx, audit.AuditEntry{ActorID: in.ActorID, ActorRole: in.ActorRole, Action: "order." + in.Kind, ObjectKind: "order", ObjectID: c.Order.ID,
		Before: map[string]any{"dispute": d.Sequence, "status": d.Status}, After: map[string]any{"answer": answer}, Reason: in.Reason, RequestID: in.RequestID})
}

// DisputeState is a dispute as its workflow reads it.
type DisputeState struct {
	Open   bool `json:"open"`
	Answer bool `json:"answer"` // staff have answered, and the bank has not received it
}

// ReadDisputeState reads the state of a dispute, and records that its workflow runs.
func ReadDisputeState(ctx context.Context, db *store.DB, orderID string, sequence int) (DisputeState, error) {
	var d Dispute
	result := db.ORM(ctx).Raw(`UPDATE disputes SET workflow_started_at = coalesce(workflow_started_at, clock_now())
		WHERE order_id = ? AND sequence = ? RETURNING *`, orderID, sequence).Scan(&d)
	if result.Error != nil {
		return DisputeState{}, fmt.Errorf("read dispute: %w", result.Error)
	}
	if result.RowsAffected == 0 { // a restored backup lost it: read at the bank again, it gets a workflow of its own
		return DisputeState{}, nil
	}
	return d.state(), nil
}

func (d *Dispute) state() DisputeState {
	return DisputeState{Open: d.ClosedAt == nil, Answer: d.ClosedAt == nil && d.Answer != nil && d.Status == DisputeOpen}
}

// UndeliveredDisputeResponses finds answers whose delivery has not begun: the signal to the dispute's workflow was
// lost.
func UndeliveredDisputeResponses(ctx context.Context, db *store.DB, grace time.Duration, limit int) ([]Part, error) {
	var rows []Part
	err := db.ORM(ctx).Raw(`SELECT order_id, sequence FROM disputes
		WHERE closed_at IS NULL AND status = ? AND send_started_at IS NULL AND answered_at < clock_now() - CAST(? AS interval) LIMIT ?`,
		DisputeOpen, store.Seconds(grace), limit).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("find answers: %w", err)
	}
	return rows, nil
}

// AnswerJob is an answer to be given to the bank, or to be read.
type AnswerJob struct {
	Done       bool // nothing is left to say
	SentBefore bool // read before sending
	Dispute    Dispute
	Key        string
	Evidence   DisputeEvidence
}

// DisputeEvidence is what we can submit to the bank about an order.
type DisputeEvidence struct {
	Product, Email, SentOn, Story string
}

// StartAnswer commits that the bank is about to be answered.
func StartAnswer(ctx context.Context, db *store.DB, orderID string, sequence int) (AnswerJob, error) {
	var job AnswerJob
	err := ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		job = AnswerJob{}
		if err := c.Tx.ORM(ctx).Where("order_id = ? AND sequence = ?", orderID, sequence).Take(&job.Dispute).Error; err != nil {
			return fmt.Errorf("read dispute: %w", err)
		}
		d := &job.Dispute
		if job.Done = !d.state().Answer; job.Done {
			return nil
		}
		var err error
		if job.SentBefore, err = store.RestoredSince(ctx, c.Tx, d.CreatedAt); err != nil {
			return err
		}
		if job.SentBefore = job.SentBefore || d.SendStartedAt != nil; d.SendStartedAt == nil {
			d.SendStartedAt = &c.Now
		}
		job.Key = fmt.Sprintf("ord:%s:dispute:%d:%s:%d", orderID, sequence, *d.Answer, d.AnswerGeneration)
		if job.Evidence, err = c.evidence(); err != nil {
			return err
		}
		return c.Save(d)
	})
	return job, err
}

// NextAnswer gives up an answer's key, because the processor keeps a failure under it; a read has shown that the
// dispute was not answered with it.
func NextAnswer(ctx context.Context, db *store.DB, orderID string, sequence int) error {
	err := db.ORM(ctx).Exec("UPDATE disputes SET answer_generation = answer_generation + 1 WHERE order_id = ? AND sequence = ?", orderID, sequence).Error
	if err != nil {
		return fmt.Errorf("number answer: %w", err)
	}
	return nil
}

// evidence states what was sold, to whom, and where it was sent.
func (c *OrderChange) evidence() (DisputeEvidence, error) {
	o := c.Order
	e := DisputeEvidence{Product: fmt.Sprintf("%s %s, delivered over the %s network (order %s)", o.Asset.Format(o.Amount), o.Asset, o.Network, o.Reference)}
	if err := c.Tx.ORM(c.Ctx).Raw("SELECT email FROM users WHERE id = ?", o.UserID).Row().Scan(&e.Email); err != nil {
		return e, fmt.Errorf("read customer: %w", err)
	}
	sentences := []string{fmt.Sprintf("The customer, whose identity was verified, ordered %s %s for $%s on %s and gave the address %s.",
		o.Asset.Format(o.Amount), o.Asset, money.USD.Format(o.Total), o.CreatedAt.UTC().Format(time.DateOnly), o.DestAddress)}
	if o.Status == StatusSent && o.TxID != nil && o.SentAt != nil {
		e.SentOn = o.SentAt.UTC().Format(time.DateOnly)
		sentences = append(sentences, fmt.Sprintf("It was sent there on %s in transaction %s of the %s network, which anyone can look up. Such a transfer cannot be reversed.", e.SentOn, *o.TxID, o.Network))
	}
	e.Story = strings.Join(sentences, " ")
	return e, nil
}
