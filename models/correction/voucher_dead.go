package correction

import (
	"cmp"
	"context"
	"strings"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/voucher"
)

// VoucherTransfer is that a redemption's transfer, which custody calls removed, can
// never confirm.
type VoucherTransfer struct {
	RedemptionID string `json:"redemptionId"`
	Seen         string `json:"seen"` // where that was seen
	Said         string `json:"said"` // why
}

func (*VoucherTransfer) kind() string { return "transfer_dead" }

func (a *VoucherTransfer) subject() string { return a.RedemptionID }

func (*VoucherTransfer) stops(context.Context, *store.DB) (string, error) { return "", nil }

func (a *VoucherTransfer) execute(c *moneyChange) (err error) {
	seen := order.DeathEvidence{Seen: strings.TrimSpace(a.Seen)}
	if err := seen.Check(); err != nil {
		return err
	}
	c.done.Matter, err = voucher.StoreVoucherDecision(c.ctx, c.tx, a.RedemptionID, casework.NewCaseDecision{Kind: voucher.VoucherTransferDead, ActorID: c.by.ActorID, ActorRole: c.by.ActorRole,
		RequestID: c.by.RequestID, Reason: a.Said, Data: seen})
	return err
}

// VoucherTransferInDoubt is TransferInDoubt for a redemption.
func VoucherTransferInDoubt(ctx context.Context, db *store.DB, id, decisionID string) (job execution.TransferJob, err error) {
	err = voucher.ChangeRedemption(ctx, db, id, func(c *voucher.RedemptionChange) error {
		w, done, err := c.Doubted(decisionID)
		if job = (execution.TransferJob{Done: done}); w != nil {
			job.Withdrawal = *w
		}
		return err
	})
	return job, err
}

// DeclareVoucherDead is DeclareDead for a redemption.
func DeclareVoucherDead(ctx context.Context, db *store.DB, id, decisionID string, r execution.TransferReading) error {
	var refused error
	err := voucher.ChangeRedemption(ctx, db, id, func(c *voucher.RedemptionChange) error {
		refused = nil
		w, done, err := c.Doubted(decisionID)
		if done || err != nil {
			return err
		}
		refused, err = order.EndTransfer(ctx, c.Tx, w, decisionID, r, c.Now)
		return store.FirstError(err, c.Follow(w), casework.CaseDecisions.Resolve(ctx, c.Tx, decisionID, cmp.Or(store.ReasonOf(refused), casework.DecisionDone)))
	})
	return store.FirstError(err, refused)
}

// RevivedVouchers finds redemptions that ended by a transfer that was dead, of late:
// their workflows may still wait for a person.
func RevivedVouchers(ctx context.Context, db *store.DB, limit int) ([]store.Signal, error) {
	return db.Signals(ctx, "find redemptions that were sent by dead transfers", `SELECT redemption_id AS subject, 'revived' AS reason FROM withdrawals
		WHERE revived_at > clock_now() - interval '1 hour' AND redemption_id IS NOT NULL LIMIT ?`, limit)
}
