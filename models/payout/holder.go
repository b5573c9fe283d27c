package payout

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/tradepost/tradepost/models/store"
)

// compareHolder compares the account's holder with the verified name: the account's name, which is locked once an
// identity is verified. A payout to another name takes two approvals, whatever its amount.
func (p *Payout) compareHolder(ctx context.Context, db *store.DB, holder string) error {
	var first, last string
	if err := db.Row(ctx, "SELECT first_name, last_name FROM users WHERE id = $1", p.UserID).Scan(&first, &last); err != nil {
		return fmt.Errorf("read the verified name: %w", err)
	}
	if p.HolderDiffers = !sameHolder(holder, first, last); p.HolderDiffers {
		p.ApprovalsNeeded = 2
	}
	return nil
}

// particles are the words of family names that banks leave out.
var particles = strings.Fields("af al am an aus bin da das de del della den der di do dos du el la las le les los ten ter van vom von y zu zum zur")

// sameHolder reports whether the holder of an account has a verified name. Case, marks, punctuation and the order of the
// words do not count, nor do particles. The first given name and every word of the family name must be there. Other
// given names may be missing, or be initials; where none is verified, initials are accepted. A further word is
// another name.
func sameHolder(holder, firstName, lastName string) bool {
	given, family := nameWords(firstName), nameWords(lastName)
	if len(given) == 0 { // one name alone
		given, family = family, nil
	}
	if len(given) == 0 {
		return false
	}
	rest := nameWords(holder)
	for _, word := range append(slices.Clone(given[:1]), withoutParticles(family)...) {
		i := slices.IndexFunc(rest, func(w string) bool { return sameWord(w, word) })
		if i < 0 {
			return false
		}
		rest = slices.Concat(rest[:i], rest[i+1:])
	}
	middle := slices.Clone(given[1:])
	for _, word := range rest {
		initial := len([]rune(word)) == 1
		if isParticle(word) || initial && len(given) == 1 {
			continue
		}
		i := slices.IndexFunc(middle, func(m string) bool {
			return sameWord(word, m) || initial && strings.HasPrefix(plainWord(m), plainWord(word))
		})
		if i < 0 {
			return false
		}
		middle = slices.Concat(middle[:i], middle[i+1:])
	}
	return true
}

func isParticle(word string) bool { return slices.Contains(particles, plainWord(word)) }

// withoutParticles are the words of a family name that have to be there; a name of particles alone keeps them.
func withoutParticles(words []string) []string {
	if kept := slices.DeleteFunc(slices.Clone(words), isParticle); len(kept) > 0 {
		return kept
	}
	return words
}

// nameWords are the words of a name.
func nameWords(name string) []string {
	name = strings.ToLower(norm.NFC.String(name))
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune("'’‘ʼ`´", r) { // O'Brien is one word
			return -1
		}
		return r
	}, name)
	return strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) })
}

// sameWord reports whether two words of names are spelled alike: with or without their marks, or with an umlaut as two
// letters.
func sameWord(a, b string) bool {
	return plainWord(a) == plainWord(b) || plainWord(umlauts.Replace(a)) == plainWord(umlauts.Replace(b))
}

var (
	umlauts = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue")
	letters = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "ł", "l", "đ", "d", "ð", "d", "þ", "th", "ı", "i")
)

// plainWord is a word without marks, in the letters that banks use.
func plainWord(word string) string {
	word = strings.Map(func(r rune) rune {
		if unicode.IsMark(r) {
			return -1
		}
		return r
	}, norm.NFKD.String(word))
	return letters.Replace(word)
}
