package identity

import "github.com/alexedwards/argon2id"

// HashAsTyped is the hash of a password as earlier versions stored it.
func HashAsTyped(password string) (string, error) { return argon2id.CreateHash(password, hashing) }
