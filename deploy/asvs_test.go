package deploy

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// asvs is how many requirements each section of OWASP ASVS 5.0.0 has; WebRTC's have
// nothing here to be about.
var asvs = map[string]int{"1.1": 2, "1.2": 10, "1.3": 12, "1.4": 3, "1.5": 3, "2.1": 3, "2.2": 3, "2.3": 5, "2.4": 2, "3.1": 1, "3.2": 3, "3.3": 5,
	"3.4": 8, "3.5": 8, "3.6": 1, "3.7": 5, "4.1": 5, "4.2": 5, "4.3": 2, "4.4": 4, "5.1": 1, "5.2": 6, "5.3": 3, "5.4": 3, "6.1": 3, "6.2": 12, "6.3": 8,
	"6.4": 6, "6.5": 8, "6.6": 4, "6.7": 2, "6.8": 4, "7.1": 3, "7.2": 4, "7.3": 2, "7.4": 5, "7.5": 3, "7.6": 2, "8.1": 4, "8.2": 4, "8.3": 3, "8.4": 2,
	"9.1": 3, "9.2": 4, "10.1": 2, "10.2": 3, "10.3": 5, "10.4": 16, "10.5": 5, "10.6": 2, "10.7": 3, "11.1": 4, "11.2": 5, "11.3": 5, "11.4": 4,
	"11.5": 2, "11.6": 2, "11.7": 2, "12.1": 5, "12.2": 2, "12.3": 5, "13.1": 4, "13.2": 6, "13.3": 4, "13.4": 7, "14.1": 2, "14.2": 8, "14.3": 3,
	"15.1": 5, "15.2": 5, "15.3": 7, "15.4": 4, "16.1": 1, "16.2": 5, "16.3": 4, "16.4": 3, "16.5": 4}

// thirdLevel are those of level 3.
const thirdLevel = ` 1.2.10 1.3.12 1.5.3 2.3.5 2.4.2 3.1.1 3.2.3 3.3.5 3.4.7 3.4.8 3.5.6 3.5.7 3.5.8 3.6.1 3.7.3 3.7.4 3.7.5 4.1.4 4.1.5 4.2.2 4.2.3 4.2.4 4.2.5
 5.2.4 5.2.5 5.2.6 5.3.3 6.3.5 6.3.6 6.3.7 6.3.8 6.4.5 6.4.6 6.5.6 6.5.7 6.5.8 6.6.4 6.7.1 6.7.2 7.5.3 8.1.3 8.1.4 8.2.4 8.3.2 8.3.3 8.4.2
 10.2.3 10.3.5 10.4.12 10.4.13 10.4.14 10.4.15 10.4.16 11.1.3 11.1.4 11.2.4 11.2.5 11.3.4 11.3.5 11.5.2 11.6.2 11.7.1 11.7.2 12.1.4 12.1.5 12.3.5
 13.1.2 13.1.3 13.1.4 13.2.6 13.3.3 13.3.4 13.4.6 13.4.7 14.2.5 14.2.6 14.2.7 14.2.8 15.1.4 15.1.5 15.2.4 15.2.5 15.4.1 15.4.2 15.4.3 15.4.4 16.5.4 `

// asvsRow is requirements, status, what implements them, and the proof: tests, browser tests, a document, or
// third-party software.
var asvsRow = regexp.MustCompile(`^\| ([0-9][0-9. ]+) \| (held|in part|not held|does not apply) \| ([^|]+) \| ((?:Test[A-Za-z0-9]+|story “[^”]+”)(?:, (?:Test[A-Za-z0-9]+|story “[^”]+”))*|document|not ours|–) \|$`)

// The table of ASVS in docs/security.md has every requirement of levels 1 and 2 once with a status and a proof, and the
// tests and files that it names exist.
func TestASVSTableIsWholeAndNamesWhatExists(t *testing.T) {
	_, text, found := strings.Cut(read(t, "docs/security.md"), "## OWASP ASVS")
	require.True(t, found)
	text, _, found = strings.Cut(text, "## What is not there yet")
	require.True(t, found)
	named := map[string]int{}
	stories := storiesThere(t)
	for _, line := range regexp.MustCompile(`(?m)^\| [0-9].*$`).FindAllString(text, -1) {
		row := asvsRow.FindStringSubmatch(line)
		require.NotNil(t, row, "no requirement, status, reason and proof: %s", line)
		for _, id := range strings.Fields(row[1]) {
			named[id]++
		}
		require.Equal(t, row[2] == "not held" || row[2] == "does not apply", row[4] == "–", "%s is %s and proved by %s", row[1], row[2], row[4])
		for _, timeline := range regexp.MustCompile(`“([^”]+)”`).FindAllStringSubmatch(row[4], -1) {
			require.Contains(t, stories, "'"+timeline[1]+"'", row[1])
		}
	}
	third := strings.Fields(thirdLevel)
	for section, count := range asvs {
		for n := 1; n <= count; n++ {
			id := fmt.Sprintf("%s.%d", section, n)
			want := 1
			for _, other := range third {
				if other == id {
					want = 0
				}
			}
			require.Equal(t, want, named[id], id)
			delete(named, id)
		}
	}
	require.Empty(t, named, "no requirement has these numbers")
	tests := testsThere(t)
	for _, name := range regexp.MustCompile(`\bTest[A-Z][A-Za-z0-9]+`).FindAllString(text, -1) {
		require.True(t, tests[name], "%s is no test", name)
	}
	for _, file := range regexp.MustCompile("`([a-z-]+/[A-Za-z0-9_./-]+)`").FindAllStringSubmatch(text, -1) {
		require.FileExists(t, filepath.Join("..", file[1]))
	}
}

// storiesThere is the source of the web app's tests, which is searched for titles.
func storiesThere(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, folder := range []string{"web/e2e", "web/src"} {
		files := os.DirFS(filepath.Join("..", folder))
		err := fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !regexp.MustCompile(`\.(spec|test)\.tsx?$`).MatchString(path) {
				return err
			}
			source, err := fs.ReadFile(files, path)
			all.Write(source)
			return err
		})
		require.NoError(t, err)
	}
	return all.String()
}

// testsThere are the names of all of Go's tests in the checkout.
func testsThere(t *testing.T) map[string]bool {
	t.Helper()
	found, function := map[string]bool{}, regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	for _, folder := range []string{"api", "models", "internal", "deploy", "e2e", "worker", "workflows", "activities"} {
		files := os.DirFS(filepath.Join("..", folder))
		err := fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			source, err := fs.ReadFile(files, path)
			for _, name := range function.FindAllSubmatch(source, -1) {
				found[string(name[1])] = true
			}
			return err
		})
		require.NoError(t, err)
	}
	return found
}
