package account

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"

	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/internal/i18n"
)

//go:embed notice.html
var noticeSource string

//go:embed notice.css
var noticeStyle string

var noticeTemplate = template.Must(template.New("notice").Parse(noticeSource))

// noticePage is a page of one sentence and one or two choices, for what
// happens outside of the web app: it works without it and without scripts.
type noticePage struct {
	Brand       string
	Title, Text string `prose:"yes"`
	Button      string `prose:"yes"` // with one, it logs out
	Link        string
	LinkText    string `prose:"yes"`
	Language    string
	Rehearsal   string // what heads the page in one
	Style       template.CSS
}

// notice renders a page whose policy allows exactly its own style, in the reader's
// language.
func (h *Handlers) notice(ctx context.Context, status int, page noticePage) *browserAnswer {
	page.Language = rest.RequestOf(ctx).Language
	page, _ = i18n.Body(page.Language, page).(noticePage)
	if h.Rehearsal {
		page.Rehearsal = rest.RehearsalTexts[page.Language]
	}
	page.Brand, page.Style = h.Brand, template.CSS(noticeStyle) //nolint:gosec // our own file
	var out bytes.Buffer
	if err := noticeTemplate.Execute(&out, page); err != nil {
		panic(err) // the template is ours and so is all it is given
	}
	sum := sha256.Sum256([]byte(noticeStyle))
	policy := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
	return &browserAnswer{Status: status, ContentType: "text/html; charset=utf-8", Policy: policy, Body: out.Bytes()}
}
