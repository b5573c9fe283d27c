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

// english is what staff work in.
var english = account.Languages[0]

// languages are codes of what is offered, the first for whoever asks for none of
// them.
type languages []string

// languages are those that the installation offers.
func (s *Server) languages() languages {
	if len(s.Languages) == 0 {
		return account.Languages
	}
	return s.Languages
}

// matcher knows which of the languages serves a person best: es for es-419,
// and also for ca.
func (l languages) matcher() language.Matcher {
	tags := make([]language.Tag, len(l))
	for i, code := range l {
		tags[i] = language.MustParse(code)
	}
	return language.NewMatcher(tags)
}

// languageOf is what a page is answered in: staff's in English; else what was
// chosen in this browser, what the person has saved, what the browser asks for.
func (s *Server) languageOf(ctx context.Context, r *http.Request, who *account.Principal) (string, error) {
	if r.URL.Path == "/admin" || strings.HasPrefix(r.URL.Path, "/admin/") {
		return english, nil
	}
	offered := s.languages()
	if _, chosen := offered.chosen(r); who == nil || chosen {
		return offered.asked(r), nil
	}
	saved, err := account.PreferencesOf(ctx, s.DB, who.UserID)
	if err != nil {
		return "", err
	}
	if slices.Contains(offered, saved.Language) {
		return saved.Language, nil
	}
	return offered.asked(r), nil
}

// chosen is what was chosen in this browser, if it is offered.
func (l languages) chosen(r *http.Request) (string, bool) {
	cookie, err := r.Cookie(languageCookie)
	if err != nil || !slices.Contains(l, cookie.Value) {
		return "", false
	}
	return cookie.Value, true
}

// asked is what a request by itself says: chosen in the browser, or its
// Accept-Language.
func (l languages) asked(r *http.Request) string {
	if chosen, ok := l.chosen(r); ok {
		return chosen
	}
	return l.accepted(r)
}

// accepted is what a request's Accept-Language says, by its weights.
func (l languages) accepted(r *http.Request) string {
	accept := strings.Join(r.Header.Values("Accept-Language"), ",")
	if slices.Contains(l, accept) { // as our pages say it, on every call
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

// speaks makes the cookie of a language; none where nobody has chosen one.
func (s *Server) speaks(code string) []http.Cookie {
	if code == "" {
		return nil
	}
	//nolint:gosec // Secure follows the site's own scheme; the pages set this cookie too, so it is not HttpOnly
	return []http.Cookie{{Name: languageCookie, Value: code, Path: "/", Secure: s.secure(), SameSite: http.SameSiteLaxMode, MaxAge: int(languageKnown.Seconds())}}
}
