package setup

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/alecthomas/kong"

	"github.com/tradepost/tradepost/internal/config"
	"github.com/tradepost/tradepost/internal/envfile"
)

// How a question may be answered: the values of the tag ask.
const (
	must  = "must"
	may   = "may"
	later = "later"
)

// source makes an empty group of settings; while its condition does not hold, the group is neither checked nor needed.
type source struct {
	make func() config.Group
	when string
}

// sources are the groups in the order of the questions; also are those that a program declares itself.
func sources(also []func() config.Group) []source {
	all := []source{
		{make: func() config.Group { return &config.Common{} }},
		{make: func() config.Group { return &names{} }},
		{make: func() config.Group { return &config.Offering{} }},
		{make: func() config.Group { return &config.Speaking{} }},
		{make: func() config.Group { return &config.IdentityProvider{} }},
		{make: func() config.Group { return &signIn{} }},
		{make: func() config.Group { return &config.Site{} }},
		{make: func() config.Group { return &storage{} }},
		{make: func() config.Group { return &config.Backups{} }, when: "backups"},
		{make: func() config.Group { return &config.Seals{} }},
		{make: func() config.Group { return &config.Mail{} }},
		{make: func() config.Group { return &config.Stripe{} }},
		{make: func() config.Group { return &config.Kraken{} }},
		{make: func() config.Group { return &config.WithdrawKeys{} }},
		{make: func() config.Group { return &config.BitGo{} }},
		{make: func() config.Group { return &config.Sumsub{} }},
		{make: func() config.Group { return &config.Webhooks{} }},
		{make: func() config.Group { return &config.Caps{} }},
		{make: func() config.Group { return &config.Slippage{} }},
		{make: func() config.Group { return &config.SignIn{} }},
		{make: func() config.Group { return &config.Legal{} }},
		{make: func() config.Group { return &machine{} }},
	}
	for _, group := range also {
		all = append(all, source{make: group})
	}
	return all
}

// setting is the declaration of one variable.
type setting struct {
	name, help, fallback              string
	ask, suggest, when, with, filling string
	tell                              string
	unless                            string // the setting with which it is not made
	along                             string // the setting that is made with it: later it is not made
	use                               string // the condition under which it is made
	group                             string // the condition of its group
	offers                            bool   // suggest is declared
	required                          bool
}

// secret reports whether the value is shown nowhere.
func (s setting) secret() bool { return isSecret(s.name) }

func isSecret(name string) bool {
	return slices.Contains(envfile.Secrets, name) || strings.HasSuffix(name, "_PASSWORD") || strings.HasSuffix(name, "_HASH")
}

// declared reads the declarations of all groups, each variable once: if several groups have it, the declaration that says
// how it is filled in.
func declared(all []source) ([]setting, error) {
	var found []setting
	for _, from := range all {
		parser, err := parserOf(from.make())
		if err != nil {
			return nil, err
		}
		for _, flag := range parser.Model.Flags {
			if len(flag.Envs) == 0 {
				continue
			}
			s := settingOf(flag)
			s.group = from.when
			at := slices.IndexFunc(found, func(known setting) bool { return known.name == s.name })
			switch {
			case at < 0:
				found = append(found, s)
			case found[at].ask == "" && found[at].filling == "":
				s.required = s.required || found[at].required
				found[at] = s
			}
		}
	}
	return found, nil
}

func settingOf(flag *kong.Flag) setting {
	tag := flag.Tag
	return setting{name: flag.Envs[0], help: flag.Help, fallback: flag.Default, required: tag.Required,
		ask: tag.Get("ask"), suggest: tag.Get("suggest"), offers: tag.Has("suggest"), when: tag.Get("when"),
		with: tag.Get("with"), filling: tag.Get("make"), tell: tag.Get("tell"),
		unless: tag.Get("unless"), along: tag.Get("along"), use: tag.Get("for")}
}

// parserOf reads the declarations of a group. It takes nothing from this process's environment and demands nothing.
func parserOf(group config.Group) (*kong.Kong, error) {
	parser, err := kong.New(group, kong.Name("init"), kong.NoDefaultHelp())
	if err != nil {
		return nil, fmt.Errorf("read the declarations of %T: %w", group, err)
	}
	for _, flag := range parser.Model.Flags {
		flag.Tag.Envs, flag.Required = nil, false
	}
	return parser, nil
}

// filled parses values into a group as its program does, and returns the variables that it declares.
func filled(group config.Group, values map[string]string) (known []string, err error) {
	parser, err := parserOf(group)
	if err != nil {
		return nil, err
	}
	var args []string
	for _, flag := range parser.Model.Flags {
		known = append(known, flag.Envs...)
		if len(flag.Envs) > 0 && values[flag.Envs[0]] != "" {
			args = append(args, "--"+flag.Name+"="+values[flag.Envs[0]])
		}
	}
	if _, err = parser.Parse(args); err == nil {
		return known, nil
	}
	text := config.Named(parser, err).Error()
	for _, flag := range parser.Model.Flags {
		if len(flag.Envs) > 0 {
			text = strings.ReplaceAll(text, "--"+flag.Name+":", flag.Envs[0]+":")
		}
	}
	return known, errors.New(text)
}

// each is every fault of an error that joins several.
func each(err error) []error {
	var many interface{ Unwrap() []error }
	if err == nil {
		return nil
	}
	if !errors.As(err, &many) {
		return []error{err}
	}
	var all []error
	for _, one := range many.Unwrap() {
		all = append(all, each(one)...)
	}
	return all
}

// mentions reports whether a fault is of a variable.
func mentions(fault error, name string) bool {
	apart := func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	return slices.Contains(strings.FieldsFunc(fault.Error(), apart), name)
}
