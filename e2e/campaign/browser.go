package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/html"
)

// browser is a person at the site: cookies, forms and the site's own calls. It survives outages of the site; nothing it
// does panics or gives up before its context ends.
type browser struct {
	cluster *cluster
	mail    string
	pass    string
	http    *http.Client

	staff bool

	given, family string // their name

	mu   sync.Mutex
	csrf string
}

func newBrowser(t *cluster, mail, pass string) *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		panic(err) // without options there is nothing to refuse
	}
	return &browser{cluster: t, mail: mail, pass: pass, given: "Erin", family: "Example", http: &http.Client{Jar: jar, Timeout: 25 * time.Second}}
}

// page is a page that was opened, after redirects.
type page struct {
	address *url.URL
	status  int
	header  http.Header
	body    []byte
}

func (b *browser) do(request *http.Request) (page, error) {
	response, err := b.http.Do(request)
	if err != nil {
		return page{}, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, 8<<20))
	return page{response.Request.URL, response.StatusCode, response.Header, body}, err
}

func (b *browser) open(ctx context.Context, address string) (page, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return page{}, err
	}
	return b.do(request)
}

// submit fills in the form of a page whose action ends in action (the only one
// when empty) and sends it.
func (b *browser) submit(ctx context.Context, p page, action string, fill map[string]string) (page, error) {
	target, values, err := form(p, action)
	if err != nil {
		return page{}, err
	}
	for name, value := range fill {
		values.Set(name, value)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, target.String(), strings.NewReader(values.Encode()))
	if err != nil {
		return page{}, err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Origin", p.address.Scheme+"://"+p.address.Host)
	return b.do(request)
}

// form finds a form of a page: its action, and its values.
func form(p page, action string) (*url.URL, url.Values, error) {
	document, err := html.Parse(bytes.NewReader(p.body))
	if err != nil {
		return nil, nil, err
	}
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
		return target, values, err
	}
	return nil, nil, fmt.Errorf("%s (status %d) has no form %q", p.address, p.status, action)
}

func attribute(node *html.Node, name string) string {
	for _, a := range node.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// answer is what came of a call: status 0 when nothing came.
type answer struct {
	status int
	code   string // of a problem
	body   []byte
}

func (a answer) done() bool { return a.status >= 200 && a.status < 300 }

// unknown reports whether the call may or may not have had its effect.
func (a answer) unknown() bool { return a.status == 0 || a.status >= 500 }

// call makes one call as the site's pages make it. key is the Idempotency-Key;
// a call without one gets a new one.
func (b *browser) call(ctx context.Context, method, path, key string, body any) answer {
	var raw []byte
	if body != nil {
		var err error
		if raw, err = json.Marshal(body); err != nil {
			return answer{}
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, b.cluster.stack.SiteURL()+path, bytes.NewReader(raw))
	if err != nil {
		return answer{}
	}
	request.Header.Set("Accept", "application/json")
	if method != http.MethodGet {
		b.mu.Lock()
		csrf := b.csrf
		b.mu.Unlock()
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Origin", b.cluster.stack.SiteURL())
		request.Header.Set("X-Csrf-Token", csrf)
		if key != "" {
			request.Header.Set("Idempotency-Key", key)
		}
	}
	p, err := b.do(request)
	if err != nil {
		return answer{}
	}
	return b.answered(p)
}

// answered is what a call came to, counted.
func (b *browser) answered(p page) answer {
	got := answer{status: p.status, body: p.body}
	var problem struct{ Code string }
	if p.status >= 400 && json.Unmarshal(p.body, &problem) == nil {
		got.code = problem.Code
	}
	b.cluster.asked(got)
	return got
}

// post is a call with an effect. One that was refused because the session is
// over is made again after signing in.
func (b *browser) post(ctx context.Context, path, key string, body any) answer {
	if b.staff {
		b.cluster.calm(ctx)
	}
	got := b.call(ctx, http.MethodPost, path, key, body)
	if got.status == http.StatusUnauthorized || got.status == http.StatusForbidden && strings.Contains(got.code, "csrf") {
		if b.signIn(ctx) == nil {
			return b.call(ctx, http.MethodPost, path, key, body)
		}
	}
	return got
}

var errRefused = errors.New("refused")

// get reads until it is answered: it waits through an outage of the site.
func (b *browser) get(ctx context.Context, path string, into any) error {
	for {
		got := b.call(ctx, http.MethodGet, path, "", nil)
		switch {
		case got.status == http.StatusOK:
			return json.Unmarshal(got.body, into)
		case got.status == http.StatusUnauthorized:
			_ = b.signIn(ctx) // tried again below
		case got.status >= 400 && got.status < 500 && got.status != http.StatusTooManyRequests:
			return fmt.Errorf("GET %s: %d %s: %w", path, got.status, got.code, errRefused)
		}
		if err := pause(ctx, 300*time.Millisecond); err != nil {
			return err
		}
	}
}

// pause waits, or says that there is no time left.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// persist does something until it works or the time is over.
func persist(ctx context.Context, do func(context.Context) error) error {
	for {
		err := do(ctx)
		if err == nil {
			return nil
		}
		if pause(ctx, 300*time.Millisecond) != nil {
			return err
		}
	}
}
