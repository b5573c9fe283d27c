package doctor

import (
	"context"
	"errors"
	"net"
	netmail "net/mail"
	"slices"
	"strings"

	"github.com/tradepost/tradepost/internal/mail"
)

func (e *examination) mailChecks() []Check {
	here := e.Mail != nil
	return []Check{
		{"mail.server", "the mail server takes our name and password", e.needs(here, "SMTP_URL", e.mailServer)},
		{"mail.spf", "SPF of the domain of MAIL_FROM", e.needs(here, "SMTP_URL", e.ofDomain(e.spf))},
		{"mail.dkim", "DKIM of the domain of MAIL_FROM", e.needs(here, "SMTP_URL", e.ofDomain(e.dkim))},
		{"mail.dmarc", "DMARC of the domain of MAIL_FROM", e.needs(here, "SMTP_URL", e.ofDomain(e.dmarc))},
		{"mail.test", "a test mail is accepted", e.needs(here, "SMTP_URL", e.mailTest)},
	}
}

func (e *examination) sender() (*mail.Sender, error) { return mail.New(e.Mail.SMTPURL, e.Mail.From) }

func (e *examination) mailServer(ctx context.Context) []Finding {
	sender, err := e.sender()
	if err != nil {
		return []Finding{wrong("mail_settings", "Correct SMTP_URL and MAIL_FROM.", "%v", err).because("mail_settings")}
	}
	line, err := sender.Open(ctx)
	if err != nil {
		return []Finding{undelivered(err).because("mail_server")}
	}
	line.Close()
	return nil
}

// undelivered distinguishes a server that refuses from one that is not there.
func undelivered(err error) Finding {
	switch code := mail.CodeOf(err); {
	case code == "no_starttls":
		return wrong("mail_without_tls", "Name the port at which the server speaks TLS: smtp://…:587 where it offers STARTTLS, "+
			"or smtps://…:465 where TLS begins at once.",
			"the mail server offers no STARTTLS, without which no password is sent: %v", err)
	case code == "untrusted_certificate":
		return wrong("mail_untrusted", trust, "the certificate of the mail server is not trusted: %v", err)
	case strings.HasPrefix(code, "answer_53"):
		return wrong("mail_refused", "Correct user and password in SMTP_URL.", "the mail server refuses them: %v", err)
	case strings.HasPrefix(code, "answer_"):
		return wrong("mail_refused",
			"Look whether the server lets MAIL_FROM send, and whether there is such a mailbox.",
			"the mail server refuses: %v", err)
	case code == "not_accepted":
		return wrong("mail_refused", "Look at user and password in SMTP_URL, and whether the server lets MAIL_FROM send.", "the mail server refuses: %v", err)
	}
	return wrong("mail_unreachable", "Look at host and port in SMTP_URL, and whether this machine may reach it (many hosts block port 25).", "the mail server cannot be reached: %v", err)
}

func (e *examination) mailTest(ctx context.Context) []Finding {
	if e.options.MailTo == "" {
		return skipped("sent with --mail-to ADDRESS alone")
	}
	sender, err := e.sender()
	if err != nil {
		return []Finding{wrong("mail_settings", "Correct SMTP_URL and MAIL_FROM.", "%v", err).because("mail_settings")}
	}
	line, err := sender.Open(ctx)
	if err != nil {
		return []Finding{undelivered(err).because("mail_server")}
	}
	defer line.Close()
	message := mail.Message{To: e.options.MailTo, Subject: "Test mail of " + e.brand(),
		Text: "This mail was sent by api doctor. Look at its source: SPF, DKIM and DMARC should each say pass."}
	if err := line.Send(message); err != nil {
		return []Finding{undelivered(err)}
	}
	return []Finding{well("mail_sent", "a test mail to %s was accepted; look whether it arrives, outside the folder for junk", e.options.MailTo)}
}

func (e *examination) brand() string {
	if e.Common == nil {
		return "Tradepost"
	}
	return e.Common.Brand
}

// ofDomain makes a check of the sender's domain; an example's has no records.
func (e *examination) ofDomain(check func(ctx context.Context, domain string) []Finding) func(context.Context) []Finding {
	return func(ctx context.Context) []Finding {
		from, err := netmail.ParseAddress(e.Mail.From)
		if err != nil {
			return []Finding{wrong("mail_settings", "Correct MAIL_FROM: Name <address>.", "MAIL_FROM is not an e-mail address")}
		}
		domain := strings.ToLower(from.Address[strings.LastIndex(from.Address, "@")+1:])
		if !e.strict() && slices.Contains(examples, domain) {
			return skipped("MAIL_FROM is an example")
		}
		return check(ctx, domain)
	}
}

// examples are domains reserved for documentation (RFC 2606).
var examples = []string{"example.com", "example.org", "example.net"}

// local reports whether a host is this machine.
func local(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// texts are the TXT records of a name that begin with a prefix. A name without any is no
// error.
func (e *examination) texts(ctx context.Context, name, begin string) ([]string, error) {
	records, err := e.resolver.LookupTXT(ctx, name)
	var failed *net.DNSError
	if errors.As(err, &failed) && failed.IsNotFound {
		return nil, nil
	}
	var found []string
	for _, record := range records {
		if strings.HasPrefix(strings.ToLower(record), begin) {
			found = append(found, record)
		}
	}
	return found, err
}

func undecided(name string, err error) []Finding {
	return []Finding{wrong("dns_unanswered", "Look at the name servers of the domain, and at the resolver of this machine.", "the name servers do not answer about %s: %v", name, err)}
}

func (e *examination) spf(ctx context.Context, domain string) []Finding {
	records, err := e.texts(ctx, domain, "v=spf1")
	switch {
	case err != nil:
		return undecided(domain, err)
	case len(records) == 0:
		return []Finding{wrong("mail_spf_missing", "Add a TXT record at "+domain+" such as \"v=spf1 include:<your sender> -all\".", "%s has no SPF record: mails land in junk", domain)}
	case len(records) > 1:
		return []Finding{wrong("mail_spf_twice", "Make one record of them: more than one counts as none.", "%s has %d SPF records", domain, len(records))}
	}
	if last := records[0][strings.LastIndex(records[0], " ")+1:]; last == "+all" || last == "all" || last == "?all" {
		return []Finding{doubtful("mail_spf_open", "End it with -all or ~all.", "the SPF record of %s lets everybody send: it ends with %s", domain, last)}
	}
	return nil
}

// usual are selectors that senders use by themselves.
var usual = []string{"default", "mail", "dkim", "google", "selector1", "selector2", "s1", "s2", "k1", "k2", "k3", "mandrill", "pm", "smtp", "mx", "zoho", "fm1", "fm2", "fm3", "protonmail", "resend", "scph0220"}

func (e *examination) dkim(ctx context.Context, domain string) (found []Finding) {
	named := e.options.Selectors
	for _, selector := range named {
		name := selector + "._domainkey." + domain
		records, err := e.texts(ctx, name, "")
		switch {
		case err != nil:
			return undecided(name, err)
		case len(records) == 0:
			found = append(found, wrong("mail_dkim_missing", "Add the record that your sender shows, at "+name+".", "%s has no DKIM key", name))
		case revoked(records[0]):
			found = append(found, wrong("mail_dkim_revoked", "Put the sender's current key there.", "the DKIM key at %s is empty", name))
		}
	}
	if len(named) > 0 {
		return found
	}
	for _, selector := range usual {
		if records, err := e.texts(ctx, selector+"._domainkey."+domain, ""); err == nil && len(records) > 0 {
			return []Finding{well("mail_dkim", "a DKIM key is at %s._domainkey.%s", selector, domain)}
		}
	}
	return []Finding{doubtful("mail_dkim_unseen", "Name your sender's selector with --dkim-selector, and add its key if there is none.", "no DKIM key is at the usual selectors of %s", domain)}
}

// revoked reports whether a key record holds no key.
func revoked(record string) bool {
	for part := range strings.SplitSeq(record, ";") {
		if key, ok := strings.CutPrefix(strings.TrimSpace(part), "p="); ok {
			return key == ""
		}
	}
	return true
}

func (e *examination) dmarc(ctx context.Context, domain string) []Finding {
	records, err := e.texts(ctx, "_dmarc."+domain, "v=dmarc1")
	switch {
	case err != nil:
		return undecided("_dmarc."+domain, err)
	case len(records) != 1:
		return []Finding{wrong("mail_dmarc_missing", "Add one TXT record at _dmarc."+domain+" such as \"v=DMARC1; p=none; rua=mailto:<you>\", and p=reject once reports pass.",
			"%s has %d DMARC records, and needs one", domain, len(records))}
	case strings.Contains(strings.ReplaceAll(strings.ToLower(records[0]), " ", ""), "p=none"):
		return []Finding{doubtful("mail_dmarc_none", "Set p=reject once the reports pass.", "the DMARC record of %s asks for nothing (p=none): others can send in its name", domain)}
	}
	return nil
}
