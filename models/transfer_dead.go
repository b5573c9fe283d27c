package models

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// DeathEvidence is the data of transfer_dead: where it was seen that the transaction
// can never confirm.
type DeathEvidence struct {
	Seen string `json:"seen"`
}

// maxSeen bounds what is written of it, in bytes.
const maxSeen = 500

// check refuses evidence that names nothing to look at.
func (e DeathEvidence) check() error {
	if e.Seen = strings.TrimSpace(e.Seen); e.Seen == "" || len(e.Seen) > maxSeen {
		return Invalid("evidence", "required", "Enter where you saw that the transfer can never confirm")
	}
	return nil
}

// TransferEndsFor lists what ends an order's transfer, as custody's last reading of it
// left it on the row.
func TransferEndsFor(o *Order) []string {
	if o.ClosedAt != nil || !slices.Contains(o.AttentionChoices, DecisionTransferDead) {
		return nil
	}
	return []string{DecisionTransferDead}
}

// errNotRemoved refuses to call a transfer dead that custody does not call removed.
var errNotRemoved = Conflict("transfer_not_removed", "BitGo doesn't say that this transfer was removed. Refresh the page.")

// removedTransfer is the transfer that custody last called removed, while the order
// waits for it.
func (c *OrderChange) removedTransfer() (*Withdrawal, error) {
	if c.Order.ClosedAt != nil || c.Order.Status != StatusFilled && c.Order.Status != StatusSent {
		return nil, errNotRemoved
	}
	w, err := c.lastTransfer()
	if err == nil && (w == nil || w.Status != TransferRemoved) {
		return nil, errNotRemoved
	}
	return w, err
}

// transferEnds is TransferEndsFor as the transfer's own row says it.
func (c *OrderChange) transferEnds() ([]string, error) {
	if _, err := c.removedTransfer(); CodeOf(err) == CodeConflict {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	return []string{DecisionTransferDead}, nil
}

// TransferInDoubt reads the transfer that two people call dead, to be looked at once
// more. It is done when their decision was carried out before.
func (db *DB) TransferInDoubt(ctx context.Context, orderID, decisionID string) (job TransferJob, err error) {
	err = db.ChangeOrder(ctx, orderID, func(c *OrderChange) error {
		w, done, err := c.doubted(decisionID)
		if job = (TransferJob{Done: done}); w != nil {
			job.Withdrawal = *w
		}
		return err
	})
	return job, err
}

func (c *OrderChange) doubted(decisionID string) (w *Withdrawal, done bool, err error) {
	last, err := c.lastTransfer()
	if err != nil || last != nil && text(last.DeadBy) == decisionID {
		return nil, err == nil, err
	}
	if _, err := c.openDecision(decisionID, DecisionTransferDead); err != nil {
		return nil, false, err
	}
	w, err = c.removedTransfer()
	return w, false, err
}

// DeclareDead carries out that two people call a transfer dead: the order stands as if
// custody had called it failed. Where custody says anything but removed by now, that
// is recorded instead, and the decision refused.
func (db *DB) DeclareDead(ctx context.Context, orderID, decisionID string, r TransferReading) error {
	var refused error
	err := db.ChangeOrder(ctx, orderID, func(c *OrderChange) error {
		refused = nil
		w, done, err := c.doubted(decisionID)
		if done || err != nil {
			return err
		}
		refused, err = c.tx.endTransfer(ctx, w, decisionID, r, c.Now)
		return firstError(err, c.followEnd(w), c.settle(decisionID, cmp.Or(ReasonOf(refused), DecisionDone)))
	})
	return firstError(err, refused)
}

// endTransfer writes that a decision calls the transfer dead, or what else custody says of it:
// refused says what, where that is no end.
func (db *DB) endTransfer(ctx context.Context, w *Withdrawal, decisionID string, r TransferReading, now time.Time) (refused, err error) {
	was := *w
	if w.UpdatedAt = now; r.Status == TransferRemoved {
		w.Status, w.DeadAt, w.DeadBy = TransferDead, &now, &decisionID
	} else {
		w.learn(r)
	}
	if !w.dead() {
		refused = Conflict("custody_says_"+w.Status, "BitGo now says that this transfer is "+strings.ReplaceAll(w.Status, "_", " "))
	}
	return refused, saveChanged(ctx, db, &was, w, nil)
}

// followEnd moves the order after a transfer that two people call dead, or that
// custody says more about.
func (c *OrderChange) followEnd(w *Withdrawal) error {
	if w.Status != TransferDead {
		return c.follow(w)
	}
	ended := Event{Kind: "transfer_dead", Actor: ByStaff, Internal: true, Dedupe: fmt.Sprintf("dead:%d", w.Generation)}
	return firstError(c.Event(ended), c.transferDied(w))
}

// evidence is where it was seen that the transfer can never confirm; "" of another
// proposal.
func (p *Proposal) evidence() (seen DeathEvidence) {
	if p.Kind == DecisionTransferDead {
		_ = json.Unmarshal(p.Data, &seen) // Propose wrote it
	}
	return seen
}

// Evidence is where it was seen that the transfer can never confirm; "" of another
// proposal.
func (p *Proposal) Evidence() string { return p.evidence().Seen }
