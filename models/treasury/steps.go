package treasury

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lib/pq"

	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// The steps of an approved move, as its workflow runs them. The exchange accepts no idempotency key: what keeps a
// move from being sent twice is that a wallet has one open move at most, that send_started_at is committed before
// every send, and that a send whose outcome is not known to be nothing is never followed by another one unless a
// person says so.

// MoveJob is a withdrawal to be sent or read.
type MoveJob struct {
	Done   bool // nothing is left to do here
	LookUp bool // a withdrawal of this move may be there already
	Send   bool // it may be sent, when none is found
	Move   Move
}

// LoadMove reads a move for its workflow, and records that one runs for it.
func LoadMove(ctx context.Context, db *store.DB, id string) (MoveState, error) {
	err := ChangeMove(ctx, db, id, func(c *MoveChange) error {
		if c.Move.WorkflowStartedAt == nil {
			c.Move.WorkflowStartedAt = &c.Now
		}
		return nil
	})
	if err != nil {
		return MoveState{}, err
	}
	return ReadMoveState(ctx, db, id)
}

// ReadMoveJob says what a send would do now, without doing it.
func ReadMoveJob(ctx context.Context, db *store.DB, id string) (MoveJob, error) {
	m, err := ReadMove(ctx, db, id)
	if err != nil {
		return MoveJob{}, err
	}
	return m.job(), nil
}

func (m *Move) job() MoveJob {
	job := MoveJob{Move: *m, LookUp: m.FirstSentAt != nil, Send: m.SendStartedAt == nil}
	switch m.Status {
	case MoveApproved, MoveSending:
	case MoveUnknown:
		job.Send = false
	default:
		job.Done = true
	}
	return job
}

// StartMove commits that a withdrawal is about to be sent, by which key and at what fee at most; the coin leaves the
// exchange's account in the books. It returns the state before: if another attempt came first, that one sends, and
// this one reads.
func StartMove(ctx context.Context, db *store.DB, id, key string, mostFee money.Units) (MoveJob, error) {
	var job MoveJob
	err := ChangeMove(ctx, db, id, func(c *MoveChange) error {
		m := c.Move
		if job = m.job(); job.Done || !job.Send {
			return nil
		}
		if m.Status == MoveApproved && m.RestoredAt != nil {
			job.Done = true // it may have been sent after the backup, and the exchange keeps no identity of ours
			return c.fail("restored")
		}
		if m.Status == MoveApproved {
			if err := c.leave(key); err != nil || m.Status == MoveFailed {
				job.Done = m.Status == MoveFailed
				return err
			}
		}
		m.SendStartedAt, m.MostFee, m.Problem = &c.Now, &mostFee, nil
		job.Move = *m
		return c.event("sending", nil, map[string]any{"generation": m.Generation, "mostFee": m.Asset.Format(mostFee)})
	})
	return job, err
}

// leave deducts the coin from the exchange's account in the books. If it is missing there, the move ends.
func (c *MoveChange) leave(key string) error {
	err := exchangeHas(c.ctx, c.tx, c.Move)
	if reason := store.ReasonOf(err); reason != "" {
		return c.fail(reason)
	}
	if err != nil {
		return err
	}
	if err := c.become(MoveSending); err != nil {
		return err
	}
	c.Move.WithdrawKey, c.Move.FirstSentAt = &key, &c.Now
	return c.book("treasury_move_left", "left", MoveLeftPostings(c.Move)...)
}

// fail ends a move whose coin is at the exchange.
func (c *MoveChange) fail(code string) error {
	if c.Move.FirstSentAt != nil {
		if err := c.book("treasury_move_back", "back", MoveBackPostings(c.Move)...); err != nil {
			return err
		}
	}
	if err := c.become(MoveFailed); err != nil {
		return err
	}
	c.Move.Problem = &code
	return c.event("failed", nil, map[string]any{"code": code})
}

// FailMove ends a move that the exchange definitely refused, as far as that is still the send it refused.
func FailMove(ctx context.Context, db *store.DB, id string, generation int, code string) error {
	return ChangeMove(ctx, db, id, func(c *MoveChange) error {
		if c.Move.Status.Over() || c.Move.Generation != generation || c.Move.ExchangeRef != nil {
			return nil
		}
		return c.fail(code)
	})
}

// MoveNotSent records that a send definitely did nothing, so that another may follow.
func MoveNotSent(ctx context.Context, db *store.DB, id string, generation int, code string) error {
	return ChangeMove(ctx, db, id, func(c *MoveChange) error {
		if c.Move.Status != MoveSending || c.Move.Generation != generation || c.Move.SendStartedAt == nil {
			return nil
		}
		c.Move.SendStartedAt, c.Move.Problem = nil, &code
		return c.event("not_sent", nil, map[string]any{"code": code})
	})
}

// MarkMoveSent records the exchange's reference of a withdrawal: just made, or found.
func MarkMoveSent(ctx context.Context, db *store.DB, id, reference string, found bool) error {
	return ChangeMove(ctx, db, id, func(c *MoveChange) error {
		if c.Move.ExchangeRef != nil && *c.Move.ExchangeRef != reference {
			// Two withdrawals match this move: one of them is an error. Both are recorded, and staff are notified.
			return errors.Join(c.event("sent", nil, map[string]any{"reference": reference}), c.troubled("sent_twice"))
		}
		if c.Move.Status == MoveSent || c.Move.Status.Over() {
			return nil
		}
		if err := c.become(MoveSent); err != nil {
			return err
		}
		c.Move.ExchangeRef, c.Move.Problem, c.Move.WakeAt = &reference, nil, nil
		kind := "sent"
		if found {
			kind = "found"
		}
		return c.event(kind, nil, map[string]any{"reference": reference})
	})
}

// MarkMoveUnknown has a person decide about a send that left no trace. It is still searched for again after a while.
func MarkMoveUnknown(ctx context.Context, db *store.DB, id string, again time.Duration) error {
	return ChangeMove(ctx, db, id, func(c *MoveChange) error {
		next := c.Now.Add(again)
		switch {
		case c.Move.Status == MoveUnknown:
			c.Move.WakeAt = &next
			return nil
		case c.Move.Status != MoveSending:
			return nil
		}
		if err := c.become(MoveUnknown); err != nil {
			return err
		}
		c.Move.WakeAt = &next
		return c.event("unknown", nil, nil)
	})
}

// WithdrawalReading is what the exchange says of a move's withdrawal.
type WithdrawalReading struct {
	Missing            bool // no withdrawal has this reference
	Done, Failed, Held bool
	Amount, Fee        money.Units
	TxID               string
}

// RecordMove stores the exchange's reading; news reports whether it changed the move.
func RecordMove(ctx context.Context, db *store.DB, id string, r WithdrawalReading) (news bool, err error) {
	err = ChangeMove(ctx, db, id, func(c *MoveChange) error {
		m := c.Move
		if m.Status != MoveSent || m.SettledAt != nil {
			news = true // another process was first
			return nil
		}
		switch {
		case r.Missing && m.AdoptedAt == nil:
			return nil // it may show later
		case r.Missing:
			news = true
			return c.misread("reference_not_found")
		case r.Amount.Cmp(m.Amount) != 0 && m.AdoptedAt != nil:
			news = true
			return c.misread("amount_differs")
		case r.Amount.Cmp(m.Amount) != 0:
			news = true
			return c.differs(r.Amount)
		case r.Failed:
			news = true
			return c.fail("returned")
		case r.Held:
			return c.troubled("held")
		}
		if r.TxID != "" {
			m.TxID = &r.TxID
		}
		m.Fee, m.Problem = &r.Fee, nil
		if !r.Done || m.TxID == nil {
			return nil
		}
		news, m.SettledAt = true, &c.Now
		return c.event("settled", nil, map[string]any{"fee": m.Asset.Format(r.Fee), "txid": r.TxID})
	})
	return news, err
}

// misread puts a move before a person again: the withdrawal that was adopted is
// not this move's.
func (c *MoveChange) misread(code string) error {
	if err := c.become(MoveUnknown); err != nil {
		return err
	}
	c.Move.ExchangeRef, c.Move.AdoptedAt = nil, nil
	if err := c.troubled(code); err != nil {
		return err
	}
	return c.event("unknown", nil, nil)
}

// MarkMoveArrived books coin that the custodian reports as confirmed. It must be the amount that the exchange
// reported: staff decide about any other.
func MarkMoveArrived(ctx context.Context, db *store.DB, id, receiptID string, arrived money.Units) error {
	return ChangeMove(ctx, db, id, func(c *MoveChange) error {
		m := c.Move
		if m.Status != MoveSent || m.Fee == nil {
			return nil
		}
		if arrived.Cmp(m.Amount.Sub(*m.Fee)) != 0 {
			m.ReceiptID = &receiptID
			return c.differs(arrived)
		}
		return c.arrive(receiptID, arrived)
	})
}

// MoveState is a move as its workflow reads it.
type MoveState struct {
	Status  MoveStatus    `json:"status"`
	Summary string        `json:"summary"`
	Settled bool          `json:"settled,omitempty"` // the exchange is done with it
	Closed  bool          `json:"closed,omitempty"`
	Wake    time.Duration `json:"wake,omitempty"` // until it is searched for again
}

// ReadMoveState reads the state of a move.
func ReadMoveState(ctx context.Context, db *store.DB, id string) (MoveState, error) {
	m, err := ReadMove(ctx, db, id)
	if err != nil {
		return MoveState{}, err
	}
	now, err := db.Now(ctx)
	if err != nil {
		return MoveState{}, err
	}
	state := MoveState{Status: m.Status, Summary: m.Sentence(), Settled: m.SettledAt != nil, Closed: m.ClosedAt != nil}
	if m.WakeAt != nil {
		state.Wake = max(m.WakeAt.Sub(now), time.Second)
	}
	return state, nil
}

// ReferencesOfOthers lists which of some withdrawals are another move's.
func ReferencesOfOthers(ctx context.Context, db *store.DB, id string, references []string) ([]string, error) {
	var used []string
	err := db.ORM(ctx).Raw("SELECT exchange_ref FROM treasury_moves WHERE exchange_ref = ANY(?) AND id <> ?", pq.StringArray(references), id).Scan(&used).Error
	if err != nil {
		return nil, fmt.Errorf("look whose withdrawals these are: %w", err)
	}
	return used, nil
}

// FoundMove is a move whose workflow is to be started, or signalled.
type FoundMove struct {
	ID      string
	Summary string
}

// OrphanMoves finds approved moves whose workflow may not run, or that something has
// been due for.
func OrphanMoves(ctx context.Context, db *store.DB, grace, revive time.Duration, limit int) ([]FoundMove, error) {
	rows, err := store.Orphans[Move](ctx, db, store.OrphanTable{Table: "treasury_moves", Open: "closed_at IS NULL AND status <> 'proposed'",
		Since: "updated_at", Due: true, Returning: "*"}, grace, revive, limit)
	if err != nil {
		return nil, err
	}
	found := make([]FoundMove, 0, len(rows))
	for i := range rows {
		found = append(found, FoundMove{ID: rows[i].ID, Summary: rows[i].Sentence()})
	}
	return found, nil
}

// MarkRestored marks open moves as restored from a backup, and counts them.
func MarkRestored(ctx context.Context, tx *store.DB) (int64, error) {
	result := tx.ORM(ctx).Exec("UPDATE treasury_moves SET restored_at = clock_now() WHERE closed_at IS NULL AND restored_at IS NULL")
	return result.RowsAffected, result.Error
}
