package casework

// Reasons for which an order waits for a person, beside its status.
const (
	AttentionKYC         = "kyc_revoked"                // verified no more since the payment
	AttentionCustomer    = "customer_frozen"            // its customer's account is frozen
	AttentionBlocked     = "address_blocked"            // the address is on a list now
	AttentionPrice       = "price_moved"                // buying costs more than the slippage allows
	AttentionNoPrice     = "price_unavailable"          // no price to compare with
	AttentionFloat       = "wallet_short"               // the float does not hold the coin
	AttentionBuyUnknown  = "exchange_unknown"           // purchase outcome unknown
	AttentionSendUnknown = "transfer_unknown"           // transfer outcome unknown
	AttentionApproval    = "transfer_awaiting_approval" // custody waits for its own approver
	AttentionAddress     = "address_refused"            // custody calls the address wrong
	AttentionCaps        = "custody_cap"                // beyond custody's own caps
	AttentionTransfer    = "transfer_failed"            // replaced, removed or failed on the network
	AttentionUnconfirmed = "transfer_unconfirmed"       // sent, and not confirmed for too long
	AttentionPaused      = "paused"                     // rail, asset or all deliveries paused; continues automatically
	AttentionRisk        = "risk_review"                // compliance has yet to release it
	AttentionInternal    = "step_stuck"                 // our own fault; the log says more
)
