package models

import (
	"context"
	"fmt"
	"strings"

	"gorm.io/gorm"
)

// personName is what staff and receipts call a person: their name, or their e-mail
// address as long as there is none.
func personName(first, last, email string) string {
	if name := strings.TrimSpace(first + " " + last); name != "" {
		return name
	}
	return email
}

// userName reads what somebody with an account is called.
func (db *DB) userName(ctx context.Context, userID string) (string, error) {
	var first, last, email string
	if err := db.row(ctx, "SELECT first_name, last_name, email FROM users WHERE id = $1", userID).Scan(&first, &last, &email); err != nil {
		return "", fmt.Errorf("read the name of a user: %w", err)
	}
	return personName(first, last, email), nil
}

// namedLike narrows a query over users to those whose name or address holds what was
// typed. A closed account is found by its whole id alone.
func namedLike(query *gorm.DB, typed string) *gorm.DB {
	if id := strings.ToLower(strings.TrimSpace(typed)); IsID(id) {
		return query.Where("users.id = ?", id)
	}
	if strings.TrimSpace(typed) != "" {
		query = query.Where("EXISTS (SELECT FROM customer_search WHERE user_id = users.id AND text LIKE ?)", containing(typed))
	}
	return query.Where("users.closed_at IS NULL")
}
