package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pquerna/otp/totp"
)

// scenario is a scenario of a new customer: a list of actions, the customer's and staff's,
// each repeated until it succeeds.
type scenario struct {
	kind     string
	verified bool // starts with an approved identity
	actions  []action
}

// action is one step of a scenario.
type action func(ctx context.Context, v *scenarioRun) answer

// scenarioRun is one run of a scenario: its customer, and values of earlier answers.
type scenarioRun struct {
	*browser
	t     *cluster
	r     *rand.Rand
	known map[string]string
	at    int   // index of the current action
	step  int64 // time step of the last authenticator code
}

// key is the idempotency key of the current action.
func (v *scenarioRun) key() string { return fmt.Sprintf("scenario-%s-%d", v.known["me"], v.at) }

// scenariosAtOnce limits those that run: hashing their passwords is expensive.
const scenariosAtOnce = 4

// scenarioTime is the timeout of a scenario; a restored backup may have lost its customer.
const scenarioTime = 3 * time.Minute

// runScenario runs one and reports whether every action succeeded. Its customer's cases
// are kept from the queues that staff work off: the scenario alone decides them.
func (c *campaign) runScenario(ctx context.Context, of scenario, seed uint64) bool {
	_, done := c.play(ctx, of, seed)
	return done
}

// play runs a scenario, and returns the run too.
func (c *campaign) play(ctx context.Context, of scenario, seed uint64) (*scenarioRun, bool) {
	c.slots <- struct{}{}
	defer func() { <-c.slots }()
	ctx, stop := context.WithTimeout(ctx, scenarioTime)
	defer stop()
	v := &scenarioRun{browser: newBrowser(c.cluster, fmt.Sprintf("scenario-%d@example.com", seed), newPassword), t: c.cluster, r: rand.New(rand.NewPCG(seed, 3))} //nolint:gosec // to be repeated, not to be secret
	if err := v.enter(ctx, of.verified); err != nil {
		c.say("errand %s: %v", of.kind, err)
		c.note(of.kind, "its customer could not begin: %v", err)
		return v, false
	}
	for i, do := range of.actions {
		v.at = i
		if got := v.retry(ctx, do); got != nil {
			c.say("errand %s: action %d got %d %s", of.kind, i+1, got.status, got.code)
			c.note(of.kind, "action %d of its scenario got %d %s", i+1, got.status, got.code)
			return v, false
		}
	}
	return v, true
}

// enter signs the customer up and reads the ids of the customer and of two admins.
func (v *scenarioRun) enter(ctx context.Context, verified bool) error {
	if err := v.signUp(ctx); err != nil {
		if err := persist(ctx, v.signInOrUp); err != nil {
			return err
		}
	}
	v.t.joins(v.browser)
	v.known = map[string]string{"address": newAddress(v.r, "bitcoin"), "other": newAddress(v.r, "bitcoin")}
	for name, who := range map[string]*browser{"me": v.browser, "first": v.t.staff[0], "second": v.t.staff[1]} {
		var session struct{ User struct{ ID string } }
		if err := who.get(ctx, "/api/session", &session); err != nil {
			return err
		}
		v.known[name] = session.User.ID
	}
	v.known["mail"] = v.mail
	v.t.keepFromQueues(v.known["me"])
	day, err := v.t.today(ctx)
	if err != nil {
		return err
	}
	v.known["day"] = day
	if !verified {
		return nil
	}
	return v.passKYC(ctx)
}

// signInOrUp retries a sign-up, which may have succeeded without an answer.
func (v *scenarioRun) signInOrUp(ctx context.Context) error {
	if v.signIn(ctx) == nil {
		return nil
	}
	return v.signUp(ctx)
}

// retry repeats an action until it succeeds, or gives the last answer at the timeout. A
// conflict after a lost answer means that the action had succeeded.
func (v *scenarioRun) retry(ctx context.Context, do action) *answer {
	for lost := false; ; {
		got := do(ctx, v)
		if got.done() || lost && got.status == http.StatusConflict {
			return nil
		}
		lost = lost || got.unknown()
		if pause(ctx, time.Second) != nil {
			return &got
		}
	}
}

// fill replaces each $name by its value.
func (v *scenarioRun) fill(text string) string {
	return os.Expand(text, func(name string) string { return v.known[name] })
}

// keep stores fields of a successful answer under names: "name=path.to.field".
func (v *scenarioRun) keep(got answer, wanted []string) answer {
	for _, want := range wanted {
		if !got.done() {
			break
		}
		name, path, _ := strings.Cut(want, "=")
		text, found := field(got.body, path)
		if !found {
			return answer{status: http.StatusTooEarly, code: "no_" + name}
		}
		v.known[name] = text
	}
	return got
}

// field reads a field of a JSON body as text.
func field(body []byte, path string) (string, bool) {
	var at any
	if json.Unmarshal(body, &at) != nil {
		return "", false
	}
	for part := range strings.SplitSeq(path, ".") {
		switch of := at.(type) {
		case map[string]any:
			at = of[part]
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i >= len(of) {
				return "", false
			}
			at = of[i]
		default:
			return "", false
		}
	}
	return fmt.Sprint(at), at != nil
}

// request is a POST by one of the people; keeps are fields of its answer.
func request(who func(v *scenarioRun) *browser, path, body string, keeps []string) action {
	return func(ctx context.Context, v *scenarioRun) answer {
		var raw any
		if body != "" {
			raw = json.RawMessage(v.fill(body))
		}
		return v.keep(who(v).post(ctx, v.fill(path), v.key(), raw), keeps)
	}
}

// customer, admin and secondAdmin are requests of the customer and of two admins.
func customer(path, body string, keeps ...string) action {
	return request(func(v *scenarioRun) *browser { return v.browser }, path, body, keeps)
}

func admin(path, body string, keeps ...string) action {
	return request(func(v *scenarioRun) *browser { return v.t.staff[0] }, path, body, keeps)
}

func secondAdmin(path, body string, keeps ...string) action {
	return request(func(v *scenarioRun) *browser { return v.t.staff[1] }, path, body, keeps)
}

// confirms follows the mailed link of what is kept under a name.
func confirms(name string) action {
	return func(ctx context.Context, v *scenarioRun) answer { return v.browser.confirm(ctx, v.known[name]) }
}

// once does an action that may not be needed, without a retry.
func once(do action) action {
	return func(ctx context.Context, v *scenarioRun) answer {
		do(ctx, v)
		return answer{status: http.StatusOK}
	}
}

// refused does an action until it is refused with a code.
func refused(do action, code string) action {
	return func(ctx context.Context, v *scenarioRun) answer {
		got := do(ctx, v)
		if got.code != code {
			return answer{status: http.StatusTooEarly, code: fmt.Sprintf("not_%s_%d_%s", code, got.status, got.code)}
		}
		v.t.count("refusals " + code)
		return answer{status: http.StatusOK}
	}
}

// get is a read by the customer.
func get(path string, keeps ...string) action {
	return func(ctx context.Context, v *scenarioRun) answer {
		return v.keep(v.call(ctx, http.MethodGet, v.fill(path), "", nil), keeps)
	}
}

// expect waits until the customer reads a value in a field.
func expect(path, name, wanted string) action {
	return func(ctx context.Context, v *scenarioRun) answer {
		got := v.call(ctx, http.MethodGet, v.fill(path), "", nil)
		if said, _ := field(got.body, name); got.done() && said != wanted {
			return answer{status: http.StatusTooEarly, code: name + "_" + said}
		}
		return got
	}
}

// simulate is a call of a simulator's control API.
func simulate(path, body string) action {
	return func(ctx context.Context, v *scenarioRun) answer {
		return v.simulate(ctx, path, json.RawMessage(v.fill(body)))
	}
}

func (v *scenarioRun) simulate(ctx context.Context, path string, body any) answer {
	if err := v.t.control(ctx, http.MethodPost, path, body, nil); err != nil {
		return answer{status: http.StatusTooEarly, code: err.Error()}
	}
	return answer{status: http.StatusOK}
}

// submitIdentity submits documents that are valid for so many days; the review ends in
// the outcome.
func submitIdentity(outcome string, days int) action {
	return func(ctx context.Context, v *scenarioRun) answer {
		got := v.keep(v.post(ctx, "/api/kyc/token", "", map[string]string{}), []string{"access=token"})
		now, err := v.t.clock(ctx)
		if !got.done() || err != nil {
			return got
		}
		body := map[string]string{"accessToken": v.known["access"], "country": "USA", "document": "PASSPORT", "outcome": outcome, "validUntil": now.AddDate(0, 0, days).Format(time.DateOnly)}
		if got := v.simulate(ctx, "/websdk/api/launch", body); !got.done() {
			return got
		}
		return v.simulate(ctx, "/websdk/api/submit", body)
	}
}

// reviewOutcome ends the identity review, or changes its result.
func reviewOutcome(outcome string) action {
	return simulate("/control/sumsub/decide", `{"user":"$me","outcome":"`+outcome+`"}`)
}

// awaitKYC waits until the customer reads an identity status.
func awaitKYC(status string) action { return expect("/api/kyc/status", "status", status) }

// signInElsewhere signs the customer in from an unknown browser.
func signInElsewhere(ctx context.Context, v *scenarioRun) answer {
	if err := newBrowser(v.t, v.mail, v.pass).signIn(ctx); err != nil {
		return answer{status: http.StatusTooEarly, code: err.Error()}
	}
	return answer{status: http.StatusOK}
}

// withCode is a request with an authenticator code, each of which is accepted once. The
// session gets another token.
func withCode(path string, keeps ...string) action {
	return func(ctx context.Context, v *scenarioRun) answer {
		const stepTime = 30
		now, err := v.t.clock(ctx)
		step := now.Unix() / stepTime
		if err != nil || step <= v.step {
			return answer{status: http.StatusTooEarly, code: "code_used"}
		}
		code, err := totp.GenerateCode(v.known["secret"], now)
		if err != nil {
			return answer{status: http.StatusTooEarly, code: err.Error()}
		}
		got := v.call(ctx, http.MethodPost, path, "", map[string]string{"token": code})
		if v.step = step; got.done() && v.begin(ctx) != nil {
			return answer{}
		}
		return v.keep(got, keeps)
	}
}

// enterWrongCodes enters wrong codes until the second factor is locked.
func enterWrongCodes(ctx context.Context, v *scenarioRun) answer {
	got := v.call(ctx, http.MethodPost, "/api/2fa/disable", "", map[string]string{"token": "000000"})
	if got.code == "two_factor_locked" {
		return answer{status: http.StatusOK}
	}
	return got
}

// enableTwoFactor sets up a second factor.
func enableTwoFactor() []action {
	return []action{customer("/api/2fa/setup", "", "secret=secret"), withCode("/api/2fa/verify")}
}

// submitCard sells a gift card; the same number is the same card.
func submitCard(number string) action {
	return func(ctx context.Context, v *scenarioRun) answer {
		form, kind := cardForm(v.r, "amazon", 300, number+v.known["me"][24:])
		return v.keep(v.send(ctx, "/api/gift-cards", v.key(), kind, form), []string{"card=id"})
	}
}

// keepFromQueues excludes a customer's cases from the queues that staff work off.
func (t *cluster) keepFromQueues(user string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, user)
}

// keptFromQueues reports whether a customer's cases are excluded.
func (t *cluster) keptFromQueues(user string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Contains(t.kept, user)
}
