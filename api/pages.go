package api

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"mime"
	"net/http"
	"path"
	"strings"

	"github.com/gin-gonic/gin"
)

// servePage answers every path that is no API call: the app's files, its pages,
// and 404 for the rest.
func (s *Server) servePage(c *gin.Context) {
	urlPath := c.Request.URL.Path
	isRead := c.Request.Method == http.MethodGet || c.Request.Method == http.MethodHead
	switch {
	case strings.HasPrefix(urlPath, "/api/") || s.site == nil || !isRead:
		writeProblem(c.Writer, c.Request, notFound())
	case strings.HasPrefix(urlPath, "/assets/"):
		s.serveAsset(c, urlPath)
	case urlPath == "/sitemap.xml":
		s.serveSitemap(c)
	default:
		if content, found := s.site.publicFile(urlPath); found {
			if urlPath == "/robots.txt" {
				content = s.robots(content)
			}
			s.serveFile(c, urlPath, content, "public, max-age=3600")
			return
		}
		s.serveApp(c, urlPath)
	}
}

// serveApp answers index.html for a path, 404 when the person has no such page.
func (s *Server) serveApp(c *gin.Context, urlPath string) {
	s.rememberReferral(c)
	ctx := c.Request.Context()
	who, err := s.principal(c.Request)
	if err == nil {
		err = s.countCaller(ctx, who, reading)
	}
	if err != nil {
		writeProblem(c.Writer, c.Request, asProblem(ctx, err))
		return
	}
	session, err := s.session(ctx, who)
	if err != nil {
		writeProblem(c.Writer, c.Request, asProblem(ctx, err))
		return
	}
	spoken, err := s.languageOf(ctx, c.Request, who)
	if err != nil {
		writeProblem(c.Writer, c.Request, asProblem(ctx, err))
		return
	}
	status, edition := http.StatusOK, s.site.editions[spoken]
	page, found := edition.find(urlPath, who)
	if !found {
		status = http.StatusNotFound
	}
	nonce, chat := rand.Text(), s.chats(c.Request, page, who)
	out, err := edition.render(page, session, nonce, pageAddress{s.PublicURL, urlPath}, chat)
	if err != nil {
		writeProblem(c.Writer, c.Request, problem(http.StatusInternalServerError, "internal", "Something went wrong. Try again."))
		return
	}
	c.Header("Content-Security-Policy", s.pagePolicy(nonce, chat))
	c.Header("Permissions-Policy", s.permissionsPolicy())
	c.Header("Content-Language", spoken)
	c.Header("Vary", "Cookie, Accept-Language")
	s.write(c, status, "text/html; charset=utf-8", s.withStarting(out, spoken, nonce))
}

func (s *Server) serveSitemap(c *gin.Context) {
	out, err := s.sitemap()
	if err != nil {
		writeProblem(c.Writer, c.Request, asProblem(c.Request.Context(), err))
		return
	}
	c.Header("Cache-Control", "public, max-age=3600")
	s.write(c, http.StatusOK, "application/xml; charset=utf-8", out)
}

// serveAsset answers a built file, whose name changes with its content. One
// that is not there is 404 and never the page.
func (s *Server) serveAsset(c *gin.Context, urlPath string) {
	content, found := s.site.publicFile(urlPath)
	if !found {
		writeProblem(c.Writer, c.Request, notFound())
		return
	}
	s.serveFile(c, urlPath, content, "public, max-age=31536000, immutable")
}

func (s *Server) serveFile(c *gin.Context, urlPath string, content []byte, caching string) {
	kind := mime.TypeByExtension(path.Ext(urlPath))
	if kind == "" {
		kind = "application/octet-stream"
	}
	c.Header("Cache-Control", caching)
	if !compressible(kind) || !strings.Contains(c.GetHeader("Accept-Encoding"), "gzip") {
		c.Data(http.StatusOK, kind, content)
		return
	}
	packed, known := s.site.packed.Load(urlPath)
	if !known {
		packed = gzipped(content, gzip.BestCompression)
		s.site.packed.Store(urlPath, packed)
	}
	c.Header("Vary", "Accept-Encoding")
	c.Header("Content-Encoding", "gzip")
	c.Data(http.StatusOK, kind, packed.([]byte))
}

// write answers a page, compressed when the browser takes it.
func (s *Server) write(c *gin.Context, status int, kind string, content []byte) {
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
