package sumsub

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1" //nolint:gosec // one of the algorithms an account can choose
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/tradepost/tradepost/internal/sandbox"
)

// reviewDelay is how long a submission is in review.
const reviewDelay = 2 * time.Second

// Simulator is Sumsub.
type Simulator struct{ world *sandbox.World }

// New makes the simulator; Routes gives it its world.
func New() *Simulator { return &Simulator{} }

// Name is "sumsub".
func (s *Simulator) Name() string { return "sumsub" }

// Routes registers the API under /resources, the widget's page under /websdk
// and the actions of the control page.
func (s *Simulator) Routes(mux *http.ServeMux, w *sandbox.World) {
	s.world = w
	w.Hooks.SignWith("sumsub", s.digest)
	for _, e := range s.endpoints() {
		mux.HandleFunc(e.pattern, s.serve(e))
	}
	mux.HandleFunc("/resources/", s.serve(endpoint{"", "unknown", func(*change, *request) (any, error) {
		return nil, problem(http.StatusNotFound, "not-found", "HTTP 404 Not Found")
	}}))
	s.widgetRoutes(mux)
	mux.HandleFunc("POST /control/sumsub/decide", s.controlDecide)
	mux.HandleFunc("POST /control/sumsub/digest", s.controlDigest)
}

// endpoints is the table of the API's calls.
func (s *Simulator) endpoints() []endpoint {
	return []endpoint{
		{"POST /resources/accessTokens/sdk", "token", s.issueToken},
		{"POST /resources/accessTokens", "token", s.issueTokenByQuery},
		{"POST /resources/applicants", "create_applicant", s.createApplicant},
		{"PATCH /resources/applicants", "change_applicant", s.changeApplicant},
		{"PATCH /resources/applicants/{$}", "change_applicant", s.changeApplicant},
		{"PATCH /resources/applicants/{id}/info", "change_applicant", changeInfo(func(a *applicant) *map[string]any { return &a.Info })},
		{"PATCH /resources/applicants/{id}/fixedInfo", "change_applicant", changeInfo(func(a *applicant) *map[string]any { return &a.FixedInfo })},
		{"POST /resources/applicants/{id}/status/pending", "request_check", s.requestCheck},
		{"GET /resources/status/api", "health", func(*change, *request) (any, error) { return map[string]any{}, nil }},
		{"GET /resources/applicants/-/levels", "levels", s.listLevels},
		{"GET /resources/applicants/{id}/one", "read_applicant", s.readApplicant},
		{"GET /resources/applicants/-/byExternalUserId/{user}", "read_applicant", s.readByUser},
		{"GET /resources/applicants/{id}/status", "status", s.readStatus},
		{"POST /resources/applicants/{id}/reset", "reset", s.reset},
		{"POST /resources/applicants/{id}/moveToLevel", "move_to_level", s.moveToLevel},
		{"PATCH /resources/applicants/{id}/presence/{presence}", "presence", s.setPresence},
		{"POST /resources/applicants/{id}/status/testCompleted", "test_completed", s.testCompleted},
	}
}

// Operations are the API's calls, and widget for those of the framed page.
func (s *Simulator) Operations() []sandbox.Operation {
	list := []sandbox.Operation{{Name: "widget", Changes: true}}
	for _, e := range s.endpoints() {
		o := sandbox.Operation{Name: e.operation, Changes: !strings.HasPrefix(e.pattern, "GET "), Codes: []string{"decline:403:forbidden"}}
		if e.operation == "create_applicant" {
			o.Codes = append(o.Codes, "lag:5")
		}
		list = append(list, o)
	}
	return list
}

// change is a transaction in which applicants change.
type change struct {
	sim *Simulator
	tx  *sandbox.Tx
	now time.Time
}

func (c *change) count(operation, user string) error {
	return c.sim.world.Effects.Count(c.tx, "sumsub", operation, user)
}

func (s *Simulator) update(do func(*change) error) error {
	return s.world.Store.Update(func(tx *sandbox.Tx) error {
		return do(&change{sim: s, tx: tx, now: s.world.Clock.Now()})
	})
}

// Tick ends the reviews that are due.
func (s *Simulator) Tick(now time.Time) {
	for {
		var key string
		var planned plan
		err := s.world.Store.View(func(tx *sandbox.Tx) error {
			err := tx.Each(due, "", func(k string, raw []byte) error {
				if k < fmt.Sprintf("%012d0", now.UnixMilli()) { // '0' sorts behind the '/' of a key
					key = k
					if err := json.Unmarshal(raw, &planned); err != nil {
						return err
					}
				}
				return io.EOF
			})
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		})
		if err != nil || key == "" {
			s.complain("due", err)
			return
		}
		err = s.update(func(c *change) error { return c.mature(key, planned) })
		if err != nil {
			s.complain("review", err)
			return
		}
	}
}

// mature brings a planned outcome, unless the review has moved on.
func (c *change) mature(key string, planned plan) error {
	if err := c.tx.Delete(due, key); err != nil {
		return err
	}
	doc, err := find(c.tx, planned.Applicant, "")
	if err != nil || doc == nil || !inReview(doc.Review.Status) || doc.Review.AttemptID != planned.Attempt {
		return err
	}
	return c.decide(doc, planned.Outcome)
}

func (s *Simulator) complain(what string, err error) {
	if err != nil {
		s.world.Log.Error("sumsub simulator", slog.String("at", what), slog.Any("error", err))
	}
}

// notice is the body of a webhook. It holds no personal data.
type notice struct {
	ApplicantID    string   `json:"applicantId"`
	InspectionID   string   `json:"inspectionId"`
	CorrelationID  string   `json:"correlationId"`
	LevelName      string   `json:"levelName"`
	ExternalUserID string   `json:"externalUserId"`
	Type           string   `json:"type"`
	SandboxMode    bool     `json:"sandboxMode"`
	ReviewStatus   string   `json:"reviewStatus"`
	CreatedAtMs    string   `json:"createdAtMs"`
	ApplicantType  string   `json:"applicantType"`
	ReviewResult   *result  `json:"reviewResult,omitempty"`
	MemberOf       []string `json:"applicantMemberOf,omitempty"`
	PreviousLevel  string   `json:"previousLevelName,omitempty"`
	ClientID       string   `json:"clientId"`
}

// notify queues the webhook about an applicant.
func (c *change) notify(doc *record, kind string) error {
	previous := ""
	if kind == levelChanged {
		previous = doc.PreviousLevel
	}
	body, err := json.Marshal(notice{
		ApplicantID: doc.ID, InspectionID: doc.InspectionID, CorrelationID: correlation(), LevelName: doc.Review.LevelName,
		ExternalUserID: doc.ExternalUserID, Type: kind, SandboxMode: true, ReviewStatus: doc.Review.Status,
		CreatedAtMs: c.now.UTC().Format("2006-01-02 15:04:05.000"), ApplicantType: doc.Type, ReviewResult: doc.Review.Result, PreviousLevel: previous, ClientID: doc.ClientID,
	})
	if err != nil {
		return err
	}
	return c.sim.world.Hooks.Send(c.tx, sandbox.Hook{
		URL: c.sim.world.Config.HookURL + "/sumsub", Body: body, Provider: "sumsub", Type: kind, Subject: doc.ExternalUserID,
	}, nil)
}

// digest makes the headers that authenticate a webhook.
func (s *Simulator) digest(body []byte, _ time.Time) http.Header {
	name := firstDigest
	s.complain("digest", s.world.Store.View(func(tx *sandbox.Tx) error {
		_, err := tx.Get(settings, "digest", &name)
		return err
	}))
	return digestBy(name, s.world.Config.SumsubWebhookSecret, body)
}

// firstDigest is the algorithm that signs webhooks unless the control page, like the
// account's dashboard, changes it.
const firstDigest = "HMAC_SHA256_HEX"

// digests are the algorithms by the names that X-Payload-Digest-Alg gives them.
var digests = map[string]func() hash.Hash{firstDigest: sha256.New, "HMAC_SHA512_HEX": sha512.New, "HMAC_SHA1_HEX": sha1.New}

func digestBy(name, secret string, body []byte) http.Header {
	mac := hmac.New(digests[name], []byte(secret))
	mac.Write(body)
	return http.Header{"X-Payload-Digest": {hex.EncodeToString(mac.Sum(nil))}, "X-Payload-Digest-Alg": {name}}
}

// hexMAC is hex(HMAC-SHA256) over the parts in order.
func hexMAC(secret string, parts ...[]byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	for _, part := range parts {
		mac.Write(part)
	}
	return hex.EncodeToString(mac.Sum(nil))
}

func correlation() string {
	raw := make([]byte, 16)
	_, _ = rand.Read(raw)
	return "req-" + hex.EncodeToString(raw)
}
