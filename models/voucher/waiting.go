package voucher

import (
	"context"

	"gorm.io/gorm"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/store"
)

// actionableRedemption is the condition of a redemption r that is stopped until a person decides: one under review
// continues automatically (lookedAt).
const actionableRedemption = "r.closed_at IS NULL AND r.attention_reason IS NOT NULL AND r.attention_reason NOT IN ('" + casework.AttentionApproval + "', '" + casework.AttentionTransfer + "')"

// OldestActionableVoucher reads the heads of both walks of walkActionable.
const OldestActionableVoucher = `since AS created_at FROM (
	(SELECT v.created_at AS since, v.id FROM vouchers v WHERE v.status = 'awaiting_approval' ORDER BY v.created_at, v.id LIMIT 1) UNION ALL
	(SELECT r.attention_since, r.voucher_id FROM voucher_redemptions r WHERE ` + actionableRedemption + ` ORDER BY r.attention_since, r.voucher_id LIMIT 1)) w`

// walkActionable narrows a query over vouchers to a page of what staff can act on:
// what waits for a second admin, and what a redemption waits for a person about,
// as w with since when it waits. Each is one walk of an index of its own and gives
// at most a page.
func (f VoucherFilter) walkActionable(ctx context.Context, db *store.DB, query *gorm.DB, p store.Page) (*gorm.DB, error) {
	approvals, err := f.narrow(ctx, db, db.ORM(ctx).Table("vouchers").Select("vouchers.created_at AS since, vouchers.id").Where("vouchers.status = ?", VoucherAwaiting))
	if err != nil {
		return nil, err
	}
	redemptions, err := f.narrow(ctx, db, db.ORM(ctx).Table("voucher_redemptions r").Select("r.attention_since AS since, r.voucher_id AS id").
		Joins("JOIN vouchers ON vouchers.id = r.voucher_id AND vouchers.redemption_id = r.id").Where(actionableRedemption))
	if err != nil {
		return nil, err
	}
	if f.Waiting {
		approvals = approvals.Where("false")
	}
	query = query.Joins("JOIN ((?) UNION ALL (?)) w ON w.id = vouchers.id", p.By(approvals, "vouchers", "created_at"), p.Over(redemptions, "r.attention_since", "r.voucher_id"))
	return p.Over(query, "w.since", "w.id"), nil
}

// CountActionableVouchers counts the vouchers of a filter that staff can act on.
func CountActionableVouchers(ctx context.Context, db *store.DB, f VoucherFilter) (int, error) {
	n, err := countRedemptions(ctx, db, f, actionableRedemption)
	if err != nil || f.Waiting || f.Status != "" && f.Status != VoucherAwaiting {
		return n, err
	}
	counts, err := CountVouchersFound(ctx, db, f)
	return n + counts.ByStatus[VoucherAwaiting], err
}
