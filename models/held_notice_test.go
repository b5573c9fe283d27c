package models_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/webhook"
)

// notify stores a webhook that shows the order's card as authorised.
func (d *orderFixture) notify(id string, at time.Time, r order.PaymentReading) (done bool) {
	d.Helper()
	done, err := order.StoreAuthorisation(d.Context(), d.db, webhook.WebhookNotice{Provider: "stripe", EventID: id, Type: "charge.succeeded",
		Subject: r.PaymentID, Owner: webhook.Owner{OrderID: d.order.ID}, At: at}, &r)
	require.NoError(d, err)
	return done
}

func (d *orderFixture) count(query string, args ...any) (n int) {
	d.Helper()
	require.NoError(d, d.db.Pool().QueryRow(d.Context(), query, args...).Scan(&n))
	return n
}

func (d *orderFixture) authorised() bool {
	d.Helper()
	p, err := order.PaymentOf(d.Context(), d.db, d.order.ID)
	require.NoError(d, err)
	return p.AuthorisedAt != nil
}

// The webhook of an authorised card is applied as it is stored, once, and signals no workflow.
func TestWebhookOfAHeldCardIsApplied(t *testing.T) {
	d := openOrderFixture(t)
	d.take(pricing.MethodCard)
	for range 2 {
		require.True(t, d.notify("evt_1", time.Now(), d.reading(false)))
	}
	require.True(t, d.authorised())
	require.Equal(t, 1, d.count(`SELECT count(*) FROM order_events WHERE order_id = $1 AND kind = 'authorised'`, d.order.ID))
	require.True(t, d.notify("evt_2", time.Now().Add(-time.Hour), d.reading(false)), "an older one tells what is known")
	require.Zero(t, d.count(`SELECT count(*) FROM webhook_inbox WHERE handled_at IS NULL`))
}

// A webhook that is older than what was read, of another payment, or of less than the price changes nothing: it is
// left as a signal, or ignored when its order is over.
func TestWebhookOfAHeldCardWithoutNews(t *testing.T) {
	for name, test := range map[string]func(d *orderFixture) (at time.Time, r order.PaymentReading){
		"older than a reading": func(d *orderFixture) (time.Time, order.PaymentReading) {
			require.NoError(d, order.ApplyReading(d.Context(), d.db, d.order.ID, order.PaymentReading{PaymentID: "pi_1", Cancelled: true}, time.Now()))
			return time.Now().Add(-time.Second), d.reading(false)
		},
		"another payment": func(d *orderFixture) (time.Time, order.PaymentReading) {
			d.exec(`UPDATE payments SET stripe_payment_intent_id = 'pi_other' WHERE order_id = $1`, d.order.ID)
			return time.Now(), d.reading(false)
		},
		"less than the price": func(d *orderFixture) (time.Time, order.PaymentReading) {
			r := d.reading(false)
			r.Capturable = r.Capturable.Sub(money.FromInt(1))
			return time.Now(), r
		},
		"an order that is over": func(d *orderFixture) (time.Time, order.PaymentReading) {
			decision, err := d.decide(order.DecisionCancel, nil)
			require.NoError(d, err)
			require.NoError(d, order.EndUnpaid(d.Context(), d.db, d.order.ID, order.Unpaid{How: order.ResolutionCancelled, DecisionID: decision}))
			return time.Now(), d.reading(false)
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := openOrderFixture(t)
			d.take(pricing.MethodCard)
			at, r := test(d)
			before := d.now()
			require.Equal(t, before.Status != order.StatusPending, d.notify("evt_1", at, r))
			require.False(t, d.authorised())
			require.Equal(t, before.Status, d.now().Status)
			require.Equal(t, 1, d.count(`SELECT count(*) FROM webhook_inbox WHERE order_id = $1 AND (handled_at IS NULL) = $2`, d.order.ID, before.Status == order.StatusPending))
		})
	}
	d := openOrderFixture(t)
	for id, owner := range map[string]webhook.Owner{"evt_1": {}, "evt_2": {OrderID: store.NewID()}} {
		done, err := order.StoreAuthorisation(t.Context(), d.db, webhook.WebhookNotice{Provider: "stripe", EventID: id, Type: "charge.succeeded", Owner: owner, At: time.Now()}, &held)
		require.NoError(t, err, "an order that is not ours, or not yet")
		require.False(t, done)
	}
	require.Equal(t, 2, d.count(`SELECT count(*) FROM webhook_inbox`))
}
