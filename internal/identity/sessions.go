package identity

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// sessionLifetime is how long a browser stays signed in here. The site keeps
// sessions of its own.
const sessionLifetime = 12 * time.Hour

// session is a live sign-in and its account.
type session struct {
	Hash     []byte
	AuthTime time.Time
	Age      time.Duration // since AuthTime, by the database's clock
	account  *account
}

// sessions keeps who is signed in here, by hashed token.
type sessions struct {
	db       *pgxpool.Pool
	accounts *accounts
}

var errNoSession = errors.New("no session")

// byToken returns the live session of a cookie's token, or errNoSession.
func (s *sessions) byToken(ctx context.Context, token string) (*session, error) {
	if token == "" {
		return nil, errNoSession
	}
	hash := tokenHash(token)
	var id uuid.UUID
	var at time.Time
	var age time.Duration
	const sql = `SELECT user_id, auth_time, now() - auth_time FROM sessions WHERE token_hash = $1 AND expires_at > now()`
	err := s.db.QueryRow(ctx, sql, hash).Scan(&id, &at, &age)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, errNoSession
	}
	if err != nil {
		return nil, err
	}
	who, err := s.accounts.byID(ctx, id)
	if errors.Is(err, errNoAccount) {
		return nil, errNoSession
	}
	if err != nil {
		return nil, err
	}
	return &session{Hash: hash, AuthTime: at, Age: age, account: who}, nil
}

// visit is a request's origin: the browser's cookies and its address.
type visit struct {
	texts   *catalogue // in the language of who visits
	browser string
	session string
	address string
}

// start makes a new session for who, ends the one the browser had, remembers
// the browser, and records the sign-in. It returns the new cookie's token, or
// errNoAccount when the account was disabled, or its password changed, since
// who was read: the row's lock orders this against a change of password.
func (s *sessions) start(ctx context.Context, who *account, from visit) (string, error) {
	token := newToken()
	err := pgx.BeginFunc(ctx, s.db, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `DELETE FROM sessions WHERE token_hash = $1`, tokenHash(from.session)); err != nil {
			return err
		}
		const insert = `
			INSERT INTO sessions (token_hash, user_id, expires_at)
			SELECT $1, id, now() + $3::interval FROM users
			 WHERE id = $2 AND password_hash = $4 AND disabled_at IS NULL FOR SHARE`
		done, err := tx.Exec(ctx, insert, tokenHash(token), who.ID, sessionLifetime, who.PasswordHash)
		if err != nil {
			return err
		}
		if done.RowsAffected() == 0 {
			return errNoAccount
		}
		const remember = `
			INSERT INTO known_browsers (user_id, browser_hash) VALUES ($1, $2)
			ON CONFLICT (user_id, browser_hash) DO UPDATE SET seen_at = now()`
		if _, err := tx.Exec(ctx, remember, who.ID, tokenHash(from.browser)); err != nil {
			return err
		}
		return (&eventLog{tx}).add(ctx, eventSignedIn, &who.ID, from.address)
	})
	return token, err
}

// end removes the session of token and records it.
func (s *sessions) end(ctx context.Context, token, address string) error {
	var who uuid.UUID
	err := s.db.QueryRow(ctx, `DELETE FROM sessions WHERE token_hash = $1 RETURNING user_id`, tokenHash(token)).Scan(&who)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	return (&eventLog{s.db}).add(ctx, eventSignedOut, &who, address)
}

// isKnown reports whether the account who signed in with this browser before.
func (s *sessions) isKnown(ctx context.Context, who uuid.UUID, browser string) (bool, error) {
	var known bool
	err := s.db.QueryRow(ctx, `SELECT EXISTS (SELECT FROM known_browsers WHERE user_id = $1 AND browser_hash = $2)`,
		who, tokenHash(browser)).Scan(&known)
	return known, err
}
