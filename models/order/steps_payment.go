package order

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/webhook"
)

// Payment is the order's payment, which is locked with it, as it was read or stored
// last.
func (c *OrderChange) Payment() (*Payment, error) {
	if c.paid.ID == "" {
		return nil, fmt.Errorf("order %s has no payment", c.Order.ID)
	}
	payment := c.paid
	return &payment, nil
}

func (c *OrderChange) savePayment(p *Payment) error {
	p.UpdatedAt = c.Now
	err := store.SaveChanged(c.Ctx, c.Tx, &c.paid, p, store.Means("payments_bank_reference", ledger.ErrReferenceUsed))
	c.paid = *p
	return err
}

// minCheckout is the shortest life Stripe gives a payment page, and slack is
// what we add for the way there.
const (
	minCheckout   = 30 * time.Minute
	checkoutSlack = time.Minute
)

// CheckoutJob is a payment page to be made.
type CheckoutJob struct {
	Needless   bool // there is a page already, or none is needed any more
	SentBefore bool // read before sending
	Stale      bool // too late to send the same request again
	Generation int
	StartedAt  time.Time
	ExpiresAt  time.Time
	Reference  string
	Amount     money.Units
	Summary    string
	Email      string
}

// Key is the identity of the page at Stripe.
func (j CheckoutJob) Key(orderID string) string {
	return fmt.Sprintf("ord:%s:checkout:%d", orderID, j.Generation)
}

// StartCheckout commits that a payment page is about to be requested. With next, the current generation is given up:
// the caller has found that no customer can have reached it.
func StartCheckout(ctx context.Context, db *store.DB, orderID string, next bool) (CheckoutJob, error) {
	var job CheckoutJob
	err := ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		p, err := c.Payment()
		if err != nil {
			return err
		}
		if c.Order.Status != StatusPending || p.AuthorisedAt != nil || p.CheckoutID != nil || !p.ByCard() {
			job.Needless = true
			return nil
		}
		first := p.CheckoutStartedAt == nil
		if job.SentBefore = !next && (!first || c.Order.RestoredAt != nil); first || !job.SentBefore {
			p.CheckoutGeneration++
			expires := c.Now.Add(minCheckout + checkoutSlack)
			if c.Order.PaymentDueAt.After(expires) {
				expires = c.Order.PaymentDueAt
			}
			since := execution.MaybeSince(c.Now, c.Order.CreatedAt, c.Order.RestoredAt)
			p.CheckoutStartedAt, p.CheckoutExpiresAt = &since, &expires
		}
		if err := c.savePayment(p); err != nil {
			return err
		}
		job.Stale = p.CheckoutExpiresAt.Sub(c.Now) < minCheckout
		job.Generation, job.StartedAt, job.ExpiresAt = p.CheckoutGeneration, *p.CheckoutStartedAt, *p.CheckoutExpiresAt
		job.Reference, job.Amount = c.Order.Reference, c.Order.Total
		job.Summary = c.Order.Asset.Format(c.Order.Amount) + " " + string(c.Order.Asset)
		return c.Tx.ORM(ctx).Raw("SELECT email FROM users WHERE id = ?", c.Order.UserID).Row().Scan(&job.Email)
	})
	return job, err
}

// NextCheckout gives up a generation to which the processor answered with a failure that it keeps. If a page was made
// all the same, its address is never shown.
func NextCheckout(ctx context.Context, db *store.DB, orderID string, generation int) error {
	return ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		p, err := c.Payment()
		if err != nil || p.CheckoutGeneration != generation || p.CheckoutID != nil {
			return err
		}
		p.CheckoutStartedAt, p.CheckoutExpiresAt = nil, nil
		return c.savePayment(p)
	})
}

// StoreCheckout keeps the page that was made. The price stays locked for the first page's life. A page that comes
// after the order's end is not kept, so its address is never shown.
func StoreCheckout(ctx context.Context, db *store.DB, orderID string, generation int, id, url string, expires time.Time) error {
	return ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		p, err := c.Payment()
		if err != nil || c.Order.Status != StatusPending || p.CheckoutGeneration != generation || p.CheckoutID != nil {
			return err
		}
		p.CheckoutID, p.CheckoutURL, p.CheckoutExpiresAt = &id, &url, &expires
		if generation == 1 && expires.After(c.Order.PaymentDueAt) {
			c.Order.PaymentDueAt, p.DueAt = expires, expires
		}
		if err := c.Continue(); err != nil {
			return err
		}
		if err := c.Event(casework.Event{Kind: "checkout_ready", Dedupe: fmt.Sprintf("checkout:%d", generation)}); err != nil {
			return err
		}
		return c.savePayment(p)
	})
}

// PaymentReading is what Stripe says of a page and the payment behind it.
type PaymentReading struct {
	PageExpired bool
	PaymentID   string // empty until a card was submitted
	Authorised  bool
	Captured    bool
	Cancelled   bool
	Capturable  money.Units
	Received    money.Units
	Refunded    money.Units // of what was received, at the processor itself
	Brand       string
	Last4       string
	Fingerprint string // the same for the same card; empty when Stripe did not say
	// CaptureBefore is when the hold ends; zero when Stripe did not say.
	CaptureBefore time.Time
	DeclineCode   string
	DeclineCharge string // id of the attempt that was declined; empty when it has none
}

// ApplyReading stores the reading of a card payment that is not captured yet. readAt is the database's time before
// Stripe was read: webhooks received by then are answered by this reading.
func ApplyReading(ctx context.Context, db *store.DB, orderID string, r PaymentReading, readAt time.Time) error {
	return ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		if err := webhook.CardRead(ctx, c.Tx, orderID, c.Now, readAt); err != nil {
			return err
		}
		if c.Order.Status != StatusPending {
			return nil
		}
		p, err := c.Payment()
		if err != nil {
			return err
		}
		p.ReadAt = &readAt
		if err := c.apply(r, p); err != nil || c.paid.ReadAt == p.ReadAt {
			return err
		}
		return c.savePayment(p)
	})
}

// StoreAuthorisation stores a webhook that itself shows an authorised payment, and applies it in the same
// transaction: a capture is guarded by the payment's own state at the provider. Where it proves nothing new, the
// webhook is left as a signal to read the payment.
func StoreAuthorisation(ctx context.Context, db *store.DB, notice webhook.WebhookNotice, held *PaymentReading) (done bool, err error) {
	if !store.IsID(notice.OrderID) {
		return webhook.StoreWebhook(ctx, db, notice)
	}
	err = ChangeOrder(ctx, db, notice.OrderID, func(c *OrderChange) (err error) {
		if notice.Idle, err = c.readingApplied(held, notice.At); err != nil {
			return err
		}
		done, err = webhook.StoreWebhook(ctx, c.Tx, notice)
		return err
	})
	if store.ReasonOf(err) == "not_found" {
		return webhook.StoreWebhook(ctx, db, notice)
	}
	return done, err
}

// readingApplied applies what a webhook made at a time shows of an authorised payment. It is false for what is left to a
// reading: the payment was read since, it is another than the order's, or it holds less than the price.
func (c *OrderChange) readingApplied(held *PaymentReading, at time.Time) (bool, error) {
	if c.Order.Status != StatusPending {
		return true, nil
	}
	p, err := c.Payment()
	if err != nil || p.StripePaymentIntentID != nil && *p.StripePaymentIntentID != held.PaymentID {
		return false, err
	}
	if p.ReadAt == nil || at.After(*p.ReadAt) {
		err = c.apply(*held, p)
	}
	return p.AuthorisedAt != nil, err
}

func (c *OrderChange) apply(r PaymentReading, p *Payment) error {
	whole := r.Capturable.Cmp(c.Order.Total) >= 0
	switch {
	case r.Captured && p.CaptureStartedAt == nil && r.Received.Cmp(c.Order.Total) >= 0:
		// It was captured at Stripe itself: the money is there.
		return c.capture(r, p, "")
	case r.Authorised && whole && p.AuthorisedAt == nil:
		return c.authorise(r, p)
	case r.Cancelled && p.AuthorisedAt != nil && p.CancelStartedAt == nil:
		return c.end(p, ResolutionExpired, casework.BySystem, "")
	case p.declinedAgain(r):
		p.DeclineCode, p.DeclineCharge = &r.DeclineCode, &r.DeclineCharge
		p.Declines++
		err := c.Event(casework.Event{Kind: "card_declined", Actor: casework.ByProvider, Data: map[string]any{"code": r.DeclineCode}, Dedupe: fmt.Sprintf("declined:%d", p.Declines)})
		return errors.Join(err, c.savePayment(p))
	case r.PageExpired && p.AuthorisedAt == nil:
		p.CheckoutID, p.CheckoutURL, p.CheckoutStartedAt, p.CheckoutExpiresAt = nil, nil, nil, nil
		return c.savePayment(p)
	}
	return nil
}

// declinedAgain reports whether a reading has a decline that is not counted yet: another
// attempt, whose code may be the same.
func (p *Payment) declinedAgain(r PaymentReading) bool {
	if r.DeclineCode == "" {
		return false
	}
	same := store.Text(p.DeclineCode) == r.DeclineCode
	return !same || p.DeclineCharge != nil && *p.DeclineCharge != r.DeclineCharge
}

func (c *OrderChange) authorise(r PaymentReading, p *Payment) error {
	p.card(r)
	p.AuthorisedAt, p.CheckoutURL = &c.Now, nil
	if p.SubmittedAt == nil {
		p.SubmittedAt = &c.Now
	}
	c.ClearAttention()
	if err := c.assessCard(p); err != nil {
		return err
	}
	if err := c.Event(casework.Event{Kind: "authorised", Actor: casework.ByProvider, Dedupe: "authorised:" + r.PaymentID}); err != nil {
		return err
	}
	return c.savePayment(p)
}

// card records the payment's id and what may be shown of the card.
func (p *Payment) card(r PaymentReading) {
	p.StripePaymentIntentID = &r.PaymentID
	if r.Brand != "" {
		p.CardBrand, p.CardLast4 = &r.Brand, &r.Last4
	}
	if r.Fingerprint != "" {
		p.CardFingerprint = &r.Fingerprint
	}
	if !r.CaptureBefore.IsZero() {
		p.CaptureBefore = &r.CaptureBefore
	}
	p.DeclineCode = nil
}

// Expiring reports whether the hold on the card ends within warning without a decision yet.
func (p *Payment) Expiring(now time.Time, warning time.Duration) bool {
	return p.AdminApprovalStatus == ApprovalPending && p.AuthorisedAt != nil && p.CapturedAt == nil &&
		p.CaptureBefore != nil && !p.CaptureBefore.After(now.Add(warning))
}

// WarnOfExpiry notifies staff, once, that the hold on the card ends soon.
func WarnOfExpiry(ctx context.Context, db *store.DB, orderID string, warning time.Duration) error {
	return ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		p, err := c.Payment()
		if err != nil || c.Order.Status != StatusPending || !p.Expiring(c.Now, warning) {
			return err
		}
		return c.Event(casework.Event{Kind: "authorisation_expiring", Internal: true, Dedupe: "expiring",
			Data: map[string]any{"at": p.CaptureBefore.UTC().Format(time.RFC3339)}})
	})
}

// CaptureJob is a capture to be made, or a hold to be released.
type CaptureJob struct {
	Done       bool // nothing is left to do
	SentBefore bool // read before sending
	PaymentID  string
	Amount     money.Units
	Key        string
}

// StartCapture commits that the capture is about to be requested.
func StartCapture(ctx context.Context, db *store.DB, orderID, decisionID string) (CaptureJob, error) {
	var job CaptureJob
	err := ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		p, err := c.Payment()
		if err != nil {
			return err
		}
		if c.Order.Paid() {
			job.Done = true
			return c.resolveDecision(decisionID, casework.DecisionDone)
		}
		frozen, err := c.decidedOn(decisionID, DecisionProcess)
		if err != nil {
			return err
		}
		if c.Order.Status != StatusPending || p.AuthorisedAt == nil || p.StripePaymentIntentID == nil || p.CancelStartedAt != nil {
			return store.Conflict("not_authorised", "The card payment isn't authorized")
		}
		if frozen && p.CaptureStartedAt == nil {
			return store.Conflict(casework.AttentionCustomer, "The customer's account is frozen")
		}
		if c.Order.UnderReview && p.CaptureStartedAt == nil {
			return store.Conflict(casework.AttentionRisk, "Compliance is reviewing this order")
		}
		if job.SentBefore = p.CaptureStartedAt != nil; !job.SentBefore {
			if job.Done, err = c.listed(); err != nil {
				return err
			}
			if job.Done { // nothing is captured while compliance reviews the address, whatever the order waited for
				if err := c.Escalate(casework.AttentionRisk); err != nil {
					return err
				}
				return c.resolveDecision(decisionID, casework.AttentionRisk)
			}
			p.CaptureStartedAt = &c.Now
		}
		job.PaymentID, job.Amount = *p.StripePaymentIntentID, c.Order.Total
		job.Key = fmt.Sprintf("ord:%s:capture:%d", orderID, p.CaptureGeneration)
		return c.savePayment(p)
	})
	return job, err
}

// NextCapture gives up the current capture's key, because Stripe keeps a failure under it; a read has shown that
// nothing was captured with it.
func NextCapture(ctx context.Context, db *store.DB, orderID string) (key string, err error) {
	err = ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		p, err := c.Payment()
		if err != nil {
			return err
		}
		p.CaptureGeneration++
		key = fmt.Sprintf("ord:%s:capture:%d", orderID, p.CaptureGeneration)
		return c.savePayment(p)
	})
	return key, err
}

// Captured books captured money: the order is paid. It is idempotent. A part of the price that was captured at Stripe
// itself pays nothing, and an order that ended unpaid stays so: the Stripe statement reports such money as unbooked.
func Captured(ctx context.Context, db *store.DB, orderID, decisionID string, r PaymentReading) error {
	return ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		if c.Order.Paid() {
			return c.resolveDecision(decisionID, casework.DecisionDone)
		}
		if c.Order.ClosedAt != nil {
			return store.Conflict("order_state", "The order ended unpaid")
		}
		if r.Received.Cmp(c.Order.Total) < 0 {
			return store.Conflict("captured_in_part", "Stripe holds less than the price of this order")
		}
		p, err := c.Payment()
		if err != nil {
			return err
		}
		return c.capture(r, p, decisionID)
	})
}

// capture books the price as captured. What of it was refunded at Stripe itself stops the
// order in the same transaction, and is booked when the refunds are read (UnhandledMoneyWebhooks).
func (c *OrderChange) capture(r PaymentReading, p *Payment, decisionID string) error {
	if err := c.Move(StatusPaymentApproved); err != nil {
		return err
	}
	p.card(r)
	p.CapturedAt, p.CheckoutURL, p.AdminApprovalStatus = &c.Now, nil, ApprovalApproved
	if p.AuthorisedAt == nil {
		p.AuthorisedAt = &c.Now
	}
	if err := c.decided(p, decisionID); err != nil {
		return err
	}
	c.ClearAttention()
	if err := c.Post("captured", "captured", CapturedPostings(c.Order)...); err != nil {
		return err
	}
	if err := c.Event(casework.Event{Kind: "captured", Actor: casework.ByProvider, Dedupe: "captured"}); err != nil {
		return err
	}
	if r.Refunded.Sign() > 0 {
		if err := c.Escalate(AttentionRefundedThere); err != nil {
			return err
		}
	}
	return c.savePayment(p)
}

// decided records the decider on the payment, and resolves the decision as done.
func (c *OrderChange) decided(p *Payment, decisionID string) error {
	if decisionID == "" {
		return nil
	}
	var decision Decision
	if err := c.Tx.ORM(c.Ctx).Where("id = ? AND order_id = ?", decisionID, c.Order.ID).Take(&decision).Error; err != nil {
		return fmt.Errorf("read decision: %w", err)
	}
	p.DecidedBy, p.DecidedAt = &decision.ActorID, &c.Now
	if decision.Kind == DecisionDecline || decision.Kind == DecisionReject {
		p.DeclineReason = &decision.Reason
	}
	return c.resolveDecision(decisionID, casework.DecisionDone)
}

// CaptureRefused resolves a capture that Stripe definitely refused. The order stays decidable; the next capture is a
// new one.
func CaptureRefused(ctx context.Context, db *store.DB, orderID, decisionID, code string) error {
	return ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		if c.Order.Paid() {
			return c.resolveDecision(decisionID, casework.DecisionDone)
		}
		p, err := c.Payment()
		if err != nil {
			return err
		}
		p.CaptureStartedAt = nil
		p.CaptureGeneration++
		if err := store.FirstError(c.clearAttentionOf(AttentionCaptureUnknown), c.resolveDecision(decisionID, code)); err != nil {
			return err
		}
		return c.savePayment(p)
	})
}

// CaptureUnknown resolves a capture whose outcome could not be read in time. The next Process reads it first.
func CaptureUnknown(ctx context.Context, db *store.DB, orderID, decisionID string) error {
	return ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		if c.Order.Paid() {
			return c.resolveDecision(decisionID, casework.DecisionDone)
		}
		if err := c.Escalate(AttentionCaptureUnknown); err != nil {
			return err
		}
		return c.resolveDecision(decisionID, "unknown")
	})
}
