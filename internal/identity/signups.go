package identity

import (
	"context"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tradepost/tradepost/internal/typed"
)

// How long a sign-up waits for its code, counted from the last one that was sent,
// and how many wrong ones end it.
const (
	signupLifetime = time.Hour
	signupTries    = 5
)

var (
	errSignupGone = errors.New("sign-up unknown, over or another browser's")
	errCodeWrong  = errors.New("not the code of this sign-up")
	errCodeSpent  = errors.New("too many wrong codes")
)

// signup is one row of signups: an account that is not one yet.
type signup struct {
	ID           uuid.UUID
	Email        string
	EmailKey     string
	PasswordHash string
	GivenName    string
	FamilyName   string
	Country      string
	TermsVersion string
	CodeNumber   int
	CreatedAt    time.Time
}

const signupColumns = `id, email, email_key, password_hash, given_name, family_name, country, terms_version, code_number, created_at`

// signups keeps sign-ups that wait for their code. Nothing here reads users before a right
// code came back, so neither an answer nor its duration discloses who has an account.
type signups struct {
	db      *pgxpool.Pool
	codeKey [32]byte
}

// begin stores a sign-up of this browser and queues its mail, in one transaction.
func (u *signups) begin(ctx context.Context, n *signup, from visit) error {
	return pgx.BeginFunc(ctx, u.db, func(tx pgx.Tx) error {
		const sql = `
			INSERT INTO signups (id, browser_hash, email, email_key, password_hash, given_name, family_name, country, terms_version, expires_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, now() + $10::interval)`
		_, err := tx.Exec(ctx, sql, n.ID, tokenHash(from.browser), n.Email, n.EmailKey, n.PasswordHash,
			n.GivenName, n.FamilyName, n.Country, n.TermsVersion, signupLifetime)
		if err != nil {
			return err
		}
		if err := queueSignupMail(ctx, tx, n); err != nil {
			return err
		}
		return (&eventLog{tx}).add(ctx, eventSignUpBegun, nil, from.address)
	})
}

// open returns a live sign-up of this browser, or errSignupGone.
func (u *signups) open(ctx context.Context, id, browser string) (*signup, error) {
	return u.one(ctx, id, `SELECT `+signupColumns+` FROM signups WHERE id = $1 AND browser_hash = $2 AND expires_at > now()`, tokenHash(browser))
}

// renew replaces the code by another one, which may be tried as often, and queues its mail.
func (u *signups) renew(ctx context.Context, id, browser string) error {
	return pgx.BeginFunc(ctx, u.db, func(tx pgx.Tx) error {
		const sql = `
			UPDATE signups SET code_number = code_number + 1, tries = 0, expires_at = now() + $3::interval
			 WHERE id = $1 AND browser_hash = $2 AND expires_at > now() RETURNING ` + signupColumns
		found, err := u.oneOf(ctx, tx, id, sql, tokenHash(browser), signupLifetime)
		if err != nil {
			return err
		}
		return queueSignupMail(ctx, tx, found)
	})
}

// try counts one attempt before it is checked, and returns the sign-up when the code is its
// own: errCodeWrong, errCodeSpent or errSignupGone otherwise.
func (u *signups) try(ctx context.Context, id, browser, code string) (*signup, error) {
	const sql = `
		UPDATE signups SET tries = tries + 1
		 WHERE id = $1 AND browser_hash = $2 AND expires_at > now() AND tries < $3 RETURNING ` + signupColumns
	found, err := u.one(ctx, id, sql, tokenHash(browser), signupTries)
	if errors.Is(err, errSignupGone) {
		if _, err := u.open(ctx, id, browser); err != nil {
			return nil, err
		}
		return nil, errCodeSpent
	}
	if err != nil {
		return nil, err
	}
	if subtle.ConstantTimeCompare([]byte(typed.Code(code)), []byte(u.code(found))) != 1 {
		return nil, errCodeWrong
	}
	return found, nil
}

// code is the code of a sign-up: six digits derived from the row and our key, so that a
// mail that is sent twice contains the same, and none is stored.
func (u *signups) code(n *signup) string {
	sum := keyedHash(u.codeKey, n.ID.String(), strconv.Itoa(n.CodeNumber))
	return fmt.Sprintf("%06d", binary.BigEndian.Uint64(sum)%1_000_000)
}

// due is the sign-up of a mail that is about to leave, or errSignupGone.
func (u *signups) due(ctx context.Context, id uuid.UUID) (*signup, error) {
	return u.one(ctx, id.String(), `SELECT `+signupColumns+` FROM signups WHERE id = $1 AND expires_at > now()`)
}

func (u *signups) one(ctx context.Context, id, sql string, args ...any) (*signup, error) {
	return u.oneOf(ctx, u.db, id, sql, args...)
}

func (u *signups) oneOf(ctx context.Context, db database, id, sql string, args ...any) (*signup, error) {
	parsed, err := uuid.Parse(id)
	if err != nil {
		return nil, errSignupGone
	}
	rows, err := db.Query(ctx, sql, append([]any{parsed}, args...)...)
	if err != nil {
		return nil, err
	}
	found, err := pgx.CollectExactlyOneRow(rows, pgx.RowToAddrOfStructByPos[signup])
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, errSignupGone
	}
	return found, err
}

// queueSignupMail queues the mail of a sign-up. Its content is determined when it is sent:
// a code, or that there is an account.
func queueSignupMail(ctx context.Context, db database, n *signup) error {
	const sql = `INSERT INTO outbox (kind, email_key, language, signup_id, expires_at) VALUES ($1, $2, $3, $4, now() + $5::interval)`
	_, err := db.Exec(ctx, sql, mailSignup, n.EmailKey, textsOf(ctx).Code, n.ID, signupLifetime)
	return err
}
