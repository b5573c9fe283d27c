package kraken

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
)

// sign makes the API-Sign header: HMAC-SHA512, keyed with the decoded secret,
// over the path and SHA-256(nonce + body), in base64.
func sign(secret []byte, path, nonce, body string) string {
	digest := sha256.Sum256([]byte(nonce + body))
	mac := hmac.New(sha512.New, secret)
	mac.Write([]byte(path))
	mac.Write(digest[:])
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}
