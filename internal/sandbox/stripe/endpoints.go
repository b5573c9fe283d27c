package stripe

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/tradepost/tradepost/internal/sandbox"
)

// webhookEndpoint is an address that events are sent to.
type webhookEndpoint struct {
	ID            string            `json:"id"`
	Object        string            `json:"object"`
	APIVersion    *string           `json:"api_version"`
	Application   *string           `json:"application"`
	Created       int64             `json:"created"`
	Description   *string           `json:"description"`
	EnabledEvents []string          `json:"enabled_events"`
	Livemode      bool              `json:"livemode"`
	Metadata      map[string]string `json:"metadata"`
	Status        string            `json:"status"`
	URL           string            `json:"url"`
	// Secret is in the answer that made the endpoint, and in no other.
	Secret string `json:"secret,omitempty"`
}

// endpointDoc is an endpoint in the store.
type endpointDoc struct {
	webhookEndpoint
	Signs string `json:"_secret"` // empty: the configured secret
}

// The states of an endpoint, and the most of them that an account has.
const (
	endpointEnabled  = "enabled"
	endpointDisabled = "disabled"
	endpointsMost    = 16
)

// configured is the id of the endpoint at HOOK_URL.
const configured = "we_configured"

// register sets the endpoint of HOOK_URL from the configuration, and gives the hooks the
// secrets of the others.
func (s *Simulator) register(tx *sandbox.Tx) error {
	url := s.world.Config.HookURL + "/stripe"
	doc := endpointDoc{webhookEndpoint: webhookEndpoint{ID: configured, Object: "webhook_endpoint", APIVersion: optional(apiVersion),
		Created: s.world.Clock.Now().Unix(), EnabledEvents: s.configuredEvents(), Metadata: map[string]string{}, Status: endpointEnabled, URL: url}}
	found, err := tx.Get(hookEndpoints, configured, new(endpointDoc))
	if err != nil {
		return err
	}
	if found {
		err = tx.Put(hookEndpoints, configured, doc)
	} else {
		err = insert(tx, hookEndpoints, configured, doc)
	}
	if err != nil {
		return err
	}
	return newest(tx, hookEndpoints, func(_ string, e *endpointDoc) bool {
		s.signFor(e)
		return true
	})
}

// configuredEvents are those of STRIPE_EVENTS.
func (s *Simulator) configuredEvents() []string {
	if s.world.Config.StripeEvents == "" {
		return []string{"*"}
	}
	kinds := []string{}
	for kind := range strings.SplitSeq(s.world.Config.StripeEvents, ",") {
		kinds = append(kinds, strings.TrimSpace(kind))
	}
	return kinds
}

// signer names what signs an endpoint's webhooks.
func (e *endpointDoc) signer() string {
	if e.Signs == "" {
		return "stripe"
	}
	return "stripe/" + e.ID
}

func (s *Simulator) signFor(e *endpointDoc) {
	if secret := e.Signs; secret != "" {
		s.world.Hooks.SignWith(e.signer(), func(body []byte, now time.Time) http.Header {
			return http.Header{"Stripe-Signature": {Signature(secret, body, now.Unix())}}
		})
	}
}

// wants reports whether an endpoint receives a type of event.
func (e *endpointDoc) wants(kind string) bool {
	return e.Status == endpointEnabled && (slices.Contains(e.EnabledEvents, "*") || slices.Contains(e.EnabledEvents, kind))
}

func listEndpoints(c *call) (any, error) {
	return listOf(c, hookEndpoints, "/v1/webhook_endpoints", func(e *endpointDoc) (int64, bool) { return e.Created, true })
}

func readEndpoint(c *call) (any, error) { return load[endpointDoc](c.tx, hookEndpoints, "id", c.id) }

// enabledEvents reads what an endpoint is to be sent.
func (c *call) enabledEvents() ([]string, error) {
	kinds := c.form.list("enabled_events")
	if len(kinds) == 0 {
		return nil, invalid("parameter_missing", "enabled_events", "Missing required param: enabled_events.")
	}
	for _, kind := range kinds {
		if kind != "*" && !strings.Contains(kind, ".") {
			return nil, invalid("", "enabled_events", "Invalid enabled_events: must be one of the types of events, not %s", kind)
		}
	}
	return kinds, nil
}

// endpointURL reads where an endpoint is.
func (c *call) endpointURL() (string, error) {
	given := c.form.Get("url")
	parsed, err := url.Parse(given)
	if err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
		return "", invalid("url_invalid", "url", "Invalid URL: An explicit scheme (such as https) must be provided.")
	}
	return given, nil
}

func createEndpoint(c *call) (any, error) {
	if err := c.form.require("url"); err != nil {
		return nil, err
	}
	where, err := c.endpointURL()
	if err != nil {
		return nil, err
	}
	kinds, err := c.enabledEvents()
	if err != nil {
		return nil, err
	}
	metadata, err := c.form.metadata("metadata")
	if err != nil {
		return nil, err
	}
	others := 0
	if err := newest(c.tx, hookEndpoints, func(string, *endpointDoc) bool { others++; return true }); err != nil {
		return nil, err
	}
	if others >= endpointsMost {
		return nil, unfit("", "You have reached the maximum of %d webhook endpoints.", endpointsMost)
	}
	doc := &endpointDoc{Signs: newID("whsec"), webhookEndpoint: webhookEndpoint{ID: newID("we"), Object: "webhook_endpoint",
		APIVersion: optional(c.form.Get("api_version")), Created: c.now.Unix(), Description: optional(c.form.Get("description")),
		EnabledEvents: kinds, Metadata: metadata, Status: endpointEnabled, URL: where}}
	if err := insert(c.tx, hookEndpoints, doc.ID, doc); err != nil {
		return nil, err
	}
	c.tx.OnCommit(func() { c.sim.signFor(doc) })
	shown := doc.webhookEndpoint
	shown.Secret = doc.Signs
	return shown, nil
}

// updateEndpoint changes what is sent, and where to; an endpoint keeps its version.
func updateEndpoint(c *call) (any, error) {
	doc, err := load[endpointDoc](c.tx, hookEndpoints, "id", c.id)
	if err != nil {
		return nil, err
	}
	if c.form.has("enabled_events") {
		if doc.EnabledEvents, err = c.enabledEvents(); err != nil {
			return nil, err
		}
	}
	if c.form.has("url") {
		if doc.URL, err = c.endpointURL(); err != nil {
			return nil, err
		}
	}
	if c.form.has("disabled") {
		off, err := c.form.boolean("disabled")
		if err != nil {
			return nil, err
		}
		doc.Status = map[bool]string{true: endpointDisabled, false: endpointEnabled}[off]
	}
	c.form.overwrite(map[string]**string{"description": &doc.Description})
	if doc.Metadata, err = c.form.mergeMetadata(doc.Metadata); err != nil {
		return nil, err
	}
	return doc, c.tx.Put(hookEndpoints, doc.ID, doc)
}

// deleteEndpoint forgets an endpoint.
func deleteEndpoint(c *call) (any, error) {
	doc, err := load[endpointDoc](c.tx, hookEndpoints, "id", c.id)
	if err != nil {
		return nil, err
	}
	return map[string]any{"id": doc.ID, "object": "webhook_endpoint", "deleted": true}, c.tx.Delete(hookEndpoints, doc.ID)
}
