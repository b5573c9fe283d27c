package account

import "github.com/tradepost/tradepost/models/casework"

// KindRecovery is a reset of a second factor for which one admin identified the person.
const KindRecovery casework.ApprovalKind = "two_factor"

var _ = casework.ListApproval(&casework.ApprovalRules{Kind: KindRecovery, Label: "two-factor resets", Roles: Lifters,
	Titles: map[string]string{RecoveryApprove: "Reset two-factor authentication"},
	Rows: casework.ApprovalRows{
		ID: "r.id", Act: "'approve'", Since: "greatest(r.vouched_at, r.ready_at)", Makers: "ARRAY[r.vouched_by]", Customer: "r.user_id", ObjectKind: "'two_factor'",
		Reference: "r.reference",
		Reason: `(SELECT h.reason FROM matter_decisions h WHERE h.matter_id = r.id AND h.matter = 'two_factor' AND h.kind = 'vouch' AND h.actor_id = r.vouched_by
			ORDER BY h.created_at DESC LIMIT 1)`,
		From: "two_factor_recoveries r WHERE r.closed_at IS NULL AND r.status = 'vouched' AND r.ready_at <= clock_now()",
	}})
