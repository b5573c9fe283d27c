package models

import (
	"context"
	"fmt"

	"github.com/tradepost/tradepost/models/money"
)

// TransactionStatus is an order in the dashboard's four words. A customer's
// transactions are their orders so far; gift cards and vouchers join them with
// their own issues.
func TransactionStatus(o *Order) string {
	if status := LegacyStatus(o); status != "payment_processing" {
		return status
	}
	return "pending"
}

// TransactionFilter narrows a customer's history. Empty fields do not narrow.
type TransactionFilter struct {
	Legacy string
	Asset  money.Currency
	Query  string
}

func (f TransactionFilter) orders(userID string) OrderFilter {
	filter := OrderFilter{UserID: userID, Asset: f.Asset, Query: f.Query}
	if f.Legacy != "" {
		filter.Legacy = []string{f.Legacy}
	}
	return filter
}

// Transactions is one page of a customer's history, newest first.
func (db *DB) Transactions(ctx context.Context, userID string, f TransactionFilter, p Page) ([]Order, *Cursor, error) {
	return db.Orders(ctx, f.orders(userID), p)
}

// TransactionCounts are the figures of 'Showing Matching of Total'.
type TransactionCounts struct {
	Total, Active int         // without the filter
	Matching      int         // with it
	Value         money.Units // cents, with it
}

// CountTransactions counts a customer's history with and without the filter.
func (db *DB) CountTransactions(ctx context.Context, userID string, f TransactionFilter) (TransactionCounts, error) {
	all, err := db.CountOrders(ctx, OrderFilter{UserID: userID})
	if err != nil {
		return TransactionCounts{}, err
	}
	matching, err := db.CountOrders(ctx, f.orders(userID))
	if err != nil {
		return TransactionCounts{}, err
	}
	return TransactionCounts{Total: all.Total, Active: all.Pending + all.PaymentApproved + all.Fulfilling + all.Filled,
		Matching: matching.Total, Value: matching.FiatTotal}, nil
}

// EachTransaction calls fn with every transaction the filter lets through,
// newest first, a page at a time: an export does not hold them all.
func (db *DB) EachTransaction(ctx context.Context, userID string, f TransactionFilter, fn func(*Order) error) error {
	page := Page{Limit: 500}
	for {
		rows, next, err := db.Transactions(ctx, userID, f, page)
		if err != nil {
			return fmt.Errorf("export transactions: %w", err)
		}
		for i := range rows {
			if err := fn(&rows[i]); err != nil {
				return err
			}
		}
		if next == nil {
			return nil
		}
		page.After = next
	}
}
