package identity

import (
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var someday = time.Date(2026, 3, 21, 23, 0, 0, 0, time.UTC)

// Every text is there in every language, says something of its own in each, and
// has the same blanks.
func TestEveryTextIsThereInEveryLanguage(t *testing.T) {
	blank := regexp.MustCompile(`%(\[\d\])?[sd]`)
	same := map[string]bool{} // what both languages call alike
	first := reflect.ValueOf(*catalogues[0])
	for _, other := range catalogues[1:] {
		theirs := reflect.ValueOf(*other)
		for i := range first.NumField() {
			name := first.Type().Field(i).Name
			if first.Field(i).Kind() != reflect.String {
				continue
			}
			ours, text := first.Field(i).String(), theirs.Field(i).String()
			require.NotEmpty(t, text, "%s in %s", name, other.Code)
			require.Equal(t, blank.FindAllString(ours, -1), blank.FindAllString(text, -1), "blanks of %s in %s", name, other.Code)
			require.Equal(t, strings.HasSuffix(ours, " "), strings.HasSuffix(text, " "), "the end of %s in %s", name, other.Code)
			if name != "ErrorPrefix" {
				require.Equal(t, same[name], ours == text, "%s in %s", name, other.Code)
			}
		}
		require.Equal(t, "21 de marzo de 2026", textsIn("es").date(someday))
		require.Equal(t, "21 March 2026", textsIn("en").date(someday))
	}
	for _, c := range countries {
		require.NotEmpty(t, textsIn("es").country(c.Code), c.Code)
	}
	require.Equal(t, "Alemania", textsIn("es").country("DE"))
	list := textsIn("es").countries()
	require.Len(t, list, len(countries))
	require.Equal(t, "US", list[0].Code, "the home market first")
	require.Equal(t, "AF", list[1].Code)
}

// With LANGUAGES no answer is in another language, whatever is requested.
func TestThePageSpeaksTheOfferedLanguagesAlone(t *testing.T) {
	for _, c := range []struct {
		offered []string
		accept  string
		want    string
	}{{[]string{"es"}, "en", "es"}, {[]string{"es"}, "", "es"}, {[]string{"en"}, "es", "en"}, {[]string{"es", "en"}, "fr", "es"}, {[]string{"es", "en"}, "en-GB", "en"}} {
		g := &guard{settings: &settings{Config: Config{Languages: c.offered}}}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/signin?ui_locales=de", nil)
		r.Header.Set("Accept-Language", c.accept)
		require.Equal(t, c.want, g.textsFor(httptest.NewRecorder(), r).Code, c)
	}
	require.ErrorContains(t, (&settings{Config: Config{Languages: []string{"en", "de"}}}).checkLanguages(), "LANGUAGES")
}

func TestThePageSpeaksTheLanguageThatWasAskedFor(t *testing.T) {
	g := &guard{settings: &settings{}}
	for _, c := range []struct{ name, target, cookie, accept, want, set string }{
		{name: "nothing asked", target: "/signin", want: "en"},
		{name: "the browser's", target: "/signin", accept: "es-MX,es;q=0.9,en;q=0.8", want: "es"},
		{name: "the browser's, by weight", target: "/signin", accept: "es;q=0.2, en;q=0.9", want: "en"},
		{name: "one there is not", target: "/signin", accept: "fr", want: "en"},
		{name: "no header at all", target: "/signin", accept: ";;;==\x00", want: "en"},
		{name: "chosen before", target: "/signin", cookie: "es", accept: "en", want: "es"},
		{name: "a cookie that says nothing", target: "/signin", cookie: "../x", accept: "es", want: "es"},
		{name: "the site's", target: "/authorize?ui_locales=fr+es-419", accept: "en", want: "es", set: "es"},
		{name: "the site's over an older choice", target: "/authorize?ui_locales=en", cookie: "es", want: "en", set: "en"},
		{name: "one the site knows and we do not", target: "/authorize?ui_locales=xx", cookie: "es", want: "es"},
	} {
		r := httptest.NewRequest(http.MethodGet, c.target, nil)
		if c.cookie != "" {
			r.Header.Set("Cookie", cookieLanguage+"="+c.cookie)
		}
		if c.accept != "" {
			r.Header.Set("Accept-Language", c.accept)
		}
		w := httptest.NewRecorder()
		require.Equal(t, c.want, g.textsFor(w, r).Code, c.name)
		require.Equal(t, c.want, w.Header().Get("Content-Language"), c.name)
		set := ""
		for _, cookie := range w.Result().Cookies() {
			set = cookie.Value
		}
		require.Equal(t, c.set, set, c.name)
	}
}
