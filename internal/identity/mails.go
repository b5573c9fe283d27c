package identity

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"html/template"
	"net/url"
	"strconv"
	"strings"

	"github.com/wneessen/go-mail"
)

// letter is what both forms of a mail are made of.
type letter struct {
	Brand, Greeting, Lead, Button, Href, Paste, End string
}

var letterHTML = template.Must(template.ParseFS(viewFiles, "templates/mail/letter.html"))

// compose writes a mail of kind to who with one link.
func compose(brand, kind string, who *account, href string) (Message, error) {
	l := letter{Brand: brand, Greeting: fmt.Sprintf(texts.MailGreeting, who.GivenName), Href: href, Paste: texts.MailLinkOrPaste}
	var subject string
	switch kind {
	case mailVerify:
		subject, l.Lead, l.Button, l.End = texts.MailVerifySubject, texts.MailVerifyLead, texts.MailVerifyButton, texts.MailVerifyEnd
	case mailReset:
		subject, l.Lead, l.Button, l.End = texts.MailResetSubject, texts.MailResetLead, texts.MailResetButton, texts.MailResetEnd
	case mailPasswordChanged:
		subject, l.Lead, l.Button, l.End = texts.MailChangedSubject, texts.MailChangedLead, texts.MailChangedButton, texts.MailChangedEnd
	default:
		return Message{}, fmt.Errorf("mail of unknown kind %q", kind)
	}
	var html bytes.Buffer
	if err := letterHTML.ExecuteTemplate(&html, "letter.html", l); err != nil {
		return Message{}, err
	}
	text := strings.Join([]string{l.Greeting, "", l.Lead, "", l.Button + ":", l.Href, "", l.End, "", brand, ""}, "\n")
	return Message{To: who.Email, Subject: fmt.Sprintf(subject, brand), Text: text, HTML: html.String()}, nil
}

// SMTP sends through a mail server.
type SMTP struct {
	host    string
	from    string
	options []mail.Option
}

// NewSMTP reads smtp://host:port (STARTTLS where the server offers it; required
// when a password is given) or smtps://host:port (TLS from the first byte).
func NewSMTP(address, from string) (*SMTP, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || (u.Scheme != "smtp" && u.Scheme != "smtps") {
		return nil, errors.New("SMTP_URL: must be smtp://host:port or smtps://host:port")
	}
	if err := mail.NewMsg().From(from); err != nil {
		return nil, errors.New("MAIL_FROM: must be an e-mail address")
	}
	port := 25
	options := []mail.Option{
		mail.WithTimeout(mailTimeout),
		mail.WithTLSConfig(&tls.Config{ServerName: u.Hostname(), MinVersion: tls.VersionTLS12}),
		mail.WithTLSPolicy(mail.TLSOpportunistic),
	}
	if u.Scheme == "smtps" {
		port = 465
		options = append(options, mail.WithSSL())
	}
	if u.Port() != "" {
		if port, err = strconv.Atoi(u.Port()); err != nil {
			return nil, errors.New("SMTP_URL: port is not a number")
		}
	}
	options = append(options, mail.WithPort(port))
	if u.User != nil {
		password, _ := u.User.Password()
		options = append(options, mail.WithSMTPAuth(mail.SMTPAuthAutoDiscover), mail.WithUsername(u.User.Username()), mail.WithPassword(password))
		if u.Scheme == "smtp" {
			options = append(options, mail.WithTLSPolicy(mail.TLSMandatory))
		}
	}
	return &SMTP{u.Hostname(), from, options}, nil
}

// Send delivers m over a connection of its own.
func (s *SMTP) Send(ctx context.Context, m Message) error {
	out := mail.NewMsg()
	if err := out.From(s.from); err != nil {
		return err
	}
	if err := out.To(m.To); err != nil {
		return err
	}
	out.Subject(m.Subject)
	out.SetDate()
	out.SetMessageID()
	out.SetBodyString(mail.TypeTextPlain, m.Text)
	out.AddAlternativeString(mail.TypeTextHTML, m.HTML)
	client, err := mail.NewClient(s.host, s.options...)
	if err != nil {
		return err
	}
	return client.DialAndSendWithContext(ctx, out)
}
