package rest

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/language"

	"github.com/tradepost/tradepost/models/account"
)

// LanguageCookie says which language was chosen in this browser. The pages set
// it themselves, so it is no secret and no __Host- cookie: all it can say is one
// of our languages.
const (
	LanguageCookie = "lang"
	languageKnown  = 365 * 24 * time.Hour
	// longestAccept is far more than a browser sends; more is not looked at.
	longestAccept = 1000
)

// English is what staff work in, and what is spoken where nothing else is known.
var English = account.Languages[0]

// matcher knows which of our languages serves a person best: es for es-419,
// and also for ca.
var matcher = func() language.Matcher {
	tags := make([]language.Tag, len(account.Languages))
	for i, code := range account.Languages {
		tags[i] = language.MustParse(code)
	}
	return language.NewMatcher(tags)
}()

// ChosenLanguage is what was chosen in this browser, if it is one of ours.
func ChosenLanguage(r *http.Request) (string, bool) {
	cookie, err := r.Cookie(LanguageCookie)
	if err != nil || !slices.Contains(account.Languages, cookie.Value) {
		return "", false
	}
	return cookie.Value, true
}

// AskedLanguage is what a request by itself says: chosen in the browser, or its
// Accept-Language.
func AskedLanguage(r *http.Request) string {
	if chosen, ok := ChosenLanguage(r); ok {
		return chosen
	}
	return acceptedLanguage(r)
}

// acceptedLanguage is what a request's Accept-Language says, by its weights.
func acceptedLanguage(r *http.Request) string {
	accept := strings.Join(r.Header.Values("Accept-Language"), ",")
	if accept == "" {
		return English
	}
	if slices.Contains(account.Languages, accept) { // as our pages say it, on every call
		return accept
	}
	if len(accept) > longestAccept {
		return English
	}
	wanted, _, err := language.ParseAcceptLanguage(accept)
	if err != nil {
		return English
	}
	_, i, confidence := matcher.Match(wanted...)
	if confidence == language.No {
		return English
	}
	return account.Languages[i]
}
