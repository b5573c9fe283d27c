package setup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tradepost/tradepost/internal/config"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
)

// Options are where answers come from, and what a program adds to the settings.
type Options struct {
	// Answers is a file of NAME=value; without one a person is asked.
	Answers string
	// Overwrite replaces values that .env has without asking.
	Overwrite bool
	// Terminal is asked. Nil is none.
	Terminal *os.File
	// Out shows questions and results.
	Out io.Writer
	// Version names the image, unless .env names it.
	Version string
	// Also makes further groups of settings.
	Also []func() config.Group
	// Drafts makes the file or folder that a setting names, if it does not exist.
	Drafts map[string]func(path string, offer money.Offer) error
}

// session is one run.
type session struct {
	options  Options
	sources  []source
	settings []setting
	text     string            // of .env
	before   map[string]string // what .env had
	values   map[string]string // what it will have
	given    map[string]string // the file of answers
	fresh    []string          // what was made
	// operators is the password of the operators' pages, if it was made.
	operators string
	prompt    *prompt
	asked     int
}

// Run asks, makes what is missing, and writes .env once everything is accepted. It returns the settings as programs
// read them.
func Run(ctx context.Context, options Options) (map[string]string, error) {
	s := &session{options: options, sources: sources(options.Also)}
	found, err := load()
	if err != nil {
		return nil, err
	}
	s.text, s.before, s.values = found.text, found.values, maps.Clone(found.values)
	if s.settings, err = declared(s.sources); err != nil {
		return nil, err
	}
	if found.files {
		if err := s.keepFiles(); err != nil {
			return nil, err
		}
	}
	if err := s.open(ctx); err != nil {
		return nil, err
	}
	if err := s.fill(); err != nil {
		return nil, err
	}
	if wrong, _ := s.faults(); len(wrong) > 0 {
		return nil, fmt.Errorf("nothing was written:\n%w", errors.Join(wrong...))
	}
	if err := s.keep(); err != nil {
		return nil, err
	}
	s.drafted()
	_, left := s.faults()
	s.report(left)
	return s.env(), nil
}

// open reads the file of answers, or makes sure that there is somebody to ask.
func (s *session) open(ctx context.Context) error {
	if s.options.Answers == "" {
		if s.options.Terminal == nil {
			return errors.New("there is no terminal to ask on: name a file of answers with --answers")
		}
		s.prompt = newPrompt(ctx, s.options.Terminal, s.options.Out)
		fmt.Fprintln(s.options.Out, "Enter accepts the answer in brackets, - leaves it empty. Secrets are not shown.\n"+
			"Nothing is written before the last answer.")
		return nil
	}
	raw, err := os.ReadFile(s.options.Answers)
	if err != nil {
		return fmt.Errorf("--answers: %w", err)
	}
	if s.given, err = parse(s.options.Answers, string(raw)); err != nil {
		return err
	}
	var wrong []error
	for _, name := range slices.Sorted(maps.Keys(s.given)) {
		if s.declaration(name) == nil {
			wrong = append(wrong, fmt.Errorf("%s: %s is no setting that init knows; add others to %s yourself",
				s.options.Answers, name, file))
		}
		if fault := form(s.given[name]); fault != nil {
			wrong = append(wrong, fmt.Errorf("%s %w", name, fault))
		}
	}
	return errors.Join(wrong...)
}

func (s *session) declaration(name string) *setting {
	at := slices.IndexFunc(s.settings, func(one setting) bool { return one.name == name })
	if at < 0 {
		return nil
	}
	return &s.settings[at]
}

// fill goes through all settings in order. A file of answers is judged as a whole: one run names all its faults.
func (s *session) fill() error {
	var wrong []error
	var answered []setting
	partners := map[string]bool{}
	for _, one := range s.settings {
		if one.with != "" {
			partners[one.with] = true
		}
		asks := one.ask != "" && s.holds(one.when)
		switch {
		case !asks && s.makes(one):
			if err := s.made(one); err != nil {
				return err
			}
		case s.prompt == nil:
			taken, missing := s.take(one, asks)
			if taken {
				answered = append(answered, one)
			}
			wrong = append(wrong, missing...)
		case asks && !partners[one.name]:
			if err := s.ask(one); err != nil {
				return err
			}
		}
	}
	composed(s.before, s.values)
	for _, one := range answered { // once all are there: some belong together
		if !s.excused(one) {
			wrong = append(wrong, s.reasons(one.name)...)
		}
	}
	if wrong = once(wrong); len(wrong) > 0 {
		return fmt.Errorf("nothing was written:\n%w", errors.Join(wrong...))
	}
	return nil
}

// makes reports whether a setting that is not asked for is made.
func (s *session) makes(one setting) bool {
	return one.filling != "" && s.holds(one.group) && s.holds(one.use) && s.values[one.unless] == "" &&
		s.before[one.along] == "" && s.values[one.name] == "" && s.given[one.name] == ""
}

// take takes a value from the file of answers, or what would be offered to a person, and reports whether there was one.
func (s *session) take(one setting, asks bool) (taken bool, missing []error) {
	value, given := s.given[one.name]
	if !given && !asks {
		return false, nil
	}
	if !given {
		value = s.proposal(one)
	}
	if value == "" && one.ask == must && asks {
		return false, []error{fmt.Errorf("%s has no answer: %s", one.name, one.help)}
	}
	s.values[one.name] = value
	return true, nil
}

// excused reports whether a value may be as it is until the programs start.
func (s *session) excused(one setting) bool {
	value := s.values[one.name]
	_, draft := s.options.Drafts[one.name]
	return one.ask == may && value == "" || one.ask == later && (value == "" || draft)
}

// proposal is the answer that is offered: the former one, the suggested one, or the program's own default.
func (s *session) proposal(one setting) string {
	if value, there := s.before[one.name]; there {
		return value
	}
	if !one.offers {
		return one.fallback
	}
	if one.suggest == "-" {
		return ""
	}
	complete := true
	value := placeholder.ReplaceAllStringFunc(one.suggest, func(name string) string {
		found := s.placeholders(strings.Trim(name, "{}"))
		complete = complete && found != ""
		return found
	})
	if !complete {
		return ""
	}
	return value
}

var placeholder = regexp.MustCompile(`\{[A-Z_]+\}`)

// placeholders are other answers, what is made of them, and the smallest offer.
func (s *session) placeholders(name string) string {
	switch name {
	case "SMALLEST_ASSETS":
		var codes []string
		for _, coin := range money.Smallest.Assets {
			codes = append(codes, string(coin))
		}
		return strings.Join(codes, ",")
	case "SMALLEST_RAILS":
		return strings.Join(money.Smallest.Rails, ",")
	case "BACKUPS":
		bucket, err := url.Parse(s.values["FILES_URL"])
		if err != nil || bucket.Scheme != "s3" {
			return ""
		}
		bucket.Host += "-backups"
		return bucket.String()
	}
	return s.values[name]
}

// offer is what the answers so far offer.
func (s *session) offer() money.Offer {
	var o config.Offering
	if _, err := filled(&o, s.env()); err != nil {
		return money.Offer{}
	}
	return o.Offer()
}

func (s *session) mode() config.Mode { return config.Mode(s.values["MODE"]) }

// holds reports whether a condition of the tag when is met.
func (s *session) holds(condition string) bool {
	switch condition {
	case "":
		return true
	case "production":
		return s.mode() == config.Production
	case "card":
		return s.offer().Takes(pricing.MethodCard)
	case "networks":
		offer := s.offer()
		return slices.ContainsFunc(offer.Coins(), func(coin money.Currency) bool { return len(coin.Wallets()) > 1 })
	case "own-issuer":
		return s.values["OIDC_ISSUER"] != ""
	case "embedded":
		return s.values["OIDC_ISSUER"] == ""
	case "backups":
		return s.values["BACKUP_URL"] != ""
	}
	panic("setup: no condition is called " + condition)
}

// env are the settings as programs read them, with those that compose makes of others.
func (s *session) env() map[string]string {
	env := maps.Clone(s.values)
	env["PUBLIC_URL"] = "https://" + s.values["SITE_HOST"]
	if s.values["OIDC_ISSUER"] == "" && s.values["IDENTITY_HOST"] != "" {
		env["OIDC_ISSUER"] = "https://" + s.values["IDENTITY_HOST"]
	}
	env["EMBEDDED_IDENTITY"] = fmt.Sprint(s.values["OIDC_ISSUER"] == "")
	env["BITGO_URL"], env["BITGO_ENV"] = "http://bitgo-express:3080", "prod"
	if s.mode() == config.Staging {
		env["BITGO_ENV"], env["KRAKEN_URL"] = "test", "http://kraken:8091"
	}
	return env
}

// standsIn is what programs are given instead of a setting.
var standsIn = map[string]string{"SITE_HOST": "PUBLIC_URL", "IDENTITY_HOST": "OIDC_ISSUER"}

// reasons are the faults that the programs which read a setting find in its value. The value of a secret is in none.
func (s *session) reasons(name string) []error {
	var found []error
	if fault := form(s.values[name]); fault != nil {
		return []error{fmt.Errorf("%s %w", name, fault)}
	}
	env := s.env()
	for _, from := range s.sources {
		group := from.make()
		known, err := filled(group, env)
		if !s.holds(from.when) || !slices.Contains(known, name) && !slices.Contains(known, standsIn[name]) {
			continue
		}
		if err == nil {
			err = errors.Join(group.Check(s.mode()), s.offering(group))
		}
		for _, fault := range each(err) {
			if mentions(fault, name) || standsIn[name] != "" && mentions(fault, standsIn[name]) {
				found = append(found, s.unseen(fault))
			}
		}
	}
	return once(found)
}

// offering are the faults of a group that depend on what is offered.
func (s *session) offering(group config.Group) error {
	var o config.Offering
	if _, err := filled(&o, s.env()); err != nil {
		return nil //nolint:nilerr // it is a fault of the offer's own settings
	}
	return config.CheckOffers(s.mode(), []config.Group{&o, group})
}

// faults are those of all settings: wrong ones, and ones that can be corrected before the programs start.
func (s *session) faults() (wrong, left []error) {
	env, all := s.env(), []error(nil)
	for _, from := range s.sources {
		group := from.make()
		_, err := filled(group, env)
		if !s.holds(from.when) {
			continue
		}
		if err == nil {
			err = errors.Join(group.Check(s.mode()), s.offering(group))
		}
		all = append(all, each(err)...)
	}
	for _, fault := range all {
		fault = s.unseen(fault)
		if slices.ContainsFunc(s.settings, func(one setting) bool {
			return one.ask == later && mentions(fault, one.name) && s.excused(one)
		}) {
			left = append(left, fault)
			continue
		}
		wrong = append(wrong, fault)
	}
	return once(wrong), once(left)
}

// unseen is a fault without the values of secrets, which the programs' checks do not name either.
func (s *session) unseen(fault error) error {
	text := fault.Error()
	for name, value := range s.values {
		if isSecret(name) && len(value) >= 8 {
			text = strings.ReplaceAll(text, value, "…")
		}
	}
	return errors.New(text)
}

func once(faults []error) []error {
	var found []error
	for _, fault := range faults {
		if !slices.ContainsFunc(found, func(known error) bool { return known.Error() == fault.Error() }) {
			found = append(found, fault)
		}
	}
	return found
}

// longest is how long an answer may be.
const longest = 4000

// form refuses what can be no value of a setting, whatever reads it.
func form(value string) error {
	switch {
	case len(value) > longest:
		return fmt.Errorf("is longer than %d characters", longest)
	case !utf8.ValidString(value):
		return errors.New("is no text in UTF-8")
	case strings.ContainsFunc(value, func(r rune) bool { return !unicode.IsPrint(r) }):
		return errors.New("has characters that cannot be seen")
	case value != strings.TrimSpace(value):
		return errors.New("begins or ends with a blank")
	case !writable(value):
		return errors.New("cannot be written into " + file + ": it has both kinds of quotes, or a $ or \\ beside a '")
	}
	return nil
}

// keep writes .env if anything differs, and asks before a value that is there is replaced.
func (s *session) keep() error {
	news := changed(s.before, s.values)
	if len(news) == 0 {
		fmt.Fprintf(s.options.Out, "\n%s is as the answers say. Nothing was written.\n", file)
		return closeToOthers()
	}
	after, err := render(s.text, s.settings, s.values, news)
	if err != nil {
		return err
	}
	replaced := slices.DeleteFunc(slices.Clone(news), func(name string) bool { return s.before[name] == "" })
	if len(replaced) > 0 && !s.options.Overwrite {
		if s.prompt == nil {
			return fmt.Errorf("nothing was written: %s has other values for %s; --overwrite replaces them", file,
				strings.Join(replaced, ", "))
		}
		yes, err := s.prompt.confirm(fmt.Sprintf("Replace %s in %s?", strings.Join(replaced, ", "), file))
		if err != nil {
			return err
		}
		if !yes {
			return errors.New("nothing was written")
		}
	}
	if now, err := readEnv(); err != nil || now != s.text {
		return errors.Join(err, fmt.Errorf("nothing was written: %s was changed since it was read; run init again", file))
	}
	if s.operators != "" {
		if err := s.keepOperators(); err != nil {
			return err
		}
	}
	if err := write(file, after); err != nil {
		return err
	}
	fmt.Fprintf(s.options.Out, "\nWrote %s: %d settings.\n", file, len(news))
	return nil
}

// operatorsFile is the file that keeps the password of the operators' pages, of which .env has the hash alone.
const operatorsFile = "OPERATORS_PASSWORD"

func (s *session) keepOperators() error {
	dir := secretsDir(s.values)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return write(filepath.Join(dir, operatorsFile), s.operators+"\n")
}

// drafted makes the files of this folder that settings name and that do not exist. What is elsewhere would stay in the
// container.
func (s *session) drafted() {
	for _, name := range slices.Sorted(maps.Keys(s.options.Drafts)) {
		path := s.values[name]
		if !filepath.IsLocal(path) {
			continue
		}
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err := s.options.Drafts[name](path, s.offer()); err != nil {
			fmt.Fprintf(s.options.Out, "%s: %v\n", name, err)
			continue
		}
		fmt.Fprintf(s.options.Out, "Wrote %s, a draft: %s names it.\n", path, name)
	}
}
