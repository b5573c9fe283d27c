package stripe

import (
	"slices"
	"strings"
)

func createPayment(c *call) (any, error) {
	if err := c.form.require("amount", "currency"); err != nil {
		return nil, err
	}
	pi, err := c.newIntent()
	if err != nil {
		return nil, err
	}
	var method *methodDoc
	if c.form.Has("payment_method") || c.form.has("payment_method_data") {
		if method, err = c.givenMethod(); err != nil {
			return nil, err
		}
		pi.PaymentMethod, pi.Status = &method.ID, "requires_confirmation"
	}
	confirm, err := c.form.boolean("confirm")
	if err != nil {
		return nil, err
	}
	if c.away, err = c.unattended(); err != nil {
		return nil, err
	}
	if confirm && method == nil {
		return nil, invalid("parameter_missing", "payment_method", "You cannot confirm this PaymentIntent because it's missing a payment method.")
	}
	if err := insert(c.tx, intents, pi.ID, pi); err != nil {
		return nil, err
	}
	if err := c.lag("create_payment", pi.ID, pi.Order); err != nil {
		return nil, err
	}
	if err := c.emit("payment_intent.created", pi, pi.Order, nil); err != nil {
		return nil, err
	}
	if confirm {
		return pi, c.attempt(pi, method, c.form.Get("return_url"), false)
	}
	return pi, nil
}

// knownCustomer refuses a customer that is not there.
func (c *call) knownCustomer() error {
	id := c.form.Get("customer")
	if id == "" {
		return nil
	}
	_, err := load[customer](c.tx, customers, "customer", id)
	return err
}

// unattended reports whether the confirmation cannot include authentication: the customer
// is absent, or the caller requests an error instead.
func (c *call) unattended() (bool, error) {
	refuses, err := c.form.boolean("error_on_requires_action")
	if err != nil || refuses {
		return refuses, err
	}
	if off := c.form.Get("off_session"); off == "one_off" || off == "recurring" {
		return true, nil
	}
	return c.form.boolean("off_session")
}

// givenMethod is the PaymentMethod that payment_method names, or that
// payment_method_data describes.
func (c *call) givenMethod() (*methodDoc, error) {
	if id := c.form.Get("payment_method"); id != "" {
		return c.method(id)
	}
	return c.methodFrom("payment_method_data[type]", "payment_method_data[card]", "payment_method_data[billing_details]")
}

// newIntent reads a PaymentIntent from the parameters.
func (c *call) newIntent() (*intentDoc, error) {
	amount, err := c.form.amount("amount")
	if err != nil {
		return nil, err
	}
	currency, err := c.form.currency("currency")
	if err != nil {
		return nil, err
	}
	capture, err := c.form.choice("capture_method", "automatic_async", "automatic", "manual")
	if err != nil {
		return nil, err
	}
	metadata, err := c.form.metadata("metadata")
	if err != nil {
		return nil, err
	}
	types := c.form.list("payment_method_types")
	if slices.ContainsFunc(types, func(t string) bool { return t != "card" }) {
		return nil, invalid("", "payment_method_types", "The sandbox knows the payment method type 'card' only.")
	}
	redirects, err := c.form.choice("automatic_payment_methods[allow_redirects]", "always", "never")
	if err != nil {
		return nil, err
	}
	if err := c.knownCustomer(); err != nil {
		return nil, err
	}
	pi := c.blankIntent(amount, currency, capture, metadata)
	if len(types) == 0 {
		pi.AutomaticPaymentMethods = map[string]any{"enabled": true, "allow_redirects": redirects}
	}
	pi.SetupFutureUsage, pi.TransferGroup, pi.Shipping = optional(c.form.Get("setup_future_usage")), optional(c.form.Get("transfer_group")), c.form.shipping()
	pi.Customer, pi.Description = optional(c.form.Get("customer")), optional(c.form.Get("description"))
	pi.ReceiptEmail, pi.StatementDescriptor = optional(c.form.Get("receipt_email")), optional(c.form.Get("statement_descriptor"))
	pi.StatementDescriptorSuffix = optional(c.form.Get("statement_descriptor_suffix"))
	pi.Order = metadata["order_id"]
	return pi, nil
}

// blankIntent is a PaymentIntent that waits for its first card.
func (c *change) blankIntent(amount int64, currency, capture string, metadata map[string]string) *intentDoc {
	id := newID("pi")
	return &intentDoc{intent: intent{
		ID: id, Object: "payment_intent", Amount: amount, Currency: currency, CaptureMethod: capture,
		ClientSecret: newID(id + "_secret"), ConfirmationMethod: "automatic", Created: c.now.Unix(),
		Metadata: metadata, PaymentMethodTypes: []string{"card"}, Status: "requires_payment_method",
		PaymentMethodOptions: map[string]any{"card": map[string]any{"installments": nil, "mandate_options": nil, "network": nil, "request_three_d_secure": "automatic"}},
	}}
}

func readPayment(c *call) (any, error) { return load[intentDoc](c.tx, intents, "intent", c.id) }

func listPayments(c *call) (any, error) {
	return listOf(c, intents, "/v1/payment_intents", func(pi *intentDoc) (int64, bool) {
		return pi.Created, matches(c, "customer", pi.Customer)
	})
}

func updatePayment(c *call) (any, error) {
	pi, err := c.payment("requires_payment_method", "requires_confirmation", "requires_action", "requires_capture", "succeeded")
	if err != nil {
		return nil, err
	}
	if c.form.Has("amount") || c.form.Has("currency") || c.form.Has("payment_method") || c.form.has("payment_method_data") {
		if !slices.Contains([]string{"requires_payment_method", "requires_confirmation", "requires_action"}, pi.Status) {
			return nil, c.unexpected(pi, "requires_payment_method, requires_confirmation, requires_action")
		}
	}
	if c.form.Has("amount") {
		if pi.Amount, err = c.form.amount("amount"); err != nil {
			return nil, err
		}
	}
	if c.form.Get("payment_method") != "" || c.form.has("payment_method_data") {
		method, err := c.givenMethod()
		if err != nil {
			return nil, err
		}
		pi.PaymentMethod, pi.Status, pi.LastPaymentError = &method.ID, "requires_confirmation", nil
	}
	if c.form.Has("currency") {
		if pi.Currency, err = c.form.currency("currency"); err != nil {
			return nil, err
		}
	}
	if err := c.knownCustomer(); err != nil {
		return nil, err
	}
	if pi.Metadata, err = c.form.mergeMetadata(pi.Metadata); err != nil {
		return nil, err
	}
	c.form.overwrite(map[string]**string{"description": &pi.Description, "receipt_email": &pi.ReceiptEmail, "customer": &pi.Customer, "statement_descriptor_suffix": &pi.StatementDescriptorSuffix})
	return pi, c.tx.Put(intents, pi.ID, pi)
}

func confirmPayment(c *call) (any, error) {
	pi, err := c.payment("requires_payment_method", "requires_confirmation", "requires_action")
	if err != nil {
		return nil, err
	}
	method, err := c.methodToConfirm(pi)
	if err != nil {
		return nil, err
	}
	if c.away, err = c.unattended(); err != nil {
		return nil, err
	}
	if c.form.Has("capture_method") {
		if pi.CaptureMethod, err = c.form.choice("capture_method", "automatic_async", "automatic", "manual"); err != nil {
			return nil, err
		}
	}
	c.form.overwrite(map[string]**string{"receipt_email": &pi.ReceiptEmail})
	return pi, c.attempt(pi, method, c.form.Get("return_url"), false)
}

// methodToConfirm is the PaymentMethod that is given, or the one attached before.
func (c *call) methodToConfirm(pi *intentDoc) (*methodDoc, error) {
	if c.form.Get("payment_method") != "" || c.form.has("payment_method_data") {
		return c.givenMethod()
	}
	if pi.PaymentMethod == nil {
		return nil, unfit("payment_intent_unexpected_state", "You cannot confirm this PaymentIntent because it's missing a payment method. You can either update the PaymentIntent with a payment method and then confirm it again, or confirm it again directly with a payment method.")
	}
	return c.method(*pi.PaymentMethod)
}

func capturePayment(c *call) (any, error) {
	pi, err := load[intentDoc](c.tx, intents, "intent", c.id)
	if err != nil {
		return nil, err
	}
	if pi.Status != "requires_capture" {
		return nil, c.unexpected(pi, "requires_capture")
	}
	amount, given, err := c.form.integer("amount_to_capture")
	switch {
	case err != nil:
		return nil, err
	case !given:
		amount = pi.AmountCapturable
	case amount < 1:
		return nil, invalid("parameter_invalid_integer", "amount_to_capture", "This value must be greater than or equal to 1.")
	case amount > pi.AmountCapturable:
		return nil, invalid("amount_too_large", "amount_to_capture", "The amount to capture (%d) exceeds the capturable amount (%d).", amount, pi.AmountCapturable)
	}
	if c.force != "" {
		return nil, unfit(c.force, "The bank refused the capture. (Sandbox: an injected fault.)")
	}
	ch, err := load[chargeDoc](c.tx, charges, "charge", *pi.LatestCharge)
	if err != nil {
		return nil, err
	}
	if pi.Metadata, err = c.form.mergeMetadata(pi.Metadata); err != nil {
		return nil, err
	}
	c.form.overwrite(map[string]**string{"statement_descriptor": &ch.StatementDescriptor, "statement_descriptor_suffix": &ch.StatementDescriptorSuffix})
	return pi, c.take(pi, ch, amount)
}

func cancelPayment(c *call) (any, error) {
	reason := c.form.Get("cancellation_reason")
	if reason != "" && !slices.Contains([]string{"duplicate", "fraudulent", "requested_by_customer", "abandoned"}, reason) {
		return nil, invalid("", "cancellation_reason", "Invalid cancellation_reason: must be one of duplicate, fraudulent, requested_by_customer, or abandoned")
	}
	pi, err := c.payment("requires_payment_method", "requires_capture", "requires_confirmation", "requires_action", "processing")
	if err != nil {
		return nil, err
	}
	if err := c.count("cancel", pi.Order); err != nil {
		return nil, err
	}
	return pi, c.release(pi, reason, false)
}

// payment loads the PaymentIntent of the path in one of the states. That of an
// open checkout page is out of reach: the page owns it.
func (c *call) payment(states ...string) (*intentDoc, error) {
	pi, err := load[intentDoc](c.tx, intents, "intent", c.id)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(states, pi.Status) {
		return nil, c.unexpected(pi, strings.Join(states, ", "))
	}
	if pi.Session != "" {
		cs, err := load[sessionDoc](c.tx, sessions, "session", pi.Session)
		if err != nil {
			return nil, err
		}
		if cs.Status == "open" {
			return nil, unfit("payment_intent_unexpected_state", "You cannot perform this action on PaymentIntents created by Checkout while the Checkout Session is open. Expire the Checkout Session (%s) first.", cs.ID)
		}
	}
	return pi, nil
}

// unexpected refuses a call that the state does not allow, showing the payment.
func (c *change) unexpected(pi *intentDoc, wanted string) error {
	problem := unfit("payment_intent_unexpected_state", "This PaymentIntent's status is %s, but this call needs one of: %s.", pi.Status, wanted)
	object, err := shown(pi)
	if err != nil {
		return err
	}
	problem.body.PaymentIntent = object
	return problem
}
