package rest

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

// ofCall is the language of an answer: the call's Accept-Language, which our pages set to
// their own language, regardless of a later choice in another tab. A navigation (a sign-in,
// a file) is answered in the language chosen in the browser.
func (l Languages) ofCall(r *http.Request) string {
	switch {
	case strings.HasPrefix(r.URL.Path, staffCalls):
		return English
	case r.Header.Get("Sec-Fetch-Mode") == "navigate":
		return l.Asked(r)
	default:
		return l.accepted(r)
	}
}

// languageOfCall is the same for a request that may not have reached our middleware.
func languageOfCall(r *http.Request) string {
	if known := RequestOf(r.Context()).Language; known != "" {
		return known
	}
	return Languages(account.Languages).ofCall(r)
}

// Spoken declares on every answer that may contain messages its language, and what that
// depends on (Vary). Pages declare it themselves.
func Spoken(c *gin.Context) {
	if path := c.Request.URL.Path; strings.HasPrefix(path, "/api/") {
		c.Header("Content-Language", languageOfCall(c.Request))
		if !strings.HasPrefix(path, staffCalls) {
			c.Header("Vary", "Accept-Language, Cookie, Sec-Fetch-Mode")
		}
	}
	c.Next()
}

// translated translates an answer into the language of its call. It is the last step: the answer
// stored for a repeat under the same key is English, and a repeat is the same answer also
// when read in another language.
func translated(ctx huma.Context, _ string, answer any) (any, error) {
	language := RequestOf(ctx.Context()).Language
	if p, is := answer.(*Problem); is {
		return p.in(language), nil
	}
	return i18n.Body(language, answer), nil
}

// in is a problem in a language; its code and its fields are the same in all.
func (p *Problem) in(language string) *Problem {
	if language == English || language == "" {
		return p
	}
	said, _ := i18n.Body(language, p).(*Problem)
	if len(p.Errors) > 0 && p.Message == p.Errors[0].named() { // as validationProblem formats it
		said.Message = said.Errors[0].named()
		said.Detail = said.Message
	}
	return said
}

// named is what is wrong with a field, with its name before it.
func (e FieldError) named() string { return e.Field + ": " + e.Message }
