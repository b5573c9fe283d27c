package main

import (
	"fmt"
)

// checkVouchers: each voucher pays once, the coin it owes to the address it was redeemed to, and a restored one pays
// nothing.
func checkVouchers(x *index) (all []Violation) {
	paid := map[string]string{}
	for _, r := range x.Redemptions {
		bad := func(what string, args ...any) {
			all = append(all, Violation{"", "redemption " + r.ID + " " + fmt.Sprintf(what, args...), "voucher_redemptions, withdrawals, BitGo's transfers"})
		}
		var live []TransferFact
		for _, t := range x.arrived[r.DestAddress] {
			if t.alive() {
				live = append(live, t)
			}
		}
		switch {
		case r.ClosedAt == nil:
			bad("never came to rest: %s", r.Status)
		case r.Status != "sent":
			if len(live) > 0 {
				bad("is %s, and coin is on its way", r.Status)
			}
			continue
		case len(live) != 1:
			bad("was sent, and %d transfers are on their way", len(live))
			continue
		case live[0].Value.Cmp(r.Amount) != 0 || live[0].Currency != r.Asset || live[0].TxID != deref(r.Txid):
			bad("owes %s %s with %s, and %s %s went with %s", r.Amount, r.Asset, deref(r.Txid), live[0].Value, live[0].Currency, live[0].TxID)
		}
		if other, twice := paid[r.VoucherID]; twice {
			bad("pays the voucher that %s has paid", other)
		}
		paid[r.VoucherID] = r.ID
	}
	return all
}
