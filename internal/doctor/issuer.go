package doctor

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

func (e *examination) issuerChecks() []Check {
	return []Check{{"issuer", "OIDC_ISSUER, and that it accepts OIDC_CLIENT_SECRET and refuses another",
		e.needs(e.Issuer != nil, "OIDC_CLIENT_SECRET", e.issuer)}}
}

const openIDPath = "/.well-known/openid-configuration"

// metadata is what the identity provider says of itself.
type metadata struct {
	Issuer        string `json:"issuer"`
	Token         string `json:"token_endpoint"`
	Revocation    string `json:"revocation_endpoint"`
	Introspection string `json:"introspection_endpoint"`
}

func (e *examination) issuer(ctx context.Context) []Finding {
	issuer := strings.TrimRight(e.Issuer.Issuer, "/")
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, issuer+openIDPath, nil)
	if err != nil {
		return skipped("%v", err)
	}
	answer, err := e.fetch(request)
	if err == nil && answer.status != http.StatusOK {
		err = fmt.Errorf("it answers %d", answer.status)
	}
	var found metadata
	if err == nil {
		err = json.Unmarshal(answer.body, &found)
	}
	switch {
	case distrusted(err):
		return []Finding{wrong("issuer_untrusted", trust, "the certificate of %s is not trusted: %v", issuer, err)}
	case err != nil:
		return []Finding{wrong("issuer_unreachable", "Look whether the identity provider runs, and at OIDC_ISSUER.",
			"%s%s cannot be read: %v", issuer, openIDPath, err)}
	case strings.TrimRight(found.Issuer, "/") != issuer:
		return []Finding{wrong("issuer_differs", "Set OIDC_ISSUER to what the provider calls itself.",
			"OIDC_ISSUER is %s, and the provider calls itself %s", issuer, found.Issuer)}
	}
	return e.knownClient(ctx, found)
}

// ask is a request that a provider answers only to its client: about a code, or a token, that was never issued.
type ask struct {
	address string
	fields  url.Values
}

// asks are such requests, first the one that a sign-in makes.
func (m *metadata) asks(site string) []ask {
	token := url.Values{"token": {"doctor"}}
	code := url.Values{"grant_type": {"authorization_code"}, "code": {"doctor"},
		"redirect_uri": {site + "/api/login/callback"}, "code_verifier": {strings.Repeat("doctor-", 8)}}
	return slices.DeleteFunc([]ask{{m.Token, code}, {m.Revocation, token}, {m.Introspection, token}}, func(a ask) bool { return a.address == "" })
}

// knownClient makes each request with the secret and with one that is certainly wrong, until the provider refuses the
// wrong one alone. An answer by itself proves nothing: some providers look at the code before the client.
func (e *examination) knownClient(ctx context.Context, m metadata) []Finding {
	site, err := e.site()
	if err != nil {
		return skipped("%v", err)
	}
	for _, a := range m.asks(site) {
		tells, found := e.tells(ctx, m, a)
		if found != nil || tells {
			return found
		}
	}
	return []Finding{doubtful("issuer_client_unseen",
		"Sign in once with an account of your own before customers do: a wrong secret fails there.",
		"the identity provider answers OIDC_CLIENT_SECRET and a wrong secret alike: which it is cannot be seen")}
}

// tells makes one request in both ways in which the API may name the secret. It reports whether the provider took the
// secret and refused a wrong one, or what is wrong.
func (e *examination) tells(ctx context.Context, m metadata, a ask) (bool, []Finding) {
	refusals := ""
	for _, inHeader := range []bool{true, false} { // as the library of the API's sign-in tries them
		mine, err := e.asked(ctx, a, e.Issuer.ClientSecret, inHeader)
		if err == nil && mine.status >= http.StatusInternalServerError {
			err = fmt.Errorf("it answers %d", mine.status)
		}
		if err != nil {
			return false, []Finding{wrong("issuer_unreachable",
				"Look whether the identity provider runs, and at its log.",
				"%s gives no good answer: %v", a.address, err)}
		}
		if mine.status == http.StatusTooManyRequests {
			return false, []Finding{doubtful("issuer_limited",
				"Find the program at this address that names a wrong OIDC_CLIENT_SECRET, wait ten minutes, and repeat.",
				"%s takes no secret from this address for now: it had too many wrong ones", a.address)}
		}
		if mine.refused() {
			refusals = mine.code
			continue
		}
		other, err := e.asked(ctx, a, "doctor-"+rand.Text(), inHeader)
		return err == nil && other.refused(), nil
	}
	if a.address != m.Token && refusals != "invalid_client" {
		return false, nil // it may ask more of its callers than a sign-in does
	}
	return false, []Finding{wrong("issuer_client_refused",
		"Give both sides the same OIDC_CLIENT_ID and OIDC_CLIENT_SECRET.",
		"the identity provider refuses OIDC_CLIENT_ID with OIDC_CLIENT_SECRET (%s)", refusals)}
}

// reply is what the provider said to the client.
type reply struct {
	status int
	code   string
}

// refused reports whether the client was refused, and not what it asked for.
func (r reply) refused() bool {
	return r.status == http.StatusUnauthorized ||
		slices.Contains([]string{"invalid_client", "unauthorized_client", "access_denied"}, r.code)
}

// asked makes a request as the client, with a secret in the header (RFC 6749, 2.3.1) or in the body.
func (e *examination) asked(ctx context.Context, a ask, secret string, inHeader bool) (reply, error) {
	fields := url.Values{}
	for name, values := range a.fields {
		fields[name] = values
	}
	if !inHeader {
		fields.Set("client_id", e.Issuer.ClientID)
		fields.Set("client_secret", secret)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, a.address, strings.NewReader(fields.Encode()))
	if err != nil {
		return reply{}, err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if inHeader {
		request.SetBasicAuth(url.QueryEscape(e.Issuer.ClientID), url.QueryEscape(secret))
	}
	answer, err := e.fetch(request)
	if err != nil {
		return reply{}, err
	}
	var said struct {
		Error string `json:"error"`
	}
	_ = json.Unmarshal(answer.body, &said) // revocation answers nothing
	return reply{answer.status, said.Error}, nil
}
