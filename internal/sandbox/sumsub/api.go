package sumsub

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tradepost/tradepost/internal/sandbox"
)

// skew is how far a request's second may be from the clock.
const skew = 60 * time.Second

// endpoint is one call of the API.
type endpoint struct {
	pattern   string
	operation string
	do        func(*change, *request) (any, error)
}

// request is a signed request whose body has been read.
type request struct {
	*http.Request
	body []byte
}

// decode reads the JSON body; an empty one leaves v as it is.
func (r *request) decode(v any) error {
	if len(bytes.TrimSpace(r.body)) == 0 {
		return nil
	}
	if json.Unmarshal(r.body, v) != nil {
		return problem(http.StatusBadRequest, "invalid-json", "The request body is not valid JSON.")
	}
	return nil
}

// apiError is Sumsub's error body.
type apiError struct {
	Description   string `json:"description"`
	Code          int    `json:"code"`
	CorrelationID string `json:"correlationId"`
	ErrorName     string `json:"errorName,omitempty"`
}

func (e *apiError) Error() string { return e.Description }

func problem(status int, name, text string) *apiError {
	return &apiError{Description: text, Code: status, CorrelationID: correlation(), ErrorName: name}
}

// serve checks the signature and runs the call in one transaction under the
// faults that are armed for it.
func (s *Simulator) serve(e endpoint) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(rw, r.Body, 1<<20))
		if err != nil {
			answerError(rw, problem(http.StatusBadRequest, "unreadable", "The request body could not be read."))
			return
		}
		if refused := s.authenticate(r, body); refused != nil {
			answerError(rw, refused)
			return
		}
		req := &request{r, body}
		s.world.Guard(rw, r, "sumsub", e.operation, s.subjects(req), func(status int, answer any, fault string) {
			if fault != "" {
				answerError(rw, problem(status, "", http.StatusText(status)+" (sandbox: an injected fault)"))
				return
			}
			sandbox.WriteJSON(rw, status, answer)
		}, func() (int, any) {
			if fault, armed := s.world.Faults.TakeCode("sumsub", e.operation, []string{"decline"}, s.subjects(req)...); armed {
				refused := declined(fault.Arg)
				return refused.Code, refused
			}
			return s.execute(e, req)
		})
	}
}

// declined reads a decline fault's argument: "403:forbidden", or a bare name.
func declined(arg string) *apiError {
	status, name, found := strings.Cut(arg, ":")
	code, err := strconv.Atoi(status)
	if !found || err != nil || code < 400 || code > 499 {
		return problem(http.StatusBadRequest, arg, "Declined: "+arg)
	}
	return problem(code, name, "Declined: "+name)
}

// execute runs the call; a refusal undoes what it began.
func (s *Simulator) execute(e endpoint, r *request) (int, any) {
	var out any
	err := s.update(func(c *change) (err error) {
		out, err = e.do(c, r)
		return err
	})
	var refused *apiError
	switch {
	case errors.As(err, &refused):
		return refused.Code, refused
	case err != nil:
		s.complain(e.operation, err)
		return http.StatusInternalServerError, problem(http.StatusInternalServerError, "", "Internal error")
	}
	return http.StatusOK, out
}

func answerError(rw http.ResponseWriter, e *apiError) { sandbox.WriteJSON(rw, e.Code, e) }

// authenticate checks the app token, the request's second and its signature.
func (s *Simulator) authenticate(r *http.Request, body []byte) *apiError {
	if token := r.Header.Get("X-App-Token"); token == "" || !hmac.Equal([]byte(token), []byte(s.world.Config.SumsubAppToken)) {
		return problem(http.StatusUnauthorized, "app-token-not-found", "App token is not found.")
	}
	stamp := r.Header.Get("X-App-Access-Ts")
	second, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return problem(http.StatusUnauthorized, "app-token-timestamp", "X-App-Access-Ts is missing or not a number of seconds.")
	}
	if away := s.world.Clock.Now().Sub(time.Unix(second, 0)); away > skew || away < -skew {
		return problem(http.StatusUnauthorized, "app-token-timestamp", "Request timestamp differs from the server's by more than a minute.")
	}
	wanted := requestSignature(s.world.Config.SumsubSecret, stamp, r.Method, r.RequestURI, body)
	if !hmac.Equal([]byte(r.Header.Get("X-App-Access-Sig")), []byte(wanted)) {
		return problem(http.StatusUnauthorized, "app-token-signature-mismatch", "Invalid signature.")
	}
	return nil
}

// requestSignature is over second, method, path with query as sent, and body.
func requestSignature(secret, stamp, method, target string, body []byte) string {
	return hexMAC(secret, []byte(stamp), []byte(method), []byte(target), body)
}

// subjects is where a fault's marker is sought: the customer's and applicant's
// ids.
func (s *Simulator) subjects(r *request) []string {
	subjects := []string{r.URL.Path, r.URL.RawQuery, string(r.body)}
	_ = s.world.Store.View(func(tx *sandbox.Tx) error {
		doc, err := find(tx, r.PathValue("id"), "")
		if err == nil && doc != nil {
			subjects = append(subjects, doc.ExternalUserID)
		}
		return err
	})
	return subjects
}

func (s *Simulator) issueToken(c *change, r *request) (any, error) {
	var in struct {
		User        string `json:"userId"`
		Level       string `json:"levelName"`
		TTL         *int   `json:"ttlInSecs"`
		Identifiers struct {
			Email string `json:"email"`
			Phone string `json:"phone"`
		} `json:"applicantIdentifiers"`
	}
	if err := r.decode(&in); err != nil {
		return nil, err
	}
	ttl := 600
	if in.TTL != nil {
		ttl = *in.TTL
	}
	return c.token(accessToken{User: in.User, Level: in.Level, Email: in.Identifiers.Email, Phone: in.Identifiers.Phone}, ttl)
}

// listLevels names the levels that are set up.
func (s *Simulator) listLevels(*change, *request) (any, error) {
	items := []map[string]string{}
	for _, level := range s.levels() {
		if level != "" {
			items = append(items, map[string]string{"id": hexMAC(level)[:24], "name": level})
		}
	}
	return map[string]any{"list": map[string]any{"items": items, "totalItems": len(items)}}, nil
}

// issueTokenByQuery is the older form of issueToken.
func (s *Simulator) issueTokenByQuery(c *change, r *request) (any, error) {
	ttl := 600
	if text := r.URL.Query().Get("ttlInSecs"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			return nil, problem(http.StatusBadRequest, "invalid-ttl", "ttlInSecs is not a number.")
		}
		ttl = n
	}
	return c.token(accessToken{User: r.URL.Query().Get("userId"), Level: r.URL.Query().Get("levelName")}, ttl)
}

func (c *change) token(t accessToken, ttl int) (any, error) {
	if t.User == "" {
		return nil, problem(http.StatusBadRequest, "invalid-user", "userId is required.")
	}
	if err := c.knownLevel(t.Level); err != nil {
		return nil, err
	}
	if ttl < 1 || ttl > 86400 {
		return nil, problem(http.StatusBadRequest, "invalid-ttl", "ttlInSecs must be from 1 to 86400.")
	}
	t.Expires = c.now.Add(time.Duration(ttl) * time.Second)
	id := "_act-sbx-" + newID() + newID()
	return map[string]string{"token": id, "userId": t.User}, c.tx.Put(accesses, id, t)
}

// knownLevel refuses a level that is not set up; the name is case-sensitive.
func (c *change) knownLevel(level string) error {
	if level == "" || !slices.Contains(c.sim.levels(), level) {
		return problem(http.StatusNotFound, "level-not-found", "Level '"+level+"' is not found.")
	}
	return nil
}

// levels are those that are set up.
func (s *Simulator) levels() []string {
	return []string{s.world.Config.SumsubLevel, s.world.Config.SumsubEnhancedLevel}
}

func (s *Simulator) createApplicant(c *change, r *request) (any, error) {
	var in struct {
		User      string         `json:"externalUserId"`
		Email     string         `json:"email"`
		Phone     string         `json:"phone"`
		FixedInfo map[string]any `json:"fixedInfo"`
		Info      map[string]any `json:"info"`
		Lang      string         `json:"lang"`
		Type      string         `json:"type"`
		Metadata  []any          `json:"metadata"`
	}
	if err := r.decode(&in); err != nil {
		return nil, err
	}
	if in.User == "" {
		return nil, problem(http.StatusBadRequest, "invalid-user", "externalUserId is required.")
	}
	if err := c.knownLevel(r.URL.Query().Get("levelName")); err != nil {
		return nil, err
	}
	existing, err := find(c.tx, "", in.User)
	if err != nil {
		return nil, err
	}
	if existing != nil {
		return nil, problem(http.StatusConflict, "applicant-already-exists", "Applicant with external user id '"+in.User+"' already exists: "+existing.ID)
	}
	doc, err := c.create(in.User, r.URL.Query().Get("levelName"), in.Email, in.Phone)
	if err != nil {
		return nil, err
	}
	doc.FixedInfo, doc.Info, doc.Metadata = in.FixedInfo, in.Info, in.Metadata
	doc.Lang, doc.Type = cmp.Or(in.Lang, doc.Lang), cmp.Or(in.Type, doc.Type)
	return doc.applicant, c.tx.Put(applicants, doc.ID, doc)
}

// named loads the applicant of the path: its id, or -;externalUserId=<ours>.
func (c *change) named(r *request) (*record, error) {
	id := r.PathValue("id")
	user, ours := strings.CutPrefix(id, "-;externalUserId=")
	if ours {
		id = ""
	}
	doc, err := find(c.tx, id, user)
	if err != nil {
		return nil, err
	}
	if doc == nil || (r.Method == http.MethodGet && c.now.Before(doc.HiddenUntil)) {
		return nil, problem(http.StatusNotFound, "applicant-not-found", "Applicant not found.")
	}
	return doc, nil
}

func (s *Simulator) readApplicant(c *change, r *request) (any, error) {
	doc, err := c.named(r)
	if err != nil {
		return nil, err
	}
	return doc.applicant, nil
}

func (s *Simulator) readByUser(c *change, r *request) (any, error) {
	doc, err := find(c.tx, "", r.PathValue("user"))
	if err != nil {
		return nil, err
	}
	if doc == nil || c.now.Before(doc.HiddenUntil) {
		return map[string]any{"exists": false}, nil
	}
	return map[string]any{"exists": true, "applicant": doc.applicant}, nil
}

func (s *Simulator) readStatus(c *change, r *request) (any, error) {
	doc, err := c.named(r)
	if err != nil {
		return nil, err
	}
	return doc.Review, nil
}

func (s *Simulator) reset(c *change, r *request) (any, error) {
	doc, err := c.named(r)
	if err != nil {
		return nil, err
	}
	if slices.Contains(beingChecked, doc.Review.Status) {
		return nil, problem(http.StatusBadRequest, "applicant-in-review", "An applicant who is being checked cannot be reset.")
	}
	return map[string]int{"ok": 1}, c.decide(doc, "reset")
}

// moveToLevel changes what an applicant is verified for.
func (s *Simulator) moveToLevel(c *change, r *request) (any, error) {
	doc, err := c.named(r)
	if err != nil {
		return nil, err
	}
	level := r.URL.Query().Get("name")
	if err := c.knownLevel(level); err != nil {
		return nil, err
	}
	if !doc.mayMove() {
		return nil, problem(http.StatusBadRequest, "applicant-in-review", "The level of an applicant who is being checked cannot be changed.")
	}
	err = c.move(doc, level)
	return doc.applicant, err
}

// requestCheck sends an applicant into review without the widget.
func (s *Simulator) requestCheck(c *change, r *request) (any, error) {
	doc, err := c.named(r)
	if err != nil {
		return nil, err
	}
	return map[string]int{"ok": 1}, c.decide(doc, "wait")
}

// changeApplicant changes an applicant's fields beside their data; a field that is not sent
// stays.
func (s *Simulator) changeApplicant(c *change, r *request) (any, error) {
	var in struct {
		ID       string  `json:"id"`
		Email    *string `json:"email"`
		Phone    *string `json:"phone"`
		Lang     *string `json:"lang"`
		Type     *string `json:"type"`
		Metadata []any   `json:"metadata"`
	}
	if err := r.decode(&in); err != nil {
		return nil, err
	}
	doc, err := find(c.tx, in.ID, "")
	if err != nil {
		return nil, err
	}
	if in.ID == "" || doc == nil {
		return nil, problem(http.StatusNotFound, "applicant-not-found", "Applicant not found.")
	}
	for field, sent := range map[*string]*string{&doc.Email: in.Email, &doc.Phone: in.Phone, &doc.Lang: in.Lang, &doc.Type: in.Type} {
		if sent != nil {
			*field = *sent
		}
	}
	if in.Metadata != nil {
		doc.Metadata = in.Metadata
	}
	err = c.save(doc, "")
	return doc.applicant, err
}

// changeInfo changes fields of an applicant's data, of which part is where they are kept,
// removes those that unsetFields names, and returns all of it.
func changeInfo(part func(*applicant) *map[string]any) func(*change, *request) (any, error) {
	return func(c *change, r *request) (any, error) {
		doc, err := c.named(r)
		if err != nil {
			return nil, err
		}
		sent := map[string]any{}
		if err := r.decode(&sent); err != nil {
			return nil, err
		}
		info := part(&doc.applicant)
		if *info == nil {
			*info = map[string]any{}
		}
		unset, _ := sent["unsetFields"].(string)
		delete(sent, "unsetFields")
		delete(sent, "applicantId")
		maps.Copy(*info, sent)
		for name := range strings.SplitSeq(unset, ",") {
			delete(*info, name)
		}
		return *info, c.save(doc, profile["info"])
	}
}

// setPresence switches an applicant's profile off and on.
func (s *Simulator) setPresence(c *change, r *request) (any, error) {
	doc, err := c.named(r)
	if err != nil {
		return nil, err
	}
	word, known := map[string]string{"deactivated": "deactivate", "activated": "activate"}[r.PathValue("presence")]
	switch {
	case !known:
		return nil, problem(http.StatusBadRequest, "invalid-presence", "The presence is activated or deactivated.")
	case word == "deactivate" && slices.Contains(beingChecked, doc.Review.Status):
		return nil, problem(http.StatusBadRequest, "applicant-in-review", "An applicant who is being checked cannot be deactivated.")
	}
	err = c.decide(doc, word)
	return doc.applicant, err
}

// testCompleted forces a result, as Sumsub's own sandbox allows.
func (s *Simulator) testCompleted(c *change, r *request) (any, error) {
	doc, err := c.named(r)
	if err != nil {
		return nil, err
	}
	var verdict result
	if err := r.decode(&verdict); err != nil {
		return nil, err
	}
	switch {
	case verdict.Answer == "GREEN":
		verdict.RejectType, verdict.RejectLabels = "", nil
	case verdict.Answer == "RED" && (verdict.RejectType == "RETRY" || verdict.RejectType == "FINAL"):
	default:
		return nil, problem(http.StatusBadRequest, "invalid-review", "reviewAnswer is GREEN, or RED with reviewRejectType RETRY or FINAL.")
	}
	return map[string]int{"ok": 1}, c.conclude(doc, verdict)
}
