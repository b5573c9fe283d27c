package audit

import (
	"context"
	"fmt"
	"strings"

	"github.com/tradepost/tradepost/models/store"
)

// actorsNamed finds accounts by a part of the name or e-mail of staff, or by anyone's whole e-mail.
const actorsNamed = `SELECT CAST(u.id AS text) FROM users u
	WHERE EXISTS (SELECT FROM user_roles r WHERE r.user_id = u.id)
	  AND position(lower(@text) IN lower(u.email || ' ' || coalesce(u.first_name, '') || ' ' || coalesce(u.last_name, ''))) > 0
	UNION SELECT CAST(u.id AS text) FROM users u WHERE lower(u.email) = lower(@text) AND u.email_verified AND u.closed_at IS NULL`

// objectsNamed finds objects by the reference that people know them by, and accounts by their whole e-mail.
var objectsNamed = `SELECT CAST(id AS text) FROM users WHERE lower(email) = lower(@text) AND email_verified AND closed_at IS NULL
	UNION SELECT CAST(id AS text) FROM unplaced_money WHERE lower(bank_reference) = lower(@text)` +
	byReference("orders", "gift_cards", "payouts", "tickets", "vouchers", "voucher_redemptions", "rewards", "treasury_moves",
		"two_factor_recoveries", "data_exports", "account_closures")

// byReference is the part of objectsNamed about tables with a column reference.
func byReference(tables ...string) string {
	var parts strings.Builder
	for _, table := range tables {
		parts.WriteString("\n\tUNION SELECT CAST(id AS text) FROM " + table + " WHERE reference = upper(@text)")
	}
	return parts.String()
}

// named returns the ids that a filter's text stands for: an id stands for itself.
func named(ctx context.Context, db *store.DB, query, text string) (ids []string, err error) {
	if store.IsID(text) {
		return []string{text}, nil
	}
	if err := db.CustomPlans(ctx).Raw(query, map[string]any{"text": text}).Scan(&ids).Error; err != nil {
		return nil, fmt.Errorf("find the objects of a filter: %w", err)
	}
	return append(ids, text), nil // some objects have ids that are words
}
