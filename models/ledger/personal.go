package ledger

import "github.com/tradepost/tradepost/models/store"

// Personal are the tables of this package with rows about people.
var Personal = []store.Personal{
	{Table: "customer_balances", File: "balances", Query: `SELECT split_part(account, ':', 1) AS account, currency, CASE currency WHEN 'USD' THEN amount / 100 ELSE amount END AS amount
		FROM customer_balances WHERE user_id = @user`},
	{Table: "accounts", Why: "names of accounts in the ledger; their entries are the balances and the histories"},
	{Table: "stranded_credits", Why: "money that came after the account was closed: it has no owner who could ask",
		AtEnd: []string{`UPDATE stranded_credits SET reason = 'erased' WHERE user_id = @user AND reason IS NOT NULL`}},
}
