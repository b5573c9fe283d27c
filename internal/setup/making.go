package setup

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"fmt"

	"golang.org/x/crypto/bcrypt"
)

// made fills in a setting that nobody is asked for. operators is set once the operators' password is made.
func (s *session) made(of setting) error {
	raw := make([]byte, 32)
	_, _ = rand.Read(raw) // never fails
	switch of.filling {
	case "key":
		s.values[of.name] = base64.StdEncoding.EncodeToString(raw)
	case "password":
		s.values[of.name] = hex.EncodeToString(raw[:24])
	case "version":
		s.values[of.name] = s.options.Version
	case "hash":
		s.operators = hex.EncodeToString(raw[:12])
		hash, err := bcrypt.GenerateFromPassword([]byte(s.operators), bcrypt.DefaultCost)
		if err != nil {
			return err
		}
		s.values[of.name] = string(hash)
	default:
		return fmt.Errorf("%s is declared with make:%q, which nothing makes", of.name, of.filling)
	}
	s.fresh = append(s.fresh, of.name)
	return nil
}
