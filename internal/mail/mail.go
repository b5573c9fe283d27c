// Package mail sends messages over SMTP: locally into the sandbox's mailbox,
// in production through a relay.
//
// Invariants:
//
//   - A message has a plain text and may have an HTML form beside it; both say
//     the same.
//   - Addresses and subjects are encoded by the library, so that no input can
//     add a header or a recipient.
//   - Credentials appear in no error.
package mail

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/url"
	"strconv"
	"strings"
	"time"

	smtp "github.com/wneessen/go-mail"
)

// timeout bounds each step of a delivery.
const timeout = 15 * time.Second

// Message is one message to one person.
type Message struct {
	To, Subject string
	Text        string
	HTML        string // optional
}

// Sender delivers messages.
type Sender struct {
	host, password string
	options        []smtp.Option
	from           *mail.Address
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

// Send delivers one message. An error says that the relay did not take it, or
// may not have: sending again can deliver it twice.
func (s *Sender) Send(ctx context.Context, m Message) error {
	message, err := s.compose(m)
	if err != nil {
		return err
	}
	client, err := smtp.NewClient(s.host, s.options...)
	if err != nil {
		return s.clean(err)
	}
	if err := client.DialAndSendWithContext(ctx, message); err != nil {
		return s.clean(err)
	}
	return nil
}

func (s *Sender) compose(m Message) (*smtp.Msg, error) {
	message := smtp.NewMsg()
	message.FromMailAddress(s.from)
	if err := message.To(m.To); err != nil {
		return nil, errors.New("mail: the recipient is not an e-mail address")
	}
	message.Subject(m.Subject)
	message.SetDate()
	message.SetMessageID()
	message.SetBodyString(smtp.TypeTextPlain, m.Text)
	if m.HTML != "" {
		message.AddAlternativeString(smtp.TypeTextHTML, m.HTML)
	}
	return message, nil
}

// clean strikes the password out of an error, should a relay echo it.
func (s *Sender) clean(err error) error {
	text := err.Error()
	if s.password != "" {
		text = strings.ReplaceAll(text, s.password, "[redacted]")
	}
	return fmt.Errorf("mail: not delivered: %s", text)
}
