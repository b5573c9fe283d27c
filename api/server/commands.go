package main

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"gocloud.dev/blob"

	"github.com/tradepost/tradepost/activities"
	riskapi "github.com/tradepost/tradepost/api/risk"
	"github.com/tradepost/tradepost/internal/config"
	"github.com/tradepost/tradepost/internal/sdn"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/correction"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/risk"
	"github.com/tradepost/tradepost/models/store"
)

type migrate struct {
	config.Common    `embed:""`
	config.Migration `embed:""`
	config.Custody   `embed:""`
}

// Run migrates, and records the installation's providers. Replicas that do so together wait
// for each other.
func (m *migrate) Run(ctx context.Context) error {
	if err := config.CheckAll(m); err != nil {
		return err
	}
	if err := store.Migrate(ctx, m.Migration.DatabaseURL); err != nil {
		return err
	}
	owner, err := pgx.Connect(ctx, m.Migration.DatabaseURL)
	if err != nil {
		return fmt.Errorf("MIGRATE_DATABASE_URL: %w", err)
	}
	defer func() { _ = owner.Close(context.WithoutCancel(ctx)) }()
	if err := ledger.SetProvider(ctx, owner, ledger.Custody, m.Custodian); err != nil {
		return err
	}
	var version int64
	err = owner.QueryRow(ctx, "SELECT max(version_id) FROM goose_db_version WHERE is_applied").Scan(&version)
	if err != nil {
		return fmt.Errorf("read the schema's version: %w", err)
	}
	fmt.Printf("The schema is at migration %05d, each role has its rights, and custody is %s.\n", version, m.Custodian)
	return nil
}

type grant struct {
	config.Common   `embed:""`
	config.Postgres `embed:""`

	Issuer string `name:"oidc-issuer" env:"OIDC_ISSUER" default:"http://127.0.0.1:8090" help:"Issuer the person signs in at."`
	Email  string `arg:"" help:"Their e-mail address; it counts only once the issuer has verified it."`
	Role   string `enum:"support,compliance,finance,admin" default:"admin" help:"Role to give."`
	Demo   bool   `help:"Mark the grant as one of the demonstration accounts'; local mode only."`
}

// Run grants the role, or promises it.
func (g *grant) Run(ctx context.Context) error {
	if err := config.CheckAll(g); err != nil {
		return err
	}
	if g.Demo && g.Mode != config.Local {
		return errors.New("--demo is for local mode")
	}
	by := operator()
	if g.Demo {
		by = "demo"
	}
	db, err := store.Open(ctx, g.DatabaseURL, store.Options{MaxConns: 1})
	if err != nil {
		return err
	}
	defer db.Close()
	granted, err := account.GrantRole(ctx, db, g.Issuer, g.Email, g.Role, by)
	if err != nil {
		return err
	}
	if granted {
		fmt.Printf("%s has the role %s now.\n", g.Email, g.Role)
		return nil
	}
	fmt.Printf("%s gets the role %s at the first sign-in with a verified address.\n", g.Email, g.Role)
	return nil
}

// operator is who runs a command, for the audit log.
func operator() string {
	if who, err := user.Current(); err == nil {
		return "command:" + who.Username
	}
	return "command"
}

type noteRestored struct {
	config.Common   `embed:""`
	config.Postgres `embed:""`
}

// Run marks what is open as restored from a backup.
func (n *noteRestored) Run(ctx context.Context) error {
	if err := config.CheckAll(n); err != nil {
		return err
	}
	db, err := store.Open(ctx, n.DatabaseURL, store.Options{MaxConns: 1})
	if err != nil {
		return err
	}
	defer db.Close()
	marked, err := correction.NoteRestored(ctx, db, operator())
	if err != nil {
		return err
	}
	fmt.Println(marked)
	return nil
}

type verifyAudit struct {
	config.Common   `embed:""`
	config.Postgres `embed:""`
	config.Seals    `embed:""`
}

// Run hashes the audit log again and compares it with its seals, and with the newest copy of one.
func (v *verifyAudit) Run(ctx context.Context) error {
	if err := config.CheckAll(v); err != nil {
		return err
	}
	db, err := store.Open(ctx, v.DatabaseURL, store.Options{MaxConns: 1})
	if err != nil {
		return err
	}
	defer db.Close()
	through, broken, err := audit.VerifyAudit(ctx, db, v.Keys())
	if err != nil {
		return err
	}
	if broken != nil && broken.ThroughID == through {
		return fmt.Errorf("the last seal, up to line %d, has no key: it is of a release before keyed seals, or core does not run", through)
	}
	if broken != nil {
		return fmt.Errorf("a line after %d and up to %d is not as it was sealed at %s", through, broken.ThroughID, broken.SealedAt.UTC().Format(time.RFC3339))
	}
	seal, err := audit.LastSeal(ctx, db)
	if err != nil {
		return err
	}
	fmt.Printf("The audit log is as it was sealed, up to line %d: %x\n", through, seal.Hash)
	lines, total, err := audit.Unsealed(ctx, db, unsealedNamed)
	if err != nil {
		return err
	}
	fmt.Println(unsealed(lines, total))
	return v.compareCopy(ctx, db)
}

// unsealedNamed is how many lines without a seal are named.
const unsealedNamed = 20

// unsealed returns the sentence of audit verify about lines without a seal: their first numbers and their count.
func unsealed(lines []int64, total int) string {
	if total == 0 {
		return "Every line has a seal."
	}
	numbers := make([]string, len(lines))
	for i, line := range lines {
		numbers[i] = strconv.FormatInt(line, 10)
	}
	named := strings.Join(numbers, ", ")
	if total > len(lines) {
		named += fmt.Sprintf(" and %d more", total-len(lines))
	}
	const why = "Not verified, because no seal covers them yet: %d (line %s). While core runs it seals within seconds."
	return fmt.Sprintf(why, total, named)
}

// compareCopy compares the log with the newest copy of a seal.
func (v *verifyAudit) compareCopy(ctx context.Context, db *store.DB) error {
	if v.Key == "" {
		fmt.Println("Without AUDIT_SEAL_KEY neither keys nor copies are compared.")
		return nil
	}
	bucket, err := blob.OpenBucket(ctx, v.Bucket())
	if err != nil {
		return fmt.Errorf("AUDIT_SEALS_URL: %w", err)
	}
	defer func() { _ = bucket.Close() }()
	copied, found, err := activities.NewestSealCopy(ctx, bucket)
	if err != nil {
		return err
	}
	if !found {
		return errors.New("the bucket has no copy of a seal")
	}
	same, err := audit.VerifyCopy(ctx, db, copied)
	if err != nil {
		return err
	}
	if !same {
		return fmt.Errorf("the log differs from the copy of its seal up to line %d", copied.ThroughID)
	}
	fmt.Printf("It is as the newest copy says, up to line %d.\n", copied.ThroughID)
	return nil
}

type importBlocked struct {
	config.Common   `embed:""`
	config.Postgres `embed:""`

	File    string `arg:"" type:"existingfile" help:"One address a line, a JSON array of them, or OFAC's sdn.xml, sdn_advanced.xml or sdnlist.txt."`
	Source  string `help:"Name of the list; the file's name by default. Importing it again replaces it."`
	Own     bool   `help:"The addresses are our own wallets'."`
	Preview bool   `help:"Only say what would change."`
}

// Run replaces the list.
func (i *importBlocked) Run(ctx context.Context) error {
	if err := config.CheckAll(i); err != nil {
		return err
	}
	file, err := os.Open(i.File)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	read, err := sdn.Read(file)
	if err != nil {
		return fmt.Errorf("%s: %w", i.File, err)
	}
	db, err := store.Open(ctx, i.DatabaseURL, store.Options{MaxConns: 1})
	if err != nil {
		return err
	}
	defer db.Close()
	kind, source := risk.AddressBlocked, i.Source
	if i.Own {
		kind = risk.AddressOwn
	}
	if source == "" {
		source = filepath.Base(i.File)
	}
	version, err := risk.ImportAddresses(ctx, db, riskapi.ListOf(read, source, kind), risk.ListImport{Preview: i.Preview})
	if err != nil {
		return fmt.Errorf("%s: %w", i.File, err)
	}
	what := fmt.Sprintf("version %d of", version.Version)
	if i.Preview {
		what = "preview of"
	}
	fmt.Printf("%s %q (%s): %d added, %d removed, %d unchanged; %d entries are of no network we send on", what, source, read.Format, version.Added, version.Removed, version.Unchanged, read.Refused)
	if read.Refused > 0 {
		fmt.Printf(", the first at %v", read.RefusedAt)
	}
	fmt.Println(".")
	return nil
}

//go:embed float_local.txt
var localFloat string

type seedFloat struct {
	config.Common   `embed:""`
	config.Postgres `embed:""`

	Name string `default:"opening" help:"Name of the seeding; the same name is booked once."`
	File string `arg:"" optional:"" type:"existingfile" help:"Lines of account, currency and amount; local mode has the simulators' opening balances."`
}

// Run books the float, once.
func (f *seedFloat) Run(ctx context.Context) error {
	if err := config.CheckAll(f); err != nil {
		return err
	}
	lines, err := f.lines()
	if err != nil {
		return err
	}
	db, err := store.Open(ctx, f.DatabaseURL, store.Options{MaxConns: 1})
	if err != nil {
		return err
	}
	defer db.Close()
	booked, err := ledger.SeedFloatByCommand(ctx, db, f.Name, lines, operator())
	if err != nil {
		return err
	}
	if !booked {
		fmt.Printf("Nothing was booked: the books have the float %q already. Later coin needs another --name.\n", f.Name)
		return nil
	}
	for _, line := range lines {
		fmt.Printf("Booked %s %s to %s.\n", line.Currency.Format(line.Amount), line.Currency, line.To)
	}
	return nil
}

// lines returns the postings of the file, or in local mode the opening balances of the simulators.
func (f *seedFloat) lines() ([]ledger.Posting, error) {
	text := localFloat
	switch {
	case f.File != "":
		raw, err := os.ReadFile(f.File)
		if err != nil {
			return nil, err
		}
		text = string(raw)
	case f.Mode != config.Local:
		return nil, errors.New("name the file with the opening balances: only local mode has them built in")
	}
	lines, err := readFloat(text)
	if err == nil && len(lines) == 0 {
		err = fmt.Errorf("%s has no amount: each line is account, currency and amount", cmp.Or(f.File, "the float"))
	}
	return lines, err
}

// readFloat reads lines such as "wallet:bitcoin BTC 25".
func readFloat(text string) ([]ledger.Posting, error) {
	var lines []ledger.Posting
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if len(fields) != 3 {
			return nil, fmt.Errorf("float: %q is not account, currency and amount", strings.TrimSpace(line))
		}
		currency := money.Currency(fields[1])
		amount, err := currency.Parse(fields[2])
		if err != nil || currency != money.USD && !currency.IsAsset() {
			return nil, fmt.Errorf("float: %q: no such amount", strings.TrimSpace(line))
		}
		lines = append(lines, ledger.Posting{From: ledger.AccountEquity, To: fields[0], Currency: currency, Amount: amount})
	}
	return lines, nil
}
