package api

import (
	"bytes"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gocloud.dev/blob"

	accountapi "github.com/tradepost/tradepost/api/account"
	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/internal/secret"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/privacy"
	"github.com/tradepost/tradepost/models/reconciliation"
	"github.com/tradepost/tradepost/models/store"
)

// believed accepts every webhook as genuine.
type believed struct{ from string }

func (b believed) Verify(http.Header, []byte, time.Time) (provider.WebhookEvent, error) {
	return provider.WebhookEvent{ID: "evt-" + b.from, Type: "told", Subject: store.NewID()}, nil
}

// A genuine webhook is stored, once, and answered by the status that its provider counts as
// received.
func TestGenuineWebhooksAreStoredOnce(t *testing.T) {
	providers := []ledger.Provider{"stripe", "bitgo", "sumsub"}
	h := open(t, func(d *Dependencies) {
		for _, from := range providers {
			d.Webhooks[from] = believed{string(from)}
		}
	})
	for _, from := range append(providers, providers...) {
		h.visitor().post("/api/webhooks/"+string(from), `{}`).is(map[ledger.Provider]int{"stripe": 204, "bitgo": 200, "sumsub": 204}[from])
	}
	require.Equal(t, len(providers), one[int](h, `SELECT count(*) FROM webhook_inbox`))
}

// What a customer may choose about an order that waits is executed.
func TestACustomersChoicesAboutAWaitingOrderAreExecuted(t *testing.T) {
	h := open(t)
	v := h.customer()
	for choice, kind := range map[string]string{"keep": order.DecisionKeepOrder, "keep-trying": order.DecisionKeepTrying, "refund": order.DecisionRefundNow} {
		id := v.order("zelle")
		if choice == "keep" {
			h.exec(`UPDATE orders SET attention_reason = 'money_over', attention_since = clock_now(), choice_reason = 'money_over', choice_due_at = clock_now() + interval '3 days' WHERE id = $1`, id)
		} else {
			h.exec(`UPDATE orders SET status = 'failed', paid_at = clock_now(), failed_step = 'buy', fulfillment_code = 'order_rejected', choice_reason = 'failed', choice_due_at = clock_now() + interval '3 days' WHERE id = $1`, id)
		}
		v.post("/api/orders/"+id+"/"+choice, `{}`).is(http.StatusOK)
		require.Equal(t, kind, one[string](h, `SELECT kind FROM decisions WHERE order_id = $1`, id))
	}
}

// The export of a customer's data is decrypted with its own key, for its owner only.
func TestTheCopyOfOnesDataIsDownloaded(t *testing.T) {
	var files *blob.Bucket
	h := open(t, func(d *Dependencies) { files = d.Files })
	v := h.customer()
	var rights accountapi.AccountRights
	v.post("/api/account/data", "").is(http.StatusAccepted).read(&rights)
	v.follow(rights.Export.ID, v.mailedLink(rights.Export.ID)).is(http.StatusOK)
	key, content := bytes.Repeat([]byte("k"), 32), []byte("PK, a copy")
	export, _, err := privacy.ExportKey(t.Context(), h.db, rights.Export.ID, key)
	require.NoError(t, err)
	keys, err := secret.NewKeys(key)
	require.NoError(t, err)
	sealed, err := keys.Seal(export.Place(), content)
	require.NoError(t, err)
	require.NoError(t, files.WriteAll(t.Context(), export.FileKey, sealed, nil))
	require.NoError(t, privacy.ExportMade(t.Context(), h.db, export.ID, len(content)))
	require.Equal(t, content, v.get("/api/account/data/"+export.ID).is(http.StatusOK).body)
	h.customer().get("/api/account/data/" + export.ID).is(http.StatusNotFound)
}

// A dispute is contested once, and the bank decides.
func TestADisputeIsContestedOnce(t *testing.T) {
	h := open(t)
	v, admin := h.customer(), h.customer("admin")
	id := v.order("card")
	h.authorise(id)
	h.exec(`UPDATE orders SET status = 'payment_approved', paid_at = clock_now() WHERE id = $1`, id)
	amount := money.FromInt(one[int64](h, `SELECT total::bigint FROM orders WHERE id = $1`, id))
	_, err := order.RecordDispute(t.Context(), h.db, id, order.DisputeReading{ID: "dp_1", Status: order.DisputeOpen, Reason: "fraudulent", Amount: amount, Withdrawn: amount})
	require.NoError(t, err)
	path := "/api/admin/orders/" + id + "/dispute/contest"
	admin.post(path, `{"reason":"they have the coin"}`).is(http.StatusAccepted)
	require.Equal(t, http.StatusConflict, admin.post(path, `{"reason":"again"}`).status)
	require.Equal(t, "contest", one[string](h, `SELECT answer FROM disputes WHERE order_id = $1`, id))
}

// A move that left no trace is given up by a person who says why.
func TestAMoveWithoutATraceIsGivenUp(t *testing.T) {
	h := open(t)
	finance := h.customer("admin")
	move := store.NewID()
	h.exec(`INSERT INTO treasury_moves (id, reference, asset, network, amount, status, reason, decided_by, first_sent_at)
		VALUES ($1, 'TM-LOST-0001', 'BTC', 'bitcoin', 100, 'unknown', 'why', $2, clock_now())`, move, finance.userID)
	path := movesPath + "/" + move + "/resolve"
	finance.post(path, `{"outcome":"give_up","reason":" "}`).refused(http.StatusUnprocessableEntity, "required")
	finance.post(path, `{"outcome":"give_up","reason":"Kraken never had it"}`).is(http.StatusOK)
	require.Equal(t, "failed", one[string](h, `SELECT status FROM treasury_moves WHERE id = $1`, move))
}

// A break about a line that does not settle ends when a person expects nothing more of it.
func TestALineThatNeverSettlesIsEnded(t *testing.T) {
	h := open(t)
	now, err := h.db.Now(t.Context())
	require.NoError(t, err)
	_, err = reconciliation.TakeStatement(t.Context(), h.db, ledger.ProviderBitGo, reconciliation.Window{From: now, To: now}, []reconciliation.StatementLine{{ID: "lost", Kind: "transfer", Key: "transfer:lost",
		At: now, State: "removed", Network: "bitcoin", Moved: map[money.Currency]money.Units{money.BTC: {}}}})
	require.NoError(t, err)
	h.advance("408 hours")
	h.compared()
	id := one[string](h, `SELECT id::text FROM reconciliation_breaks WHERE closed_at IS NULL`)
	finance := h.customer("finance")
	path := "/api/admin/reconciliation/breaks/" + id + "/end"
	finance.post(path, `{"reason":"BitGo says that it is gone"}`).is(http.StatusOK)
	finance.post(path, `{"reason":"again"}`).refused(http.StatusConflict, "break_closed")
}
