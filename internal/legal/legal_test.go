package legal

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"
)

func file(front, body string) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte("---\ntitle: T\n" + front + "\n---\n\n" + body + "\n")}
}

var everywhere = []string{"*.md", "archive/*.md"}

var day = func(text string) time.Time {
	at, err := time.Parse(time.DateOnly, text)
	if err != nil {
		panic(err)
	}
	return at
}

// The latest version whose day has come is in force, wherever its file is; what comes is
// announced, and due is what was not agreed to.
func TestTheLatestVersionWhoseDayHasComeIsInForce(t *testing.T) {
	l, err := read(fstest.MapFS{
		"archive/terms.en.md": file("version: '1'\nin_force: 2026-01-01", "one"), "terms.en.md": file("version: '2'\nin_force: 2026-02-01", "two"),
		"terms.next.en.md": file("version: '3'\nin_force: 2026-03-01", "three"), "privacy.en.md": file("version: '1'\nin_force: 2026-01-01", "p"),
		"risk.en.md": file("version: r\nin_force: 2026-02-01", "r"),
	}, nil, everywhere...)
	require.NoError(t, err)
	for at, version := range map[string]string{"2026-01-01": "1", "2026-01-31": "1", "2026-02-01": "2", "2026-03-01": "3"} {
		require.Equal(t, version, l.InForce("terms", day(at)).Name, at)
	}
	require.Nil(t, l.InForce("terms", day("2025-12-31")))
	require.Equal(t, "3", l.Coming(day("2026-02-01"))[0].Name)
	var due []string
	for _, v := range l.Due([]string{"terms 1", "privacy 1"}, day("2026-02-02")) {
		due = append(due, v.Key())
	}
	require.Equal(t, []string{"terms 2", "risk r"}, due)
}

// Raw HTML and links that run scripts are left out of what is shown.
func TestATextIsShownWithoutRawHTML(t *testing.T) {
	l, err := read(fstest.MapFS{"privacy.en.md": file("version: '1'\nin_force: 2026-01-01", "p"),
		"terms.en.md": file("version: '1'\nin_force: 2026-01-01", "## A & {{brand}}\n\n<script>x()</script>\n\n**b** [l](javascript:x()) <img src=x onerror=y>")}, map[string]string{"brand": "<b>Shop</b>", "coins": "BTC", "support": "s"}, everywhere...)
	require.NoError(t, err)
	shown, err := l.Find("terms", "1").HTML("en", day("2026-01-02"))
	require.NoError(t, err)
	require.Contains(t, shown, "<strong>b</strong>")
	for _, bad := range []string{"<script", "javascript:", "<img", "<b>"} {
		require.NotContains(t, shown, bad)
	}
}

// A folder that cannot be right is refused, with the file that is wrong.
func TestAWrongFolderIsRefused(t *testing.T) {
	right := file("version: '1'\nin_force: 2026-01-01", "x")
	for wrong, files := range map[string]fstest.MapFS{
		"no privacy.en.md":      {"terms.en.md": right},
		"terms.en.md: the head": {"terms.en.md": {Data: []byte("no header")}, "privacy.en.md": right},
		"Terms.md: the name":    {"Terms.md": right},
		"no text in English":    {"terms.es.md": right, "privacy.en.md": right},
		"on one day":            {"terms.en.md": right, "archive/terms.en.md": file("version: '2'\nin_force: 2026-01-01", "x"), "privacy.en.md": right},
		"another in_force":      {"terms.en.md": right, "terms.es.md": file("version: '1'\nin_force: 2026-01-02", "x"), "privacy.en.md": right},
		"twice":                 {"terms.en.md": right, "archive/terms.en.md": right, "privacy.en.md": right},
		"{{entity}} is not configured: set LEGAL_ENTITY": {"terms.en.md": file("version: '1'\nin_force: 2026-01-01", "By {{entity}}."), "privacy.en.md": right},
		"{{owner}} is none": {"terms.en.md": file("version: '1'\nin_force: 2026-01-01", "{{owner}}"), "privacy.en.md": right},
		"{{entity is none":  {"terms.en.md": file("version: '1'\nin_force: 2026-01-01", "{{entity"), "privacy.en.md": right},
	} {
		_, err := read(files, map[string]string{"entity": "", "brand": "b", "coins": "c", "support": "s"}, everywhere...)
		require.ErrorContains(t, err, wrong)
	}
}

// The samples are shipped in each language, and known as samples.
func TestTheSamplesAreKnown(t *testing.T) {
	l, err := Load("", map[string]string{"brand": "Shop", "coins": "BTC", "support": "help@example.com"})
	require.NoError(t, err)
	require.Equal(t, []string{"terms", "privacy", "about"}, l.Samples(time.Now()))
	for _, document := range append(Required, About) {
		_, given := l.InForce(document, time.Now()).In("es")
		require.Equal(t, "es", given)
	}
}

// Who runs the site is a text like the others, of which the sample stands in, and which is not agreed to. What has no page
// of its own is listed.
func TestAboutIsNotAgreedTo(t *testing.T) {
	right, own := file("version: '1'\nin_force: 2026-01-01", "x"), file("version: '7'\nin_force: 2026-01-01", "## Where {#contact}")
	files := fstest.MapFS{"terms.en.md": right, "privacy.en.md": right, "risk.en.md": right}
	l, err := read(files, nil, everywhere...)
	require.NoError(t, err)
	require.Equal(t, []string{"about"}, l.Samples(day("2026-02-01")), "the folder has none")
	files["about.en.md"] = own
	l, err = read(files, nil, everywhere...)
	require.NoError(t, err)
	require.Empty(t, l.Samples(day("2026-02-01")))
	for _, v := range l.Due(nil, day("2026-02-01")) {
		require.NotEqual(t, About, v.Document)
	}
	further := l.Further(day("2026-02-01"))
	require.Len(t, further, 1)
	require.Equal(t, "risk", further[0].Document)
	shown, err := l.InForce(About, day("2026-02-01")).HTML("en", day("2026-02-01"))
	require.NoError(t, err)
	require.Contains(t, shown, `id="contact"`)
}

// The web app's style sheet has every class that a text is rendered with: its build sees none of these files.
func TestTheStyleSheetHasTheClassesOfTexts(t *testing.T) {
	sheet, err := os.ReadFile("../../web/src/styles/app.css")
	require.NoError(t, err)
	_, list, found := strings.Cut(string(sheet), `@source inline("`)
	require.True(t, found)
	list, _, _ = strings.Cut(list, `"`)
	there := strings.Fields(list)
	l, err := Load("", map[string]string{"brand": "Shop", "coins": "BTC", "support": "help@example.com"})
	require.NoError(t, err)
	shown, err := l.InForce(About, time.Now()).HTML("fr", time.Now())
	require.NoError(t, err)
	for _, class := range classes {
		shown += ` class="` + class + `"`
	}
	for _, found := range regexp.MustCompile(`class="([^"]+)"`).FindAllStringSubmatch(shown, -1) {
		for _, class := range strings.Fields(found[1]) {
			require.Contains(t, there, class)
		}
	}
}
