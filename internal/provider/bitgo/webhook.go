package bitgo

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"time"

	"github.com/tradepost/tradepost/internal/provider"
)

// Verifier checks BitGo's webhook signatures; it implements
// provider.WebhookVerifier.
type Verifier struct{ secret []byte }

var _ provider.WebhookVerifier = Verifier{}

// NewVerifier makes a verifier with the webhook secret.
func NewVerifier(secret string) Verifier { return Verifier{[]byte(secret)} }

// notice is the part of a body that is read.
type notice struct {
	Type            string `json:"type"`
	Transfer        string `json:"transfer"`
	PendingApproval string `json:"pendingApprovalId"`
	Hash            string `json:"hash"`
	UpdatedAt       string `json:"updatedAt"`
}

// Verify accepts a body whose HMAC the x-signature-sha256 header holds. BitGo signs no time
// and gives webhooks no id: the id is the body's own hash, so that a repetition is
// recognised.
func (v Verifier) Verify(header http.Header, body []byte, now time.Time) (provider.WebhookEvent, error) {
	given, err := hex.DecodeString(header.Get("X-Signature-Sha256"))
	mac := hmac.New(sha256.New, v.secret)
	mac.Write(body)
	if err != nil || len(v.secret) == 0 || !hmac.Equal(given, mac.Sum(nil)) {
		return provider.WebhookEvent{}, provider.ErrBadSignature
	}
	var n notice
	if json.Unmarshal(body, &n) != nil || n.Type == "" {
		return provider.WebhookEvent{}, refuse("webhook", "unreadable_event", "")
	}
	sum := sha256.Sum256(body)
	out := provider.WebhookEvent{ID: hex.EncodeToString(sum[:]), Type: n.Type, Subject: n.subject(), At: now}
	if at, err := time.Parse(time.RFC3339, n.UpdatedAt); err == nil {
		out.At = at
	}
	return out, nil
}

func (n notice) subject() string {
	switch {
	case n.Transfer != "":
		return n.Transfer
	case n.PendingApproval != "":
		return n.PendingApproval
	}
	return n.Hash
}
