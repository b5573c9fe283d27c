package voucher

import (
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// worth is what a voucher of any currency is worth, as a number of dollars or coins.
var worth = `trim_scale(value / power(10::numeric, ` + money.DecimalsSQL("currency") + `))`

// Personal are the tables of this package with rows about people.
var Personal = []store.Personal{
	{Table: "voucher_redemptions", File: "vouchers", Query: `SELECT id, reference, status, ` + worth + ` AS worth, currency,
		asset, network, ` + store.Coins + ` AS amount, dest_address, txid, created_at, sent_at, confirmed_at, closed_at FROM voucher_redemptions
		WHERE user_id = @user ORDER BY created_at`,
		AtEnd: []string{`UPDATE voucher_redemptions SET dest_address = 'erased' WHERE user_id = @user`}},
}
