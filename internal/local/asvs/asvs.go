// Package asvs makes the rows of docs/security.md's table of ASVS the failure messages of the tests that prove them.
//
//   - A test claims a requirement by the message of an assertion: require.Equal(t, want, got, asvs.Claim(t, "2.3.1")).
//   - deploy/asvs_test.go checks by source that each requirement of a row is claimed by a test that the row names, or
//     that the row lists it as not asserted.
package asvs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Row is a line of the table.
type Row struct {
	Requirements []string
	Status       string   // held, in part, not held, does not apply
	Claim        string   // what implements them
	Tests        []string // of Go, that prove them
	Stories      []string // tests of the web app, by title
	Proof        string   // document, not ours, – or "" with tests
	NotAsserted  []string // requirements that no test of the row claims
}

var (
	form  = regexp.MustCompile(`^\| ([0-9][0-9. ]+) \| (held|in part|not held|does not apply) \| ([^|]+) \| ((?:Test[A-Za-z0-9]+|story “[^”]+”)(?:, (?:Test[A-Za-z0-9]+|story “[^”]+”))*|document|not ours|–)(?:; not asserted: ([0-9. ]+))? \|$`)
	test  = regexp.MustCompile(`\bTest[A-Z][A-Za-z0-9]+`)
	story = regexp.MustCompile(`“([^”]+)”`)
)

// Table returns the section on ASVS of docs/security.md and its rows.
func Table(t testing.TB) (section string, rows []Row) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(t), "docs", "security.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "## OWASP ASVS")
	if !found {
		t.Fatal("docs/security.md has no section on ASVS")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	for line := range strings.Lines(section) {
		if !regexp.MustCompile(`^\| [0-9]`).MatchString(line) {
			continue
		}
		parts := form.FindStringSubmatch(strings.TrimSpace(line))
		if parts == nil {
			t.Fatalf("no requirement, status, reason and proof: %s", line)
		}
		row := Row{Requirements: strings.Fields(parts[1]), Status: parts[2], Claim: parts[3], Proof: parts[4], NotAsserted: strings.Fields(parts[5])}
		for _, match := range story.FindAllStringSubmatch(parts[4], -1) {
			row.Stories = append(row.Stories, match[1])
		}
		row.Tests = test.FindAllString(story.ReplaceAllString(parts[4], ""), -1)
		if len(row.Tests)+len(row.Stories) > 0 {
			row.Proof = ""
		}
		rows = append(rows, row)
	}
	return section, rows
}

// Claim returns what the table claims of requirements, as the failure message of an assertion. All are of one row, which
// names this test; any other requirement fails the test.
func Claim(t testing.TB, requirements ...string) string {
	t.Helper()
	name, _, _ := strings.Cut(t.Name(), "/")
	_, rows := Table(t)
	for _, row := range rows {
		if !slices.Contains(row.Requirements, requirements[0]) {
			continue
		}
		for _, other := range requirements {
			if !slices.Contains(row.Requirements, other) {
				t.Fatalf("ASVS %s and %s are not of one row of docs/security.md", requirements[0], other)
			}
			if slices.Contains(row.NotAsserted, other) {
				t.Fatalf("docs/security.md lists ASVS %s as not asserted", other)
			}
		}
		if !slices.Contains(row.Tests, name) {
			t.Fatalf("the row of ASVS %s in docs/security.md does not name %s", requirements[0], name)
		}
		return fmt.Sprintf("ASVS %s: %s", strings.Join(requirements, " "), row.Claim)
	}
	t.Fatalf("no row of docs/security.md has ASVS %s", requirements[0])
	return ""
}

// root is the folder of the checkout: tests run in the folder of their package.
func root(t testing.TB) string {
	t.Helper()
	at, err := os.Getwd()
	for err == nil {
		if _, missing := os.Stat(filepath.Join(at, "docs", "security.md")); missing == nil {
			return at
		}
		if filepath.Dir(at) == at {
			break
		}
		at = filepath.Dir(at)
	}
	t.Fatal("no docs/security.md above the test's folder")
	return ""
}
