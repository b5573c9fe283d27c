package main

import (
	"bufio"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/tradepost/tradepost/api"
	"github.com/tradepost/tradepost/internal/address"
	"github.com/tradepost/tradepost/internal/config"
	"github.com/tradepost/tradepost/models"
	"github.com/tradepost/tradepost/models/money"
)

type migrate struct {
	config.Common    `embed:""`
	config.Migration `embed:""`
}

// Run migrates. Replicas that do so together wait for each other.
func (m *migrate) Run(ctx context.Context) error {
	if err := config.CheckAll(m); err != nil {
		return err
	}
	return models.Migrate(ctx, m.Migration.DatabaseURL)
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
	by := "command"
	if who, err := user.Current(); err == nil {
		by = "command:" + who.Username
	}
	if g.Demo {
		by = "demo"
	}
	db, err := models.Open(ctx, g.DatabaseURL, models.Options{MaxConns: 1})
	if err != nil {
		return err
	}
	defer db.Close()
	granted, err := db.GrantRole(ctx, g.Issuer, g.Email, g.Role, by)
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

type importBlocked struct {
	config.Common   `embed:""`
	config.Postgres `embed:""`

	File   string `arg:"" type:"existingfile" help:"One address a line, or OFAC's SDN list as text."`
	Source string `help:"Name of the list; the file's name by default. Importing it again replaces it."`
	Own    bool   `help:"The addresses are our own wallets'."`
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
	addresses, unknown, err := readAddresses(file)
	if err != nil {
		return fmt.Errorf("%s: %w", i.File, err)
	}
	if len(addresses) == 0 {
		return fmt.Errorf("%s holds no address of a network we send on; the list stays as it is", i.File)
	}
	db, err := models.Open(ctx, i.DatabaseURL, models.Options{MaxConns: 1})
	if err != nil {
		return err
	}
	defer db.Close()
	kind, source := "blocked", i.Source
	if i.Own {
		kind = "own"
	}
	if source == "" {
		source = filepath.Base(i.File)
	}
	if err := db.ReplaceBlocked(ctx, kind, source, addresses); err != nil {
		return err
	}
	fmt.Printf("%d addresses imported as %q; %d entries are of no network we send on.\n", len(addresses), source, unknown)
	return nil
}

// sdnEntry is how OFAC's list names an address.
var sdnEntry = regexp.MustCompile(`Digital Currency Address - [A-Z]+ ([0-9A-Za-z]+)`)

// readAddresses reads either form. unknown counts entries of other networks,
// or with a wrong checksum: no customer's address could equal them.
func readAddresses(from io.Reader) (found []models.BlockedAddress, unknown int, err error) {
	lines := bufio.NewScanner(from)
	lines.Buffer(make([]byte, 0, 64<<10), 4<<20)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		var entries []string
		for _, match := range sdnEntry.FindAllStringSubmatch(line, -1) {
			entries = append(entries, match[1])
		}
		if len(entries) == 0 && line != "" && !strings.HasPrefix(line, "#") && !strings.ContainsAny(line, " \t") {
			entries = []string{line}
		}
		for _, entry := range entries {
			if place, ok := recognise(entry); ok {
				found = append(found, models.BlockedAddress{Network: place.Network, Key: api.AddressKey(place)})
			} else {
				unknown++
			}
		}
	}
	return found, unknown, lines.Err()
}

// recognise finds the network of an address, whatever the coin.
func recognise(text string) (address.Result, bool) {
	for _, asset := range money.Assets {
		if place, err := address.Check(asset, text); err == nil {
			return place, true
		}
	}
	return address.Result{}, false
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
	text := localFloat
	switch {
	case f.File != "":
		raw, err := os.ReadFile(f.File)
		if err != nil {
			return err
		}
		text = string(raw)
	case f.Mode != config.Local:
		return errors.New("name the file with the opening balances: only local mode has them built in")
	}
	lines, err := readFloat(text)
	if err != nil {
		return err
	}
	db, err := models.Open(ctx, f.DatabaseURL, models.Options{MaxConns: 1})
	if err != nil {
		return err
	}
	defer db.Close()
	return db.SeedFloat(ctx, f.Name, lines)
}

// readFloat reads lines such as "wallet:bitcoin BTC 25".
func readFloat(text string) ([]models.Posting, error) {
	var lines []models.Posting
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
		lines = append(lines, models.Posting{From: models.AccountEquity, To: fields[0], Currency: currency, Amount: amount})
	}
	return lines, nil
}
