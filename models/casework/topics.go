package casework

// Topics a customer can unsubscribe from. Mails about money that was sent, a choice with a deadline, or the safety of
// an account have no topic: they are always sent.
const (
	TopicOrders    = "orders"
	TopicCards     = "gift_cards" // and vouchers
	TopicSupport   = "support"
	TopicReferrals = "referrals"
	TopicApprovals = "approvals" // of staff alone
)

// TopicOf is the one table of mails that customers may do without.
var TopicOf = map[string]string{
	"order_created":      TopicOrders,
	"payment_approved":   TopicOrders,
	"order_expired":      TopicOrders,
	"order_sent":         TopicOrders,
	"gift_card_received": TopicCards,
	"gift_card_approved": TopicCards,
	"gift_card_rejected": TopicCards,
	"gift_card_expired":  TopicCards,
	"voucher_redeemed":   TopicCards,
	"voucher_sent":       TopicCards,
	"ticket_answered":    TopicSupport,

	"referral_rewarded":     TopicReferrals,
	"signup_bonus_credited": TopicReferrals,

	"approvals_waiting": TopicApprovals,
}
