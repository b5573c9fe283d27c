package provider

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"
)

// maxAnswer bounds what is read of any provider's answer, in bytes.
const maxAnswer = 8 << 20

// maxDetail bounds Error.Detail, in bytes.
const maxDetail = 300

// errRedirected is what a redirect becomes: no API of ours redirects, and following one
// could send a signed request to another host.
var errRedirected = errors.New("the provider answered with a redirect")

// NewHTTPClient makes the only kind of HTTP client adapters use. One call is
// one request: redirects are refused, nothing is sent a second time, and the
// whole exchange, body included, ends after timeout. Spans and metrics call the
// provider by name.
//
// bodyStatus is for a provider that answers errors with 200: it returns the status that the body stands for, or 0.
// Metrics, spans and LastAnswers count that status; the caller gets the answer unchanged.
func NewHTTPClient(name string, timeout time.Duration, bodyStatus ...func(body []byte) int) *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 16
	seen := observed{name: name, next: transport}
	if len(bodyStatus) > 0 {
		seen.bodyStatus = bodyStatus[0]
	}
	return &http.Client{Timeout: timeout, Transport: once{seen}}
}

// once is a round tripper that never resends what may have been read and returns a redirect
// as an error, before a client can follow it or a caller can mistake it for an answer.
//
// net/http itself sends a POST again when a kept connection dies and the
// request has an Idempotency-Key header. That would make "connection refused"
// mean either of two things. It recognises the header by its canonical
// spelling only, so the other spelling, the same to any server, switches the
// resending off.
type once struct{ next http.RoundTripper }

func (o once) RoundTrip(r *http.Request) (*http.Response, error) {
	if keys, ok := r.Header["Idempotency-Key"]; ok {
		r = r.Clone(r.Context())
		delete(r.Header, "Idempotency-Key")
		r.Header["idempotency-key"] = keys
	}
	answer, err := o.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode >= 300 && answer.StatusCode < 400 {
		_ = answer.Body.Close()
		return nil, errRedirected
	}
	answer.Body = limitedBody{io.LimitReader(answer.Body, maxAnswer), answer.Body}
	return answer, nil
}

// When this process last had an answer from its provider, and when it last had none, or one
// that reports an outage.
var answered, failed atomic.Pointer[time.Time]

// LastAnswers returns when the provider of this process last answered, and when it last did
// not; nil is not since the process started.
func LastAnswers() (answer, failure *time.Time) { return answered.Load(), failed.Load() }

// noteAnswer notes an answer by its status; 0 is no answer.
func noteAnswer(ctx context.Context, status int) {
	if ctx.Err() != nil {
		return // cancelled by us, not by the provider
	}
	now, note := time.Now(), &answered
	if status == 0 || status >= http.StatusInternalServerError {
		note = &failed
	}
	note.Store(&now)
}

type limitedBody struct {
	io.Reader
	io.Closer
}

// TransportError classifies an error of http.Client.Do, or of reading an
// answer's body. Only when no connection was ever made, or none that is
// trusted, is it certain that nothing happened.
func TransportError(name, operation string, err error) *Error {
	e := &Error{Class: Unknown, Provider: name, Operation: operation, Code: "connection_lost"}
	var op *net.OpError
	var wrapped *url.Error
	var untrusted *tls.CertificateVerificationError
	if errors.As(err, &wrapped) {
		err = wrapped.Err // without the URL
	}
	switch {
	case errors.Is(err, errRedirected):
		e.Code = "redirected"
	case errors.As(err, &op) && op.Op == "dial":
		e.Class, e.Code = Retry, "unreachable"
	case errors.As(err, &untrusted): // expired, of another name, or this machine's clock is wrong: no request was sent
		e.Class, e.Code = Retry, "untrusted_certificate"
	case errors.Is(err, context.Canceled):
		e.Code = "cancelled"
	case isTimeout(err):
		e.Code = "timeout"
	}
	e.Detail = CleanText(err.Error())
	return e
}

func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.Is(err, context.DeadlineExceeded) || (errors.As(err, &t) && t.Timeout())
}

// tag is one of HTML.
var tag = regexp.MustCompile(`</?[A-Za-z!][^<>]*>`)

// CleanText makes a provider's text fit for Error.Detail: the given secrets
// are struck out, the tags of a gateway's HTML page are left out, control characters
// become blanks, and it is cut to a length that fits a log line.
func CleanText(text string, secrets ...string) string {
	for _, s := range secrets {
		if s != "" {
			text = strings.ReplaceAll(text, s, "[redacted]")
		}
	}
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
	text = strings.Join(strings.Fields(tag.ReplaceAllString(text, " ")), " ")
	for len(text) > maxDetail {
		_, size := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-size]
	}
	return text
}

// RetryAfter reads the header of that name, given in seconds; zero when there
// is none that makes sense.
func RetryAfter(h http.Header) time.Duration {
	d, err := time.ParseDuration(strings.TrimSpace(h.Get("Retry-After")) + "s")
	if err != nil || d < 0 {
		return 0
	}
	return min(d, time.Hour)
}
