package referral

import "github.com/tradepost/tradepost/models/store"

// Personal are the tables of this package with rows about people.
var Personal = []store.Personal{
	{Table: "referral_codes", File: "referral_code", Query: `SELECT code, created_at FROM referral_codes WHERE user_id = @user`},
	{Table: "rewards", File: "rewards", Query: `SELECT reference, kind, amount / 100 AS amount, status, created_at, rewarded_at, closed_at FROM rewards
		WHERE user_id = @user ORDER BY created_at`,
		AtEnd: []string{`UPDATE rewards SET address_hash = NULL WHERE friend_id = @user`}},
}
