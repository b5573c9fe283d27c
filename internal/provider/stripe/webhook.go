package stripe

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	api "github.com/stripe/stripe-go/v85"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models/money"
)

// tolerance is how far a webhook's time may be from the caller's clock, the database's: one
// signed for the future would stay valid for as long.
const tolerance = 5 * time.Minute

// Verifier checks Stripe's webhook signatures; it implements
// provider.WebhookVerifier.
type Verifier struct{ secret []byte }

var _ provider.WebhookVerifier = Verifier{}

// NewVerifier makes a verifier with the endpoint's signing secret, whole ("whsec_…").
func NewVerifier(secret string) Verifier { return Verifier{[]byte(secret)} }

// Verify accepts a body that any v1 signature of the header matches and whose
// time is at most five minutes from now.
func (v Verifier) Verify(header http.Header, body []byte, now time.Time) (provider.WebhookEvent, error) {
	sent, signatures := parseSignature(header.Get("Stripe-Signature"))
	if len(v.secret) == 0 || !v.anyMatches(sent, body, signatures) {
		return provider.WebhookEvent{}, provider.ErrBadSignature
	}
	seconds, err := strconv.ParseInt(sent, 10, 64)
	if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > tolerance {
		return provider.WebhookEvent{}, provider.ErrBadSignature
	}
	return parseEvent(body)
}

// parseSignature reads "t=<unix>,v1=<hex>[,v1=<hex>…]"; other schemes are
// passed over.
func parseSignature(header string) (sent string, signatures [][]byte) {
	for _, part := range strings.Split(header, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch name {
		case "t":
			sent = value
		case "v1":
			if raw, err := hex.DecodeString(value); err == nil {
				signatures = append(signatures, raw)
			}
		}
	}
	return sent, signatures
}

func (v Verifier) anyMatches(sent string, body []byte, signatures [][]byte) bool {
	mac := hmac.New(sha256.New, v.secret)
	mac.Write([]byte(sent + "."))
	mac.Write(body)
	want := mac.Sum(nil)
	matched := false
	for _, s := range signatures {
		matched = hmac.Equal(s, want) || matched
	}
	return matched
}

// envelope is the part of an event that is read in any API version: it is a signal, and its
// object is read again. Only what held reads must be of the expected version.
type envelope struct {
	ID         string `json:"id"`
	Object     string `json:"object"`
	APIVersion string `json:"api_version"`
	Type       string `json:"type"`
	Created    int64  `json:"created"`
	Data       struct {
		Object struct {
			ID                string            `json:"id"`
			Object            string            `json:"object"`
			PaymentIntent     reference         `json:"payment_intent"`
			ClientReferenceID string            `json:"client_reference_id"`
			Metadata          map[string]string `json:"metadata"`
		} `json:"object"`
	} `json:"data"`
}

// reference is an id, or an expanded object that has one.
type reference string

func (r *reference) UnmarshalJSON(raw []byte) error {
	var id string
	if json.Unmarshal(raw, &id) == nil {
		*r = reference(id)
		return nil
	}
	var object struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(raw, &object); err != nil {
		return err
	}
	*r = reference(object.ID)
	return nil
}

// parseEvent reads a signed body. Its subject is the payment, or the checkout
// page as long as there is no payment.
func parseEvent(body []byte) (provider.WebhookEvent, error) {
	var e envelope
	if err := json.Unmarshal(body, &e); err != nil || e.ID == "" || e.Object != "event" {
		return provider.WebhookEvent{}, &provider.Error{
			Class: provider.Refused, Provider: providerName, Operation: "webhook", Code: "unreadable_event",
		}
	}
	object := e.Data.Object
	out := provider.WebhookEvent{
		ID: e.ID, Type: e.Type, At: unixOrZero(e.Created),
		Subject: object.ID, OrderID: object.Metadata[metaOrder],
	}
	if object.PaymentIntent != "" {
		out.Subject = string(object.PaymentIntent)
	}
	if out.OrderID == "" {
		out.OrderID = object.ClientReferenceID
	}
	if e.Type == chargeSucceeded && e.APIVersion == api.APIVersion {
		out.Held = held(body)
	}
	return out, nil
}

// chargeSucceeded is the event of a card that was authorised, or charged at once.
const chargeSucceeded = "charge.succeeded"

// held reads the authorised payment from a webhook about its charge. It is nil for a charge
// that was captured with its authorisation, and for all else that the product does not
// create.
func held(body []byte) *provider.Payment {
	var e struct {
		Data struct {
			Object api.Charge `json:"object"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &e); err != nil {
		return nil
	}
	charge := e.Data.Object
	if charge.Captured || charge.Refunded || charge.Status != api.ChargeStatusSucceeded || charge.Currency != api.CurrencyUSD || charge.PaymentIntent == nil {
		return nil
	}
	out := &provider.Payment{ID: charge.PaymentIntent.ID, Status: provider.PaymentAuthorised, Amount: money.FromInt(charge.Amount), Capturable: money.FromInt(charge.Amount)}
	showCard(out, &api.PaymentIntent{LatestCharge: &charge})
	if out.CardBrand == "" || out.CaptureBefore.IsZero() || charge.PaymentMethodDetails.Card.AmountAuthorized < charge.Amount {
		return nil
	}
	return out
}

// SignedHeader is what Stripe sends with a body that it signs.
func SignedHeader(secret string, body []byte, at time.Time) http.Header {
	seconds := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(seconds + "."))
	mac.Write(body)
	return http.Header{"Stripe-Signature": {"t=" + seconds + ",v1=" + hex.EncodeToString(mac.Sum(nil))}}
}
