package stripe

import (
	"errors"
	"slices"
	"time"

	"github.com/tradepost/tradepost/internal/sandbox"
)

// refundDelay is how long a refund is pending.
const refundDelay = 2 * time.Second

func createRefund(c *call) (any, error) {
	ch, err := c.refundable()
	if err != nil {
		return nil, err
	}
	amount, given, err := c.form.integer("amount")
	left := ch.Amount - ch.AmountRefunded
	switch {
	case err != nil:
		return nil, err
	case left <= 0:
		return nil, unfit("charge_already_refunded", "Charge %s has already been refunded.", ch.ID)
	case !given:
		amount = left
	case amount < 1:
		return nil, invalid("parameter_invalid_integer", "amount", "Invalid positive integer")
	case amount > left:
		return nil, unfit("", "Refund amount (%s) is greater than unrefunded amount on charge (%s)", money(amount, ch.Currency), money(left, ch.Currency))
	}
	metadata, err := c.form.metadata("metadata")
	if err != nil {
		return nil, err
	}
	reason := c.form.Get("reason")
	if reason != "" && !slices.Contains([]string{"duplicate", "fraudulent", "requested_by_customer"}, reason) {
		return nil, invalid("", "reason", "Invalid reason: must be one of duplicate, fraudulent, or requested_by_customer")
	}
	if c.force != "" {
		return nil, unfit(c.force, "The refund was refused. (Sandbox: an injected fault.)")
	}
	_, fails := c.sim.world.Faults.TakeCode("stripe", "refund", []string{"refund_failed"}, ch.Order, ch.ID)
	status := "pending"
	if _, waits := c.sim.world.Faults.TakeCode("stripe", "refund", []string{"refund_waits"}, ch.Order, ch.ID); waits {
		status = "requires_action"
	}
	return c.giveBack(ch, &refundDoc{Order: ch.Order, Fails: fails, refund: refund{
		ID: newID("re"), Object: "refund", Amount: amount, Charge: ch.ID, Created: c.now.Unix(), Currency: ch.Currency,
		Metadata: metadata, PaymentIntent: ch.PaymentIntent, Reason: optional(reason), Status: status,
	}})
}

// refundable finds the charge that payment_intent or charge names.
func (c *call) refundable() (*chargeDoc, error) {
	id, intentID := c.form.Get("charge"), c.form.Get("payment_intent")
	if id == "" && intentID == "" {
		return nil, invalid("parameter_missing", "charge", "One of the following params should be provided for this request: payment_intent or charge.")
	}
	if intentID != "" {
		pi, err := load[intentDoc](c.tx, intents, "payment_intent", intentID)
		if err != nil {
			return nil, err
		}
		if pi.Status != "succeeded" {
			return nil, unfit("", "This PaymentIntent (%s) does not have a successful charge to refund.", pi.ID)
		}
		if id != "" && id != *pi.LatestCharge {
			return nil, unfit("", "The charge %s does not belong to PaymentIntent %s.", id, pi.ID)
		}
		id = *pi.LatestCharge
	}
	ch, err := load[chargeDoc](c.tx, charges, "charge", id)
	if err != nil {
		return nil, err
	}
	contested, err := c.contested(ch.ID)
	switch {
	case err != nil:
		return nil, err
	case contested:
		return nil, unfit("charge_disputed", "Charge %s has been charged back; cannot issue a refund.", ch.ID)
	case !ch.Captured:
		return nil, unfit("charge_not_refundable", "Charge %s was not captured: cancel its PaymentIntent to release the hold.", ch.ID)
	}
	return ch, nil
}

// refundHere is a refund made at Stripe itself, in its dashboard: it has no metadata of
// ours. Zero is all that is left.
func (c *change) refundHere(chargeID string, amount int64) (any, error) {
	ch, err := load[chargeDoc](c.tx, charges, "charge", chargeID)
	if err != nil {
		return nil, err
	}
	contested, err := c.contested(ch.ID)
	if err != nil {
		return nil, err
	}
	left := ch.Amount - ch.AmountRefunded
	if amount == 0 {
		amount = left
	}
	if contested || !ch.Captured || amount < 1 || amount > left {
		return nil, unfit("", "Only what is left of a captured charge that is not disputed can be refunded.")
	}
	return c.giveBack(ch, &refundDoc{Order: ch.Order, refund: refund{
		ID: newID("re"), Object: "refund", Amount: amount, Charge: ch.ID, Created: c.now.Unix(), Currency: ch.Currency,
		Metadata: map[string]string{}, PaymentIntent: ch.PaymentIntent, Reason: optional("requested_by_customer"), Status: "pending",
	}})
}

// giveBack starts the refund: the money leaves the balance at once and returns if the
// refund fails.
func (c *change) giveBack(ch *chargeDoc, re *refundDoc) (any, error) {
	ch.AmountRefunded += re.Amount
	ch.Refunded = ch.AmountRefunded == ch.Amount
	if err := c.tx.Put(charges, ch.ID, ch); err != nil {
		return nil, err
	}
	line, err := c.book("refund", re.ID, re.Currency, -re.Amount, 0, "REFUND FOR CHARGE")
	if err != nil {
		return nil, err
	}
	re.BalanceTransaction = &line.ID
	if err := insert(c.tx, refunds, re.ID, re); err != nil {
		return nil, err
	}
	if err := c.count("refund", re.Order); err != nil {
		return nil, err
	}
	if fault, armed := c.sim.world.Faults.TakeCode("stripe", "refund", []string{"lag"}, re.Order, re.Charge); armed {
		if err := hide(c.tx, re.ID, c.now.Add(time.Duration(fault.Seconds())*time.Second)); err != nil {
			return nil, err
		}
	}
	if err := schedule(c.tx, c.now.Add(refundDelay), re.ID); err != nil {
		return nil, err
	}
	if err := c.emit("refund.created", re, re.Order, nil); err != nil {
		return nil, err
	}
	return re, c.emit("charge.refunded", ch, ch.Order, nil)
}

// settleRefund ends a pending refund.
func (c *change) settleRefund(id string) error {
	re, err := load[refundDoc](c.tx, refunds, "id", id)
	if err != nil || re.Status != "pending" {
		return err
	}
	previous := map[string]any{"status": re.Status}
	re.Status = "succeeded"
	if re.Fails {
		re.Status, re.FailureReason = "failed", "expired_or_canceled_card"
		if err := c.takeBack(re); err != nil {
			return err
		}
	}
	if err := c.tx.Put(refunds, re.ID, re); err != nil {
		return err
	}
	kinds := []string{"refund.updated", "charge.refund.updated"}
	if re.Fails {
		kinds = append(kinds, "refund.failed")
	}
	for _, kind := range kinds {
		if err := c.emit(kind, re, re.Order, previous); err != nil {
			return err
		}
	}
	return nil
}

// takeBack undoes a refund that the bank refused, or that was cancelled.
func (c *change) takeBack(re *refundDoc) error {
	ch, err := load[chargeDoc](c.tx, charges, "charge", re.Charge)
	if err != nil {
		return err
	}
	ch.AmountRefunded -= re.Amount
	ch.Refunded = false
	if err := c.tx.Put(charges, ch.ID, ch); err != nil {
		return err
	}
	line, err := c.book("refund_failure", re.ID, re.Currency, re.Amount, 0, "REFUND FAILURE")
	if err != nil {
		return err
	}
	re.FailureBalanceTransaction = &line.ID
	return nil
}

// completeRefund ends a refund that waits for the customer as the customer does: by naming
// where the money is to be sent.
func (c *change) completeRefund(id string) error {
	re, err := load[refundDoc](c.tx, refunds, "refund", id)
	if err != nil {
		return err
	}
	if re.Status != "requires_action" {
		return unfit("", "Only a refund in requires_action waits for the customer.")
	}
	re.Status = "pending"
	if err := c.tx.Put(refunds, re.ID, re); err != nil {
		return err
	}
	return c.settleRefund(id)
}

// cancelRefund calls back a refund that waits for the customer; no other can be.
func cancelRefund(c *call) (any, error) {
	re, err := load[refundDoc](c.tx, refunds, "refund", c.id)
	if err != nil {
		return nil, err
	}
	if re.Status != "requires_action" {
		return nil, unfit("", "Refund %s cannot be canceled: its status is %s, and only a refund in requires_action can be.", re.ID, re.Status)
	}
	previous := map[string]any{"status": re.Status}
	re.Status = "canceled"
	if err := c.takeBack(re); err != nil {
		return nil, err
	}
	if err := c.tx.Put(refunds, re.ID, re); err != nil {
		return nil, err
	}
	if err := c.emit("refund.updated", re, re.Order, previous); err != nil {
		return nil, err
	}
	return re, c.emit("charge.refund.updated", re, re.Order, previous)
}

// refundsOf is the list of a charge's refunds.
func refundsOf(tx *sandbox.Tx, chargeID string) (list, error) {
	page, failure := list{Object: "list", Data: []any{}, URL: "/v1/charges/" + chargeID + "/refunds"}, error(nil)
	err := newest(tx, refunds, func(_ string, re *refundDoc) bool {
		if re.Charge == chargeID {
			failure = page.add(re)
		}
		return failure == nil
	})
	return page, errors.Join(err, failure)
}

func readRefund(c *call) (any, error) { return load[refundDoc](c.tx, refunds, "refund", c.id) }

func updateRefund(c *call) (any, error) {
	re, err := load[refundDoc](c.tx, refunds, "refund", c.id)
	if err != nil {
		return nil, err
	}
	if re.Metadata, err = c.form.mergeMetadata(re.Metadata); err != nil {
		return nil, err
	}
	return re, c.tx.Put(refunds, re.ID, re)
}

func listRefunds(c *call) (any, error) {
	return listOf(c, refunds, "/v1/refunds", func(re *refundDoc) (int64, bool) {
		return re.Created, matches(c, "payment_intent", re.PaymentIntent) && matches(c, "charge", &re.Charge)
	})
}
