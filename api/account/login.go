package account

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"golang.org/x/oauth2"

	referralapi "github.com/tradepost/tradepost/api/referral"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/internal/secret"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// browserAnswer is a redirect, or a small page of the API.
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

// Login sends the browser to the identity provider.
func (h *Handlers) Login(ctx context.Context, in *loginInput) (*browserAnswer, error) {
	returnTo, ok := OwnPath(in.ReturnTo)
	if !ok {
		return nil, rest.FieldProblem("returnTo", "other_origin", "returnTo must be a path of this site")
	}
	return h.toIssuer(ctx, account.LoginAttempt{ReturnTo: returnTo, Anew: in.Anew}, in.Screen == "signup")
}

// toIssuer begins an attempt and sends the browser to the identity provider with it.
func (h *Handlers) toIssuer(ctx context.Context, attempt account.LoginAttempt, signUp bool) (*browserAnswer, error) {
	device, state := h.device(ctx), rest.NewToken()
	attempt.StateHash, attempt.BrowserHash, attempt.Nonce, attempt.Verifier = rest.HashToken(state), rest.HashToken(device), rest.NewToken(), oauth2.GenerateVerifier()
	to, err := h.SignIn.authorizeURL(state, attempt, signUp, h.Languages.Asked(rest.RequestOf(ctx).In))
	if err != nil {
		h.Log.WarnContext(ctx, "sign-in is not available", "error", err)
		return nil, rest.NewProblem(http.StatusServiceUnavailable, "identity_unavailable", "You can't sign in right now. Try again in a minute.")
	}
	if err := account.BeginLogin(ctx, h.DB, attempt); err != nil {
		return nil, err
	}
	return redirect(to, h.Cookie(deviceCookie, device, deviceKnown)), nil
}

// device is the secret by which the browser is known: the same for all its tabs, which may
// sign in at once, and a new one for a browser that has none.
func (h *Handlers) device(ctx context.Context) string {
	if known := h.CookieOf(ctx, deviceCookie); len(known) >= 40 {
		return known
	}
	return rest.NewToken()
}

type callbackInput struct {
	Code  string `query:"code" maxLength:"2048"`
	State string `query:"state" maxLength:"512"`
	Error string `query:"error" maxLength:"100"`
}

// LoginCallback is where the identity provider sends the browser back to. Only
// the browser that began the sign-in gets a session, and a new one each time.
func (h *Handlers) LoginCallback(ctx context.Context, in *callbackInput) (*browserAnswer, error) {
	attempt, err := account.TakeLogin(ctx, h.DB, rest.HashToken(in.State), rest.HashToken(h.CookieOf(ctx, deviceCookie)))
	if store.CodeOf(err) == store.CodeForbidden {
		return h.leadOn(ctx, in.State)
	}
	if err != nil {
		return nil, err
	}
	if in.Error == "interaction_required" { // a page of a sign-in that had expired there
		return h.toIssuer(ctx, account.LoginAttempt{ReturnTo: attempt.ReturnTo, Anew: attempt.Anew}, false)
	}
	if in.Error != "" { // the person cancelled at the identity provider
		return redirect("/"), nil
	}
	claims, idToken, err := h.SignIn.redeem(ctx, in.Code, attempt)
	if err != nil {
		h.Log.WarnContext(ctx, "sign-in refused", "error", err, "request_id", rest.RequestID(ctx))
		return h.loginFailed(ctx, attempt.ReturnTo), nil
	}
	claims.Consents = h.atSignUp(ctx, claims)
	user, err := account.SignIn(ctx, h.DB, claims, h.Referral.Arrival(ctx))
	if store.ReasonOf(err) == "signups_paused" {
		return h.notice(ctx, http.StatusServiceUnavailable, noticePage{Title: "New accounts are paused", Text: err.Error(), Link: "/", LinkText: "Go to the home page"}), nil
	}
	if err != nil {
		return nil, err
	}
	if !claims.MayEnter(user, attempt.Anew) {
		return h.proveAnew(ctx, attempt)
	}
	answer, err := h.openSession(ctx, user, attempt, claims, idToken)
	if errors.Is(err, account.ErrSignedOut) {
		return h.proveAnew(ctx, attempt)
	}
	return answer, err
}

// openSession opens a session after a sign-in, in place of what the browser
// had before.
func (h *Handlers) openSession(ctx context.Context, user *people.User, attempt *account.LoginAttempt, claims account.Claims, idToken string) (*browserAnswer, error) {
	chosen, err := account.PreferencesOf(ctx, h.DB, user.ID)
	if err != nil {
		return nil, err
	}
	token, device := rest.NewToken(), h.device(ctx)
	sealed, err := h.sealIDToken(user.ID, idToken)
	if err != nil {
		return nil, err
	}
	session := account.NewSession{TokenHash: rest.HashToken(token), UserID: user.ID, UserAgent: rest.HeaderOf(ctx, "User-Agent"), IP: rest.RequestOf(ctx).IP, IDToken: sealed, AuthenticatedAt: claims.Proved(attempt.Anew),
		DeviceHash: rest.HashToken(device), Device: DeviceName(rest.HeaderOf(ctx, "User-Agent")), Entering: user}
	if before := h.CookieOf(ctx, rest.SessionCookie); before != "" {
		session.Replaces = rest.HashToken(before)
	}
	if err := account.CreateSession(ctx, h.DB, session); err != nil {
		return nil, err
	}
	return redirect(attempt.ReturnTo, append(h.Speaks(chosen.Language), h.Cookie(rest.SessionCookie, token, account.SessionLifetime),
		h.Cookie(deviceCookie, device, deviceKnown), h.Cookie(referralapi.ReferralCookie, "", 0))...), nil
}

// proveAnew requires the password where the identity provider signed in a person without it
// whose session here was ended for good: once, since a provider that does not ask for it
// cannot be relied on to.
func (h *Handlers) proveAnew(ctx context.Context, attempt *account.LoginAttempt) (*browserAnswer, error) {
	if attempt.Anew {
		return h.loginFailed(ctx, attempt.ReturnTo), nil
	}
	return h.toIssuer(ctx, account.LoginAttempt{ReturnTo: attempt.ReturnTo, Anew: true}, false)
}

// deviceKnown is how long a browser is known again after it began a sign-in.
const deviceKnown = 400 * 24 * time.Hour

// leadOn answers a callback that ends no attempt: Back after a sign-in, a reload, a second tab. Whoever has a session
// goes where the attempt was to lead; whoever has none begins again, if this browser began the attempt. No session is
// opened or changed here.
func (h *Handlers) leadOn(ctx context.Context, state string) (*browserAnswer, error) {
	returnTo, known, err := account.ReturnOf(ctx, h.DB, rest.HashToken(state), rest.HashToken(h.CookieOf(ctx, deviceCookie)))
	switch {
	case err != nil:
		return nil, err
	case known && rest.PrincipalOf(ctx) != nil:
		return redirect(returnTo), nil
	case known:
		return h.toIssuer(ctx, account.LoginAttempt{ReturnTo: returnTo}, false)
	case rest.PrincipalOf(ctx) != nil:
		return redirect("/"), nil
	}
	return h.loginFailed(ctx, ""), nil
}

func (h *Handlers) loginFailed(ctx context.Context, returnTo string) *browserAnswer {
	again := "/api/login"
	if returnTo != "" {
		again += "?" + url.Values{"returnTo": {returnTo}}.Encode()
	}
	return h.notice(ctx, http.StatusForbidden, noticePage{Title: "We couldn't sign you in",
		Text: "This sign-in has expired or was started in another browser.", Link: again, LinkText: "Try again"})
}

// Logout ends the session when the navigation began on our own site or was typed by the
// person; from elsewhere it shows a confirmation, so that no other site can sign people
// out.
func (h *Handlers) Logout(ctx context.Context, _ *rest.Nothing) (*browserAnswer, error) {
	who := rest.PrincipalOf(ctx)
	if who == nil {
		return redirect("/", h.Cookie(rest.SessionCookie, "", 0)), nil
	}
	site := rest.HeaderOf(ctx, "Sec-Fetch-Site")
	ours := site == "same-origin" || site == "none"
	if !ours || rest.HeaderOf(ctx, "Sec-Fetch-Mode") != "navigate" {
		return h.notice(ctx, http.StatusOK, noticePage{Title: "Log out?", Text: "Do you want to log out of " + h.Brand + "?",
			Button: "Log out", Link: "/", LinkText: "Stay signed in"}), nil
	}
	return h.endSession(ctx, who)
}

// ConfirmLogout handles the confirmation that Logout shows.
func (h *Handlers) ConfirmLogout(ctx context.Context, _ *rest.Nothing) (*browserAnswer, error) {
	who := rest.PrincipalOf(ctx)
	if who == nil {
		return redirect("/", h.Cookie(rest.SessionCookie, "", 0)), nil
	}
	return h.endSession(ctx, who)
}

func (h *Handlers) endSession(ctx context.Context, who *account.Principal) (*browserAnswer, error) {
	idToken, err := account.RevokeSession(ctx, h.DB, who.TokenHash)
	if err != nil {
		return nil, err
	}
	return redirect(h.SignIn.endURL(h.OpenIDToken(who.UserID, idToken), h.PublicURL+"/"), h.Cookie(rest.SessionCookie, "", 0)), nil
}

// idTokenPlace is what a session's ID token is sealed for; the session's own token changes.
func idTokenPlace(userID string) secret.Place {
	return secret.Place{Table: "sessions", Column: "id_token", ID: userID}
}

// sealIDToken is an ID token as a session keeps it: it names the person.
func (h *Handlers) sealIDToken(userID, idToken string) (string, error) {
	sealed, err := h.Vault.Seal(idTokenPlace(userID), []byte(idToken))
	return base64.RawStdEncoding.EncodeToString(sealed), err
}

// OpenIDToken reads what sealIDToken made. A session that began before they were sealed
// keeps its own; one that cannot be opened signs out here alone.
func (h *Handlers) OpenIDToken(userID, kept string) string {
	if strings.Count(kept, ".") == 2 {
		return kept
	}
	sealed, err := base64.RawStdEncoding.DecodeString(kept)
	if err != nil {
		return ""
	}
	plain, err := h.Vault.Open(idTokenPlace(userID), sealed)
	if err != nil {
		return ""
	}
	return string(plain)
}

// OwnPath is a path of our own site to which a person may be redirected; empty is the start page. It is read as a
// browser reads it, for which /a/../api is a call.
func OwnPath(asked string) (string, bool) {
	if asked == "" {
		return "/", true
	}
	parsed, err := url.Parse(asked)
	if err != nil || parsed.Scheme != "" || parsed.Host != "" || parsed.User != nil || parsed.Opaque != "" {
		return "", false
	}
	reached := path.Clean(parsed.Path)
	if !strings.HasPrefix(asked, "/") || strings.HasPrefix(asked, "//") || strings.ContainsAny(asked, "\\\r\n\t") ||
		reached == "/api" || strings.HasPrefix(reached, "/api/") {
		return "", false
	}
	return asked, true
}

// OpenPath is the page that mails lead to: it redirects to the page in its query, or asks a visitor to sign in first.
const OpenPath = "/open"
