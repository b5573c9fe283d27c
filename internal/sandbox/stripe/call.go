package stripe

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/tradepost/tradepost/internal/sandbox"
)

// change is a transaction in which objects change: an API call, a submit of
// the hosted page, the clock or the control page.
type change struct {
	sim *Simulator
	tx  *sandbox.Tx
	now time.Time

	requestID, key string // of the API call; empty otherwise
	force          string // decline code that a fault forces on cards
	away           bool   // the customer is not present to authenticate
}

// call is a change requested over the API.
type call struct {
	change
	id   string // of the path
	form form
}

// keyLife is how long an answer is kept under its idempotency key.
const keyLife = 24 * time.Hour

// keyMark distinguishes a key from an object in the schedule.
const keyMark = "key:"

// kept is an answer kept under an idempotency key.
type kept struct {
	Hash    string          `json:"hash"` // of method, path and parameters
	Status  int             `json:"status"`
	Body    json.RawMessage `json:"body"`
	Created time.Time       `json:"created"`
}

// answer is a response ready to be written.
type answer struct {
	status   int
	body     []byte
	replayed bool
}

// serve answers one endpoint: authentication, parameters, faults, idempotency,
// then the call itself in one transaction.
func (s *Simulator) serve(e endpoint) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		c := &call{change: change{sim: s, requestID: newID("req")}, id: r.PathValue("id")}
		rw.Header().Set("Request-Id", c.requestID)
		if problem := s.prepare(rw, r, e, c); problem != nil {
			answerProblem(rw, problem)
			return
		}
		if c.key != "" {
			if !s.enter(c.key) {
				answerProblem(rw, refuse(http.StatusConflict, "idempotency_error", "idempotency_key_in_use", "", "There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): %s. Contact support if you continue to receive this error.", c.key))
				return
			}
			leave := sync.OnceFunc(func() { s.leave(c.key) })
			defer leave()
			rw = leaving{rw, leave}
		}
		s.underFaults(rw, r, e, c)
	}
}

// leaving frees the idempotency key before a fault cuts the connection, so that
// a client that sends again at once does not find itself still at work.
type leaving struct {
	http.ResponseWriter
	leave func()
}

// Hijack is what cuts a connection.
func (l leaving) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	l.leave()
	return http.NewResponseController(l.ResponseWriter).Hijack()
}

// prepare reads and checks what every call has.
func (s *Simulator) prepare(rw http.ResponseWriter, r *http.Request, e endpoint, c *call) *apiError {
	if problem := s.authenticate(r); problem != nil {
		return problem
	}
	if problem := s.permitted(e, r); problem != nil {
		return problem
	}
	version := r.Header.Get("Stripe-Version")
	if version == "" {
		version = apiVersion
	}
	if !versionForm.MatchString(version) {
		return invalid("", "", "Invalid Stripe API version: %s", version)
	}
	rw.Header().Set("Stripe-Version", version)
	body, err := io.ReadAll(http.MaxBytesReader(rw, r.Body, 1<<20))
	if err != nil {
		return invalid("", "", "The request body could not be read.")
	}
	values, err := parseForm(r.URL.RawQuery)
	if err != nil {
		return invalid("", "", "The query is not form-encoded.")
	}
	if !e.read() {
		// A body without a type is a form, as curl and others send it.
		kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
		if len(body) > 0 && kind != "" && !strings.EqualFold(strings.TrimSpace(kind), "application/x-www-form-urlencoded") {
			return invalid("", "", "Request bodies are form-encoded (application/x-www-form-urlencoded), not %s.", kind)
		}
		posted, err := parseForm(string(body))
		if err != nil {
			return invalid("", "", "The request body is not form-encoded.")
		}
		for name, list := range posted {
			values[name] = append(values[name], list...)
		}
		c.key = r.Header.Get("Idempotency-Key")
		if c.key != "" {
			rw.Header().Set("Idempotency-Key", c.key)
		}
	}
	if len(c.key) > 255 {
		return refuse(http.StatusBadRequest, "idempotency_error", "", "", "Idempotency keys are at most 255 characters.")
	}
	c.form = form{values}
	return nil
}

// versionForm is a version, its train, and the previews requested beside it.
var versionForm = regexp.MustCompile(`^20\d\d-\d\d-\d\d(\.[a-z]+)?(; ?[a-z0-9_]+=v\d+)*$`)

// authenticate accepts the secret key as a bearer token or as the user of basic
// authentication.
func (s *Simulator) authenticate(r *http.Request) *apiError {
	scheme, key, found := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		key, _, found = r.BasicAuth()
	}
	if !found || key == "" {
		return refuse(http.StatusUnauthorized, "invalid_request_error", "", "", "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY').")
	}
	if subtle.ConstantTimeCompare([]byte(key), []byte(s.world.Config.StripeKey)) != 1 {
		return refuse(http.StatusUnauthorized, "invalid_request_error", "", "", "Invalid API Key provided: %s", masked(key))
	}
	return nil
}

func masked(key string) string {
	if len(key) < 12 {
		return "****"
	}
	return key[:8] + "****" + key[len(key)-4:]
}

func (s *Simulator) enter(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inFlight[key] {
		return false
	}
	s.inFlight[key] = true
	return true
}

func (s *Simulator) leave(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.inFlight, key)
}

// underFaults runs the call and answers, with the fault that is armed for it.
func (s *Simulator) underFaults(rw http.ResponseWriter, r *http.Request, e endpoint, c *call) {
	subjects := s.subjects(c)
	faults := s.world.Faults
	if fault, armed := faults.TakeCode("stripe", e.operation, []string{"http"}, subjects...); armed {
		status, after := fault.HTTPFault()
		if after {
			s.execute(e, c, status == http.StatusInternalServerError)
		}
		answerGateway(rw, status)
		return
	}
	if fault, armed := faults.TakeCode("stripe", e.operation, []string{"decline"}, subjects...); armed {
		c.force = fault.Arg
	}
	s.world.Guard(rw, r, "stripe", e.operation, subjects, func(status int, body any, problem string) {
		if problem != "" {
			answerProblem(rw, limited(problem))
			return
		}
		body.(answer).write(rw)
	}, func() (int, any) {
		a := s.execute(e, c, false)
		return a.status, a
	})
}

// subjects is where a fault's marker is sought: the order behind the call, its
// path, key and parameters.
func (s *Simulator) subjects(c *call) []string {
	subjects := []string{c.id, c.key}
	for _, values := range c.form.Values {
		subjects = append(subjects, values...)
	}
	_ = s.world.Store.View(func(tx *sandbox.Tx) error {
		for _, id := range []string{c.id, c.form.Get("payment_intent"), c.form.Get("charge")} {
			prefix, _, _ := strings.Cut(id, "_")
			var owner struct {
				Order string `json:"_order"`
			}
			if found, err := tx.Get(kinds[prefix].bucket, id, &owner); err == nil && found {
				subjects = append(subjects, owner.Order)
			}
		}
		return nil
	})
	return subjects
}

// execute runs the call in one transaction, or replays its first answer. With
// lose500 the effect is made and a 500 is kept as the answer.
func (s *Simulator) execute(e endpoint, c *call, lose500 bool) answer {
	c.now = s.world.Clock.Now()
	var out answer
	within := s.world.Store.Update
	if e.read() {
		within = s.world.Store.View
	}
	err := within(func(tx *sandbox.Tx) error {
		c.tx = tx
		first, found, err := c.replay(e)
		if err != nil || found {
			out = first
			return err
		}
		var problem *apiError
		if out, problem, err = c.perform(e); err != nil {
			return err
		}
		if lose500 {
			out = problemAnswer(internal())
		}
		if c.key == "" || (problem != nil && problem.unstored) {
			return nil
		}
		return c.keep(e, out)
	})
	if err != nil && !errors.Is(err, errUndo) {
		s.complain(e.operation, err)
		return problemAnswer(internal())
	}
	return out
}

// perform runs the endpoint and renders its result or refusal.
func (c *call) perform(e endpoint) (answer, *apiError, error) {
	if _, armed := c.sim.world.Faults.TakeCode("stripe", e.operation, []string{"500_stored"}, c.key, c.id); armed {
		return problemAnswer(internal()), nil, nil
	}
	err := c.form.only(strings.Fields(e.params)...)
	if err == nil && e.read() {
		err = c.visible()
	}
	var result any
	if err == nil {
		result, err = e.do(c)
	}
	commit := error(nil)
	if err == nil {
		var body []byte
		if body, err = c.render(result); err == nil {
			return answer{status: http.StatusOK, body: body}, nil, nil
		}
		commit = errUndo
	}
	var problem *apiError
	if errors.As(err, &problem) {
		if problem.absent != "" && problem.absent != c.id {
			problem.status = http.StatusBadRequest
		}
		problem.body.RequestLogURL = "https://dashboard.stripe.com/test/logs/" + c.requestID
		return problemAnswer(problem), problem, commit
	}
	return answer{}, nil, err
}

// errUndo rolls back the effect of a call whose expand[] cannot be met.
var errUndo = errors.New("undo")

// visible refuses to read what a lag fault hides.
func (c *call) visible() error {
	lagging, err := isHidden(c.tx, c.id, c.now)
	if err == nil && lagging {
		prefix, _, _ := strings.Cut(c.id, "_")
		err = missing("id", kinds[prefix].name, c.id)
	}
	return err
}

// render shows the object with what expand[] requests.
func (c *call) render(result any) ([]byte, error) {
	object, err := shown(result)
	if err != nil {
		return nil, err
	}
	for _, path := range c.form.list("expand") {
		if err := expand(c.tx, object, path); err != nil {
			return nil, err
		}
	}
	return json.MarshalIndent(object, "", "  ")
}

// replay answers what was answered before under the key.
func (c *call) replay(e endpoint) (answer, bool, error) {
	if c.key == "" {
		return answer{}, false, nil
	}
	var first kept
	found, err := c.tx.Get(keys, c.key, &first)
	if err != nil || !found || c.now.Sub(first.Created) >= keyLife {
		return answer{}, false, err
	}
	if first.Hash != c.hash(e) {
		return problemAnswer(refuse(http.StatusBadRequest, "idempotency_error", "", "", "Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '%s' if you meant to execute a different request.", c.key)), true, nil
	}
	return answer{status: first.Status, body: first.Body, replayed: true}, true, nil
}

func (c *call) keep(e endpoint, a answer) error {
	var compact bytes.Buffer
	if err := json.Compact(&compact, a.body); err != nil {
		return err
	}
	if err := schedule(c.tx, c.now.Add(keyLife), keyMark+c.key); err != nil {
		return err
	}
	return c.tx.Put(keys, c.key, kept{Hash: c.hash(e), Status: a.status, Body: compact.Bytes(), Created: c.now})
}

func (c *call) hash(e endpoint) string {
	sum := sha256.Sum256([]byte(e.pattern + "\n" + c.id + "\n" + c.form.Encode()))
	return hex.EncodeToString(sum[:])
}

func problemAnswer(problem *apiError) answer {
	body, _ := json.MarshalIndent(map[string]any{"error": problem.body}, "", "  ")
	return answer{status: problem.status, body: body}
}

func answerProblem(rw http.ResponseWriter, problem *apiError) { problemAnswer(problem).write(rw) }

// answerGateway answers with Stripe's own error for 500 and for a key without permission,
// and otherwise with a proxy's page.
func answerGateway(rw http.ResponseWriter, status int) {
	switch status {
	case http.StatusInternalServerError:
		answerProblem(rw, internal())
		return
	case http.StatusUnauthorized, http.StatusForbidden:
		answerProblem(rw, refuse(status, "invalid_request_error", "", "", "The provided key does not have access to this call"))
		return
	}
	http.Error(rw, "<html><body><h1>"+http.StatusText(status)+"</h1></body></html>", status)
}

func (a answer) write(rw http.ResponseWriter) {
	rw.Header().Set("Content-Type", "application/json")
	if a.replayed {
		rw.Header().Set("Idempotent-Replayed", "true")
	}
	rw.WriteHeader(a.status)
	_, _ = rw.Write(a.body)
}
