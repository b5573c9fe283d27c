package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tradepost/tradepost/internal/config"
	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/internal/provider/bitgo"
	"github.com/tradepost/tradepost/internal/provider/stripe"
	"github.com/tradepost/tradepost/internal/provider/stripe/events"
)

// webhookPath leads from the site to where a provider's webhooks are received.
const webhookPath = "/api/webhooks/"

// hookTypes are the webhooks that each wallet at BitGo has.
var hookTypes = []string{"transfer", "pendingapproval"}

// endpointsAt are the enabled endpoints at Stripe for an address, and all of them.
func endpointsAt(all []stripe.Endpoint, url string) (enabled, at []stripe.Endpoint) {
	for _, e := range all {
		if e.URL != url {
			continue
		}
		at = append(at, e)
		if e.Enabled {
			enabled = append(enabled, e)
		}
	}
	return enabled, at
}

// lacks are the types of events that an endpoint is not registered for, and excess those
// that the product does not handle.
func lacks(e stripe.Endpoint) (missing, excess []string) {
	if slices.Contains(e.Events, "*") {
		return nil, []string{"*"}
	}
	for _, kind := range events.Acted {
		if !slices.Contains(e.Events, kind) {
			missing = append(missing, kind)
		}
	}
	for _, kind := range e.Events {
		if !slices.Contains(events.Acted, kind) {
			excess = append(excess, kind)
		}
	}
	return missing, excess
}

// Registered is what was done at a provider. Secret is of a new endpoint, and is
// shown once.
type Registered struct {
	Says   string
	Secret string
}

// RegisterStripe makes the endpoint of a site at Stripe what it should be. A second
// run changes nothing. The version of an endpoint cannot be changed: one of another
// version is left, and a new one is made beside it.
func RegisterStripe(ctx context.Context, c *config.Stripe, site string) (Registered, error) {
	client, url := stripe.New(stripe.Config{URL: c.URL, Key: c.Key}), strings.TrimRight(site, "/")+webhookPath+"stripe"
	all, err := client.Endpoints(ctx)
	if provider.NotPermitted(err) {
		return Registered{}, fmt.Errorf("STRIPE_KEY may not manage webhooks: give the restricted key \"Webhook Endpoints: write\" for this command, or make the endpoint in the dashboard: %w", err)
	}
	if err != nil {
		return Registered{}, err
	}
	_, at := endpointsAt(all, url)
	old := 0
	for _, e := range at {
		if e.Version != stripe.APIVersion {
			old++
			continue
		}
		missing, excess := lacks(e)
		if e.Enabled && len(missing)+len(excess) == 0 {
			return Registered{Says: "Stripe: " + e.ID + " is registered as it should be." + besides(old)}, nil
		}
		_, err := client.ChangeEndpoint(ctx, e.ID, events.Acted)
		return Registered{Says: "Stripe: " + e.ID + " is registered for exactly the events that are acted on, and enabled." + besides(old)}, err
	}
	made, secret, err := client.AddEndpoint(ctx, url, events.Acted)
	return Registered{Says: fmt.Sprintf("Stripe: %s is made, for %d types of events of version %s. Set STRIPE_WEBHOOK_SECRET to the secret, which is shown once, and start the API again.%s",
		made.ID, len(events.Acted), stripe.APIVersion, besides(old)), Secret: secret}, err
}

func besides(old int) string {
	if old == 0 {
		return ""
	}
	return fmt.Sprintf(" %d of another version lead to the same address: disable them in the dashboard (Developers, Webhooks) once notices of the new one arrive.", old)
}

// hooksOf sorts a wallet's webhooks that lead to an address: what is as it should
// be by type, and what is to be replaced.
func hooksOf(all []bitgo.Hook, url string) (good map[string]bitgo.Hook, bad []bitgo.Hook) {
	good = map[string]bitgo.Hook{}
	for _, h := range all {
		if h.URL != url || !slices.Contains(hookTypes, h.Type) {
			continue
		}
		if h.State == bitgo.HookSuspended || h.Type == "transfer" && !h.Failures {
			bad = append(bad, h)
			continue
		}
		good[h.Type] = h
	}
	return good, bad
}

// RegisterBitGo gives each wallet at BitGo its webhooks, and replaces those that are
// suspended or silent about failures. A second run changes nothing.
func RegisterBitGo(ctx context.Context, b *config.BitGo, site string) (Registered, error) {
	client, url := bitgoOf(b), strings.TrimRight(site, "/")+webhookPath+"bitgo"
	added, removed := 0, 0
	for _, w := range client.Wallets() {
		all, err := client.Hooks(ctx, w)
		if err != nil {
			return Registered{}, fmt.Errorf("webhooks of the wallet of %s on %s: %w", w.Asset, w.Network, err)
		}
		good, bad := hooksOf(all, url)
		for _, h := range bad {
			if err := client.RemoveHook(ctx, w, h); err != nil {
				return Registered{}, err
			}
			removed++
		}
		for _, kind := range hookTypes {
			if _, there := good[kind]; there {
				continue
			}
			if err := client.AddHook(ctx, w, bitgo.Hook{Type: kind, URL: url, Failures: kind == "transfer"}); err != nil {
				return Registered{}, err
			}
			added++
		}
	}
	if added+removed == 0 {
		return Registered{Says: fmt.Sprintf("BitGo: the webhooks of %d wallets are registered as they should be.", len(client.Wallets()))}, nil
	}
	return Registered{Says: fmt.Sprintf("BitGo: %d webhooks of %d wallets are added, %d that were suspended or silent about failures are removed. "+
		"They are signed with the webhook secret of the enterprise, which an admin makes once (POST /api/v2/webhook/secret) and which is BITGO_WEBHOOK_SECRET.",
		added, len(client.Wallets()), removed)}, nil
}

// Registration registers the webhooks of one provider.
type Registration struct {
	Provider string
	Run      func(ctx context.Context) (Registered, error)
}

// Registrations are those that the environment has a credential for, and what is to
// be done by hand at the others. Settings that are wrong are named.
func Registrations(getenv func(string) string) ([]Registration, error) {
	s := load(getenv, nil)
	if s.Common == nil {
		return nil, errors.New("MODE, BRAND, PUBLIC_URL or LOG_LEVEL is wrong")
	}
	if err := s.Common.Check(s.Common.Mode); err != nil {
		return nil, err
	}
	byHand := func(what string) func(context.Context) (Registered, error) {
		return func(context.Context) (Registered, error) { return Registered{Says: what}, nil }
	}
	stripe, bitgo := byHand("Stripe: STRIPE_KEY is not set here."), byHand("BitGo: BITGO_TOKEN is not set here.")
	if s.Stripe != nil {
		if err := s.Stripe.Check(s.Common.Mode); err != nil {
			return nil, err
		}
		stripe = func(ctx context.Context) (Registered, error) {
			return RegisterStripe(ctx, s.Stripe, s.Common.PublicURL)
		}
	}
	if s.BitGo != nil {
		if err := s.BitGo.Check(s.Common.Mode); err != nil {
			return nil, err
		}
		bitgo = func(ctx context.Context) (Registered, error) { return RegisterBitGo(ctx, s.BitGo, s.Common.PublicURL) }
	}
	return []Registration{{"stripe", stripe}, {"bitgo", bitgo}, {"sumsub", byHand(sumsubWebhook(s.Common.PublicURL))}}, nil
}

// sumsubWebhook describes how to create the webhook at Sumsub: its API makes none in
// production.
func sumsubWebhook(site string) string {
	return "Sumsub makes no webhook by its API in production. In the dashboard: Dev space, Webhooks, Create webhook; HTTP address " +
		strings.TrimRight(site, "/") + webhookPath + "sumsub; all applicant types; signature algorithm HMAC_SHA256_HEX; its secret key is SUMSUB_WEBHOOK_SECRET."
}
