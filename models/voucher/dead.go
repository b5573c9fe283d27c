package voucher

import (
	"fmt"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/store"
)

// VoucherTransferDead is what two people decide about a redemption's transfer; it is
// opened by the act that one of them proposed.
const VoucherTransferDead = "transfer_dead"

// removedTransfer is the transfer that custody last called removed.
func (c *RedemptionChange) removedTransfer() (*execution.Withdrawal, error) {
	w, err := c.Subject().LastTransfer()
	if err == nil && (w == nil || w.Status != execution.TransferRemoved || c.Redemption.ClosedAt != nil) {
		return nil, execution.ErrNotRemoved
	}
	return w, err
}

// Doubted is the transfer that a decision calls dead; done where it was called so before.
func (c *RedemptionChange) Doubted(decisionID string) (w *execution.Withdrawal, done bool, err error) {
	last, err := c.Subject().LastTransfer()
	if err != nil || last != nil && store.Text(last.DeadBy) == decisionID {
		return nil, err == nil, err
	}
	if _, err := casework.CaseDecisions.Of(KindVoucher).Current(c.ctx, c.Tx, c.Redemption.ID, decisionID, VoucherTransferDead); err != nil {
		return nil, false, err
	}
	w, err = c.removedTransfer()
	return w, false, err
}

// Revive is OrderChange.revive for a redemption.
func (c *RedemptionChange) Revive(id, txid string) error {
	w, err := execution.Revived(c.ctx, c.Tx, id, txid)
	if err != nil || w == nil {
		return err
	}
	r := c.Redemption
	if r.ClosedAt != nil {
		return store.FirstError(c.storeRevived(w, execution.TransferRevived), c.post("transfer_revived", "sent:"+w.Sending(), execution.RevivedPostings(w)...))
	}
	if open, err := execution.OthersOpen(c.ctx, c.Tx, "redemption_id = ?", r.ID, w); err != nil || open {
		return err
	}
	c.clearAttention()
	if err := store.FirstError(c.storeRevived(w, execution.TransferConfirmed), c.sent(w)); err != nil {
		return err
	}
	r.TxID, r.ConfirmedAt, r.ClosedAt = w.TxID, &c.Now, &c.Now
	return c.event(casework.Event{Kind: "confirmed", Actor: casework.ByProvider, Dedupe: fmt.Sprintf("confirmed:%d", w.Generation)})
}

func (c *RedemptionChange) storeRevived(w *execution.Withdrawal, status string) error {
	w.Status, w.RevivedAt, w.UpdatedAt = status, &c.Now, c.Now
	if err := execution.SaveTransfer(c.ctx, c.Tx, w); err != nil {
		return err
	}
	return c.event(casework.Event{Kind: "transfer_revived", Actor: casework.ByProvider, Internal: true, Dedupe: fmt.Sprintf("revived:%d", w.Generation),
		Data: map[string]any{"loss": status == execution.TransferRevived}})
}
