package store

import (
	"context"
	"fmt"
)

// KeyLock makes a lock on a name that all processes share: the returned function waits for it and returns its
// release. It ends with its database session, so that a killed process holds no lock.
func (db *DB) KeyLock(name string) func(ctx context.Context) (unlock func(), err error) {
	return func(ctx context.Context) (func(), error) {
		conn, err := db.Pool().Acquire(ctx)
		if err != nil {
			return nil, fmt.Errorf("lock %s: %w", name, err)
		}
		if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock(hashtextextended($1, 0))", name); err != nil {
			conn.Release()
			return nil, fmt.Errorf("lock %s: %w", name, err)
		}
		return func() {
			ctx := context.WithoutCancel(ctx)
			if _, err := conn.Exec(ctx, "SELECT pg_advisory_unlock(hashtextextended($1, 0))", name); err != nil {
				_ = conn.Conn().Close(ctx) // ends the session, and the lock with it
			}
			conn.Release()
		}, nil
	}
}
