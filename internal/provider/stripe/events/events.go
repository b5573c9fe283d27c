// Package events names the webhooks of Stripe that the product handles.
package events

// Acted are all of them: what a webhook endpoint is registered for at Stripe.
var Acted = []string{
	"charge.succeeded", "charge.expired",
	"payment_intent.payment_failed", "payment_intent.canceled",
	"checkout.session.expired",
	"charge.dispute.created", "charge.dispute.updated", "charge.dispute.closed", "charge.dispute.funds_withdrawn", "charge.dispute.funds_reinstated",
	"refund.created", "refund.updated", "refund.failed",
}
