package typed

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// MaxName bounds a part of a name, in characters.
const MaxName = 60

// NameFault is why a name is refused.
type NameFault string

// The only reasons a name is refused for.
const (
	NameEmpty   NameFault = "no_visible_character"
	NameLong    NameFault = "too_long"
	NameControl NameFault = "control_character"
)

// Name is one part of a person's name as it is stored, and why it is refused, or "". Whatever people are named is
// accepted: only what is not displayed, or changes how the text around it is displayed, is not.
func Name(text string) (name string, fault NameFault) {
	name = norm.NFC.String(strings.TrimFunc(text, blank))
	if Unprintable(name) {
		return name, NameControl
	}
	name = strings.Join(strings.Fields(name), " ")
	switch {
	case !strings.ContainsFunc(name, Visible):
		return name, NameEmpty
	case utf8.RuneCountInString(name) > MaxName:
		return name, NameLong
	}
	return name, ""
}

// Unprintable reports whether a text of one line has a character that no name has: one that is no character, controls
// the display, separates lines, or changes the direction of the text around it.
func Unprintable(text string) bool {
	return !utf8.ValidString(text) || strings.ContainsFunc(text, unprintable)
}

// unprintable is a control character, a separator of lines, or one that overrides or isolates the direction of the
// text (Unicode Standard Annex 9, section 2).
func unprintable(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp) ||
		r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

// Visible reports whether a character is displayed by itself.
func Visible(r rune) bool {
	return unicode.IsGraphic(r) && !blank(r) && !Invisible(r) && !unicode.IsMark(r)
}
