package secret

import (
	"bytes"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/aead/xchacha20poly1305"
	"github.com/tink-crypto/tink-go/v2/insecuresecretdataaccess"
	"github.com/tink-crypto/tink-go/v2/key"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/prf"
	"github.com/tink-crypto/tink-go/v2/prf/hmacprf"
	"github.com/tink-crypto/tink-go/v2/secretdata"
	"github.com/tink-crypto/tink-go/v2/tink"
)

// KeySize is the size of a master key in bytes.
const KeySize = 32

// Labels under which keys are derived. They are part of every stored value:
// never change one.
const (
	sealLabel  = "tradepost seal v1"
	indexLabel = "tradepost index v1"
)

// Keys are the working keys of one or more master keys.
type Keys struct {
	sealer  tink.AEAD
	current []byte    // prefix of what the current key seals
	indexes []prf.PRF // the current key's first
}

// ParseKeys reads master keys in base64, separated by commas, the current one
// first, as SECRET_KEY holds them. The error never shows a key.
func ParseKeys(text string) (*Keys, error) {
	masters, err := Masters(text)
	if err != nil {
		return nil, err
	}
	return NewKeys(masters...)
}

// Masters reads master keys as ParseKeys does, each as its bytes.
func Masters(text string) ([][]byte, error) {
	var masters [][]byte
	for i, part := range strings.Split(text, ",") {
		raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(part))
		if err != nil || len(raw) != KeySize {
			return nil, fmt.Errorf("key %d is not base64 of %d bytes", i+1, KeySize)
		}
		masters = append(masters, raw)
	}
	return masters, nil
}

// IdentityMasters reads IDENTITY_SECRET_KEY, of whose keys none may be one byte repeated. The error never shows a key.
func IdentityMasters(text string) ([][]byte, error) {
	masters, err := Masters(text)
	if err != nil {
		return nil, errors.New("IDENTITY_SECRET_KEY: must be 32 bytes in base64")
	}
	for _, key := range masters {
		if bytes.Count(key, key[:1]) == len(key) {
			return nil, errors.New("IDENTITY_SECRET_KEY: is not random")
		}
	}
	return masters, nil
}

// NewKeys derives working keys from master keys of KeySize bytes, the current
// one first.
func NewKeys(masters ...[]byte) (*Keys, error) {
	if len(masters) == 0 {
		return nil, errors.New("secret: no key")
	}
	sealing, finding := keyset.NewManager(), keyset.NewManager()
	k := &Keys{}
	for i, master := range masters {
		if len(master) != KeySize {
			return nil, fmt.Errorf("secret: key %d has %d bytes, want %d", i+1, len(master), KeySize)
		}
		if err := k.derive(master, sealing, finding, i == 0); err != nil {
			return nil, fmt.Errorf("secret: key %d: %w", i+1, err)
		}
	}
	return k, k.open(sealing, finding)
}

// derive adds the working keys of one master key.
func (k *Keys) derive(master []byte, sealing, finding *keyset.Manager, primary bool) error {
	sealKey, err := sealKeyOf(master)
	if err != nil {
		return err
	}
	if err := add(sealing, sealKey, primary); err != nil {
		return err
	}
	if primary {
		k.current = sealKey.OutputPrefix()
	}
	indexKey, err := indexKeyOf(master)
	if err != nil {
		return err
	}
	return add(finding, indexKey, primary)
}

func add(m *keyset.Manager, working key.Key, primary bool) error {
	id, err := m.AddKey(working)
	if err == nil && primary {
		err = m.SetPrimary(id)
	}
	return err
}

// sealKeyOf derives the sealing key; its id, which sealed values begin with, is derived
// too, so that every process identifies a key by the same id.
func sealKeyOf(master []byte) (*xchacha20poly1305.Key, error) {
	raw, err := hkdf.Key(sha256.New, master, nil, sealLabel, KeySize)
	if err != nil {
		return nil, err
	}
	params, err := xchacha20poly1305.NewParameters(xchacha20poly1305.VariantTink)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(raw)
	return xchacha20poly1305.NewKey(guarded(raw), binary.BigEndian.Uint32(sum[:4]), params)
}

func indexKeyOf(master []byte) (*hmacprf.Key, error) {
	raw, err := hkdf.Key(sha256.New, master, nil, indexLabel, KeySize)
	if err != nil {
		return nil, err
	}
	params, err := hmacprf.NewParameters(KeySize, hmacprf.SHA256)
	if err != nil {
		return nil, err
	}
	return hmacprf.NewKey(guarded(raw), params)
}

func guarded(raw []byte) secretdata.Bytes {
	return secretdata.NewBytesFromData(raw, insecuresecretdataaccess.Token{})
}

// open makes the primitives of the finished keysets.
func (k *Keys) open(sealing, finding *keyset.Manager) error {
	sealHandle, err := sealing.Handle()
	if err != nil {
		return fmt.Errorf("secret: %w", err)
	}
	if k.sealer, err = aead.New(sealHandle); err != nil {
		return fmt.Errorf("secret: %w", err)
	}
	findHandle, err := finding.Handle()
	if err != nil {
		return fmt.Errorf("secret: %w", err)
	}
	set, err := prf.NewPRFSet(findHandle)
	if err != nil {
		return fmt.Errorf("secret: %w", err)
	}
	k.indexes = append(k.indexes, set.PRFs[set.PrimaryID])
	for id, p := range set.PRFs {
		if id != set.PrimaryID {
			k.indexes = append(k.indexes, p)
		}
	}
	return nil
}
