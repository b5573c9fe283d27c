package stripe

import (
	"context"
	"strconv"

	api "github.com/stripe/stripe-go/v85"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models/money"
)

// ReadPayment reads a payment with its charge.
func (c *Client) ReadPayment(ctx context.Context, paymentID string) (provider.Payment, error) {
	const operation = "read_payment"
	params := &api.PaymentIntentRetrieveParams{Expand: paymentExpansions()}
	intent, err := c.api.V1PaymentIntents.Retrieve(ctx, paymentID, params)
	if err != nil {
		return provider.Payment{}, c.readFailure(operation, err)
	}
	return c.payment(operation, intent)
}

// Capture captures amount of what is held and releases the rest.
func (c *Client) Capture(ctx context.Context, paymentID, key string, amount money.Units) (provider.Payment, error) {
	const operation = "capture"
	params := &api.PaymentIntentCaptureParams{AmountToCapture: cents(amount), Expand: paymentExpansions()}
	params.SetIdempotencyKey(key)
	intent, err := c.api.V1PaymentIntents.Capture(ctx, paymentID, params)
	if err != nil {
		return provider.Payment{}, c.fail(operation, err)
	}
	return c.payment(operation, intent)
}

// CancelPayment releases what is held. Our reason stays internal: Stripe receives that the
// purchase was abandoned.
func (c *Client) CancelPayment(ctx context.Context, paymentID, key string) (provider.Payment, error) {
	const operation = "cancel_payment"
	params := &api.PaymentIntentCancelParams{
		CancellationReason: api.String(string(api.PaymentIntentCancellationReasonAbandoned)),
		Expand:             paymentExpansions(),
	}
	params.SetIdempotencyKey(key)
	intent, err := c.api.V1PaymentIntents.Cancel(ctx, paymentID, params)
	if err != nil {
		return provider.Payment{}, c.fail(operation, err)
	}
	return c.payment(operation, intent)
}

func paymentExpansions() []*string {
	return []*string{api.String("latest_charge"), api.String("payment_method")}
}

// statuses maps Stripe's statuses of a payment to ours.
var statuses = map[api.PaymentIntentStatus]provider.PaymentStatus{
	api.PaymentIntentStatusRequiresPaymentMethod: provider.PaymentAwaiting,
	api.PaymentIntentStatusRequiresConfirmation:  provider.PaymentAwaiting,
	api.PaymentIntentStatusRequiresAction:        provider.PaymentAwaiting,
	api.PaymentIntentStatusProcessing:            provider.PaymentProcessing,
	api.PaymentIntentStatusRequiresCapture:       provider.PaymentAuthorised,
	api.PaymentIntentStatusSucceeded:             provider.PaymentCaptured,
	api.PaymentIntentStatusCanceled:              provider.PaymentCancelled,
}

// payment converts Stripe's payment intent.
func (c *Client) payment(operation string, p *api.PaymentIntent) (provider.Payment, error) {
	status, known := statuses[p.Status]
	if !known || p.ID == "" {
		return provider.Payment{}, c.unreadable(operation, "payment status %q", p.Status)
	}
	if p.Currency != api.CurrencyUSD {
		return provider.Payment{}, c.unreadable(operation, "payment in %q", p.Currency)
	}
	out := provider.Payment{
		ID:         p.ID,
		Status:     status,
		Amount:     money.FromInt(p.Amount),
		Capturable: money.FromInt(p.AmountCapturable),
		Received:   money.FromInt(p.AmountReceived),
	}
	if p.LastPaymentError != nil {
		out.DeclineCode, out.DeclineCharge = declineCode(p.LastPaymentError), p.LastPaymentError.ChargeID
	}
	showCard(&out, p)
	out.Expired = holdExpired(p, out)
	return out, nil
}

func declineCode(e *api.Error) string {
	if e.DeclineCode != "" {
		return string(e.DeclineCode)
	}
	return string(e.Code)
}

// showCard fills in what screens show of the card: from the charge, or before
// there is one from the payment method.
func showCard(out *provider.Payment, p *api.PaymentIntent) {
	if m := p.PaymentMethod; m != nil && m.Card != nil {
		out.CardBrand, out.CardLast4, out.CardFingerprint = string(m.Card.Brand), m.Card.Last4, m.Card.Fingerprint
	}
	charge := p.LatestCharge
	if charge == nil {
		return
	}
	out.Refunded = money.FromInt(charge.AmountRefunded)
	if d := charge.PaymentMethodDetails; d != nil && d.Card != nil {
		out.CardBrand, out.CardLast4, out.CardFingerprint = string(d.Card.Brand), d.Card.Last4, d.Card.Fingerprint
		out.CaptureBefore = unixOrZero(d.Card.CaptureBefore)
	}
}

// holdExpired distinguishes a hold that expired from one that was released. The reason Stripe
// gives for it is not documented, so its time counts as well.
func holdExpired(p *api.PaymentIntent, read provider.Payment) bool {
	if p.Status != api.PaymentIntentStatusCanceled {
		return false
	}
	switch p.CancellationReason {
	case api.PaymentIntentCancellationReasonAutomatic, api.PaymentIntentCancellationReasonExpired:
		return true
	case "":
		return !read.CaptureBefore.IsZero() && p.CanceledAt >= read.CaptureBefore.Unix()
	}
	return false
}

// Refund refunds part or all of a captured payment.
func (c *Client) Refund(ctx context.Context, in provider.RefundInput) (provider.Refund, error) {
	const operation = "refund"
	params := &api.RefundCreateParams{
		PaymentIntent: api.String(in.PaymentID),
		Amount:        cents(in.Amount),
		Metadata: map[string]string{
			metaOrder:     in.OrderID,
			metaRefundSeq: strconv.Itoa(in.Sequence),
		},
	}
	params.SetIdempotencyKey(in.Key)
	refund, err := c.api.V1Refunds.Create(ctx, params)
	if err != nil {
		return provider.Refund{}, c.fail(operation, err)
	}
	return c.refund(operation, refund)
}

// FindRefund searches the refunds of a payment.
func (c *Client) FindRefund(ctx context.Context, paymentID, orderID string, sequence int) (provider.Refund, error) {
	const operation = "find_refund"
	params := &api.RefundListParams{PaymentIntent: api.String(paymentID)}
	params.Limit = api.Int64(pageSize)
	for refund, err := range c.api.V1Refunds.List(ctx, params).All(ctx) {
		if err != nil {
			return provider.Refund{}, c.readFailure(operation, err)
		}
		if refund.Metadata[metaOrder] == orderID && refund.Metadata[metaRefundSeq] == strconv.Itoa(sequence) {
			return c.refund(operation, refund)
		}
	}
	return provider.Refund{}, provider.ErrNotFound
}

func (c *Client) refund(operation string, r *api.Refund) (provider.Refund, error) {
	if r.Currency != api.CurrencyUSD {
		return provider.Refund{}, c.unreadable(operation, "refund in %q", r.Currency)
	}
	out := provider.Refund{ID: r.ID, Amount: money.FromInt(r.Amount)}
	switch r.Status {
	case api.RefundStatusPending, api.RefundStatusRequiresAction:
		out.Status = provider.RefundPending
	case api.RefundStatusSucceeded:
		out.Status = provider.RefundSucceeded
	case api.RefundStatusFailed, api.RefundStatusCanceled:
		out.Status = provider.RefundFailed
	default:
		return provider.Refund{}, c.unreadable(operation, "refund status %q", r.Status)
	}
	return out, nil
}
