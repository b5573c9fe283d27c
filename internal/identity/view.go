package identity

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"strconv"
	"strings"
)

//go:embed templates/*.html templates/mail/*.html assets/*
var viewFiles embed.FS

// field is one control of a form, as its template shows it.
type field struct {
	Name, Label, Type, Value, Hint, Fault, Autocomplete string
	Focus                                               bool
}

// view is what a page's template is given.
type view struct {
	T         *catalogue
	Brand     string
	PublicURL string
	Assets    map[string]string
	Title     string
	Lead      string
	FormToken string
	Request   string // authorisation request being answered, or ""
	Token     string // link token being used, or ""
	SignUp    string // sign-up that waits for its code, or ""
	Mailbox   string // page that shows the mails, in local mode
	Notice    string
	Alert     string // a fault of the form as a whole
	Values    map[string]string
	Faults    map[string]string
	Signed    *account // who is signed in, or nil
	Subject   string   // the address that a link is about
	// AsksPassword means that the form requires the account's password, too.
	AsksPassword bool
	Countries    []country
	Terms        string
	ReturnTo     string
	Links        []pageLink
	Date         string
	HomeURL      string
	Rehearsal    bool
}

// pageLink is a way on from an error page.
type pageLink struct {
	Href, Text string
	Quiet      bool
}

// fieldSpecs describes every control once.
var fieldSpecs = map[string]field{
	"email":            {Type: "email", Autocomplete: "username"},
	"password":         {Type: "password", Autocomplete: "current-password"},
	"new_password":     {Type: "password", Autocomplete: "new-password"},
	"current_password": {Type: "password", Autocomplete: "current-password"},
	"given_name":       {Type: "text", Autocomplete: "given-name"},
	"family_name":      {Type: "text", Autocomplete: "family-name"},
	"code":             {Type: "text", Autocomplete: "one-time-code"},
	"country":          {},
	"adult":            {},
	"terms":            {},
}

// label is what a control is called.
func (t *catalogue) label(name string) string {
	return map[string]string{
		"email": t.Email, "password": t.Password, "new_password": t.NewPassword, "current_password": t.CurrentPassword,
		"given_name": t.GivenName, "family_name": t.FamilyName, "country": t.Country, "adult": t.Adult, "code": t.Code6,
	}[name]
}

// fieldOrder decides which faulty control gets the focus, and how the summary
// lists the faults.
var fieldOrder = []string{"email", "password", "current_password", "new_password", "given_name", "family_name", "country", "adult", "terms", "code"}

// DescribedBy lists the ids of a control's webhook signal and fault, for its template.
func (f field) DescribedBy() string {
	var ids []string
	if f.Hint != "" {
		ids = append(ids, f.Name+"-hint")
	}
	if f.Fault != "" {
		ids = append(ids, f.Name+"-fault")
	}
	return strings.Join(ids, " ")
}

// FieldAs is Field under another label.
func (v view) FieldAs(name, label string) field {
	f := v.Field(name)
	f.Label = label
	return f
}

// Field is called by templates.
func (v view) Field(name string) field {
	f := fieldSpecs[name]
	f.Name, f.Label, f.Value, f.Fault = name, v.T.label(name), v.Values[name], v.Faults[name]
	if name == "new_password" {
		f.Hint = v.T.PasswordHint
	}
	if name == "code" {
		f.Hint = v.T.CodeHint
	}
	f.Focus = f.Fault != "" && v.firstFault() == name || name == "code" // the only field of its page
	return f
}

func (v view) firstFault() string {
	for _, name := range fieldOrder {
		if v.Faults[name] != "" {
			return name
		}
	}
	return ""
}

// FaultList is the summary of faults, in the order of the form.
func (v view) FaultList() []field {
	var list []field
	for _, name := range fieldOrder {
		if v.Faults[name] != "" {
			list = append(list, v.Field(name))
		}
	}
	return list
}

// views renders pages.
type views struct {
	settings *settings
	guard    *guard
	pages    map[string]*template.Template
	assets   map[string]asset  // by path with hash
	names    map[string]string // file name → path with hash
}

type asset struct {
	kind string
	body []byte
}

func newViews(s *settings, g *guard) (*views, error) {
	v := &views{settings: s, guard: g, pages: map[string]*template.Template{}, assets: map[string]asset{}, names: map[string]string{}}
	files, err := fs.Glob(viewFiles, "templates/*.html")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		name := strings.TrimSuffix(strings.TrimPrefix(file, "templates/"), ".html")
		if name == "layout" {
			continue
		}
		page, err := template.New(name).ParseFS(viewFiles, "templates/layout.html", file)
		if err != nil {
			return nil, err
		}
		v.pages[name] = page
	}
	return v, v.loadAssets()
}

var assetKinds = map[string]string{"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml", "woff2": "font/woff2"}

func (v *views) loadAssets() error {
	entries, err := viewFiles.ReadDir("assets")
	if err != nil {
		return err
	}
	for _, entry := range entries {
		body, err := viewFiles.ReadFile("assets/" + entry.Name())
		if err != nil {
			return err
		}
		stem, ext, _ := strings.Cut(entry.Name(), ".")
		if ext == "css" { // the entries are in order of name: what the style names precedes it
			for name, path := range v.names {
				body = bytes.ReplaceAll(body, []byte("url("+name+")"), []byte("url("+path+")"))
			}
		}
		sum := sha256.Sum256(body)
		path := "/assets/" + stem + "." + hex.EncodeToString(sum[:6]) + "." + ext
		v.assets[path] = asset{assetKinds[ext], body}
		v.names[stem] = path
	}
	return nil
}

// serveAsset answers an immutable file; its name contains its hash.
func (v *views) serveAsset(w http.ResponseWriter, r *http.Request) bool {
	found, ok := v.assets[r.URL.Path]
	if !ok {
		return false
	}
	w.Header().Set("Content-Type", found.kind)
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	_, _ = w.Write(found.body) // the peer has disconnected
	return true
}

// show renders page with status. What every page needs is filled in here.
func (v *views) show(w http.ResponseWriter, r *http.Request, status int, page string, data view) {
	data.T, data.Brand, data.PublicURL, data.Assets = textsOf(r.Context()), v.settings.Brand, v.settings.PublicURL, v.names
	data.FormToken = v.guard.formToken(visitOf(r.Context()))
	data.HomeURL, data.Rehearsal = v.settings.PublicURL+"/", v.settings.Mode == ModeStaging
	var body bytes.Buffer
	if err := v.pages[page].ExecuteTemplate(&body, "layout", data); err != nil {
		panic(fmt.Sprintf("identity page %s: %v", page, err)) // a template does not match its data: a defect, found by tests
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = body.WriteTo(w) // the peer has disconnected
}

// fail shows an error page with ways on.
func (v *views) fail(w http.ResponseWriter, r *http.Request, status int, title, lead string, links ...pageLink) {
	if len(links) == 0 {
		links = []pageLink{v.homeLink(r)}
	}
	for i := range links {
		links[i].Quiet = i > 0
	}
	v.show(w, r, status, "message", view{Title: title, Lead: lead, Links: links})
}

// limited shows when to try again, to people and to programs.
func (v *views) limited(w http.ResponseWriter, r *http.Request, seconds int) {
	w.Header().Set("Retry-After", strconv.Itoa(seconds))
	t := textsOf(r.Context())
	v.fail(w, r, http.StatusTooManyRequests, t.LimitedTitle, fmt.Sprintf(t.LimitedLead, t.wait(seconds)),
		pageLink{Href: pathSignIn, Text: t.BackToSignIn}, v.homeLink(r))
}

func (v *views) homeLink(r *http.Request) pageLink {
	return pageLink{Href: v.settings.PublicURL + "/", Text: fmt.Sprintf(textsOf(r.Context()).BackToSite, v.settings.Brand)}
}

// backLink leads back through sign-in, so that the site receives what has changed here.
func (v *views) backLink(r *http.Request) pageLink {
	link := v.homeLink(r)
	link.Href = v.settings.PublicURL + pathSiteLogin
	return link
}

func (v *views) startLink(r *http.Request) pageLink {
	return pageLink{Href: v.settings.PublicURL + pathSiteLogin, Text: textsOf(r.Context()).StartAgain}
}
