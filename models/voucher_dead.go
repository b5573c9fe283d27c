package models

import (
	"cmp"
	"context"
	"fmt"
	"strings"
)

// VoucherTransferDead is what two people decide about a redemption's transfer; it is
// opened by the act that one of them proposed.
const VoucherTransferDead = "transfer_dead"

// VoucherTransfer is that a redemption's transfer, which custody calls removed, can
// never confirm.
type VoucherTransfer struct {
	RedemptionID string `json:"redemptionId"`
	Seen         string `json:"seen"` // where that was seen
	Said         string `json:"said"` // why
}

func (*VoucherTransfer) kind() string                               { return "transfer_dead" }
func (a *VoucherTransfer) subject() string                          { return a.RedemptionID }
func (*VoucherTransfer) stops(context.Context, *DB) (string, error) { return "", nil }
func (a *VoucherTransfer) carry(c *moneyChange) (err error) {
	seen := DeathEvidence{Seen: strings.TrimSpace(a.Seen)}
	if err := seen.check(); err != nil {
		return err
	}
	c.done.Matter, err = c.tx.openVoucherDecision(c.ctx, a.RedemptionID, NewMatterDecision{Kind: VoucherTransferDead, ActorID: c.by.ActorID, ActorRole: c.by.ActorRole,
		RequestID: c.by.RequestID, Reason: a.Said, Data: seen})
	return err
}

// removedTransfer is the transfer that custody last called removed.
func (c *redemptionChange) removedTransfer() (*Withdrawal, error) {
	w, err := c.lastTransfer()
	if err == nil && (w == nil || w.Status != TransferRemoved || c.Redemption.ClosedAt != nil) {
		return nil, errNotRemoved
	}
	return w, err
}

// doubted is the transfer that a decision calls dead; done where it was called so before.
func (c *redemptionChange) doubted(decisionID string) (w *Withdrawal, done bool, err error) {
	last, err := c.lastTransfer()
	if err != nil || last != nil && text(last.DeadBy) == decisionID {
		return nil, err == nil, err
	}
	if _, err := c.tx.matterDecision(c.ctx, c.Redemption.about(), decisionID, VoucherTransferDead); err != nil {
		return nil, false, err
	}
	w, err = c.removedTransfer()
	return w, false, err
}

// VoucherTransferInDoubt is TransferInDoubt for a redemption.
func (db *DB) VoucherTransferInDoubt(ctx context.Context, id, decisionID string) (job TransferJob, err error) {
	err = db.changeRedemption(ctx, id, func(c *redemptionChange) error {
		w, done, err := c.doubted(decisionID)
		if job = (TransferJob{Done: done}); w != nil {
			job.Withdrawal = *w
		}
		return err
	})
	return job, err
}

// DeclareVoucherDead is DeclareDead for a redemption.
func (db *DB) DeclareVoucherDead(ctx context.Context, id, decisionID string, r TransferReading) error {
	var refused error
	err := db.changeRedemption(ctx, id, func(c *redemptionChange) error {
		refused = nil
		w, done, err := c.doubted(decisionID)
		if done || err != nil {
			return err
		}
		refused, err = c.tx.endTransfer(ctx, w, decisionID, r, c.Now)
		return firstError(err, c.follow(w), c.tx.settleMatterDecision(ctx, decisionID, cmp.Or(ReasonOf(refused), DecisionDone)))
	})
	return firstError(err, refused)
}

// revive is OrderChange.revive for a redemption.
func (c *redemptionChange) revive(id, txid string) error {
	w, err := c.tx.revived(c.ctx, id, txid)
	if err != nil || w == nil {
		return err
	}
	r := c.Redemption
	if r.ClosedAt != nil {
		return firstError(c.storeRevived(w, TransferRevived), c.post("transfer_revived", "sent:"+w.sending(), RevivedPostings(w)...))
	}
	if open, err := c.tx.othersOpen(c.ctx, "redemption_id = ?", r.ID, w); err != nil || open {
		return err
	}
	c.clearAttention()
	if err := firstError(c.storeRevived(w, TransferConfirmed), c.sent(w)); err != nil {
		return err
	}
	r.TxID, r.ConfirmedAt, r.ClosedAt = w.TxID, &c.Now, &c.Now
	return c.event(Event{Kind: "confirmed", Actor: ByProvider, Dedupe: fmt.Sprintf("confirmed:%d", w.Generation)})
}

func (c *redemptionChange) storeRevived(w *Withdrawal, status string) error {
	w.Status, w.RevivedAt, w.UpdatedAt = status, &c.Now, c.Now
	if err := c.tx.orm(c.ctx).Save(w).Error; err != nil {
		return fmt.Errorf("store transfer: %w", err)
	}
	return c.event(Event{Kind: "transfer_revived", Actor: ByProvider, Internal: true, Dedupe: fmt.Sprintf("revived:%d", w.Generation),
		Data: map[string]any{"loss": status == TransferRevived}})
}

// RevivedVouchers finds redemptions that ended by a transfer that was dead, of late:
// their workflows may still wait for a person.
func (db *DB) RevivedVouchers(ctx context.Context, limit int) ([]Wake, error) {
	return db.wakes(ctx, "find redemptions that were sent by dead transfers", `SELECT redemption_id AS subject, 'revived' AS reason FROM withdrawals
		WHERE revived_at > clock_now() - interval '1 hour' AND redemption_id IS NOT NULL LIMIT ?`, limit)
}
