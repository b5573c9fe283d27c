package rest

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"

	"github.com/tradepost/tradepost/api/policy"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/store"
)

// Guard checks every call before its handler.
type Guard struct {
	*Cookies
	*SecondFactor
	DB        *store.DB
	Policy    *policy.Policy
	SecretKey []byte // of the tokens against forged calls
	Origin    string // of the site, as browsers name it
	RateScale int    // multiplies every rate limit
	// Consented refuses a caller who owes a consent.
	Consented func(ctx context.Context) error

	limiter rateLimiter
	answers answers // of public calls
}

// rateClass is which limit a route counts against.
type rateClass string

// The classes; rates are their limits.
const (
	Reading   rateClass = "read"
	Quoting   rateClass = "quote"
	Writing   rateClass = "write"
	Uploading rateClass = "upload"
	Revealing rateClass = "reveal" // what is printed on gift cards
	Proving   rateClass = "prove"  // the second factor
	Asking    rateClass = "ask"    // what staff or a workflow then has to handle
	Signing   rateClass = "sign"
	Hooks     rateClass = "hook"
	Browsing  rateClass = "browse" // public and cached: the caller is not identified
	Unlimited rateClass = "none"
)

// Rates are per user when signed in, else per address.
var Rates = map[rateClass]store.RateLimit{
	Reading:   {Burst: 300, Every: 50 * time.Millisecond},
	Quoting:   {Burst: 60, Every: 250 * time.Millisecond},
	Writing:   {Burst: 40, Every: time.Second},
	Uploading: {Burst: 12, Every: 5 * time.Second},
	Revealing: {Burst: 10, Every: 30 * time.Second},
	Proving:   {Burst: 20, Every: 3 * time.Second},
	Asking:    {Burst: 12, Every: 30 * time.Second},
	Signing:   {Burst: 60, Every: time.Second},
	Hooks:     {Burst: 2000, Every: 2 * time.Millisecond},
	Browsing:  {Burst: 300, Every: 50 * time.Millisecond},
}

// CSRFHeader contains the token of GET /api/csrf-token on the posts of the second factor.
const CSRFHeader = "x-csrf-token"

// OwnerHeader names the user of the page that makes the call.
const OwnerHeader = "x-page-owner"

// PrincipalKey is the key of the caller in a request's context.
type PrincipalKey struct{}

// PrincipalOf is the caller; nil when not signed in.
func PrincipalOf(ctx context.Context) *account.Principal {
	p, _ := ctx.Value(PrincipalKey{}).(*account.Principal)
	return p
}

// Before runs before every operation: it checks identity, rate, permission, second factor,
// and that the request comes from our own page.
func (g *Guard) Before(p policy.Permission, c rateClass) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		if err := givenOnce(ctx); err != nil {
			c := humagin.Unwrap(ctx)
			WriteProblem(c.Writer, c.Request, err)
			return
		}
		if c == Unlimited {
			next(ctx)
			return
		}
		who, err := g.checked(ctx, p, c)
		if err != nil {
			c := humagin.Unwrap(ctx)
			WriteProblem(c.Writer, c.Request, AsProblem(ctx.Context(), err))
			return
		}
		if c == Browsing {
			g.browse(ctx, next)
			return
		}
		next(huma.WithValue(ctx, PrincipalKey{}, who))
	}
}

// checked is the guard's checks in their order; the origin needs no read and is checked
// first.
func (g *Guard) checked(ctx huma.Context, p policy.Permission, c rateClass) (*account.Principal, error) {
	if err := g.fromOurSite(ctx, c); err != nil {
		return nil, err
	}
	who, err := g.enter(ctx, c)
	if err != nil {
		return nil, err
	}
	if caller := RequestOf(ctx.Context()).caller; who != nil && caller != nil {
		*caller = who.UserID
	}
	if err := g.permit(who, p); err != nil {
		return nil, err
	}
	if err := g.settled(who, p); err != nil {
		return nil, err
	}
	return who, g.fromTheirPage(ctx, who)
}

// browse answers a public call, mostly from what it was answered a moment ago.
func (g *Guard) browse(ctx huma.Context, next func(huma.Context)) {
	c, call := humagin.Unwrap(ctx), ctx.Operation().OperationID+" "+RequestOf(ctx.Context()).Language
	if !g.answers.give(c, call) {
		g.answers.keep(c, call, func() { next(ctx) })
	}
}

// enter identifies the caller, and counts the request against the limit.
func (g *Guard) enter(ctx huma.Context, c rateClass) (*account.Principal, error) {
	limit := g.limit(c)
	address := string(c) + ":address:" + RequestOf(ctx.Context()).IP
	if c == Browsing || c == Hooks {
		return nil, Limited(g.limiter.allow(address, limit, time.Now()), nil)
	}
	if cookie, err := humagin.Unwrap(ctx).Request.Cookie(g.cookieName(SessionCookie)); err == nil {
		who, wait, err := account.Enter(ctx.Context(), g.DB, HashToken(cookie.Value), string(c)+":user:", limit, ctx.Operation().Metadata[backgroundMark] != nil)
		if who != nil || err != nil {
			return who, Limited(wait, err)
		}
	}
	wait, err := g.DB.Allow(ctx.Context(), address, limit)
	return nil, Limited(wait, err)
}

// CountCaller holds a page's request against its limit.
func (g *Guard) CountCaller(ctx context.Context, who *account.Principal, c rateClass) error {
	key := "address:" + RequestOf(ctx).IP
	if who != nil {
		key = "user:" + who.UserID
	}
	return Limited(g.DB.Allow(ctx, string(c)+":"+key, g.limit(c)))
}

// limit is what a class lets through here.
func (g *Guard) limit(c rateClass) store.RateLimit {
	limit := Rates[c]
	limit.Burst *= g.RateScale
	limit.Every /= time.Duration(g.RateScale)
	return limit
}

// Limited is the answer to who has to wait.
func Limited(wait time.Duration, err error) error {
	if err != nil || wait == 0 {
		return err
	}
	p := NewProblem(http.StatusTooManyRequests, "rate_limited", "Too many requests. Wait a moment and try again.")
	if minutes := store.Minutes(wait); minutes > 1 {
		p = NewProblem(http.StatusTooManyRequests, "rate_limited", fmt.Sprintf("Too many requests. Try again in %d minutes.", minutes))
	}
	p.retryAfter = wait
	return p
}

// backgroundMark marks an operation that a page requests while nobody uses it: it is no use of the session.
const backgroundMark = "background"

// Principal reads the session cookie; nil without a session or with a dead one.
func (g *Guard) Principal(r *http.Request) (*account.Principal, error) {
	cookie, err := r.Cookie(g.cookieName(SessionCookie))
	if err != nil {
		return nil, nil //nolint:nilerr // no cookie is nobody
	}
	return account.UseSession(r.Context(), g.DB, HashToken(cookie.Value))
}

// permit checks the policy: 401 without a session, 403 without the permission.
func (g *Guard) permit(who *account.Principal, want policy.Permission) error {
	if g.Policy.Allows(RolesOf(who), want) {
		return nil
	}
	if who == nil {
		return unauthorised()
	}
	return NewProblem(http.StatusForbidden, "forbidden", "You don't have permission to do this")
}

// RolesOf are the caller's roles in the policy. A frozen member of staff is a customer alone (people.EffectiveRoles).
func RolesOf(who *account.Principal) []string {
	if who == nil {
		return []string{policy.Anonymous}
	}
	return append([]string{policy.Customer}, who.Roles...)
}

// IsStaff reports whether the caller has a role above customer.
func IsStaff(who *account.Principal) bool { return who != nil && len(who.Roles) > 0 }

// fromOurSite accepts an unsafe call by its origin. Sec-Fetch-Site takes precedence over
// Origin, which a browser may omit or send as null; a signed call comes from no page.
func (g *Guard) fromOurSite(ctx huma.Context, c rateClass) error {
	if ctx.Method() == http.MethodGet || c == Hooks {
		return nil
	}
	site, origin := ctx.Header("Sec-Fetch-Site"), ctx.Header("Origin")
	switch {
	case site == "same-origin", site == "" && origin == g.Origin:
		return nil
	case site == "" && origin == "":
		return NewProblem(http.StatusForbidden, "cross_origin", "This request doesn't say which site it came from")
	}
	return NewProblem(http.StatusForbidden, "cross_origin", "This request came from another site")
}

// fromTheirPage refuses what one person's page sends in the session of another, and
// a post of the second factor without the session's token.
func (g *Guard) fromTheirPage(ctx huma.Context, who *account.Principal) error {
	if owner := ctx.Header(OwnerHeader); owner != "" && who != nil && owner != who.UserID {
		return NewProblem(http.StatusForbidden, "other_person", "Another account is signed in. Reload the page.")
	}
	if ctx.Operation().Extensions[tokenMark] == nil || hmac.Equal([]byte(ctx.Header(CSRFHeader)), []byte(g.CSRFToken(who))) {
		return nil
	}
	return NewProblem(http.StatusForbidden, "csrf_token", "The page is out of date. Reload it and try again.")
}

// CSRFToken is bound to the session: it changes at sign-in and when the second
// factor is shown, and dies with it.
func (g *Guard) CSRFToken(who *account.Principal) string {
	mac := hmac.New(sha256.New, g.SecretKey)
	mac.Write([]byte("tradepost csrf v1\n"))
	mac.Write(who.TokenHash)
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}
