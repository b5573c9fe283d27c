package deploy

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	// citation is a section of one of the three pages that code cites, or several of one page.
	citation = regexp.MustCompile(`\b(specification|rules|providers) (§[0-9]+(?:\.[0-9]+)?(?:(?:, | and )§[0-9]+(?:\.[0-9]+)?)*)`)
	section  = regexp.MustCompile(`§([0-9]+(?:\.[0-9]+)?)`)
	// outside are the forms by which pages were cited that are not in the repository.
	outside = regexp.MustCompile(`\b(SPEC|DECISIONS|PROVIDERS|BAR)\b`)
	barCite = regexp.MustCompile(`\bbars? ([0-9]+)(?: and ([0-9]+))?\b`)
	barTest = regexp.MustCompile(`\bTestBar([0-9]+)(?:And([0-9]+))?[A-Za-z0-9_]*`)
	cites   = regexp.MustCompile(`(^Makefile|\.(go|tsx?|md|sql|csv|yml|sh|mjs|css))$`)
)

// sources visits each text file of the checkout that is written by hand.
func sources(t *testing.T, visit func(path, text string)) {
	t.Helper()
	seen := 0
	root := os.DirFS("..")
	err := fs.WalkDir(root, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && path != "." && (strings.HasPrefix(entry.Name(), ".") || slices.Contains([]string{"node_modules", "dist", "testdata", "coverage"}, entry.Name())) {
			return fs.SkipDir
		}
		if entry.IsDir() || !cites.MatchString(entry.Name()) || path == "deploy/citations_test.go" {
			return nil
		}
		text, err := fs.ReadFile(root, path)
		if err == nil {
			seen++
			visit(path, string(text))
		}
		return err
	})
	require.NoError(t, err)
	require.Greater(t, seen, 900, "the sources were read")
}

// A section that a comment, a test or a page cites is there: specification §2 is the section 2
// of docs/specification.md, and likewise of rules and providers. No page outside of the
// repository is cited.
func TestCitedSectionsExist(t *testing.T) {
	sections := map[string][]string{}
	for _, page := range []string{"specification", "rules", "providers"} {
		sections[page] = names(`(?m)^##+ ([0-9]+(?:\.[0-9]+)?)\.? `, read(t, "docs/"+page+".md"))
		require.Greater(t, len(sections[page]), 8, page)
	}
	cited := 0
	sources(t, func(path, text string) {
		require.Empty(t, outside.FindString(text), "%s cites a page that is not in the repository", path)
		for _, found := range citation.FindAllStringSubmatch(text, -1) {
			for _, number := range section.FindAllStringSubmatch(found[2], -1) {
				cited++
				require.Contains(t, sections[found[1]], number[1], "%s cites %s", path, found[0])
			}
		}
	})
	require.Greater(t, cited, 120, "citations were found")
}

// The rows of docs/bar.md are numbered without gaps, each that is cited exists, and each names the tests with its
// number.
func TestBarPageNamesItsTests(t *testing.T) {
	tests := map[int][]string{}
	named := 0
	for name := range testsThere(t) {
		if parts := barTest.FindStringSubmatch(name); parts != nil {
			named++
			for _, number := range parts[1:] {
				if n, err := strconv.Atoi(number); err == nil {
					tests[n] = append(tests[n], "`"+name+"`")
				}
			}
		}
	}
	require.Greater(t, named, 200)
	page := read(t, "docs/bar.md")
	count := 0
	row := regexp.MustCompile(`(?m)^\| ([0-9]+) \| ([^|]+) \| ([^|]*) \|$`)
	fresh := row.ReplaceAllStringFunc(page, func(line string) string {
		parts := row.FindStringSubmatch(line)
		count++
		require.Equal(t, strconv.Itoa(count), parts[1], "rows are numbered in order")
		slices.Sort(tests[count])
		rest := regexp.MustCompile("`TestBar[A-Za-z0-9_]+`(, )?").ReplaceAllString(parts[3], "")
		shown := slices.Clone(tests[count])
		if rest = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), ",")); rest != "" {
			shown = append(shown, rest)
		}
		require.NotEmpty(t, shown, "nothing shows bar %d", count)
		return fmt.Sprintf("| %d | %s | %s |", count, parts[2], strings.Join(shown, ", "))
	})
	if *update {
		require.NoError(t, os.WriteFile(filepath.Join("..", "docs", "bar.md"), []byte(fresh), 0o600))
		return
	}
	require.True(t, fresh == page, "docs/bar.md is out of date: go test ./deploy -run Bar -update")
	sources(t, func(path, text string) {
		for _, found := range barCite.FindAllStringSubmatch(text, -1) {
			for _, number := range found[1:] {
				if n, err := strconv.Atoi(number); err == nil {
					require.True(t, n >= 1 && n <= count, "%s cites bar %d", path, n)
				}
			}
		}
	})
}
