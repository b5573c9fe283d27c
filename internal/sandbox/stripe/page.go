package stripe

import (
	"bytes"
	"embed"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/tradepost/tradepost/internal/sandbox"
)

//go:embed assets
var pageAssets embed.FS

var pages = template.Must(template.ParseFS(pageAssets, "assets/*.html"))

// view is what the hosted pages show.
type view struct {
	Session *sessionDoc
	Intent  *intentDoc
	Total   string
	Back    string // cancel_url
	Problem string // the message to the customer
	Fields  map[string]string
	Wrong   map[string]string // by field
	Cards   []testCard
	Result  string
}

func (s *Simulator) pageRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /pay/{id}", s.showPage)
	mux.HandleFunc("POST /pay/{id}", s.submitPage)
	mux.HandleFunc("GET /pay/{id}/authenticate", s.showChallenge)
	mux.HandleFunc("POST /pay/{id}/authenticate", s.answerChallenge)
	mux.Handle("GET /assets/stripe/", sandbox.Assets("/assets/stripe/", pageAssets))
}

// showPage shows the card form of an open page, and the outcome of another.
func (s *Simulator) showPage(rw http.ResponseWriter, r *http.Request) {
	v, err := s.view(r.PathValue("id"))
	if err != nil {
		s.render(rw, http.StatusNotFound, "gone.html", view{Problem: "There is no checkout page at this address."})
		return
	}
	v.Fields = map[string]string{}
	s.renderPage(rw, http.StatusOK, v)
}

func (s *Simulator) renderPage(rw http.ResponseWriter, status int, v view) {
	switch v.Session.Status {
	case "complete":
		v.Problem, v.Result = "This payment is already submitted.", returnAddress(v.Session)
		s.render(rw, http.StatusOK, "gone.html", v)
	case "expired":
		v.Problem = "This checkout page has expired. No payment was taken."
		s.render(rw, http.StatusGone, "gone.html", v)
	default:
		s.render(rw, status, "pay.html", v)
	}
}

// submitPage pays with the card of the form.
func (s *Simulator) submitPage(rw http.ResponseWriter, r *http.Request) {
	v, err := s.view(r.PathValue("id"))
	if err != nil {
		s.showPage(rw, r)
		return
	}
	if v.Session.Status != "open" {
		s.renderPage(rw, http.StatusConflict, v)
		return
	}
	card, month, year := v.read(r, s.world.Clock.Now())
	if len(v.Wrong) > 0 {
		s.renderPage(rw, http.StatusUnprocessableEntity, v)
		return
	}
	next, err := s.pay(r.PathValue("id"), func(c *change, cs *sessionDoc) error {
		if fault, armed := s.world.Faults.Take("stripe", "pay", cs.Order, cs.ID); armed && fault.Code == "decline" {
			c.force = firstOf(fault.Arg, "generic_decline")
		}
		email := ""
		if cs.CustomerEmail != nil {
			email = *cs.CustomerEmail
		}
		method, err := c.newMethod(card, month, year, v.Fields["name"], email)
		if err != nil {
			return err
		}
		return c.submit(cs, method, false)
	})
	s.follow(rw, r, next, err)
}

// pay runs one step of an open page in a transaction and returns the browser's next
// address. A decline is no error: the page shows it.
func (s *Simulator) pay(id string, step func(*change, *sessionDoc) error) (next string, err error) {
	err = s.world.Store.Update(func(tx *sandbox.Tx) error {
		c := &change{sim: s, tx: tx, now: s.world.Clock.Now()}
		cs, err := load[sessionDoc](tx, sessions, "id", id)
		if err != nil {
			return err
		}
		var declined *apiError
		if cs.Status == "open" {
			if err := step(c, cs); err != nil && !errors.As(err, &declined) {
				return err
			}
		}
		next, err = c.whereNext(id)
		return err
	})
	return next, err
}

// whereNext is the page that fits the session's state.
func (c *change) whereNext(id string) (string, error) {
	cs, err := load[sessionDoc](c.tx, sessions, "id", id)
	if err != nil {
		return "", err
	}
	if cs.Status == "complete" {
		return returnAddress(cs), nil
	}
	if cs.PaymentIntent != nil {
		pi, err := load[intentDoc](c.tx, intents, "id", *cs.PaymentIntent)
		if err != nil {
			return "", err
		}
		if pi.Status == "requires_action" {
			return "/pay/" + id + "/authenticate", nil
		}
	}
	return "/pay/" + id, nil
}

func (s *Simulator) follow(rw http.ResponseWriter, r *http.Request, next string, err error) {
	if err != nil {
		s.complain("pay", err)
		s.render(rw, http.StatusInternalServerError, "gone.html", view{Problem: "Something went wrong in the sandbox. Go back and try again."})
		return
	}
	http.Redirect(rw, r, next, http.StatusSeeOther)
}

// returnAddress is success_url with the session's id filled in.
func returnAddress(cs *sessionDoc) string {
	if cs.SuccessURL == nil {
		return "/pay/" + cs.ID
	}
	return strings.ReplaceAll(*cs.SuccessURL, "{CHECKOUT_SESSION_ID}", cs.ID)
}

// view gathers what the page of a session shows.
func (s *Simulator) view(id string) (view, error) {
	v := view{Cards: testCards, Wrong: map[string]string{}}
	err := s.world.Store.View(func(tx *sandbox.Tx) error {
		cs, err := load[sessionDoc](tx, sessions, "id", id)
		if err != nil {
			return err
		}
		v.Session, v.Total = cs, money(cs.AmountTotal, cs.Currency)
		if cs.Status == "open" && s.world.Clock.Now().Unix() >= cs.ExpiresAt {
			cs.Status = "expired" // the clock is about to expire it
		}
		if cs.CancelURL != nil {
			v.Back = *cs.CancelURL
		}
		if cs.PaymentIntent == nil {
			return nil
		}
		if v.Intent, err = load[intentDoc](tx, intents, "id", *cs.PaymentIntent); err == nil && v.Intent.LastPaymentError != nil {
			v.Problem = v.Intent.LastPaymentError.Message
		}
		return err
	})
	return v, err
}

var expiryForm = regexp.MustCompile(`^\s*(\d{1,2})\s*/?\s*(\d{2}|\d{4})\s*$`)

// read checks the form and records its faults. The number is not kept.
func (v *view) read(r *http.Request, now time.Time) (card testCard, month, year int) {
	v.Fields = map[string]string{"expiry": r.FormValue("expiry"), "name": r.FormValue("name")}
	v.Problem = ""
	card, known := cardByNumber(r.FormValue("number"))
	switch {
	case strings.TrimSpace(r.FormValue("number")) == "":
		v.Wrong["number"] = "Enter a card number, or choose one of the test cards."
	case !known:
		v.Wrong["number"] = "Use one of the listed test cards. We didn't keep the number you entered."
	default:
		v.Fields["number"] = card.Spaced()
	}
	month, year = expiryDate(v.Fields["expiry"])
	end := time.Date(year, time.Month(month)+1, 1, 0, 0, 0, 0, time.UTC)
	switch {
	case month < 1 || month > 12:
		v.Wrong["expiry"] = "Enter the expiry as MM / YY."
	case !now.Before(end):
		v.Wrong["expiry"] = "Your card's expiration date is in the past."
	}
	if cvc := strings.TrimSpace(r.FormValue("cvc")); len(cvc) < 3 || len(cvc) > 4 || strings.Trim(cvc, "0123456789") != "" {
		v.Wrong["cvc"] = "Enter any 3 or 4 digits."
	}
	return card, month, year
}

// expiryDate reads "12 / 34" or "12/2034"; month 0 when it is neither.
func expiryDate(text string) (month, year int) {
	parts := expiryForm.FindStringSubmatch(text)
	if parts == nil {
		return 0, 0
	}
	month, _ = strconv.Atoi(parts[1])
	year, _ = strconv.Atoi(parts[2])
	if year < 100 {
		year += 2000
	}
	return month, year
}

// render writes the page. Its forms may lead, by redirect, to the shop's own
// pages: browsers check form-action there too.
func (s *Simulator) render(rw http.ResponseWriter, status int, name string, v view) {
	origins := []string{}
	if v.Session != nil {
		for _, address := range []*string{v.Session.SuccessURL, v.Session.CancelURL} {
			if address == nil {
				continue
			}
			if u, err := url.Parse(strings.ReplaceAll(*address, "{CHECKOUT_SESSION_ID}", "")); err == nil {
				origins = append(origins, u.Scheme+"://"+u.Host)
			}
		}
	} else if v.Result != "" {
		if u, err := url.Parse(v.Result); err == nil && u.Host != "" {
			origins = append(origins, u.Scheme+"://"+u.Host)
		}
	}
	var out bytes.Buffer
	if err := pages.ExecuteTemplate(&out, name, v); err != nil {
		s.complain("page "+name, err)
		http.Error(rw, "We couldn't create the page.", http.StatusInternalServerError)
		return
	}
	sandbox.PageSecurity(rw, origins...)
	rw.Header().Set("Content-Type", "text/html; charset=utf-8")
	rw.WriteHeader(status)
	_, _ = rw.Write(out.Bytes())
}
