// Package mail sends messages over SMTP: locally into the sandbox's mailbox,
// in production through a relay.
//
// Invariants:
//
//   - A message has a plain text and may have an HTML form beside it; both have the same
//     content.
//   - Addresses and subjects are encoded by the library, so that no input can
//     add a header or a recipient.
//   - The domain of a recipient is in ASCII form, which every relay accepts.
//   - Credentials appear in no error.
package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"
	"time"

	smtp "github.com/wneessen/go-mail"

	"github.com/tradepost/tradepost/internal/typed"
)

// timeout bounds each step of a delivery.
const timeout = 15 * time.Second

// Message is one message to one person. An ID makes the Message-ID, the same
// each time it is sent; without one each sending has its own.
type Message struct {
	ID          string
	To, Subject string
	Text        string
	HTML        string // optional
}

// Sender delivers messages.
type Sender struct {
	host, password string
	options        []smtp.Option
	from           *mail.Address
	mark           string // begins every subject
}

// RehearsalMark begins the subject of every mail of a rehearsal.
const RehearsalMark = "[TEST]"

// Marked makes every subject begin with a mark.
func (s *Sender) Marked(mark string) *Sender {
	marked := *s
	marked.mark = mark + " "
	return &marked
}

// New reads where to send from a URL:
//
//	smtp://127.0.0.1:8025               plain, for a relay on this machine
//	smtp://user:password@host:587       STARTTLS, which must succeed
//	smtps://user:password@host:465      TLS from the start
//
// from is "Name <address>" or an address. The error names the value that is
// wrong and never shows a password.
func New(smtpURL, from string) (*Sender, error) {
	target, err := url.Parse(smtpURL)
	if err != nil || target.Hostname() == "" {
		return nil, errors.New("SMTP_URL must be smtp://[user:password@]host[:port] or smtps://…")
	}
	sender, err := mail.ParseAddress(from)
	if err != nil {
		return nil, errors.New("MAIL_FROM is not an e-mail address")
	}
	s := &Sender{host: target.Hostname(), from: sender}
	if s.options, err = options(target); err != nil {
		return nil, err
	}
	if target.User != nil {
		s.password, _ = target.User.Password()
		s.options = append(s.options,
			smtp.WithSMTPAuth(authFor(target)),
			smtp.WithUsername(target.User.Username()), smtp.WithPassword(s.password))
	}
	return s, nil
}

func options(target *url.URL) ([]smtp.Option, error) {
	out := []smtp.Option{smtp.WithTimeout(timeout)}
	port := 587
	switch target.Scheme {
	case "smtps":
		port = 465
		out = append(out, smtp.WithSSL())
	case "smtp":
		policy := smtp.TLSMandatory
		if isLoopback(target.Hostname()) {
			policy = smtp.NoTLS
		}
		out = append(out, smtp.WithTLSPolicy(policy))
	default:
		return nil, errors.New("SMTP_URL must begin with smtp:// or smtps://")
	}
	if text := target.Port(); text != "" {
		given, err := strconv.Atoi(text)
		if err != nil || given < 1 || given > 65535 {
			return nil, errors.New("SMTP_URL has a wrong port")
		}
		port = given
	}
	return append(out, smtp.WithPort(port)), nil
}

// authFor lets a password go over a line without TLS only on this machine.
func authFor(target *url.URL) smtp.SMTPAuthType {
	if target.Scheme == "smtp" && isLoopback(target.Hostname()) {
		return smtp.SMTPAuthPlainNoEnc
	}
	return smtp.SMTPAuthAutoDiscover
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}

// Send delivers one message. An error means that the relay did not accept it, or may not
// have: sending again can deliver it twice.
func (s *Sender) Send(ctx context.Context, m Message) error {
	message, err := s.compose(m)
	if err != nil {
		return err
	}
	line, err := s.Open(ctx)
	if err != nil {
		return err
	}
	defer line.Close()
	return line.send(message)
}

// Line is an open connection to the relay, for several messages.
type Line struct {
	sender *Sender
	client *smtp.Client
}

// Open connects to the relay.
func (s *Sender) Open(ctx context.Context) (*Line, error) {
	client, err := smtp.NewClient(s.host, s.options...)
	if err != nil {
		return nil, s.clean(err)
	}
	if err := client.DialWithContext(ctx); err != nil {
		return nil, s.clean(err)
	}
	return &Line{s, client}, nil
}

// Send is Sender.Send on an open line.
func (l *Line) Send(m Message) error {
	message, err := l.sender.compose(m)
	if err != nil {
		return err
	}
	return l.send(message)
}

func (l *Line) send(message *smtp.Msg) error {
	if err := l.client.Send(message); err != nil {
		return l.sender.clean(err)
	}
	return nil
}

// Close ends the conversation.
func (l *Line) Close() { _ = l.client.Close() }

func (s *Sender) compose(m Message) (*smtp.Msg, error) {
	message := smtp.NewMsg()
	message.FromMailAddress(s.from)
	if err := message.To(typed.ASCIIEmail(m.To)); err != nil {
		return nil, &Error{"not_an_address", "the recipient is not an e-mail address"}
	}
	message.Subject(s.mark + m.Subject)
	message.SetDate()
	message.SetGenHeader("Auto-Submitted", "auto-generated")
	if m.ID == "" {
		message.SetMessageID()
	} else {
		message.SetMessageIDWithValue(m.ID + s.from.Address[strings.LastIndex(s.from.Address, "@"):])
	}
	message.SetBodyString(smtp.TypeTextPlain, m.Text)
	if m.HTML != "" {
		message.AddAlternativeString(smtp.TypeTextHTML, m.HTML)
	}
	return message, nil
}

// Error is a message that was not delivered, or may not have been. Code is without the
// relay's text, which may repeat what we sent: "timeout", "unreachable", "untrusted_certificate", "no_starttls" (the
// server offers no TLS), "answer_550" (what SMTP answered), "not_an_address" or "not_accepted".
type Error struct{ Code, text string }

// Error implements error.
func (e *Error) Error() string { return "mail: not delivered: " + e.text }

// CodeOf is the code of an Error; any other is "not_written", since nothing was sent.
func CodeOf(err error) string {
	var failed *Error
	if errors.As(err, &failed) {
		return failed.Code
	}
	return "not_written"
}

// clean makes an Error, and strikes the password out should a relay echo it.
func (s *Sender) clean(err error) error {
	text := err.Error()
	if s.password != "" {
		text = strings.ReplaceAll(text, s.password, "[redacted]")
	}
	return &Error{code(err), text}
}

func code(err error) string {
	var answered *textproto.Error
	var refused *smtp.SendError
	var network net.Error
	var untrusted *tls.CertificateVerificationError
	switch {
	case errors.As(err, &answered):
		return fmt.Sprintf("answer_%d", answered.Code)
	case errors.As(err, &refused) && refused.ErrorCode() > 0:
		return fmt.Sprintf("answer_%d", refused.ErrorCode())
	case errors.As(err, &untrusted):
		return "untrusted_certificate"
	case strings.Contains(err.Error(), "does not support STARTTLS"): // the library has no error of its own for it
		return "no_starttls"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return "timeout"
	case errors.As(err, &network):
		return "unreachable"
	}
	return "not_accepted"
}
