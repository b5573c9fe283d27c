package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tradepost/tradepost/internal/envfile"
	"github.com/tradepost/tradepost/internal/provider/stripe/events"
)

// The public names: Caddy makes certificates of its own authority for .internal.
const (
	siteHost     = "shop.tradepost.internal"
	identityHost = "id.tradepost.internal"
)

// outside are the names that browsers find at the world instead of the internet.
var outside = []string{"checkout.stripe.com", "in.sumsub.com"}

// walletsOf are the wallets at BitGo: as BITGO_WALLETS has them, and by the names that its test environment gives their coins.
var walletsOf = map[string]string{"production": wallets, "staging": strings.NewReplacer("trx:", "ttrx:", "btc=", "tbtc4=", "eth=", "hteth=",
	",usd", ",hteth:tusd").Replace(wallets)}

// composeFiles are COMPOSE_FILE.
var composeFiles = map[string]string{
	"production": "docker-compose.yml:docker-compose.secrets.yml",
	"staging":    "docker-compose.yml:docker-compose.secrets.yml:docker-compose.staging.yml",
}

// withdrawals are the names of our wallets at Kraken, whose simulator in a rehearsal knows none.
var withdrawals = map[string]string{"production": "btc=tradepost-btc,eth=tradepost-eth,usdt=tradepost-usdt,usdc=tradepost-usdc"}

const wallets = "btc=5f1e00000000000000000000000000b1,eth=5f1e00000000000000000000000000e1,usdt=5f1e00000000000000000000000000d1," +
	"usdc=5f1e00000000000000000000000000c1,trx:usdt=5f1e00000000000000000000000000d2,trx:usdc=5f1e00000000000000000000000000c2"

// discarded is the bcrypt hash of 32 random bytes that were not kept.
const discarded = "$2a$14$yDZZc6uea9yaECUsU/rMXe0LrKsSKrxnSj21EpHwfjvn3gg1p2yQq"

var setting = regexp.MustCompile(`(?m)^([A-Z_]+)=(.*)$`)

// values are .env as an operator has it who fills in deploy/env.example and moves the secrets into files.
func (w workshop) values(ctx context.Context, release string) (map[string]string, error) {
	given, err := w.filledIn(release)
	if err != nil {
		return nil, err
	}
	var text strings.Builder
	for name, value := range given {
		fmt.Fprintf(&text, "%s=%s\n", name, value)
	}
	file := filepath.Join(w.folder, ".env")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		return nil, err
	}
	script, err := filepath.Abs(filepath.Join(w.root, "deploy", "secrets.sh"))
	if err != nil {
		return nil, err
	}
	if err := run(ctx, w.folder, nil, "sh", script); err != nil {
		return nil, err
	}
	left, err := os.ReadFile(file)
	for _, line := range setting.FindAllStringSubmatch(string(left), -1) {
		given[line[1]] = line[2]
	}
	return given, err
}

// filledIn is deploy/env.example with secrets that are made up.
func (w workshop) filledIn(release string) (map[string]string, error) {
	example, err := os.ReadFile(filepath.Join(w.root, "deploy", "env.example"))
	if err != nil {
		return nil, err
	}
	given := map[string]string{
		"TRADEPOST_VERSION": release, "SITE_HOST": siteHost, "IDENTITY_HOST": identityHost, "OPERATORS_PASSWORD_HASH": discarded,
		"FILES_URL": "file:///files?metadata=skip&no_tmp_dir=true", "RECIPIENTS_FILE": filepath.Join(w.root, "api", "order", "recipients_demo.json"),
		"LEGAL_DIR": filepath.Join(w.folder, "legal"), "SUPPORT_EMAIL": "help@tradepost.test", "BACKUP_URL": "file:///backups?metadata=skip&no_tmp_dir=true", "BACKUP_ACCESS_KEY_ID": "drill", "ADMIN_SINGLE_FACTOR": "true",
		"SMTP_URL": "smtps://mail.tradepost.internal:465", "MAIL_FROM": "Tradepost <no-reply@tradepost.test>", "BITGO_WALLETS": wallets,
		"KRAKEN_WITHDRAW_KEYS": withdrawals[w.mode], "API_REPLICAS": "2", "EDGE_IPV6": strconv.FormatBool(exists("/proc/net/if_inet6")),
		"COMPOSE_FILE": composeFiles[w.mode], "WORLD_WALLETS": walletsOf[w.mode],
		"DRILL_FOLDER": w.folder, "SECRETS_DIR": filepath.Join(w.folder, "secrets"), "STRIPE_EVENTS": strings.Join(events.Acted, ","),
	}
	for _, line := range setting.FindAllStringSubmatch(string(example), -1) {
		name, value := line[1], line[2]
		if given[name] != "" {
			continue
		}
		if value == "" && (strings.HasSuffix(name, "_PASSWORD") || slices.Contains(envfile.Secrets, name)) {
			value = begins[w.mode][name] + invented(name)
		}
		given[name] = value
	}
	return given, nil
}

// begins are the beginnings of credentials that say whether they are live.
var begins = map[string]map[string]string{
	"production": {"STRIPE_KEY": "sk_live_", "SUMSUB_APP_TOKEN": "prd:"},
	"staging":    {"STRIPE_KEY": "sk_test_", "SUMSUB_APP_TOKEN": "sbx:"},
}

// invented is a secret in the form that its reader expects.
func invented(name string) string {
	random := make([]byte, 32)
	_, _ = rand.Read(random) // never fails
	text := hex.EncodeToString(random)
	switch name {
	case "SECRET_KEY", "AUDIT_SEAL_KEY", "IDENTITY_SECRET_KEY", "BACKUP_KEY", "KRAKEN_SECRET":
		return base64.StdEncoding.EncodeToString(random)
	}
	return text
}

// legal makes texts in force of the samples, which production refuses.
func (w workshop) legal() error {
	samples, err := filepath.Glob(filepath.Join(w.root, "internal", "legal", "samples", "*.md"))
	if err != nil {
		return err
	}
	dir := filepath.Join(w.folder, "legal")
	err = os.MkdirAll(dir, 0o755)
	for _, sample := range samples {
		text, bad := os.ReadFile(sample)
		err = errors.Join(err, bad, os.WriteFile(filepath.Join(dir, filepath.Base(sample)), bytes.Replace(text, []byte("sample: true\n"), nil, 1), 0o644))
	}
	return err
}

// authority makes the authority that signs for the public names and for the world: Caddy finds it where it keeps its own,
// and roots.crt is what the product's containers and the browser trust.
func (w workshop) authority() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	root := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Drill"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().AddDate(1, 0, 0), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign}
	if err := w.sign(root, root, key, key, "authority/root"); err != nil {
		return err
	}
	own, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	world := &x509.Certificate{SerialNumber: big.NewInt(2), NotBefore: root.NotBefore, NotAfter: root.NotAfter, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:    append([]string{"api.stripe.com", "api.kraken.com", "api.sumsub.com", "mail.tradepost.internal"}, outside...)}
	return errors.Join(w.sign(world, root, own, key, "world/world"),
		run(context.Background(), w.folder, nil, "cp", "authority/root.crt", "roots.crt"))
}

func (w workshop) sign(c, by *x509.Certificate, key, with *ecdsa.PrivateKey, file string) error {
	der, err := x509.CreateCertificate(rand.Reader, c, by, &key.PublicKey, with)
	if err != nil {
		return err
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	file = filepath.Join(w.folder, file)
	return errors.Join(os.MkdirAll(filepath.Dir(file), 0o755),
		os.WriteFile(file+".crt", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o644),
		os.WriteFile(file+".key", pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: private}), 0o600))
}
