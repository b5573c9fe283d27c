package team

import "github.com/tradepost/tradepost/models/casework"

// KindApproval is a proposed change of a person's roles.
const KindApproval casework.ApprovalKind = "role_proposal"

var _ = casework.ListApproval(&casework.ApprovalRules{Kind: KindApproval, Label: "role changes", Roles: []string{RoleAdmin},
	Titles: map[string]string{"approve": "Give roles"},
	Rows: casework.ApprovalRows{
		ID: "p.id", Act: "'approve'", Since: "p.created_at", Makers: "ARRAY[p.proposed_by]", Customer: "p.user_id", ObjectKind: "'team'", Reason: "p.reason",
		Details: `jsonb_build_object('roles', array_to_string(p.roles, ', '), 'hadRoles', array_to_string(p.had, ', '),
			'rolesNow', (SELECT string_agg(r.role, ', ' ORDER BY r.role) FROM user_roles r WHERE r.user_id = p.user_id))`,
		From: "role_proposals p WHERE p.status = 'open'",
	}})
