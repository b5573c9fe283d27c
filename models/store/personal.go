package store

import "github.com/tradepost/tradepost/models/money"

// Personal is a table with rows about people: how it is exported, and what is erased of it when. A table with a
// user_id that no package lists fails a test.
type Personal struct {
	Table string
	// File is the name of its rows in an export, and Query selects them; a table without a file is not exported, for
	// the reason in Why.
	File, Query, Why string
	// AtClosing is erased when the account is closed, AtEnd when its records need
	// not be kept any longer. The rest stays: ids and amounts, without a name.
	AtClosing, AtEnd []string
}

// Coins is an amount in base units of an asset as a number of coins.
var Coins = `trim_scale(amount / power(10::numeric, ` + money.DecimalsSQL("asset") + `))`

// PersonalKeys are the idempotency keys of people.
var PersonalKeys = Personal{Table: "idempotency_keys", Why: "answers kept for a week, so that a repeated request is not carried out twice",
	AtClosing: []string{`DELETE FROM idempotency_keys WHERE user_id = @user`}}
