package team

import "github.com/tradepost/tradepost/models/store"

// Personal are the tables of this package with rows about people.
var Personal = []store.Personal{
	{Table: "role_proposals", Why: "what admins proposed about somebody's roles, and Why: theirs to decide",
		AtClosing: []string{`UPDATE role_proposals SET status = 'lapsed', decided_at = clock_now() WHERE user_id = @user AND status = 'open'`},
		AtEnd:     []string{`UPDATE role_proposals SET reason = 'erased', answer = '' WHERE user_id = @user`}},
}
