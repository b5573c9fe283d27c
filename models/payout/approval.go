package payout

import (
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/store"
)

// KindApproval is a payout that one person approved and a second one has to.
const KindApproval casework.ApprovalKind = "payout"

var _ = casework.ListApproval(&casework.ApprovalRules{Kind: KindApproval, Label: "payouts", Roles: store.Cashiers, Begins: true,
	Titles:   map[string]string{PayoutApprove: "Pay out"},
	Releases: map[string]dualcontrol.Action{PayoutApprove: dualcontrol.ApprovePayout},
	Rows: casework.ApprovalRows{
		ID: "p.id", Act: "'approve'", Since: "p.first_approved_at", Makers: "ARRAY[p.first_approved_by]", Amount: "p.amount", Currency: "'USD'", Customer: "p.user_id",
		SubjectKind: "'payout'", SubjectID: "p.id", Spent: "p.created_at",
		ObjectKind: "'payout'", ObjectID: "p.id", Reference: "p.reference",
		Details: "jsonb_build_object('account', upper(p.account_kind) || ' ' || p.account_country || ' ••' || p.account_last4, 'requested', to_char(p.created_at, 'YYYY-MM-DD'))",
		From:    "payouts p WHERE p.first_approved_by IS NOT NULL AND p.status = 'requested'",
	}})
