package store

import (
	"crypto/rand"

	"github.com/google/uuid"
)

// NewID makes an id that sorts by the time it was made (UUID version 7).
func NewID() string { return uuid.Must(uuid.NewV7()).String() }

// Crockford is Crockford's base 32: no I, L, O or U to misread.
const Crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// Reference makes a short public reference behind a prefix.
func Reference(prefix string) string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	for i := range b {
		b[i] = Crockford[b[i]&31]
	}
	return prefix + string(b[:4]) + "-" + string(b[4:])
}

// SomeID is an id to store, or nothing.
func SomeID(id string) any {
	if !IsID(id) {
		return nil
	}
	return id
}
