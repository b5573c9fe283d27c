package identity

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tradepost/tradepost/internal/typed"
)

// account is one row of users.
type account struct {
	ID                uuid.UUID
	Email             string
	EmailKey          string
	EmailVerifiedAt   *time.Time
	PasswordHash      string
	PasswordChangedAt time.Time
	GivenName         string
	FamilyName        string
	Country           string
	Locale            string
	AdultConfirmedAt  time.Time
	TermsVersion      string
	TermsAcceptedAt   time.Time
	Demo              bool
}

var (
	errNoAccount = errors.New("no such account")
	errEmailUsed = errors.New("this e-mail address has an account")
)

const accountColumns = `id, email, email_key, email_verified_at, password_hash, password_changed_at,
	given_name, family_name, country, locale, adult_confirmed_at, terms_version, terms_accepted_at, demo`

// emailKey is the form in which addresses are compared.
func emailKey(email string) string { return typed.EmailKey(email) }

// keyOf is the key of the account that an address opens. An address whose domain was stored as it was typed, because
// another account had its ASCII form, still opens its own account.
func (a *accounts) keyOf(ctx context.Context, email string) (string, error) {
	key, asTyped := emailKey(email), strings.ToLower(strings.TrimSpace(email))
	if key == asTyped || !utf8.ValidString(asTyped) || strings.Contains(asTyped, "\x00") {
		return key, nil
	}
	var stored string
	err := a.db.QueryRow(ctx, `SELECT coalesce((SELECT email_key FROM users WHERE email_key = $1), $2)`, asTyped, key).Scan(&stored)
	return stored, err
}

// accounts reads and writes users. Disabled accounts are not found.
type accounts struct{ db *pgxpool.Pool }

func (a *accounts) byEmail(ctx context.Context, key string) (*account, error) {
	return a.one(ctx, `SELECT `+accountColumns+` FROM users WHERE email_key = $1 AND disabled_at IS NULL`, key)
}

func (a *accounts) byID(ctx context.Context, id uuid.UUID) (*account, error) {
	return a.one(ctx, `SELECT `+accountColumns+` FROM users WHERE id = $1 AND disabled_at IS NULL`, id)
}

func (a *accounts) one(ctx context.Context, sql string, args ...any) (*account, error) {
	rows, err := a.db.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	found, err := pgx.CollectExactlyOneRow(rows, pgx.RowToAddrOfStructByPos[account])
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, errNoAccount
	}
	return found, err
}

// has reports whether an address has an account, disabled ones included.
func (a *accounts) has(ctx context.Context, key string) (bool, error) {
	var exists bool
	err := a.db.QueryRow(ctx, `SELECT EXISTS (SELECT FROM users WHERE email_key = $1)`, key).Scan(&exists)
	return exists, err
}

// create opens the account of a sign-up whose code was entered, which proves the address,
// and ends the sign-up, in one transaction. It returns errEmailUsed when the address has
// got an account since, and errSignupGone when the sign-up was used meanwhile.
func (a *accounts) create(ctx context.Context, n *signup, address string) (*account, error) {
	who := &account{ID: uuid.New(), Email: n.Email, EmailKey: n.EmailKey, PasswordHash: n.PasswordHash}
	return who, pgx.BeginFunc(ctx, a.db, func(tx pgx.Tx) error {
		used, err := tx.Exec(ctx, `DELETE FROM signups WHERE id = $1`, n.ID)
		if err != nil {
			return err
		}
		if used.RowsAffected() == 0 {
			return errSignupGone
		}
		const sql = `
			INSERT INTO users (id, email, email_key, email_verified_at, password_hash, given_name, family_name, country,
			                   adult_confirmed_at, terms_version, terms_accepted_at)
			VALUES ($1, $2, $3, now(), $4, $5, $6, $7, $9, $8, $9) ON CONFLICT (email_key) DO NOTHING`
		made, err := tx.Exec(ctx, sql, who.ID, n.Email, n.EmailKey, n.PasswordHash, n.GivenName, n.FamilyName, n.Country, n.TermsVersion, n.CreatedAt)
		if err != nil {
			return err
		}
		if made.RowsAffected() == 0 { // no error of the database's: those write the address to its log
			return errEmailUsed
		}
		return (&eventLog{tx}).add(ctx, eventSignedUp, &who.ID, address)
	})
}

// setPassword stores a new hash, ends every session here but the one kept (nil
// ends all) and every session at the site, voids open reset links and sign-ins that
// were begun and not finished, and queues the mail about it, in one transaction.
func setPassword(ctx context.Context, tx pgx.Tx, id uuid.UUID, hash string, kept []byte) error {
	const update = `UPDATE users SET password_hash = $2, password_changed_at = now() WHERE id = $1 RETURNING email_key`
	var key string
	if err := tx.QueryRow(ctx, update, id, hash).Scan(&key); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `DELETE FROM sessions WHERE user_id = $1 AND token_hash IS DISTINCT FROM $2`, id, kept); err != nil {
		return err
	}
	const stop = `UPDATE auth_requests SET expires_at = now(), code_expires_at = least(code_expires_at, now()) WHERE user_id = $1 AND code_used_at IS NULL`
	if _, err := tx.Exec(ctx, stop, id); err != nil {
		return err
	}
	const void = `UPDATE mail_links SET used_at = now() WHERE user_id = $1 AND purpose = 'reset' AND used_at IS NULL`
	if _, err := tx.Exec(ctx, void, id); err != nil {
		return err
	}
	if err := queueMail(ctx, tx, noticeSignedOut, key); err != nil {
		return err
	}
	return queueMail(ctx, tx, mailPasswordChanged, key)
}
