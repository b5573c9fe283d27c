package site

import (
	"encoding/json"
	"fmt"
	"html"
	"io/fs"
	"net/http"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	accountapi "github.com/tradepost/tradepost/api/account"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/account"
)

// Build is the built web app: an edition in each language, and the files of all.
type Build struct {
	editions map[string]*edition // by account.Languages
	Release  string              // names this build
	files    fs.FS
	packed   sync.Map // path → gzipped content of an asset
}

// edition is the web app in one language: index.html as a template, and its pages.
type edition struct {
	language string
	index    string
	first    firstViews
	pages    []SitePage
}

// SitePage is one entry of pages.json, which the web app's build writes.
type SitePage struct {
	Pattern     string   `json:"pattern"` // {x} stands for one segment
	Access      string   `json:"access"`  // public, signedin, customer or admin
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Narrowed    string   `json:"narrowed"` // the description where not all is offered; {assets} stands for the coins
	View        string   `json:"view"`     // names the first view that visitors get, if there is one
	Preload     []string `json:"preload"`
}

// Load reads the build: English in the folder itself, each other language in
// a folder of its name. A language that is missing is a build that is.
func Load(dir string) (*Build, error) {
	s := &Build{editions: map[string]*edition{}, files: os.DirFS(dir)}
	for _, code := range account.Languages {
		folder := code
		if code == rest.English {
			folder = "."
		}
		read, err := loadEdition(s.files, folder)
		if err != nil {
			return nil, err
		}
		read.language, s.editions[code] = code, read
	}
	return s.named(), nil
}

func loadEdition(files fs.FS, folder string) (*edition, error) {
	e, indexFile, listFile := &edition{}, path.Join(folder, "index.html"), path.Join(folder, "pages.json")
	index, err := fs.ReadFile(files, indexFile)
	if err != nil {
		return nil, fmt.Errorf("WEB_DIR holds no %s: build the web app first", indexFile)
	}
	e.index = string(index)
	for _, mark := range []string{"<!--head-->", "__CSP_NONCE__", noticesMark} {
		if !strings.Contains(e.index, mark) {
			return nil, fmt.Errorf("WEB_DIR: %s has no %s; is it a production build?", indexFile, mark)
		}
	}
	list, err := fs.ReadFile(files, listFile)
	if err != nil {
		return nil, fmt.Errorf("WEB_DIR holds no %s: build the web app again", listFile)
	}
	if err := json.Unmarshal(list, &e.pages); err != nil {
		return nil, fmt.Errorf("WEB_DIR: %s: %w", listFile, err)
	}
	e.first, err = loadFirstViews(files, folder, e.pages)
	return e, err
}

// find returns the page of a path for a user, and whether that path exists for them: a page
// they may not see is a 404 like one that does not exist.
func (e *edition) find(urlPath string, who *account.Principal) (*SitePage, bool) {
	for i := range e.pages {
		page := &e.pages[i]
		if matches(page.Pattern, urlPath) && page.opensFor(who) {
			return page, true
		}
	}
	return nil, false
}

// isForCustomers reports whether a path is a page of customers; staff's are not among them.
func (s *Build) isForCustomers(urlPath string) bool {
	return slices.ContainsFunc(s.editions[rest.English].pages, func(p SitePage) bool {
		return p.Access == "customer" && matches(p.Pattern, urlPath)
	})
}

func (p *SitePage) opensFor(who *account.Principal) bool {
	switch p.Access {
	case "public":
		return who == nil || p.Pattern != "/"
	case "admin":
		return rest.IsStaff(who)
	}
	return who != nil
}

// matches compares segment by segment; {x} in the pattern stands for any one.
func matches(pattern, urlPath string) bool {
	want, have := strings.Split(pattern, "/"), strings.Split(urlPath, "/")
	if len(want) != len(have) {
		return false
	}
	for i, segment := range want {
		if strings.HasPrefix(segment, "{") && have[i] != "" {
			continue
		}
		if segment != have[i] {
			return false
		}
	}
	return true
}

// pageAddress is a page's URL: the site's own origin, and the path.
type pageAddress struct{ origin, path string }

// socialCard is the picture that is shown beside a link to a public page.
func (e *edition) socialCard() string {
	if e.language == rest.English {
		return "/social.png"
	}
	return "/social-" + e.language + ".png"
}

// render makes the page a browser gets: nonces, what the page preloads, its title and tags,
// and the session, so that it needs no request first; and whether its policy allows the
// chat.
func (e *edition) render(page *SitePage, session *accountapi.Session, nonce string, at pageAddress, chat bool) ([]byte, error) {
	state, err := json.Marshal(session) // escapes < as \u003c
	if err != nil {
		return nil, err
	}
	template, view, err := e.first.of(page, session, e.index)
	if err != nil {
		return nil, err
	}
	head := e.headTags(page.offering(session.Config.Offer), session.Config.Brand, at)
	if chat {
		head += `<meta name="chat" content="allowed">`
	}
	out := strings.NewReplacer("__CSP_NONCE__", nonce,
		"<!--head-->", head,
		"<!--preload-->", preloads(page),
		"<!--prerendered-->", view,
		noticesMark, rehearsalBanner(session.Config.Mode, e.language)+noticesMark,
		">null</script>", ">"+string(state)+"</script>",
	).Replace(template)
	return []byte(out), nil
}

// noticesMark stands behind the link that skips to the content, for what heads a page and is no part of the web app.
const noticesMark = "<!--notices-->"

// rehearsalBanner heads every page of a rehearsal, before any script has run. It is outside
// of what the web app renders, and has the classes of its local notice (header.tsx).
func rehearsalBanner(mode, language string) string {
	if mode != rest.ModeStaging {
		return ""
	}
	return `<aside data-rehearsal class="bg-pending-tint px-4 py-1 text-center text-xs text-pending-text">` + rest.RehearsalTexts[language] + `</aside>`
}

// missingPage is the title of an address without a page.
var missingPage = map[string]string{"en": "Not found", "es": "Página no encontrada"}

// offering is the page as it describes itself where that is offered.
func (p *SitePage) offering(o accountapi.Offer) *SitePage {
	if p == nil || p.Narrowed == "" || !narrowed(o) {
		return p
	}
	shown := *p
	shown.Description = strings.ReplaceAll(p.Narrowed, "{assets}", strings.Join(o.Assets, ", "))
	return &shown
}

// headTags are a page's title and its tags for search and social sites.
func (e *edition) headTags(page *SitePage, brand string, at pageAddress) string {
	if page == nil {
		return "<title>" + missingPage[e.language] + " · " + html.EscapeString(brand) + `</title><meta name="robots" content="noindex">`
	}
	var out strings.Builder
	title := page.Title
	if !strings.Contains(title, brand) {
		title += " · " + brand
	}
	fmt.Fprintf(&out, "<title>%s</title>", html.EscapeString(title))
	if page.Description != "" {
		fmt.Fprintf(&out, `<meta name="description" content="%s">`, html.EscapeString(page.Description))
	}
	if page.Access == "public" {
		for _, tag := range [][2]string{{"og:title", title}, {"og:description", page.Description}, {"og:type", "website"}, {"og:site_name", brand}, {"og:url", at.origin + at.path},
			{"og:locale", e.language}, {"og:image", at.origin + e.socialCard()}, {"og:image:width", "1200"}, {"og:image:height", "630"}} {
			fmt.Fprintf(&out, `<meta property="%s" content="%s">`, tag[0], html.EscapeString(tag[1]))
		}
		out.WriteString(`<meta name="twitter:card" content="summary_large_image">`)
		fmt.Fprintf(&out, `<link rel="canonical" href="%s">`, html.EscapeString(at.origin+at.path))
	}
	return out.String()
}

// preloads name a page's scripts, so that none of them waits for another.
func preloads(page *SitePage) string {
	if page == nil {
		return ""
	}
	var out strings.Builder
	for _, href := range page.Preload {
		fmt.Fprintf(&out, `<link rel="modulepreload" crossorigin href="%s">`, html.EscapeString(href))
	}
	return out.String()
}

// publicFile opens a file of the built app other than its pages; a folder, a page, or
// what has a name with a dot in front on its way is not there.
func (s *Build) publicFile(urlPath string) ([]byte, bool) {
	name := strings.TrimPrefix(path.Clean("/"+urlPath), "/")
	if !fs.ValidPath(name) || name == "." || strings.Contains("/"+name, "/.") || strings.HasSuffix(name, ".html") || path.Base(name) == "pages.json" {
		return nil, false
	}
	info, err := fs.Stat(s.files, name)
	if err != nil || !info.Mode().IsRegular() {
		return nil, false
	}
	content, err := fs.ReadFile(s.files, name)
	return content, err == nil
}

// chatPages are the pages on which the chat can be started; pages on which
// people pay or staff work are not among them.
var chatPages = []string{"/", "/dashboard"}

// ChatCookie records that this browser's user has agreed to the chat, until the browser is
// closed.
const ChatCookie = "chat"

// chats reports whether a page may load the chat: it is configured, the page is one of its
// own, and the signed-in user has agreed to it.
func (h *Handlers) chats(r *http.Request, page *SitePage, who *account.Principal) bool {
	if h.TidioPublicKey == "" || who == nil || page == nil || !slices.Contains(chatPages, page.Pattern) {
		return false
	}
	agreed, err := r.Cookie(ChatCookie)
	return err == nil && agreed.Value == "yes"
}

// pagePolicy is the CSP of our pages, source by source (WEB.md, "Serving").
func (h *Handlers) pagePolicy(nonce string, chat bool) string {
	scripts, connect, frames, images, styles := "'self' 'nonce-"+nonce+"'", "'self'", "'none'", "'self' data: blob:", "'self' 'nonce-"+nonce+"'"
	fonts, media := "'self'", "'none'"
	if h.WidgetURL != "" {
		frames = h.WidgetURL
	}
	if chat {
		scripts += " https://code.tidio.co https://widget-v4.tidiochat.com"
		connect += " https://*.tidio.co wss://*.tidio.co https://*.tidiochat.com"
		images += " https://*.tidiochat.com https://tidio-images-messenger.s3.amazonaws.com"
		styles += " https://widget-v4.tidiochat.com"
		fonts += " https://widget-v4.tidiochat.com"
		media = "https://widget-v4.tidiochat.com"
	}
	return strings.Join([]string{"default-src 'none'", "script-src " + scripts, "style-src " + styles, "style-src-attr 'unsafe-inline'",
		"img-src " + images, "font-src " + fonts, "media-src " + media, "connect-src " + connect, "frame-src " + frames, "manifest-src 'self'",
		"form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'", "object-src 'none'"}, "; ")
}

// permissionsPolicy lets the identity widget use camera and microphone, and our
// own pages the camera, which reads a wallet's QR code.
func (h *Handlers) permissionsPolicy() string {
	camera, microphone := "(self)", "()"
	if h.WidgetURL != "" {
		camera = `(self "` + h.WidgetURL + `")`
		microphone = camera
	}
	return "camera=" + camera + ", microphone=" + microphone + ", geolocation=(), payment=(), usb=(), interest-cohort=()"
}
