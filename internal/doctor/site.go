package doctor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/tradepost/tradepost/internal/provider/bitgo"
	"github.com/tradepost/tradepost/internal/provider/stripe"
	"github.com/tradepost/tradepost/internal/provider/sumsub"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/webhook"
)

func (e *examination) siteChecks() []Check {
	return []Check{
		{"site.names", "the names of the site and of the sign-in lead somewhere", e.names},
		{"site.certificates", "the certificates of these names", e.certificates},
		{"site.ready", "the site answers, and is ready", e.ready},
		{"site.notices", "notices signed with the webhook secrets are accepted at PUBLIC_URL", e.needs(e.Webhooks != nil, "STRIPE_WEBHOOK_SECRET, BITGO_WEBHOOK_SECRET or SUMSUB_WEBHOOK_SECRET", e.notices)},
		{"site.rotation", "webhook secrets that are being replaced", e.needs(e.Webhooks != nil && e.Postgres != nil, "DATABASE_URL, or the webhook secrets", e.rotation)},
	}
}

// places are the addresses that browsers go to.
func (e *examination) places() (all []*url.URL) {
	addresses := []string{}
	if e.public != "" {
		addresses = append(addresses, e.public)
	}
	if e.Issuer != nil {
		addresses = append(addresses, e.Issuer.Issuer)
	}
	for _, address := range addresses {
		if parsed, err := url.Parse(address); err == nil && parsed.Hostname() != "" {
			all = append(all, parsed)
		}
	}
	return all
}

func (e *examination) names(ctx context.Context) []Finding {
	found, looked := []Finding{}, 0
	for _, place := range e.places() {
		host := place.Hostname()
		if local(host) || net.ParseIP(host) != nil {
			continue
		}
		looked++
		addresses, err := e.resolver.LookupHost(ctx, host)
		if err != nil || len(addresses) == 0 {
			found = append(found, wrong("dns_missing", "Add A and AAAA records that lead to this machine.", "the name %s leads nowhere: %v", host, err))
		}
	}
	if looked == 0 {
		return skipped("PUBLIC_URL is on this machine")
	}
	return found
}

func (e *examination) certificates(ctx context.Context) []Finding {
	found, looked := []Finding{}, 0
	for _, place := range e.places() {
		if place.Scheme == "https" {
			looked++
			found = append(found, e.certificate(ctx, place)...)
		}
	}
	if looked == 0 {
		return skipped("PUBLIC_URL is not https")
	}
	return found
}

func (e *examination) certificate(ctx context.Context, place *url.URL) []Finding {
	port := place.Port()
	if port == "" {
		port = "443"
	}
	host := place.Hostname()
	dialer := &tls.Dialer{NetDialer: &net.Dialer{Resolver: e.resolver}, Config: &tls.Config{MinVersion: tls.VersionTLS12, ServerName: host}}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return []Finding{untrusted(host, err)}
	}
	defer func() { _ = conn.Close() }()
	secured, ok := conn.(*tls.Conn)
	if !ok {
		return nil
	}
	ends := secured.ConnectionState().PeerCertificates[0].NotAfter
	if time.Until(ends) < soon/2 {
		return []Finding{doubtful("tls_ends_soon", "Look at Caddy's log: it renews certificates a month before, and needs ports 80 and 443.", "the certificate of %s ends on %s", host, ends.Format(time.DateOnly))}
	}
	return nil
}

// untrusted returns what is wrong with a certificate.
func untrusted(host string, err error) Finding {
	var invalid x509.CertificateInvalidError
	var name x509.HostnameError
	var authority x509.UnknownAuthorityError
	switch {
	case errors.As(err, &name):
		return wrong("tls_wrong_name", "Let Caddy get a certificate for this name: SITE_HOST and IDENTITY_HOST must be the names that lead here.", "the certificate at %s is of another name: %v", host, err)
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return wrong("tls_expired", "Look at Caddy's log; if the certificate is current, the machine's clock is wrong.", "the certificate of %s has ended, or has not begun: %v", host, err)
	case errors.As(err, &authority), errors.As(err, &invalid):
		return wrong("tls_untrusted", "Use a certificate that browsers trust (Caddy gets one when ports 80 and 443 are open to the world).", "the certificate of %s is not trusted: %v", host, err)
	}
	return wrong("tls_unreachable", "Look whether Caddy runs, and whether port 443 is open to the world.", "no TLS connection to %s: %v", host, err)
}

// fetched is an answer of one of our own addresses.
type fetched struct {
	status int
	body   []byte
}

// most is how much of an answer is read.
const most = 1 << 20

// client follows no redirect, and resolves names as the other checks do.
func (e *examination) client() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DialContext = (&net.Dialer{Resolver: e.resolver}).DialContext
	transport.DisableKeepAlives = true
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// fetch makes one request.
func (e *examination) fetch(request *http.Request) (fetched, error) {
	answer, err := e.client().Do(request)
	if err != nil {
		var where *url.Error
		if errors.As(err, &where) {
			err = where.Err
		}
		return fetched{}, err
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(answer.Body, most))
	return fetched{answer.StatusCode, body}, err
}

func (e *examination) ready(ctx context.Context) []Finding {
	site, err := e.site()
	if err != nil {
		return skipped("%v", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, site+"/readyz", nil)
	if err != nil {
		return skipped("%v", err)
	}
	answer, err := e.fetch(request)
	if err != nil {
		return []Finding{wrong("site_unreachable", "Look whether Caddy and the API run, and whether the name leads here.", "%s does not answer: %v", site, err)}
	}
	if answer.status != http.StatusOK {
		return []Finding{wrong("site_not_ready", "Look at the API's log: it is ready when Postgres answers.", "%s/readyz answers %d", site, answer.status)}
	}
	return nil
}

// unreadable is a body that no provider sends: the API checks its signature, answers that
// it cannot be read, and stores nothing.
var unreadable = []byte(`{}`)

// notices sends a signed but unreadable webhook for each provider, from outside.
func (e *examination) notices(ctx context.Context) (found []Finding) {
	site, err := e.site()
	if err != nil {
		return skipped("%v", err)
	}
	for _, n := range []struct {
		provider, variable string
		header             http.Header
	}{
		{"stripe", "STRIPE_WEBHOOK_SECRET", stripe.SignedHeader(e.Webhooks.Stripe, unreadable, e.now(ctx))},
		{"bitgo", "BITGO_WEBHOOK_SECRET", http.Header{"X-Signature-Sha256": {bitgo.Signature(e.Webhooks.BitGo, unreadable)}}},
		{"sumsub", "SUMSUB_WEBHOOK_SECRET", sumsub.SignedHeader(e.Webhooks.Sumsub, unreadable)},
	} {
		if n.provider == "stripe" && e.Webhooks.Stripe == "" { // cards are not accepted
			continue
		}
		found = append(found, e.notice(ctx, site+webhookPath+n.provider, n.variable, n.header)...)
	}
	return found
}

// rotation names each previous webhook secret that is still accepted, and when it was last
// used.
func (e *examination) rotation(ctx context.Context) (found []Finding) {
	db, err := e.database(ctx)
	if err != nil {
		return skipped("%v", err)
	}
	previous := e.Webhooks.Previous()
	for _, n := range []struct {
		provider         ledger.Provider
		variable, secret string
	}{
		{ledger.ProviderStripe, "STRIPE_WEBHOOK_SECRET_PREVIOUS", previous.Stripe},
		{ledger.ProviderBitGo, "BITGO_WEBHOOK_SECRET_PREVIOUS", previous.BitGo},
		{"sumsub", "SUMSUB_WEBHOOK_SECRET_PREVIOUS", previous.Sumsub},
	} {
		if n.secret == "" {
			continue
		}
		used, err := webhook.PreviousUsed(ctx, db, n.provider)
		if err != nil {
			return skipped("%v", err)
		}
		last := "no notice was signed with it"
		if used != nil {
			last = "the last notice signed with it arrived at " + used.UTC().Format(time.RFC3339)
		}
		found = append(found, doubtful("webhook_secret_previous", "Remove it once the provider signs with the new one and three days have passed since its last use.",
			"%s is accepted: %s", n.variable, last))
	}
	return found
}

// now is the time that the API judges signatures by, where it can be read.
func (e *examination) now(ctx context.Context) time.Time {
	if e.Postgres != nil {
		if db, err := e.database(ctx); err == nil {
			if now, err := db.Now(ctx); err == nil {
				return now
			}
		}
	}
	return time.Now()
}

func (e *examination) notice(ctx context.Context, address, variable string, header http.Header) []Finding {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(string(unreadable)))
	if err != nil {
		return skipped("%v", err)
	}
	request.Header = header.Clone()
	request.Header.Set("Content-Type", "application/json")
	answer, err := e.fetch(request)
	switch {
	case err != nil:
		return []Finding{wrong("webhook_unreachable", "Look whether the site answers from outside (site.ready), and at what stands before it.", "a notice does not reach %s: %v", address, err)}
	case answer.status == http.StatusUnauthorized:
		return []Finding{wrong("webhook_secret_differs", "Give the API the same "+variable+" as here, and start it again.", "the API at %s holds another secret than %s here", address, variable)}
	case answer.status != http.StatusBadRequest:
		return []Finding{wrong("webhook_unreachable", "Look at what stands before the API, and at its log.", "%s answers %d to a notice", address, answer.status)}
	}
	return nil
}
