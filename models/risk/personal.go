package risk

import "github.com/tradepost/tradepost/models/store"

// Personal are the tables of this package with rows about people.
var Personal = []store.Personal{
	{Table: "risk_reviews", Why: "what spoke against an order, which may be part of an investigation",
		AtEnd: []string{`UPDATE risk_reviews SET address_key = 'erased', reason = '' WHERE user_id = @user`}},
}
