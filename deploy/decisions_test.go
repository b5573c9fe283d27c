package deploy

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	recordForm = regexp.MustCompile(`(?s)\A# ([0-9]+)\. ([^\n]+)\n\n\*\*Decided\.\*\* .+?\n\n\*\*Why\.\*\* .+?\n\n## Details\n\n.+\n\z`)
	// recordCite is a decision by its number, as prose, links and comments name it.
	recordCite = regexp.MustCompile(`\b[dD]ecision ([0-9]+)\b|\bdecisions/([0-9]{4})\b|\(([0-9]{4})-[a-z0-9-]+\.md\)`)
)

// Records of decisions are numbered without a gap, have one form and one line each in the list, and every citation
// cites one that exists.
func TestDecisionsAreNumberedListedAndCitedRightly(t *testing.T) {
	files, err := filepath.Glob("../docs/decisions/[0-9]*.md")
	require.NoError(t, err)
	slices.Sort(files)
	require.Greater(t, len(files), 40)
	list := read(t, "docs/decisions/README.md")
	for i, file := range files {
		name := filepath.Base(file)
		require.True(t, strings.HasPrefix(name, fmt.Sprintf("%04d-", i+1)), "%s: the number before it is missing or taken twice", name)
		form := recordForm.FindStringSubmatch(read(t, "docs/decisions/"+name))
		require.NotNil(t, form, "%s: title, what was decided, why, details", name)
		require.Equal(t, strconv.Itoa(i+1), form[1], name)
		line := fmt.Sprintf("- [%s. %s](%s): ", form[1], form[2], name)
		require.Equal(t, 1, strings.Count(list, line), "docs/decisions/README.md lists %s", line)
	}
	require.Len(t, names(`(?m)^- \[([0-9]+)\. `, list), len(files), "the list has a line without a record")
	sources(t, func(path, text string) {
		for _, found := range recordCite.FindAllStringSubmatch(text, -1) {
			n, err := strconv.Atoi(found[1] + found[2] + found[3])
			require.True(t, err == nil && n >= 1 && n <= len(files), "%s cites %s", path, found[0])
		}
	})
}
