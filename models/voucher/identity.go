package voucher

import (
	"context"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// needsIdentity is the refusal of a voucher whose redeemer must be verified and is
// not: it is worth too much, or those they redeemed today (UTC) are together with it.
// Nil is no need.
func needsIdentity(ctx context.Context, db *store.DB, userID string, worth money.Units, terms VoucherTerms, now time.Time) (refusal, err error) {
	if worth.Cmp(terms.IdentityAbove) > 0 {
		return store.Forbidden("kyc_required", fmt.Sprintf("Please complete identity verification to redeem vouchers over %s", money.Dollars(terms.IdentityAbove))), nil
	}
	if terms.DayAbove.IsZero() {
		return nil, nil
	}
	var today money.Units
	err = db.Row(ctx, "SELECT coalesce(sum(base_price), 0) FROM voucher_redemptions WHERE user_id = $1 AND created_at >= $2 AND status <> 'restored'",
		userID, now.UTC().Truncate(24*time.Hour)).Scan(&today)
	if err != nil {
		return nil, fmt.Errorf("sum redemptions: %w", err)
	}
	if today.Add(worth).Cmp(terms.DayAbove) > 0 {
		return store.Forbidden("kyc_required", fmt.Sprintf("Please complete identity verification to redeem vouchers of more than %s a day", money.Dollars(terms.DayAbove))), nil
	}
	return nil, nil
}

// mayRedeem refuses a customer who must not redeem a voucher of this worth, and reports whether it needed their
// identity. It acquires the customer's lock, so that concurrent ones count each other.
func mayRedeem(ctx context.Context, db *store.DB, in NewRedemption, worth money.Units, now time.Time) (unverified bool, err error) {
	if err := ledger.LockCustomer(ctx, db, in.UserID); err != nil {
		return false, err
	}
	needs, err := needsIdentity(ctx, db, in.UserID, worth, in.Terms, now)
	if err != nil {
		return false, err
	}
	customer, _, err := kyc.ReadTerms(ctx, db, in.UserID)
	if err != nil {
		return false, err
	}
	return needs != nil, store.FirstError(customer.MayBegin(), customer.MayRedeem(needs))
}
