package local

import (
	"bufio"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// holders maps each process to its secrets. The sandbox simulates all providers and so has
// each one's secrets.
var holders = map[string][]string{
	"postgres": {"POSTGRES_PASSWORD", "OWNER_PASSWORD", "APP_PASSWORD", "IDENTITY_PASSWORD",
		"API_PASSWORD", "CORE_PASSWORD", "PAYMENTS_PASSWORD", "EXCHANGE_PASSWORD", "CUSTODY_PASSWORD", "OPERATOR_PASSWORD"},
	"identity": {"IDENTITY_SECRET_KEY", "OIDC_CLIENT_SECRET"},
	"sandbox": {"STRIPE_KEY", "STRIPE_WEBHOOK_SECRET", "KRAKEN_KEY", "KRAKEN_SECRET", "BITGO_TOKEN", "BITGO_PASSPHRASE",
		"BITGO_WEBHOOK_SECRET", "SUMSUB_APP_TOKEN", "SUMSUB_SECRET", "SUMSUB_WEBHOOK_SECRET",
		"KRAKEN_KEY_UNLIMITED", "KRAKEN_SECRET_UNLIMITED", "BITGO_TOKEN_UNLIMITED"},
	"api": {"SECRET_KEY", "OIDC_CLIENT_SECRET", "STRIPE_WEBHOOK_SECRET", "BITGO_WEBHOOK_SECRET",
		"SUMSUB_APP_TOKEN", "SUMSUB_SECRET", "SUMSUB_WEBHOOK_SECRET"},
	"core":     {"SUMSUB_APP_TOKEN", "SUMSUB_SECRET", "OIDC_CLIENT_SECRET", "AUDIT_SEAL_KEY"},
	"payments": {"STRIPE_KEY"},
	"exchange": {"KRAKEN_KEY", "KRAKEN_SECRET"},
	"custody":  {"BITGO_TOKEN", "BITGO_PASSPHRASE"},
}

// secrets are the values of this data folder by name.
type secrets map[string]string

// loadSecrets reads the files of an earlier run, makes what is missing, and
// writes one file a process that only its owner may read.
func loadSecrets(dir string) (secrets, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	s := secrets{}
	for process := range holders {
		if err := s.read(filepath.Join(dir, process)); err != nil {
			return nil, err
		}
	}
	for process, names := range holders {
		var text strings.Builder
		for _, name := range names {
			if s[name] == "" {
				s[name] = newSecret(name)
			}
			fmt.Fprintf(&text, "%s=%s\n", name, s[name])
		}
		if err := writeSecret(filepath.Join(dir, process), text.String()); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s secrets) read(path string) error {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if name, value, ok := strings.Cut(lines.Text(), "="); ok {
			s[name] = value
		}
	}
	return lines.Err()
}

// writeSecret replaces a file in one step, so that a crash leaves no incomplete one.
func writeSecret(path, text string) error {
	side := path + ".new"
	if err := os.WriteFile(side, []byte(text), 0o600); err != nil {
		return err
	}
	return os.Rename(side, path)
}

// newSecret makes a value in the form its reader expects: base64 keys, the
// providers' own prefixes, else random letters. "demo" in the providers' keys
// is what makes a process in production mode refuse them.
func newSecret(name string) string {
	random := make([]byte, 32)
	_, _ = rand.Read(random) // never fails
	text := hex.EncodeToString(random)
	switch {
	case slices.Contains([]string{"SECRET_KEY", "AUDIT_SEAL_KEY", "IDENTITY_SECRET_KEY", "KRAKEN_SECRET", "KRAKEN_SECRET_UNLIMITED"}, name):
		return base64.StdEncoding.EncodeToString(random)
	case name == "STRIPE_KEY":
		return "sk_test_demo" + text
	case name == "STRIPE_WEBHOOK_SECRET":
		return "whsec_demo" + text
	case name == "SUMSUB_APP_TOKEN":
		return "sbx:demo" + text
	case strings.HasSuffix(name, "_PASSWORD"):
		return text
	default:
		return "demo-" + text
	}
}
