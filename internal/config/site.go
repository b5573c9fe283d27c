package config

import (
	"encoding/base64"
	"errors"
	"fmt"
	netmail "net/mail"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	secrets "github.com/tradepost/tradepost/internal/secret"
)

// Site is how the API serves.
type Site struct {
	Listen         string `env:"LISTEN" default:"127.0.0.1:8080" help:"Address the API and the site listen on."`
	WebDir         string `name:"web-dir" env:"WEB_DIR" help:"Folder of the built web app; empty serves the API alone."`
	StartingFile   string `name:"starting-file" env:"STARTING_FILE" help:"File in which the launcher of a local stack says what it still builds; pages tell."`
	SecretKeys     `embed:""`
	TrustedProxies []string `name:"trusted-proxies" env:"TRUSTED_PROXIES" help:"Addresses whose X-Forwarded-For is believed; none by default."`
	TidioPublicKey string   `name:"tidio-public-key" env:"TIDIO_PUBLIC_KEY" help:"Public key of the chat widget; empty switches it off."`
	SupportEmail   string   `name:"support-email" env:"SUPPORT_EMAIL" default:"support@example.com" ask:"must" suggest:"support@{SITE_HOST}" help:"Where customers can write to."`
	PasswordURL    string   `name:"password-url" env:"PASSWORD_URL" ask:"may" when:"own-issuer" help:"Page of the identity provider where people change their password; empty: the site links none."`
	AddressURL     string   `name:"address-url" env:"ADDRESS_URL" ask:"may" when:"own-issuer" help:"Page of the identity provider where people have the mail sent again that confirms their address; empty: the site links none."`
	Files          `embed:""`
}

// SecretKeys are the keys of what is kept secret in the database.
type SecretKeys struct {
	SecretKey   string   `name:"secret-key" env:"SECRET_KEY" required:"" make:"key" help:"Base64 of 32 random bytes; seals what is secret, and finds it again."`
	EarlierKeys []string `name:"earlier-secret-keys" env:"EARLIER_SECRET_KEYS" help:"Earlier secret keys: what they sealed is read, and sealed anew with the current one."`
}

// Check implements Group.
func (s *SecretKeys) Check(mode Mode) error {
	key, err := base64.StdEncoding.DecodeString(s.SecretKey)
	switch {
	case err != nil || len(key) != secrets.KeySize:
		err = errors.New("SECRET_KEY must be base64 of exactly 32 bytes")
	case mode.Strict() && strings.Count(string(key), string(key[:1])) == len(key):
		err = fmt.Errorf("SECRET_KEY is one byte repeated; %s needs 32 random bytes", mode)
	}
	if err == nil {
		_, err = s.Vault()
	}
	return err
}

// Files is where files are kept.
type Files struct {
	FilesURL string `name:"files-url" env:"FILES_URL" required:"" ask:"must" help:"Bucket for files: file:///folder or s3://bucket."`
}

// Check implements Group.
func (f *Files) Check(Mode) (err error) {
	if f.FilesURL, err = bucketURL(f.FilesURL); err != nil {
		return errors.New("FILES_URL must be a bucket such as file:///folder or s3://bucket")
	}
	return nil
}

// bucketURL is a bucket's address as gocloud.dev/blob opens it. A folder's unfinished files lie in it: renamed from
// /tmp, which is often another file system, they could not be moved into it.
func bucketURL(address string) (string, error) {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Scheme == "" {
		return "", errors.New("a bucket's address is wanted")
	}
	if parsed.Scheme == "file" {
		options := parsed.Query()
		options.Set("no_tmp_dir", "true")
		parsed.RawQuery = options.Encode()
	}
	return parsed.String(), nil
}

var tidioKey = regexp.MustCompile(`^[0-9a-z]{32}$`)

// Key is the secret key as bytes; Check has made sure of its form.
func (s *SecretKeys) Key() []byte {
	key, _ := base64.StdEncoding.DecodeString(s.SecretKey)
	return key
}

// Vault seals what is kept secret in the database, with the current key; what
// earlier keys sealed it can still read.
func (s *SecretKeys) Vault() (*secrets.Keys, error) {
	keys, err := secrets.ParseKeys(strings.Join(append([]string{s.SecretKey}, s.EarlierKeys...), ","))
	if err != nil {
		return nil, errors.New("SECRET_KEY and EARLIER_SECRET_KEYS must each be base64 of exactly 32 bytes")
	}
	return keys, nil
}

// Check implements Group.
func (s *Site) Check(mode Mode) error {
	err := errors.Join(address("LISTEN", s.Listen), s.checkFolder(), s.SecretKeys.Check(mode), s.Files.Check(mode))
	if s.PasswordURL != "" {
		_, bad := absolute("PASSWORD_URL", s.PasswordURL)
		err = errors.Join(err, bad)
	}
	if s.AddressURL != "" {
		_, bad := absolute("ADDRESS_URL", s.AddressURL)
		err = errors.Join(err, bad)
	}
	if support, bad := netmail.ParseAddress(s.SupportEmail); s.SupportEmail != "" && (bad != nil || support.Name != "") {
		err = errors.Join(err, errors.New("SUPPORT_EMAIL must be an e-mail address")) // pages link to it
	}
	if mode.Strict() && s.StartingFile != "" {
		err = errors.Join(err, fmt.Errorf("STARTING_FILE is the local launcher's; %s has none", mode))
	}
	for _, proxy := range s.TrustedProxies {
		_, badIP := netip.ParseAddr(proxy)
		_, badRange := netip.ParsePrefix(proxy)
		if badIP != nil && badRange != nil {
			err = errors.Join(err, fmt.Errorf("TRUSTED_PROXIES: %q is no address or range", proxy))
		}
	}
	if s.TidioPublicKey != "" && !tidioKey.MatchString(s.TidioPublicKey) {
		err = errors.Join(err, errors.New("TIDIO_PUBLIC_KEY must be 32 characters of 0-9 and a-z"))
	}
	return err
}

func (s *Site) checkFolder() error {
	if s.WebDir == "" {
		return nil
	}
	if _, err := os.Stat(filepath.Join(s.WebDir, "index.html")); err != nil {
		return errors.New("WEB_DIR holds no index.html: build the web app first")
	}
	return nil
}

// IdentityProvider is where people have their accounts, and the client at it.
type IdentityProvider struct {
	Issuer       string `name:"oidc-issuer" env:"OIDC_ISSUER" default:"http://127.0.0.1:8090" ask:"may" suggest:"-" help:"Issuer of the OpenID provider."`
	ClientID     string `name:"oidc-client-id" env:"OIDC_CLIENT_ID" default:"tradepost" ask:"must" when:"own-issuer" help:"Our client id there."`
	ClientSecret string `name:"oidc-client-secret" env:"OIDC_CLIENT_SECRET" required:"" ask:"must" when:"own-issuer" make:"password" help:"Our client secret there."`
	// Embedded allows the embedded provider in production, where it must not be used by
	// accident.
	Embedded bool `name:"embedded-identity" env:"EMBEDDED_IDENTITY" help:"Allow the embedded identity provider in production."`
}

// Check implements Group.
func (o *IdentityProvider) Check(mode Mode) error {
	err := errors.Join(notEmpty("OIDC_CLIENT_ID", o.ClientID), secret("OIDC_CLIENT_SECRET", o.ClientSecret, mode))
	if o.Embedded {
		_, bad := absolute("OIDC_ISSUER", o.Issuer)
		return errors.Join(err, bad)
	}
	return errors.Join(err, endpoint("OIDC_ISSUER", o.Issuer, mode))
}

// SignIn is what people sign in with.
type SignIn struct {
	// AdminSingleFactor lets staff work in production without a second factor.
	AdminSingleFactor bool `name:"admin-single-factor" env:"ADMIN_SINGLE_FACTOR" help:"Let staff work without a second factor in production, where it is demanded of them."`
	// AdminSecondFactor demands one of staff outside production too.
	AdminSecondFactor bool `name:"admin-second-factor" env:"ADMIN_SECOND_FACTOR" help:"Demand a second factor of staff outside production too."`
	// RecoveryDelay is how long an account's owner can stop the removal of its second
	// factor.
	RecoveryDelay time.Duration `name:"two-factor-recovery-delay" env:"TWO_FACTOR_RECOVERY_DELAY" default:"72h" help:"How long the lifting of a lost second factor is held back, so that its owner can stop it."`
}

// StaffNeedSecond reports whether a second factor is demanded of staff.
func (o *SignIn) StaffNeedSecond(mode Mode) bool {
	return o.AdminSecondFactor || mode.Strict() && !o.AdminSingleFactor
}

// Check implements Group.
func (o *SignIn) Check(Mode) error {
	if o.AdminSecondFactor && o.AdminSingleFactor {
		return errors.New("ADMIN_SECOND_FACTOR and ADMIN_SINGLE_FACTOR contradict each other")
	}
	if o.RecoveryDelay < time.Hour {
		return errors.New("TWO_FACTOR_RECOVERY_DELAY must be an hour at least")
	}
	return nil
}

// Mail is how e-mail leaves.
type Mail struct {
	SMTPURL string `name:"smtp-url" env:"SMTP_URL" default:"smtp://127.0.0.1:8025" ask:"must" suggest:"-" help:"smtp:// or smtps:// server, with credentials if it wants them."`
	From    string `name:"mail-from" env:"MAIL_FROM" default:"Tradepost <no-reply@example.com>" ask:"must" suggest:"{BRAND} <no-reply@{SITE_HOST}>" help:"Sender of our e-mail."`
}

// Check implements Group.
func (m *Mail) Check(mode Mode) error {
	parsed, err := url.Parse(m.SMTPURL)
	if err != nil || parsed.Host == "" || parsed.Scheme != "smtp" && parsed.Scheme != "smtps" {
		return errors.New("SMTP_URL must be smtp://host:port or smtps://host:port")
	}
	if mode.Strict() && loopback(parsed.Hostname()) {
		return fmt.Errorf("SMTP_URL points at this machine (the mailbox page?); %s needs a mail server", mode)
	}
	if _, err := netmail.ParseAddress(m.From); err != nil {
		return errors.New("MAIL_FROM must be an e-mail address, or Name <address>")
	}
	return nil
}

// Slippage is how much dearer than the locked price we may buy.
type Slippage struct {
	BasisPoints int64 `name:"slippage-bps" env:"SLIPPAGE_BPS" default:"100" help:"Hundredths of a percent above the locked price at which buying stops and a person is asked."`
}

// Check implements Group.
func (s *Slippage) Check(Mode) error {
	if s.BasisPoints < 0 || s.BasisPoints > 2000 {
		return errors.New("SLIPPAGE_BPS must be between 0 and 2000 (20 %)")
	}
	return nil
}

// Caps are custody's own guard: whatever orders require, no more than this leaves the
// wallets. In US dollars of locked base price.
type Caps struct {
	Order int64 `name:"custody-order-cap" env:"CUSTODY_ORDER_CAP" default:"100000" ask:"must" with:"CUSTODY_DAILY_CAP" help:"Dollars one transfer may be worth."`
	Day   int64 `name:"custody-daily-cap" env:"CUSTODY_DAILY_CAP" default:"500000" ask:"must" help:"Dollars all transfers of one day may be worth."`
}

// Check implements Group.
func (c *Caps) Check(Mode) error {
	if c.Order <= 0 || c.Day < c.Order {
		return errors.New("CUSTODY_ORDER_CAP must be above zero and CUSTODY_DAILY_CAP at least as high")
	}
	return nil
}
