package people

import (
	"context"
	"fmt"
	"strings"

	"gorm.io/gorm"

	"github.com/tradepost/tradepost/internal/typed"
	"github.com/tradepost/tradepost/models/store"
)

// PersonName is what staff and receipts call a person: their name, or their e-mail
// address as long as there is none.
func PersonName(first, last, email string) string {
	if name := strings.TrimSpace(first + " " + last); name != "" {
		return name
	}
	return email
}

// UserName reads a user's display name.
func UserName(ctx context.Context, db *store.DB, userID string) (string, error) {
	var first, last, email string
	if err := db.Row(ctx, "SELECT first_name, last_name, email FROM users WHERE id = $1", userID).Scan(&first, &last, &email); err != nil {
		return "", fmt.Errorf("read the name of a user: %w", err)
	}
	return PersonName(first, last, email), nil
}

// NamedLike narrows a query over users to those whose name or address holds what was
// typed. A closed account is found by its whole id alone.
func NamedLike(query *gorm.DB, text string) *gorm.DB {
	if id := strings.ToLower(strings.TrimSpace(text)); store.IsID(id) {
		return query.Where("users.id = ?", id)
	}
	if strings.TrimSpace(text) != "" {
		condition, patterns := AddressLike("text", text)
		query = query.Where("EXISTS (SELECT FROM customer_search WHERE user_id = users.id AND ("+condition+"))", patterns...)
	}
	return query.Where("users.closed_at IS NULL")
}

// AddressLike is the condition that a column of lower-case text holds what was typed, however the domain of an address
// in it is spelled.
func AddressLike(column, text string) (condition string, patterns []any) {
	var each []string
	for _, form := range typed.EmailForms(text) {
		each, patterns = append(each, column+" LIKE ?"), append(patterns, store.Containing(form))
	}
	return strings.Join(each, " OR "), patterns
}

// NameOf is what staff call a user of a query.
func NameOf(alias string) string {
	return "coalesce(nullif(trim(" + alias + ".first_name || ' ' || " + alias + ".last_name), ''), " + alias + ".email)"
}
