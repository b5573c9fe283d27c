package config

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
)

// Seals is what the audit log is sealed with, and where copies of the seals are kept.
type Seals struct {
	Key   string `name:"audit-seal-key" env:"AUDIT_SEAL_KEY" make:"key" help:"Base64 of 32 random bytes, the key of the audit log's seals; of several with commas between them the first seals, and each verifies."`
	URL   string `name:"audit-seals-url" env:"AUDIT_SEALS_URL" help:"Bucket that a copy of each seal is kept in, such as s3://seals; FILES_URL unless set."`
	Files string `name:"seals-files-url" env:"FILES_URL" hidden:""`
}

// Check implements Group.
func (s *Seals) Check(mode Mode) error {
	if s.Key == "" && !mode.Strict() {
		return nil
	}
	if _, err := s.keys(); err != nil {
		return err
	}
	var err error
	if s.URL, err = bucketURL(s.Bucket()); err != nil {
		return errors.New("AUDIT_SEALS_URL, or FILES_URL, must be a bucket such as s3://seals")
	}
	return nil
}

// Bucket is where copies are kept.
func (s *Seals) Bucket() string { return cmp.Or(s.URL, s.Files) }

// Keys are the keys; Check has made sure of their form.
func (s *Seals) Keys() [][]byte {
	keys, _ := s.keys()
	return keys
}

func (s *Seals) keys() (keys [][]byte, err error) {
	const size = 32
	for part := range strings.SplitSeq(s.Key, ",") {
		key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(part))
		if err != nil || len(key) != size {
			return nil, fmt.Errorf("AUDIT_SEAL_KEY must be base64 of exactly %d bytes", size)
		}
		keys = append(keys, key)
	}
	return keys, nil
}
