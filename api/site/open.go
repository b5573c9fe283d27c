package site

import (
	"bytes"
	"fmt"
	"html"
	"net/url"

	accountapi "github.com/tradepost/tradepost/api/account"
	"github.com/tradepost/tradepost/api/rest"
)

// openTexts are what the page at OpenPath says where no script runs.
var openTexts = map[string]struct{ title, lead, signIn string }{
	"en": {"Sign in to open this page", "It opens as soon as you have signed in.", "Sign in"},
	"es": {"Inicia sesión para abrir esta página", "Se abre en cuanto inicies sesión.", "Iniciar sesión"},
}

// withSignIn puts a heading and the link to the sign-in on the page at OpenPath, for browsers that run no script. What
// waits at to is named by the web app alone, so that the page has no first view.
func withSignIn(out []byte, page *SitePage, to, language string) []byte {
	own, leads := accountapi.OwnPath(to)
	if page == nil || page.Pattern != accountapi.OpenPath || !leads {
		return out
	}
	texts, known := openTexts[language]
	if !known {
		texts = openTexts[rest.English]
	}
	notice := fmt.Sprintf(`<noscript><main id="main" class="container-page py-6"><h1 class="text-xl">%s</h1>`+
		`<p>%s</p><p><a class="underline" href="%s">%s</a></p></main></noscript>`,
		texts.title, texts.lead, html.EscapeString("/api/login?"+url.Values{"returnTo": {own}}.Encode()), texts.signIn)
	return bytes.Replace(out, []byte(noticesMark), []byte(notice+noticesMark), 1)
}
