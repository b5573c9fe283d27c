package doctor

import (
	"errors"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/tradepost/tradepost/internal/config"
	"github.com/tradepost/tradepost/internal/secret"
	"github.com/tradepost/tradepost/models/money"
)

// identityDatabase is how the embedded identity provider reaches its schema.
type identityDatabase struct {
	URL string `name:"identity-database-url" env:"IDENTITY_DATABASE_URL" required:"" help:"Postgres, as the role that owns the identity schema."`
}

// Check implements config.Group.
func (*identityDatabase) Check(config.Mode) error { return nil }

// identityKeys are what the embedded identity provider seals with.
type identityKeys struct {
	Keys string `name:"identity-secret-key" env:"IDENTITY_SECRET_KEY" required:"" help:"Keys, with commas between them."`
}

// Check implements config.Group.
func (k *identityKeys) Check(config.Mode) error {
	_, err := secret.IdentityMasters(k.Keys)
	return err
}

// access is the access key of buckets that have none of their own.
type access struct {
	ID     string `name:"aws-access-key-id" env:"AWS_ACCESS_KEY_ID" required:"" help:"Access key of the buckets."`
	Secret string `name:"aws-secret-access-key" env:"AWS_SECRET_ACCESS_KEY" required:"" help:"Its secret."`
}

// settings are the groups of values that are set in this process; one that is not
// is nil.
type settings struct {
	Common    *config.Common
	Postgres  *config.Postgres
	Migration *config.Migration
	Identity  *identityDatabase
	Temporal  *config.Temporal   `marked:"TEMPORAL_ADDRESS"`
	Versions  *config.Deployment `marked:"WORKER_DEPLOYMENT"`
	Files     *config.Files
	Access    *access         `marked:"AWS_ACCESS_KEY_ID"`
	Seals     *config.Seals   `marked:"AUDIT_SEAL_KEY"`
	Backups   *config.Backups `marked:"BACKUP_KEY"`
	Secrets   *config.SecretKeys
	Sealing   *identityKeys
	Issuer    *config.IdentityProvider
	SignIn    *config.SignIn
	Mail      *config.Mail `marked:"SMTP_URL"`
	Offering  *config.Offering
	Stripe    *config.Stripe `marked:"STRIPE_KEY"`
	Kraken    *config.Kraken
	Withdraw  *config.WithdrawKeys `marked:"KRAKEN_WITHDRAW_KEYS"`
	BitGo     *config.BitGo
	Sumsub    *config.Sumsub
	Webhooks  *config.Webhooks
	Treasury  *config.Treasury

	// found is what is wrong with the values themselves.
	found []Finding
	// secrets are the values that nothing shows.
	secrets []string
	// public is PUBLIC_URL, if it is set.
	public string
}

// load reads the groups from an environment, and further groups by the variable that
// marks them. An empty value is none.
func load(getenv func(string) string, also map[string]config.Group) *settings {
	s := &settings{public: getenv("PUBLIC_URL")}
	value := reflect.ValueOf(s).Elem()
	mode := config.Mode(getenv("MODE"))
	if mode == "" {
		mode = config.Local
	}
	for i := range value.NumField() {
		field := value.Type().Field(i)
		if !field.IsExported() {
			continue
		}
		group := reflect.New(field.Type.Elem())
		if s.read(group.Interface(), field.Tag.Get("marked"), mode, getenv) {
			value.Field(i).Set(group)
		}
	}
	offered := s.offered()
	for mark, group := range also {
		if s.read(group, mark, mode, getenv) {
			offered = append(offered, group)
		}
	}
	s.judged(config.CheckOffers(mode, offered))
	s.secrets = secretsIn(getenv)
	return s
}

// offered are the groups whose demands depend on what is offered, as far as they are set
// here.
func (s *settings) offered() []config.Group {
	groups := []config.Group{s.Offering}
	if s.Stripe != nil {
		groups = append(groups, s.Stripe)
	}
	if s.BitGo != nil {
		groups = append(groups, s.BitGo)
	}
	if s.Webhooks != nil {
		groups = append(groups, s.Webhooks)
	}
	return groups
}

// offer is what the installation sells; all of it where nothing is set.
func (s *settings) offer() money.Offer {
	if s.Offering == nil {
		return money.Offer{}
	}
	return s.Offering.Offer()
}

// read fills a group, and reports whether it is set here: by the variable that marks it, or, where none does, by any
// that it requires. An incomplete group is a fault.
func (s *settings) read(group any, mark string, mode config.Mode, getenv func(string) string) bool {
	parser, err := kong.New(group, kong.Name("doctor"), kong.NoDefaultHelp())
	if err != nil {
		s.found = append(s.found, wrong("configuration_wrong", "Report it.", "a group of settings cannot be read: %v", err))
		return false
	}
	var args, set, missing []string
	marked := mark == "" || getenv(mark) != ""
	for _, flag := range parser.Model.Flags {
		given := ""
		for _, name := range flag.Envs {
			if given == "" {
				given = getenv(name)
			}
		}
		if given != "" {
			args = append(args, "--"+flag.Name+"="+given)
		}
		if flag.Required || mark != "" && slices.Contains(flag.Envs, mark) {
			if given == "" {
				missing = append(missing, flag.Envs[0])
			} else {
				set = append(set, flag.Envs[0])
			}
		}
	}
	if len(missing) > 0 || !marked {
		if len(set) > 0 && marked {
			s.found = append(s.found, wrong("configuration_incomplete", "Set "+strings.Join(missing, ", ")+" as well (deploy/env.example says what each is).",
				"%s set here, and %s missing", verb(set), verb(missing)))
		}
		return false
	}
	return s.checked(parser, args, group, mode)
}

func verb(names []string) string {
	if len(names) == 1 {
		return names[0] + " is"
	}
	return strings.Join(names, ", ") + " are"
}

// checked parses the values and has the group judge them.
func (s *settings) checked(parser *kong.Kong, args []string, group any, mode config.Mode) bool {
	if _, err := parser.Parse(args); err != nil {
		s.judged(config.Named(parser, err))
		return false
	}
	if judge, ok := group.(config.Group); ok {
		s.judged(judge.Check(mode))
	}
	return true
}

// judged makes a finding of each fault of values.
func (s *settings) judged(err error) {
	if err == nil {
		return
	}
	var many interface{ Unwrap() []error }
	if errors.As(err, &many) {
		for _, one := range many.Unwrap() {
			s.judged(one)
		}
		return
	}
	s.found = append(s.found, wrong("configuration_wrong", "Correct it in .env (docs/operations.md lists every setting) and start the services that read it again.", "%v", err))
}

// credentials are the variables whose values nothing shows.
var credentials = []string{"SECRET_KEY", "BACKUP_SECRET_ACCESS_KEY",
	"OIDC_CLIENT_SECRET", "STRIPE_KEY", "STRIPE_WEBHOOK_SECRET", "KRAKEN_KEY", "KRAKEN_SECRET",
	"BITGO_TOKEN", "BITGO_PASSPHRASE", "BITGO_WEBHOOK_SECRET", "SUMSUB_APP_TOKEN", "SUMSUB_SECRET", "SUMSUB_WEBHOOK_SECRET",
	"STRIPE_WEBHOOK_SECRET_PREVIOUS", "BITGO_WEBHOOK_SECRET_PREVIOUS", "SUMSUB_WEBHOOK_SECRET_PREVIOUS",
	"AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "TEMPORAL_API_KEY"}

// several are the variables whose values are secrets with commas between them.
var several = []string{"EARLIER_SECRET_KEYS", "AUDIT_SEAL_KEY", "IDENTITY_SECRET_KEY", "BACKUP_KEY"}

// addresses are the variables whose values hold a password.
var addresses = []string{"DATABASE_URL", "MIGRATE_DATABASE_URL", "IDENTITY_DATABASE_URL", "SMTP_URL"}

func secretsIn(getenv func(string) string) []string {
	var found []string
	for _, name := range credentials {
		found = append(found, getenv(name))
	}
	for _, name := range several {
		for one := range strings.SplitSeq(getenv(name), ",") {
			found = append(found, strings.TrimSpace(one))
		}
	}
	for _, name := range addresses {
		found = append(found, getenv(name))
		if parsed, err := url.Parse(getenv(name)); err == nil && parsed.User != nil {
			password, _ := parsed.User.Password()
			found = append(found, password, url.QueryEscape(password), url.PathEscape(password))
		}
	}
	return found
}

// strict reports whether production's rules hold.
func (s *settings) strict() bool { return s.Common != nil && s.Common.Mode.Strict() }

// site is the site's origin.
func (s *settings) site() (string, error) {
	if s.public == "" || s.Common == nil {
		return "", errors.New("PUBLIC_URL is not set here")
	}
	return strings.TrimRight(s.public, "/"), nil
}
