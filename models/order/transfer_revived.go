package order

import (
	"fmt"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/store"
)

// Revive books a dead transfer that confirmed: as what sent the order, where it was neither sent otherwise nor
// refunded, and else as a loss. While a refund or another transfer is in progress, it waits for its end.
func (c *OrderChange) Revive(id, txid string) error {
	w, err := execution.Revived(c.Ctx, c.Tx, id, txid)
	if err != nil || w == nil {
		return err
	}
	if c.Order.ClosedAt != nil {
		return c.reviveBeside(w)
	}
	refund, err := c.unfinishedRefund()
	if err != nil || refund != nil {
		return err
	}
	if open, err := execution.OthersOpen(c.Ctx, c.Tx, "order_id = ?", c.Order.ID, w); err != nil || open {
		return err
	}
	if err := c.storeRevived(w, execution.TransferConfirmed); err != nil {
		return err
	}
	c.Order.BitgoTransferID = w.TransferID
	if err := c.send(w.Sending(), txid, w.Fee, w.PaidIn()); err != nil {
		return err
	}
	c.Order.ConfirmedAt, c.Order.ClosedAt = &c.Now, &c.Now
	return c.Event(casework.Event{Kind: "confirmed", Actor: casework.ByProvider, Dedupe: fmt.Sprintf("confirmed:%d", w.Generation)})
}

// reviveBeside books a transfer that confirmed when its order was over. Coin that was
// marked as sent by this very transaction is booked already.
func (c *OrderChange) reviveBeside(w *execution.Withdrawal) error {
	if c.Order.Status == StatusSent && execution.SameTransaction(store.Text(c.Order.TxID), *w.TxID) {
		return store.FirstError(c.storeRevived(w, execution.TransferConfirmed), c.Post("fee_settled", "sent:"+w.Sending(), execution.NetworkFee(w)...))
	}
	return store.FirstError(c.storeRevived(w, execution.TransferRevived), c.Post("transfer_revived", "sent:"+w.Sending(), execution.RevivedPostings(w)...))
}

func (c *OrderChange) storeRevived(w *execution.Withdrawal, status string) error {
	w.Status, w.RevivedAt, w.UpdatedAt = status, &c.Now, c.Now
	return store.FirstError(execution.SaveTransfer(c.Ctx, c.Tx, w), c.Event(casework.Event{Kind: "transfer_revived", Actor: casework.ByProvider, Internal: true, Dedupe: fmt.Sprintf("revived:%d", w.Generation),
		Data: map[string]any{"loss": status == execution.TransferRevived}}))
}
