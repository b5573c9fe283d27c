package activities

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
)

// Payments are the steps that speak to the card processor.
type Payments struct {
	DB    *store.DB
	Cards provider.Payments
	// PublicURL is the site's origin, to which customers return.
	PublicURL string
	Brand     string
}

// CreateCheckout makes the hosted payment page and puts its address on the row,
// never into a history (providers §1.12).
func (a *Payments) CreateCheckout(ctx context.Context, orderID string) (order.OrderState, error) {
	job, err := order.StartCheckout(ctx, a.DB, orderID, false)
	if err != nil || job.Needless {
		return afterOrder(ctx, a.DB, orderID, err)
	}
	if job.SentBefore {
		page, err := a.Cards.FindCheckout(ctx, orderID, job.Generation, job.StartedAt)
		if err == nil {
			return a.keepPage(ctx, orderID, job, page)
		}
		if !errors.Is(err, provider.ErrNotFound) {
			return order.OrderState{}, unsure(err)
		}
		if job.Stale {
			// It is too late to repeat the request, and no customer was given the address
			// of a page that it may have made.
			if job, err = order.StartCheckout(ctx, a.DB, orderID, true); err != nil {
				return order.OrderState{}, err
			}
		}
	}
	page, err := a.Cards.CreateCheckout(ctx, a.page(orderID, job))
	if err == nil {
		return a.keepPage(ctx, orderID, job, page)
	}
	if stored(err) || provider.ClassOf(err) == provider.Refused {
		// Stripe keeps this answer under the key: the next try needs another.
		if noted := order.NextCheckout(ctx, a.DB, orderID, job.Generation); noted != nil {
			return order.OrderState{}, noted
		}
	}
	return order.OrderState{}, err
}

func (a *Payments) page(orderID string, job order.CheckoutJob) provider.CheckoutInput {
	back := a.PublicURL + "/orders/" + orderID
	return provider.CheckoutInput{OrderID: orderID, Reference: job.Reference, Generation: job.Generation, Key: job.Key(orderID), Amount: job.Amount,
		Description: fmt.Sprintf("%s order %s: %s", a.Brand, job.Reference, job.Summary), CustomerEmail: job.Email,
		SuccessURL: back + "?paid=1", CancelURL: back, ExpiresAt: job.ExpiresAt}
}

func (a *Payments) keepPage(ctx context.Context, orderID string, job order.CheckoutJob, page provider.Checkout) (order.OrderState, error) {
	err := order.StoreCheckout(ctx, a.DB, orderID, job.Generation, page.ID, page.URL, page.ExpiresAt)
	return afterOrder(ctx, a.DB, orderID, err)
}

// ReadPayment reads the page and the payment behind it, and writes what is
// true: authorised, declined, expired, page expired.
func (a *Payments) ReadPayment(ctx context.Context, orderID string) (order.OrderState, error) {
	readAt, err := a.DB.Now(ctx)
	if err != nil {
		return order.OrderState{}, err
	}
	payment, err := order.PaymentOf(ctx, a.DB, orderID)
	if err != nil {
		return order.OrderState{}, err
	}
	var reading order.PaymentReading
	switch {
	case payment.StripePaymentIntentID != nil:
		found, err := a.Cards.ReadPayment(ctx, *payment.StripePaymentIntentID)
		if err != nil {
			return order.OrderState{}, err
		}
		reading = readingOf(found)
	case payment.CheckoutID != nil:
		page, err := a.Cards.ReadCheckout(ctx, *payment.CheckoutID)
		if err != nil {
			return order.OrderState{}, err
		}
		reading = pageReading(page)
	default:
		return order.ReadOrderState(ctx, a.DB, orderID)
	}
	return afterOrder(ctx, a.DB, orderID, order.ApplyReading(ctx, a.DB, orderID, reading, readAt))
}

func pageReading(page provider.Checkout) order.PaymentReading {
	var reading order.PaymentReading
	if page.Payment != nil {
		reading = readingOf(*page.Payment)
	}
	reading.PageExpired = page.Status == provider.CheckoutExpired
	return reading
}

func readingOf(p provider.Payment) order.PaymentReading {
	return order.PaymentReading{PaymentID: p.ID, Authorised: p.Status == provider.PaymentAuthorised, Captured: p.Status == provider.PaymentCaptured,
		Cancelled: p.Status == provider.PaymentCancelled, Capturable: p.Capturable, Received: p.Received, Refunded: p.Refunded, Brand: p.CardBrand, Last4: p.CardLast4, Fingerprint: p.CardFingerprint,
		CaptureBefore: p.CaptureBefore, DeclineCode: p.DeclineCode, DeclineCharge: p.DeclineCharge}
}

// Capture captures the authorised money (providers §1.6). Stripe guards it by the payment's
// state, so it cannot be captured twice.
func (a *Payments) Capture(ctx context.Context, in Decided) (order.OrderState, error) {
	job, err := order.StartCapture(ctx, a.DB, in.OrderID, in.DecisionID)
	if err != nil || job.Done {
		return afterOrder(ctx, a.DB, in.OrderID, err)
	}
	if job.SentBefore {
		found, err := a.Cards.ReadPayment(ctx, job.PaymentID)
		if err != nil {
			return order.OrderState{}, unsure(err)
		}
		if found.Status != provider.PaymentAuthorised {
			return a.captured(ctx, in, found)
		}
	}
	reading, err := a.Cards.Capture(ctx, job.PaymentID, job.Key, job.Amount)
	if err != nil {
		return a.afterFailedCapture(ctx, in, job, err)
	}
	return a.captured(ctx, in, reading)
}

// captured records Stripe's state of the payment.
func (a *Payments) captured(ctx context.Context, in Decided, p provider.Payment) (order.OrderState, error) {
	switch p.Status {
	case provider.PaymentCaptured:
		return afterOrder(ctx, a.DB, in.OrderID, order.Captured(ctx, a.DB, in.OrderID, in.DecisionID, readingOf(p)))
	case provider.PaymentCancelled:
		return afterOrder(ctx, a.DB, in.OrderID, order.HoldExpired(ctx, a.DB, in.OrderID, in.DecisionID))
	}
	return order.OrderState{}, Failure{Class: Unknown, Code: "capture_" + string(p.Status)}.Error()
}

// afterFailedCapture looks up the outcome of a capture that was answered with an error. A
// failure that Stripe keeps under the key gets another key, once the lookup has shown that
// nothing was captured.
func (a *Payments) afterFailedCapture(ctx context.Context, in Decided, job order.CaptureJob, failed error) (order.OrderState, error) {
	if provider.ClassOf(failed) == provider.Retry {
		return order.OrderState{}, failed
	}
	found, err := a.Cards.ReadPayment(ctx, job.PaymentID)
	if err != nil {
		return order.OrderState{}, unsure(failed)
	}
	if found.Status == provider.PaymentCaptured || found.Status == provider.PaymentCancelled {
		return a.captured(ctx, in, found)
	}
	if stored(failed) {
		if _, err := order.NextCapture(ctx, a.DB, in.OrderID); err != nil {
			return order.OrderState{}, err
		}
	}
	return order.OrderState{}, failed
}

// stored reports whether the processor keeps this failure under its key: an
// answer of its own, not a broken connection.
func stored(err error) bool {
	var said *provider.Error
	return errors.As(err, &said) && said.Class == provider.Unknown && (said.Code == "api_error" || strings.HasPrefix(said.Code, "http_5"))
}

// unsure is a lookup that failed, or a call whose lookup failed too: whatever the answer
// was, also a missing permission, an earlier attempt may have had an effect.
func unsure(failed error) error {
	var said *provider.Error
	if errors.As(failed, &said) {
		open := *said // with the provider's text, for the row and the log
		open.Class = provider.Unknown
		return &open
	}
	f := Failed(failed)
	f.Class = Unknown
	return f.Error()
}
