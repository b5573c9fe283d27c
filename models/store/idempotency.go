package store

import (
	"bytes"
	"context"
	"fmt"
)

// IdempotencyKey names one intent of one user: repeating it gives the answer
// of the first time.
type IdempotencyKey struct {
	UserID   string
	Key      string // empty: the caller sent no key, nothing is stored
	Route    string
	BodyHash []byte
}

// Answer is a stored response, to be returned again byte for byte.
type Answer struct {
	Status int
	Body   string
}

// EarlierAnswer gives what was answered to a key before, so that a repeat can be
// answered without doing any of the work again.
func (db *DB) EarlierAnswer(ctx context.Context, key IdempotencyKey) (answer Answer, found bool, err error) {
	if key.Key == "" {
		return Answer{}, false, nil
	}
	var known bool
	err = db.ORM(ctx).Raw(`SELECT EXISTS (SELECT FROM idempotency_keys WHERE user_id = ? AND key = ?)`, key.UserID, key.Key).Row().Scan(&known)
	if err != nil {
		return Answer{}, false, fmt.Errorf("read idempotency key: %w", err)
	}
	if !known {
		return Answer{}, false, nil
	}
	answer, err = db.earlierAnswer(ctx, key)
	return answer, true, err
}

// Once runs fn at most once for a key, committing the key, fn's effect and its answer together; a failed fn stores
// nothing. A repeat gets the first answer, or waits for it; the same key with another body or route is refused. fn
// must access the database through tx alone, since each waiting repeat holds a connection.
func (db *DB) Once(ctx context.Context, key IdempotencyKey, fn func(tx *DB) (Answer, error)) (answer Answer, repeated bool, err error) {
	err = db.Tx(ctx, func(tx *DB) error {
		if key.Key == "" {
			answer, err = fn(tx)
			return err
		}
		// A concurrent insert of the same key waits here for the other to commit.
		result := tx.ORM(ctx).Exec(`INSERT INTO idempotency_keys (user_id, key, route, body_hash) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`,
			key.UserID, key.Key, key.Route, key.BodyHash)
		if result.Error != nil {
			return fmt.Errorf("store idempotency key: %w", result.Error)
		}
		if repeated = result.RowsAffected == 0; repeated {
			answer, err = tx.earlierAnswer(ctx, key)
			return err
		}
		if answer, err = fn(tx); err != nil {
			return err
		}
		err := tx.ORM(ctx).Exec(`UPDATE idempotency_keys SET status = ?, body = ? WHERE user_id = ? AND key = ?`,
			answer.Status, answer.Body, key.UserID, key.Key).Error
		if err != nil {
			return fmt.Errorf("store answer: %w", err)
		}
		return nil
	})
	return answer, repeated, err
}

// earlierAnswer is what was answered to the key before.
func (db *DB) earlierAnswer(ctx context.Context, key IdempotencyKey) (Answer, error) {
	var row struct {
		Route    string
		BodyHash []byte
		Status   int
		Body     string
	}
	err := db.ORM(ctx).Raw(`SELECT route, body_hash, status, body FROM idempotency_keys WHERE user_id = ? AND key = ?`, key.UserID, key.Key).Scan(&row).Error
	if err != nil {
		return Answer{}, fmt.Errorf("read idempotency key: %w", err)
	}
	if row.Route != key.Route || !bytes.Equal(row.BodyHash, key.BodyHash) {
		return Answer{}, Invalid("Idempotency-Key", "key_reused", "This Idempotency-Key was used for a different request")
	}
	return Answer{Status: row.Status, Body: row.Body}, nil
}

// PurgeKeys removes the keys whose answers are given no more.
func (db *DB) PurgeKeys(ctx context.Context) error {
	if err := db.ORM(ctx).Exec(`DELETE FROM idempotency_keys WHERE created_at < clock_now() - interval '7 days'`).Error; err != nil {
		return fmt.Errorf("purge idempotency keys: %w", err)
	}
	return nil
}
