package stripe_test

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	stripego "github.com/stripe/stripe-go/v85"
)

// TestCheckoutLife walks the way of an order: page, decline, another card,
// 3-D Secure, hold, capture, partial refund.
func TestCheckoutLife(t *testing.T) {
	tn := start(t)
	ctx := context.Background()
	cs := tn.page("ord-life")
	require.Equal(t, stripego.CheckoutSessionStatusOpen, cs.Status)
	require.Nil(t, cs.PaymentIntent)
	status, body := tn.get("/pay/" + cs.ID)
	require.Equal(t, 200, status)
	require.Contains(t, body, "Simulation")
	require.Contains(t, body, "no real card is charged")
	require.Contains(t, body, "$103.50")

	status, _, body = tn.submit("/pay/"+cs.ID, card("4111 1111 1111 1111"))
	require.Equal(t, 422, status)
	require.Contains(t, body, "one of the listed test cards")
	require.NotContains(t, body, "4111")

	status, next, _ := tn.submit("/pay/"+cs.ID, card("4000000000009995"))
	require.Equal(t, 303, status)
	require.Equal(t, "/pay/"+cs.ID, next)
	_, body = tn.get(next)
	require.Contains(t, body, "Your card has insufficient funds.")
	tn.awaitWebhooks("payment_intent.payment_failed")

	_, next, _ = tn.submit("/pay/"+cs.ID, card("4000000000003220"))
	require.Equal(t, "/pay/"+cs.ID+"/authenticate", next)
	_, next, _ = tn.submit(next, url.Values{"result": {"fail"}})
	_, body = tn.get(next)
	require.Contains(t, body, "unable to authenticate")
	_, next, _ = tn.submit("/pay/"+cs.ID, card("4000000000003220"))
	_, next, _ = tn.submit(next, url.Values{"result": {"complete"}})
	require.Equal(t, "http://localhost:8080/orders/1?session="+cs.ID, next)

	cs, err := tn.stripe.V1CheckoutSessions.Retrieve(ctx, cs.ID, &stripego.CheckoutSessionRetrieveParams{Expand: []*string{stripego.String("payment_intent.latest_charge")}})
	require.NoError(t, err)
	require.Equal(t, stripego.CheckoutSessionStatusComplete, cs.Status)
	require.Equal(t, stripego.CheckoutSessionPaymentStatusUnpaid, cs.PaymentStatus)
	require.Empty(t, cs.URL)
	pi := cs.PaymentIntent
	require.Equal(t, int64(10350), pi.AmountCapturable)
	require.Equal(t, "ord-life", pi.Metadata["order_id"])
	details := pi.LatestCharge.PaymentMethodDetails.Card
	require.Equal(t, "3220", details.Last4)
	require.Equal(t, "visa", string(details.Brand))
	require.InDelta(t, tn.world.Clock.Now().Add(7*24*time.Hour).Unix(), details.CaptureBefore, 30)
	tn.awaitWebhooks("checkout.session.completed")
	tn.awaitWebhooks("payment_intent.amount_capturable_updated")

	pi, err = tn.stripe.V1PaymentIntents.Capture(ctx, pi.ID, nil)
	require.NoError(t, err)
	require.Equal(t, stripego.PaymentIntentStatusSucceeded, pi.Status)
	require.Equal(t, int64(10350), pi.AmountReceived)
	_, err = tn.stripe.V1PaymentIntents.Capture(ctx, pi.ID, nil)
	status, reason := code(err)
	require.Equal(t, 400, status)
	require.Equal(t, "payment_intent_unexpected_state", reason)
	_, err = tn.stripe.V1PaymentIntents.Cancel(ctx, pi.ID, nil)
	_, reason = code(err)
	require.Equal(t, "payment_intent_unexpected_state", reason)

	re, err := tn.stripe.V1Refunds.Create(ctx, &stripego.RefundCreateParams{PaymentIntent: &pi.ID, Amount: stripego.Int64(350), Metadata: map[string]string{"refund_seq": "1"}})
	require.NoError(t, err)
	require.Equal(t, stripego.RefundStatusPending, re.Status)
	require.NoError(t, tn.world.Clock.Advance(5*time.Second))
	re, err = tn.stripe.V1Refunds.Retrieve(ctx, re.ID, nil)
	require.NoError(t, err)
	require.Equal(t, stripego.RefundStatusSucceeded, re.Status)
	tn.awaitWebhooks("charge.refund.updated")

	balance, err := tn.stripe.V1Balance.Retrieve(ctx, nil)
	require.NoError(t, err)
	require.Equal(t, int64(10000), balance.Available[0].Amount)
	require.Equal(t, []int{1, 1, 1, 0}, []int{tn.effects("authorise", "ord-life"), tn.effects("capture", "ord-life"), tn.effects("refund", "ord-life"), tn.effects("cancel", "ord-life")})
}

// TestExpiries: a page ends at its expires_at and a hold after seven days, by
// the simulated clock.
func TestExpiries(t *testing.T) {
	tn := start(t)
	ctx := context.Background()
	held := tn.authorised("ord-held")
	params := checkoutParams("ord-page")
	params.ExpiresAt = stripego.Int64(tn.world.Clock.Now().Add(30 * time.Minute).Unix())
	cs, err := tn.stripe.V1CheckoutSessions.Create(ctx, params)
	require.NoError(t, err)
	for _, life := range []time.Duration{20 * time.Minute, 25 * time.Hour} {
		wrong := checkoutParams("ord-wrong")
		wrong.ExpiresAt = stripego.Int64(tn.world.Clock.Now().Add(life).Unix())
		_, err = tn.stripe.V1CheckoutSessions.Create(ctx, wrong)
		status, _ := code(err)
		require.Equal(t, 400, status, "%s", life)
	}

	require.NoError(t, tn.world.Clock.Advance(31*time.Minute))
	cs, err = tn.stripe.V1CheckoutSessions.Retrieve(ctx, cs.ID, nil)
	require.NoError(t, err)
	require.Equal(t, stripego.CheckoutSessionStatusExpired, cs.Status)
	tn.awaitWebhooks("checkout.session.expired")
	status, _, _ := tn.submit("/pay/"+cs.ID, card("4242424242424242"))
	require.Equal(t, 410, status)

	require.NoError(t, tn.world.Clock.Advance(6*24*time.Hour))
	pi, err := tn.stripe.V1PaymentIntents.Retrieve(ctx, held.ID, nil)
	require.NoError(t, err)
	require.Equal(t, stripego.PaymentIntentStatusRequiresCapture, pi.Status)
	require.NoError(t, tn.world.Clock.Advance(25*time.Hour))
	pi, err = tn.stripe.V1PaymentIntents.Retrieve(ctx, held.ID, nil)
	require.NoError(t, err)
	require.Equal(t, stripego.PaymentIntentStatusCanceled, pi.Status)
	require.Zero(t, pi.AmountCapturable)
	tn.awaitWebhooks("charge.expired")
	tn.awaitWebhooks("payment_intent.canceled")
}

// TestClosingPages: an open page's payment is out of our reach until the page
// is expired; after completion a cancel releases the hold.
func TestClosingPages(t *testing.T) {
	tn := start(t)
	ctx := context.Background()
	cs := tn.page("ord-close")
	tn.submit("/pay/"+cs.ID, card("4000000000000002"))
	cs, err := tn.stripe.V1CheckoutSessions.Retrieve(ctx, cs.ID, nil)
	require.NoError(t, err)
	_, err = tn.stripe.V1PaymentIntents.Cancel(ctx, cs.PaymentIntent.ID, nil)
	_, reason := code(err)
	require.Equal(t, "payment_intent_unexpected_state", reason)
	cs, err = tn.stripe.V1CheckoutSessions.Expire(ctx, cs.ID, nil)
	require.NoError(t, err)
	require.Equal(t, stripego.CheckoutSessionStatusExpired, cs.Status)
	_, err = tn.stripe.V1CheckoutSessions.Expire(ctx, cs.ID, nil)
	status, _ := code(err)
	require.Equal(t, 400, status)

	pi := tn.authorised("ord-release")
	pi, err = tn.stripe.V1PaymentIntents.Cancel(ctx, pi.ID, &stripego.PaymentIntentCancelParams{CancellationReason: stripego.String("requested_by_customer")})
	require.NoError(t, err)
	require.Equal(t, stripego.PaymentIntentStatusCanceled, pi.Status)
	require.Equal(t, 1, tn.effects("cancel", "ord-release"))
}

// TestTestCards confirms a PaymentIntent with every published method.
func TestTestCards(t *testing.T) {
	tn := start(t)
	ctx := context.Background()
	for method, want := range map[string]string{
		"pm_card_visa": "requires_capture", "pm_card_mastercard": "requires_capture", "pm_card_amex": "requires_capture", "pm_card_discover": "requires_capture",
		"pm_card_authenticationRequired": "requires_action", "pm_card_threeDSecure2Required": "requires_action",
		"pm_card_visa_chargeDeclined": "generic_decline", "pm_card_visa_chargeDeclinedInsufficientFunds": "insufficient_funds",
		"pm_card_visa_chargeDeclinedLostCard": "lost_card", "pm_card_visa_chargeDeclinedStolenCard": "stolen_card",
		"pm_card_chargeDeclinedExpiredCard": "expired_card", "pm_card_chargeDeclinedIncorrectCvc": "incorrect_cvc",
		"pm_card_chargeDeclinedProcessingError": "processing_error", "pm_card_visa_chargeDeclinedVelocityLimitExceeded": "card_velocity_exceeded",
	} {
		pi, err := tn.stripe.V1PaymentIntents.Create(ctx, &stripego.PaymentIntentCreateParams{
			Amount: stripego.Int64(5000), Currency: stripego.String("usd"), CaptureMethod: stripego.String("manual"), Metadata: map[string]string{"order_id": method},
		})
		require.NoError(t, err)
		confirmed, err := tn.stripe.V1PaymentIntents.Confirm(ctx, pi.ID, &stripego.PaymentIntentConfirmParams{PaymentMethod: stripego.String(method), ReturnURL: stripego.String("http://localhost:8080/")})
		if strings.HasPrefix(want, "requires_") {
			require.NoError(t, err, method)
			require.Equal(t, want, string(confirmed.Status), method)
			continue
		}
		var problem *stripego.Error
		require.ErrorAs(t, err, &problem, method)
		require.Equal(t, 402, problem.HTTPStatusCode)
		require.Equal(t, stripego.ErrorTypeCard, problem.Type)
		require.Equal(t, want, string(problem.DeclineCode), method)
		require.Equal(t, "requires_payment_method", string(problem.PaymentIntent.Status))
		require.NotEmpty(t, problem.ChargeID)
		require.Zero(t, tn.effects("authorise", method))
	}
}

// TestPartialCapture releases what is not captured.
func TestPartialCapture(t *testing.T) {
	tn := start(t)
	ctx := context.Background()
	pi := tn.authorised("ord-part")
	_, err := tn.stripe.V1PaymentIntents.Capture(ctx, pi.ID, &stripego.PaymentIntentCaptureParams{AmountToCapture: stripego.Int64(20000)})
	status, reason := code(err)
	require.Equal(t, 400, status)
	require.Equal(t, "amount_too_large", reason)
	pi, err = tn.stripe.V1PaymentIntents.Capture(ctx, pi.ID, &stripego.PaymentIntentCaptureParams{AmountToCapture: stripego.Int64(10000)})
	require.NoError(t, err)
	require.Equal(t, int64(10000), pi.AmountReceived)
	_, err = tn.stripe.V1Refunds.Create(ctx, &stripego.RefundCreateParams{PaymentIntent: &pi.ID, Amount: stripego.Int64(10001)})
	require.Error(t, err)
	_, err = tn.stripe.V1Refunds.Create(ctx, &stripego.RefundCreateParams{PaymentIntent: &pi.ID})
	require.NoError(t, err)
	_, err = tn.stripe.V1Refunds.Create(ctx, &stripego.RefundCreateParams{PaymentIntent: &pi.ID})
	_, reason = code(err)
	require.Equal(t, "charge_already_refunded", reason)
}

// The bank returns the money of a dispute that we lost when its cardholder withdraws it, once.
func TestLostDisputeIsReinstated(t *testing.T) {
	tn := start(t)
	ctx := context.Background()
	pi, err := tn.stripe.V1PaymentIntents.Capture(ctx, tn.authorised("ord-reinstated").ID, nil)
	require.NoError(t, err)
	tn.submit("/control/stripe/dispute", url.Values{"charge": {pi.LatestCharge.ID}})
	var dispute string
	for dp, err := range tn.stripe.V1Disputes.List(ctx, &stripego.DisputeListParams{PaymentIntent: &pi.ID}).All(ctx) {
		require.NoError(t, err)
		dispute = dp.ID
	}
	reinstate := func() int {
		status, _, _ := tn.submit("/control/stripe/dispute/reinstate", url.Values{"dispute": {dispute}})
		return status
	}
	require.NotEqual(t, 200, reinstate(), "it is open")
	tn.submit("/control/stripe/dispute/decide", url.Values{"dispute": {dispute}, "outcome": {"lost"}})
	require.Equal(t, 200, reinstate())
	tn.awaitWebhooks("charge.dispute.funds_reinstated")
	require.NotEqual(t, 200, reinstate(), "once")
	lost, err := tn.stripe.V1Disputes.Retrieve(ctx, dispute, nil)
	require.NoError(t, err)
	require.Equal(t, stripego.DisputeStatusLost, lost.Status)
	require.Len(t, lost.BalanceTransactions, 2)
	require.Equal(t, int64(10350), lost.BalanceTransactions[1].Amount)
}

// TestDispute: the bank withdraws the money, Stripe its fee, and the bank returns the money
// when we win. Then it can be refunded, also at Stripe itself.
func TestDispute(t *testing.T) {
	tn := start(t)
	ctx := context.Background()
	pi := tn.authorised("ord-dispute")
	pi, err := tn.stripe.V1PaymentIntents.Capture(ctx, pi.ID, nil)
	require.NoError(t, err)
	status, _, _ := tn.submit("/control/stripe/dispute", url.Values{"charge": {pi.LatestCharge.ID}})
	require.Equal(t, 200, status)
	tn.awaitWebhooks("charge.dispute.created")
	var open *stripego.Dispute
	for dp, err := range tn.stripe.V1Disputes.List(ctx, &stripego.DisputeListParams{PaymentIntent: &pi.ID}).All(ctx) {
		require.NoError(t, err)
		open = dp
	}
	require.Equal(t, stripego.DisputeStatusNeedsResponse, open.Status)
	tn.submit("/control/stripe/dispute/decide", url.Values{"dispute": {open.ID}, "outcome": {"won"}})
	tn.awaitWebhooks("charge.dispute.funds_reinstated")
	balance, err := tn.stripe.V1Balance.Retrieve(ctx, nil)
	require.NoError(t, err)
	require.Equal(t, int64(10350-1500), balance.Available[0].Amount)
	won, err := tn.stripe.V1Disputes.Retrieve(ctx, open.ID, nil)
	require.NoError(t, err)
	require.Len(t, won.BalanceTransactions, 2)
	require.Equal(t, []int64{-10350, 1500, 10350, 0}, []int64{won.BalanceTransactions[0].Amount, won.BalanceTransactions[0].Fee,
		won.BalanceTransactions[1].Amount, won.BalanceTransactions[1].Fee})
	status, _, _ = tn.submit("/control/stripe/refund", url.Values{"charge": {pi.LatestCharge.ID}, "amount": {"350"}})
	require.Equal(t, 200, status)
	for re, err := range tn.stripe.V1Refunds.List(ctx, &stripego.RefundListParams{PaymentIntent: &pi.ID}).All(ctx) {
		require.NoError(t, err)
		require.Equal(t, int64(350), re.Amount)
		require.Empty(t, re.Metadata)
	}
}

// TestListsAndEvents pages through objects newest first.
func TestListsAndEvents(t *testing.T) {
	tn := start(t)
	ctx := context.Background()
	for _, order := range []string{"ord-1", "ord-2", "ord-3"} {
		tn.page(order)
	}
	orders := []string{}
	params := &stripego.CheckoutSessionListParams{CreatedRange: &stripego.RangeQueryParams{GreaterThanOrEqual: tn.world.Clock.Now().Add(-time.Hour).Unix()}}
	params.Limit = stripego.Int64(2)
	for cs, err := range tn.stripe.V1CheckoutSessions.List(ctx, params).All(ctx) {
		require.NoError(t, err)
		orders = append(orders, cs.ClientReferenceID)
	}
	require.Equal(t, []string{"ord-3", "ord-2", "ord-1"}, orders)
	tn.authorised("ord-4")
	for e, err := range tn.stripe.V1Events.List(ctx, &stripego.EventListParams{Type: stripego.String("payment_intent.created")}).All(ctx) {
		require.NoError(t, err)
		again, err := tn.stripe.V1Events.Retrieve(ctx, e.ID, nil)
		require.NoError(t, err)
		object := struct{ Metadata map[string]string }{}
		require.NoError(t, json.Unmarshal(again.Data.Raw, &object))
		require.Equal(t, "ord-4", object.Metadata["order_id"])
	}
}
