package typed

import (
	"slices"
	"strings"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"
)

// domains converts the domain of an address as it is looked up (Unicode Technical Standard 46, without the transitional
// mappings, which would make two domains one).
var domains = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.BidiRule())

// Email is an address as it is stored and shown: without blanks around it and invisible characters, and its domain in
// one spelling. The part before the @ is kept as it was typed.
func Email(text string) string {
	local, domain, found := cutEmail(Line(text))
	if !found {
		return local
	}
	return local + "@" + shownDomain(domain)
}

// EmailKey is the form in which addresses are compared: one address has one. The domain is in ASCII form.
func EmailKey(text string) string {
	local, domain, found := cutEmail(Line(text))
	local = norm.NFC.String(strings.ToLower(local))
	if !found {
		return local
	}
	return local + "@" + ASCIIDomain(domain)
}

// ASCIIEmail is an address whose domain any relay accepts. The part before the @ is kept.
func ASCIIEmail(text string) string {
	local, domain, found := cutEmail(strings.TrimSpace(text))
	if !found {
		return local
	}
	return local + "@" + ASCIIDomain(domain)
}

// cutEmail parts an address at its last @. A full-width @ counts.
func cutEmail(address string) (local, domain string, found bool) {
	address = strings.ReplaceAll(address, "＠", "@")
	at := strings.LastIndexByte(address, '@')
	if at < 0 {
		return address, "", false
	}
	return address[:at], address[at+1:], true
}

// ASCIIDomain is a domain in ASCII form and lower case. What is no domain is only lower-cased.
func ASCIIDomain(domain string) string {
	if ascii, err := domains.ToASCII(domain); err == nil {
		return ascii
	}
	return norm.NFC.String(strings.ToLower(domain))
}

// shownDomain is a domain in the form people read. An ASCII form that is no domain's is kept as it is.
func shownDomain(domain string) string {
	ascii, err := domains.ToASCII(domain)
	if err != nil {
		return domain
	}
	if shown, err := domains.ToUnicode(ascii); err == nil {
		return shown
	}
	return ascii
}

// EmailForms are the lower-case spellings in which an address, or a part of one, can be stored: as typed, with the
// domain in ASCII form, and with it as people read it.
func EmailForms(text string) []string {
	line := norm.NFC.String(strings.ToLower(Line(text)))
	local, domain, found := cutEmail(line)
	if !found {
		local, domain = "", line
	} else {
		local += "@"
	}
	forms := []string{line}
	if domain != "" && !strings.ContainsAny(domain, " %_") {
		forms = append(forms, local+ASCIIDomain(domain), local+shownDomain(ASCIIDomain(domain)))
	}
	slices.Sort(forms)
	return slices.Compact(forms)
}
