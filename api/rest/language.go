package rest

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/language"

	"github.com/tradepost/tradepost/models/account"
)

// LanguageCookie is the language chosen in this browser. The pages set it themselves, so it
// is no secret and no __Host- cookie: it can hold one of the offered languages alone.
const (
	LanguageCookie = "lang"
	languageKnown  = 365 * 24 * time.Hour
	// longestAccept is far more than a browser sends; more is not parsed.
	longestAccept = 1000
)

// English is what staff work in.
var English = account.Languages[0]

// Languages are the codes of the offered languages, the first being the default.
type Languages []string

// OfferedLanguages are those that an installation is configured to offer; none: all.
func OfferedLanguages(configured []string) Languages {
	if len(configured) == 0 {
		return account.Languages
	}
	return configured
}

// matcher finds the best of the languages for a request: es for es-419, and also for ca.
func (l Languages) matcher() language.Matcher {
	tags := make([]language.Tag, len(l))
	for i, code := range l {
		tags[i] = language.MustParse(code)
	}
	return language.NewMatcher(tags)
}

// Chosen is what was chosen in this browser, if it is offered.
func (l Languages) Chosen(r *http.Request) (string, bool) {
	cookie, err := r.Cookie(LanguageCookie)
	if err != nil || !slices.Contains(l, cookie.Value) {
		return "", false
	}
	return cookie.Value, true
}

// Asked is the language of the request alone: chosen in the browser, or from its
// Accept-Language.
func (l Languages) Asked(r *http.Request) string {
	if chosen, ok := l.Chosen(r); ok {
		return chosen
	}
	return l.accepted(r)
}

// accepted are the languages of a request's Accept-Language, by weight.
func (l Languages) accepted(r *http.Request) string {
	accept := strings.Join(r.Header.Values("Accept-Language"), ",")
	if slices.Contains(l, accept) { // the form our pages send on every call
		return accept
	}
	if accept == "" || len(accept) > longestAccept {
		return l[0]
	}
	wanted, _, err := language.ParseAcceptLanguage(accept)
	if err != nil {
		return l[0]
	}
	_, i, confidence := l.matcher().Match(wanted...)
	if confidence == language.No {
		return l[0]
	}
	return l[i]
}
