package team

import (
	"context"
	"fmt"
	"slices"

	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/correction"
	"github.com/tradepost/tradepost/models/giftcard"
	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/payout"
	"github.com/tradepost/tradepost/models/reconciliation"
	"github.com/tradepost/tradepost/models/risk"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/voucher"
)

// halves are first approvals and proposals that a second person is to complete. They end when the first person loses
// the roles for them: their owning package withdraws them, and gives the ids that the audit log names.
var halves = []struct {
	roles        []string
	kind, action string
	takeBack     func(ctx context.Context, tx *store.DB, by string) (ids []string, err error)
}{
	{[]string{"finance", RoleAdmin}, "payout", "payout.approval_lapsed", payout.WithdrawFirstApprovals},
	{[]string{"finance", RoleAdmin}, "order", "order.proposal_lapsed", order.WithdrawProposals},
	{[]string{"finance", RoleAdmin}, "break", "break.proposal_lapsed", reconciliation.WithdrawProposals},
	{[]string{"compliance", RoleAdmin}, "risk_review", "risk.release_lapsed", risk.WithdrawReleases},
	{[]string{"compliance", RoleAdmin}, string(kyc.KindKYC), "kyc.approve_lapsed", kyc.WithdrawProposals},
	{[]string{"compliance", RoleAdmin}, "gift_card", "gift_card.approval_lapsed", giftcard.WithdrawFirstApprovals},
	{[]string{"finance", RoleAdmin}, "money_proposal", "money.proposal_lapsed", correction.WithdrawProposals},
	{[]string{"finance", RoleAdmin}, "stranded_credit", "closed_account.pay_back_lapsed", ledger.WithdrawPayBacks},
	{account.Lifters, string(account.KindTwoFactor), "two_factor.vouch_lapsed", account.WithdrawVouches},
	{[]string{RoleAdmin}, "voucher_batch", "voucher_batch.void_lapsed", voucher.WithdrawVoids},
	{[]string{"compliance", RoleAdmin}, "risk", "risk.loosening_lapsed", risk.WithdrawLoosenings},
	{[]string{RoleAdmin}, "voucher", "voucher.lapsed", voucher.WithdrawVouchers},
}

// expireFirstApprovals withdraws a user's first approvals and proposals that their remaining roles do not allow.
func (c *memberChange) expireFirstApprovals(left []string) error {
	for _, half := range halves {
		if slices.ContainsFunc(half.roles, func(role string) bool { return slices.Contains(left, role) }) {
			continue
		}
		ids, err := half.takeBack(c.ctx, c.tx, c.ID)
		if err != nil {
			return fmt.Errorf("take back %s: %w", half.action, err)
		}
		for _, id := range ids {
			err := audit.Audit(c.ctx, c.tx, audit.AuditEntry{ActorID: c.in.ActorID, ActorRole: c.in.ActorRole, Action: half.action, ObjectKind: half.kind, ObjectID: id,
				Before: map[string]any{"by": c.ID}, Reason: c.in.Reason, RequestID: c.in.RequestID})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
