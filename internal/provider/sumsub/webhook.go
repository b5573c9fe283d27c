package sumsub

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"hash"
	"net/http"
	"strings"
	"time"

	"github.com/tradepost/tradepost/internal/provider"
)

// Verifier checks Sumsub's webhook digests; it implements
// provider.WebhookVerifier.
type Verifier struct{ secret []byte }

var _ provider.WebhookVerifier = Verifier{}

// NewVerifier makes a verifier with the webhook's own secret key.
func NewVerifier(secret string) Verifier { return Verifier{[]byte(secret)} }

// algorithms are those a webhook may be signed with. SHA-1 is offered by Sumsub and left
// out: the header must not be able to weaken the check.
var algorithms = map[string]func() hash.Hash{
	"HMAC_SHA256_HEX": sha256.New,
	"HMAC_SHA512_HEX": sha512.New,
}

// notice is the part of a body that is read.
type notice struct {
	Type           string `json:"type"`
	CorrelationID  string `json:"correlationId"`
	CreatedAt      string `json:"createdAtMs"`
	ExternalUserID string `json:"externalUserId"`
	ApplicantID    string `json:"applicantId"`
}

// Verify accepts a body whose digest the headers hold. Sumsub repeats webhooks for a day,
// so age is no reason to refuse one; a repetition has the same type, correlation id and
// time, which together are the event's id.
func (v Verifier) Verify(header http.Header, body []byte, now time.Time) (provider.WebhookEvent, error) {
	newHash, allowed := algorithms[header.Get("X-Payload-Digest-Alg")]
	given, err := hex.DecodeString(header.Get("X-Payload-Digest"))
	if !allowed || err != nil || len(v.secret) == 0 {
		return provider.WebhookEvent{}, provider.ErrBadSignature
	}
	mac := hmac.New(newHash, v.secret)
	mac.Write(body)
	if !hmac.Equal(given, mac.Sum(nil)) {
		return provider.WebhookEvent{}, provider.ErrBadSignature
	}
	var n notice
	if json.Unmarshal(body, &n) != nil || n.Type == "" || n.ExternalUserID == "" {
		return provider.WebhookEvent{}, &provider.Error{
			Class: provider.Refused, Provider: providerName, Operation: "webhook", Code: "unreadable_event",
		}
	}
	out := provider.WebhookEvent{
		ID:      strings.Join([]string{n.Type, n.ApplicantID, n.CorrelationID, n.CreatedAt}, "|"),
		Type:    n.Type,
		Subject: n.ExternalUserID,
		At:      parseDate(n.CreatedAt),
	}
	if out.At.IsZero() {
		out.At = now
	}
	return out, nil
}

// SignedHeader is what Sumsub sends with a body that it signs.
func SignedHeader(secret string, body []byte) http.Header {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return http.Header{"X-Payload-Digest-Alg": {"HMAC_SHA256_HEX"}, "X-Payload-Digest": {hex.EncodeToString(mac.Sum(nil))}}
}
