package mail

import (
	"context"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"github.com/tradepost/tradepost/internal/local/asvs"
)

// relay is an SMTP server that keeps what it is given.
type relay struct {
	url      string
	received chan envelope
}

type envelope struct {
	from string
	to   []string
	data string
}

func newRelay(t *testing.T) *relay {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{url: "smtp://" + listener.Addr().String(), received: make(chan envelope, 4)}
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) {
		return &session{relay: r}, nil
	}))
	server.Domain, server.AllowInsecureAuth = "localhost", true
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return r
}

type session struct {
	relay *relay
	now   envelope
}

func (s *session) Mail(from string, _ *smtp.MailOptions) error { s.now.from = from; return nil }
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.now.to = append(s.now.to, to)
	return nil
}
func (s *session) Data(r io.Reader) error {
	data, err := io.ReadAll(r)
	s.now.data = string(data)
	s.relay.received <- s.now
	return err
}
func (s *session) Reset()        { s.now = envelope{} }
func (s *session) Logout() error { return nil }

// AuthMechanisms and Auth refuse every password and echo it, as a careless
// relay might.
func (s *session) AuthMechanisms() []string { return []string{sasl.Plain} }
func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, _, password string) error {
		return errors.New("no such password: " + password)
	}), nil
}

func TestMessagesArriveInBothForms(t *testing.T) {
	r := newRelay(t)
	sender, err := New(r.url, "Tradepost <hello@example.com>")
	if err != nil {
		t.Fatal(err)
	}
	// A subject that tries to add a header and a recipient.
	subject := "Grüße\r\nBcc: victim@example.com"
	err = sender.Send(t.Context(), Message{To: "ada@example.com", Subject: subject, Text: "plain words", HTML: "<p>rich words</p>"})
	if err != nil {
		t.Fatal(err)
	}
	got := take(t, r)
	if got.from != "hello@example.com" || len(got.to) != 1 || got.to[0] != "ada@example.com" {
		t.Errorf("envelope %q → %q", got.from, got.to)
	}
	message, err := mail.ReadMessage(strings.NewReader(got.data))
	if err != nil {
		t.Fatal(err)
	}
	if message.Header.Get("Bcc") != "" || !strings.Contains(message.Header.Get("Content-Type"), "multipart/alternative") {
		t.Errorf("headers %v: %s", message.Header, asvs.Claim(t, "1.3.11"))
	}
	for _, want := range []string{"plain words", "rich words", "text/html", "text/plain"} {
		if !strings.Contains(got.data, want) {
			t.Errorf("%q is missing", want)
		}
	}
}

// A mail of a rehearsal says so before anything else, in whatever form the
// subject is encoded.
func TestAMarkBeginsTheSubject(t *testing.T) {
	r := newRelay(t)
	plain, err := New(r.url, "hello@example.com")
	if err != nil {
		t.Fatal(err)
	}
	for sender, want := range map[*Sender]string{plain: "Grüße", plain.Marked(RehearsalMark): "[TEST] Grüße"} {
		if err := sender.Send(t.Context(), Message{To: "ada@example.com", Subject: "Grüße", Text: "t"}); err != nil {
			t.Fatal(err)
		}
		message, err := mail.ReadMessage(strings.NewReader(take(t, r).data))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := new(mime.WordDecoder).DecodeHeader(message.Header.Get("Subject")); err != nil || got != want {
			t.Errorf("subject %q, want %q (%v)", got, want, err)
		}
	}
}

func take(t *testing.T, r *relay) envelope {
	t.Helper()
	select {
	case got := <-r.received:
		return got
	case <-time.After(time.Minute):
		t.Fatal("nothing arrived")
		return envelope{}
	}
}

// A relay without STARTTLS, and one whose certificate nobody trusts, are told apart from one that refuses.
func TestALineThatIsNotSafeHasItsCode(t *testing.T) {
	r := newRelay(t)
	secured := httptest.NewTLSServer(http.NotFoundHandler())
	defer secured.Close()
	for address, want := range map[string]string{
		strings.Replace(r.url, "127.0.0.1", "0.0.0.0", 1): "no_starttls", // an address that is not taken for this machine's
		"smtps://" + secured.Listener.Addr().String():     "untrusted_certificate",
		"smtp://127.0.0.1:1":                              "unreachable",
	} {
		sender, err := New(address, "hello@example.com")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := sender.Open(t.Context()); CodeOf(err) != want {
			t.Errorf("%s: %v, want %s", address, err, want)
		}
	}
}

func TestRecipientsThatAreNoneAreRefused(t *testing.T) {
	sender, err := New("smtp://127.0.0.1:1", "hello@example.com")
	if err != nil {
		t.Fatal(err)
	}
	for _, to := range []string{"", "nobody", "a@example.com\r\nRCPT TO:<b@example.com>"} {
		if err := sender.Send(t.Context(), Message{To: to, Subject: "s", Text: "t"}); err == nil || !strings.Contains(err.Error(), "recipient") {
			t.Errorf("%q: %v: %s", to, err, asvs.Claim(t, "1.3.11"))
		}
	}
}

func TestErrorsShowNoPassword(t *testing.T) {
	const canary = "canary-4711"
	r := newRelay(t)
	sender, err := New(strings.Replace(r.url, "smtp://", "smtp://user:"+canary+"@", 1), "hello@example.com")
	if err != nil {
		t.Fatal(err)
	}
	err = sender.Send(context.Background(), Message{To: "ada@example.com", Subject: "s", Text: "t"})
	if err == nil || strings.Contains(err.Error(), canary) || !strings.Contains(err.Error(), "no such password: [redacted]") {
		t.Errorf("got %v", err)
	}
	for _, bad := range []string{"", "http://user:" + canary + "@host", "smtp://user:" + canary + "@", "smtp://user:" + canary + "@host:99999", "smtp://user:" + canary + "@ho st"} {
		if _, err := New(bad, "hello@example.com"); err == nil || strings.Contains(err.Error(), canary) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if _, err := New(r.url, "not an address"); err == nil {
		t.Error("a sender that is no address was accepted")
	}
}

// A relay without SMTPUTF8 takes a mail to an address whose domain has other letters: it is sent in ASCII form.
func TestADomainIsSentInASCII(t *testing.T) {
	r := newRelay(t)
	sender, err := New(r.url, "Tradepost <hello@example.com>")
	if err != nil {
		t.Fatal(err)
	}
	if err := sender.Send(t.Context(), Message{To: "ana@bücher.example", Subject: "Hello", Text: "Hello"}); err != nil {
		t.Fatal(err)
	}
	got := take(t, r)
	if len(got.to) != 1 || got.to[0] != "ana@xn--bcher-kva.example" || !strings.Contains(got.data, "To: <ana@xn--bcher-kva.example>") {
		t.Errorf("sent to %q:\n%s", got.to, got.data)
	}
}
