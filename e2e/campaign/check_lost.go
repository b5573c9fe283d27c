package main

import (
	"fmt"
	"slices"
)

// checkLost: what a backup did not have was done at providers once at most, and was
// made good: an order without a row got its coin, or its money back and no hold; a
// voucher whose redemption is lost has paid once.
func checkLost(x *index) (all []Violation) {
	coin := map[string]int{}
	for _, t := range x.Transfers {
		if owner, ours := x.Lost.sentTo(t.Address); ours && t.alive() {
			coin[owner]++
		}
	}
	for _, o := range x.Lost.Orders {
		bad := func(what string, args ...any) {
			all = append(all, Violation{o.ID, "was lost with a backup, and " + fmt.Sprintf(what, args...), "BitGo's transfers, Stripe's payments"})
		}
		if slices.ContainsFunc(x.Orders, func(there OrderFact) bool { return there.ID == o.ID }) {
			bad("is there")
		}
		if coin[o.ID] > 1 {
			bad("%d transfers of it are on their way", coin[o.ID])
		}
		left := int64(0)
		for _, i := range x.intents[o.ID] {
			left += i.Received - i.Refunded - i.Withdrawn + i.Reinstated
			if i.Status == "requires_capture" {
				bad("a hold on its card stands")
			}
		}
		if coin[o.ID] == 0 && left > 0 {
			bad("%d cents of it stay at Stripe without coin", left)
		}
		if left < 0 {
			bad("%d cents more than came went back", -left)
		}
	}
	for _, r := range x.Lost.Redemptions {
		again := slices.ContainsFunc(x.Redemptions, func(there RedemptionFact) bool { return there.VoucherID == r.VoucherID && there.Status == "sent" })
		if coin[r.ID] > 1 || coin[r.ID] == 1 && again {
			all = append(all, Violation{"", "the voucher " + r.VoucherID + ", whose redemption was lost with a backup, pays twice", "voucher_redemptions, BitGo's transfers"})
		}
	}
	return all
}
