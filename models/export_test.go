package models_test

import (
	"context"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/privacy"
	"github.com/tradepost/tradepost/models/reporting"
	"github.com/tradepost/tradepost/models/store"
)

// What the tests outside the package do to a balance directly.

// Credit is creditBalance out of the promotions, in a transaction of its own.
func Credit(ctx context.Context, db *store.DB, userID, group string, amount money.Units) (netted money.Units, err error) {
	err = db.Tx(ctx, func(tx *store.DB) (err error) {
		line := ledger.Posting{From: ledger.CustomerBalance(userID), To: ledger.AccountPromotions, Currency: money.USD, Amount: amount}
		netted, err = ledger.CreditBalance(ctx, tx, ledger.StoredPosting{Event: "bonus_credited", GroupKey: "test:" + group}, userID, line)
		return err
	})
	return netted, err
}

// ClawBack is clawBack into the promotions, in a transaction of its own.
func ClawBack(ctx context.Context, db *store.DB, userID, group string, amount money.Units) (owed money.Units, err error) {
	err = db.Tx(ctx, func(tx *store.DB) (err error) {
		owed, err = ledger.ClawBack(ctx, tx, ledger.StoredPosting{Event: "bonus_taken_back", GroupKey: "test:" + group}, userID, ledger.AccountPromotions, amount)
		return err
	})
	return owed, err
}

// Tell appends to a case's timeline, in a transaction of its own.
func Tell(ctx context.Context, db *store.DB, about casework.About, e casework.Event) error {
	return db.Tx(ctx, func(tx *store.DB) error { return casework.Append(ctx, tx, about, e) })
}

// TopicOf is what a mail is about that customers may do without, or empty.
func TopicOf(kind string) string { return casework.TopicOf[kind] }

// Snapshots of the ledger are close to each other in tests, so that balances of
// the past begin at one.
func init() { ledger.SnapshotEvery, ledger.RollUpBatch = 40, 200 }

// QueueNames are the queues that people work off.
func QueueNames() (names []string) {
	for _, q := range reporting.Queues {
		names = append(names, q.Name)
	}
	return names
}

// OpenQueries are what keeps an account open, by code, and the tables of cases
// that do.
func OpenQueries() (queries map[string][]string, tables []string) {
	queries = map[string][]string{}
	for _, thing := range privacy.KeepsOpen {
		queries[thing.Code] = append(queries[thing.Code], thing.Query)
	}
	for _, rules := range casework.Kinds() {
		if rules.Table != "" && !privacy.Idle[rules.Matter] {
			tables = append(tables, rules.Table)
		}
	}
	return queries, tables
}

// Exec says a statement in the transaction of a change.
func Exec(c *order.OrderChange, query string, args ...any) error {
	return c.Tx.Exec(c.Ctx, query, args...)
}
