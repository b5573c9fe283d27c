package models

import (
	"context"

	"github.com/tradepost/tradepost/models/money"
)

// What the tests outside the package do to a balance directly.

// Credit is creditBalance out of the promotions, in a transaction of its own.
func (db *DB) Credit(ctx context.Context, userID, group string, amount money.Units) (netted money.Units, err error) {
	err = db.Tx(ctx, func(tx *DB) (err error) {
		line := Posting{From: CustomerBalance(userID), To: AccountPromotions, Currency: money.USD, Amount: amount}
		netted, err = tx.creditBalance(ctx, StoredPosting{Event: "bonus_credited", GroupKey: "test:" + group}, userID, line)
		return err
	})
	return netted, err
}

// ClawBack is clawBack into the promotions, in a transaction of its own.
func (db *DB) ClawBack(ctx context.Context, userID, group string, amount money.Units) (owed money.Units, err error) {
	err = db.Tx(ctx, func(tx *DB) (err error) {
		owed, err = tx.clawBack(ctx, StoredPosting{Event: "bonus_taken_back", GroupKey: "test:" + group}, userID, AccountPromotions, amount)
		return err
	})
	return owed, err
}

// Tell adds to a matter's story, in a transaction of its own.
func (db *DB) Tell(ctx context.Context, about About, e Event) error {
	return db.Tx(ctx, func(tx *DB) error { return tx.tell(ctx, about, e) })
}

// TopicOf is what a mail is about that customers may do without, or empty.
func TopicOf(kind string) string { return topicOf[kind] }

// Snapshots of the ledger are close to each other in tests, so that balances of
// the past begin at one.
func init() { snapshotEvery, rollUpBatch = 40, 200 }

// QueueNames are the queues that people work off.
func QueueNames() (names []string) {
	for _, q := range queues {
		names = append(names, q.name)
	}
	return names
}

// OpenQueries are what keeps an account open, by code, and the tables of matters
// that do.
func OpenQueries() (queries map[string][]string, tables []string) {
	queries = map[string][]string{}
	for _, thing := range stillOpen {
		queries[thing.Code] = append(queries[thing.Code], thing.Query)
	}
	for _, rules := range Matters() {
		if rules.Table != "" && !idle[rules.Matter] {
			tables = append(tables, rules.Table)
		}
	}
	return queries, tables
}

// Exec says a statement in the transaction of a change.
func (c *OrderChange) Exec(query string, args ...any) error { return c.tx.exec(c.ctx, query, args...) }
