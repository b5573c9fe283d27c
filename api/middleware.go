package api

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"runtime/debug"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gin-gonic/gin"
)

// request is what later floors know of the request they serve.
type request struct {
	id string
	ip string // the caller's address, as the trusted proxies tell it
	in *http.Request
	// language is what a person is answered in.
	language string
	// caller is the id of whose session it is, once that is known: the log says it of
	// what was refused.
	caller *string
}

type requestKey struct{}

func requestOf(ctx context.Context) request {
	r, _ := ctx.Value(requestKey{}).(request)
	return r
}

// headerOf reads a header of the request being served.
func headerOf(ctx context.Context, name string) string {
	if in := requestOf(ctx).in; in != nil {
		return strings.ToValidUTF8(in.Header.Get(name), "")
	}
	return ""
}

// cookieOf reads one of our cookies of the request being served.
func (s *Server) cookieOf(ctx context.Context, name string) string {
	in := requestOf(ctx).in
	if in == nil {
		return ""
	}
	cookie, err := in.Cookie(s.cookieName(name))
	if err != nil {
		return ""
	}
	return cookie.Value
}

func requestID(ctx context.Context) string { return requestOf(ctx).id }

// fromProxy reports whether a request comes from one of our proxies. Others name no
// request: its id stands in the audit log.
func (s *Server) fromProxy(r *http.Request) bool {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return false
	}
	for _, proxy := range s.TrustedProxies {
		if one, err := netip.ParseAddr(proxy); err == nil && one.Unmap() == from.Addr().Unmap() {
			return true
		}
		if many, err := netip.ParsePrefix(proxy); err == nil && many.Contains(from.Addr().Unmap()) {
			return true
		}
	}
	return false
}

// givenID is a request id a proxy may have given; anything else is replaced.
var givenID = regexp.MustCompile(`^[A-Za-z0-9._-]{8,64}$`)

// quiet are the calls that every visitor's page makes every few seconds and that
// are answered from memory: they are counted, and not worth a line each.
var quiet = map[string]bool{"/api/public/prices": true, "/api/exchange-rates": true, "/api/public/price-history": true}

// observed gives the request its id, writes one line of log when it is over,
// and counts it. The line has the route, never the path's ids or the query.
func (s *Server) observed(c *gin.Context) {
	begin := time.Now()
	id := c.GetHeader("X-Request-Id")
	if !s.fromProxy(c.Request) || !givenID.MatchString(id) {
		id = rand.Text()
	}
	c.Header("X-Request-Id", id)
	c.Request = c.Request.WithContext(context.WithValue(c.Request.Context(), requestKey{}, request{id: id, ip: addressKey(c.ClientIP()), in: c.Request, language: s.languages().ofCall(c.Request), caller: new(string)}))
	caller := requestOf(c.Request.Context()).caller
	c.Next()
	took := time.Since(begin)
	if s.Metrics != nil {
		s.Metrics.Request(c.Request.Method, c.FullPath(), c.Writer.Status(), took)
	}
	if c.FullPath() == "/healthz" || c.FullPath() == "/readyz" {
		return
	}
	level := slog.LevelInfo
	if quiet[c.FullPath()] && c.Writer.Status() == http.StatusOK {
		level = slog.LevelDebug
	}
	if !s.Log.Enabled(c.Request.Context(), level) {
		return
	}
	line := []any{"method", c.Request.Method, "route", routeName(c), "status", c.Writer.Status(), "ms", took.Milliseconds(), "request_id", id}
	if c.Writer.Status() >= http.StatusBadRequest && *caller != "" {
		line = append(line, "user", *caller)
	}
	s.Log.Log(c.Request.Context(), level, "request", line...)
}

func routeName(c *gin.Context) string {
	if route := c.FullPath(); route != "" {
		return route
	}
	return "page"
}

// recovered answers 500 when a handler panics, and logs where.
func (s *Server) recovered(c *gin.Context) {
	defer func() {
		reason := recover()
		if reason == nil {
			return
		}
		if err, ok := reason.(error); ok && errors.Is(err, http.ErrAbortHandler) {
			panic(reason)
		}
		s.Log.ErrorContext(c.Request.Context(), "panic", "request_id", requestID(c.Request.Context()),
			"reason", fmt.Sprint(reason), "stack", string(debug.Stack()))
		if !c.Writer.Written() {
			writeProblem(c.Writer, c.Request, problem(http.StatusInternalServerError, "internal", "Something went wrong. Try again."))
		}
		c.Abort()
	}()
	c.Next()
}

// storable reports whether the database can hold a text.
func storable(text string) bool { return utf8.ValidString(text) && !strings.Contains(text, "\x00") }

// legible refuses a call whose address or key no row can hold: nothing of ours
// is called that.
func legible(c *gin.Context) {
	query, err := url.QueryUnescape(c.Request.URL.RawQuery)
	switch {
	case c.FullPath() == "":
	case !storable(c.Request.URL.Path):
		writeProblem(c.Writer, c.Request, notFound())
		c.Abort()
	case err != nil || !storable(query):
		writeProblem(c.Writer, c.Request, problem(http.StatusUnprocessableEntity, "invalid", "The address contains an invalid character"))
		c.Abort()
	case !storable(c.GetHeader("Idempotency-Key")):
		writeProblem(c.Writer, c.Request, fieldProblem("Idempotency-Key", "invalid", "Idempotency-Key contains an invalid character"))
		c.Abort()
	}
}

// apiPolicy is the CSP of everything that is not a page of ours.
const apiPolicy = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

// secured sets the headers every answer carries. Handlers loosen only what
// they must: a page its policy, an asset its caching.
func (s *Server) secured(c *gin.Context) {
	setSecurityHeaders(c.Writer.Header(), s.secure())
	c.Next()
}

// securityHeaders are on every answer, the last under TLS alone. Their values are
// shared by all answers: who changes one sets it anew.
var securityHeaders = []struct {
	name  string
	value []string
}{
	{"Content-Security-Policy", []string{apiPolicy}},
	{"X-Content-Type-Options", []string{"nosniff"}},
	{"X-Frame-Options", []string{"DENY"}},
	{"Referrer-Policy", []string{"strict-origin-when-cross-origin"}},
	{"Cross-Origin-Opener-Policy", []string{"same-origin-allow-popups"}},
	{"Cross-Origin-Resource-Policy", []string{"same-origin"}},
	{"Cache-Control", []string{"no-store"}},
	{"Strict-Transport-Security", []string{"max-age=63072000; includeSubDomains"}},
}

func setSecurityHeaders(h http.Header, tls bool) {
	given := securityHeaders
	if !tls {
		given = given[:len(given)-1]
	}
	for _, header := range given {
		h[header.name] = header.value
	}
}

// addressKey is what limits count by: an IPv4 address, or the /64 an IPv6
// caller can pick addresses from at will.
func addressKey(ip string) string {
	parsed, err := netip.ParseAddr(ip)
	if err != nil {
		return "unknown"
	}
	if parsed = parsed.Unmap(); parsed.Is4() {
		return parsed.String()
	}
	prefix, err := parsed.WithZone("").Prefix(64)
	if err != nil {
		return "unknown"
	}
	return prefix.String()
}

// writeProblem answers outside of huma's handlers.
func writeProblem(w http.ResponseWriter, r *http.Request, p *Problem) {
	for name, values := range p.GetHeaders() {
		w.Header()[name] = values
	}
	language := languageOfCall(r)
	w.Header().Set("Content-Language", language)
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p.in(language))
}
