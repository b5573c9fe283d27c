package giftcard

import "github.com/tradepost/tradepost/models/store"

// Personal are the tables of this package with rows about people.
var Personal = []store.Personal{
	{Table: "gift_cards", File: "gift_cards", Query: `SELECT id, reference, brand_label AS brand, card_type, status, value / 100 AS value, payout / 100 AS offered,
		confirmed_value / 100 AS confirmed_value, paid / 100 AS paid, reject_reason, decided_at, secrets_destroyed_at, created_at
		FROM gift_cards WHERE user_id = @user ORDER BY created_at`,
		AtEnd: []string{`UPDATE gift_cards SET reject_reason = 'erased' WHERE user_id = @user AND reject_reason IS NOT NULL`}},
	{Table: "gift_card_claims", File: "gift_card_claims", Query: `SELECT card_id, amount / 100 AS amount, owed / 100 AS owed,
		reason, created_at, reversed_at, reversal_reason FROM gift_card_claims WHERE user_id = @user ORDER BY created_at`,
		AtEnd: []string{`UPDATE gift_card_claims SET reason = 'erased',
		reversal_reason = CASE WHEN reversed_at IS NOT NULL THEN 'erased' END WHERE user_id = @user`}},
	{Table: "gift_card_images", File: "gift_card_pictures", Query: `SELECT card_id, content_type, size, created_at, purged_at FROM gift_card_images
		WHERE user_id = @user ORDER BY id`,
		AtEnd: []string{`UPDATE gift_card_images SET purged_at = clock_now() WHERE user_id = @user AND purged_at IS NULL`}},
}
