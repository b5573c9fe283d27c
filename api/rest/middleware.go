package rest

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/gin-gonic/gin"

	"github.com/tradepost/tradepost/internal/telemetry"
	"github.com/tradepost/tradepost/models/store"
)

// Middleware is what every request passes, of the API and of pages alike.
type Middleware struct {
	DB             *store.DB
	Log            *slog.Logger
	Metrics        *telemetry.Metrics
	Clock          *Clock
	TrustedProxies []string
	Secure         bool // browsers reach the site over TLS
	Languages      Languages
}

// request is what inner handlers know of the request they serve.
type request struct {
	id string
	IP string // the caller's address, as the trusted proxies report it
	In *http.Request
	// language is what a person is answered in.
	Language string
	// route is the path's pattern, without ids.
	route string
	// caller is the id of the session's user, once identified: the log names it for refused
	// requests.
	caller *string
}

type requestKey struct{}

// RequestOf is what is known of the request being served.
func RequestOf(ctx context.Context) request {
	r, _ := ctx.Value(requestKey{}).(request)
	return r
}

// HeaderOf reads a header of the request being served.
func HeaderOf(ctx context.Context, name string) string {
	if in := RequestOf(ctx).In; in != nil {
		return strings.ToValidUTF8(in.Header.Get(name), "")
	}
	return ""
}

// RequestID is the id of the request being served.
func RequestID(ctx context.Context) string { return RequestOf(ctx).id }

// fromProxy reports whether a request comes from one of our proxies.
func (m *Middleware) fromProxy(r *http.Request) bool {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return false
	}
	for _, proxy := range m.TrustedProxies {
		if one, err := netip.ParseAddr(proxy); err == nil && one.Unmap() == from.Addr().Unmap() {
			return true
		}
		if many, err := netip.ParsePrefix(proxy); err == nil && many.Contains(from.Addr().Unmap()) {
			return true
		}
	}
	return false
}

// givenID is the form of a proxy's request id that a line of log may repeat.
var givenID = regexp.MustCompile(`^[A-Za-z0-9._-]{8,64}$`)

// quiet are the calls that every visitor's page makes every few seconds and that
// are answered from memory: they are counted, and not worth a line each.
var quiet = map[string]bool{"/api/public/prices": true, "/api/exchange-rates": true, "/api/public/price-history": true}

// Observed gives the request its id, writes one line of log when it is over,
// and counts it. The line has the route, never the path's ids or the query.
// The id is always ours: it is stored in the audit log, and many proxies pass on the one of
// their client. The line also has the id of a trusted proxy, which finds the line in the
// proxy's own log.
func (m *Middleware) Observed(c *gin.Context) {
	begin := time.Now()
	id := rand.Text()
	c.Header("X-Request-Id", id)
	c.Request = c.Request.WithContext(context.WithValue(c.Request.Context(), requestKey{}, request{id: id, IP: addressKey(c.ClientIP()), In: c.Request, Language: m.Languages.ofCall(c.Request), route: routeName(c), caller: new(string)}))
	caller := RequestOf(c.Request.Context()).caller
	ended := func(int) {}
	if strings.HasPrefix(c.FullPath(), "/api/") && !quiet[c.FullPath()] {
		var ctx context.Context
		ctx, ended = telemetry.RequestSpan(c.Request, c.FullPath(), id)
		c.Request = c.Request.WithContext(ctx)
	}
	c.Next()
	ended(c.Writer.Status())
	took := time.Since(begin)
	if m.Metrics != nil {
		m.Metrics.Request(c.Request.Method, c.FullPath(), c.Writer.Status(), took)
	}
	if c.FullPath() == "/healthz" || c.FullPath() == "/readyz" {
		return
	}
	level := slog.LevelInfo
	if quiet[c.FullPath()] && c.Writer.Status() == http.StatusOK {
		level = slog.LevelDebug
	}
	if !m.Log.Enabled(c.Request.Context(), level) {
		return
	}
	line := []any{"method", c.Request.Method, "route", routeName(c), "status", c.Writer.Status(), "ms", took.Milliseconds(), "request_id", id}
	if given := c.GetHeader("X-Request-Id"); givenID.MatchString(given) && m.fromProxy(c.Request) {
		line = append(line, "proxy_request_id", given)
	}
	if c.Writer.Status() >= http.StatusBadRequest && *caller != "" {
		line = append(line, "user", *caller)
	}
	m.Log.Log(c.Request.Context(), level, "request", line...)
}

func routeName(c *gin.Context) string {
	if route := c.FullPath(); route != "" {
		return route
	}
	return "page"
}

// Recovered answers 500 when a handler panics, and logs where.
func (m *Middleware) Recovered(c *gin.Context) {
	defer func() {
		reason := recover()
		if reason == nil {
			return
		}
		if err, ok := reason.(error); ok && errors.Is(err, http.ErrAbortHandler) {
			panic(reason)
		}
		m.Log.ErrorContext(c.Request.Context(), "panic", "request_id", RequestID(c.Request.Context()),
			"reason", fmt.Sprint(reason), "stack", string(debug.Stack()))
		if !c.Writer.Written() {
			WriteProblem(c.Writer, c.Request, NewProblem(http.StatusInternalServerError, "internal", "Something went wrong. Try again."))
		}
		c.Abort()
	}()
	c.Next()
}

// givenOnce refuses a parameter of the address that is given more than once, unless the operation declares it as a list:
// two readers of the address need not choose the same one of its values.
func givenOnce(ctx huma.Context) *Problem {
	in := humagin.Unwrap(ctx).Request
	if in.URL.RawQuery == "" {
		return nil
	}
	query := in.URL.Query()
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if len(query[name]) > 1 && !isList(ctx.Operation(), name) {
			return NewProblem(http.StatusBadRequest, "repeated_parameter", "The address contains a parameter more than once").about(name)
		}
	}
	return nil
}

// isList reports whether an operation takes several values of a parameter under its repeated name.
func isList(op *huma.Operation, name string) bool {
	return slices.ContainsFunc(op.Parameters, func(p *huma.Param) bool {
		return p.In == "query" && p.Name == name && p.Schema != nil && p.Schema.Type == huma.TypeArray && (p.Explode == nil || *p.Explode)
	})
}

// Once is a parameter of a page's address, or empty when it is given more than once.
func Once(c *gin.Context, name string) string {
	if values := c.QueryArray(name); len(values) == 1 {
		return values[0]
	}
	return ""
}

// Storable reports whether the database can hold a text.
func Storable(text string) bool { return utf8.ValidString(text) && !strings.Contains(text, "\x00") }

// Legible refuses a call whose path or key no row can store: no object has such a name.
func Legible(c *gin.Context) {
	query, err := url.QueryUnescape(c.Request.URL.RawQuery)
	switch {
	case c.FullPath() == "":
	case !Storable(c.Request.URL.Path):
		WriteProblem(c.Writer, c.Request, NotFound())
		c.Abort()
	case err != nil || !Storable(query):
		WriteProblem(c.Writer, c.Request, NewProblem(http.StatusUnprocessableEntity, "invalid", "The address contains an invalid character"))
		c.Abort()
	case !Storable(c.GetHeader("Idempotency-Key")):
		WriteProblem(c.Writer, c.Request, FieldProblem("Idempotency-Key", "invalid", "Idempotency-Key contains an invalid character"))
		c.Abort()
	}
}

// apiPolicy is the CSP of everything that is not a page of ours.
const apiPolicy = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

// Secured sets the headers every answer carries. Handlers relax only what they need to: a
// page its policy, an asset its caching.
func (m *Middleware) Secured(c *gin.Context) {
	setSecurityHeaders(c.Writer.Header(), m.Secure)
	c.Next()
}

// securityHeaders are on every answer, the last under TLS alone. Their values are shared by
// all answers: a handler that changes one replaces it.
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

// WriteProblem answers outside of huma's handlers.
func WriteProblem(w http.ResponseWriter, r *http.Request, p *Problem) {
	for name, values := range p.GetHeaders() {
		w.Header()[name] = values
	}
	language := languageOfCall(r)
	w.Header().Set("Content-Language", language)
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p.in(language))
}
