// Package i18n translates the server's English messages into a customer's language. The
// English message is in the code and is what is stored, logged and compared; its
// translation is looked up by it when an answer is sent.
//
// So one stored answer can be sent to the same person in two languages, and the code needs
// no message keys.
package i18n

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// In translates an English message into a language. What has no translation stays English:
// a test finds such messages in the source.
func In(language, english string) string {
	if language != "es" {
		return english
	}
	said, known := spanish()[english]
	if known {
		return said
	}
	for _, p := range patterns() {
		if values := p.form.FindStringSubmatch(english); values != nil {
			return fill(p.said, values)
		}
	}
	return english
}

// pattern is a sentence with values in it.
type pattern struct {
	form *regexp.Regexp
	said string
	bare int // how much of it is no value
}

// hole is a value's placeholder in an English message, of any Go verb.
const hole = "%s"

// spanish are all sentences, whole and with holes.
var spanish = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for _, table := range tables {
		for english, said := range table {
			all[english] = said
		}
	}
	return all
})

// patterns are the messages with placeholders, the longest first: where two fit, the closer
// one is meant.
var patterns = sync.OnceValue(func() (all []pattern) {
	for english, said := range spanish() {
		pieces := strings.Split(english, hole)
		if len(pieces) == 1 {
			continue
		}
		for i := range pieces {
			pieces[i] = regexp.QuoteMeta(pieces[i])
		}
		form := regexp.MustCompile(`(?s)^` + strings.Join(pieces, `(.*?)`) + `$`)
		all = append(all, pattern{form, said, len(english) - len(hole)*(len(pieces)-1)})
	}
	slices.SortFunc(all, func(a, b pattern) int {
		return cmp.Or(cmp.Compare(b.bare, a.bare), cmp.Compare(a.form.String(), b.form.String()))
	})
	return all
})

// place is a value's placeholder in a translation: {1} as it was written, {1:said}
// translated itself, {1:el} likewise in the masculine form, {1:list} each of a list.
var place = regexp.MustCompile(`\{([1-9])(?::(said|el|list))?\}`)

// fill puts the values of a sentence into its translation.
func fill(said string, values []string) string {
	return place.ReplaceAllStringFunc(said, func(at string) string {
		value, how := values[at[1]-'0'], strings.Trim(at[2:], ":}")
		switch how {
		case "said":
			return inner(value)
		case "el":
			said := inner(value)
			if stem, is := strings.CutSuffix(said, "a"); is && said != value {
				return stem + "o"
			}
			return said
		case "list":
			all := strings.Split(value, ", ")
			for i := range all {
				all[i] = inner(all[i])
			}
			return strings.Join(all, ", ")
		}
		return value
	})
}

// inner translates a value that is a word or a message itself. A status appears in a
// message as a program writes it, or with blanks.
func inner(value string) string {
	if said, known := spanish()[strings.ReplaceAll(value, " ", "_")]; known {
		return said
	}
	return In("es", value)
}
