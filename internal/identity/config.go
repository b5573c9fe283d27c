package identity

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/tradepost/tradepost/internal/legal"
	"github.com/tradepost/tradepost/internal/secret"
	"github.com/tradepost/tradepost/internal/telemetry"
)

// Modes of an installation.
const (
	ModeLocal      = "local"
	ModeStaging    = "staging"
	ModeProduction = "production"
)

// minSecretLength is the shortest client secret production accepts, in bytes.
const minSecretLength = 16

// Config is the provider's whole configuration. Field tags are kong's: each value comes
// from a flag or from the environment variable of the same meaning.
type Config struct {
	Listen        string   `env:"IDENTITY_LISTEN" default:"127.0.0.1:8090" help:"Address to listen on."`
	URL           string   `env:"IDENTITY_URL" help:"Own origin; the issuer of every token."`
	DatabaseURL   string   `env:"IDENTITY_DATABASE_URL" help:"Postgres, as the role that owns the identity schema."`
	SecretKey     string   `env:"IDENTITY_SECRET_KEY" help:"32 random bytes in base64; several, comma-separated: the first seals, all open."`
	Redirects     []string `env:"IDENTITY_REDIRECTS" help:"Addresses the client may be sent back to, after sign-in and after sign-out, comma-separated."`
	LogoutURL     string   `name:"site-logout-url" env:"IDENTITY_SITE_LOGOUT_URL" help:"Where the site is notified that a person's sessions must end (back-channel logout); PUBLIC_URL/api/logout/backchannel when empty."`
	ClientID      string   `env:"OIDC_CLIENT_ID" default:"tradepost" help:"The one client."`
	ClientSecret  string   `env:"OIDC_CLIENT_SECRET" help:"Its secret."`
	Issuer        string   `env:"OIDC_ISSUER" help:"The issuer the site uses; when it is not ours we do not start."`
	SMTPURL       string   `env:"SMTP_URL" help:"Mail server: smtp://host:port or smtps://user:password@host:port."`
	MailFrom      string   `env:"MAIL_FROM" help:"Sender of our mails."`
	Brand         string   `env:"BRAND" default:"Tradepost" help:"The product's name."`
	PublicURL     string   `env:"PUBLIC_URL" help:"The site this provider signs people in to."`
	LegalDir      string   `env:"LEGAL_DIR" help:"Folder of the texts that customers agree to, the API's; empty: the sample texts, which production refuses."`
	Trusted       []string `name:"trusted-proxies" env:"TRUSTED_PROXIES" help:"Networks whose X-Forwarded-For is believed, comma-separated."`
	SignupsHourly int      `env:"IDENTITY_SIGNUPS_PER_HOUR" default:"120" help:"Sign-ups, and codes sent again, that one address may ask for in an hour."`
	Languages     []string `env:"LANGUAGES" help:"Languages of pages and mails, of en,es, comma-separated; the first is for those who ask for none of them. Empty: all."`
	MailboxURL    string   `env:"MAILBOX_URL" help:"Page that shows the simulated mails; sign-up links it in local mode alone."`
	Mode          string   `env:"MODE" default:"production" help:"local; staging, a rehearsal by production's rules; or production."`
	Health        string   `name:"health-listen" env:"HEALTH_LISTEN" help:"Address for /healthz and /metrics; empty switches them off."`
	AllowEmbedded bool     `env:"ALLOW_EMBEDDED_IDENTITY,EMBEDDED_IDENTITY" help:"Run the embedded provider in production."`

	telemetry.Traces `embed:""`
}

// settings is a checked Config, parsed.
type settings struct {
	Config
	origin    string // scheme://host of URL
	secure    bool   // served over TLS, so cookies are __Host- and HSTS is sent
	keys      [][]byte
	redirects []string
	siteHosts []string // origins of redirects, for form-action
	proxies   []netip.Prefix
	texts     *legal.Library
}

// readTexts reads what a sign-up agrees to.
func (s *settings) readTexts() (err error) {
	if s.texts, err = legal.Load(s.LegalDir, nil); err != nil {
		return err
	}
	if samples := s.texts.Samples(time.Now()); s.Mode == ModeProduction && len(samples) > 0 {
		return fmt.Errorf("LEGAL_DIR: of %s the sample is shown; production needs your own", strings.Join(samples, ", "))
	}
	return nil
}

// termsVersion is the version of the terms in force.
func (s *settings) termsVersion() string {
	if v := s.texts.InForce("terms", time.Now()); v != nil {
		return v.Name
	}
	return ""
}

// mailbox is the page that shows the mails, which only a local installation has.
func (s *settings) mailbox() string {
	if s.Mode != ModeLocal {
		return ""
	}
	return s.MailboxURL
}

// Check reports the first value that is missing or wrong, by its variable.
func (c Config) Check() error {
	_, err := c.parse()
	return err
}

func (c Config) parse() (*settings, error) {
	s := &settings{Config: c}
	for _, step := range []func() error{s.checkPresent, s.Traces.Check, s.checkMode, s.parseURLs, s.parseKeys, s.parseRedirects, s.parseProxies, s.checkLanguages, s.readTexts} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// checkMode is the rule that the embedded provider is never an accident.
func (s *settings) checkMode() error {
	if s.Issuer != "" && strings.TrimRight(s.Issuer, "/") != strings.TrimRight(s.URL, "/") {
		return errors.New("OIDC_ISSUER names another issuer: the embedded identity provider does not start beside it")
	}
	switch s.Mode {
	case ModeLocal:
		return nil
	case ModeStaging, ModeProduction:
	default:
		return fmt.Errorf("MODE: must be %s, %s or %s", ModeLocal, ModeStaging, ModeProduction)
	}
	if !s.AllowEmbedded {
		return errors.New("ALLOW_EMBEDDED_IDENTITY: the embedded identity provider does not start in " + s.Mode + " without it")
	}
	if len(s.ClientSecret) < minSecretLength {
		return fmt.Errorf("OIDC_CLIENT_SECRET: at least %d characters in %s", minSecretLength, s.Mode)
	}
	if !strings.HasPrefix(s.URL, "https://") {
		return errors.New("IDENTITY_URL: must be https in " + s.Mode)
	}
	return nil
}

func (s *settings) parseURLs() error {
	u, err := absoluteURL(s.URL)
	if err != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
		return errors.New("IDENTITY_URL: must be an origin such as https://id.example.com")
	}
	s.origin = u.Scheme + "://" + u.Host
	s.URL = s.origin
	s.secure = u.Scheme == "https"
	s.PublicURL = strings.TrimRight(s.PublicURL, "/")
	site, err := absoluteURL(s.PublicURL)
	if err != nil {
		return errors.New("PUBLIC_URL: must be an absolute http or https address")
	}
	s.siteHosts = append(s.siteHosts, site.Scheme+"://"+site.Host)
	if s.LogoutURL == "" {
		s.LogoutURL = s.PublicURL + pathSiteLogout
	}
	if _, err := absoluteURL(s.LogoutURL); err != nil {
		return errors.New("IDENTITY_SITE_LOGOUT_URL: must be an absolute http or https address")
	}
	return nil
}

// Secrets are the configured values that no line of a log may hold.
func (c *Config) Secrets() []string {
	return append(slices.Concat(strings.Split(c.SecretKey, ","), c.Traces.Secrets()), c.ClientSecret, c.DatabaseURL, c.SMTPURL)
}

// checkPresent names what is missing; kong would name a flag that is never typed.
func (s *settings) checkPresent() error {
	for _, value := range []struct{ name, text string }{
		{"IDENTITY_URL", s.URL}, {"IDENTITY_DATABASE_URL", s.DatabaseURL}, {"IDENTITY_SECRET_KEY", s.SecretKey},
		{"IDENTITY_REDIRECTS", strings.Join(s.Redirects, "")}, {"OIDC_CLIENT_ID", s.ClientID}, {"OIDC_CLIENT_SECRET", s.ClientSecret},
		{"SMTP_URL", s.SMTPURL}, {"MAIL_FROM", s.MailFrom}, {"PUBLIC_URL", s.PublicURL}, {"BRAND", s.Brand},
	} {
		if strings.TrimSpace(value.text) == "" {
			return errors.New(value.name + ": is missing")
		}
	}
	if s.SignupsHourly < 1 {
		return errors.New("IDENTITY_SIGNUPS_PER_HOUR: must be at least 1")
	}
	return nil
}

func (s *settings) parseKeys() (err error) {
	s.keys, err = secret.IdentityMasters(s.SecretKey)
	return err
}

func (s *settings) parseRedirects() error {
	for _, text := range s.Redirects {
		text = strings.TrimSpace(text)
		u, err := absoluteURL(text)
		if err != nil || u.Fragment != "" {
			return fmt.Errorf("IDENTITY_REDIRECTS: %q is not an absolute address", text)
		}
		s.redirects = append(s.redirects, text)
		s.siteHosts = append(s.siteHosts, u.Scheme+"://"+u.Host)
	}
	if len(s.redirects) == 0 {
		return errors.New("IDENTITY_REDIRECTS: names no address")
	}
	return nil
}

func (s *settings) checkLanguages() error {
	for _, code := range s.Languages {
		if t := known(catalogues, []string{code}); t == nil || t.Code != code {
			return fmt.Errorf("LANGUAGES: there are no texts in %q", code)
		}
	}
	return nil
}

func (s *settings) parseProxies() error {
	for _, text := range s.Trusted {
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			addr, addrErr := netip.ParseAddr(text)
			if addrErr != nil {
				return fmt.Errorf("TRUSTED_PROXIES: %q is not a network", text)
			}
			prefix = netip.PrefixFrom(addr, addr.BitLen())
		}
		s.proxies = append(s.proxies, prefix)
	}
	return nil
}

func absoluteURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("not an address")
	}
	if (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil {
		return nil, errors.New("not an absolute http or https address")
	}
	return u, nil
}
