package api

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/language"

	"github.com/tradepost/tradepost/models/account"
)

// languageCookie says which language was chosen in this browser. The pages set
// it themselves, so it is no secret and no __Host- cookie: all it can say is one
// of our languages.
const (
	languageCookie = "lang"
	languageKnown  = 365 * 24 * time.Hour
	// longestAccept is far more than a browser sends; more is not looked at.
	longestAccept = 1000
)

// english is what staff work in, and what is spoken where nothing else is known.
var english = account.Languages[0]

// matcher knows which of our languages serves a person best: es for es-419,
// and also for ca.
var matcher = func() language.Matcher {
	tags := make([]language.Tag, len(account.Languages))
	for i, code := range account.Languages {
		tags[i] = language.MustParse(code)
	}
	return language.NewMatcher(tags)
}()

// languageOf is what a page is answered in: staff's in English; else what was
// chosen in this browser, what the person has saved, what the browser asks for.
func (s *Server) languageOf(ctx context.Context, r *http.Request, who *account.Principal) (string, error) {
	if r.URL.Path == "/admin" || strings.HasPrefix(r.URL.Path, "/admin/") {
		return english, nil
	}
	if _, chosen := chosenLanguage(r); who == nil || chosen {
		return askedLanguage(r), nil
	}
	saved, err := account.PreferencesOf(ctx, s.DB, who.UserID)
	if err != nil {
		return "", err
	}
	if saved.Language != "" {
		return saved.Language, nil
	}
	return askedLanguage(r), nil
}

// chosenLanguage is what was chosen in this browser, if it is one of ours.
func chosenLanguage(r *http.Request) (string, bool) {
	cookie, err := r.Cookie(languageCookie)
	if err != nil || !slices.Contains(account.Languages, cookie.Value) {
		return "", false
	}
	return cookie.Value, true
}

// askedLanguage is what a request by itself says: chosen in the browser, or its
// Accept-Language.
func askedLanguage(r *http.Request) string {
	if chosen, ok := chosenLanguage(r); ok {
		return chosen
	}
	return acceptedLanguage(r)
}

// acceptedLanguage is what a request's Accept-Language says, by its weights.
func acceptedLanguage(r *http.Request) string {
	accept := strings.Join(r.Header.Values("Accept-Language"), ",")
	if accept == "" {
		return english
	}
	if slices.Contains(account.Languages, accept) { // as our pages say it, on every call
		return accept
	}
	if len(accept) > longestAccept {
		return english
	}
	wanted, _, err := language.ParseAcceptLanguage(accept)
	if err != nil {
		return english
	}
	_, i, confidence := matcher.Match(wanted...)
	if confidence == language.No {
		return english
	}
	return account.Languages[i]
}

// speaks makes the cookie of a language; none where nobody has chosen one.
func (s *Server) speaks(code string) []http.Cookie {
	if code == "" {
		return nil
	}
	//nolint:gosec // Secure follows the site's own scheme; the pages set this cookie too, so it is not HttpOnly
	return []http.Cookie{{Name: languageCookie, Value: code, Path: "/", Secure: s.secure(), SameSite: http.SameSiteLaxMode, MaxAge: int(languageKnown.Seconds())}}
}
