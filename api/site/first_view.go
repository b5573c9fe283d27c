package site

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"io/fs"
	"path"
	"slices"
	"strings"

	accountapi "github.com/tradepost/tradepost/api/account"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
)

// firstViews are what is painted before any script has run: of each page a piece of HTML
// that the build rendered from the app's own components. A visitor's is the page itself; a
// signed-in user's is an outline without their data.
type firstViews struct {
	opening string            // index.html with its scripts set apart, until the view is painted
	views   map[string]string // by mode and page
}

// loadFirstViews reads what the build left for the pages that have a view.
func loadFirstViews(files fs.FS, folder string, pages []SitePage) (firstViews, error) {
	found := firstViews{views: map[string]string{}}
	read := func(name string) (string, error) {
		content, err := fs.ReadFile(files, path.Join(folder, name))
		if err != nil {
			return "", fmt.Errorf("WEB_DIR holds no %s: build the web app again", path.Join(folder, name))
		}
		return string(content), nil
	}
	var err error
	for _, page := range pages {
		if page.View == "" {
			continue
		}
		if found.opening, err = read("opening.html"); err != nil {
			return found, err
		}
		for _, mode := range []string{"local", "production", "local" + cashless, "production" + cashless} {
			for _, view := range page.views() {
				name := path.Join(mode, view)
				if found.views[name], err = read(path.Join("views", name+".html")); err != nil {
					return found, err
				}
			}
		}
	}
	return found, nil
}

// views names a page's first views: a visitor's is one, a customer's one for each state of identity.
func (p *SitePage) views() []string {
	if p.Access == "public" {
		return []string{p.View}
	}
	names := make([]string, len(kyc.UserStatuses))
	for i, identity := range kyc.UserStatuses {
		names[i] = p.View + "." + identity
	}
	return names
}

// viewOf names the first view of a user; user is nil for a visitor.
func (p *SitePage) viewOf(user *accountapi.User) string {
	if p.Access == "public" {
		return p.View
	}
	return p.View + "." + user.KYCStatus
}

// of gives a page's template and its first view; without a view the template is
// that of any page.
func (v firstViews) of(page *SitePage, session *accountapi.Session, index string) (template, view string, err error) {
	if page == nil || page.View == "" || !page.opensAtOnceFor(session.User) || owesConsent(session.User) || !viewed(session.Config.Offer) {
		return index, "", nil
	}
	mode := session.Config.Mode
	if mode == rest.ModeStaging {
		mode = "production" // the banner is beside the view
	}
	if !slices.Contains(session.Config.Offer.Rails, "cash") {
		mode += cashless
	}
	view, err = filledIn(withLinks(v.views[path.Join(mode, page.viewOf(session.User))], session.Config.Legal), session)
	return v.opening, view, err
}

// cashless ends the names of the views of an offer that lacks cash alone, as it does until staff enable it.
const cashless = "-cashless"

// viewed reports whether the build has views of an offer.
func viewed(o accountapi.Offer) bool {
	if !slices.Contains(o.Rails, "cash") {
		o.Rails = append(slices.Clone(o.Rails), "cash")
	}
	return !narrowed(o)
}

// narrowed reports whether an asset, rail or language is not offered.
func narrowed(o accountapi.Offer) bool {
	return len(o.Assets) > 0 && (len(o.Assets) < len(money.Assets) || len(o.Rails) < len(pricing.Rails) || len(o.Languages) < len(account.Languages))
}

// opensAtOnceFor reports whether the page will match its first view: public pages have a
// visitor's, and all others a customer's. Staff have more in their header, and a user who
// owes a second factor sees its prompt alone.
func (p *SitePage) opensAtOnceFor(user *accountapi.User) bool {
	if p.Access == "public" {
		return user == nil
	}
	return user != nil && user.UserDetails != nil && !user.IsAdmin
}

// owesConsent reports whether the page is under the question for a consent.
func owesConsent(user *accountapi.User) bool {
	return user != nil && user.UserDetails != nil && len(user.ConsentDue) > 0
}

// withLinks puts an item for each text in place of the one that the build has for all of them.
func withLinks(view string, links []accountapi.LegalLink) string {
	const mark = "{{legalTitle}}"
	for from := 0; ; {
		at := strings.Index(view[from:], mark)
		if at < 0 {
			return view
		}
		at += from
		begin, end := strings.LastIndex(view[:at], "<li"), at+strings.Index(view[at:], "</li>")+len("</li>")
		item, items := view[begin:end], ""
		for _, link := range links {
			items += strings.NewReplacer("legalDocument", link.Document, mark, html.EscapeString(link.Title)).Replace(item)
		}
		view, from = view[:begin]+items+view[end:], begin+len(items)
	}
}

// filledIn fills the prerendered view with what its build lacks: the brand, this
// installation's claims, by their names in the contract, and the user.
func filledIn(view string, session *accountapi.Session) (string, error) {
	config := session.Config
	raw, err := json.Marshal(config.Claims)
	if err != nil {
		return "", err
	}
	known := map[string]any{}
	if err := json.Unmarshal(raw, &known); err != nil {
		return "", err
	}
	known["brand"], known["supportEmail"], known["imprint"] = config.Brand, config.SupportEmail, config.Imprint
	if user := session.User; user != nil {
		known["email"], known["name"] = user.Email, cmp.Or(user.FirstName, user.Email)
	}
	var values []string
	for name, value := range known {
		if text, is := value.(string); is {
			values = append(values, "{{"+name+"}}", html.EscapeString(text))
		}
	}
	return strings.NewReplacer(values...).Replace(view), nil
}
