package identity

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Purposes of links sent by mail.
const (
	linkReset  = "reset"
	linkVerify = "verify"
)

// linkLifetimes is how long a link works, from the moment its mail leaves.
var linkLifetimes = map[string]time.Duration{linkReset: 30 * time.Minute, linkVerify: 24 * time.Hour}

var errLinkGone = errors.New("link unknown, used or expired")

// links keeps the links sent by mail, by hashed token.
type links struct{ db *pgxpool.Pool }

// make stores a new link of who and returns its token. The link is bound to
// the address it is sent to.
func (l *links) make(ctx context.Context, purpose string, who *account) (string, error) {
	token := newToken()
	const sql = `INSERT INTO mail_links (token_hash, user_id, purpose, email_key, expires_at) VALUES ($1, $2, $3, $4, now() + $5::interval)`
	_, err := l.db.Exec(ctx, sql, tokenHash(token), who.ID, purpose, who.EmailKey, linkLifetimes[purpose])
	return token, err
}

// peek returns the account of a link that still works, without using it.
func (l *links) peek(ctx context.Context, all *accounts, purpose, token string) (*account, error) {
	const sql = `SELECT m.user_id FROM mail_links m JOIN users u ON u.id = m.user_id AND u.email_key = m.email_key
		 WHERE m.token_hash = $1 AND m.purpose = $2 AND m.used_at IS NULL AND m.expires_at > now()`
	var id uuid.UUID
	err := l.db.QueryRow(ctx, sql, tokenHash(token), purpose).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, errLinkGone
	}
	if err != nil {
		return nil, err
	}
	who, err := all.byID(ctx, id)
	if errors.Is(err, errNoAccount) {
		return nil, errLinkGone
	}
	return who, err
}

// done reports whether what a link was for is finished: the link was used, or its password was changed in another way
// after it was sent.
func (l *links) done(ctx context.Context, purpose, token string) (done bool, err error) {
	const sql = `SELECT EXISTS (SELECT FROM mail_links m JOIN users u ON u.id = m.user_id AND u.email_key = m.email_key
		 WHERE m.token_hash = $1 AND m.purpose = $2 AND m.used_at IS NOT NULL)`
	err = l.db.QueryRow(ctx, sql, tokenHash(token), purpose).Scan(&done)
	return done, err
}

// useLink uses a link up; a second use gets errLinkGone.
func useLink(ctx context.Context, tx pgx.Tx, purpose, token string) error {
	const sql = `UPDATE mail_links SET used_at = now()
		 WHERE token_hash = $1 AND purpose = $2 AND used_at IS NULL AND expires_at > now()`
	done, err := tx.Exec(ctx, sql, tokenHash(token), purpose)
	if err == nil && done.RowsAffected() == 0 {
		return errLinkGone
	}
	return err
}

// confirmEmail marks the account's address as its own; the first time counts.
func confirmEmail(ctx context.Context, tx pgx.Tx, id uuid.UUID) error {
	_, err := tx.Exec(ctx, `UPDATE users SET email_verified_at = coalesce(email_verified_at, now()) WHERE id = $1`, id)
	return err
}
