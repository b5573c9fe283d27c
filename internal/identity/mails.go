package identity

import (
	"bytes"
	"fmt"
	"html/template"
	"strings"

	"github.com/tradepost/tradepost/internal/mail"
)

// letter is what both forms of a mail are made of.
type letter struct {
	Brand, Greeting, Lead, Button, Href, Paste, End string
}

var letterHTML = template.Must(template.ParseFS(viewFiles, "templates/mail/letter.html"))

// compose writes a mail of kind to who with one link.
func compose(t *catalogue, brand, kind string, who *account, href string) (mail.Message, error) {
	l := letter{Brand: brand, Greeting: fmt.Sprintf(t.MailGreeting, who.GivenName), Href: href, Paste: t.MailLinkOrPaste}
	var subject string
	switch kind {
	case mailVerify:
		subject, l.Lead, l.Button, l.End = t.MailVerifySubject, t.MailVerifyLead, t.MailVerifyButton, t.MailVerifyEnd
	case mailReset:
		subject, l.Lead, l.Button, l.End = t.MailResetSubject, t.MailResetLead, t.MailResetButton, t.MailResetEnd
	case mailPasswordChanged:
		subject, l.Lead, l.Button, l.End = t.MailChangedSubject, t.MailChangedLead, t.MailChangedButton, t.MailChangedEnd
	default:
		return mail.Message{}, fmt.Errorf("mail of unknown kind %q", kind)
	}
	var html bytes.Buffer
	if err := letterHTML.ExecuteTemplate(&html, "letter.html", l); err != nil {
		return mail.Message{}, err
	}
	text := strings.Join([]string{l.Greeting, "", l.Lead, "", l.Button + ":", l.Href, "", l.End, "", brand, ""}, "\n")
	return mail.Message{To: who.Email, Subject: fmt.Sprintf(subject, brand), Text: text, HTML: html.String()}, nil
}
