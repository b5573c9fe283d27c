package models

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/money"
)

// A transfer that was declared dead is watched for ever: custody's statement says what
// became of it. Once it has confirmed, its coin is booked in one transaction.

// confirmedDead are the transfers that are called dead, and that custody's statement
// shows as confirmed.
const confirmedDead = `withdrawals w JOIN statement_lines l ON l.holder = 'bitgo' AND l.key = 'transfer:' || w.sequence_id AND l.currency = w.asset
	AND l.state = 'confirmed' AND l.amount < 0 WHERE w.status = 'dead'`

// deadNotice is the notices of custody about transfers that are called dead: a reading
// of the statement answers them, not the workflow.
const deadNotice = `(provider = 'bitgo' AND EXISTS (SELECT FROM withdrawals w WHERE w.status = 'dead' AND subject IN (w.transfer_id, w.approval_id, w.sequence_id)))`

// answerDeadNotices marks custody's notices about dead transfers as handled that had
// come before its statement was read.
func (db *DB) answerDeadNotices(ctx context.Context, h Holder, by time.Time) error {
	if h != HolderBitGo {
		return nil
	}
	err := db.orm(ctx).Exec("UPDATE webhook_inbox SET handled_at = clock_now() WHERE handled_at IS NULL AND received_at <= ? AND "+deadNotice, by).Error
	if err != nil {
		return fmt.Errorf("mark webhooks handled: %w", err)
	}
	return nil
}

// BookRevived books the coin of dead transfers that confirmed nonetheless. One that
// cannot be booked keeps no other from it.
func (db *DB) BookRevived(ctx context.Context) (failed error) {
	var rows []struct {
		Withdrawal `gorm:"embedded"`
		Seen       string
	}
	if err := db.orm(ctx).Raw("SELECT w.*, l.txid AS seen FROM " + confirmedDead + " ORDER BY w.id").Scan(&rows).Error; err != nil {
		return fmt.Errorf("find transfers that are dead no more: %w", err)
	}
	for _, row := range rows {
		var err error
		if row.OrderID != nil {
			err = db.ChangeOrder(ctx, *row.OrderID, func(c *OrderChange) error { return c.revive(row.ID, row.Seen) })
		} else {
			err = db.changeRedemption(ctx, *row.RedemptionID, func(c *redemptionChange) error { return c.revive(row.ID, row.Seen) })
		}
		failed = errors.Join(failed, err)
	}
	return failed
}

// revived reads a dead transfer under the lock of what it is for, as custody's
// statement says it: what it cost is what left the wallets beyond its amount. It is
// nil once it is booked.
func (db *DB) revived(ctx context.Context, id, txid string) (*Withdrawal, error) {
	var rows []Withdrawal
	if err := db.orm(ctx).Where("id = ? AND status = ?", id, TransferDead).Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read transfer: %w", err)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	w := &rows[0]
	var left []struct {
		Currency money.Currency
		Sum      money.Units
	}
	err := db.orm(ctx).Raw(`SELECT currency, -sum(amount) AS sum FROM statement_lines WHERE holder = ? AND key = ? GROUP BY currency`,
		HolderBitGo, "transfer:"+w.SequenceID).Scan(&left).Error
	if err != nil {
		return nil, fmt.Errorf("read what left the wallet: %w", err)
	}
	w.TxID, w.Fee = &txid, money.Units{}
	for _, l := range left {
		if l.Currency == w.Asset {
			l.Sum = l.Sum.Sub(w.Amount)
		}
		if l.Sum.Sign() > 0 {
			w.Fee, w.FeeCurrency = l.Sum, &l.Currency
		}
	}
	return w, nil
}

// othersOpen reports whether another transfer for the same may still be sent, or was.
func (db *DB) othersOpen(ctx context.Context, whose, id string, w *Withdrawal) (open bool, err error) {
	err = db.orm(ctx).Raw("SELECT EXISTS (SELECT FROM withdrawals WHERE "+whose+" AND id <> ? AND status NOT IN ?)", id, w.ID, withoutEffect).Scan(&open).Error
	if err != nil {
		return false, fmt.Errorf("look for other transfers: %w", err)
	}
	return open, nil
}

// sending names a transfer in the groups of its postings. One that was declared dead
// may have been booked as sent, and taken back, under its generation before.
func (w *Withdrawal) sending() string {
	if w.DeadAt != nil {
		return fmt.Sprintf("%d:revived", w.Generation)
	}
	return fmt.Sprint(w.Generation)
}

// RevivedPostings are for coin of a dead transfer that left the wallet beside another
// end of what it was for: we bear it.
func RevivedPostings(w *Withdrawal) []Posting {
	return append([]Posting{{From: WalletAccount(w.Network), To: AccountLosses, Currency: w.Asset, Amount: w.Amount}}, networkFee(w)...)
}

// networkFee is the posting of what a transfer cost, once that is known.
func networkFee(w *Withdrawal) []Posting {
	if w.Fee.Sign() <= 0 {
		return nil
	}
	return []Posting{{From: WalletAccount(w.Network), To: AccountNetworkFee, Currency: w.feeCurrency(), Amount: w.Fee}}
}

// revive books a dead transfer that confirmed: as what sent the order, where nothing
// else did or gave its money back, and else as a loss. While a refund or another
// transfer is under way, it waits for how that ends.
func (c *OrderChange) revive(id, txid string) error {
	w, err := c.tx.revived(c.ctx, id, txid)
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
	if open, err := c.tx.othersOpen(c.ctx, "order_id = ?", c.Order.ID, w); err != nil || open {
		return err
	}
	if err := c.storeRevived(w, TransferConfirmed); err != nil {
		return err
	}
	c.Order.BitgoTransferID = w.TransferID
	if err := c.send(w.sending(), txid, w.Fee, w.feeCurrency()); err != nil {
		return err
	}
	c.Order.ConfirmedAt, c.Order.ClosedAt = &c.Now, &c.Now
	return c.Event(Event{Kind: "confirmed", Actor: ByProvider, Dedupe: fmt.Sprintf("confirmed:%d", w.Generation)})
}

// reviveBeside books a transfer that confirmed when its order was over. Coin that was
// marked as sent by this very transaction is booked already.
func (c *OrderChange) reviveBeside(w *Withdrawal) error {
	if c.Order.Status == StatusSent && text(c.Order.TxID) == *w.TxID {
		return firstError(c.storeRevived(w, TransferConfirmed), c.Post("fee_settled", "sent:"+w.sending(), networkFee(w)...))
	}
	return firstError(c.storeRevived(w, TransferRevived), c.Post("transfer_revived", "sent:"+w.sending(), RevivedPostings(w)...))
}

func (c *OrderChange) storeRevived(w *Withdrawal, status string) error {
	w.Status, w.RevivedAt, w.UpdatedAt = status, &c.Now, c.Now
	return firstError(c.Save(w), c.Event(Event{Kind: "transfer_revived", Actor: ByProvider, Internal: true, Dedupe: fmt.Sprintf("revived:%d", w.Generation),
		Data: map[string]any{"loss": status == TransferRevived}}))
}

// Revived finds orders that ended by a transfer that was dead, while their workflows
// still wait for a person.
func (db *DB) Revived(ctx context.Context, limit int) ([]Wake, error) {
	return db.wakes(ctx, "find orders that were sent by dead transfers", `SELECT w.order_id AS subject, 'revived' AS reason
		FROM withdrawals w JOIN histories_due h ON h.order_id = w.order_id WHERE w.revived_at IS NOT NULL LIMIT ?`, limit)
}

// notOfDead refuses to book a break of a transfer that was declared dead: it is booked
// by itself, once.
func (db *DB) notOfDead(ctx context.Context, b *Break) error {
	var dead bool
	err := db.orm(ctx).Raw(`SELECT EXISTS (SELECT FROM withdrawals w, reconciliation_progress p WHERE w.sequence_id = split_part(?, 'transfer:', 2)
		AND (w.status = 'dead' OR w.revived_at > coalesce(p.compared_at, '-infinity')))`, b.Key).Row().Scan(&dead)
	if err != nil {
		return fmt.Errorf("look for a dead transfer: %w", err)
	}
	if dead {
		return Conflict("transfer_dead", "This transfer was declared dead. It is booked by itself once what is under way for its order has ended.")
	}
	return nil
}
