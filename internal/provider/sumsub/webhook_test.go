package sumsub

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tradepost/tradepost/internal/provider"
)

// The vector of Sumsub's scheme.
const (
	hookSecret = "sumsub-lab-webhook-secret"
	hookBody   = `{"applicantId":"66f0000000000000000000a1","inspectionId":"66f0000000000000000000a2","correlationId":"req-00000000-0000-4000-8000-000000000001","levelName":"basic-kyc-level","externalUserId":"cust_0001","type":"applicantReviewed","sandboxMode":true,"reviewStatus":"completed","createdAtMs":"2025-06-15 15:06:40.000","applicantType":"individual","reviewResult":{"reviewAnswer":"GREEN"},"clientId":"lab"}`
	sha1Hex    = "d25f7249cf4f77508391be950914bbce4b30f42f"
	sha256Hex  = "2957c77d700abcf944aa64661924ceaf1175d5a78e40bce36e558c66ca95c64e"
	sha512Hex  = "780ea8d639fbcb37396be3bb16cd2364a9dd4dc09b5685da274a290c1841038114e766b763456ea4c376e25abb680181ec480f2d3dc8497fb05feac0fe1237ae"
)

func verify(secret, algorithm, digest, body string) (provider.WebhookEvent, error) {
	header := http.Header{}
	header.Set("X-Payload-Digest-Alg", algorithm)
	header.Set("X-Payload-Digest", digest)
	return NewVerifier(secret).Verify(header, []byte(body), time.Unix(1800000000, 0))
}

func TestWebhookVectors(t *testing.T) {
	want := provider.WebhookEvent{
		ID:      "applicantReviewed|66f0000000000000000000a1|req-00000000-0000-4000-8000-000000000001|2025-06-15 15:06:40.000",
		Type:    "applicantReviewed",
		Subject: "cust_0001",
		At:      time.Date(2025, 6, 15, 15, 6, 40, 0, time.UTC),
	}
	for algorithm, digest := range map[string]string{"HMAC_SHA256_HEX": sha256Hex, "HMAC_SHA512_HEX": sha512Hex} {
		if got, err := verify(hookSecret, algorithm, digest, hookBody); err != nil || got != want {
			t.Errorf("%s: %+v, %v", algorithm, got, err)
		}
	}
}

func TestForgedAndWeakNoticesAreRefused(t *testing.T) {
	for name, c := range map[string][4]string{
		"SHA-1":        {hookSecret, "HMAC_SHA1_HEX", sha1Hex, hookBody},
		"no algorithm": {hookSecret, "", sha256Hex, hookBody},
		"mislabelled":  {hookSecret, "HMAC_SHA512_HEX", sha256Hex, hookBody},
		"altered":      {hookSecret, "HMAC_SHA256_HEX", sha256Hex, strings.Replace(hookBody, "0001\"", "0002\"", 1)},
		"other secret": {"another", "HMAC_SHA256_HEX", sha256Hex, hookBody},
		"no secret":    {"", "HMAC_SHA256_HEX", sha256Hex, hookBody},
		"no digest":    {hookSecret, "HMAC_SHA256_HEX", "", hookBody},
		"short":        {hookSecret, "HMAC_SHA256_HEX", sha256Hex[:62], hookBody},
		"not hex":      {hookSecret, "HMAC_SHA256_HEX", strings.Repeat("z", 64), hookBody},
	} {
		if _, err := verify(c[0], c[1], c[2], c[3]); !errors.Is(err, provider.ErrBadSignature) {
			t.Errorf("%s: %v", name, err)
		}
	}
	mac := hmac.New(sha256.New, []byte(hookSecret))
	mac.Write([]byte(`{"type":"applicantReviewed"}`))
	_, err := verify(hookSecret, "HMAC_SHA256_HEX", hex.EncodeToString(mac.Sum(nil)), `{"type":"applicantReviewed"}`)
	if provider.ClassOf(err) != provider.Refused {
		t.Errorf("signed, about nobody: %v", err)
	}
}
