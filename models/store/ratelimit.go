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

// CountRequest is the statement that counts a request and gives a row when it may pass. rows
// gives the key and the time of arrival of the next request, were this one the first; every
// and burst are the arguments, in seconds.
func CountRequest(rows, every, burst string) string {
	return `INSERT INTO rate_limits AS r (key, tat) ` + rows + `
		ON CONFLICT (key) DO UPDATE SET tat = greatest(r.tat, clock_now()) + make_interval(secs => ` + every + `)
		 WHERE greatest(r.tat, clock_now()) + make_interval(secs => ` + every + `) <= clock_now() + make_interval(secs => ` + burst + `)
		RETURNING true`
}

var countRequest = CountRequest("VALUES ($1, clock_now() + make_interval(secs => $2))", "$2", "$3")

// PurgeLimits removes the rows of limits that were not used for an hour.
func (db *DB) PurgeLimits(ctx context.Context) error {
	if err := db.ORM(ctx).Exec(`DELETE FROM rate_limits WHERE tat < clock_now() - interval '1 hour'`).Error; err != nil {
		return fmt.Errorf("purge limits: %w", err)
	}
	return nil
}

// Allow counts one request against a key, for all replicas together (GCRA: the
// row holds the theoretical time of arrival of the next request). It answers
// zero when the request may pass, else how long to wait.
func (db *DB) Allow(ctx context.Context, key string, limit RateLimit) (wait time.Duration, err error) {
	every, burst := limit.Every.Seconds(), float64(limit.Burst)*limit.Every.Seconds()
	var passed bool
	err = db.Direct().QueryRow(ctx, countRequest, key, every, burst).Scan(&passed)
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
	err := db.Direct().QueryRow(ctx, `SELECT extract(epoch FROM tat - clock_now())::float8 FROM rate_limits WHERE key = $1`, key).Scan(&seconds)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return 0, fmt.Errorf("read rate limit: %w", err)
	}
	wait := time.Duration((seconds + every - burst) * float64(time.Second))
	return max(wait, time.Millisecond), nil
}
