package secret

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/tink-crypto/tink-go/v2/prf"
)

// ErrSealed is returned for what cannot be opened: sealed with another key,
// for another place, or altered.
var ErrSealed = errors.New("secret: cannot be opened")

// Place is where a sealed value is stored.
type Place struct{ Table, Column, ID string }

// associated binds a value to its place. The parts are separated by a colon,
// which names of tables and columns never contain.
func (p Place) associated() []byte {
	return []byte(strings.Join([]string{p.Table, p.Column, p.ID}, ":"))
}

// Seal encrypts a value for its place.
func (k *Keys) Seal(at Place, plain []byte) ([]byte, error) {
	sealed, err := k.sealer.Encrypt(plain, at.associated())
	if err != nil {
		return nil, fmt.Errorf("secret: seal: %w", err)
	}
	return sealed, nil
}

// Open decrypts a value read from its place.
func (k *Keys) Open(at Place, sealed []byte) ([]byte, error) {
	plain, err := k.sealer.Decrypt(sealed, at.associated())
	if err != nil {
		return nil, ErrSealed
	}
	return plain, nil
}

// Stale reports that a value was sealed with an earlier key, so that a
// rotation should open and seal it again.
func (k *Keys) Stale(sealed []byte) bool { return !bytes.HasPrefix(sealed, k.current) }

// Current is what everything begins with that the current key seals, and nothing that another one does.
func (k *Keys) Current() []byte { return bytes.Clone(k.current) }

// indexSize is the size of a blind index in bytes.
const indexSize = 32

// Index makes the blind index of a value, by which it can be found without
// being readable. Equal values in different domains have different indexes.
func (k *Keys) Index(domain string, value []byte) ([]byte, error) {
	return computeIndex(k.indexes[0], domain, value)
}

func computeIndex(p prf.PRF, domain string, value []byte) ([]byte, error) {
	out, err := p.ComputePRF(scoped(domain, value), indexSize)
	if err != nil {
		return nil, fmt.Errorf("secret: index: %w", err)
	}
	return out, nil
}

// Indexes makes the blind indexes of a value under every key, the current one first: a
// lookup during a rotation matches any of them.
func (k *Keys) Indexes(domain string, value []byte) ([][]byte, error) {
	out := make([][]byte, 0, len(k.indexes))
	for _, p := range k.indexes {
		index, err := computeIndex(p, domain, value)
		if err != nil {
			return nil, err
		}
		out = append(out, index)
	}
	return out, nil
}

// scoped joins a purpose and a value unambiguously.
func scoped(purpose string, value []byte) []byte {
	return append([]byte(fmt.Sprintf("%d:%s:", len(purpose), purpose)), value...)
}
