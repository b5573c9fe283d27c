package stripe

import (
	"context"
	"errors"
	"net/http"

	api "github.com/stripe/stripe-go/v85"
)

// APIVersion is the version of the events that the adapter reads.
const APIVersion = api.APIVersion

// Endpoint is a webhook endpoint as it is registered.
type Endpoint struct {
	ID, URL string
	Version string // empty: the account's own
	Events  []string
	Enabled bool
}

func endpointOf(e *api.WebhookEndpoint) Endpoint {
	return Endpoint{ID: e.ID, URL: e.URL, Version: e.APIVersion, Events: e.EnabledEvents, Enabled: e.Status == "enabled"}
}

// Endpoints lists the account's webhook endpoints.
func (c *Client) Endpoints(ctx context.Context) ([]Endpoint, error) {
	params := &api.WebhookEndpointListParams{}
	params.Limit = api.Int64(pageSize)
	var found []Endpoint
	for e, err := range c.api.V1WebhookEndpoints.List(ctx, params).All(ctx) {
		if err != nil {
			return nil, c.fail("list_webhook_endpoints", err)
		}
		found = append(found, endpointOf(e))
	}
	return found, nil
}

// AddEndpoint registers an address for types of events, of the version that the
// adapter reads. Its secret is answered here and never again.
func (c *Client) AddEndpoint(ctx context.Context, url string, events []string) (e Endpoint, secret string, err error) {
	made, err := c.api.V1WebhookEndpoints.Create(ctx, &api.WebhookEndpointCreateParams{
		URL: api.String(url), EnabledEvents: api.StringSlice(events), APIVersion: api.String(APIVersion), Description: api.String("Tradepost")})
	if err != nil {
		return Endpoint{}, "", c.fail("create_webhook_endpoint", err)
	}
	return endpointOf(made), made.Secret, nil
}

// ChangeEndpoint registers an endpoint for exactly these types of events, and
// enables it. Its version cannot be changed.
func (c *Client) ChangeEndpoint(ctx context.Context, id string, events []string) (Endpoint, error) {
	changed, err := c.api.V1WebhookEndpoints.Update(ctx, id, &api.WebhookEndpointUpdateParams{
		EnabledEvents: api.StringSlice(events), Disabled: api.Bool(false)})
	if err != nil {
		return Endpoint{}, c.fail("update_webhook_endpoint", err)
	}
	return endpointOf(changed), nil
}

// noObject is an id that no object has: a call with it shows whether the key may make the
// call, and changes nothing.
const noObject = "doctor_0000000000000000000000"

// permission is what the key has to be given, as Stripe's dashboard names it, and
// a call without effect that needs it.
type permission struct {
	name string
	ask  func(ctx context.Context, c *api.Client) error
}

var one = api.ListParams{Limit: api.Int64(1), Single: true}

// permissions are all that the product's key needs.
var permissions = []permission{
	{"Checkout Sessions: write", func(ctx context.Context, c *api.Client) error {
		_, err := c.V1CheckoutSessions.Expire(ctx, "cs_"+noObject, nil)
		return err
	}},
	{"PaymentIntents: write", func(ctx context.Context, c *api.Client) error {
		_, err := c.V1PaymentIntents.Update(ctx, "pi_"+noObject, &api.PaymentIntentUpdateParams{Description: api.String("doctor")})
		return err
	}},
	{"Charges and Refunds: write", func(ctx context.Context, c *api.Client) error {
		_, err := c.V1Refunds.Update(ctx, "re_"+noObject, &api.RefundUpdateParams{Metadata: map[string]string{"doctor": "1"}})
		return err
	}},
	{"Disputes: write", func(ctx context.Context, c *api.Client) error {
		_, err := c.V1Disputes.Update(ctx, "dp_"+noObject, &api.DisputeUpdateParams{Metadata: map[string]string{"doctor": "1"}})
		return err
	}},
	{"Balance: read", func(ctx context.Context, c *api.Client) error {
		_, err := c.V1Balance.Retrieve(ctx, nil)
		return err
	}},
	{"Balance transactions: read", func(ctx context.Context, c *api.Client) error {
		for _, err := range c.V1BalanceTransactions.List(ctx, &api.BalanceTransactionListParams{ListParams: one}).All(ctx) {
			return err
		}
		return nil
	}},
}

// MissingPermissions names the permissions that the key is not given, and that the product
// needs. No call of it changes anything: those that write name objects that do not exist.
func (c *Client) MissingPermissions(ctx context.Context) ([]string, error) {
	var missing []string
	for _, p := range permissions {
		err := p.ask(ctx, c.api)
		var refused *api.Error
		switch {
		case err == nil:
		case !errors.As(err, &refused) || refused.HTTPStatusCode == http.StatusUnauthorized:
			return nil, c.fail("permissions", err)
		case refused.HTTPStatusCode == http.StatusForbidden:
			missing = append(missing, p.name)
		case refused.HTTPStatusCode == http.StatusNotFound || refused.HTTPStatusCode == http.StatusBadRequest: // it may, and there is none
		default:
			return nil, c.fail("permissions", err)
		}
	}
	return missing, nil
}
