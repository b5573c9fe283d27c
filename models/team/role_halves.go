package team

import (
	"context"
	"fmt"
	"slices"

	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/casework"
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
	approval     casework.ApprovalKind // what it is in the inbox
}{
	{[]string{"finance", RoleAdmin}, "payout", "payout.approval_lapsed", payout.WithdrawFirstApprovals, payout.KindApproval},
	{[]string{"finance", RoleAdmin}, "order", "order.proposal_lapsed", order.WithdrawProposals, order.KindProposal},
	{[]string{"finance", RoleAdmin}, "break", "break.proposal_lapsed", reconciliation.WithdrawProposals, reconciliation.KindProposal},
	{[]string{"compliance", RoleAdmin}, "risk_review", "risk.release_lapsed", risk.WithdrawReleases, risk.KindRelease},
	{[]string{"compliance", RoleAdmin}, string(kyc.KindKYC), "kyc.approve_lapsed", kyc.WithdrawProposals, kyc.KindProposal},
	{[]string{"compliance", RoleAdmin}, "gift_card", "gift_card.approval_lapsed", giftcard.WithdrawFirstApprovals, giftcard.KindApproval},
	{[]string{"finance", RoleAdmin}, "money_proposal", "money.proposal_lapsed", correction.WithdrawProposals, correction.KindMoneyProposal},
	{[]string{"finance", RoleAdmin}, "stranded_credit", "closed_account.pay_back_lapsed", ledger.WithdrawPayBacks, correction.KindClosedCredit},
	{account.Lifters, string(account.KindTwoFactor), "two_factor.vouch_lapsed", account.WithdrawVouches, account.KindRecovery},
	{[]string{RoleAdmin}, "voucher_batch", "voucher_batch.void_lapsed", voucher.WithdrawVoids, voucher.KindVoid},
	{[]string{"compliance", RoleAdmin}, "risk", "risk.loosening_lapsed", risk.WithdrawLoosenings, risk.KindLoosening},
	{[]string{RoleAdmin}, "voucher", "voucher.lapsed", voucher.WithdrawVouchers, voucher.KindBatch},
}

// EndBegun ends the proposals and first approvals of the person being frozen. in names them, and who freezes them. The
// caller holds the locks of the team and of the person.
func EndBegun(ctx context.Context, tx *store.DB, in account.StaffAction) error {
	return store.FirstError(expireProposals(ctx, tx, in.CustomerID), expireFirstApprovals(ctx, tx, in, nil))
}

// expireFirstApprovals withdraws a user's first approvals and proposals that their remaining roles do not allow.
func expireFirstApprovals(ctx context.Context, tx *store.DB, in account.StaffAction, left []string) error {
	for _, half := range halves {
		if slices.ContainsFunc(half.roles, func(role string) bool { return slices.Contains(left, role) }) {
			continue
		}
		ids, err := half.takeBack(ctx, tx, in.CustomerID)
		if err != nil {
			return fmt.Errorf("take back %s: %w", half.action, err)
		}
		for _, id := range ids {
			err := audit.Audit(ctx, tx, audit.AuditEntry{ActorID: in.ActorID, ActorRole: in.ActorRole, Action: half.action, ObjectKind: half.kind,
				ObjectID: id, Before: map[string]any{"by": in.CustomerID}, Reason: in.Reason, RequestID: in.RequestID})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// FirstApprovals are the kinds of approvals that end when the person who began them loses the roles for them.
func FirstApprovals() (kinds []casework.ApprovalKind) {
	for _, half := range halves {
		kinds = append(kinds, half.approval)
	}
	return kinds
}
