package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/mattn/go-isatty"
	release "github.com/prometheus/common/version"

	orderapi "github.com/tradepost/tradepost/api/order"
	"github.com/tradepost/tradepost/internal/config"
	"github.com/tradepost/tradepost/internal/doctor"
	"github.com/tradepost/tradepost/internal/legal"
	"github.com/tradepost/tradepost/internal/setup"
	"github.com/tradepost/tradepost/internal/version"
	"github.com/tradepost/tradepost/models/money"
)

// initialize is the command init: it makes the .env of docker-compose.yml in the working directory.
type initialize struct {
	Answers   string   `type:"existingfile" help:"File of NAME=value, as .env, that has the answers; without it a person is asked."`
	Overwrite bool     `help:"Replace values that .env has without asking."`
	Version   string   `name:"image-version" help:"Version that the image is built as, unless .env names one."`
	Only      []string `help:"Make these checks of doctor alone at the end, by name or subject."`
}

// beforeTheStart are the checks that need no service of compose and no webhook: what runs is checked once it does.
var beforeTheStart = []string{"configuration", "keys", "legal", "mail.server", "mail.spf", "mail.dkim", "mail.dmarc",
	"bucket", "seals", "backup", "stripe.key", "stripe.permissions", "sumsub.levels"}

// Run asks, writes, and examines what was written.
func (i *initialize) Run(ctx context.Context) error {
	options := setup.Options{Answers: i.Answers, Overwrite: i.Overwrite, Out: os.Stdout, Version: i.version(),
		Also:   []func() config.Group{func() config.Group { return &product{} }},
		Drafts: map[string]func(string, money.Offer) error{"LEGAL_DIR": draftTexts, "RECIPIENTS_FILE": draftAccounts}}
	if isatty.IsTerminal(os.Stdin.Fd()) {
		options.Terminal = os.Stdin
	}
	values, err := setup.Run(ctx, options)
	if err != nil {
		return err
	}
	return i.examine(ctx, values)
}

// version is the release, or the commit, that this program was built from.
func (i *initialize) version() string {
	built := release.GetRevision()
	if version.Release() != version.Unreleased {
		built = version.Release()
	}
	if built == "" || built == "unknown" {
		built = "first"
	}
	return cmp.Or(i.Version, built[:min(12, len(built))])
}

// examine makes the checks of doctor that need nothing to run yet.
func (i *initialize) examine(ctx context.Context, values map[string]string) error {
	only := beforeTheStart
	if len(i.Only) > 0 {
		only = i.Only
	}
	fmt.Println("\nDoctor, as far as nothing has to run:")
	report, unknown := doctor.Examine(ctx, doctor.Options{Only: only,
		Getenv: func(name string) string { return values[name] },
		Also:   map[string]config.Group{"RECIPIENTS_FILE": &product{}}})
	if len(unknown) > 0 {
		return fmt.Errorf("no check is called %s", strings.Join(unknown, ", "))
	}
	report.WriteText(os.Stdout)
	if report.Faults > 0 {
		return fmt.Errorf(".env is written; doctor found %s", report.Summary())
	}
	return nil
}

// placeOfAccount marks a draft of an account. Production refuses it.
const placeOfAccount = "DRAFT"

// checkDrafts refuses accounts in production that init has drafted and nobody has filled in.
func (p *product) checkDrafts(mode config.Mode) error {
	if mode != config.Production {
		return nil
	}
	recipients, _ := orderapi.LoadRecipients(p.RecipientsFile, false) // its fault is Check's to name
	for _, rail := range slices.Sorted(maps.Keys(recipients)) {
		isDraft := func(line orderapi.Instruction) bool { return strings.HasPrefix(line.Value, placeOfAccount) }
		if slices.ContainsFunc(recipients[rail], isDraft) {
			return fmt.Errorf("RECIPIENTS_FILE has a draft for %s: enter your account", rail)
		}
	}
	return nil
}

// draftAccounts writes an account for each method that is offered, to be filled in.
func draftAccounts(path string, offer money.Offer) error {
	draft := orderapi.Recipients{}
	for _, rail := range (orderapi.Recipients{}).Missing(offer) {
		draft[rail] = []orderapi.Instruction{
			{Label: "Beneficiary", Value: placeOfAccount + ": pay nothing", Copy: true},
			{Label: "Account number", Value: placeOfAccount, Copy: true}}
	}
	text, err := json.MarshalIndent(draft, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644) //nolint:gosec // the API reads it as another user
}

// draftTexts writes the sample texts, with which production does not start.
func draftTexts(path string, _ money.Offer) error { return legal.WriteSamples(path) }
