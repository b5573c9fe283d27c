package identity

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
	"golang.org/x/text/language"
)

// accessTokenLifetime is short: the token is good for the userinfo call only.
const accessTokenLifetime = 5 * time.Minute

// errRefused answers the parts of the protocol that we do not offer.
var errRefused = errors.New("not offered")

// storage is what the protocol library reads and writes (op.Storage).
type storage struct {
	db       *pgxpool.Pool
	client   *client
	requests *requests
	accounts *accounts
	keys     *keys
}

var (
	_ op.Storage                   = (*storage)(nil)
	_ op.CanSetUserinfoFromRequest = (*storage)(nil)
)

// CreateAuthRequest stores a request for the browser in ctx.
func (s *storage) CreateAuthRequest(ctx context.Context, in *oidc.AuthRequest, _ string) (op.AuthRequest, error) {
	return s.requests.create(ctx, in, visitOf(ctx).browser)
}

// AuthRequestByID returns a request of the browser in ctx.
func (s *storage) AuthRequestByID(ctx context.Context, id string) (op.AuthRequest, error) {
	return s.requests.open(ctx, id, visitOf(ctx).browser)
}

// AuthRequestByCode burns the code and returns its request.
func (s *storage) AuthRequestByCode(ctx context.Context, code string) (op.AuthRequest, error) {
	return s.requests.useCode(ctx, code)
}

// SaveAuthCode gives a completed request its one code.
func (s *storage) SaveAuthCode(ctx context.Context, id, code string) error {
	return s.requests.saveCode(ctx, id, code)
}

// DeleteAuthRequest keeps the row: a used code must stay known as used. The
// housekeeper removes it once it has expired.
func (s *storage) DeleteAuthRequest(context.Context, string) error { return nil }

// CreateAccessToken stores an opaque token for the person of request.
func (s *storage) CreateAccessToken(ctx context.Context, request op.TokenRequest) (string, time.Time, error) {
	in, ok := request.(*authRequest)
	if !ok || in.UserID == nil {
		return "", time.Time{}, errRefused
	}
	id := uuid.New()
	const sql = `
		INSERT INTO access_tokens (id, auth_request_id, user_id, scopes, expires_at)
		VALUES ($1, $2, $3, $4, now() + $5::interval) RETURNING expires_at`
	var expires time.Time
	err := s.db.QueryRow(ctx, sql, id, in.ID, *in.UserID, in.Scopes, accessTokenLifetime).Scan(&expires)
	return id.String(), expires, err
}

// SetUserinfoFromRequest fills the claims of an ID token.
func (s *storage) SetUserinfoFromRequest(ctx context.Context, info *oidc.UserInfo, request op.IDTokenRequest, scopes []string) error {
	return s.fill(ctx, info, request.GetSubject(), scopes)
}

// SetUserinfoFromToken fills the answer of the userinfo call.
func (s *storage) SetUserinfoFromToken(ctx context.Context, info *oidc.UserInfo, tokenID, subject, _ string) error {
	id, err := uuid.Parse(tokenID)
	if err != nil {
		return errRefused
	}
	var scopes []string
	err = s.db.QueryRow(ctx, `SELECT scopes FROM access_tokens WHERE id = $1 AND user_id::text = $2 AND expires_at > now()`,
		id, subject).Scan(&scopes)
	if errors.Is(err, pgx.ErrNoRows) {
		return oidc.ErrAccessDenied().WithDescription("access token unknown or expired")
	}
	if err != nil {
		return err
	}
	return s.fill(ctx, info, subject, scopes)
}

// fill writes what the scopes allow: profile (names, country, and what was
// agreed to at sign-up, times as RFC 3339 in UTC) and email.
func (s *storage) fill(ctx context.Context, info *oidc.UserInfo, subject string, scopes []string) error {
	id, err := uuid.Parse(subject)
	if err != nil {
		return errNoAccount
	}
	who, err := s.accounts.byID(ctx, id)
	if err != nil {
		return err
	}
	info.Subject = subject
	for _, scope := range scopes {
		switch scope {
		case oidc.ScopeEmail:
			info.Email = who.Email
			// The library leaves a false email_verified out; clients should see it.
			info.AppendClaims("email_verified", who.EmailVerifiedAt != nil)
			if who.EmailVerifiedAt != nil && !who.Demo { // a demo account proved nothing
				info.AppendClaims("email_verified_at", who.EmailVerifiedAt.UTC().Format(time.RFC3339Nano))
			}
		case oidc.ScopeProfile:
			info.GivenName, info.FamilyName = who.GivenName, who.FamilyName
			info.Name = who.GivenName + " " + who.FamilyName
			info.Locale = oidc.NewLocale(language.Make(who.Locale))
			info.AppendClaims("country", who.Country)
			info.AppendClaims("terms_version", who.TermsVersion)
			info.AppendClaims("terms_accepted_at", who.TermsAcceptedAt.UTC().Format(time.RFC3339))
			info.AppendClaims("adult_confirmed_at", who.AdultConfirmedAt.UTC().Format(time.RFC3339))
		}
	}
	return nil
}

// SigningKey returns the key that signs now.
func (s *storage) SigningKey(ctx context.Context) (op.SigningKey, error) {
	signing, _, err := s.keys.current(ctx)
	return signing, err
}

// SignatureAlgorithms lists RS256, which every client supports.
func (s *storage) SignatureAlgorithms(context.Context) ([]jose.SignatureAlgorithm, error) {
	return []jose.SignatureAlgorithm{jose.RS256}, nil
}

// KeySet returns every published key.
func (s *storage) KeySet(ctx context.Context) ([]op.Key, error) {
	_, set, err := s.keys.current(ctx)
	return set, err
}

// GetClientByClientID returns the one client.
func (s *storage) GetClientByClientID(_ context.Context, id string) (op.Client, error) {
	if id != s.client.id {
		return nil, oidc.ErrInvalidClient().WithDescription("unknown client_id")
	}
	return s.client, nil
}

// AuthorizeClientIDSecret compares in constant time.
func (s *storage) AuthorizeClientIDSecret(_ context.Context, id, secret string) error {
	given, want := sha256.Sum256([]byte(secret)), sha256.Sum256([]byte(s.client.secret))
	if id != s.client.id || subtle.ConstantTimeCompare(given[:], want[:]) != 1 {
		return oidc.ErrInvalidClient().WithDescription("client_id and client_secret do not match")
	}
	return nil
}

// Health checks the database.
func (s *storage) Health(ctx context.Context) error { return s.db.Ping(ctx) }

// SetUserinfoFromScopes is empty by the library's own instruction.
func (s *storage) SetUserinfoFromScopes(context.Context, *oidc.UserInfo, string, string, []string) error {
	return nil
}

// What follows belongs to flows that we refuse.

// CreateAccessAndRefreshTokens refuses: there are no refresh tokens.
func (s *storage) CreateAccessAndRefreshTokens(context.Context, op.TokenRequest, string) (string, string, time.Time, error) {
	return "", "", time.Time{}, errRefused
}

// TokenRequestByRefreshToken refuses: there are no refresh tokens.
func (s *storage) TokenRequestByRefreshToken(context.Context, string) (op.RefreshTokenRequest, error) {
	return nil, op.ErrInvalidRefreshToken
}

// GetRefreshTokenInfo refuses: there are no refresh tokens.
func (s *storage) GetRefreshTokenInfo(context.Context, string, string) (string, string, error) {
	return "", "", op.ErrInvalidRefreshToken
}

// RevokeToken refuses: access tokens are valid for minutes.
func (s *storage) RevokeToken(context.Context, string, string, string) *oidc.Error {
	return oidc.ErrInvalidRequest().WithDescription("revocation is not offered")
}

// TerminateSession refuses: the sign-out page ends sessions itself.
func (s *storage) TerminateSession(context.Context, string, string) error { return errRefused }

// SetIntrospectionFromToken refuses introspection.
func (s *storage) SetIntrospectionFromToken(context.Context, *oidc.IntrospectionResponse, string, string, string) error {
	return errRefused
}

// GetPrivateClaimsFromScopes has none: access tokens are opaque.
func (s *storage) GetPrivateClaimsFromScopes(context.Context, string, string, []string) (map[string]any, error) {
	return map[string]any{}, nil
}

// GetKeyByIDAndClientID refuses client assertions.
func (s *storage) GetKeyByIDAndClientID(context.Context, string, string) (*jose.JSONWebKey, error) {
	return nil, errRefused
}

// ValidateJWTProfileScopes refuses client assertions.
func (s *storage) ValidateJWTProfileScopes(context.Context, string, []string) ([]string, error) {
	return nil, errRefused
}
