package stripe

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/stripe/stripe-go/v85/webhook"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models/money"
)

// The vector of Stripe's scheme, checked with two independent programs.
const (
	vectorSecret = "whsec_lab_made_up_0123456789abcdef"
	vectorBody   = `{"id":"evt_lab_0001","object":"event","api_version":"2026-03-25.dahlia","created":1750000000,"type":"payment_intent.amount_capturable_updated","data":{"object":{"id":"pi_lab_0001","object":"payment_intent","amount":10000,"amount_capturable":10000,"currency":"usd","status":"requires_capture"}}}`
	vectorV1     = "e6d1967dec7e3bf1f1f9bec0bdad8452eaa976c1d26660930572747feb183d64"
)

var vectorTime = time.Unix(1750000000, 0)

func verify(header, body string, now time.Time) (provider.WebhookEvent, error) {
	return NewVerifier(vectorSecret).Verify(http.Header{"Stripe-Signature": {header}}, []byte(body), now)
}

func TestWebhookVector(t *testing.T) {
	want := provider.WebhookEvent{
		ID: "evt_lab_0001", Type: "payment_intent.amount_capturable_updated", Subject: "pi_lab_0001", At: vectorTime.UTC(),
	}
	for _, header := range []string{
		"t=1750000000,v1=" + vectorV1,
		"t=1750000000,v0=00,v1=" + strings.Repeat("0", 64) + ",v1=" + vectorV1,
	} {
		for _, now := range []time.Time{vectorTime, vectorTime.Add(5 * time.Minute), vectorTime.Add(-5 * time.Minute)} {
			if got, err := verify(header, vectorBody, now); err != nil || got != want {
				t.Errorf("%s at %v: %+v, %v", header, now, got, err)
			}
		}
	}
}

func TestForgedStaleAndAlteredNoticesAreRefused(t *testing.T) {
	good := "t=1750000000,v1=" + vectorV1
	cases := map[string]struct {
		header, body string
		now          time.Time
	}{
		"stale":         {good, vectorBody, vectorTime.Add(5*time.Minute + time.Second)},
		"of the future": {good, vectorBody, vectorTime.Add(-5*time.Minute - time.Second)},
		"far future":    {"t=9223372036854775807,v1=" + strings.Repeat("0", 64), vectorBody, vectorTime},
		"altered body":  {good, strings.Replace(vectorBody, "10000", "90000", 1), vectorTime},
		"altered time":  {"t=1750000001,v1=" + vectorV1, vectorBody, vectorTime},
		"other scheme":  {"t=1750000000,v0=" + vectorV1, vectorBody, vectorTime},
		"no signature":  {"t=1750000000", vectorBody, vectorTime},
		"no time":       {"v1=" + vectorV1, vectorBody, vectorTime},
		"no header":     {"", vectorBody, vectorTime},
		"not hex":       {"t=1750000000,v1=" + strings.Repeat("z", 64), vectorBody, vectorTime},
		"short":         {"t=1750000000,v1=" + vectorV1[:62], vectorBody, vectorTime},
		"two times":     {good + ",t=1850000000", vectorBody, time.Unix(1850000000, 0)},
		"signed, empty": {"t=1,v1=" + strings.Repeat("0", 64), "", time.Unix(1, 0)},
	}
	for name, c := range cases {
		if _, err := verify(c.header, c.body, c.now); !errors.Is(err, provider.ErrBadSignature) {
			t.Errorf("%s: %v", name, err)
		}
	}
	header := http.Header{"Stripe-Signature": {good}}
	if _, err := NewVerifier("").Verify(header, []byte(vectorBody), vectorTime); !errors.Is(err, provider.ErrBadSignature) {
		t.Errorf("without a secret: %v", err)
	}
}

// What the SDK signs is accepted, and the subject is found in each object.
func TestNoticesNameWhatTheyAreAbout(t *testing.T) {
	cases := []struct{ object, subject, order string }{
		{`{"id":"pi_1","object":"payment_intent","metadata":{"order_id":"ord1"}}`, "pi_1", "ord1"},
		{`{"id":"cs_1","object":"checkout.session","client_reference_id":"ord1","payment_intent":null}`, "cs_1", "ord1"},
		{`{"id":"cs_1","object":"checkout.session","client_reference_id":"ord1","payment_intent":"pi_1"}`, "pi_1", "ord1"},
		{`{"id":"ch_1","object":"charge","payment_intent":{"id":"pi_1"},"metadata":{"order_id":"ord1"}}`, "pi_1", "ord1"},
		{`{"id":"dp_1","object":"dispute","payment_intent":"pi_1"}`, "pi_1", ""},
	}
	for _, c := range cases {
		body := `{"id":"evt_1","object":"event","type":"x","created":1750000000,"data":{"object":` + c.object + `}}`
		signed := webhook.GenerateTestSignedPayload(&webhook.UnsignedPayload{
			Payload: []byte(body), Secret: vectorSecret, Timestamp: vectorTime,
		})
		got, err := verify(signed.Header, body, vectorTime)
		if err != nil || got.Subject != c.subject || got.OrderID != c.order {
			t.Errorf("%s: %+v, %v", c.object, got, err)
		}
	}
	for _, body := range []string{"", "[]", `{"id":"evt_1"}`, `{"object":"event","type":"x"}`} {
		signed := webhook.GenerateTestSignedPayload(&webhook.UnsignedPayload{Payload: []byte(body), Secret: vectorSecret, Timestamp: vectorTime})
		if _, err := verify(signed.Header, body, vectorTime); provider.ClassOf(err) != provider.Refused {
			t.Errorf("%q: %v", body, err)
		}
	}
}

// The webhook of a held card shows the payment; one that we would not capture, or cannot
// parse reliably, is left to a read.
func TestNoticeOfAHeldCardShowsThePayment(t *testing.T) {
	const charge = `{"id":"ch_1","object":"charge","amount":10000,"amount_captured":0,"captured":false,"currency":"usd","status":"succeeded","refunded":false,"payment_intent":"pi_1",` +
		`"metadata":{"order_id":"ord1"},"payment_method_details":{"type":"card","card":{"amount_authorized":10000,"brand":"visa","last4":"4242","fingerprint":"f1","capture_before":1750600000}}}`
	const whole = `{"id":"evt_1","object":"event","api_version":"2026-03-25.dahlia","type":"charge.succeeded","created":1750000000,"data":{"object":` + charge + `}}`
	read := func(body string) *provider.Payment {
		signed := webhook.GenerateTestSignedPayload(&webhook.UnsignedPayload{Payload: []byte(body), Secret: vectorSecret, Timestamp: vectorTime})
		got, err := verify(signed.Header, body, vectorTime)
		require.NoError(t, err)
		require.Equal(t, "ord1", got.OrderID)
		return got.Held
	}
	require.Equal(t, &provider.Payment{ID: "pi_1", Status: provider.PaymentAuthorised, Amount: money.FromInt(10000), Capturable: money.FromInt(10000), Refunded: money.FromInt(0),
		CardBrand: "visa", CardLast4: "4242", CardFingerprint: "f1", CaptureBefore: time.Unix(1750600000, 0).UTC()}, read(whole))
	for name, change := range map[string][2]string{
		"captured at once":   {`"captured":false`, `"captured":true`},
		"another version":    {"2026-03-25.dahlia", "2024-01-01"},
		"another currency":   {`"usd"`, `"eur"`},
		"a part of it":       {`"amount_authorized":10000`, `"amount_authorized":9999`},
		"not yet":            {`"succeeded","refunded"`, `"pending","refunded"`},
		"given back":         {`"refunded":false`, `"refunded":true`},
		"without an intent":  {`"payment_intent":"pi_1"`, `"payment_intent":null`},
		"without a card":     {`"card":{`, `"cash":{`},
		"without its end":    {`"capture_before":1750600000`, `"capture_before":null`},
		"of another type":    {"charge.succeeded", "charge.updated"},
		"with other figures": {`"amount":10000`, `"amount":"x"`},
	} {
		require.Contains(t, whole, change[0])
		require.Nil(t, read(strings.Replace(whole, change[0], change[1], 1)), name)
	}
}
