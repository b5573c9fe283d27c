package kyc

import "github.com/tradepost/tradepost/models/store"

// Personal are the tables of this package with rows about people.
var Personal = []store.Personal{
	{Table: "kyc_records", File: "identity", Query: `SELECT level, status, reason, revoked_at, created_at, updated_at FROM kyc_records WHERE user_id = @user`,
		AtEnd: []string{`UPDATE kyc_records SET reason = '', applicant_id = '', final_labels = '{}' WHERE user_id = @user`}},
	{Table: "kyc_proposals", Why: "what staff proposed about an identity; what came of it is in the history",
		AtClosing: []string{`UPDATE kyc_proposals SET status = 'lapsed', decided_at = clock_now() WHERE user_id = @user AND status = 'open'`},
		AtEnd:     []string{`UPDATE kyc_proposals SET reason = 'erased', answer = '', labels = '{}' WHERE user_id = @user`}},
	{Table: "kyc_events", File: "identity_history", Query: `SELECT at, level, status FROM kyc_events WHERE user_id = @user ORDER BY id`},
}
