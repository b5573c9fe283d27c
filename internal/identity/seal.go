package identity

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
)

// Purposes of the keys derived from IDENTITY_SECRET_KEY. A key of one purpose
// opens nothing of another.
const (
	purposeSigningKeys = "identity signing keys"
	purposeCodes       = "identity codes"
	purposeForms       = "identity forms"
	purposeLimits      = "identity limits"
	purposeSignUps     = "identity sign-up codes"
)

// secretBits is the strength of every random token.
const secretBits = 256

// sealer encrypts small values for the database with AES-256-GCM. The first
// key seals; every key opens, so that a key can be replaced while old rows
// stay readable.
type sealer struct{ aeads []cipher.AEAD }

func newSealer(keys [][]byte, purpose string) (*sealer, error) {
	s := &sealer{}
	for _, key := range keys {
		derived, err := derive(key, purpose)
		if err != nil {
			return nil, err
		}
		block, err := aes.NewCipher(derived[:])
		if err != nil {
			return nil, err
		}
		aead, err := cipher.NewGCMWithRandomNonce(block)
		if err != nil {
			return nil, err
		}
		s.aeads = append(s.aeads, aead)
	}
	return s, nil
}

// seal binds plain to place ("table:column:id"): moved to another row it does
// not open.
func (s *sealer) seal(plain []byte, place string) []byte {
	return s.aeads[0].Seal(nil, nil, plain, []byte(place)) //nolint:gosec // the AEAD makes a random nonce itself
}

func (s *sealer) open(sealed []byte, place string) ([]byte, error) {
	for _, aead := range s.aeads {
		if plain, err := aead.Open(nil, nil, sealed, []byte(place)); err == nil {
			return plain, nil
		}
	}
	return nil, fmt.Errorf("IDENTITY_SECRET_KEY: does not open %s", place)
}

// derive makes the 32-byte key of one purpose.
func derive(key []byte, purpose string) ([32]byte, error) {
	var out [32]byte
	derived, err := hkdf.Key(sha256.New, key, nil, purpose, len(out))
	if err != nil {
		return out, errors.New("derive key: " + purpose)
	}
	copy(out[:], derived)
	return out, nil
}

// keyedHash is an HMAC-SHA256 over parts, each closed by a zero byte so that
// no two lists of parts collide.
func keyedHash(key [32]byte, parts ...string) []byte {
	mac := hmac.New(sha256.New, key[:])
	for _, part := range parts {
		mac.Write([]byte(part))
		mac.Write([]byte{0})
	}
	return mac.Sum(nil)
}

// newToken returns 256 random bits for a cookie or a link.
func newToken() string {
	raw := make([]byte, secretBits/8)
	_, _ = rand.Read(raw) // never fails: crypto/rand ends the process instead
	return base64.RawURLEncoding.EncodeToString(raw)
}

// tokenHash is what the database keeps of a token. The token is random, so a
// plain hash is enough.
func tokenHash(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}
