package api

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

	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/store"
)

// rateClass is which limit a route counts against.
type rateClass string

// The classes; rates says how much each lets through.
const (
	reading   rateClass = "read"
	quoting   rateClass = "quote"
	writing   rateClass = "write"
	uploading rateClass = "upload"
	revealing rateClass = "reveal" // what is printed on gift cards
	proving   rateClass = "prove"  // the second factor
	asking    rateClass = "ask"    // what a person or a workflow then has to see to
	signing   rateClass = "sign"
	hooks     rateClass = "hook"
	browsing  rateClass = "browse" // public and cached: nobody is asked who they are
	unlimited rateClass = "none"
)

// rates are per user when signed in, else per address.
var rates = map[rateClass]store.RateLimit{
	reading:   {Burst: 300, Every: 50 * time.Millisecond},
	quoting:   {Burst: 60, Every: 250 * time.Millisecond},
	writing:   {Burst: 40, Every: time.Second},
	uploading: {Burst: 12, Every: 5 * time.Second},
	revealing: {Burst: 10, Every: 30 * time.Second},
	proving:   {Burst: 20, Every: 3 * time.Second},
	asking:    {Burst: 12, Every: 30 * time.Second},
	signing:   {Burst: 60, Every: time.Second},
	hooks:     {Burst: 2000, Every: 2 * time.Millisecond},
	browsing:  {Burst: 300, Every: 50 * time.Millisecond},
}

// csrfHeader carries the token of GET /api/csrf-token on the posts of the second factor.
const csrfHeader = "x-csrf-token"

// ownerHeader names whose page a call comes from.
const ownerHeader = "x-page-owner"

type principalKey struct{}

// principalOf is who asks; nil when nobody is signed in.
func principalOf(ctx context.Context) *account.Principal {
	p, _ := ctx.Value(principalKey{}).(*account.Principal)
	return p
}

// guard stands before every operation: who asks, how often, may they, have they
// shown their second factor, and did the request come from our own page.
func (s *Server) guard(p permission, c rateClass) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		if c == unlimited {
			next(ctx)
			return
		}
		who, err := s.checked(ctx, p, c)
		if err != nil {
			c := humagin.Unwrap(ctx)
			writeProblem(c.Writer, c.Request, asProblem(ctx.Context(), err))
			return
		}
		if c == browsing {
			s.browse(ctx, next)
			return
		}
		next(huma.WithValue(ctx, principalKey{}, who))
	}
}

// checked is the guard's checks in their order; the origin needs nothing of ours
// and comes first.
func (s *Server) checked(ctx huma.Context, p permission, c rateClass) (*account.Principal, error) {
	if err := s.fromOurSite(ctx, c); err != nil {
		return nil, err
	}
	who, err := s.enter(ctx, c)
	if err != nil {
		return nil, err
	}
	if caller := requestOf(ctx.Context()).caller; who != nil && caller != nil {
		*caller = who.UserID
	}
	if err := s.permit(who, p); err != nil {
		return nil, err
	}
	if err := s.settled(who, p); err != nil {
		return nil, err
	}
	return who, s.fromTheirPage(ctx, who)
}

// browse answers a public call, mostly from what it was answered a moment ago.
func (s *Server) browse(ctx huma.Context, next func(huma.Context)) {
	c, call := humagin.Unwrap(ctx), ctx.Operation().OperationID+" "+requestOf(ctx.Context()).language
	if !s.answers.give(c, call) {
		s.answers.keep(c, call, func() { next(ctx) })
	}
}

// enter finds out who asks, and holds the request against its limit.
func (s *Server) enter(ctx huma.Context, c rateClass) (*account.Principal, error) {
	limit := s.limit(c)
	address := string(c) + ":address:" + requestOf(ctx.Context()).ip
	if c == browsing || c == hooks {
		return nil, limited(s.limiter.allow(address, limit, time.Now()), nil)
	}
	if cookie, err := humagin.Unwrap(ctx).Request.Cookie(s.cookieName(sessionCookie)); err == nil {
		who, wait, err := account.Enter(ctx.Context(), s.DB, hashToken(cookie.Value), string(c)+":user:", limit)
		if who != nil || err != nil {
			return who, limited(wait, err)
		}
	}
	wait, err := s.DB.Allow(ctx.Context(), address, limit)
	return nil, limited(wait, err)
}

// countCaller holds a page's request against its limit.
func (s *Server) countCaller(ctx context.Context, who *account.Principal, c rateClass) error {
	key := "address:" + requestOf(ctx).ip
	if who != nil {
		key = "user:" + who.UserID
	}
	return limited(s.DB.Allow(ctx, string(c)+":"+key, s.limit(c)))
}

// limit is what a class lets through here.
func (s *Server) limit(c rateClass) store.RateLimit {
	limit := rates[c]
	limit.Burst *= s.RateScale
	limit.Every /= time.Duration(s.RateScale)
	return limit
}

// limited is the answer to who has to wait.
func limited(wait time.Duration, err error) error {
	if err != nil || wait == 0 {
		return err
	}
	p := problem(http.StatusTooManyRequests, "rate_limited", "Too many requests. Wait a moment and try again.")
	if minutes := store.Minutes(wait); minutes > 1 {
		p = problem(http.StatusTooManyRequests, "rate_limited", fmt.Sprintf("Too many requests. Try again in %d minutes.", minutes))
	}
	p.retryAfter = wait
	return p
}

// principal reads the session cookie; no or a dead session is nobody.
func (s *Server) principal(r *http.Request) (*account.Principal, error) {
	cookie, err := r.Cookie(s.cookieName(sessionCookie))
	if err != nil {
		return nil, nil //nolint:nilerr // no cookie is nobody
	}
	return account.UseSession(r.Context(), s.DB, hashToken(cookie.Value))
}

// permit asks the policy: 401 for who is not signed in, 403 for who may not.
func (s *Server) permit(who *account.Principal, want permission) error {
	if s.policy.allows(rolesOf(who), want) {
		return nil
	}
	if who == nil {
		return unauthorised()
	}
	return problem(http.StatusForbidden, "forbidden", "You don't have permission to do this")
}

// rolesOf is who somebody is to the policy.
func rolesOf(who *account.Principal) []string {
	if who == nil {
		return []string{roleAnonymous}
	}
	return append([]string{roleCustomer}, who.Roles...)
}

// isStaff reports whether somebody has a role above customer.
func isStaff(who *account.Principal) bool { return who != nil && len(who.Roles) > 0 }

// fromOurSite lets an unsafe call in by the origin it names. What a browser says of
// the page counts before Origin, which it may leave out or make null; a call that
// is signed comes from no page.
func (s *Server) fromOurSite(ctx huma.Context, c rateClass) error {
	if ctx.Method() == http.MethodGet || c == hooks {
		return nil
	}
	site, origin := ctx.Header("Sec-Fetch-Site"), ctx.Header("Origin")
	switch {
	case site == "same-origin", site == "" && origin == s.origin:
		return nil
	case site == "" && origin == "":
		return problem(http.StatusForbidden, "cross_origin", "This request doesn't say which site it came from")
	}
	return problem(http.StatusForbidden, "cross_origin", "This request came from another site")
}

// fromTheirPage refuses what one person's page sends in the session of another, and
// a post of the second factor without the session's token.
func (s *Server) fromTheirPage(ctx huma.Context, who *account.Principal) error {
	if owner := ctx.Header(ownerHeader); owner != "" && who != nil && owner != who.UserID {
		return problem(http.StatusForbidden, "other_person", "Another account is signed in. Reload the page.")
	}
	if ctx.Operation().Extensions[tokenMark] == nil || hmac.Equal([]byte(ctx.Header(csrfHeader)), []byte(s.csrfToken(who))) {
		return nil
	}
	return problem(http.StatusForbidden, "csrf_token", "The page is out of date. Reload it and try again.")
}

// csrfToken is bound to the session: it changes at sign-in and when the second
// factor is shown, and dies with it.
func (s *Server) csrfToken(who *account.Principal) string {
	mac := hmac.New(sha256.New, s.SecretKey)
	mac.Write([]byte("tradepost csrf v1\n"))
	mac.Write(who.TokenHash)
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}
