package order

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/store"
)

// DeathEvidence is the data of transfer_dead: the proof that the transaction can never confirm.
type DeathEvidence struct {
	Seen string `json:"seen"`
}

// maxSeen bounds what is written of it, in bytes.
const maxSeen = 500

// Check refuses evidence without a reference that can be verified.
func (e DeathEvidence) Check() error {
	if e.Seen = strings.TrimSpace(e.Seen); e.Seen == "" || len(e.Seen) > maxSeen {
		return store.Invalid("evidence", "required", "Enter where you saw that the transfer can never confirm")
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

// removedTransfer is the transfer that custody last called removed, while the order
// waits for it.
func (c *OrderChange) removedTransfer() (*execution.Withdrawal, error) {
	if c.Order.ClosedAt != nil || c.Order.Status != StatusFilled && c.Order.Status != StatusSent {
		return nil, execution.ErrNotRemoved
	}
	w, err := c.Subject().LastTransfer()
	if err == nil && (w == nil || w.Status != execution.TransferRemoved) {
		return nil, execution.ErrNotRemoved
	}
	return w, err
}

// ErrInDoubt rejects what presumes that a transfer never confirms, while that is not known.
var ErrInDoubt = store.Conflict("transfer_in_doubt",
	"The transfer of this order may still arrive. No refund and no other address is possible until it's known to be dead.")

// checkNotInDoubt returns ErrInDoubt while custody calls the order's last transfer removed or replaced.
func (c *OrderChange) checkNotInDoubt() error {
	last, err := c.Subject().LastTransfer()
	if err != nil {
		return err
	}
	if last != nil && last.InDoubt() {
		return ErrInDoubt
	}
	return nil
}

// presumesDead are the decisions that presume that no transfer of the order will confirm.
var presumesDead = []string{DecisionRefund, DecisionRefundNow, ActionRefundPart, DecisionAmendAddress}

// DoubtBars removes the decisions that are rejected while a transfer is in doubt.
func DoubtBars(kinds []string) []string { return without(kinds, presumesDead) }

// transferEnds is TransferEndsFor by the transfer's own row.
func (c *OrderChange) transferEnds() ([]string, error) {
	if _, err := c.removedTransfer(); store.CodeOf(err) == store.CodeConflict {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	return []string{DecisionTransferDead}, nil
}

// TransferInDoubt reads the transfer that two people call dead, to be read once more. It is done when their decision
// was executed before.
func TransferInDoubt(ctx context.Context, db *store.DB, orderID, decisionID string) (job execution.TransferJob, err error) {
	err = ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		w, done, err := c.doubted(decisionID)
		if job = (execution.TransferJob{Done: done}); w != nil {
			job.Withdrawal = *w
		}
		return err
	})
	return job, err
}

func (c *OrderChange) doubted(decisionID string) (w *execution.Withdrawal, done bool, err error) {
	last, err := c.Subject().LastTransfer()
	if err != nil || last != nil && store.Text(last.DeadBy) == decisionID {
		return nil, err == nil, err
	}
	if _, err := c.openDecision(decisionID, DecisionTransferDead); err != nil {
		return nil, false, err
	}
	w, err = c.removedTransfer()
	return w, false, err
}

// DeclareDead executes the decision of two people that a transfer is dead: the order is as if custody had called it
// failed. Where custody reports anything but removed by now, that is recorded instead, and the decision refused.
func DeclareDead(ctx context.Context, db *store.DB, orderID, decisionID string, r execution.TransferReading) error {
	var refused error
	err := ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		refused = nil
		w, done, err := c.doubted(decisionID)
		if done || err != nil {
			return err
		}
		refused, err = EndTransfer(ctx, c.Tx, w, decisionID, r, c.Now)
		return store.FirstError(err, c.followEnd(w), c.resolveDecision(decisionID, cmp.Or(store.ReasonOf(refused), casework.DecisionDone)))
	})
	return store.FirstError(err, refused)
}

// EndTransfer writes that a decision calls the transfer dead, or what else custody says of it:
// refused says what, where that is no end.
func EndTransfer(ctx context.Context, db *store.DB, w *execution.Withdrawal, decisionID string, r execution.TransferReading, now time.Time) (refused, err error) {
	was := *w
	if w.UpdatedAt = now; r.Status == execution.TransferRemoved {
		w.Status, w.DeadAt, w.DeadBy = execution.TransferDead, &now, &decisionID
	} else {
		w.Learn(r)
	}
	if !w.Dead() {
		refused = store.Conflict("custody_says_"+w.Status, "The custodian now says that this transfer is "+strings.ReplaceAll(w.Status, "_", " "))
	}
	return refused, execution.StoreTransfer(ctx, db, &was, w)
}

// followEnd moves the order after a transfer that two people call dead, or that
// custody says more about.
func (c *OrderChange) followEnd(w *execution.Withdrawal) error {
	if w.Status != execution.TransferDead {
		return c.follow(w)
	}
	ended := casework.Event{Kind: "transfer_dead", Actor: casework.ByStaff, Internal: true, Dedupe: fmt.Sprintf("dead:%d", w.Generation)}
	return store.FirstError(c.Event(ended), c.transferDied(w))
}

// evidence is the proof that the transfer can never confirm; "" of another proposal.
func (p *Proposal) evidence() (seen DeathEvidence) {
	if p.Kind == DecisionTransferDead {
		_ = json.Unmarshal(p.Data, &seen) // Propose wrote it
	}
	return seen
}

// Evidence is the proof that the transfer can never confirm; "" of another proposal.
func (p *Proposal) Evidence() string { return p.evidence().Seen }
