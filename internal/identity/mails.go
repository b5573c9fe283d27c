package identity

import (
	"bytes"
	"fmt"
	"html/template"
	"strings"

	"github.com/tradepost/tradepost/internal/mail"
)

// mailBody is what both forms of a mail are made of.
type mailBody struct {
	Brand, Greeting, Lead, Code, Button, Href, Paste, End string
}

var mailHTML = template.Must(template.ParseFS(viewFiles, "templates/mail/letter.html"))

// compose writes a mail of kind to who with one link.
func compose(t *catalogue, brand, kind string, who *account, href string) (mail.Message, error) {
	l := mailBody{Brand: brand, Greeting: fmt.Sprintf(t.MailGreeting, who.GivenName), Href: href, Paste: t.MailLinkOrPaste}
	var subject string
	switch kind {
	case mailVerify:
		subject, l.Lead, l.Button, l.End = t.MailVerifySubject, t.MailVerifyLead, t.MailVerifyButton, t.MailVerifyEnd
	case mailReset:
		subject, l.Lead, l.Button, l.End = t.MailResetSubject, t.MailResetLead, t.MailResetButton, t.MailResetEnd
	case mailPasswordChanged:
		subject, l.Lead, l.Button, l.End = t.MailChangedSubject, t.MailChangedLead, t.MailChangedButton, t.MailChangedEnd
	case mailSignup:
		subject, l.Lead, l.Button, l.End = t.MailTakenSubject, t.MailTakenLead, t.MailTakenButton, t.MailTakenEnd
	default:
		return mail.Message{}, fmt.Errorf("mail of unknown kind %q", kind)
	}
	return l.message(who.Email, fmt.Sprintf(subject, brand), l.Button+":", l.Href)
}

// composeCode writes the mail with the code of a sign-up. It contains no names: they were
// typed by a person who may not own the address.
func composeCode(t *catalogue, brand, to, code string) (mail.Message, error) {
	l := mailBody{Brand: brand, Greeting: t.MailCodeGreeting, Lead: fmt.Sprintf(t.MailCodeLead, brand), Code: code, End: t.MailCodeEnd}
	return l.message(to, fmt.Sprintf(t.MailCodeSubject, brand, code), code)
}

// message is the mail in both forms; middle is what the text has between lead and end.
func (l mailBody) message(to, subject string, middle ...string) (mail.Message, error) {
	var html bytes.Buffer
	if err := mailHTML.ExecuteTemplate(&html, "letter.html", l); err != nil {
		return mail.Message{}, err
	}
	lines := append([]string{l.Greeting, "", l.Lead, ""}, middle...)
	text := strings.Join(append(lines, "", l.End, "", l.Brand, ""), "\n")
	return mail.Message{To: to, Subject: subject, Text: text, HTML: html.String()}, nil
}
