package e2e

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/textproto"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/tradepost/tradepost/internal/local"
)

// visitor is a person with a browser: cookies, forms and the site's own calls.
type visitor struct {
	t    *testing.T
	http *http.Client
	mail string
	csrf string
	id   string // of the customer, once it has been learnt
	used string // the code of a sign-up that was typed last
}

func newVisitor(t *testing.T) *visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	// Longer than a proxy waits for an answer to a write, which is 30 seconds.
	return &visitor{t: t, http: &http.Client{Jar: jar, Timeout: 40 * time.Second}}
}

// page is a page that was opened, after redirects.
type page struct {
	address *url.URL
	status  int
	body    []byte
}

func (v *visitor) do(request *http.Request) page {
	v.t.Helper()
	response, err := v.http.Do(request)
	require.NoError(v.t, err)
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	require.NoError(v.t, err)
	return page{response.Request.URL, response.StatusCode, body}
}

// open follows a link.
func (v *visitor) open(address string) page {
	v.t.Helper()
	request, err := http.NewRequestWithContext(v.t.Context(), http.MethodGet, address, nil)
	require.NoError(v.t, err)
	return v.do(request)
}

// submit fills in the form of a page whose action ends in action (the only one
// when empty) and sends it.
func (v *visitor) submit(p page, action string, fill map[string]string) page {
	v.t.Helper()
	target, values := form(v.t, p, action)
	for name, value := range fill {
		values.Set(name, value)
	}
	request, err := http.NewRequestWithContext(v.t.Context(), http.MethodPost, target.String(), strings.NewReader(values.Encode()))
	require.NoError(v.t, err)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Origin", p.address.Scheme+"://"+p.address.Host)
	return v.do(request)
}

// form finds a form of a page: its action, and its values.
func form(t *testing.T, p page, action string) (*url.URL, url.Values) {
	t.Helper()
	document, err := html.Parse(bytes.NewReader(p.body))
	require.NoError(t, err)
	for node := range document.Descendants() {
		if node.Data != "form" || !strings.HasSuffix(attribute(node, "action"), action) || !strings.EqualFold(attribute(node, "method"), "post") {
			continue
		}
		values := url.Values{}
		for field := range node.Descendants() {
			if name := attribute(field, "name"); field.Data == "input" && name != "" && attribute(field, "type") != "checkbox" {
				values.Set(name, attribute(field, "value"))
			}
		}
		target, err := p.address.Parse(attribute(node, "action"))
		require.NoError(t, err)
		return target, values
	}
	require.Failf(t, "no such form", "%s (status %d) has no form %q:\n%s", p.address, p.status, action, p.body)
	return nil, nil
}

func attribute(node *html.Node, name string) string {
	for _, a := range node.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

const newPassword = "violet-harbour-lantern-41"

// signUp creates an account at the identity provider with the code that it mails, for a fresh address unless the
// visitor has one, and returns signed in.
func (v *visitor) signUp() {
	v.t.Helper()
	if v.mail == "" {
		v.mail = "e2e-" + strings.ToLower(rand.Text()[:12]) + "@example.com"
	}
	p := v.open(stack.SiteURL() + "/api/login?screen=signup&returnTo=/kyc")
	p = v.submit(p, "/signup", map[string]string{
		"email": v.mail, "new_password": newPassword, "given_name": "Erin", "family_name": "Example",
		"country": "US", "adult": "yes", "terms": "yes",
	})
	p = v.submit(p, "/signup/code", map[string]string{"code": v.mailedCode()})
	require.Equal(v.t, stack.SiteURL()+"/kyc", p.address.String(), "signing up leads back: %s", p.body)
	v.started()
}

var codeInSubject = regexp.MustCompile(`confirmation code: (\d{6})$`)

// mailedCode waits for the mail with the code of a sign-up that was not used yet.
func (v *visitor) mailedCode() string {
	v.t.Helper()
	var code string
	until(v.t, "a mail with a code to "+v.mail, func() bool {
		var mails []struct{ Subject string }
		control(v.t, http.MethodGet, "/mailbox/api/messages?to="+url.QueryEscape(v.mail), nil, &mails)
		for _, mail := range mails {
			if found := codeInSubject.FindStringSubmatch(mail.Subject); found != nil && found[1] != v.used {
				code, v.used = found[1], found[1]
				return true
			}
		}
		return false
	})
	return code
}

// signIn signs in to an account that exists.
func (v *visitor) signIn(mail, password string) {
	v.t.Helper()
	v.mail = mail
	p := v.open(stack.SiteURL() + "/api/login")
	p = v.submit(p, "/signin", map[string]string{"email": mail, "password": password})
	require.Equal(v.t, stack.SiteURL()+"/", p.address.String(), "signing in leads back: %s", p.body)
	v.started()
}

// started reads what the site needs of a session.
func (v *visitor) started() {
	v.t.Helper()
	var token struct{ CSRFToken string }
	v.get("/api/csrf-token", &token)
	v.csrf = token.CSRFToken
	var user struct{ Email string }
	v.get("/api/auth/user", &user)
	require.Equal(v.t, v.mail, user.Email)
}

func signedUp(t *testing.T) *visitor {
	t.Helper()
	v := newVisitor(t)
	v.signUp()
	return v
}

// verified is a customer with a verified identity.
func verified(t *testing.T) *visitor {
	t.Helper()
	v := signedUp(t)
	v.passKYC()
	return v
}

func admin(t *testing.T) *visitor {
	t.Helper()
	return signedIn(t, local.DemoAdmin)
}

func signedIn(t *testing.T, mail string) *visitor {
	t.Helper()
	v := newVisitor(t)
	v.signIn(mail, local.DemoPassword)
	return v
}

// request is a call to the site's API as its pages make it.
func (v *visitor) request(method, path, contentType string, body io.Reader) *http.Request {
	v.t.Helper()
	request, err := http.NewRequestWithContext(v.t.Context(), method, stack.SiteURL()+path, body)
	require.NoError(v.t, err)
	request.Header.Set("Accept", "application/json")
	if method != http.MethodGet {
		request.Header.Set("Content-Type", contentType)
		request.Header.Set("Origin", stack.SiteURL())
		request.Header.Set("X-Csrf-Token", v.csrf)
		request.Header.Set("Idempotency-Key", rand.Text())
	}
	return request
}

// call speaks to the site's API and returns the status.
func (v *visitor) call(method, path string, body, into any) int {
	v.t.Helper()
	var payload io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		require.NoError(v.t, err)
		payload = bytes.NewReader(raw)
	}
	p := v.do(v.request(method, path, "application/json", payload))
	if into != nil && len(p.body) > 0 {
		require.NoError(v.t, json.Unmarshal(p.body, into), "%s %s: %d %s", method, path, p.status, p.body)
	}
	return p.status
}

// withKey places an order under an idempotency key of the caller's.
func (v *visitor) withKey(key string, body any) page {
	v.t.Helper()
	raw, err := json.Marshal(body)
	require.NoError(v.t, err)
	request := v.request(http.MethodPost, "/api/orders", "application/json", bytes.NewReader(raw))
	request.Header.Set("Idempotency-Key", key)
	return v.do(request)
}

// press presses a button whose answer may take long, or never come.
func (v *visitor) press(path string) <-chan answer {
	v.t.Helper()
	request := v.request(http.MethodPost, path, "application/json", strings.NewReader("{}"))
	answers := make(chan answer, 1)
	go func() {
		response, err := v.http.Do(request)
		if err != nil {
			answers <- answer{}
			return
		}
		defer func() { _ = response.Body.Close() }()
		got := answer{status: response.StatusCode}
		_ = json.NewDecoder(response.Body).Decode(&got.problem) // an outcome has a message too
		answers <- got
	}()
	return answers
}

// answer is what came of pressing a button; status 0 when nothing came.
type answer struct {
	status int
	problem
}

// upload sends a file as evidence for an order.
func (v *visitor) upload(orderID, kind, name string, content []byte) page {
	v.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	require.NoError(v.t, form.WriteField("kind", kind))
	header := textproto.MIMEHeader{
		"Content-Disposition": {fmt.Sprintf(`form-data; name="file"; filename=%q`, name)},
		"Content-Type":        {"image/png"},
	}
	part, err := form.CreatePart(header)
	require.NoError(v.t, err)
	_, err = part.Write(content)
	require.NoError(v.t, err)
	require.NoError(v.t, form.Close())
	return v.do(v.request(http.MethodPost, "/api/orders/"+orderID+"/evidence", form.FormDataContentType(), &body))
}

// listen opens the stream of events and counts those of each order.
func (v *visitor) listen() *stream {
	v.t.Helper()
	browser := &http.Client{Jar: v.http.Jar} // without a limit of time
	request := v.request(http.MethodGet, "/api/events", "", nil)
	request.Header.Set("Accept", "text/event-stream")
	response, err := browser.Do(request)
	require.NoError(v.t, err)
	require.Equal(v.t, http.StatusOK, response.StatusCode)
	v.t.Cleanup(func() { _ = response.Body.Close() })
	s := &stream{counts: map[string]int{}}
	go s.read(response.Body)
	return s
}

// stream is what a browser receives of its orders.
type stream struct {
	mu     sync.Mutex
	counts map[string]int
}

func (s *stream) read(body io.Reader) {
	for lines := bufio.NewScanner(body); lines.Scan(); {
		var event struct{ ID string }
		data, ok := strings.CutPrefix(lines.Text(), "data:")
		if !ok || json.Unmarshal([]byte(data), &event) != nil {
			continue
		}
		s.mu.Lock()
		s.counts[event.ID]++
		s.mu.Unlock()
	}
}

func (s *stream) received(orderID string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts[orderID]
}

func (v *visitor) get(path string, into any) {
	v.t.Helper()
	require.Equal(v.t, http.StatusOK, v.call(http.MethodGet, path, nil, into), path)
}

// problem is an error of the API.
type problem struct {
	Code, Message, Field string
	Errors               []struct{ Field, Code, Message string }
}

// about names the field an error is about, if any.
func (p problem) about() string {
	if len(p.Errors) > 0 {
		return p.Errors[0].Field
	}
	return p.Field
}

// post sends a call that must succeed.
func (v *visitor) post(path string, body, into any) {
	v.t.Helper()
	var raw json.RawMessage
	status := v.call(http.MethodPost, path, body, &raw)
	require.Less(v.t, status, 300, "%s: %d %s", path, status, raw)
	if into != nil {
		require.NoError(v.t, json.Unmarshal(raw, into))
	}
}

// refused sends a call that must fail, and says how it did.
func (v *visitor) refused(path string, body any) (int, problem) {
	v.t.Helper()
	var p problem
	status := v.call(http.MethodPost, path, body, &p)
	require.GreaterOrEqual(v.t, status, 400, path)
	return status, p
}

// until waits for a condition with a deadline; it does not sleep blindly.
func until(t *testing.T, what string, condition func() bool) {
	t.Helper()
	untilIn(t, patience, what, condition)
}

func untilIn(t *testing.T, limit time.Duration, what string, condition func() bool) {
	t.Helper()
	deadline := time.Now().Add(limit)
	for wait := firstLook; !condition(); wait = min(wait*3/2, lastLook) {
		if time.Now().After(deadline) {
			require.FailNow(t, fmt.Sprintf("waited %s in vain for %s", limit, what))
		}
		time.Sleep(wait)
	}
}
