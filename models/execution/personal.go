package execution

import "github.com/tradepost/tradepost/models/store"

// Personal are the tables of this package with rows about people.
var Personal = []store.Personal{
	{Table: "withdrawals", File: "transfers", Query: `SELECT order_id, redemption_id, asset, network, address, ` + store.Coins + ` AS amount, txid, status, created_at FROM withdrawals
		WHERE user_id = @user ORDER BY created_at`,
		AtEnd: []string{`UPDATE withdrawals SET address = 'erased' WHERE user_id = @user`}},
}
