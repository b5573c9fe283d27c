package identity

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

// Names of our cookies, without the __Host- they get under TLS.
const (
	cookieBrowser = "identity_browser"
	cookieSession = "identity_session"
	hostPrefix    = "__Host-"
)

// browserLifetime is how long a browser is remembered.
const browserLifetime = 400 * 24 * time.Hour

// maxBody bounds every request body, in bytes.
const maxBody = 64 << 10

// guard checks every request of a page: headers, cookies, origin and form token.
type guard struct {
	settings *settings
	formKey  [32]byte
	policy   string
}

func newGuard(s *settings) (*guard, error) {
	key, err := derive(s.keys[0], purposeForms)
	if err != nil {
		return nil, err
	}
	policy := "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; font-src 'self'; base-uri 'none'; " +
		"frame-ancestors 'none'; form-action 'self' " + strings.Join(unique(s.siteHosts), " ")
	return &guard{settings: s, formKey: key, policy: policy}, nil
}

func unique(list []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, item := range list {
		if !seen[item] {
			seen[item] = true
			out = append(out, item)
		}
	}
	return out
}

// headers sets the headers of every answer.
func (g *guard) headers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", g.policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=()")
		h.Set("Cache-Control", "no-store")
		if g.settings.secure {
			h.Set("Strict-Transport-Security", "max-age=63072000; includeSubDomains")
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		next.ServeHTTP(w, r)
	})
}

// browser reads the visit of a request into its context, and gives a new
// browser its cookie.
func (g *guard) browser(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		from := visit{
			texts:   g.textsFor(w, r),
			browser: g.cookie(r, cookieBrowser),
			session: g.cookie(r, cookieSession),
			address: addressKey(g.address(r)),
		}
		if from.browser == "" && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
			from.browser = newToken()
			g.setCookie(w, cookieBrowser, from.browser, browserLifetime)
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), visitKey{}, from)))
	})
}

type visitKey struct{}

// visitOf returns the origin of ctx's request.
func visitOf(ctx context.Context) visit {
	from, _ := ctx.Value(visitKey{}).(visit)
	return from
}

func (g *guard) cookieName(name string) string {
	if g.settings.secure {
		return hostPrefix + name
	}
	return name
}

func (g *guard) cookie(r *http.Request, name string) string {
	found, err := r.Cookie(g.cookieName(name))
	if err != nil || len(found.Value) > 128 {
		return ""
	}
	return found.Value
}

// setCookie sets a cookie; a lifetime of zero or less removes it.
func (g *guard) setCookie(w http.ResponseWriter, name, value string, life time.Duration) {
	age := int(life.Seconds())
	if age <= 0 {
		age = -1
	}
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure wherever the origin is https
		Name: g.cookieName(name), Value: value, Path: "/", MaxAge: age,
		HttpOnly: true, Secure: g.settings.secure, SameSite: http.SameSiteLaxMode,
	})
}

// formToken is the token of this browser's forms: worthless to any other
// browser, and after a sign-in or sign-out.
func (g *guard) formToken(from visit) string {
	return base64.RawURLEncoding.EncodeToString(keyedHash(g.formKey, from.browser, from.session))
}

func (g *guard) validForm(r *http.Request) bool {
	from := visitOf(r.Context())
	if from.browser == "" {
		return false
	}
	given := r.PostFormValue("form_token")
	return subtle.ConstantTimeCompare([]byte(given), []byte(g.formToken(from))) == 1
}

// address is the visitor's: the peer, or, when the peer is a trusted proxy,
// the last address in X-Forwarded-For that is not one.
func (g *guard) address(r *http.Request) netip.Addr {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	peer, err := netip.ParseAddr(host)
	if err != nil {
		return netip.IPv4Unspecified()
	}
	peer = peer.Unmap()
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && g.trusted(peer); i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		peer = hop.Unmap()
	}
	return peer
}

func (g *guard) trusted(addr netip.Addr) bool {
	for _, prefix := range g.settings.proxies {
		if prefix.Contains(addr) {
			return true
		}
	}
	return false
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the peer has disconnected
}
