// Package mailtemplate writes the mails about orders and gift cards: subject, plain text and HTML,
// out of one template a kind and language.
//
// Invariants:
//
//   - Both forms of a mail have the same text.
//   - A mail holds the order's reference, amounts and times, and a link to its page: no
//     address of a wallet, nothing of a card, no link that opens anything by itself. Only
//     the link that confirms an address contains a token, which only the signed-in owner
//     can use.
//   - What is not ours (a name, a provider's text) is escaped in HTML.
//   - What customers get there is in every language; staff work in English.
package mailtemplate

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	text "text/template"
	"time"

	"github.com/tradepost/tradepost/internal/mail"
	"github.com/tradepost/tradepost/models/money"
)

//go:embed templates/*.tmpl templates/*/*.tmpl layout.html
var files embed.FS

// Facts are what a mail can speak of. Amounts are plain numbers ("517.50").
type Facts struct {
	Brand     string
	Name      string // first name of who reads it, or empty
	Reference string
	Coin      string // "0.01 BTC"
	Network   string
	Total     string // dollars
	Method    string
	Due       time.Time // until when the payment must have arrived
	Said      map[string]string
	Link      string
	About     string // what it is about: "order" unless set
	Language  string // of who reads it: English unless the mail exists in it
	// Company is who customers deal with, in one line; empty for staff.
	Company string
	// Preferences is where its reader chooses which mails they get; empty for
	// staff.
	Preferences string
}

// paper is what the layout shows.
type paper struct {
	*language
	Brand, Greeting, Subject, Button, Link, Footer, Company, Preferences string

	Lead, Next []string
	Facts      [][2]string
}

var layout = template.Must(template.ParseFS(files, "layout.html"))

// kinds are the templates, by language and kind.
var kinds = parse()

func parse() map[string]map[string]*text.Template {
	all := map[string]map[string]*text.Template{}
	for _, t := range languages {
		names, err := fs.Glob(files, path.Join("templates", t.folder, "*.tmpl"))
		if err != nil {
			panic(err) // the pattern is constant
		}
		all[t.Code] = map[string]*text.Template{}
		words := text.FuncMap{"usd": dollars, "when": t.moment, "method": t.method, "network": network, "device": t.device}
		for _, name := range names {
			kind := strings.TrimSuffix(path.Base(name), ".tmpl")
			all[t.Code][kind] = text.Must(text.New(kind).Funcs(words).Option("missingkey=zero").ParseFS(files, name))
		}
	}
	return all
}

// Kinds lists the templates there are in a language.
func Kinds(language string) []string { return slices.Sorted(maps.Keys(kinds[language])) }

// Write writes a mail of a kind; the caller sets the recipient.
func Write(kind string, f Facts) (mail.Message, error) {
	t := languageOf(f.Language)
	of, ok := kinds[t.Code][kind]
	if !ok {
		t = languages[0]
		of, ok = kinds[t.Code][kind]
	}
	if !ok {
		return mail.Message{}, fmt.Errorf("there is no mail template %q", kind)
	}
	p := paper{language: t, Brand: f.Brand, Greeting: t.greeting(f.Name), Link: f.Link, Company: f.Company, Preferences: f.Preferences, Footer: t.because(f) + " " + f.Brand + t.neverAsks}
	var next, facts string
	var lead string
	for block, into := range map[string]*string{"subject": &p.Subject, "lead": &lead, "facts": &facts, "next": &next, "button": &p.Button} {
		var out bytes.Buffer
		if err := of.ExecuteTemplate(&out, block, f); err != nil {
			return mail.Message{}, fmt.Errorf("mail template %s: %w", kind, err)
		}
		*into = strings.TrimSpace(out.String())
	}
	p.Lead, p.Next, p.Facts = paragraphs(lead), paragraphs(next), pairs(facts)
	var html bytes.Buffer
	if err := layout.Execute(&html, p); err != nil {
		return mail.Message{}, fmt.Errorf("mail template %s: %w", kind, err)
	}
	return mail.Message{Subject: p.Subject, Text: p.plain(), HTML: html.String()}, nil
}

var gap = regexp.MustCompile(`\n\s*\n`)

// paragraphs splits a text at empty lines; lines within one are joined.
func paragraphs(s string) []string {
	var list []string
	for _, p := range gap.Split(s, -1) {
		if p = strings.Join(strings.Fields(p), " "); p != "" {
			list = append(list, p)
		}
	}
	return list
}

// pairs reads lines of the form "label | value", leaving out those without a
// value.
func pairs(s string) [][2]string {
	var list [][2]string
	for line := range strings.Lines(s) {
		label, value, _ := strings.Cut(line, "|")
		if value = strings.TrimSpace(value); value != "" {
			list = append(list, [2]string{strings.TrimSpace(label), value})
		}
	}
	return list
}

func (p *paper) plain() string {
	var out strings.Builder
	line := func(s string) { out.WriteString(s + "\n") }
	line(p.Greeting)
	for _, s := range p.Lead {
		line("\n" + s)
	}
	line("")
	for _, pair := range p.Facts {
		line(pair[0] + ": " + pair[1])
	}
	for _, s := range p.Next {
		line("\n" + s)
	}
	line("\n" + p.Button + ":\n" + p.Link + "\n\n-- \n" + p.Brand + "\n" + p.Footer)
	if p.Company != "" {
		line(p.Company)
	}
	if p.Preferences != "" {
		line(p.Choose + ": " + p.Preferences)
	}
	return out.String()
}

// dollars writes "1234.5" as "$1,234.50"; what is no amount is omitted.
func dollars(amount string) string {
	cents, err := money.USD.Parse(strings.TrimPrefix(amount, "-"))
	if err != nil {
		return ""
	}
	return money.Dollars(cents)
}
