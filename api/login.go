package api

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"github.com/tradepost/tradepost/internal/secret"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/store"
)

// browserAnswer is a redirect, or a small page of ours.
type browserAnswer struct {
	Status      int
	Location    string        `header:"Location"`
	ContentType string        `header:"Content-Type"`
	Policy      string        `header:"Content-Security-Policy"`
	SetCookie   []http.Cookie `header:"Set-Cookie"`
	Body        []byte
}

func redirect(to string, cookies ...http.Cookie) *browserAnswer {
	return &browserAnswer{Status: http.StatusSeeOther, Location: to, SetCookie: cookies}
}

type loginInput struct {
	Screen   string `query:"screen" enum:"login,signup" default:"login"`
	ReturnTo string `query:"returnTo" maxLength:"500" doc:"a path of this site to come back to"`
	Anew     bool   `query:"anew" doc:"the issuer has the person prove anew who they are, whatever session it knows"`
}

// login sends the browser to the identity provider.
func (s *Server) login(ctx context.Context, in *loginInput) (*browserAnswer, error) {
	returnTo, ok := ownPath(in.ReturnTo)
	if !ok {
		return nil, fieldProblem("returnTo", "other_origin", "returnTo must be a path of this site")
	}
	return s.toIssuer(ctx, account.LoginAttempt{ReturnTo: returnTo, Anew: in.Anew}, in.Screen == "signup")
}

// toIssuer begins an attempt and sends the browser to the identity provider with it.
func (s *Server) toIssuer(ctx context.Context, attempt account.LoginAttempt, signUp bool) (*browserAnswer, error) {
	secret := s.cookieOf(ctx, loginCookie) // another tab of this browser may be signing in too
	if len(secret) < 40 {
		secret = newToken()
	}
	state := newToken()
	attempt.StateHash, attempt.BrowserHash, attempt.Nonce, attempt.Verifier = hashToken(state), hashToken(secret), newToken(), oauth2.GenerateVerifier()
	to, err := s.SignIn.authorizeURL(state, attempt, signUp, s.languages().asked(requestOf(ctx).in))
	if err != nil {
		s.Log.WarnContext(ctx, "sign-in is not available", "error", err)
		return nil, problem(http.StatusServiceUnavailable, "identity_unavailable", "You can't sign in right now. Try again in a minute.")
	}
	if err := account.BeginLogin(ctx, s.DB, attempt); err != nil {
		return nil, err
	}
	return redirect(to, s.cookie(loginCookie, secret, account.LoginLifetime)), nil
}

type callbackInput struct {
	Code  string `query:"code" maxLength:"2048"`
	State string `query:"state" maxLength:"512"`
	Error string `query:"error" maxLength:"100"`
}

// loginCallback is where the identity provider sends the browser back to. Only
// the browser that began the sign-in gets a session, and a new one each time.
func (s *Server) loginCallback(ctx context.Context, in *callbackInput) (*browserAnswer, error) {
	attempt, err := account.TakeLogin(ctx, s.DB, hashToken(in.State), hashToken(s.cookieOf(ctx, loginCookie)))
	if store.CodeOf(err) == store.CodeForbidden {
		return s.loginFailed(ctx), nil
	}
	if err != nil {
		return nil, err
	}
	if in.Error != "" { // the person turned back at the identity provider
		return redirect("/"), nil
	}
	claims, idToken, err := s.SignIn.redeem(ctx, in.Code, attempt)
	if err != nil {
		s.Log.WarnContext(ctx, "sign-in refused", "error", err, "request_id", requestID(ctx))
		return s.loginFailed(ctx), nil
	}
	user, err := account.SignIn(ctx, s.DB, claims, s.arrival(ctx))
	if store.ReasonOf(err) == "signups_paused" {
		return s.notice(ctx, http.StatusServiceUnavailable, noticePage{Title: "New accounts are paused", Text: err.Error(), Link: "/", LinkText: "Go to the home page"}), nil
	}
	if err != nil {
		return nil, err
	}
	if !user.MayEnter(claims, attempt.Anew) {
		return s.proveAnew(ctx, attempt)
	}
	answer, err := s.openSession(ctx, user, attempt, claims, idToken)
	if errors.Is(err, account.ErrSignedOut) {
		return s.proveAnew(ctx, attempt)
	}
	return answer, err
}

// openSession is for somebody who has signed in, in place of what the browser
// had before.
func (s *Server) openSession(ctx context.Context, user *account.User, attempt *account.LoginAttempt, claims account.Claims, idToken string) (*browserAnswer, error) {
	chosen, err := account.PreferencesOf(ctx, s.DB, user.ID)
	if err != nil {
		return nil, err
	}
	token, device := newToken(), s.cookieOf(ctx, deviceCookie)
	if len(device) < 40 {
		device = newToken()
	}
	sealed, err := s.sealIDToken(user.ID, idToken)
	if err != nil {
		return nil, err
	}
	session := account.NewSession{TokenHash: hashToken(token), UserID: user.ID, UserAgent: headerOf(ctx, "User-Agent"), IP: requestOf(ctx).ip, IDToken: sealed, AuthenticatedAt: claims.Proved(attempt.Anew),
		DeviceHash: hashToken(device), Device: deviceName(headerOf(ctx, "User-Agent")), Entering: user}
	if before := s.cookieOf(ctx, sessionCookie); before != "" {
		session.Replaces = hashToken(before)
	}
	if err := account.CreateSession(ctx, s.DB, session); err != nil {
		return nil, err
	}
	return redirect(attempt.ReturnTo, append(s.speaks(chosen.Language), s.cookie(sessionCookie, token, account.SessionLifetime),
		s.cookie(deviceCookie, device, deviceKnown), s.cookie(loginCookie, "", 0), s.cookie(referralCookie, "", 0))...), nil
}

// proveAnew asks for the password where the identity provider let somebody pass
// whose session here was ended for good: once, since a provider that does not ask is
// not to be trusted with it.
func (s *Server) proveAnew(ctx context.Context, attempt *account.LoginAttempt) (*browserAnswer, error) {
	if attempt.Anew {
		return s.loginFailed(ctx), nil
	}
	return s.toIssuer(ctx, account.LoginAttempt{ReturnTo: attempt.ReturnTo, Anew: true}, false)
}

// deviceKnown is how long a browser is known again after a sign-in.
const deviceKnown = 400 * 24 * time.Hour

func (s *Server) loginFailed(ctx context.Context) *browserAnswer {
	return s.notice(ctx, http.StatusForbidden, noticePage{Title: "We couldn't sign you in",
		Text: "This sign-in has expired or was started in another browser.", Link: "/api/login", LinkText: "Try again"})
}

// logout ends the session when the navigation began on our own site or was
// typed by the person; from anywhere else it asks, so that no other site can
// sign people out.
func (s *Server) logout(ctx context.Context, _ *nothing) (*browserAnswer, error) {
	who := principalOf(ctx)
	if who == nil {
		return redirect("/", s.cookie(sessionCookie, "", 0)), nil
	}
	site := headerOf(ctx, "Sec-Fetch-Site")
	ours := site == "same-origin" || site == "none"
	if !ours || headerOf(ctx, "Sec-Fetch-Mode") != "navigate" {
		return s.notice(ctx, http.StatusOK, noticePage{Title: "Log out?", Text: "Do you want to log out of " + s.Brand + "?",
			Button: "Log out", Link: "/", LinkText: "Stay signed in"}), nil
	}
	return s.endSession(ctx, who)
}

// confirmLogout is the answer to the question logout asks.
func (s *Server) confirmLogout(ctx context.Context, _ *nothing) (*browserAnswer, error) {
	who := principalOf(ctx)
	if who == nil {
		return redirect("/", s.cookie(sessionCookie, "", 0)), nil
	}
	return s.endSession(ctx, who)
}

func (s *Server) endSession(ctx context.Context, who *account.Principal) (*browserAnswer, error) {
	idToken, err := account.RevokeSession(ctx, s.DB, who.TokenHash)
	if err != nil {
		return nil, err
	}
	return redirect(s.SignIn.endURL(s.openIDToken(who.UserID, idToken), s.PublicURL+"/"), s.cookie(sessionCookie, "", 0)), nil
}

// idTokenPlace is what a session's ID token is sealed for; the session's own token changes.
func idTokenPlace(userID string) secret.Place {
	return secret.Place{Table: "sessions", Column: "id_token", ID: userID}
}

// sealIDToken is an ID token as a session keeps it: it names the person.
func (s *Server) sealIDToken(userID, idToken string) (string, error) {
	sealed, err := s.Vault.Seal(idTokenPlace(userID), []byte(idToken))
	return base64.RawStdEncoding.EncodeToString(sealed), err
}

// openIDToken reads what sealIDToken made. A session that began before they were sealed
// keeps its own; one that cannot be opened signs out here alone.
func (s *Server) openIDToken(userID, kept string) string {
	if strings.Count(kept, ".") == 2 {
		return kept
	}
	sealed, err := base64.RawStdEncoding.DecodeString(kept)
	if err != nil {
		return ""
	}
	plain, err := s.Vault.Open(idTokenPlace(userID), sealed)
	if err != nil {
		return ""
	}
	return string(plain)
}

// ownPath is a path of our own site that a person may be sent back to; empty
// is the start page.
func ownPath(path string) (string, bool) {
	if path == "" {
		return "/", true
	}
	parsed, err := url.Parse(path)
	if err != nil || parsed.Scheme != "" || parsed.Host != "" || parsed.User != nil || parsed.Opaque != "" {
		return "", false
	}
	if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") || strings.ContainsAny(path, "\\\r\n\t") || strings.HasPrefix(parsed.Path, "/api/") {
		return "", false
	}
	return path, true
}
