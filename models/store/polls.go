package store

import (
	"context"
	"fmt"
	"time"
)

// MoneySignal is the condition of a processor's webhooks about refunds and disputes: they are acted on by reading the
// order's money there, whether or not it is closed.
const MoneySignal = `(type LIKE 'charge.dispute.%' OR type LIKE 'refund.%')`

// firstPoll is the period of the first poll of a list.
const firstPoll = 7 * 24 * time.Hour

// DuePoll reports whether a list at a provider was not read for every.
func (db *DB) DuePoll(ctx context.Context, name string, every time.Duration) (bool, error) {
	var due bool
	err := db.ORM(ctx).Raw("SELECT NOT EXISTS (SELECT FROM polls WHERE name = ? AND polled_at > clock_now() - CAST(? AS interval))", name, Seconds(every)).Row().Scan(&due)
	if err != nil {
		return false, fmt.Errorf("read poll: %w", err)
	}
	return due, nil
}

// ReadFrom is the moment from which a list is to be read: a little before it was
// read to, so that what appears late there is not missed.
func (db *DB) ReadFrom(ctx context.Context, name string, overlap time.Duration) (from, now time.Time, err error) {
	if now, err = db.Now(ctx); err != nil {
		return from, now, err
	}
	var rows []time.Time
	if err := db.ORM(ctx).Raw("SELECT read_to FROM polls WHERE name = ?", name).Scan(&rows).Error; err != nil {
		return from, now, fmt.Errorf("read poll: %w", err)
	}
	if len(rows) == 0 {
		return now.Add(-firstPoll), now, nil
	}
	return rows[0].Add(-overlap), now, nil
}

// ReadTo records that a list was read to a moment.
func (db *DB) ReadTo(ctx context.Context, name string, to time.Time) error {
	err := db.ORM(ctx).Exec(`INSERT INTO polls (name, read_to, polled_at) VALUES (?, ?, clock_now())
		ON CONFLICT (name) DO UPDATE SET read_to = greatest(polls.read_to, excluded.read_to), polled_at = excluded.polled_at`, name, to).Error
	if err != nil {
		return fmt.Errorf("note poll: %w", err)
	}
	return nil
}
