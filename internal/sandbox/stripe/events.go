package stripe

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tradepost/tradepost/internal/sandbox"
)

// emit records the event and queues its webhook, in the transaction of the change it
// reports. Previous is what changed, for update events; it may be nil.
func (c *change) emit(kind string, object any, order string, previous map[string]any) error {
	seen, err := shown(object)
	if err != nil {
		return err
	}
	e := event{
		ID: newID("evt"), Object: "event", APIVersion: apiVersion, Created: c.now.Unix(), Type: kind, PendingWebhooks: 1,
		Data:    eventData{Object: seen, PreviousAttributes: previous},
		Request: eventRequest{ID: optional(c.requestID), IdempotencyKey: optional(c.key)},
	}
	if err := insert(c.tx, events, e.ID, e); err != nil {
		return err
	}
	body, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return err
	}
	return c.deliver(kind, order, body)
}

// deliver queues an event for each endpoint that is enabled for its type.
func (c *change) deliver(kind, order string, body []byte) error {
	var to []*endpointDoc
	err := newest(c.tx, hookEndpoints, func(_ string, e *endpointDoc) bool {
		if e.wants(kind) {
			to = append(to, e)
		}
		return true
	})
	for _, e := range to {
		if err == nil {
			err = c.sim.world.Hooks.Send(c.tx, sandbox.Hook{
				URL: e.URL, Body: body, Provider: "stripe", Signer: e.signer(), Type: kind, Subject: order,
				Header: http.Header{"User-Agent": {"Stripe/1.0 (+https://stripe.com/docs/webhooks)"}},
			}, nil)
		}
	}
	return err
}

// sign makes the Stripe-Signature of a body sent at the time.
func (s *Simulator) sign(body []byte, now time.Time) http.Header {
	return http.Header{"Stripe-Signature": {Signature(s.world.Config.StripeWebhookSecret, body, now.Unix())}}
}

// Signature is the Stripe-Signature of a body at a unix second:
// t=<second>,v1=<hex HMAC-SHA256 of "t.body">.
func Signature(secret string, body []byte, at int64) string {
	stamp := strconv.FormatInt(at, 10)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(stamp + "."))
	mac.Write(body)
	return "t=" + stamp + ",v1=" + hex.EncodeToString(mac.Sum(nil))
}

func readEvent(c *call) (any, error) { return load[event](c.tx, events, "id", c.id) }

func listEvents(c *call) (any, error) {
	wanted := c.form.list("types")
	if kind := c.form.Get("type"); kind != "" {
		wanted = append(wanted, kind)
	}
	return listOf(c, events, "/v1/events", func(e *event) (int64, bool) {
		fits := slices.ContainsFunc(wanted, func(kind string) bool {
			family, any := strings.CutSuffix(kind, "*")
			return e.Type == kind || (any && strings.HasPrefix(e.Type, family))
		})
		return e.Created, len(wanted) == 0 || fits
	})
}
