package order

import (
	"slices"
	"time"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/store"
)

// Mailings is the one table of events and the mails they cause.
var Mailings = []casework.Mailing{
	{Event: "created", Kind: "order_created"},
	{Event: "confirmation_requested", Kind: MailConfirmOrder},
	{Event: "captured", Kind: "payment_approved", Once: true},
	{Event: "receipt_confirmed", Kind: "payment_approved", Once: true},
	{Event: "paid_from_balance", Kind: "payment_approved", Once: true},
	{Event: "declined", Kind: "payment_declined"},
	{Event: "expired", Kind: "order_expired"},
	{Event: "address_held", Kind: MailAddressHeld},
	{Event: "address_unconfirmed", Kind: "address_unconfirmed"},
	{Event: "address_amended", Kind: "address_amended"},
	{Event: "sent", Kind: "order_sent"},
	{Event: "failed", Kind: "order_failed", Once: true, After: time.Minute},
	{Event: "price_waiting", Kind: "price_waiting", Replaces: "order_failed"},
	{Event: "choice_offered", Kind: "choice_offered", Replaces: "order_failed"},
	{Event: "money_short", Kind: "money_short"},
	{Event: "money_over", Kind: "money_over"},
	{Event: "money_late", Kind: "money_late", Replaces: "order_expired"},
	{Event: "money_credited", Kind: "money_credited"},
	{Event: "surplus_held", Kind: "surplus_held"},
	{Event: "surplus_credited", Kind: "surplus_credited"},
	{Event: "surplus_returning", Kind: "surplus_returning"},
	{Event: "surplus_returned", Kind: "surplus_returned"},
	{Event: "receipt_reversed", Kind: "receipt_reversed"},
	{Event: "money_returned", Kind: "money_returned"},
	{Event: "return_reinstated", Kind: "return_reinstated"},
	{Event: "attention", Reason: casework.AttentionAddress, Kind: "address_refused"},
	{Event: "attention", Reason: AttentionDisputed, Kind: "payment_disputed", Once: true},
	{Event: "attention", Reason: AttentionRefundFailed, Kind: "refund_bounced"},
	{Event: "attention", Reason: casework.AttentionCustomer, Kind: "order_frozen", Once: true},
	{Event: "held", Kind: "order_held"},
	{Event: "refunded", Kind: "refunded"},
	{Event: "refunded_in_part", Kind: "refunded_in_part"},
	{Event: "coin_offered", Kind: MailCoinOffered},
	{Event: "coin_restored", Kind: "coin_restored"},
	{Event: "authorisation_expiring", Kind: "authorisation_expiring", Roles: store.Cashiers},
	{Event: "dispute_opened", Kind: "dispute_opened", Roles: store.Cashiers},
	{Event: "dispute_won", Kind: "dispute_won", Roles: store.Cashiers},
	{Event: "dispute_lost", Kind: "dispute_lost", Roles: store.Cashiers},
	{Event: "refunded_at_provider", Kind: "refunded_at_provider", Roles: store.Cashiers},
}

// paying are the events after which no payment request is sent for an order any more.
var paying = []string{"confirmation_requested", "payment_submitted", "authorised", "captured", "receipt_confirmed", "paid_from_balance", "money_received", "money_short", "money_over",
	"declined", "cancelled", "expired"}

// mailingsOf are the mails that an event of an order causes.
func mailingsOf(e casework.Event) []casework.Mailing {
	caused := slices.DeleteFunc(slices.Clone(Mailings), func(m casework.Mailing) bool {
		return m.Event != e.Kind || m.Reason != "" && m.Reason != e.Data["reason"]
	})
	for i := range caused {
		caused[i].After = max(caused[i].After, e.MailAfter)
	}
	return caused
}

// orderMailOnce is the key that makes a mail of once for the order, or once for each repeated event, one mail; other
// mails are sent for every event.
func orderMailOnce(m casework.Mailing, e casework.Event) *string {
	dedupe := m.Kind
	switch {
	case m.Once:
	case e.Dedupe != "":
		dedupe += ":" + e.Dedupe
	default:
		return nil
	}
	return &dedupe
}
