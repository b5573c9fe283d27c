package sumsub

import (
	"embed"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/tradepost/tradepost/internal/sandbox"
)

//go:embed assets
var assets embed.FS

// framers are who may frame the widget's page: sites on this machine.
const framers = "frame-ancestors http://localhost:* http://127.0.0.1:*"

// documents are the identity documents the widget offers.
var documents = []string{"PASSPORT", "ID_CARD", "DRIVERS"}

var errToken = errors.New("the access token is unknown or has expired")

func (s *Simulator) widgetRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /websdk/websdk.html", func(rw http.ResponseWriter, r *http.Request) {
		sandbox.PageSecurity(rw)
		rw.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "+framers)
		http.ServeFileFS(rw, r, assets, "assets/websdk.html")
	})
	mux.Handle("GET /websdk/", sandbox.Assets("/websdk/", assets))
	mux.HandleFunc("POST /websdk/api/launch", s.widget(func(*change, *record, func(string) string) error { return nil }))
	mux.HandleFunc("POST /websdk/api/submit", s.widget(s.submitWidget))
	mux.HandleFunc("POST /websdk/api/expire", s.widget(func(c *change, _ *record, param func(string) string) error {
		return c.tx.Delete(accesses, param("accessToken"))
	}))
}

// widgetState is what the page shows; its fields are those of the widget's
// status events.
type widgetState struct {
	ApplicantID string  `json:"applicantId"`
	Level       string  `json:"levelName"`
	Created     string  `json:"creationDate"`
	Expires     string  `json:"expireDate"`
	Status      string  `json:"reviewStatus"`
	Result      *result `json:"reviewResult,omitempty"`
	AutoChecked bool    `json:"autoChecked"`
	Repeated    bool    `json:"reprocessing"`
}

// widget runs one call of the page, for the customer of its access token. The
// first makes the applicant. An expired token is answered with 401.
func (s *Simulator) widget(do func(*change, *record, func(string) string) error) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		param := sandbox.Param(r)
		user := s.userOf(param("accessToken"))
		s.world.Guard(rw, r, "sumsub", "widget", []string{user, param("accessToken")}, func(status int, body any, fault string) {
			if fault != "" {
				body = map[string]string{"error": fault}
			}
			sandbox.WriteJSON(rw, status, body)
		}, func() (int, any) {
			var state widgetState
			err := s.update(func(c *change) error {
				doc, err := c.opened(param("accessToken"))
				if err != nil {
					return err
				}
				if err := do(c, doc, param); err != nil {
					return err
				}
				state = doc.state()
				return nil
			})
			switch {
			case errors.Is(err, errToken):
				return http.StatusUnauthorized, map[string]string{"error": err.Error()}
			case err != nil:
				return http.StatusBadRequest, map[string]string{"error": err.Error()}
			}
			return http.StatusOK, state
		})
	}
}

// userOf is the customer a token was issued for, for faults.
func (s *Simulator) userOf(id string) string {
	var token accessToken
	_ = s.world.Store.View(func(tx *sandbox.Tx) error {
		_, err := tx.Get(accesses, id, &token)
		return err
	})
	return token.User
}

// opened is the applicant of a token that is still valid.
func (c *change) opened(id string) (*record, error) {
	var token accessToken
	found, err := c.tx.Get(accesses, id, &token)
	if err != nil {
		return nil, err
	}
	if !found || !c.now.Before(token.Expires) {
		return nil, errToken
	}
	doc, err := find(c.tx, "", token.User)
	if err != nil {
		return nil, err
	}
	if doc != nil && doc.mayMove() {
		err = c.move(doc, token.Level)
	}
	if doc != nil {
		return doc, err
	}
	return c.create(token.User, token.Level, token.Email, token.Phone)
}

func (s *Simulator) submitWidget(c *change, doc *record, param func(string) string) error {
	country, document := param("country"), param("document")
	if len(country) != 3 || !slices.Contains(documents, document) {
		return errors.New("choose a country and a document")
	}
	validUntil := param("validUntil")
	if validUntil == "" {
		validUntil = c.now.AddDate(10, 0, 0).Format(time.DateOnly)
	}
	return c.submit(doc, country, document, validUntil, param("outcome"))
}

func (doc *record) state() widgetState {
	state := widgetState{
		ApplicantID: doc.ID, Level: doc.Review.LevelName, Created: doc.Review.CreateDate, Expires: "",
		Status: doc.Review.Status, AutoChecked: false, Repeated: doc.Submits > 1,
	}
	if doc.Review.Result != nil {
		shown := *doc.Review.Result
		shown.ClientComment = "" // is for us, never for the customer
		state.Result = &shown
	}
	if created, err := time.Parse("2006-01-02 15:04:05-0700", doc.Review.CreateDate); err == nil {
		state.Expires = sumsubTime(created.AddDate(1, 0, 0))
	}
	return state
}
