package identity

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
)

// How long a person has to sign in, and the client to use the code.
const (
	requestLifetime = time.Hour
	codeLifetime    = time.Minute
)

var (
	errNoRequest = errors.New("no such authorisation request")
	errCodeUsed  = errors.New("code unknown, expired or used")
)

// authRequest is one row of auth_requests; it implements op.AuthRequest.
type authRequest struct {
	ID            uuid.UUID
	ClientID      string
	RedirectURI   string
	ResponseMode  string
	State         string
	Nonce         string
	Scopes        []string
	Prompts       []string
	MaxAge        *int64 // seconds; nil when the client does not care
	LoginHint     string
	CodeChallenge string
	UserID        *uuid.UUID
	AuthTime      *time.Time
}

const requestColumns = `id, client_id, redirect_uri, response_mode, state, nonce, scopes, prompts,
	max_age, login_hint, code_challenge, user_id, auth_time`

func (a *authRequest) GetID() string                      { return a.ID.String() }
func (a *authRequest) GetACR() string                     { return "" }
func (a *authRequest) GetAMR() []string                   { return []string{"pwd"} }
func (a *authRequest) GetAudience() []string              { return []string{a.ClientID} }
func (a *authRequest) GetClientID() string                { return a.ClientID }
func (a *authRequest) GetNonce() string                   { return a.Nonce }
func (a *authRequest) GetRedirectURI() string             { return a.RedirectURI }
func (a *authRequest) GetResponseType() oidc.ResponseType { return oidc.ResponseTypeCode }
func (a *authRequest) GetResponseMode() oidc.ResponseMode { return oidc.ResponseMode(a.ResponseMode) }
func (a *authRequest) GetScopes() []string                { return a.Scopes }
func (a *authRequest) GetState() string                   { return a.State }
func (a *authRequest) Done() bool                         { return a.UserID != nil }

func (a *authRequest) GetAuthTime() time.Time {
	if a.AuthTime == nil {
		return time.Time{}
	}
	return *a.AuthTime
}

func (a *authRequest) GetSubject() string {
	if a.UserID == nil {
		return ""
	}
	return a.UserID.String()
}

func (a *authRequest) GetCodeChallenge() *oidc.CodeChallenge {
	return &oidc.CodeChallenge{Challenge: a.CodeChallenge, Method: oidc.CodeChallengeMethodS256}
}

// requests keeps authorisation requests.
type requests struct {
	db     *pgxpool.Pool
	events *eventLog
}

// create stores a validated request for the browser that brought it.
func (q *requests) create(ctx context.Context, in *oidc.AuthRequest, browser string) (op.AuthRequest, error) {
	var maxAge *int64
	if in.MaxAge != nil {
		seconds := int64(*in.MaxAge) // bounded by checkRequest
		maxAge = &seconds
	}
	const sql = `
		INSERT INTO auth_requests (id, client_id, redirect_uri, response_mode, state, nonce, scopes, prompts,
		                           max_age, login_hint, code_challenge, browser_hash, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, now() + $13::interval)
		RETURNING ` + requestColumns
	return q.one(ctx, q.db, sql, uuid.New(), in.ClientID, in.RedirectURI, string(in.ResponseMode), in.State, in.Nonce,
		nonNil(in.Scopes), nonNil(in.Prompt), maxAge, in.LoginHint, in.CodeChallenge, tokenHash(browser), requestLifetime)
}

// nonNil keeps an empty list from becoming NULL.
func nonNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// open returns a request that this browser brought and that still waits for
// its code; for any other it returns errNoRequest.
func (q *requests) open(ctx context.Context, id, browser string) (*authRequest, error) {
	parsed, err := uuid.Parse(id)
	if err != nil || browser == "" {
		return nil, errNoRequest
	}
	const sql = `SELECT ` + requestColumns + ` FROM auth_requests
		 WHERE id = $1 AND browser_hash = $2 AND code_hash IS NULL AND expires_at > now()`
	return q.one(ctx, q.db, sql, parsed, tokenHash(browser))
}

// begun returns a request that this browser brought, whatever became of it; for any other it returns errNoRequest.
func (q *requests) begun(ctx context.Context, id, browser string) (*authRequest, error) {
	parsed, err := uuid.Parse(id)
	if err != nil || browser == "" {
		return nil, errNoRequest
	}
	return q.one(ctx, q.db, "SELECT "+requestColumns+" FROM auth_requests WHERE id = $1 AND browser_hash = $2", parsed, tokenHash(browser))
}

// complete records who signed in for a request. The browser must be the request's own, and
// the session must still exist: a new password ends it, and what was begun with it.
func (q *requests) complete(ctx context.Context, id uuid.UUID, browser string, who *session) error {
	const sql = `UPDATE auth_requests SET user_id = $3, auth_time = $4
		 WHERE id = $1 AND browser_hash = $2 AND code_hash IS NULL AND expires_at > now()
		   AND EXISTS (SELECT FROM sessions WHERE token_hash = $5)`
	done, err := q.db.Exec(ctx, sql, id, tokenHash(browser), who.account.ID, who.AuthTime, who.Hash)
	if err == nil && done.RowsAffected() == 0 {
		return errNoRequest
	}
	return err
}

// saveCode gives a completed request its one code.
func (q *requests) saveCode(ctx context.Context, id, code string) error {
	const sql = `UPDATE auth_requests SET code_hash = $2, code_expires_at = now() + $3::interval
		 WHERE id = $1 AND code_hash IS NULL AND user_id IS NOT NULL AND expires_at > now()`
	done, err := q.db.Exec(ctx, sql, id, tokenHash(code), codeLifetime)
	if err == nil && done.RowsAffected() == 0 {
		return errNoRequest
	}
	return err
}

// useCode uses a code up, whatever the outcome of the exchange, and returns its request. A
// code shown twice ends the tokens of the first exchange.
func (q *requests) useCode(ctx context.Context, code string) (op.AuthRequest, error) {
	const burn = `UPDATE auth_requests SET code_used_at = now()
		 WHERE code_hash = $1 AND code_used_at IS NULL AND code_expires_at > now()
		RETURNING ` + requestColumns
	request, err := q.one(ctx, q.db, burn, tokenHash(code))
	if !errors.Is(err, errNoRequest) {
		return request, err
	}
	const revoke = `
		WITH reused AS (SELECT id, user_id FROM auth_requests WHERE code_hash = $1),
		     revoked AS (DELETE FROM access_tokens WHERE auth_request_id IN (SELECT id FROM reused))
		SELECT user_id FROM reused`
	var who *uuid.UUID
	switch err := q.db.QueryRow(ctx, revoke, tokenHash(code)).Scan(&who); {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, errCodeUsed
	case err != nil:
		return nil, err
	}
	if err := q.events.add(ctx, eventCodeReused, who, ""); err != nil {
		return nil, err
	}
	return nil, errCodeUsed
}

func (q *requests) one(ctx context.Context, db database, sql string, args ...any) (*authRequest, error) {
	rows, err := db.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	found, err := pgx.CollectExactlyOneRow(rows, pgx.RowToAddrOfStructByPos[authRequest])
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, errNoRequest
	}
	return found, err
}
