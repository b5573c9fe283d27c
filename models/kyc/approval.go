package kyc

import (
	"github.com/tradepost/tradepost/models/casework"
)

// KindProposal is the approval of an identity that was rejected finally.
const KindProposal casework.ApprovalKind = "identity"

var _ = casework.ListApproval(&casework.ApprovalRules{Kind: KindProposal, Label: "identities that were rejected finally", Roles: []string{"compliance", "admin"},
	Titles: map[string]string{KYCApprove: "Approve an identity that was rejected finally"},
	Rows: casework.ApprovalRows{
		ID: "p.id", Act: "'approve'", Since: "p.created_at", Makers: "ARRAY[p.proposed_by]", Customer: "p.user_id", ObjectKind: "'user'", ObjectID: "p.user_id",
		Reason:  "p.reason",
		Details: `jsonb_build_object('level', p.level, 'rejectedBy', p.final_by, 'rejectionLabels', array_to_string(p.labels, ', '), 'providerState', k.provider_state)`,
		From:    "kyc_proposals p JOIN kyc_records k ON k.user_id = p.user_id WHERE p.status = 'open'",
	}})
