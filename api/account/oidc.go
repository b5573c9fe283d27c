package account

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/account"
)

// SignIn is our side of OpenID Connect: the authorisation code flow with PKCE,
// for one issuer.
type SignIn struct {
	issuer, clientID, clientSecret string
	redirectURL                    string
	Client                         *http.Client
	now                            func(context.Context) (time.Time, error)

	mu       sync.Mutex
	provider *oidc.Provider // once discovered
	ends     string         // the issuer's end_session_endpoint, empty when it has none
}

// NewSignIn signs people in at issuer; publicURL is our own origin. The issuer's metadata
// is read at the first sign-in, so that the server starts without it. now is the time by
// which tokens are validated: a replica's own clock may be wrong.
func NewSignIn(issuer, clientID, clientSecret, publicURL string, now func(context.Context) (time.Time, error)) *SignIn {
	return &SignIn{issuer: issuer, clientID: clientID, clientSecret: clientSecret, now: now,
		redirectURL: publicURL + "/api/login/callback", Client: &http.Client{Timeout: 10 * time.Second,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// Issuer is who our accounts are keyed by.
func (s *SignIn) Issuer() string { return s.issuer }

// Discover reads the issuer's metadata, once.
func (s *SignIn) Discover() (*oidc.Provider, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.provider != nil {
		return s.provider, nil
	}
	// The provider keeps this context to fetch signing keys later on.
	ctx := oidc.ClientContext(context.Background(), s.Client)
	provider, err := oidc.NewProvider(ctx, s.issuer)
	if err != nil {
		return nil, fmt.Errorf("reach the identity provider: %w", err)
	}
	var more struct {
		EndSession string `json:"end_session_endpoint"`
	}
	if err := provider.Claims(&more); err != nil {
		return nil, fmt.Errorf("read the identity provider's configuration: %w", err)
	}
	s.provider, s.ends = provider, more.EndSession
	return provider, nil
}

func (s *SignIn) oauth(provider *oidc.Provider) *oauth2.Config {
	return &oauth2.Config{ClientID: s.clientID, ClientSecret: s.clientSecret, Endpoint: provider.Endpoint(),
		RedirectURL: s.redirectURL, Scopes: []string{oidc.ScopeOpenID, "profile", "email"}}
}

// authorizeURL is where the browser signs in, or signs up, in a language (ui_locales,
// OpenID Connect Core 1.0, 3.1.2.1).
func (s *SignIn) authorizeURL(state string, attempt account.LoginAttempt, signUp bool, language string) (string, error) {
	provider, err := s.Discover()
	if err != nil {
		return "", err
	}
	options := []oauth2.AuthCodeOption{oidc.Nonce(attempt.Nonce), oauth2.S256ChallengeOption(attempt.Verifier), oauth2.SetAuthURLParam("ui_locales", language)}
	switch {
	case attempt.Anew: // a session of the issuer's is not enough (OpenID Connect Core 1.0, 3.1.2.1)
		options = append(options, oauth2.SetAuthURLParam("prompt", "login"), oauth2.SetAuthURLParam("max_age", "0"))
	case signUp:
		options = append(options, oauth2.SetAuthURLParam("prompt", "create"))
	}
	return s.oauth(provider).AuthCodeURL(state, options...), nil
}

// verifier judges tokens by this moment.
func (s *SignIn) verifier(ctx context.Context, provider *oidc.Provider) (*oidc.IDTokenVerifier, error) {
	now, err := s.now(ctx)
	if err != nil {
		return nil, err
	}
	return provider.Verifier(&oidc.Config{ClientID: s.clientID, Now: func() time.Time { return now }}), nil
}

// redeem exchanges a code for the issuer's claims about the person. Signature, issuer,
// audience, expiry, nonce and access token hash are all checked.
func (s *SignIn) redeem(ctx context.Context, code string, attempt *account.LoginAttempt) (account.Claims, string, error) {
	provider, err := s.Discover()
	if err != nil {
		return account.Claims{}, "", err
	}
	ctx = oidc.ClientContext(ctx, s.Client)
	token, err := s.oauth(provider).Exchange(ctx, code, oauth2.VerifierOption(attempt.Verifier))
	if err != nil {
		return account.Claims{}, "", fmt.Errorf("redeem the code: %w", err)
	}
	raw, _ := token.Extra("id_token").(string)
	verifier, err := s.verifier(ctx, provider)
	if err != nil {
		return account.Claims{}, "", err
	}
	idToken, err := verified(ctx, verifier, raw, token, attempt)
	if err != nil {
		return account.Claims{}, "", err
	}
	info, err := provider.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return account.Claims{}, "", fmt.Errorf("read user info: %w", err)
	}
	if info.Subject != idToken.Subject {
		return account.Claims{}, "", fmt.Errorf("the user info is about somebody else")
	}
	claims, err := claimsOf(idToken.Issuer, info)
	if err != nil {
		return account.Claims{}, "", err
	}
	if err := proven(idToken, &claims); err != nil {
		return account.Claims{}, "", err
	}
	return claims, raw, nil
}

// verified is the ID token, of this sign-in and of the access token beside it.
func verified(ctx context.Context, verifier *oidc.IDTokenVerifier, raw string, token *oauth2.Token, attempt *account.LoginAttempt) (*oidc.IDToken, error) {
	idToken, err := verifier.Verify(ctx, raw)
	if err != nil {
		return nil, fmt.Errorf("verify the ID token: %w", err)
	}
	if subtle.ConstantTimeCompare([]byte(idToken.Nonce), []byte(attempt.Nonce)) != 1 {
		return nil, errors.New("the ID token is of another sign-in")
	}
	if idToken.AccessTokenHash != "" {
		if err := idToken.VerifyAccessToken(token.AccessToken); err != nil {
			return nil, fmt.Errorf("verify the access token: %w", err)
		}
	}
	return idToken, nil
}

// proven reads when the person proved who they are (auth_time, OpenID Connect Core 1.0, 2),
// where the issuer sends it.
func proven(token *oidc.IDToken, claims *account.Claims) error {
	var more struct {
		AuthTime int64 `json:"auth_time"`
	}
	if err := token.Claims(&more); err != nil {
		return fmt.Errorf("read the ID token: %w", err)
	}
	if claims.IssuedAt = token.IssuedAt; more.AuthTime != 0 {
		at := time.Unix(more.AuthTime, 0)
		claims.AuthenticatedAt = &at
	}
	return nil
}

// claimsOf reads the standard claims and those of our embedded provider.
func claimsOf(issuer string, info *oidc.UserInfo) (account.Claims, error) {
	var more struct {
		GivenName    string `json:"given_name"`
		FamilyName   string `json:"family_name"`
		Picture      string `json:"picture"`
		Country      string `json:"country"`
		TermsVersion string `json:"terms_version"`
		VerifiedAt   string `json:"email_verified_at"`
		TermsAt      string `json:"terms_accepted_at"`
		AdultAt      string `json:"adult_confirmed_at"`
	}
	if err := info.Claims(&more); err != nil {
		return account.Claims{}, fmt.Errorf("read user info: %w", err)
	}
	for _, text := range []string{info.Subject, info.Email, more.GivenName, more.FamilyName, more.Picture, more.Country, more.TermsVersion} {
		if !rest.Storable(text) {
			return account.Claims{}, errors.New("the user info contains a text that no row can hold")
		}
	}
	return account.Claims{Issuer: issuer, Subject: info.Subject, Email: info.Email, EmailVerified: info.EmailVerified, EmailVerifiedAt: timeOf(more.VerifiedAt),
		FirstName: more.GivenName, LastName: more.FamilyName, Picture: more.Picture, Country: more.Country,
		TermsVersion: more.TermsVersion, TermsAcceptedAt: timeOf(more.TermsAt), AdultConfirmedAt: timeOf(more.AdultAt)}, nil
}

func timeOf(text string) *time.Time {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return nil
	}
	return &at
}

// ended validates a logout token and returns whose sessions end (OpenID Connect
// Back-Channel Logout 1.0, 2.6). A token that names a session without a person is refused:
// the issuer's session ids are not stored.
//
// Tokens are not remembered: a repeat within its two minutes ends sessions that have ended
// already.
func (s *SignIn) ended(ctx context.Context, raw string) (subject string, err error) {
	provider, err := s.Discover()
	if err != nil {
		return "", err
	}
	verifier, err := s.verifier(ctx, provider)
	if err != nil {
		return "", err
	}
	token, err := verifier.VerifyLogout(oidc.ClientContext(ctx, s.Client), raw)
	if err != nil {
		return "", fmt.Errorf("verify the logout token: %w", err)
	}
	if token.Subject == "" || !rest.Storable(token.Subject) {
		return "", fmt.Errorf("the logout token names nobody")
	}
	return token.Subject, nil
}

// endURL is where the browser signs out at the issuer, or our own site when the issuer has
// no such endpoint or is down.
func (s *SignIn) endURL(idToken, back string) string {
	if _, err := s.Discover(); err != nil || s.ends == "" || idToken == "" {
		return "/"
	}
	query := url.Values{"id_token_hint": {idToken}, "client_id": {s.clientID}, "post_logout_redirect_uri": {back}}
	return s.ends + "?" + query.Encode()
}
