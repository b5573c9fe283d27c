package secret

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
)

// ErrToken is returned for a token we did not make, or made for something else.
var ErrToken = errors.New("secret: not a valid token")

// maxToken bounds what is read of a token, in bytes.
const maxToken = 4096

// SignToken makes a token that carries payload, readable by anyone, for one
// purpose. What must expire says so in its payload.
func (k *Keys) SignToken(purpose string, payload []byte) string {
	return encode(payload) + "." + encode(tokenMAC(k.tokens[0], purpose, payload))
}

// OpenToken gives the payload of a token made by SignToken for this purpose.
func (k *Keys) OpenToken(purpose, token string) ([]byte, error) {
	left, right, found := strings.Cut(token, ".")
	if !found || len(token) > maxToken {
		return nil, ErrToken
	}
	payload, err := decode(left)
	if err != nil {
		return nil, ErrToken
	}
	given, err := decode(right)
	if err != nil {
		return nil, ErrToken
	}
	for _, working := range k.tokens {
		if hmac.Equal(given, tokenMAC(working, purpose, payload)) {
			return payload, nil
		}
	}
	return nil, ErrToken
}

func tokenMAC(working []byte, purpose string, payload []byte) []byte {
	mac := hmac.New(sha256.New, working)
	mac.Write(scoped(purpose, payload))
	return mac.Sum(nil)
}

func encode(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }

func decode(text string) ([]byte, error) { return base64.RawURLEncoding.Strict().DecodeString(text) }
