package site

import (
	"context"
	"encoding/xml"
	"slices"
	"strings"

	accountapi "github.com/tradepost/tradepost/api/account"
	"github.com/tradepost/tradepost/api/rest"
)

// sitemap lists the pages for search engines (sitemaps.org, 0.9): the public ones. A page
// has one address for all languages (decision 0023).
type sitemap struct {
	XMLName xml.Name       `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
	URLs    []sitemapEntry `xml:"url"`
}

type sitemapEntry struct {
	Location string `xml:"loc"`
}

// unlisted are public pages that are of no use to who searches.
var unlisted = []string{"/test", legalPattern, accountapi.OpenPath}

func (h *Handlers) sitemap(ctx context.Context) ([]byte, error) {
	var out sitemap
	for _, page := range h.Build.editions[rest.English].pages {
		if page.Access == "public" && !slices.Contains(unlisted, page.Pattern) {
			out.URLs = append(out.URLs, sitemapEntry{h.PublicURL + page.Pattern})
		}
	}
	for _, link := range h.Account.LegalLinks(ctx, rest.English) {
		out.URLs = append(out.URLs, sitemapEntry{h.PublicURL + strings.Replace(legalPattern, "{document}", link.Document, 1)})
	}
	body, err := xml.Marshal(out)
	return append([]byte(xml.Header), body...), err
}

// robots is the build's robots.txt, with the sitemap's URL, which has to name the site's
// own address.
func (h *Handlers) robots(content []byte) []byte {
	return []byte(strings.TrimRight(string(content), "\n") + "\n\nSitemap: " + h.PublicURL + "/sitemap.xml\n")
}
