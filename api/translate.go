package api

import (
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"github.com/tradepost/tradepost/internal/i18n"
	"github.com/tradepost/tradepost/models/account"
)

// staffCalls is where the back office calls; staff work in English.
const staffCalls = "/api/admin/"

// ofCall is what a call is answered in: what its Accept-Language says, which
// our pages set to the language they are in themselves, whatever was chosen since
// in another tab. What a person opens as a page of its own (a sign-in, a file) says
// no such thing, and is answered in what was chosen in the browser.
func (l languages) ofCall(r *http.Request) string {
	switch {
	case strings.HasPrefix(r.URL.Path, staffCalls):
		return english
	case r.Header.Get("Sec-Fetch-Mode") == "navigate":
		return l.asked(r)
	default:
		return l.accepted(r)
	}
}

// languageOfCall is the same for a request that may not have come as far as our
// middleware.
func languageOfCall(r *http.Request) string {
	if known := requestOf(r.Context()).language; known != "" {
		return known
	}
	return languages(account.Languages).ofCall(r)
}

// spoken says of every answer that may hold sentences which language they are in,
// and what that hangs on. Pages say it themselves.
func spoken(c *gin.Context) {
	if path := c.Request.URL.Path; strings.HasPrefix(path, "/api/") {
		c.Header("Content-Language", languageOfCall(c.Request))
		if !strings.HasPrefix(path, staffCalls) {
			c.Header("Vary", "Accept-Language, Cookie, Sec-Fetch-Mode")
		}
	}
	c.Next()
}

// told says an answer in the language of its call. It is the last to touch it: what
// is kept for a repeat under the same key is English, and a repeat is the same
// answer also where it is read in another language.
func translated(ctx huma.Context, _ string, answer any) (any, error) {
	language := requestOf(ctx.Context()).language
	if p, is := answer.(*Problem); is {
		return p.in(language), nil
	}
	return i18n.Body(language, answer), nil
}

// in is a problem in a language; its code and its fields are the same in all.
func (p *Problem) in(language string) *Problem {
	if language == english || language == "" {
		return p
	}
	said, _ := i18n.Body(language, p).(*Problem)
	if len(p.Errors) > 0 && p.Message == p.Errors[0].named() { // as newProblem says it
		said.Message = said.Errors[0].named()
		said.Detail = said.Message
	}
	return said
}

// named is what is wrong with a field, with its name before it.
func (e FieldError) named() string { return e.Field + ": " + e.Message }
