package account

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// How long a session lives: it ends when it was not used for SessionIdle, and
// at the latest SessionLifetime after sign-in.
const (
	SessionIdle     = 24 * time.Hour
	SessionLifetime = 7 * 24 * time.Hour
)

// Principal is who a request comes from.
type Principal struct {
	UserID    string
	Email     string
	Roles     []string // effective staff roles, none while frozen; every user is a customer
	TokenHash []byte   // names the session
	// Enrolled says that the person has a second factor, Proven that this session
	// has shown it since.
	Enrolled bool
	Proven   bool
	// ShownLately says that this session has shown the factor in force within CodeCounts.
	ShownLately bool
	// Frozen says that staff put the account on hold.
	Frozen bool
}

// NewSession is a session about to be made; only the token's hash is kept.
type NewSession struct {
	TokenHash []byte
	UserID    string
	UserAgent string
	IP        string
	// IDToken is the issuer's statement of this sign-in, sealed; it is handed back when
	// the person signs out.
	IDToken string
	// DeviceHash names the browser by a cookie it keeps; empty for none. Device is
	// what its owner calls it, such as "Firefox on Windows".
	DeviceHash []byte
	Device     string
	// AuthenticatedAt is when the person proved to the issuer who they are; nil when
	// the issuer did not say.
	AuthenticatedAt *time.Time
	// Replaces is the hash of the session the browser had before, which ends.
	Replaces []byte
	// Entering is the person as they were at the sign-in: an end of their sessions since then ends this one too. Nil
	// skips the check.
	Entering *people.User
}

// ErrSignedOut refuses a session that begins after the person's sessions were ended,
// by a sign-in from before.
var ErrSignedOut = store.Forbidden("signed_out", "You were signed out. Sign in again.")

// CreateSession starts a session and ends the one it replaces. A browser the
// person has not signed in from before is noted.
func CreateSession(ctx context.Context, db *store.DB, in NewSession) error {
	return db.Tx(ctx, func(tx *store.DB) error {
		if err := insertSession(ctx, tx, in); err != nil {
			return err
		}
		if len(in.Replaces) > 0 {
			if _, err := RevokeSession(ctx, tx, in.Replaces); err != nil {
				return err
			}
		}
		return knowDevice(ctx, tx, in)
	})
}

// insertSession locks the user's row, as ending their sessions does, so that the two are serialized.
func insertSession(ctx context.Context, db *store.DB, in NewSession) error {
	asks, after := in.Entering != nil, (*time.Time)(nil)
	if asks {
		after = in.Entering.SignInAfter
	}
	made := db.ORM(ctx).Exec(`INSERT INTO sessions (user_id, token_hash, user_agent, ip, id_token, authenticated_at, expires_at)
		SELECT id, ?, ?, ?, ?, CAST(? AS timestamptz), clock_now() + make_interval(secs => ?) FROM users
		 WHERE id = ? AND (NOT ? OR sign_in_after IS NOT DISTINCT FROM CAST(? AS timestamptz)) FOR SHARE`,
		in.TokenHash, truncate(in.UserAgent, 300), in.IP, in.IDToken, in.AuthenticatedAt, SessionLifetime.Seconds(), in.UserID, asks, after)
	if made.Error != nil {
		return fmt.Errorf("store session: %w", made.Error)
	}
	if made.RowsAffected == 0 {
		return ErrSignedOut
	}
	return nil
}

// knowDevice records the browser a person signs in from. A new one that is not their first is reported by mail.
func knowDevice(ctx context.Context, db *store.DB, in NewSession) error {
	if len(in.DeviceHash) == 0 {
		return nil
	}
	var surprising bool
	err := db.ORM(ctx).Raw(`
		WITH seen AS (INSERT INTO devices (user_id, device_hash) VALUES (@user, @device)
		  ON CONFLICT (user_id, device_hash) DO UPDATE SET last_seen_at = clock_now())
		SELECT EXISTS (SELECT FROM devices WHERE user_id = @user) AND NOT EXISTS (SELECT FROM devices WHERE user_id = @user AND device_hash = @device)`,
		map[string]any{"user": in.UserID, "device": in.DeviceHash}).Scan(&surprising).Error
	if err != nil {
		return fmt.Errorf("store device: %w", err)
	}
	if !surprising {
		return nil
	}
	return casework.Append(ctx, db, accountSecurity(in.UserID, "signed_in"), casework.Event{Kind: "signed_in_new_device", Actor: casework.ByCustomer, Data: map[string]any{"device": in.Device}})
}

// ActiveSession is a session as its owner sees it.
type ActiveSession struct {
	ID         string
	UserAgent  string
	IP         string
	Current    bool
	CreatedAt  time.Time
	LastSeenAt time.Time
}

// ActiveSessions lists where a person is signed in, the one last used first.
func ActiveSessions(ctx context.Context, db *store.DB, who *Principal) ([]ActiveSession, error) {
	var rows []ActiveSession
	err := db.ORM(ctx).Raw(`
		SELECT id, user_agent, ip, token_hash = ? AS current, created_at, last_seen_at FROM sessions
		 WHERE user_id = ? AND revoked_at IS NULL AND expires_at > clock_now() AND last_seen_at > clock_now() - CAST(? AS interval)
		 ORDER BY last_seen_at DESC LIMIT 100`, who.TokenHash, who.UserID, store.Seconds(SessionIdle)).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read sessions: %w", err)
	}
	return rows, nil
}

// EndSession ends one of a person's own sessions.
func EndSession(ctx context.Context, db *store.DB, userID, id string) error {
	if !store.IsID(id) {
		return store.NotFound("Session")
	}
	return db.Tx(ctx, func(tx *store.DB) error {
		ended, err := end(ctx, tx, userID, "id = $2", id)
		if err == nil && ended == 0 {
			return store.NotFound("Session") // and the next sign-in needs no new authentication
		}
		return err
	})
}

// end ends sessions of a person for good: each needs a new authentication, also where the issuer still has a session
// (Claims.MayEnter).
func end(ctx context.Context, db *store.DB, userID, which string, args ...any) (ended int64, err error) {
	err = db.Tx(ctx, func(tx *store.DB) error {
		if err := people.RequireNewSignIn(ctx, tx, userID); err != nil {
			return err
		}
		return tx.Row(ctx, `
			WITH ended AS (UPDATE sessions SET revoked_at = clock_now(), id_token = '' WHERE user_id = $1 AND revoked_at IS NULL AND `+which+` RETURNING 1)
			SELECT count(*) FROM ended`, append([]any{userID}, args...)...).Scan(&ended)
	})
	if err != nil {
		return 0, fmt.Errorf("end sessions: %w", err)
	}
	return ended, nil
}

// EndOtherSessions ends all of a person's sessions but the caller's, and returns how many there were.
func EndOtherSessions(ctx context.Context, db *store.DB, who *Principal) (int64, error) {
	return end(ctx, db, who.UserID, "token_hash <> $2", who.TokenHash)
}

// sessionTouch is the precision of a session's last use: recording each request would cost one disk write each.
const sessionTouch = time.Minute

// countCall counts a call of the person of who against their limit.
var countCall = store.CountRequest("SELECT $4 || id::text, clock_now() + make_interval(secs => $5) FROM who", "$5", "$6")

// Enter is UseSession and Allow in one statement: whose session it is, and whether the person may call now. The
// limit's key is class and the user's id; wait is zero when they may. A token without a session gives nil, and counts
// nowhere. A background request, which the page sends without the person, is no use of the session.
func Enter(ctx context.Context, db *store.DB, tokenHash []byte, class string, limit store.RateLimit, background bool) (p *Principal, wait time.Duration, err error) {
	p = &Principal{TokenHash: tokenHash}
	every, burst := limit.Every.Seconds(), float64(limit.Burst)*limit.Every.Seconds()
	touch := sessionTouch
	if background {
		touch = SessionIdle // a session that was not used for as long has ended
	}
	var passed bool
	err = db.Pool().QueryRow(ctx, `
		WITH who AS (
		  SELECT u.id, u.email, s.last_seen_at < clock_now() - make_interval(secs => $3) AS stale,
		         f.enabled_at IS NOT NULL AS enrolled, coalesce(s.two_factor_at >= f.enabled_at, false) AS proven,
		         coalesce(s.two_factor_at >= greatest(f.enabled_at, clock_now() - make_interval(secs => $7)), false) AS lately,
		         u.frozen_at IS NOT NULL AS frozen,
		         (SELECT coalesce(array_agg(role ORDER BY role), '{}') FROM `+people.EffectiveRoles+` r WHERE user_id = u.id) AS roles
		    FROM sessions s JOIN users u ON u.id = s.user_id LEFT JOIN second_factors f ON f.user_id = u.id
		   WHERE s.token_hash = $1 AND s.revoked_at IS NULL AND s.expires_at > clock_now()
		     AND s.last_seen_at > clock_now() - make_interval(secs => $2) AND u.disabled_at IS NULL),
		touched AS (UPDATE sessions SET last_seen_at = clock_now() FROM who WHERE token_hash = $1 AND revoked_at IS NULL AND who.stale),
		passed AS (`+countCall+`)
		SELECT id::text, email, roles, enrolled, proven, lately, frozen, EXISTS (SELECT FROM passed) FROM who`,
		tokenHash, SessionIdle.Seconds(), touch.Seconds(), class, every, burst, CodeCounts.Seconds()).
		Scan(&p.UserID, &p.Email, &p.Roles, &p.Enrolled, &p.Proven, &p.ShownLately, &p.Frozen, &passed)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, 0, nil
	case err != nil:
		return nil, 0, fmt.Errorf("read session: %w", err)
	case passed:
		return p, 0, nil
	}
	wait, err = db.WaitFor(ctx, class+p.UserID, every, burst)
	return p, wait, err
}

// UseSession returns whose session this is and records that it was used, in one guarded statement: a session that was
// revoked or has expired, or whose account was disabled, is nil on every replica from that moment on. Roles are read
// with it, so that a change of role counts from the next request.
func UseSession(ctx context.Context, db *store.DB, tokenHash []byte) (*Principal, error) {
	return sessionRow(ctx, db, tokenHash, "UPDATE sessions s SET last_seen_at = clock_now() FROM "+sessionOf+" RETURNING "+sessionColumns)
}

// ReadSession returns whose session this is, as UseSession does, and records no use.
func ReadSession(ctx context.Context, db *store.DB, tokenHash []byte) (*Principal, error) {
	return sessionRow(ctx, db, tokenHash, "SELECT "+sessionColumns+" FROM sessions s, "+sessionOf)
}

// sessionOf finds the person of session s, whose token's hash is $1, if it was used within $2 seconds; sessionColumns
// are read of both.
const (
	sessionOf = `users u LEFT JOIN second_factors f ON f.user_id = u.id
		 WHERE s.token_hash = $1 AND s.revoked_at IS NULL AND s.expires_at > clock_now()
		   AND s.last_seen_at > clock_now() - make_interval(secs => $2)
		   AND u.id = s.user_id AND u.disabled_at IS NULL`
	sessionColumns = `u.id::text, u.email, (SELECT coalesce(array_agg(role ORDER BY role), '{}') FROM ` + people.EffectiveRoles + ` r WHERE user_id = u.id),
		          f.enabled_at IS NOT NULL, coalesce(s.two_factor_at >= f.enabled_at, false), u.frozen_at IS NOT NULL`
)

func sessionRow(ctx context.Context, db *store.DB, tokenHash []byte, query string) (*Principal, error) {
	p := &Principal{TokenHash: tokenHash}
	err := db.Pool().QueryRow(ctx, query, tokenHash, SessionIdle.Seconds()).
		Scan(&p.UserID, &p.Email, &p.Roles, &p.Enrolled, &p.Proven, &p.Frozen)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read session: %w", err)
	}
	return p, nil
}

// RevokeSession ends a session everywhere at once. It answers the ID token the
// session began with, empty when there was no session to end.
func RevokeSession(ctx context.Context, db *store.DB, tokenHash []byte) (idToken string, err error) {
	err = db.ORM(ctx).Raw(`
		WITH ended AS (SELECT token_hash, id_token FROM sessions WHERE token_hash = ? AND revoked_at IS NULL FOR UPDATE)
		UPDATE sessions s SET revoked_at = clock_now(), id_token = '' FROM ended WHERE s.token_hash = ended.token_hash
		RETURNING ended.id_token`, tokenHash).Scan(&idToken).Error
	if err != nil {
		return "", fmt.Errorf("revoke session: %w", err)
	}
	return idToken, nil
}

// EndSessions ends every session of a person, and answers how many there were.
func EndSessions(ctx context.Context, db *store.DB, userID string) (int64, error) {
	return end(ctx, db, userID, "true")
}

// EndSessionsOf ends every session of the account of an issuer's subject, and returns how many there were. An unknown
// subject has none.
func EndSessionsOf(ctx context.Context, db *store.DB, issuer, subject string) (int64, error) {
	result := db.ORM(ctx).Exec(`
		UPDATE sessions s SET revoked_at = clock_now(), id_token = '' FROM users u
		 WHERE u.id = s.user_id AND u.issuer = ? AND u.subject = ? AND s.revoked_at IS NULL`, issuer, subject)
	if result.Error != nil {
		return 0, fmt.Errorf("end sessions: %w", result.Error)
	}
	return result.RowsAffected, nil
}

// PurgeExpired removes what has run out and is of no further use: sign-ins never finished, old sessions, idempotency
// keys after IdempotencyLifetime, and unused rate-limit rows.
func PurgeExpired(ctx context.Context, db *store.DB) error {
	for _, statement := range []string{
		`DELETE FROM login_attempts WHERE created_at < clock_now() - interval '1 day'`,
		`DELETE FROM sessions WHERE expires_at < clock_now() - interval '30 days'`,
	} {
		if err := db.ORM(ctx).Exec(statement).Error; err != nil {
			return fmt.Errorf("purge what expired: %w", err)
		}
	}
	if err := db.PurgeKeys(ctx); err != nil {
		return err
	}
	return db.PurgeLimits(ctx)
}

// truncate cuts a text at a rune boundary, since the database refuses invalid UTF-8.
func truncate(s string, bytes int) string {
	if len(s) > bytes {
		return strings.ToValidUTF8(s[:bytes], "")
	}
	return s
}
