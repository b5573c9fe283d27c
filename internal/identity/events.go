package identity

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// database is what a query needs: the pool, or a transaction of it.
type database interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// Kinds of events. Refusals by a limit are "limited_" and the limit's name.
const (
	eventSignUpBegun      = "sign_up_begun"
	eventSignUpCodeFailed = "sign_up_code_failed"
	eventSignedUp         = "signed_up"
	eventSignedIn         = "signed_in"
	eventSignInFailed     = "sign_in_failed"
	eventSignedOut        = "signed_out"
	eventResetRequested   = "reset_asked"
	eventPasswordReset    = "password_reset"
	eventPasswordChanged  = "password_changed"
	eventEmailVerified    = "email_verified"
	eventCodeReused       = "code_reused"
	eventErased           = "erased"
)

// eventLog is the append-only record of what happened to accounts.
type eventLog struct{ db database }

// add records kind; who is nil when no account was involved.
func (l *eventLog) add(ctx context.Context, kind string, who *uuid.UUID, address string) error {
	_, err := l.db.Exec(ctx, `INSERT INTO events (kind, user_id, address) VALUES ($1, $2, $3)`, kind, who, address)
	return err
}
