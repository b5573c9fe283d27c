package voucher

import (
	"context"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/webhook"
)

// StartVoucherTransfer is StartTransfer for a redemption: custody's own check that the voucher was redeemed, once,
// for this.
func StartVoucherTransfer(ctx context.Context, db *store.DB, id string, caps execution.Caps) (execution.TransferJob, error) {
	var job execution.TransferJob
	err := ChangeRedemption(ctx, db, id, func(c *RedemptionChange) (err error) {
		r := c.Redemption
		if r.Status != RedemptionFilled || r.Waits() {
			job.Done = true
			return nil
		}
		job, err = execution.StartTransfer(c, caps)
		return err
	})
	return job, err
}

// Unsendable returns why custody does not send; it reads the ledger, not its caller's data.
func (c *RedemptionChange) Unsendable(caps execution.Caps) (string, error) {
	r := c.Redemption
	var owed money.Units
	err := c.Tx.ORM(c.ctx).Raw(`SELECT coalesce(sum(amount), 0) FROM postings WHERE matter = ? AND matter_id = ? AND currency = ?
		AND from_account = ? AND to_account = ? AND event = 'voucher_redeemed'`, KindVoucher, r.ID, r.Currency, ledger.AccountPrepaid, ledger.AccountVouchers).Row().Scan(&owed)
	if err != nil {
		return "", fmt.Errorf("look for the voucher: %w", err)
	}
	if reason, err := c.Halted(); reason != "" || err != nil {
		return reason, err
	}
	if owed.Cmp(r.Value) < 0 || c.Voucher.Status != VoucherRedeemed || store.Text(c.Voucher.RedemptionID) != r.ID || c.Voucher.Amount.Cmp(r.Value) != 0 {
		return "", store.Conflict("not_redeemed", "The ledger shows no voucher for this transfer")
	}
	if blocked, err := c.blocked(); blocked || err != nil {
		return casework.AttentionBlocked, err
	}
	return execution.BeyondCaps(c.ctx, c.Tx, c.Now, r.BasePrice, caps)
}

// CurrentVoucherTransfer reads the transfer in progress, to follow it; a closed redemption has none.
func CurrentVoucherTransfer(ctx context.Context, db *store.DB, id string) (execution.TransferJob, error) {
	row, err := ReadRedemption(ctx, db, id)
	if err != nil || row.ClosedAt != nil {
		return execution.TransferJob{Done: true}, err
	}
	last, err := (&execution.Subject{Ctx: ctx, Tx: db, Of: string(KindVoucher), ID: id}).LastTransfer()
	if err != nil || last == nil || last.Dead() {
		return execution.TransferJob{Done: true}, err
	}
	return execution.TransferJob{SentBefore: true, Withdrawal: *last}, nil
}

// VoucherTransferRefused records that the custodian definitely refused the transfer: nothing was sent.
func VoucherTransferRefused(ctx context.Context, db *store.DB, id string, generation int) error {
	return ChangeRedemption(ctx, db, id, func(c *RedemptionChange) error {
		return c.Subject().RefuseTransfer(generation)
	})
}

// RecordVoucherTransfer stores the state of a transfer. news reports whether anything changed; the redemption has
// moved on when it did.
func RecordVoucherTransfer(ctx context.Context, db *store.DB, id string, generation int, reading execution.TransferReading, readAt time.Time) (news bool, err error) {
	err = ChangeRedemption(ctx, db, id, func(c *RedemptionChange) error {
		news = false
		if err := webhook.RedemptionRead(ctx, c.Tx, id, c.Now, readAt); err != nil {
			return err
		}
		w, err := c.Subject().LastTransfer()
		if err != nil || c.Redemption.ClosedAt != nil || w == nil || w.Generation != generation || w.Dead() {
			return err
		}
		was := *w
		if news = w.Learn(reading); !news {
			return nil
		}
		w.UpdatedAt = c.Now
		if err := execution.StoreTransfer(ctx, c.Tx, &was, w); err != nil {
			return err
		}
		return c.Follow(w)
	})
	return news, err
}

// Follow moves the redemption after its transfer.
func (c *RedemptionChange) Follow(w *execution.Withdrawal) error {
	if err := c.event(casework.Event{Kind: "transfer_requested", Actor: casework.ByProvider, Dedupe: fmt.Sprintf("transfer:%d", w.Generation)}); err != nil {
		return err
	}
	switch w.Status {
	case execution.TransferAwaiting:
		return c.Escalate(casework.AttentionApproval)
	case execution.TransferRejected, execution.TransferFailed, execution.TransferDead:
		return c.transferDied(w)
	case execution.TransferRemoved, execution.TransferReplaced:
		return c.Escalate(casework.AttentionTransfer)
	case execution.TransferBroadcast, execution.TransferConfirmed:
		return c.onNetwork(w)
	}
	c.clearAttention()
	return nil
}

// onNetwork books coin that left the wallet, and its confirmation.
func (c *RedemptionChange) onNetwork(w *execution.Withdrawal) error {
	r := c.Redemption
	c.clearAttention()
	if r.Status != RedemptionSent {
		if err := c.sent(w); err != nil {
			return err
		}
	} else if err := c.Subject().SettleFee(w, w.Fee); err != nil {
		return err
	}
	r.TxID = w.TxID
	if w.Status != execution.TransferConfirmed || r.ConfirmedAt != nil {
		return nil
	}
	r.ConfirmedAt, r.ClosedAt = &c.Now, &c.Now
	return c.event(casework.Event{Kind: "confirmed", Actor: casework.ByProvider, Dedupe: fmt.Sprintf("confirmed:%d", w.Generation)})
}

func (c *RedemptionChange) sent(w *execution.Withdrawal) error {
	r := c.Redemption
	rows, err := c.Subject().ExchangeOrders()
	if err != nil {
		return err
	}
	if err := store.FirstError(c.move(RedemptionSent), c.Voucher.move(VoucherPaid)); err != nil {
		return err
	}
	r.SentAt = &c.Now
	group := "sent:" + w.Sending()
	if err := c.post("sent", group, VoucherSentPostings(r, execution.FillOf(rows), w.Fee, w.PaidIn())...); err != nil {
		return err
	}
	return c.event(casework.Event{Kind: "sent", Actor: casework.ByProvider, Dedupe: group, Data: map[string]any{"asset": r.Asset, "amount": r.Asset.Format(r.Amount)}})
}

// transferDied reverses what was booked as sent, if it was. Staff make sure that a failed transfer can never confirm
// before another is made.
func (c *RedemptionChange) transferDied(w *execution.Withdrawal) error {
	r := c.Redemption
	if err := c.Subject().SettleFee(w, w.FeeOfDead(r.Network)); err != nil {
		return err
	}
	if r.Status == RedemptionSent {
		group := fmt.Sprintf("sent:%d", w.Generation)
		if err := store.FirstError(c.move(RedemptionFilled), c.Voucher.move(VoucherRedeemed), c.Subject().Unsend(group)); err != nil {
			return err
		}
		r.SentAt, r.ConfirmedAt, r.TxID = nil, nil, nil
	}
	if err := c.event(casework.Event{Kind: "transfer_died", Actor: casework.ByProvider, Dedupe: fmt.Sprintf("died:%d", w.Generation)}); err != nil {
		return err
	}
	if w.Status == execution.TransferRejected {
		return c.Escalate(AttentionRejected)
	}
	return c.Escalate(AttentionDied)
}
