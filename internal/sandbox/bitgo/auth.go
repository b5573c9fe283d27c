package bitgo

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// HMAC is hex HMAC-SHA256 of the parts joined by "|", the one construction
// behind BitGo's request and response signatures.
func HMAC(token string, parts ...string) string {
	mac := hmac.New(sha256.New, []byte(token))
	mac.Write([]byte(strings.Join(parts, "|")))
	return hex.EncodeToString(mac.Sum(nil))
}

// TokenHash is what BitGo's own client sends in place of the token.
func TokenHash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// WebhookSignature is the x-signature-sha256 of a webhook body.
func WebhookSignature(secret string, body []byte) string {
	return HMAC(secret, string(body))
}

// user is whom a token belongs to. Signed is set when the request came with the
// client's signature: then the answer is signed as well.
type user struct {
	ID, Token string
	Unlimited bool
	Signed    bool
	Version   string // of the signature: "2.0" or "3.0"
}

// authenticate accepts the plain token, as Express accepts it, or its hash with a signature
// over timestamp, path and body, as BitGo's client sends it.
func (s *Simulator) authenticate(r *http.Request, body []byte) (user, *problem) {
	scheme, bearer, found := strings.Cut(r.Header.Get("Authorization"), " ")
	if !found || !strings.EqualFold(scheme, "Bearer") {
		return user{}, unauthorized("unauthorized")
	}
	for _, u := range s.users {
		if hmac.Equal([]byte(bearer), []byte(u.Token)) {
			return u, nil
		}
		if !hmac.Equal([]byte(bearer), []byte(TokenHash(u.Token))) {
			continue
		}
		u.Signed, u.Version = true, r.Header.Get("BitGo-Auth-Version")
		if !hmac.Equal([]byte(u.requestHMAC(r, body)), []byte(r.Header.Get("HMAC"))) {
			return u, unauthorized("invalid HMAC")
		}
		return u, nil
	}
	return user{}, unauthorized("invalid token")
}

func (u user) requestHMAC(r *http.Request, body []byte) string {
	at := r.Header.Get("Auth-Timestamp")
	if u.Version == "3.0" {
		return HMAC(u.Token, r.Method, at, "3.0", r.RequestURI, string(body))
	}
	return HMAC(u.Token, at, r.RequestURI, string(body))
}

// signAnswer sets the headers BitGo's client verifies. Their time is the wall
// clock's: the client refuses answers more than minutes old or ahead.
func (u user) signAnswer(header http.Header, r *http.Request, status int, body []byte) {
	if !u.Signed {
		return
	}
	at := strconv.FormatInt(time.Now().UnixMilli(), 10)
	header.Set("Timestamp", at)
	if u.Version == "3.0" {
		header.Set("Hmac", HMAC(u.Token, r.Method, at, r.RequestURI, strconv.Itoa(status), string(body)))
		return
	}
	header.Set("Hmac", HMAC(u.Token, at, r.RequestURI, strconv.Itoa(status), string(body)))
}
