package rest

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"net/http"
	"time"
)

// Cookies makes and reads the site's cookies.
type Cookies struct {
	Secure bool // browsers reach the site over TLS
}

// Speaks makes the cookie of a language; nil when none was chosen.
func (k *Cookies) Speaks(code string) []http.Cookie {
	if code == "" {
		return nil
	}
	//nolint:gosec // Secure follows the site's own scheme; the pages set this cookie too, so it is not HttpOnly
	return []http.Cookie{{Name: LanguageCookie, Value: code, Path: "/", Secure: k.Secure, SameSite: http.SameSiteLaxMode, MaxAge: int(languageKnown.Seconds())}}
}

// CookieOf reads one of our cookies of the request being served.
func (k *Cookies) CookieOf(ctx context.Context, name string) string {
	in := RequestOf(ctx).In
	if in == nil {
		return ""
	}
	cookie, err := in.Cookie(k.cookieName(name))
	if err != nil {
		return ""
	}
	return cookie.Value
}

// SessionCookie names the cookie of a session. Under TLS each cookie carries the __Host-
// prefix: set by us, for this host alone, for the whole site.
const SessionCookie = "session"

func (k *Cookies) cookieName(name string) string {
	if k.Secure {
		return "__Host-" + name
	}
	return name
}

// Cookie makes one of our cookies; an empty value removes it.
func (k *Cookies) Cookie(name, value string, life time.Duration) http.Cookie {
	//nolint:gosec // Secure follows the site's own scheme: plain http only in local mode
	c := http.Cookie{Name: k.cookieName(name), Value: value, Path: "/", HttpOnly: true, Secure: k.Secure,
		SameSite: http.SameSiteLaxMode, MaxAge: int(life.Seconds())}
	if value == "" {
		c.MaxAge = -1
	}
	return c
}

// NewToken is 256 random bits as text.
func NewToken() string { return rand.Text() + rand.Text() }

// HashToken is how a token is kept: the token itself is only in the browser.
func HashToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}
