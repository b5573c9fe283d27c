package order

// EventKinds lists every kind of event that an order's timeline can hold, in the order in which they are met. An
// event of any other kind is refused, so that the pages that show the timeline have a sentence for each: the contract
// contains this list, and the web app's tests read it there.
var EventKinds = []string{
	"created", "confirmation_requested", "checkout_ready", "card_declined", "payment_submitted", "authorised", "authorisation_expiring",
	"money_received", "money_short", "money_over", "money_late", "money_credited", "requoted",
	"surplus_held", "surplus_credited", "surplus_returning", "surplus_returned",
	"receipt_reversed", "money_returned", "return_reinstated",
	"capture_requested", "captured", "receipt_confirmed", "paid_from_balance",
	"under_review", "review_released", "held", "resumed", "fulfil_requested", "reserved", "price_waiting",
	"exchange_placed", "exchange_part_filled", "filled",
	"transfer_requested", "transfer_awaiting_approval", "transfer_dead", "transfer_revived", "address_held", "address_unconfirmed", "address_amended", "sent", "confirmed", "bonus_credited", "bonus_taken_back",
	"attempt_failed", "failed", "attention", "attention_cleared", "retry_requested",
	"choice_offered", "keep_trying",
	"coin_offered", "coin_reduced", "coin_restored", "coin_offer_ended",
	"refund_requested", "refunded_in_part", "refunded", "refunded_at_provider",
	"proposed", "proposal_decided",
	"dispute_opened", "dispute_answered", "dispute_won", "dispute_lost",
	"declined", "cancelled", "expired",
}
