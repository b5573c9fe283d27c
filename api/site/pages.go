package site

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/rand"
	"mime"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	accountapi "github.com/tradepost/tradepost/api/account"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/account"
)

// languageOf is a page's language: English for staff; else the one chosen in this browser,
// the one the person has saved, or the browser's.
func (h *Handlers) languageOf(ctx context.Context, r *http.Request, who *account.Principal) (string, error) {
	if r.URL.Path == "/admin" || strings.HasPrefix(r.URL.Path, "/admin/") {
		return rest.English, nil
	}
	if _, chosen := h.Languages.Chosen(r); who == nil || chosen {
		return h.Languages.Asked(r), nil
	}
	saved, err := account.PreferencesOf(ctx, h.DB, who.UserID)
	if err != nil {
		return "", err
	}
	if slices.Contains(h.Languages, saved.Language) {
		return saved.Language, nil
	}
	return h.Languages.Asked(r), nil
}

// ServePage answers every path that is no API call: the app's files, its pages,
// and 404 for the rest.
func (h *Handlers) ServePage(c *gin.Context) {
	urlPath := c.Request.URL.Path
	isRead := c.Request.Method == http.MethodGet || c.Request.Method == http.MethodHead
	switch {
	case strings.HasPrefix(urlPath, "/api/") || h.Build == nil || !isRead:
		rest.WriteProblem(c.Writer, c.Request, rest.NotFound())
	case strings.HasPrefix(urlPath, "/assets/"):
		h.serveAsset(c, urlPath)
	case urlPath == "/sitemap.xml":
		h.serveSitemap(c)
	default:
		if content, found := h.Build.publicFile(urlPath); found {
			if urlPath == "/robots.txt" {
				content = h.robots(content)
			}
			h.serveFile(c, urlPath, content, "public, max-age=3600")
			return
		}
		h.serveApp(c, urlPath)
	}
}

// serveApp answers index.html for a path, 404 when the person has no such page.
func (h *Handlers) serveApp(c *gin.Context, urlPath string) {
	h.Referral.RememberReferral(c)
	ctx := c.Request.Context()
	who, err := h.Principal(c.Request)
	if err == nil {
		err = h.CountCaller(ctx, who, rest.Reading)
	}
	if err != nil {
		rest.WriteProblem(c.Writer, c.Request, rest.AsProblem(ctx, err))
		return
	}
	to, leads := accountapi.OwnPath(rest.Once(c, "to"))
	if urlPath == accountapi.OpenPath && leads && (who != nil || h.isPublic(to)) {
		c.Header("Cache-Control", "no-store")
		c.Redirect(http.StatusSeeOther, to)
		return
	}
	if own, redirected := h.signInFirst(c.Request, who); redirected {
		c.Header("Cache-Control", "no-store")
		c.Redirect(http.StatusSeeOther, accountapi.OpenPath+"?to="+url.QueryEscape(own))
		return
	}
	known := urlPath != accountapi.OpenPath || leads
	if err := h.servePage(c, urlPath, who, known); err != nil {
		rest.WriteProblem(c.Writer, c.Request, rest.AsProblem(ctx, err))
	}
}

// servePage answers index.html for a path in the person's language, 404 when it is not known or they have no such page.
func (h *Handlers) servePage(c *gin.Context, urlPath string, who *account.Principal, known bool) error {
	ctx := c.Request.Context()
	spoken, err := h.languageOf(ctx, c.Request, who)
	if err != nil {
		return err
	}
	session, err := h.Account.Session(ctx, who, spoken)
	if err != nil {
		return err
	}
	status, edition := http.StatusOK, h.Build.editions[spoken]
	page := h.pageOf(ctx, edition, urlPath, rest.Once(c, "version"), who)
	if !known || page == nil {
		status, page = http.StatusNotFound, nil
	}
	nonce, chat := rand.Text(), h.chats(c.Request, page, who)
	out, err := edition.render(page, session, nonce, pageAddress{h.PublicURL, urlPath}, chat)
	if err == nil {
		out, err = h.withLegal(ctx, out, page, urlPath, spoken, rest.Once(c, "version"))
	}
	if err != nil {
		return err
	}
	c.Header("Content-Security-Policy", h.pagePolicy(nonce, chat))
	c.Header("Permissions-Policy", h.permissionsPolicy())
	c.Header("Content-Language", spoken)
	c.Header("Vary", "Cookie, Accept-Language")
	h.write(c, status, "text/html; charset=utf-8", h.withStarting(out, spoken, nonce))
	return nil
}

// signInFirst gives the path of a customer's page that a visitor came to by a link of our own pages. They are
// redirected to the page that says what waits, also where no script runs. A typed path, or a link elsewhere, is 404.
func (h *Handlers) signInFirst(r *http.Request, who *account.Principal) (own string, redirected bool) {
	from, err := url.Parse(r.Referer())
	if who != nil || err != nil || from.Scheme+"://"+from.Host != h.Origin || !h.Build.isForCustomers(r.URL.Path) {
		return "", false
	}
	return accountapi.OwnPath(r.URL.RequestURI())
}

// isPublic reports whether visitors read the page that a link leads to; the start page differs once they have signed in.
func (h *Handlers) isPublic(to string) bool {
	at, _, _ := strings.Cut(to, "?")
	page, found := h.Build.editions[rest.English].find(at, nil)
	return found && page.Access == "public" && page.Pattern != "/" && page.Pattern != accountapi.OpenPath
}

// pageOf is the page of a path for a person; nil where they have none.
func (h *Handlers) pageOf(ctx context.Context, e *edition, urlPath, version string, who *account.Principal) *SitePage {
	page, found := e.find(urlPath, who)
	if !found || page.Pattern == legalPattern && h.legalText(ctx, urlPath, version) == nil {
		return nil
	}
	return page
}

func (h *Handlers) serveSitemap(c *gin.Context) {
	out, err := h.sitemap(c.Request.Context())
	if err != nil {
		rest.WriteProblem(c.Writer, c.Request, rest.AsProblem(c.Request.Context(), err))
		return
	}
	c.Header("Cache-Control", "public, max-age=3600")
	h.write(c, http.StatusOK, "application/xml; charset=utf-8", out)
}

// serveAsset answers a built file, whose name changes with its content. One
// that is not there is 404 and never the page.
func (h *Handlers) serveAsset(c *gin.Context, urlPath string) {
	content, found := h.Build.publicFile(urlPath)
	if !found {
		rest.WriteProblem(c.Writer, c.Request, rest.NotFound())
		return
	}
	h.serveFile(c, urlPath, content, "public, max-age=31536000, immutable")
}

func (h *Handlers) serveFile(c *gin.Context, urlPath string, content []byte, caching string) {
	kind := mime.TypeByExtension(path.Ext(urlPath))
	if kind == "" {
		kind = "application/octet-stream"
	}
	c.Header("Cache-Control", caching)
	if !compressible(kind) || !strings.Contains(c.GetHeader("Accept-Encoding"), "gzip") {
		c.Data(http.StatusOK, kind, content)
		return
	}
	packed, known := h.Build.packed.Load(urlPath)
	if !known {
		packed = gzipped(content, gzip.BestCompression)
		h.Build.packed.Store(urlPath, packed)
	}
	c.Header("Vary", "Accept-Encoding")
	c.Header("Content-Encoding", "gzip")
	c.Data(http.StatusOK, kind, packed.([]byte))
}

// write sends a page, compressed when the browser accepts that.
func (h *Handlers) write(c *gin.Context, status int, kind string, content []byte) {
	if strings.Contains(c.GetHeader("Accept-Encoding"), "gzip") {
		c.Header("Content-Encoding", "gzip")
		c.Writer.Header().Add("Vary", "Accept-Encoding")
		content = gzipped(content, gzip.DefaultCompression)
	}
	c.Data(status, kind, content)
}

func compressible(kind string) bool {
	return strings.HasPrefix(kind, "text/") || strings.Contains(kind, "javascript") || strings.Contains(kind, "json") || strings.Contains(kind, "svg")
}

func gzipped(content []byte, level int) []byte {
	var out bytes.Buffer
	packer, err := gzip.NewWriterLevel(&out, level)
	if err != nil {
		panic(err) // the levels are constants
	}
	_, _ = packer.Write(content) // a buffer does not fail
	_ = packer.Close()
	return out.Bytes()
}
