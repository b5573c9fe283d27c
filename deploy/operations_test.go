package deploy

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/envfile"
	"github.com/tradepost/tradepost/internal/local/asvs"
	"github.com/tradepost/tradepost/internal/local/source"
)

var update = flag.Bool("update", false, "write the tables of docs/operations.md anew")

// marked is a table of docs/operations.md between its two comments.
var marked = regexp.MustCompile(`(?s)(<!-- settings of ([a-z]+): go test ./deploy -run Tables -update -->\n).*?(<!-- end -->)`)

// The tables of docs/operations.md say what each program's own help says.
func TestTablesOfSettingsAreTrue(t *testing.T) {
	doc := read(t, "docs/operations.md")
	var lines []string
	fresh := marked.ReplaceAllStringFunc(doc, func(found string) string {
		parts := marked.FindStringSubmatch(found)
		lines = append(lines, parts[2])
		return parts[1] + table(t, parts[2]) + parts[3]
	})
	if *update {
		require.NoError(t, os.WriteFile(filepath.Join("..", "docs", "operations.md"), []byte(fresh), 0o600))
		return
	}
	slices.Sort(lines)
	require.Equal(t, []string{"api", "backup", "core", "custody", "exchange", "identity", "migrate", "payments", "timing"}, lines)
	require.Equal(t, fresh, doc, "docs/operations.md is out of date: go test ./deploy -run Tables -update: %s", asvs.Claim(t, "13.1.1"))
}

// Operators find every reason of an alert: each reason for which an order or a voucher waits for an admin, and each
// kind of alert, has its row in the runbook tables; and no row names one that does not exist.
func TestOperationsSayWhatToDoAboutEverything(t *testing.T) {
	_, guide, found := strings.Cut(read(t, "docs/operations.md"), "\n**An order needs attention.**")
	require.True(t, found)
	guide, _, found = strings.Cut(guide, "\n## ")
	require.True(t, found)
	var lines []string
	for _, cell := range names(`(?m)^\| (`+"`[a-z_]+`(?:, `[a-z_]+`)*) \\|", guide) {
		lines = append(lines, names("`([a-z_]+)`", cell)...)
	}
	texts := read(t, "web/src/messages/admin-order.ts") + read(t, "web/src/messages/admin-vouchers.ts")
	for _, cell := range regexp.MustCompile(`(?m)^\| ([^|]+\(`+"`[a-z_]+`"+`\)) \|`).FindAllStringSubmatch(guide, -1) {
		for _, row := range regexp.MustCompile(`([^;]+) \(`+"`([a-z_]+)`"+`\)`).FindAllStringSubmatch(cell[1], -1) {
			if !slices.Contains(lines, row[2]) { // an order's page and a voucher's share some
				lines = append(lines, row[2])
			}
			shown := regexp.MustCompile(row[2] + `: \{\s+title: '` + regexp.QuoteMeta(strings.TrimSpace(row[1])) + `'`)
			require.Regexp(t, shown, texts, "the runbook is keyed by the text on the page")
		}
	}
	var code string
	files, err := source.Files("../models")
	require.NoError(t, err)
	for _, file := range files {
		code += read(t, strings.TrimPrefix(filepath.ToSlash(file), "../"))
	}
	there := append(names(`\bAttention\w+\s+= "([a-z_]+)"`, code), names(`\bAlert\w+ +AlertKind = "([a-z_]+)"`, code)...)
	slices.Sort(lines)
	slices.Sort(there)
	require.Equal(t, there, lines)
}

// A file that a page for people names, or leads to, is there.
func TestDocsNameFilesThatExist(t *testing.T) {
	docs, err := filepath.Glob("../docs/*.md")
	require.NoError(t, err)
	decisions, err := filepath.Glob("../docs/decisions/*.md")
	require.NoError(t, err)
	for _, path := range slices.Concat([]string{"../README.md", "../CONTRIBUTING.md", "../SECURITY.md", "../CHANGELOG.md"}, docs, decisions) {
		doc, err := filepath.Rel("..", path)
		require.NoError(t, err)
		text := read(t, doc)
		found := names("`((?:api|activities|bench|deploy|docs|e2e|internal|models|web|worker|workflows)/[A-Za-z0-9_./*-]+)`", text)
		for _, link := range names(`\]\(([A-Za-z][A-Za-z0-9_./-]+)(?:#[a-z-]+)?\)`, text) {
			found = append(found, filepath.Join(filepath.Dir(doc), link))
		}
		for _, name := range found {
			isThere(t, doc, name)
		}
	}
}

// The map of flows in README.md names files that are there. A name without a
// folder is in that of the name before it; admin/ is the back office's.
func TestTheMapNamesFilesThatExist(t *testing.T) {
	_, chapter, _ := strings.Cut(read(t, "README.md"), "## Where each flow lives")
	chapter, _, _ = strings.Cut(chapter, "\n## ")
	looked := 0
	for _, line := range strings.Split(chapter, "\n") {
		for _, cell := range strings.Split(line, "|") {
			folder := ""
			for _, found := range regexp.MustCompile("`([a-z][A-Za-z0-9_-]*(?:/[A-Za-z0-9_.*-]+)*/?[A-Za-z0-9_.*-]*\\.(?:go|ts|tsx))`").FindAllStringSubmatch(cell, -1) {
				name := found[1]
				if rest, back := strings.CutPrefix(name, "admin/"); back {
					name = "web/src/features/admin/" + rest
				}
				if !strings.Contains(name, "/") {
					name = folder + "/" + name
				}
				folder = filepath.Dir(name)
				isThere(t, "README.md", name)
				looked++
			}
		}
	}
	require.Greater(t, looked, 150, "the map was read")
}

func isThere(t *testing.T, doc, name string) {
	t.Helper()
	matches, err := filepath.Glob(filepath.Join("..", name))
	require.NoError(t, err)
	require.NotEmpty(t, matches, "%s names %s", doc, name)
}

// common are the settings that all of these services read.
func common(t *testing.T, services ...string) []setting {
	t.Helper()
	rows := settings(t, services[0])
	for _, service := range services[1:] {
		rows = only(rows, settings(t, service), true)
	}
	return rows
}

// only keeps the rows that are, or are not, among others.
func only(rows, others []setting, among bool) []setting {
	return slices.DeleteFunc(slices.Clone(rows), func(s setting) bool { return slices.Contains(others, s) != among })
}

// rowsOf are the settings in the table of a name, each in one table: what the API and all workers share leads that of
// migrate, and what the workflows pass to steps is in that of timing.
func rowsOf(t *testing.T, name string) []setting {
	t.Helper()
	shared := common(t, "api", "core", "payments", "exchange", "custody")
	timing := only(common(t, "core", "exchange", "custody"), shared, false)
	switch name {
	case "timing":
		return timing
	case "identity", "backup":
		return settings(t, name)
	case "migrate":
		return append(shared, only(settings(t, name), shared, false)...)
	}
	return only(only(settings(t, name), shared, false), timing, false)
}

// placeholder is what kong shows for a flag without a default.
var placeholder = regexp.MustCompile(`^([A-Z-]+(=[A-Z]+)?(,\.\.\.)?)?$`)

func table(t *testing.T, name string) string {
	t.Helper()
	inCell := strings.NewReplacer("|", `\|`, "<", "&lt;")
	var out strings.Builder
	out.WriteString("| variable | default | meaning |\n|---|---|---|\n")
	for _, s := range rowsOf(t, name) {
		fallback, note := "–", ""
		if !placeholder.MatchString(s.fallback) {
			fallback = "`" + strings.Trim(s.fallback, `"`) + "`"
		}
		if slices.Contains(envfile.Secrets, s.names) {
			note = " **Secret.**"
		}
		fmt.Fprintf(&out, "| `%s` | %s | %s%s |\n", strings.ReplaceAll(s.names, ", ", "`, `"), fallback, inCell.Replace(s.help), note)
	}
	return out.String()
}
