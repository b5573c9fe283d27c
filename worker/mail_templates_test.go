package worker

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/mailtemplate"
	"github.com/tradepost/tradepost/internal/sandbox/mailbox"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/giftcard"
	"github.com/tradepost/tradepost/models/mailqueue"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/payout"
	"github.com/tradepost/tradepost/models/privacy"
	"github.com/tradepost/tradepost/models/reporting"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/team"
)

// unsaid are values of an event that no mail may repeat. (A payout's "account" is its last
// four digits.)
var unsaid = []string{"code", "pin", "cvv", "token", "secret", "seed", "password", "email", "address", "destAddress", "iban", "accountNumber",
	"routingNumber", "message", "note", "detail", "lastError"}

// Every mail of the folder has a cause, is written in plain and in HTML, with the same
// text, with a subject and a button that links to an existing page; and repeats no value
// that is for no mail.
func TestEveryMailHasBothFormsAndLeadsToAPage(t *testing.T) {
	files, err := fs.Glob(os.DirFS(filepath.Join("..", "internal", "mailtemplate", "templates")), "*.tmpl")
	require.NoError(t, err)
	kinds := mailtemplate.Kinds("en")
	require.Len(t, kinds, len(files))
	pages := map[string][]string{} // where the mails of a kind lead
	for _, m := range order.Mailings {
		pages[m.Kind] = []string{"/orders/1"}
		if m.Roles != nil {
			pages[m.Kind] = []string{"/admin/orders"}
		}
	}
	for _, m := range giftcard.CardMailings {
		pages[m.Kind] = []string{"/gift-cards/1"}
		if m.Roles != nil {
			pages[m.Kind] = []string{"/admin/gift-cards/1"}
		}
	}
	for _, rules := range casework.Kinds() {
		id := "1"
		for _, m := range rules.Mailings {
			due := mailqueue.DueMail{Kind: m.Kind, Staff: m.Roles != nil, Matter: &rules.Matter, MatterID: &id}
			pages[m.Kind] = append(pages[m.Kind], due.Page())
		}
	}
	for _, kind := range reporting.AlertMailings {
		for _, alert := range reporting.AlertKinds {
			pages[kind] = append(pages[kind], (&reporting.Alert{Kind: alert, Subject: "payments"}).Page())
		}
	}
	routes := webRoutes(t)
	screen, err := os.ReadFile(filepath.Join("..", "web", "src", "features", "settings", filepath.Base(mailqueue.PreferencesPage)+"-screen.tsx"))
	require.NoError(t, err)
	require.Contains(t, string(screen), "muted", "the page to choose mails at has the choice")
	said := map[string]string{"amount": "517.50", "at": due, "until": due, "expiresAt": due, "ready": due}
	for _, word := range unsaid {
		said[word] = "CANARY-" + word
	}
	for _, kind := range kinds {
		require.NotEmpty(t, pages[kind], "%s: a letter that nothing causes", kind)
		require.Equal(t, !staffOnly(kind), slices.Contains(mailtemplate.Kinds("es"), kind), "%s: what a customer can get there is in every language, what staff get is in English", kind)
		for _, page := range append(pages[kind], mailqueue.PreferencesPage) {
			page, _, _ := strings.Cut(page, "?")
			require.True(t, slices.ContainsFunc(routes, func(r *regexp.Regexp) bool { return r.MatchString(page) }), "%s leads to %q, and there is no such page", kind, page)
		}
		link := "http://localhost" + pages[kind][0]
		facts := mailtemplate.Facts{Brand: "Tradepost", Name: "<b>Ada</b>", Reference: "XX-1", Coin: "0.01 BTC", Total: "517.50", Method: "card", Said: said,
			Link: link, Preferences: "http://localhost" + mailqueue.PreferencesPage}
		for _, facts.Language = range mailtemplate.Languages() {
			holds(t, kind, facts)
		}
	}
}

// staffOnly reports whether a mail goes to staff alone.
func staffOnly(kind string) bool {
	all := append(slices.Clone(order.Mailings), giftcard.CardMailings...)
	for _, rules := range casework.Kinds() {
		if rules.Matter != team.KindTeam && rules.Matter != reporting.KindApprovals { // their people are staff
			all = append(all, rules.Mailings...)
		}
	}
	return !slices.ContainsFunc(all, func(m casework.Mailing) bool { return m.Kind == kind && m.Roles == nil })
}

// holds checks one mail in one language.
func holds(t *testing.T, kind string, facts mailtemplate.Facts) {
	t.Helper()
	link := facts.Link
	mail, err := mailtemplate.Write(kind, facts)
	require.NoError(t, err, kind)
	require.NotEmpty(t, mail.Subject, kind)
	require.Less(t, len(mail.Subject), 100, kind)
	require.NotContains(t, mail.Subject, "\n", kind)
	require.Contains(t, mail.Text, "\n"+link+"\n", kind)
	require.Contains(t, mail.HTML, `href="`+link+`"`, kind)
	require.Contains(t, mail.HTML, "<h1", kind)
	require.NotContains(t, mail.HTML, "<b>Ada", kind)
	if slices.Contains(mailtemplate.Kinds(facts.Language), kind) {
		require.Contains(t, mail.HTML, `<html lang="`+facts.Language+`"`, kind)
	}
	plain := words(mail.HTML)
	for _, line := range strings.Split(mail.Text, "\n\n") {
		if line = strings.Join(strings.Fields(line), " "); strings.HasSuffix(line, ".") && !strings.Contains(line, "--") {
			require.Contains(t, plain, line, "%s says more in plain than in HTML", kind)
		}
	}
	for _, wrong := range []string{"CANARY", "<no value>", "%!", "{{"} {
		require.NotContains(t, mail.Subject+mail.Text+mail.HTML, wrong, kind)
	}
}

var tags = regexp.MustCompile(`<[^>]*>`)

// words is a page's text, without its tags.
func words(html string) string {
	text := strings.NewReplacer("&#39;", "'", "&#34;", `"`, "&amp;", "&", "&lt;", "<", "&gt;", ">").Replace(tags.ReplaceAllString(html, " "))
	return strings.Join(strings.Fields(text), " ")
}

// webRoutes are the pages of the site, read from the names of their files.
func webRoutes(t *testing.T) []*regexp.Regexp {
	t.Helper()
	var routes []*regexp.Regexp
	root := filepath.Join("..", "web", "src", "routes")
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		name, isPage := strings.CutSuffix(strings.TrimPrefix(path, root), ".tsx")
		if err != nil || entry.IsDir() || !isPage {
			return err
		}
		var parts []string
		for _, part := range strings.FieldsFunc(name, func(r rune) bool { return r == '/' || r == '.' }) {
			switch {
			case part == "index" || strings.HasPrefix(part, "_"):
			case strings.HasPrefix(part, "$"):
				parts = append(parts, `[^/]+`)
			default:
				parts = append(parts, regexp.QuoteMeta(part))
			}
		}
		routes = append(routes, regexp.MustCompile(`^/`+strings.Join(parts, "/")+`$`))
		return nil
	}))
	require.Greater(t, len(routes), 15)
	return routes
}

// opensLink has a request of the customer wait for its mailed link.
func (h *testCluster) opensLink(of casework.Kind, subject string) {
	h.Helper()
	now, err := h.db.Now(h.Context())
	require.NoError(h, err)
	require.NoError(h, casework.OpenLink(h.Context(), h.db, casework.MailedLink{Subject: subject, Kind: of, UserID: h.customer, ExpiresAt: now.Add(casework.LinkTTL)}))
}

// Every mail that a case causes arrives once, for whom it was queued.
func TestBar35EveryCaseMailArrivesOnce(t *testing.T) {
	h := open(t)
	h.exec(`UPDATE users SET first_name = '<b>Ada</b>' WHERE id = $1`, h.customer)
	type sent struct {
		kind, id string
		staff    bool
	}
	var all []sent
	for _, rules := range casework.Kinds() {
		for _, m := range rules.Mailings {
			to, mail := h.customer, sent{m.Kind, store.NewID(), m.Roles != nil}
			if mail.staff {
				to = h.staff
			}
			if m.Kind == payout.MailConfirmPayout || m.Kind == privacy.MailConfirmExport {
				h.opensLink(rules.Matter, mail.id) // before the mail: one without its link is given up
			}
			h.exec(`WITH e AS (INSERT INTO matter_events (matter, matter_id, user_id, reference, kind, actor, status, data)
				VALUES ($1, $2, $3, 'XX-1', $4, 'system', '', '{"amount":"517.50","token":"CANARY"}') RETURNING id)
				INSERT INTO mails (id, matter_event_id, kind, user_id, staff, dedupe) SELECT $2, e.id, $5, $6, $7, $5 FROM e`,
				string(rules.Matter), mail.id, h.customer, m.Event, m.Kind, to, mail.staff)
			all = append(all, mail)
		}
	}
	h.deliverMails()
	arrived := map[string][]mailbox.Message{"customer@example.com": h.mails("customer@example.com"), "staff@example.com": h.mails("staff@example.com")}
	require.Len(t, all, len(arrived["customer@example.com"])+len(arrived["staff@example.com"]), "each once")
	for to, mails := range arrived {
		for _, mail := range mails {
			require.Equal(t, []string{to}, mail.To)
			require.Equal(t, 1, mail.Deliveries, mail.Subject)
			require.NotEmpty(t, mail.Text, mail.Subject)
			require.Contains(t, mail.HTML, "<h1", mail.Subject)
			require.NotContains(t, mail.Subject+mail.Text+mail.HTML, "CANARY", mail.Subject)
			require.NotContains(t, mail.HTML, "<b>Ada", mail.Subject)
			require.True(t, strings.HasPrefix(mail.Links[0], "http://localhost/"), mail.Subject)
		}
	}
}
