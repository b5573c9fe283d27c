package store

import (
	"context"
	"fmt"
	"time"
)

// Signal is an object that has to be read again: an order with the provider the news is from, or a customer's
// verification.
type Signal struct {
	Subject string
	Reason  string
}

// Signals reads whom a query says to signal; what names it in errors.
func (db *DB) Signals(ctx context.Context, what, query string, args ...any) ([]Signal, error) {
	var rows []Signal
	if err := db.ORM(ctx).Raw(query, args...).Scan(&rows).Error; err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return rows, nil
}

// Seconds writes a duration as Postgres reads it.
func Seconds(d time.Duration) string { return fmt.Sprintf("%f seconds", d.Seconds()) }
