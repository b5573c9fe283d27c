package typed

import (
	"net/url"
	"strings"
)

// Link is what was typed or pasted as the address of a wallet: an address, or a payment link that contains one (BIP 21
// and what other networks made after it).
type Link struct {
	// Scheme is that of a link, in lower case.
	Scheme, Address string
	// Amount is what the link asks for, as it was written; keys are read in either case.
	Amount string
	// Required are the keys of parameters that a wallet has to know, or must refuse the link.
	Required []string
}

// Address reads an address without its blanks and invisible characters. A payment link starts with one of schemes.
func Address(text string, schemes ...string) Link {
	text = strings.Map(func(r rune) rune {
		if blank(r) || Invisible(r) {
			return -1
		}
		return r
	}, narrow(text))
	for _, scheme := range schemes {
		if len(text) > len(scheme) && strings.EqualFold(text[:len(scheme)], scheme) && text[len(scheme)] == ':' {
			return link(scheme, text[len(scheme)+1:])
		}
	}
	return Link{Address: text}
}

func link(scheme, rest string) Link {
	out := Link{Scheme: scheme}
	rest, _, _ = strings.Cut(rest, "#")
	path, query, _ := strings.Cut(rest, "?")
	out.Address = strings.TrimPrefix(path, "//")
	if len(out.Address) > len("pay-") && strings.EqualFold(out.Address[:len("pay-")], "pay-") {
		out.Address = out.Address[len("pay-"):]
	}
	for pair := range strings.SplitSeq(query, "&") {
		key, value, _ := strings.Cut(pair, "=")
		key = strings.ToLower(key)
		if unescaped, err := url.PathUnescape(value); err == nil {
			value = unescaped
		}
		switch {
		case key == "amount" || key == "value":
			out.Amount = value
		case strings.HasPrefix(key, "req-"):
			out.Required = append(out.Required, key)
		}
	}
	return out
}
