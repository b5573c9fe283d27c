package treasury

import (
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/store"
)

// KindApproval is a proposed move of coin from the exchange to a wallet.
const KindApproval casework.ApprovalKind = "treasury_move"

var _ = casework.ListApproval(&casework.ApprovalRules{Kind: KindApproval, Label: "treasury moves", Roles: store.Cashiers,
	Titles: map[string]string{MoveApprove: "Move coin to a wallet"},
	Rows: casework.ApprovalRows{
		ID: "m.id", Act: "'approve'", Since: "m.created_at", Makers: "ARRAY[m.proposed_by]", Amount: "m.amount", Currency: "m.asset",
		ObjectKind: "'treasury_move'", ObjectID: "m.id", Reference: "m.reference", Reason: "m.reason",
		Details: "jsonb_build_object('network', m.network)", From: "treasury_moves m WHERE m.status = 'proposed'",
	}})
