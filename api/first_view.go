package api

import (
	"encoding/json"
	"fmt"
	"html"
	"io/fs"
	"path"
	"strings"
)

// firstViews are the pages that visitors get painted before any script has run:
// each a piece of HTML that the build rendered from the app's own components.
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
			name := path.Join(mode, page.View)
			if found.views[name], err = read(path.Join("views", name+".html")); err != nil {
				return found, err
			}
		}
	}
	return found, nil
}

// of gives a page's template and its first view; without a view, or for somebody
// signed in, the template is that of any page.
func (v firstViews) of(page *sitePage, session *Session, index string) (template, view string, err error) {
	if page == nil || page.View == "" || session.User != nil {
		return index, "", nil
	}
	view, err = filledIn(v.views[path.Join(session.Config.Mode, page.View)], session.Config)
	return v.opening, view, err
}

// filledIn puts into the prerendered view what its build could not know: the
// brand, and what this installation claims, by their names in the contract.
func filledIn(view string, config Config) (string, error) {
	raw, err := json.Marshal(config.Claims)
	if err != nil {
		return "", err
	}
	known := map[string]any{}
	if err := json.Unmarshal(raw, &known); err != nil {
		return "", err
	}
	known["brand"], known["supportEmail"] = config.Brand, config.SupportEmail
	var values []string
	for name, value := range known {
		if text, is := value.(string); is {
			values = append(values, "{{"+name+"}}", html.EscapeString(text))
		}
	}
	return strings.NewReplacer(values...).Replace(view), nil
}
