package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// RateLimit lets Burst requests through at once and one more every Every.
type RateLimit struct {
	Burst int
	Every time.Duration
}

// Allow counts one request against a key, for all replicas together (GCRA: the
// row holds the theoretical time of arrival of the next request). It answers
// zero when the request may pass, else how long to wait.
func (db *DB) Allow(ctx context.Context, key string, limit RateLimit) (wait time.Duration, err error) {
	every, burst := limit.Every.Seconds(), float64(limit.Burst)*limit.Every.Seconds()
	var passed bool
	err = db.Pool().QueryRow(ctx, `
		INSERT INTO rate_limits AS r (key, tat) VALUES ($1, clock_now() + make_interval(secs => $2))
		ON CONFLICT (key) DO UPDATE SET tat = greatest(r.tat, clock_now()) + make_interval(secs => $2)
		 WHERE greatest(r.tat, clock_now()) + make_interval(secs => $2) <= clock_now() + make_interval(secs => $3)
		RETURNING true`, key, every, burst).Scan(&passed)
	if err == nil {
		return 0, nil
	}
	if !errors.Is(err, pgx.ErrNoRows) {
		return 0, fmt.Errorf("count request: %w", err)
	}
	return db.WaitFor(ctx, key, every, burst)
}

// WaitFor is how long a key has to wait that was just refused.
func (db *DB) WaitFor(ctx context.Context, key string, every, burst float64) (time.Duration, error) {
	var seconds float64
	err := db.Pool().QueryRow(ctx, `SELECT extract(epoch FROM tat - clock_now())::float8 FROM rate_limits WHERE key = $1`, key).Scan(&seconds)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return 0, fmt.Errorf("read rate limit: %w", err)
	}
	wait := time.Duration((seconds + every - burst) * float64(time.Second))
	return max(wait, time.Millisecond), nil
}
