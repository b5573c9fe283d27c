package doctor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"strings"

	"github.com/tradepost/tradepost/internal/mail"
	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/internal/provider/stripe"
)

func (e *examination) stripeChecks() []Check {
	return []Check{
		{"stripe.key", "STRIPE_KEY is accepted", e.needs(e.Stripe != nil, "STRIPE_KEY", e.stripeKey)},
		{"stripe.permissions", "what STRIPE_KEY may do", e.needs(e.Stripe != nil, "STRIPE_KEY", e.stripePermissions)},
		{"stripe.webhook", "the endpoint that Stripe sends events to", e.needs(e.Stripe != nil, "STRIPE_KEY", e.stripeWebhook)},
	}
}

// needs makes a check that is skipped where a variable is not set.
func (e *examination) needs(set bool, variable string, check func(context.Context) []Finding) func(context.Context) []Finding {
	if set {
		return check
	}
	return func(context.Context) []Finding { return skipped("%s is not set here", variable) }
}

// said is the finding about a provider that refused a credential or did not answer.
func said(err error, id, variable, where string) Finding {
	switch {
	case provider.Unauthorised(err):
		return wrong(id+"_key_refused", "Make a new credential at "+where+", put it into "+variable+" and start the service that holds it again.",
			"%s is refused: %v", variable, err).because(id + "_key_refused")
	case distrusted(err):
		return wrong(id+"_untrusted", trust,
			"the certificate at the address of %s is not trusted: %v", where, err).because(id + "_unreachable")
	}
	return wrong(id+"_unreachable", "Look at the network from this machine to "+where+", at the provider's status page, and at the address that is configured.",
		"no good answer: %v", err).because(id + "_unreachable")
}

// trust is the advice about a certificate that a program does not trust.
const trust = "Have an authority sign it that this program trusts (SSL_CERT_FILE names a file of authorities, in place of the system's), " +
	"and look whether the address has the name of the certificate; if both are so, this machine's clock is wrong."

// distrusted reports whether a connection failed by the certificate of the other side.
func distrusted(err error) bool {
	var verification *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	var refused *provider.Error
	return errors.As(err, &refused) && refused.Code == "untrusted_certificate" || mail.CodeOf(err) == "untrusted_certificate" ||
		errors.As(err, &verification) || errors.As(err, &authority) || errors.As(err, &name) || errors.As(err, &invalid) ||
		err != nil && strings.Contains(err.Error(), "x509: ") // of gRPC, which keeps the text alone
}

const stripeDashboard = "Stripe (Developers, API keys)"

func (e *examination) stripeKey(ctx context.Context) []Finding {
	if _, err := e.stripe().Balance(ctx); err != nil && !provider.NotPermitted(err) {
		return []Finding{said(err, "stripe", "STRIPE_KEY", stripeDashboard)}
	}
	if strings.HasPrefix(e.Stripe.Key, "sk_live_") {
		return []Finding{doubtful("stripe_key_unrestricted", "Make a restricted key (rk_live_…) with the permissions of docs/launch.md.",
			"STRIPE_KEY is an unrestricted secret key")}
	}
	return nil
}

func (e *examination) stripePermissions(ctx context.Context) []Finding {
	missing, err := e.stripe().MissingPermissions(ctx)
	if err != nil {
		return []Finding{said(err, "stripe", "STRIPE_KEY", stripeDashboard)}
	}
	var found []Finding
	for _, name := range missing {
		found = append(found, wrong("stripe_permission_missing", "Give the key \""+name+"\" at "+stripeDashboard+".", "STRIPE_KEY lacks %q", name))
	}
	return found
}

// register is the advice about a webhook that a command can make.
const register = "Run `api webhooks register` with the provider's credential, or make it by hand as docs/launch.md says."

func (e *examination) stripeWebhook(ctx context.Context) []Finding {
	site, err := e.site()
	if err != nil {
		return skipped("%v", err)
	}
	all, err := e.stripe().Endpoints(ctx)
	if provider.NotPermitted(err) {
		return []Finding{doubtful("stripe_webhook_unseen", "Give the key \"Webhook Endpoints: read\" at "+stripeDashboard+", or compare the endpoint with docs/launch.md by hand.",
			"STRIPE_KEY may not read webhook endpoints")}
	}
	if err != nil {
		return []Finding{said(err, "stripe", "STRIPE_KEY", stripeDashboard)}
	}
	url := site + webhookPath + "stripe"
	enabled, at := endpointsAt(all, url)
	switch {
	case len(at) == 0:
		return []Finding{wrong("stripe_webhook_missing", register, "no endpoint at Stripe leads to %s: cards are noticed by polls alone, late", url)}
	case len(enabled) == 0:
		return []Finding{wrong("stripe_webhook_disabled", register, "the endpoint %s is disabled", at[0].ID)}
	case len(enabled) > 1:
		return []Finding{doubtful("stripe_webhook_twice", "Disable all but the one whose secret is STRIPE_WEBHOOK_SECRET.", "%d enabled endpoints lead to %s", len(enabled), url)}
	}
	return e.endpoint(enabled[0])
}

func (e *examination) endpoint(at stripe.Endpoint) (found []Finding) {
	if at.Version != stripe.APIVersion {
		found = append(found, wrong("stripe_webhook_version", register+" A version cannot be changed: a new endpoint is made, with a new secret.",
			"the endpoint %s has API version %q, and the product reads %s", at.ID, at.Version, stripe.APIVersion))
	}
	missing, excess := lacks(at)
	if len(missing) > 0 {
		found = append(found, wrong("stripe_webhook_events", register, "the endpoint %s is not sent %s", at.ID, strings.Join(missing, ", ")))
	}
	if len(excess) > 0 {
		found = append(found, doubtful("stripe_webhook_excess", register, "the endpoint %s is sent %s, which nothing acts on", at.ID, strings.Join(excess, ", ")))
	}
	return found
}
