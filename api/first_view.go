package api

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"io/fs"
	"path"
	"strings"

	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
)

// firstViews are what is painted before any script has run: of each page a piece of
// HTML that the build rendered from the app's own components. A visitor's is the
// page itself; that of somebody signed in is an outline, without what is theirs.
type firstViews struct {
	opening string            // index.html with its scripts set apart, until the view is painted
	views   map[string]string // by mode and page
}

// loadFirstViews reads what the build left for the pages that have a view.
func loadFirstViews(files fs.FS, folder string, pages []sitePage) (firstViews, error) {
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
		for _, mode := range []string{"local", "production"} {
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
func (p *sitePage) views() []string {
	if p.Access == "public" {
		return []string{p.View}
	}
	names := make([]string, len(kyc.UserStatuses))
	for i, identity := range kyc.UserStatuses {
		names[i] = p.View + "." + identity
	}
	return names
}

// viewOf names the first view that somebody gets; user is nil for a visitor.
func (p *sitePage) viewOf(user *User) string {
	if p.Access == "public" {
		return p.View
	}
	return p.View + "." + user.KYCStatus
}

// of gives a page's template and its first view; without a view the template is
// that of any page.
func (v firstViews) of(page *sitePage, session *Session, index string) (template, view string, err error) {
	if page == nil || page.View == "" || !page.opensAtOnceFor(session.User) || session.Config.Offer.narrowed() {
		return index, "", nil
	}
	mode := session.Config.Mode
	if mode == modeStaging {
		mode = "production" // the banner stands beside the view
	}
	view, err = filledIn(v.views[path.Join(mode, page.viewOf(session.User))], session)
	return v.opening, view, err
}

// narrowed reports whether something is not offered that the build's views show.
func (o Offer) narrowed() bool {
	return len(o.Assets) > 0 && (len(o.Assets) < len(money.Assets) || len(o.Rails) < len(pricing.Rails) || len(o.Languages) < len(account.Languages))
}

// opensAtOnceFor tells whether the page will look as its first view does: public
// pages have a visitor's, and all others a customer's. Staff have more in their
// header, and who owes a second factor sees nothing else.
func (p *sitePage) opensAtOnceFor(user *User) bool {
	if p.Access == "public" {
		return user == nil
	}
	return user != nil && !user.IsAdmin && (!user.Needs2FA || user.TwoFactorVerified)
}

// filledIn puts into the prerendered view what its build could not know: the
// brand, what this installation claims, by their names in the contract, and who
// looks.
func filledIn(view string, session *Session) (string, error) {
	config := session.Config
	raw, err := json.Marshal(config.Claims)
	if err != nil {
		return "", err
	}
	known := map[string]any{}
	if err := json.Unmarshal(raw, &known); err != nil {
		return "", err
	}
	known["brand"], known["supportEmail"] = config.Brand, config.SupportEmail
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
