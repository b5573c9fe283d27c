package mailbox

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"time"

	"github.com/tradepost/tradepost/internal/sandbox"
)

//go:embed assets
var assets embed.FS

var pages = template.Must(template.ParseFS(assets, "assets/*.html"))

// shown is how many mails the list and the API answer.
const shown = 200

// Name is "mailbox".
func (m *Mailbox) Name() string { return "mailbox" }

// Tick does nothing: mails do not change.
func (m *Mailbox) Tick(time.Time) {}

// Control shows nothing: the mailbox has its own page.
func (m *Mailbox) Control() []sandbox.Panel { return nil }

// Routes registers the pages and their JSON.
func (m *Mailbox) Routes(mux *http.ServeMux, w *sandbox.World) {
	m.world = w
	mux.HandleFunc("GET /mailbox", m.list)
	mux.HandleFunc("GET /mailbox/{id}", m.view)
	mux.HandleFunc("GET /mailbox/{id}/html", m.html)
	mux.HandleFunc("GET /mailbox/api/messages", m.messages)
	mux.Handle("GET /assets/mailbox/", sandbox.Assets("/assets/mailbox/", assets))
}

func (m *Mailbox) list(rw http.ResponseWriter, r *http.Request) {
	to := r.FormValue("to")
	mails, err := m.find(to, shown)
	if err != nil {
		http.Error(rw, err.Error(), http.StatusInternalServerError)
		return
	}
	m.render(rw, "list.html", map[string]any{"Mails": mails, "To": to})
}

func (m *Mailbox) view(rw http.ResponseWriter, r *http.Request) {
	message, found, err := m.get(r.PathValue("id"))
	if err != nil || !found {
		http.NotFound(rw, r)
		return
	}
	m.render(rw, "mail.html", map[string]any{"Mail": message, "Pieces": pieces(message.Text)})
}

// html is the HTML part alone, for the frame: no script, no foreign resource;
// its links open a page of their own.
func (m *Mailbox) html(rw http.ResponseWriter, r *http.Request) {
	message, found, err := m.get(r.PathValue("id"))
	if err != nil || !found {
		http.NotFound(rw, r)
		return
	}
	rw.Header().Set("Content-Security-Policy", "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'")
	rw.Header().Set("X-Content-Type-Options", "nosniff")
	rw.Header().Set("Referrer-Policy", "no-referrer")
	rw.Header().Set("Cache-Control", "no-store")
	rw.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = rw.Write([]byte(`<base target="_blank">` + message.HTML))
}

func (m *Mailbox) messages(rw http.ResponseWriter, r *http.Request) {
	mails, err := m.find(r.FormValue("to"), shown)
	if err != nil {
		sandbox.WriteJSON(rw, http.StatusInternalServerError, map[string]string{"error": err.Error()})
		return
	}
	sandbox.WriteJSON(rw, http.StatusOK, mails)
}

// piece is a stretch of plain text, or a link.
type piece struct {
	Text string
	Link bool
}

func pieces(text string) []piece {
	list, from := []piece{}, 0
	for _, at := range links.FindAllStringIndex(text, -1) {
		list = append(list, piece{Text: text[from:at[0]]}, piece{Text: text[at[0]:at[1]], Link: true})
		from = at[1]
	}
	return append(list, piece{Text: text[from:]})
}

func (m *Mailbox) render(rw http.ResponseWriter, name string, data any) {
	var out bytes.Buffer
	if err := pages.ExecuteTemplate(&out, name, data); err != nil {
		http.Error(rw, err.Error(), http.StatusInternalServerError)
		return
	}
	sandbox.PageSecurity(rw)
	rw.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = rw.Write(out.Bytes())
}
