package identity

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// catalogues are the languages there are.
var catalogues = []*catalogue{&english, &spanish}

// spoken are the offered languages, the first being the default.
func (s *settings) spoken() (list []*catalogue) {
	for _, code := range s.Languages {
		list = append(list, known(catalogues, []string{code}))
	}
	if len(list) == 0 {
		return catalogues
	}
	return list
}

func tags(of []*catalogue) (list []language.Tag) {
	for _, t := range of {
		list = append(list, language.MustParse(t.Code))
	}
	return list
}

// cookieLanguage is the language that the site requested last, for the pages that it did
// not lead to. It has another name than the site's own: both may have one host.
const cookieLanguage = "id_lang"

// languageKept is how long a choice is remembered.
const languageKept = 365 * 24 * time.Hour

// textsFor chooses the language of a request: what the site requests (ui_locales, OpenID
// Connect Core 1.0, 3.1.2.1), which is remembered, then what it requested before, then what
// the browser prefers.
func (g *guard) textsFor(w http.ResponseWriter, r *http.Request) *catalogue {
	w.Header().Add("Vary", "Accept-Language, Cookie")
	asked := ""
	if r.Method == http.MethodGet {
		asked = r.URL.Query().Get("ui_locales")
	}
	before, offered := g.cookie(r, cookieLanguage), g.settings.spoken()
	preferred, _, _ := language.ParseAcceptLanguage(r.Header.Get("Accept-Language")) // what cannot be read is no wish
	t := cmp.Or(known(offered, strings.Fields(asked)), known(offered, []string{before}))
	if t == nil {
		_, i, _ := language.NewMatcher(tags(offered)).Match(preferred...)
		t = offered[i]
	}
	if asked != "" && t.Code != before {
		g.setCookie(w, cookieLanguage, t.Code, languageKept)
	}
	w.Header().Set("Content-Language", t.Code)
	return t
}

// known is the first language of codes that is among those of a list, or nil.
func known(among []*catalogue, codes []string) *catalogue {
	for _, code := range codes {
		base, _, _ := strings.Cut(strings.ToLower(code), "-")
		if i := slices.IndexFunc(among, func(t *catalogue) bool { return t.Code == base }); i >= 0 {
			return among[i]
		}
	}
	return nil
}

// textsIn are the texts in a language, or English.
func textsIn(code string) *catalogue {
	return cmp.Or(known(catalogues, []string{code}), &english)
}

// textsOf are the texts in the language of ctx's request.
func textsOf(ctx context.Context) *catalogue { return cmp.Or(visitOf(ctx).texts, catalogues[0]) }

// country is the name of a country, or "".
func (t *catalogue) country(code string) string {
	if t == &english || !knownCountry(code) {
		return countryName(code)
	}
	region, err := language.ParseRegion(code)
	if err != nil {
		return countryName(code)
	}
	return cmp.Or(display.Regions(language.MustParse(t.Code)).Name(region), countryName(code))
}

// countries lists them by their names in the language, the home market first.
func (t *catalogue) countries() []country {
	if t == &english {
		return countries
	}
	list := slices.Clone(countries)
	for i := range list {
		list[i].Name = t.country(list[i].Code)
	}
	order := collate.New(language.MustParse(t.Code))
	slices.SortStableFunc(list[1:], func(a, b country) int { return order.CompareString(a.Name, b.Name) })
	return list
}

// wait formats seconds in words.
func (t *catalogue) wait(seconds int) string {
	minutes := (seconds + 59) / 60
	switch {
	case seconds == 1:
		return fmt.Sprintf(t.Second, seconds)
	case seconds < 60:
		return fmt.Sprintf(t.Seconds, seconds)
	case minutes == 1:
		return fmt.Sprintf(t.Minute, minutes)
	}
	return fmt.Sprintf(t.Minutes, minutes)
}

// date writes a day.
func (t *catalogue) date(at time.Time) string {
	at = at.UTC()
	return fmt.Sprintf(t.DateOrder, at.Day(), t.Months[at.Month()-1], at.Year())
}
