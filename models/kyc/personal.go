package kyc

import "github.com/tradepost/tradepost/models/store"

// Personal are the tables of this package with rows about people.
var Personal = []store.Personal{
	{Table: "kyc_records", File: "identity", Query: `SELECT level, status, reason, revoked_at, created_at, updated_at FROM kyc_records WHERE user_id = @user`,
		AtEnd: []string{`UPDATE kyc_records SET reason = '', applicant_id = '' WHERE user_id = @user`}},
	{Table: "kyc_events", File: "identity_history", Query: `SELECT at, level, status FROM kyc_events WHERE user_id = @user ORDER BY id`},
}
