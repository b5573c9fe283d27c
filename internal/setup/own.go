package setup

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"golang.org/x/crypto/bcrypt"

	"github.com/tradepost/tradepost/internal/config"
	"github.com/tradepost/tradepost/internal/secret"
)

// The settings that docker-compose.yml reads itself, declared as internal/config declares those of the programs.

// names is the mode and the public name of the site.
type names struct {
	Mode string `name:"mode" env:"MODE"`
	Site string `name:"site-host" env:"SITE_HOST" ask:"must" help:"Public name of the site, which points at this machine, such as shop.your-company.com."`
}

// Check implements config.Group.
func (n *names) Check(mode config.Mode) error {
	if !mode.Strict() {
		return errors.New("MODE must be production, or staging: compose has no local stack, make run has")
	}
	return host("SITE_HOST", n.Site)
}

// signIn is the embedded identity provider.
type signIn struct {
	Site string `name:"site-host" env:"SITE_HOST"`
	Host string `name:"identity-host" env:"IDENTITY_HOST" ask:"must" when:"embedded" suggest:"id.{SITE_HOST}" help:"Public name of the pages to sign in at, which points at this machine too."`
	Key  string `name:"identity-secret-key" env:"IDENTITY_SECRET_KEY" make:"key" help:"Seals what the embedded identity provider keeps secret."`
}

// Check implements config.Group.
func (s *signIn) Check(config.Mode) error {
	var err error
	if s.Host != "" {
		err = host("IDENTITY_HOST", s.Host)
	}
	if s.Host != "" && s.Host == s.Site {
		err = errors.Join(err, errors.New("IDENTITY_HOST must be another name than SITE_HOST: cookies and policies keep the two apart"))
	}
	if _, bad := secret.ParseKeys(s.Key); bad != nil {
		err = errors.Join(err, errors.New("IDENTITY_SECRET_KEY must be base64 of exactly 32 bytes"))
	}
	return err
}

// storage is the access key of the bucket for files.
type storage struct {
	ID     string `name:"aws-access-key-id" env:"AWS_ACCESS_KEY_ID" ask:"may" with:"AWS_SECRET_ACCESS_KEY" help:"Access key of the bucket for files; empty where the machine has a role that may use it."`
	Secret string `name:"aws-secret-access-key" env:"AWS_SECRET_ACCESS_KEY" ask:"may" help:"Its secret."`
}

// Check implements config.Group.
func (s *storage) Check(config.Mode) error {
	if (s.ID == "") != (s.Secret == "") {
		return errors.New("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY belong together")
	}
	return nil
}

// machine is the image, and the passwords of the roles in Postgres and of the operators' pages.
type machine struct {
	Version   string `name:"tradepost-version" env:"TRADEPOST_VERSION" make:"version" help:"Which image to build and run."`
	Elsewhere string `name:"postgres-host" env:"POSTGRES_HOST" help:"Host of a Postgres that compose does not run."`
	Workflows string `name:"temporal-address" env:"TEMPORAL_ADDRESS" help:"Address of a Temporal that compose does not run."`
	Postgres  string `name:"postgres-password" env:"POSTGRES_PASSWORD" make:"password" unless:"POSTGRES_HOST" along:"OWNER_PASSWORD" help:"Password of Postgres' administrator."`
	Owner     string `name:"owner-password" env:"OWNER_PASSWORD" make:"password" help:"Password of the role that owns the tables."`
	API       string `name:"api-password" env:"API_PASSWORD" make:"password" help:"Password of the API's role."`
	Core      string `name:"core-password" env:"CORE_PASSWORD" make:"password" help:"Password of core's role."`
	Payments  string `name:"payments-password" env:"PAYMENTS_PASSWORD" make:"password" help:"Password of the payments worker's role."`
	Exchange  string `name:"exchange-password" env:"EXCHANGE_PASSWORD" make:"password" help:"Password of the exchange worker's role."`
	Custody   string `name:"custody-password" env:"CUSTODY_PASSWORD" make:"password" help:"Password of the custody worker's role."`
	Operator  string `name:"operator-password" env:"OPERATOR_PASSWORD" make:"password" help:"Password of the role of operators' commands."`
	Identity  string `name:"identity-password" env:"IDENTITY_PASSWORD" make:"password" for:"embedded" help:"Password of the identity provider's role."`
	Temporal  string `name:"temporal-password" env:"TEMPORAL_PASSWORD" make:"password" unless:"TEMPORAL_ADDRESS" help:"Password of Temporal's role."`
	Backup    string `name:"backup-password" env:"BACKUP_PASSWORD" make:"password" unless:"POSTGRES_HOST" for:"backups" help:"Password of the role that archives Postgres."`
	Operators string `name:"operators-password-hash" env:"OPERATORS_PASSWORD_HASH" make:"hash" help:"Hash of the password that Temporal's web UI, Grafana and Jaeger ask user operator for."`
}

// inAddress is what a password may contain: it is a part of an address.
var inAddress = regexp.MustCompile(`^[A-Za-z0-9]{16,}$`)

// imageTag is what the tag of an image may be.
var imageTag = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$`)

// Check implements config.Group.
func (m *machine) Check(config.Mode) error {
	var err error
	if !imageTag.MatchString(m.Version) {
		err = errors.New("TRADEPOST_VERSION must be letters, digits, _, . and -")
	}
	optional := map[string]bool{"POSTGRES": true, "IDENTITY": true, "BACKUP": true, "TEMPORAL": m.Workflows != ""}
	for name, password := range map[string]string{"POSTGRES": m.Postgres, "OWNER": m.Owner, "API": m.API, "CORE": m.Core,
		"PAYMENTS": m.Payments, "EXCHANGE": m.Exchange, "CUSTODY": m.Custody, "OPERATOR": m.Operator, "IDENTITY": m.Identity,
		"TEMPORAL": m.Temporal, "BACKUP": m.Backup} {
		if !inAddress.MatchString(password) && (password != "" || !optional[name]) {
			err = errors.Join(err, fmt.Errorf("%s_PASSWORD must be at least 16 letters and digits", name))
		}
	}
	if _, bad := bcrypt.Cost([]byte(m.Operators)); bad != nil {
		err = errors.Join(err, errors.New("OPERATORS_PASSWORD_HASH must be what caddy hash-password prints"))
	}
	return err
}

// hostName is a DNS name of two labels or more. It is written into addresses and into Caddy's configuration.
var hostName = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])$`)

func host(name, value string) error {
	if len(value) > 253 || !hostName.MatchString(value) || strings.HasSuffix(value, ".localhost") {
		return fmt.Errorf("%s must be a public name in lower case, such as shop.your-company.com", name)
	}
	return nil
}
