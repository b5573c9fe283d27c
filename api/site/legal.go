package site

import (
	"bytes"
	"context"
	"fmt"
	"html"
	"strings"
	"time"

	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/internal/legal"
)

// legalPattern is the page of the documents that have none of their own.
const legalPattern = "/legal/{document}"

// legalMark stands in the first view of a legal page for its text.
var legalMark = []byte("{{legal}}")

// coming announces a version that is not in force yet: its title, its day and a link to it.
var coming = map[string]string{
	"en": `%s: a new version comes into force on %s. <a class="underline" href="%s">Read it</a>`,
	"es": `%s: una versión nueva entra en vigor el %s. <a class="underline" href="%s">Léela</a>`,
}

// withLegal fills the text into the first view of a legal page, and announces the versions
// that are not in force yet on every page but staff's.
func (h *Handlers) withLegal(ctx context.Context, out []byte, page *SitePage, urlPath, language, version string) ([]byte, error) {
	if page == nil || page.Access == "admin" {
		return out, nil
	}
	now := h.Clock.Now(ctx, h.DB.Now)
	if page.Pattern == legalPattern || legal.OwnPage(strings.TrimPrefix(page.Pattern, "/")) {
		text := ""
		if found := h.legalText(ctx, urlPath, version); found != nil {
			var err error
			if text, err = found.HTML(language, now); err != nil {
				return nil, err
			}
		}
		out = bytes.Replace(out, legalMark, []byte(text), 1)
	}
	return bytes.Replace(out, []byte(noticesMark), []byte(h.announcements(now, language)), 1), nil
}

// legalText is the version of the document at a path that is asked for, or the one in force; nil for none.
func (h *Handlers) legalText(ctx context.Context, urlPath, version string) *legal.Version {
	document := strings.TrimPrefix(strings.TrimPrefix(urlPath, "/"), "legal/")
	if found := h.Legal.Find(document, version); found != nil {
		return found
	}
	return h.Legal.InForce(document, h.Clock.Now(ctx, h.DB.Now))
}

func (h *Handlers) announcements(now time.Time, language string) string {
	var out strings.Builder
	for _, v := range h.Legal.Coming(now) {
		text, _ := v.In(language)
		form, has := coming[language]
		if !has {
			form = coming[rest.English]
		}
		day, address := v.InForce.Format(time.DateOnly), "/"+v.Document+"?version="+v.Name
		if !legal.OwnPage(v.Document) {
			address = "/legal" + address
		}
		fmt.Fprintf(&out, `<aside class="bg-pending-tint px-4 py-1 text-center text-xs text-pending-text">`+form+`</aside>`, html.EscapeString(text.Title), day, html.EscapeString(address))
	}
	return out.String()
}
