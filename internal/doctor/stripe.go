package doctor

import (
	"context"
	"strings"

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
	if provider.Unauthorised(err) {
		return wrong(id+"_key_refused", "Make a new credential at "+where+", put it into "+variable+" and start the service that holds it again.",
			"%s is refused: %v", variable, err)
	}
	return wrong(id+"_unreachable", "Look at the network from this machine to "+where+", at the provider's status page, and at the address that is configured.",
		"no good answer: %v", err)
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
