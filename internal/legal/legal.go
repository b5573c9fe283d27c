// Package legal reads the texts of an installation from a folder: terms.<language>.md,
// privacy.<language>.md and any further document, with their versions. Customers agree to each
// of them but about.<language>.md, which only says who runs the site.
//
// Invariants:
//
//   - A version is the same document in each of its languages, English among them, and comes
//     into force at the beginning of its day in UTC.
//   - The version in force is the latest whose day has come. A later one is announced.
//   - Markdown is rendered without raw HTML, and without links that run scripts.
package legal

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// English is the language that every version has.
const English = "en"

// Required are the documents that each folder has.
var Required = []string{"terms", "privacy"}

// About says who runs the site: it is not agreed to, and without it the sample is shown.
const About = "about"

//go:embed samples/*.md
var samples embed.FS

// Text is a version in one language.
type Text struct {
	Title   string
	Lead    string
	Changes string // what is new in this version, for those who agreed to an earlier one
	Hash    string // SHA-256 of the file
	source  []byte
}

// Version is one version of a document.
type Version struct {
	Document string
	Name     string
	InForce  time.Time
	Sample   bool
	texts    map[string]Text
}

// In is the text in a language, or in English; given is the language that it is in.
func (v *Version) In(language string) (text Text, given string) {
	if text, has := v.texts[language]; has {
		return text, language
	}
	return v.texts[English], English
}

// Key names a version among those of all documents, as consents do.
func (v *Version) Key() string { return v.Document + " " + v.Name }

// Library is all versions of all documents, each document's by day.
type Library struct{ documents map[string][]*Version }

// header is the YAML header of a file.
type header struct {
	Title   string    `yaml:"title"`
	Lead    string    `yaml:"lead"`
	Version string    `yaml:"version"`
	InForce time.Time `yaml:"in_force"`
	Changes string    `yaml:"changes"`
	Sample  bool      `yaml:"sample"`
}

var placeholder = regexp.MustCompile(`\{\{([^}\n]{0,40})(?:\}\})?`)

var fileName = regexp.MustCompile(`^([a-z]+)(?:\.[0-9a-z-]+)?\.([a-z]{2})\.md$`)

// Load reads a folder and its folder archive; an empty name is the sample texts. values
// replace {{name}} in the texts: one that is not configured is refused. Who shows no text
// gives none.
func Load(folder string, values map[string]string) (*Library, error) {
	if folder == "" {
		return read(samples, values, "samples/*.md")
	}
	return read(os.DirFS(folder), values, "*.md", "archive/*.md")
}

func read(files fs.FS, values map[string]string, patterns ...string) (*Library, error) {
	l := &Library{documents: map[string][]*Version{}}
	err := l.addAll(files, values, patterns...)
	if err == nil && len(l.documents[About]) == 0 {
		err = l.addAll(samples, values, "samples/"+About+".*.md")
	}
	if err != nil {
		return nil, err
	}
	return l, l.check()
}

func (l *Library) addAll(files fs.FS, values map[string]string, patterns ...string) error {
	for _, pattern := range patterns {
		names, err := fs.Glob(files, pattern)
		if err != nil {
			return err
		}
		for _, name := range names {
			content, err := fs.ReadFile(files, name)
			if err == nil {
				err = l.add(path.Base(name), content, values)
			}
			if err != nil {
				return fmt.Errorf("LEGAL_DIR: %s: %w", name, err)
			}
		}
	}
	return nil
}

// add puts a file to its version.
func (l *Library) add(name string, content []byte, values map[string]string) error {
	parts := fileName.FindStringSubmatch(name)
	if parts == nil {
		return fmt.Errorf("the name must be document.language.md or document.version.language.md, as terms.en.md")
	}
	front, body, found := strings.Cut(strings.TrimPrefix(strings.ReplaceAll(string(content), "\r\n", "\n"), "---\n"), "\n---\n")
	var head header
	decoder := yaml.NewDecoder(strings.NewReader(front))
	decoder.KnownFields(true)
	if err := decoder.Decode(&head); err != nil {
		return fmt.Errorf("the header between two lines of --- cannot be read: %w", err)
	}
	if !found || head.Title == "" || head.Version == "" || head.InForce.IsZero() {
		return fmt.Errorf("the header must have title, version and in_force, and end with ---")
	}
	for _, text := range []*string{&head.Title, &head.Lead, &body} {
		if err := fillIn(text, values); err != nil {
			return err
		}
	}
	sum := sha256.Sum256(content)
	text := Text{Title: head.Title, Lead: head.Lead, Changes: head.Changes, Hash: hex.EncodeToString(sum[:]), source: []byte(body)}
	return l.put(parts[1], parts[2], head, text)
}

// fillIn replaces {{name}} by its value.
func fillIn(text *string, values map[string]string) error {
	for name, value := range values {
		if value != "" {
			*text = strings.ReplaceAll(*text, "{{"+name+"}}", value)
		}
	}
	left := placeholder.FindStringSubmatch(*text)
	if left == nil || values == nil {
		return nil
	}
	if _, known := values[left[1]]; known && strings.HasSuffix(left[0], "}}") {
		return fmt.Errorf("%s is not configured: set LEGAL_%s, or leave it out of the text", left[0], strings.ToUpper(left[1]))
	}
	return fmt.Errorf("%s is none of the values that a text may name (docs/operations.md)", left[0])
}

func (l *Library) put(document, language string, head header, text Text) error {
	at := slices.IndexFunc(l.documents[document], func(v *Version) bool { return v.Name == head.Version })
	if at < 0 {
		v := &Version{Document: document, Name: head.Version, InForce: head.InForce.UTC(), texts: map[string]Text{}}
		l.documents[document] = append(l.documents[document], v)
		at = len(l.documents[document]) - 1
	}
	v := l.documents[document][at]
	if _, twice := v.texts[language]; twice {
		return fmt.Errorf("version %s is there twice in this language", head.Version)
	}
	if !v.InForce.Equal(head.InForce.UTC()) {
		return fmt.Errorf("version %s has another in_force in another language", head.Version)
	}
	v.texts[language], v.Sample = text, v.Sample || head.Sample
	return nil
}

// check demands English of each version, and one version of each required document that is
// in force from some day on alone.
func (l *Library) check() error {
	for _, document := range Required {
		if len(l.documents[document]) == 0 {
			return fmt.Errorf("LEGAL_DIR holds no %s.%s.md", document, English)
		}
	}
	for document, versions := range l.documents {
		slices.SortFunc(versions, func(a, b *Version) int { return a.InForce.Compare(b.InForce) })
		for i, v := range versions {
			if _, has := v.texts[English]; !has {
				return fmt.Errorf("LEGAL_DIR: version %s of %s has no text in English", v.Name, document)
			}
			if i > 0 && v.InForce.Equal(versions[i-1].InForce) {
				return fmt.Errorf("LEGAL_DIR: versions %s and %s of %s come into force on one day", versions[i-1].Name, v.Name, document)
			}
		}
	}
	return nil
}

// Samples are the documents of which a sample text is in force or will be.
func (l *Library) Samples(at time.Time) (documents []string) {
	for _, document := range l.names() {
		current := l.InForce(document, at)
		if slices.ContainsFunc(l.documents[document], func(v *Version) bool { return v.Sample && (v == current || v.InForce.After(at)) }) {
			documents = append(documents, document)
		}
	}
	return documents
}

// Further are the versions in force of the documents that have no page of their own.
func (l *Library) Further(at time.Time) (further []*Version) {
	for _, document := range l.names() {
		if v := l.InForce(document, at); v != nil && !OwnPage(document) {
			further = append(further, v)
		}
	}
	return further
}

// OwnPage reports whether a document is at /<document>; the others are at /legal/<document>.
func OwnPage(document string) bool { return document == About || slices.Contains(Required, document) }

// InForce is the version of a document that is in force; nil for none.
func (l *Library) InForce(document string, at time.Time) *Version {
	versions := l.documents[document]
	for _, v := range slices.Backward(versions) {
		if !v.InForce.After(at) {
			return v
		}
	}
	return nil
}

// Find is a version by its name; nil where it is not kept.
func (l *Library) Find(document, name string) *Version {
	for _, v := range l.documents[document] {
		if v.Name == name {
			return v
		}
	}
	return nil
}

// names are the documents, the required ones first.
func (l *Library) names() []string {
	return slices.SortedFunc(maps.Keys(l.documents), func(a, b string) int {
		rank := func(name string) int {
			if at := slices.Index(Required, name); at >= 0 {
				return at
			}
			return len(Required)
		}
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	})
}

// Due are the versions in force that are not among the consents given.
func (l *Library) Due(given []string, at time.Time) (due []*Version) {
	for _, document := range l.names() {
		if v := l.InForce(document, at); v != nil && document != About && !slices.Contains(given, v.Key()) {
			due = append(due, v)
		}
	}
	return due
}

// Coming are the versions that are not in force yet, the nearest of each document.
func (l *Library) Coming(at time.Time) (coming []*Version) {
	for _, document := range l.names() {
		for _, v := range l.documents[document] {
			if v.InForce.After(at) && document != About {
				coming = append(coming, v)
				break
			}
		}
	}
	return coming
}

// AtSignUp are the versions that a sign-up agrees to: of the terms the named one, of the
// privacy notice the one in force at that moment.
func (l *Library) AtSignUp(terms string, at time.Time) (given []*Version) {
	if v := l.Find("terms", terms); v != nil {
		given = append(given, v)
	}
	if v := l.InForce("privacy", at); v != nil {
		given = append(given, v)
	}
	return given
}

// HTML is a text as the page shows it at a moment, with the list of its contents.
func (v *Version) HTML(language string, at time.Time) (string, error) {
	text, given := v.In(language)
	var body bytes.Buffer
	headings, err := render(text.source, &body)
	if err != nil {
		return "", fmt.Errorf("render %s: %w", v.Key(), err)
	}
	var out bytes.Buffer
	err = page.Execute(&out, view{Version: v, Text: text, Words: wordsOf(language), Language: given, Other: given != language, Coming: v.InForce.After(at), Body: trusted(body.String()), Headings: headings})
	return out.String(), err
}

// WriteSamples writes the sample texts into a new folder, from which people write their own.
func WriteSamples(folder string) error {
	texts, err := fs.Sub(samples, "samples")
	if err != nil {
		return err
	}
	return os.CopyFS(folder, texts)
}
