package kyc

import (
	"context"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/store"
)

// CustomerTerms is what a customer may do and on what terms.
type CustomerTerms struct {
	Level      string
	Revoked    bool
	VolumeTier string
	Disabled   bool
	Frozen     bool
	Restricted bool
	Unproven   bool // the address is not verified as theirs
	Country    string
	Pricing    int64 // the version of the pricing then
	Now        time.Time
}

// RevokedIdentity is the condition that the identity of a row k of kyc_records was
// withdrawn, or has run out.
const RevokedIdentity = `k.revoked_at IS NOT NULL OR coalesce(k.expires_at <= clock_now(), false)`

// ReadTerms reads a customer's terms and the database's time in one query.
func ReadTerms(ctx context.Context, db *store.DB, userID string) (t CustomerTerms, now time.Time, err error) {
	err = db.Row(ctx, `
		SELECT coalesce(k.level, 'none'), `+RevokedIdentity+`, u.volume_tier, u.disabled_at IS NOT NULL, u.frozen_at IS NOT NULL, u.restricted_at IS NOT NULL, NOT u.email_verified, u.country,
		       (SELECT version FROM pricing_state), clock_now()
		  FROM users u LEFT JOIN kyc_records k ON k.user_id = u.id WHERE u.id = $1`, userID).
		Scan(&t.Level, &t.Revoked, &t.VolumeTier, &t.Disabled, &t.Frozen, &t.Restricted, &t.Unproven, &t.Country, &t.Pricing, &t.Now)
	if store.IsMissing(err) {
		return CustomerTerms{}, time.Time{}, store.NotFound("Customer")
	}
	if err != nil {
		return CustomerTerms{}, time.Time{}, fmt.Errorf("read customer: %w", err)
	}
	return t, t.Now, nil
}

// Verified is true only for a level that is known to be one.
func (t CustomerTerms) Verified() bool {
	return (t.Level == KYCStandard || t.Level == KYCEnhanced) && !t.Revoked
}

// MayBuy refuses customers who must not buy, with the texts of specification §5.
func (t CustomerTerms) MayBuy() error {
	if err := t.Open(); err != nil {
		return err
	}
	if !t.Verified() {
		return store.Forbidden("kyc_required", "Please complete identity verification before making purchases")
	}
	return nil
}

// errUnproven refuses a customer with an unverified e-mail address.
var errUnproven = store.Forbidden("email_unverified", "Confirm your e-mail address first. Use the link in our e-mail.")

// Open refuses customers whose account was closed or frozen.
func (t CustomerTerms) Open() error {
	if t.Disabled || t.Frozen {
		return store.Forbidden("account_frozen", "You can't buy right now. Contact support.")
	}
	return nil
}

// MayBegin refuses customers who restricted their account, and those whose address is unverified: messages
// about money and safety could reach another person. Open records continue.
func (t CustomerTerms) MayBegin() error {
	if t.Restricted {
		return store.Forbidden("account_restricted", "You restricted your account. Remove the restriction in your settings first.")
	}
	if t.Unproven {
		return errUnproven
	}
	return nil
}

// Frozen reports whether a customer is frozen. It holds their row for the rest of the transaction: a concurrent
// unfreeze sees what blocked because of it.
func Frozen(ctx context.Context, db *store.DB, userID string) (bool, error) {
	var frozen bool
	err := db.Row(ctx, "SELECT frozen_at IS NOT NULL FROM users WHERE id = $1 FOR SHARE", userID).Scan(&frozen)
	if err != nil {
		return false, fmt.Errorf("read customer: %w", err)
	}
	return frozen, nil
}

// MayRedeem refuses customers who must not redeem; needs is the refusal of unverified ones.
func (t CustomerTerms) MayRedeem(needs error) error {
	switch {
	case t.Disabled || t.Frozen:
		return store.Forbidden("account_frozen", "You can't redeem vouchers right now. Contact support.")
	case needs != nil && !t.Verified():
		return needs
	}
	return nil
}
