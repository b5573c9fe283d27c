package stripe

import (
	"net/http"
	"strings"
	"time"
)

// holdLife is how long an authorisation lasts before it expires.
const holdLife = 7 * 24 * time.Hour

// attempt confirms the payment with the method: it ends held, captured, waiting for 3-D
// Secure, or declined, which is the *apiError. Authenticated means that 3-D Secure was
// passed.
func (c *change) attempt(pi *intentDoc, method *methodDoc, returnURL string, authenticated bool) error {
	card, _ := cardByMethod(method.Test)
	if c.force != "" {
		card = card.declined(c.force)
	}
	pi.PaymentMethod, pi.LastPaymentError, pi.NextAction = &method.ID, nil, nil
	if card.Secure && !authenticated {
		if c.away {
			return c.fail(pi, "", method, "authentication_required", "authentication_required", "Your card was declined. This transaction requires authentication.")
		}
		return c.challenge(pi, returnURL)
	}
	ch := c.newCharge(pi, method, card, authenticated)
	pi.LatestCharge = &ch.ID
	if card.Code != "" {
		return c.decline(pi, ch, method, card)
	}
	ch.Paid, ch.Status = true, "succeeded"
	ch.PaymentMethodDetails.Card.CaptureBefore = c.now.Add(holdLife).Unix()
	if err := c.count("authorise", pi.Order); err != nil {
		return err
	}
	if pi.CaptureMethod == "manual" {
		return c.hold(pi, ch)
	}
	if err := insert(c.tx, charges, ch.ID, ch); err != nil {
		return err
	}
	if err := c.emit("charge.succeeded", ch, ch.Order, nil); err != nil {
		return err
	}
	return c.take(pi, ch, pi.Amount)
}

// challenge requires the customer to authenticate.
func (c *change) challenge(pi *intentDoc, returnURL string) error {
	pi.Status = "requires_action"
	owner := pi.ID
	if pi.Session != "" {
		owner = pi.Session
	}
	pi.NextAction = map[string]any{"type": "redirect_to_url", "redirect_to_url": map[string]any{
		"url": c.sim.world.Config.URL + "/pay/" + owner + "/authenticate", "return_url": optional(returnURL),
	}}
	if err := c.tx.Put(intents, pi.ID, pi); err != nil {
		return err
	}
	return c.emit("payment_intent.requires_action", pi, pi.Order, nil)
}

// hold makes an authorisation that a capture must follow.
func (c *change) hold(pi *intentDoc, ch *chargeDoc) error {
	pi.Status, pi.AmountCapturable = "requires_capture", pi.Amount
	if err := schedule(c.tx, c.now.Add(holdLife), pi.ID); err != nil {
		return err
	}
	if err := insert(c.tx, charges, ch.ID, ch); err != nil {
		return err
	}
	if err := c.tx.Put(intents, pi.ID, pi); err != nil {
		return err
	}
	if err := c.emit("charge.succeeded", ch, ch.Order, nil); err != nil {
		return err
	}
	return c.emit("payment_intent.amount_capturable_updated", pi, pi.Order, nil)
}

// decline records the refusal and returns it.
func (c *change) decline(pi *intentDoc, ch *chargeDoc, method *methodDoc, card testCard) error {
	text := declineText(card.Decline)
	ch.Status, ch.FailureCode, ch.FailureMessage = "failed", &card.Code, &text
	ch.Outcome = map[string]any{"network_status": "declined_by_network", "reason": card.Decline, "risk_level": "normal", "seller_message": "The bank did not return any further details with this decline.", "type": "issuer_declined"}
	if err := insert(c.tx, charges, ch.ID, ch); err != nil {
		return err
	}
	if err := c.emit("charge.failed", ch, ch.Order, nil); err != nil {
		return err
	}
	return c.fail(pi, ch.ID, method, card.Code, card.Decline, text)
}

// fail sends the payment back to wait for another card.
func (c *change) fail(pi *intentDoc, chargeID string, method *methodDoc, code, decline, text string) error {
	pi.Status, pi.PaymentMethod, pi.NextAction = "requires_payment_method", nil, nil
	seen, err := shown(method)
	if err != nil {
		return err
	}
	pi.LastPaymentError = &cardProblem{Charge: chargeID, Code: code, DeclineCode: decline, DocURL: docURL(code), Message: text, PaymentMethod: seen, Type: "card_error"}
	if err := c.tx.Put(intents, pi.ID, pi); err != nil {
		return err
	}
	if err := c.emit("payment_intent.payment_failed", pi, pi.Order, nil); err != nil {
		return err
	}
	object, err := shown(pi)
	if err != nil {
		return err
	}
	problem := refuse(http.StatusPaymentRequired, "card_error", code, "", "%s", text)
	problem.body.Charge, problem.body.DeclineCode, problem.body.PaymentIntent, problem.body.PaymentMethod = chargeID, decline, object, seen
	return problem
}

// take captures the amount of a charge and releases the rest.
func (c *change) take(pi *intentDoc, ch *chargeDoc, amount int64) error {
	pi.Status, pi.AmountCapturable, pi.AmountReceived = "succeeded", 0, amount
	ch.Captured, ch.AmountCaptured = true, amount
	if amount < ch.Amount {
		// What is not captured is released; Stripe shows it as refunded.
		ch.AmountRefunded = ch.Amount - amount
	}
	fee, err := c.fee(amount)
	if err != nil {
		return err
	}
	line, err := c.book("charge", ch.ID, pi.Currency, amount, fee, "")
	if err != nil {
		return err
	}
	ch.BalanceTransaction = &line.ID
	if err := c.count("capture", pi.Order); err != nil {
		return err
	}
	if err := c.tx.Put(charges, ch.ID, ch); err != nil {
		return err
	}
	if err := c.tx.Put(intents, pi.ID, pi); err != nil {
		return err
	}
	if err := c.paid(pi); err != nil {
		return err
	}
	if pi.CaptureMethod == "manual" {
		if err := c.emit("charge.captured", ch, ch.Order, nil); err != nil {
			return err
		}
	}
	return c.emit("payment_intent.succeeded", pi, pi.Order, nil)
}

// paid marks the checkout page of the payment as paid.
func (c *change) paid(pi *intentDoc) error {
	if pi.Session == "" {
		return nil
	}
	cs, err := load[sessionDoc](c.tx, sessions, "id", pi.Session)
	if err != nil {
		return err
	}
	cs.PaymentStatus = "paid"
	return c.tx.Put(sessions, cs.ID, cs)
}

// release cancels the payment for the reason and frees what was held.
func (c *change) release(pi *intentDoc, reason string, expired bool) error {
	held := pi.Status == "requires_capture"
	at := c.now.Unix()
	pi.Status, pi.AmountCapturable, pi.CanceledAt, pi.CancellationReason, pi.NextAction = "canceled", 0, &at, optional(reason), nil
	if err := c.tx.Put(intents, pi.ID, pi); err != nil {
		return err
	}
	if held {
		ch, err := load[chargeDoc](c.tx, charges, "charge", *pi.LatestCharge)
		if err != nil {
			return err
		}
		ch.Refunded, ch.AmountRefunded = true, ch.Amount
		if err := c.tx.Put(charges, ch.ID, ch); err != nil {
			return err
		}
		kind := "charge.refunded"
		if expired {
			kind = "charge.expired"
		}
		if err := c.emit(kind, ch, ch.Order, nil); err != nil {
			return err
		}
	}
	return c.emit("payment_intent.canceled", pi, pi.Order, nil)
}

func (c *change) count(operation, order string) error {
	return c.sim.world.Effects.Count(c.tx, "stripe", operation, order)
}

// mature executes what is due of the object; one that has changed meanwhile is left.
func (c *change) mature(id string) error {
	if key, isKey := strings.CutPrefix(id, keyMark); isKey {
		return c.forgetKey(key)
	}
	prefix, _, _ := strings.Cut(id, "_")
	switch kinds[prefix].bucket {
	case sessions:
		cs, err := load[sessionDoc](c.tx, sessions, "id", id)
		if err != nil || cs.Status != "open" {
			return err
		}
		return c.close(cs)
	case intents:
		pi, err := load[intentDoc](c.tx, intents, "id", id)
		if err != nil || pi.Status != "requires_capture" {
			return err
		}
		return c.release(pi, "automatic", true)
	case refunds:
		return c.settleRefund(id)
	case disputes:
		return c.pastDue(id)
	}
	return nil
}

// forgetKey drops the answer unless the key was used anew meanwhile.
func (c *change) forgetKey(key string) error {
	var first kept
	found, err := c.tx.Get(keys, key, &first)
	if err != nil || !found || c.now.Sub(first.Created) < keyLife {
		return err
	}
	return c.tx.Delete(keys, key)
}

// newCharge is the charge of an attempt, before its outcome.
func (c *change) newCharge(pi *intentDoc, method *methodDoc, card testCard, authenticated bool) *chargeDoc {
	ch := &chargeDoc{Order: pi.Order, charge: charge{
		ID: newID("ch"), Object: "charge", Amount: pi.Amount, BillingDetails: method.BillingDetails,
		Created: c.now.Unix(), Currency: pi.Currency, Customer: pi.Customer, Description: pi.Description,
		FraudDetails: map[string]any{}, Metadata: pi.Metadata, PaymentIntent: &pi.ID, PaymentMethod: &method.ID,
		ReceiptEmail: pi.ReceiptEmail, StatementDescriptorSuffix: pi.StatementDescriptorSuffix, Status: "pending",
		Outcome: map[string]any{"network_status": "approved_by_network", "reason": nil, "risk_level": "normal", "seller_message": "Payment complete.", "type": "authorized"},
	}}
	ch.PaymentMethodDetails = chargeDetails{Type: "card", Card: chargeCard{
		AmountAuthorized: pi.Amount, Brand: method.Card.Brand, Checks: method.Card.Checks, Country: method.Card.Country,
		ExpMonth: method.Card.ExpMonth, ExpYear: method.Card.ExpYear, Fingerprint: card.fingerprint(),
		Funding: method.Card.Funding, Last4: method.Card.Last4, Network: method.Card.Brand,
	}}
	if authenticated {
		ch.PaymentMethodDetails.Card.ThreeDSecure = map[string]any{"authentication_flow": "challenge", "result": "authenticated", "result_reason": nil, "version": "2.2.0"}
	}
	return ch
}
