package identity

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// A limit lets burst attempts through at once and one more every interval
// after that (GCRA: a leaky bucket in one timestamp).
type limit struct {
	name     string
	burst    int
	interval time.Duration
}

// The limits in force. Passwords: ten guesses an account, one more every two
// minutes, so 730 a day against an account from everywhere together.
var (
	limitPassword        = limit{"password", 10, 2 * time.Minute}
	limitPasswordAddress = limit{"password-address", 60, 10 * time.Second}
	limitReset           = limit{"reset", 3, 20 * time.Minute}
	limitResetAddress    = limit{"reset-address", 30, 2 * time.Minute}
	limitSignupMail      = limit{"signup-mail", 5, 20 * time.Minute}
	limitVerify          = limit{"verify", 3, 10 * time.Minute}
	limitLinkAddress     = limit{"link-address", 60, 10 * time.Second}
	limitBegin           = limit{"begin-address", 300, time.Second}
	limitClientSecret    = limit{"client-secret", 60, 10 * time.Second}
)

func signupLimit(hourly int) limit {
	return limit{"signup-address", hourly, time.Hour / time.Duration(hourly)}
}

// limitedError is an attempt that was not checked, with the time until the next one will
// be.
type limitedError struct{ retryAfter time.Duration }

func (e *limitedError) Error() string {
	return fmt.Sprintf("too many attempts; next in %s", e.retryAfter.Round(time.Second))
}

// seconds is that time in whole seconds, for Retry-After.
func (e *limitedError) seconds() int { return int(math.Ceil(e.retryAfter.Seconds())) }

// limiter counts attempts in Postgres, so that replicas share one count.
// Subjects are stored as keyed hashes.
type limiter struct {
	db     database
	key    [32]byte
	events *eventLog
}

// take counts one attempt of subject and returns a *limitedError when there are too many.
// One statement checks and counts under the row's lock: parallel attempts never exceed the
// burst.
func (l *limiter) take(ctx context.Context, lim limit, subject string, who *uuid.UUID, address string) error {
	const sql = `
		INSERT INTO limits AS l (key, tat) VALUES ($1, clock_timestamp() + $2::interval)
		ON CONFLICT (key) DO UPDATE
		   SET tat = greatest(l.tat, clock_timestamp()) + $2::interval, denied = 0
		 WHERE l.tat <= clock_timestamp() + $3::interval
		RETURNING true`
	tolerance := time.Duration(lim.burst-1) * lim.interval
	var counted bool
	err := l.db.QueryRow(ctx, sql, l.rowKey(lim, subject), lim.interval, tolerance).Scan(&counted)
	if errors.Is(err, pgx.ErrNoRows) {
		return l.deny(ctx, lim, subject, who, address)
	}
	return err
}

// reached returns a *limitedError when subject has no attempt left. It counts none.
func (l *limiter) reached(ctx context.Context, lim limit, subject, address string) error {
	const sql = `SELECT EXISTS (SELECT FROM limits WHERE key = $1 AND tat > clock_timestamp() + $2::interval)`
	tolerance := time.Duration(lim.burst-1) * lim.interval
	var none bool
	err := l.db.QueryRow(ctx, sql, l.rowKey(lim, subject), tolerance).Scan(&none)
	if err != nil || !none {
		return err
	}
	return l.deny(ctx, lim, subject, nil, address)
}

// deny counts the refusal and records the first of a run.
func (l *limiter) deny(ctx context.Context, lim limit, subject string, who *uuid.UUID, address string) error {
	const sql = `
		UPDATE limits SET denied = denied + 1 WHERE key = $1
		RETURNING denied, greatest(tat - clock_timestamp() - $2::interval, interval '1 second')`
	tolerance := time.Duration(lim.burst-1) * lim.interval
	var denied int64
	var wait time.Duration
	err := l.db.QueryRow(ctx, sql, l.rowKey(lim, subject), tolerance).Scan(&denied, &wait)
	if errors.Is(err, pgx.ErrNoRows) {
		return &limitedError{retryAfter: time.Second}
	}
	if err != nil {
		return err
	}
	if denied == 1 {
		if err := l.events.add(ctx, "limited_"+lim.name, who, address); err != nil {
			return err
		}
	}
	return &limitedError{retryAfter: wait}
}

// giveBack returns an attempt that turned out not to be a guess.
func (l *limiter) giveBack(ctx context.Context, lim limit, subject string) error {
	_, err := l.db.Exec(ctx, `UPDATE limits SET tat = tat - $2::interval WHERE key = $1`, l.rowKey(lim, subject), lim.interval)
	return err
}

// forget clears subject's count.
func (l *limiter) forget(ctx context.Context, lim limit, subject string) error {
	_, err := l.db.Exec(ctx, `DELETE FROM limits WHERE key = $1`, l.rowKey(lim, subject))
	return err
}

func (l *limiter) rowKey(lim limit, subject string) string {
	return lim.name + ":" + hex.EncodeToString(keyedHash(l.key, lim.name, subject)[:16])
}

// addressKey is what one visitor can hardly change: an IPv4 address, or the
// /64 network of an IPv6 address.
func addressKey(addr netip.Addr) string {
	addr = addr.Unmap()
	if addr.Is6() {
		if prefix, err := addr.Prefix(64); err == nil {
			return prefix.String()
		}
	}
	return addr.String()
}
