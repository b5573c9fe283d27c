package models

import (
	"context"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/money"
)

// lastTransfer is the newest of the redemption, or nil.
func (c *redemptionChange) lastTransfer() (*Withdrawal, error) {
	return c.tx.lastTransfer(c.ctx, "redemption_id = ?", c.Redemption.ID)
}

// StartVoucherTransfer is StartTransfer for a redemption: custody's own look at
// whether the voucher was redeemed, once, for this.
func (db *DB) StartVoucherTransfer(ctx context.Context, id string, caps Caps) (TransferJob, error) {
	var job TransferJob
	err := db.changeRedemption(ctx, id, func(c *redemptionChange) (err error) {
		r := c.Redemption
		if r.Status != RedemptionFilled || r.Waits() {
			job.Done = true
			return nil
		}
		job, err = startTransfer(c, caps)
		job.At = c.Now
		return err
	})
	return job, err
}

// nextTransfer is the one after last.
func (c *redemptionChange) nextTransfer(last *Withdrawal) (Withdrawal, error) {
	r := c.Redemption
	since := maybeSince(c.Now, r.CreatedAt, r.RestoredAt)
	return c.tx.nextTransfer(c.ctx, c.Now, last, Withdrawal{RedemptionID: &r.ID, SendStartedAt: &since, UserID: r.UserID, Asset: r.Asset, Network: r.Network,
		Address: r.DestAddress, Amount: r.Amount, SequenceID: "vou-" + r.ID})
}

// unsendable says why custody does not send; it looks at the ledger, not at what
// it is told.
func (c *redemptionChange) unsendable(caps Caps) (string, error) {
	r := c.Redemption
	var owed money.Units
	err := c.tx.orm(c.ctx).Raw(`SELECT coalesce(sum(amount), 0) FROM postings WHERE matter = ? AND matter_id = ? AND currency = ?
		AND from_account = ? AND to_account = ? AND event = 'voucher_redeemed'`, MatterVoucher, r.ID, r.Currency, AccountPrepaid, AccountVouchers).Row().Scan(&owed)
	if err != nil {
		return "", fmt.Errorf("look for the voucher: %w", err)
	}
	if reason, err := c.halted(); reason != "" || err != nil {
		return reason, err
	}
	if owed.Cmp(r.Value) < 0 || c.Voucher.Status != VoucherRedeemed || text(c.Voucher.RedemptionID) != r.ID || c.Voucher.Amount.Cmp(r.Value) != 0 {
		return "", Conflict("not_redeemed", "The ledger shows no voucher for this transfer")
	}
	if blocked, err := c.blocked(); blocked || err != nil {
		return AttentionBlocked, err
	}
	return c.tx.beyondCaps(c.ctx, c.Now, r.BasePrice, caps)
}

// CurrentVoucherTransfer reads the transfer that is under way, to follow it:
// none any more once the redemption is over.
func (db *DB) CurrentVoucherTransfer(ctx context.Context, id string) (TransferJob, error) {
	row, err := db.Redemption(ctx, id)
	if err != nil || row.ClosedAt != nil {
		return TransferJob{Done: true}, err
	}
	last, err := db.lastTransfer(ctx, "redemption_id = ?", id)
	if err != nil || last == nil || last.dead() {
		return TransferJob{Done: true}, err
	}
	return TransferJob{SentBefore: true, Withdrawal: *last}, nil
}

// VoucherTransferRefused notes that the custodian definitely would not take the
// transfer: nothing was sent.
func (db *DB) VoucherTransferRefused(ctx context.Context, id string, generation int) error {
	return db.changeRedemption(ctx, id, func(c *redemptionChange) error {
		return c.tx.orm(ctx).Exec(`UPDATE withdrawals SET status = ?, updated_at = ? WHERE redemption_id = ? AND generation = ? AND status = ?`,
			TransferRefused, c.Now, id, generation, TransferRequested).Error
	})
}

// RecordVoucherTransfer writes what became of a transfer. news reports whether
// anything changed; the redemption has moved on when it did.
func (db *DB) RecordVoucherTransfer(ctx context.Context, id string, generation int, reading TransferReading, readAt time.Time) (news bool, err error) {
	err = db.changeRedemption(ctx, id, func(c *redemptionChange) error {
		news = false
		err := c.tx.orm(ctx).Exec(`UPDATE webhook_inbox SET handled_at = ? WHERE redemption_id = ? AND handled_at IS NULL AND received_at <= ?`,
			c.Now, id, readAt).Error
		if err != nil {
			return fmt.Errorf("mark webhooks handled: %w", err)
		}
		w, err := c.lastTransfer()
		if err != nil || c.Redemption.ClosedAt != nil || w == nil || w.Generation != generation || w.dead() {
			return err
		}
		was := *w
		if news = w.learn(reading); !news {
			return nil
		}
		w.UpdatedAt = c.Now
		if err := saveChanged(ctx, c.tx, &was, w, nil); err != nil {
			return err
		}
		return c.follow(w)
	})
	return news, err
}

// follow moves the redemption after its transfer.
func (c *redemptionChange) follow(w *Withdrawal) error {
	if err := c.event(Event{Kind: "transfer_requested", Actor: ByProvider, Dedupe: fmt.Sprintf("transfer:%d", w.Generation)}); err != nil {
		return err
	}
	switch w.Status {
	case TransferAwaiting:
		return c.attend(AttentionApproval)
	case TransferRejected, TransferFailed, TransferDead:
		return c.transferDied(w)
	case TransferRemoved, TransferReplaced:
		return c.attend(AttentionTransfer)
	case TransferBroadcast, TransferConfirmed:
		return c.onNetwork(w)
	}
	c.clearAttention()
	return nil
}

// onNetwork books coin that left the wallet, and its confirmation.
func (c *redemptionChange) onNetwork(w *Withdrawal) error {
	r := c.Redemption
	c.clearAttention()
	if r.Status != RedemptionSent {
		if err := c.sent(w); err != nil {
			return err
		}
	} else if err := c.settleFee(w, w.Fee); err != nil {
		return err
	}
	r.TxID = w.TxID
	if w.Status != TransferConfirmed || r.ConfirmedAt != nil {
		return nil
	}
	r.ConfirmedAt, r.ClosedAt = &c.Now, &c.Now
	return c.event(Event{Kind: "confirmed", Actor: ByProvider, Dedupe: fmt.Sprintf("confirmed:%d", w.Generation)})
}

func (c *redemptionChange) sent(w *Withdrawal) error {
	r := c.Redemption
	rows, err := c.exchangeOrders()
	if err != nil {
		return err
	}
	if err := firstError(c.move(RedemptionSent), c.Voucher.move(VoucherPaid)); err != nil {
		return err
	}
	r.SentAt = &c.Now
	group := "sent:" + w.sending()
	if err := c.post("sent", group, VoucherSentPostings(r, fillOf(rows), w.Fee, w.feeCurrency())...); err != nil {
		return err
	}
	return c.event(Event{Kind: "sent", Actor: ByProvider, Dedupe: group, Data: map[string]any{"asset": r.Asset, "amount": r.Asset.Format(r.Amount)}})
}

func (c *redemptionChange) settleFee(w *Withdrawal, spent money.Units) error {
	booked := c.tx.orm(c.ctx).Where("matter_id = ? AND matter = ?", c.Redemption.ID, MatterVoucher)
	group := fmt.Sprintf("sent:%d", w.Generation)
	lines, times, err := feeSettled(booked, string(MatterVoucher)+":"+c.Redemption.ID+":"+group, w, spent)
	if err != nil || lines == nil {
		return err
	}
	return c.post("fee_settled", fmt.Sprintf("%s:fee:%d", group, times+1), lines...)
}

// transferDied takes back what was booked as sent, if it was. A person makes sure
// that a transfer which failed can never confirm before another is made.
func (c *redemptionChange) transferDied(w *Withdrawal) error {
	r := c.Redemption
	if err := c.settleFee(w, w.feeOfDead(r.Network)); err != nil {
		return err
	}
	if r.Status == RedemptionSent {
		group := fmt.Sprintf("sent:%d", w.Generation)
		back, err := c.tx.unsent(c.ctx, string(MatterVoucher)+":"+r.ID+":"+group)
		if err != nil {
			return err
		}
		if err := firstError(c.move(RedemptionFilled), c.Voucher.move(VoucherRedeemed), c.post("transfer_died", group+":reversed", back...)); err != nil {
			return err
		}
		r.SentAt, r.ConfirmedAt, r.TxID = nil, nil, nil
	}
	if err := c.event(Event{Kind: "transfer_died", Actor: ByProvider, Dedupe: fmt.Sprintf("died:%d", w.Generation)}); err != nil {
		return err
	}
	if w.Status == TransferRejected {
		return c.attend(AttentionRejected)
	}
	return c.attend(AttentionDied)
}
