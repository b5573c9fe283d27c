package site

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/tradepost/tradepost/models/account"
)

// releaseHeader names the release of the web app that the server has. A page contains its
// own release as a tag, so that one which stays open over a deploy detects the newer one.
const releaseHeader = "X-Release"

// named derives the build's name, which each of its pages contains: an edition's index.html
// has the address of its entry, and that the hash of all it loads.
func (s *Build) named() *Build {
	sum := sha256.New()
	for _, code := range account.Languages {
		sum.Write([]byte(s.editions[code].index))
	}
	s.Release = hex.EncodeToString(sum.Sum(nil))[:12]
	tag := `<meta name="release" content="` + s.Release + `"><!--head-->`
	for _, e := range s.editions {
		for _, template := range []*string{&e.index, &e.first.opening} {
			*template = strings.Replace(*template, "<!--head-->", tag, 1)
		}
	}
	return s
}

// Released adds the release of the web app to every answer of the API.
func (h *Handlers) Released(c *gin.Context) {
	if h.Build != nil && strings.HasPrefix(c.FullPath(), "/api/") {
		c.Header(releaseHeader, h.Build.Release)
	}
	c.Next()
}
