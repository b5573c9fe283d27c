package payout

import "github.com/tradepost/tradepost/models/store"

// Personal are the tables of this package with rows about people.
var Personal = []store.Personal{
	{Table: "payouts", File: "payouts", Query: `SELECT reference, amount / 100 AS amount, status, account_kind, account_country, account_last4, bank_reference,
		reason, created_at, paid_at, ended_at FROM payouts WHERE user_id = @user ORDER BY created_at`,
		AtEnd: []string{`UPDATE payouts SET account_last4 = '0000', reason = CASE WHEN reason IS NOT NULL THEN 'erased' END WHERE user_id = @user`}},
}
