package activities

import (
	"context"
	"errors"
	"fmt"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models/order"
)

// EndPayment makes sure that the order cannot be paid any more, and ends it: the page is
// closed, a hold on a card released. At a deadline, a card that was authorised just in time
// keeps the order open instead.
func (a *Payments) EndPayment(ctx context.Context, in Ending) (order.OrderState, error) {
	job, err := order.StartClosing(ctx, a.DB, in.OrderID, in.unpaid())
	if err != nil || job.Done {
		return afterOrder(ctx, a.DB, in.OrderID, err)
	}
	payment, err := a.closePage(ctx, in.OrderID, job)
	if err != nil {
		return order.OrderState{}, err
	}
	if payment != nil && in.How == order.ResolutionExpired && payment.Status == provider.PaymentAuthorised {
		return a.ReadPayment(ctx, in.OrderID)
	}
	if payment != nil {
		left, err := a.release(ctx, in.OrderID, *payment, job.Key)
		if err != nil {
			return order.OrderState{}, err
		}
		if left.Status == provider.PaymentCaptured && (left.Received.Cmp(left.Amount) >= 0 || left.Refunded.Cmp(left.Amount) < 0) {
			return a.endedPaid(ctx, in, left)
		}
	}
	return afterOrder(ctx, a.DB, in.OrderID, order.EndUnpaid(ctx, a.DB, in.OrderID, in.unpaid()))
}

// endedPaid is for an order that was to end unpaid although its money was captured: by a
// capture of unknown outcome, or at the card processor itself. It is paid, and the workflow
// that was to end it reads that.
func (a *Payments) endedPaid(ctx context.Context, in Ending, payment provider.Payment) (order.OrderState, error) {
	err := order.Captured(ctx, a.DB, in.OrderID, "", readingOf(payment))
	if err == nil && in.DecisionID != "" {
		err = Failure{Class: Refused, Code: "already_captured"}.Error()
	}
	return afterOrder(ctx, a.DB, in.OrderID, err)
}

// closePage closes the page, found by our identity when its answer was lost,
// and reads the payment that was made on it, if any.
func (a *Payments) closePage(ctx context.Context, orderID string, job order.PageJob) (*provider.Payment, error) {
	if job.PaymentID != "" {
		found, err := a.Cards.ReadPayment(ctx, job.PaymentID)
		if err != nil {
			return nil, unsure(err)
		}
		return &found, nil
	}
	if job.CheckoutID == "" && job.StartedAt != nil {
		page, err := a.Cards.FindCheckout(ctx, orderID, job.Generation, *job.StartedAt)
		if err != nil && !errors.Is(err, provider.ErrNotFound) {
			return nil, unsure(err)
		}
		job.CheckoutID = page.ID
	}
	if job.CheckoutID == "" {
		return nil, nil
	}
	closing := a.Cards.ExpireCheckout(ctx, job.CheckoutID)
	if closing != nil && provider.ClassOf(closing) != provider.Refused {
		return nil, closing
	}
	page, err := a.Cards.ReadCheckout(ctx, job.CheckoutID)
	if err != nil {
		return nil, unsure(err)
	}
	if page.Status == provider.CheckoutOpen {
		return nil, unsure(firstOf(closing, fmt.Errorf("page still open")))
	}
	return page.Payment, nil
}

func firstOf(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// release releases a hold, and returns the payment's state after it: one that was captured
// has no hold to release. Whatever the answer, the payment's own state decides. A failure
// that Stripe keeps under the key gets another key.
func (a *Payments) release(ctx context.Context, orderID string, payment provider.Payment, key string) (provider.Payment, error) {
	if payment.Status == provider.PaymentCancelled {
		return payment, nil
	}
	released, failed := a.Cards.CancelPayment(ctx, payment.ID, key)
	if failed != nil {
		found, err := a.Cards.ReadPayment(ctx, payment.ID)
		if err != nil {
			return released, unsure(failed)
		}
		released = found
	}
	switch {
	case released.Status == provider.PaymentCancelled || released.Status == provider.PaymentCaptured:
		return released, nil
	case failed == nil:
		return released, Failure{Class: Unknown, Code: "not_released"}.Error()
	case stored(failed):
		if err := order.NextCancel(ctx, a.DB, orderID); err != nil {
			return released, err
		}
	}
	return released, failed
}

// Refund refunds captured money to the card and waits for its completion (providers §1.6):
// refunds are found by their sequence before they are requested again.
func (a *Payments) Refund(ctx context.Context, in Decided) (order.OrderState, error) {
	job, err := order.StartRefund(ctx, a.DB, in.OrderID, in.DecisionID)
	if err != nil || job.Done {
		return afterOrder(ctx, a.DB, in.OrderID, err)
	}
	refund, err := a.findOrRefund(ctx, in.OrderID, job)
	if err != nil {
		return order.OrderState{}, err
	}
	err = order.RecordRefund(ctx, a.DB, in.OrderID, job.Refund.Sequence, refund.ID, string(refund.Status), in.DecisionID)
	if err == nil && refund.Status == provider.RefundPending {
		err = notYet("refund_pending")
	}
	return afterOrder(ctx, a.DB, in.OrderID, err)
}

func (a *Payments) findOrRefund(ctx context.Context, orderID string, job order.RefundJob) (provider.Refund, error) {
	if job.SentBefore {
		found, err := a.Cards.FindRefund(ctx, job.PaymentID, orderID, job.Refund.Sequence)
		if err == nil {
			return a.sameRefund(ctx, orderID, job, found)
		}
		if !errors.Is(err, provider.ErrNotFound) {
			return found, unsure(err)
		}
	}
	given, err := a.Cards.Refund(ctx, provider.RefundInput{PaymentID: job.PaymentID, OrderID: orderID, Key: job.Refund.Key,
		Sequence: job.Refund.Sequence, Amount: job.Refund.Amount})
	var said *provider.Error
	if errors.As(err, &said) && said.Code == "charge_already_refunded" {
		// All of it was refunded at Stripe itself, unless the refund was ours.
		found, lookup := a.Cards.FindRefund(ctx, job.PaymentID, orderID, job.Refund.Sequence)
		if lookup == nil {
			return found, nil
		}
		if !errors.Is(lookup, provider.ErrNotFound) {
			return found, unsure(lookup)
		}
		said.Class = provider.Refused
	}
	if job.SentBefore && stored(err) {
		return a.pastStored(ctx, orderID, job, err)
	}
	if err != nil {
		return given, a.refused(ctx, orderID, job, err)
	}
	return given, nil
}

// sameRefund refuses one under our number with another amount: it was made after the backup
// from which this database was restored, and staff have to review it before more is
// refunded.
func (a *Payments) sameRefund(ctx context.Context, orderID string, job order.RefundJob, found provider.Refund) (provider.Refund, error) {
	if found.Amount.Cmp(job.Refund.Amount) == 0 {
		return found, nil
	}
	if err := order.RecordElsewhere(ctx, a.DB, orderID, order.CardRefundReading{ID: found.ID, Status: string(found.Status), Amount: found.Amount}); err != nil {
		return found, err
	}
	return found, a.refused(ctx, orderID, job, &provider.Error{Class: provider.Refused, Code: "given_before_restore"})
}

// pastStored is for a refund that was sent again under its key and met a failure
// which Stripe keeps there. Its lists show every refund at once, so one that is
// not found before and after was not made: the next try gets another key.
func (a *Payments) pastStored(ctx context.Context, orderID string, job order.RefundJob, failed error) (provider.Refund, error) {
	found, err := a.Cards.FindRefund(ctx, job.PaymentID, orderID, job.Refund.Sequence)
	if err == nil {
		return found, nil
	}
	if !errors.Is(err, provider.ErrNotFound) {
		return provider.Refund{}, unsure(failed)
	}
	return provider.Refund{}, firstOf(order.NextRefundKey(ctx, a.DB, orderID, job.Refund.Sequence), failed)
}
