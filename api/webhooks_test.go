package api

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	executionapi "github.com/tradepost/tradepost/api/execution"
	webhookapi "github.com/tradepost/tradepost/api/webhook"
	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/internal/provider/stripe"
	"github.com/tradepost/tradepost/internal/provider/stripe/events"
	"github.com/tradepost/tradepost/internal/provider/sumsub"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/webhook"
	"github.com/tradepost/tradepost/workflows"
)

// Stripe's webhooks about refunds and disputes cause a read at once, before the next poll;
// one without a change signals no workflow.
func TestStripesWebhooksSignalTheWorkflowTheyAreAbout(t *testing.T) {
	for kind, hook := range map[string]string{
		"charge.dispute.created": "o1 money", "charge.dispute.closed": "o1 money", "refund.updated": "o1 money",
		"charge.succeeded": "o1 " + workflows.PaymentChanged, "payment_intent.amount_capturable_updated": "",
	} {
		f := &flows{}
		notice := webhook.WebhookNotice{Of: ledger.Payments, Provider: "stripe", EventID: "evt_1", Type: kind, Owner: webhook.Owner{OrderID: "o1"}}
		due, err := (&webhookapi.Handlers{Workflows: f}).Signal(t.Context(), notice)
		require.NoError(t, err, kind)
		require.Equal(t, hook != "", due, kind)
		require.Equal(t, hook == "", webhookapi.Idle(notice), kind)
		if hook == "" {
			require.Empty(t, f.hints, kind)
			continue
		}
		require.Equal(t, []string{hook}, f.hints, kind)
	}
}

// BitGo does not know what a transfer is for: we do.
func TestBitGosWebhooksSignalTheVoucherTheyAreAbout(t *testing.T) {
	for owner, hook := range map[webhook.Owner]string{
		{RedemptionID: "r1"}: "voucher r1", {OrderID: "o1"}: "o1 " + workflows.TransferChanged,
	} {
		f := &flows{}
		due, err := (&webhookapi.Handlers{Workflows: f}).Signal(t.Context(), webhook.WebhookNotice{Of: ledger.Custody, Provider: "bitgo", EventID: "1", Type: "transfer", Owner: owner})
		require.NoError(t, err)
		require.True(t, due, "it stays open until it was acted on")
		require.Equal(t, []string{hook}, f.hints)
	}
}

// A late webhook about an order that is over is stored, and signals no workflow.
func TestANoticeAboutWhatIsOverIsKnownForOne(t *testing.T) {
	h := open(t)
	v := h.customer()
	id := v.order("domestic_wire")
	h.exec(`INSERT INTO withdrawals (id, order_id, user_id, generation, asset, network, address, amount, sequence_id, status)
		SELECT gen_random_uuid(), id, user_id, 1, asset, network, dest_address, amount, 'late-1', 'confirmed' FROM orders WHERE id = $1`, id)
	h.exec(`UPDATE withdrawals SET txid = 'f00d' WHERE order_id = $1`, id)
	var sent []executionapi.Withdrawal
	v.get("/api/withdrawals").is(http.StatusOK).read(&sent)
	reference := one[string](h, `SELECT reference FROM orders WHERE id = $1`, id)
	require.Equal(t, []string{reference, "https://explorer.example.com/f00d"}, []string{sent[0].Reference, *sent[0].ExplorerURL}, "its customer reads what it was for")
	show := func() webhook.Owner {
		owner, err := webhook.OwnerOfSubject(t.Context(), h.db, ledger.Custody, "late-1")
		require.NoError(t, err)
		return owner
	}
	require.Equal(t, webhook.Owner{OrderID: id}, show())
	h.exec(`UPDATE orders SET closed_at = clock_now() WHERE id = $1`, id)
	require.Equal(t, webhook.Owner{OrderID: id, Over: true}, show())
}

// The endpoint at Stripe is registered for what the product acts on, and for nothing
// that it only stores.
func TestRegisteredEventsAreThoseActedOn(t *testing.T) {
	for _, kind := range events.Acted {
		require.True(t, workflows.SignalsPayment(kind) || workflows.SignalsMoney(kind), kind)
	}
	for _, kind := range []string{"charge.succeeded", "payment_intent.payment_failed", "payment_intent.canceled", "charge.expired", "checkout.session.expired"} {
		require.Contains(t, events.Acted, kind)
	}
}

// A webhook that the previous secret signed is stored as such, which doctor reads.
func TestUseOfThePreviousWebhookSecretIsRecorded(t *testing.T) {
	h := open(t, func(d *Dependencies) {
		d.Webhooks["stripe"] = provider.Rotating{Current: stripe.NewVerifier(hookSecret), Earlier: stripe.NewVerifier("whsec_previous")}
	})
	for id, secret := range map[string]string{"evt_new": hookSecret, "evt_old": "whsec_previous"} {
		body := `{"id":"` + id + `","object":"event","type":"payment_intent.created","data":{"object":{"id":"pi_1","object":"payment_intent"}}}`
		headers := []string{"Content-Type", "application/json", "Stripe-Signature", stripe.SignedHeader(secret, []byte(body), time.Now()).Get("Stripe-Signature")}
		h.visitor().send(http.MethodPost, "/api/webhooks/stripe", body, headers...).is(http.StatusNoContent)
	}
	require.Equal(t, "evt_old", one[string](h, `SELECT string_agg(event_id, ' ') FROM webhook_inbox WHERE previous_secret`))
	used, err := webhook.PreviousUsed(t.Context(), h.db, ledger.ProviderStripe)
	require.NoError(t, err)
	require.NotNil(t, used)
}

// A genuine webhook with a text that no row can hold is refused as unreadable, and stores nothing.
func TestAWebhookThatNoRowCanHoldIsRefused(t *testing.T) {
	const otherHook = "secret of sumsub"
	h := open(t, func(d *Dependencies) {
		d.Webhooks["sumsub"] = sumsub.NewVerifier(otherHook)
		d.Webhooks[bitgoName] = believedAs{ID: "1", Type: "trans\x00fer", Subject: "s"}
	})
	post := func(from string, body []byte, signed http.Header) *answer {
		headers := []string{}
		for name := range signed {
			headers = append(headers, name, signed.Get(name))
		}
		return h.visitor().post("/api/webhooks/"+from, string(body), headers...)
	}
	for _, body := range []string{`{"type":"applicant\u0000Reviewed","externalUserId":"u","createdAtMs":"2026-01-01 00:00:00.000"}`,
		`{"type":"applicantReviewed","externalUserId":"u\u0000","createdAtMs":"2026-01-01 00:00:00.000"}`, `{"type":"t","externalUserId":"u","correlationId":"\u0000"}`} {
		post("sumsub", []byte(body), sumsub.SignedHeader(otherHook, []byte(body))).refused(http.StatusBadRequest, "unreadable_event")
	}
	post(bitgoName, []byte(`{}`), nil).refused(http.StatusBadRequest, "unreadable_event")
	body := []byte(`{"id":"evt_\u0000","type":"charge.succeeded","created":1,"data":{"object":{"id":"ch_1","object":"charge"}}}`)
	post("stripe", body, stripe.SignedHeader(hookSecret, body, time.Now())).refused(http.StatusBadRequest, "unreadable_event")
	require.Zero(t, one[int](h, `SELECT count(*) FROM webhook_inbox`))
}

const bitgoName = "bitgo"

// believedAs accepts every webhook as genuine, and reads this of it.
type believedAs provider.WebhookEvent

func (b believedAs) Verify(http.Header, []byte, time.Time) (provider.WebhookEvent, error) {
	return provider.WebhookEvent(b), nil
}
