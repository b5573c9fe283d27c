package team

import (
	"fmt"
	"slices"

	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/audit"
)

// halves are what one of two people has done and another is to complete. They are
// worth nothing once the first has none of the roles any more: each statement takes
// them back, and gives the ids that the audit log names.
var halves = []struct {
	roles        []string
	kind, action string
	takeBack     string
}{
	{[]string{"finance", RoleAdmin}, "payout", "payout.approval_lapsed",
		`UPDATE payouts SET first_approved_by = NULL, first_approved_at = NULL, updated_at = clock_now() WHERE first_approved_by = ? AND status = 'requested' RETURNING id`},
	{[]string{"finance", RoleAdmin}, "order", "order.proposal_lapsed",
		`UPDATE order_proposals SET status = 'lapsed', decided_at = clock_now() WHERE proposed_by = ? AND status = 'open' RETURNING order_id`},
	{[]string{"finance", RoleAdmin}, "break", "break.proposal_lapsed",
		`UPDATE reconciliation_breaks SET wanted_account = NULL, wanted_reason = NULL, wanted_by = NULL, wanted_at = NULL WHERE wanted_by = ? AND closed_at IS NULL RETURNING id`},
	{[]string{"compliance", RoleAdmin}, "risk_review", "risk.release_lapsed",
		`UPDATE risk_reviews SET first_by = NULL, first_at = NULL WHERE first_by = ? AND closed_at IS NULL RETURNING id`},
	{[]string{"compliance", RoleAdmin}, "gift_card", "gift_card.approval_lapsed",
		`UPDATE gift_cards SET first_approved_by = NULL, first_approved_at = NULL, first_value = NULL, updated_at = clock_now() WHERE first_approved_by = ? AND status = 'in_review' RETURNING id`},
	{[]string{"finance", RoleAdmin}, "money_proposal", "money.proposal_lapsed",
		`UPDATE money_proposals SET status = 'lapsed', decided_at = clock_now() WHERE proposed_by = ? AND status = 'open' RETURNING id`},
	{[]string{"finance", RoleAdmin}, "stranded_credit", "closed_account.pay_back_lapsed",
		`UPDATE stranded_credits SET first_by = NULL, first_at = NULL, bank_reference = NULL, reason = NULL WHERE first_by = ? AND paid_at IS NULL RETURNING id`},
	{account.Lifters, string(account.MatterTwoFactor), "two_factor.vouch_lapsed",
		`UPDATE two_factor_recoveries SET status = 'asked', vouched_by = NULL, vouched_at = NULL, updated_at = clock_now() WHERE vouched_by = ? AND status = 'vouched' RETURNING id`},
	{[]string{RoleAdmin}, "voucher_batch", "voucher_batch.void_lapsed",
		`UPDATE voucher_batches SET asked_by = NULL, asked_at = NULL, asked_why = '' WHERE asked_by = ? RETURNING id`},
	{[]string{"compliance", RoleAdmin}, "risk", "risk.loosening_lapsed", `DELETE FROM risk_loosenings WHERE first_by = ? RETURNING thing`},
	{[]string{RoleAdmin}, "voucher", "voucher.lapsed",
		`UPDATE vouchers SET status = 'voided', sealed_code = NULL, end_reason = 'who made it is no admin any more', updated_at = clock_now() WHERE created_by = ? AND status = 'awaiting_approval' RETURNING id`},
}

// lapseHalves takes back what somebody has begun as one of two, and may not with the
// roles that they are left with.
func (c *memberChange) lapseHalves(left []string) error {
	for _, half := range halves {
		if slices.ContainsFunc(half.roles, func(role string) bool { return slices.Contains(left, role) }) {
			continue
		}
		var ids []string
		if err := c.tx.ORM(c.ctx).Raw(half.takeBack, c.ID).Scan(&ids).Error; err != nil {
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
