package casework

// Reasons for which an order waits for a person, beside its status.
const (
	AttentionKYC         = "kyc_revoked"                // verified no more since the payment
	AttentionCustomer    = "customer_frozen"            // its customer's account is frozen
	AttentionBlocked     = "address_blocked"            // the address is on a list now
	AttentionPrice       = "price_moved"                // buying costs more than the slippage allows
	AttentionNoPrice     = "price_unavailable"          // no price to compare with
	AttentionFloat       = "wallet_short"               // the float does not hold the coin
	AttentionBuyUnknown  = "exchange_unknown"           // was it bought? nobody knows yet
	AttentionSendUnknown = "transfer_unknown"           // was it sent? nobody knows yet
	AttentionApproval    = "transfer_awaiting_approval" // custody asks a person of its own
	AttentionAddress     = "address_refused"            // custody calls the address wrong
	AttentionCaps        = "custody_cap"                // beyond custody's own caps
	AttentionTransfer    = "transfer_failed"            // replaced, removed or failed on the network
	AttentionUnconfirmed = "transfer_unconfirmed"       // sent, and not confirmed for too long
	AttentionPaused      = "paused"                     // somebody has paused its rail, its asset or all deliveries; it goes on by itself
	AttentionRisk        = "risk_review"                // compliance has yet to say that it goes on
	AttentionInternal    = "step_stuck"                 // our own fault; the log says more
)
