package account

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/store"
)

// Profile is a person's own data, which they read and change.
type Profile struct {
	Email, FirstName, LastName, Country string
	// Verified is a name that an identity check has confirmed: it is put right
	// by a person, on a ticket.
	Verified     bool
	RestrictedAt *time.Time
	Preferences  Preferences
}

// ReadProfile reads a person's profile.
func ReadProfile(ctx context.Context, db *store.DB, userID string) (*Profile, error) {
	account, err := ReadAccount(ctx, db, userID)
	if err != nil {
		return nil, err
	}
	preferences, err := PreferencesOf(ctx, db, userID)
	if err != nil {
		return nil, err
	}
	return &Profile{Email: account.Email, FirstName: account.FirstName, LastName: account.LastName, Country: account.Country,
		Verified: account.KYC.Verified() || account.KYC.Status == kyc.KYCPending, RestrictedAt: account.RestrictedAt, Preferences: *preferences}, nil
}

// maxName bounds each part of a name, in characters.
const maxName = 60

// CorrectName changes a customer's name. The change outlives later sign-ins, whatever the identity provider reports;
// a name that an identity check has confirmed, or is checking, is not changed here.
func CorrectName(ctx context.Context, db *store.DB, userID, first, last string) error {
	for _, part := range []struct {
		field string
		name  *string
	}{{"firstName", &first}, {"lastName", &last}} {
		*part.name = strings.Join(strings.Fields(*part.name), " ")
		if len([]rune(*part.name)) > maxName || strings.ContainsFunc(*part.name, notInNames) {
			return store.Invalid(part.field, "invalid_name", "Use at most 60 letters")
		}
	}
	if first == "" {
		return store.Invalid("firstName", "required", "Enter your first name")
	}
	return db.Tx(ctx, func(tx *store.DB) error {
		record, err := kyc.KYC(ctx, tx, userID)
		if err != nil {
			return err
		}
		if record.Verified() || record.Status == kyc.KYCPending {
			return store.Conflict("name_verified", "Your name comes from your identity verification. Open a ticket to correct it.")
		}
		err = tx.ORM(ctx).Exec(`UPDATE users SET first_name = ?, last_name = ?, name_corrected_at = clock_now(), updated_at = clock_now() WHERE id = ?`,
			first, last, userID).Error
		if err != nil {
			return fmt.Errorf("store name: %w", err)
		}
		return nil
	})
}

// notInNames refuses characters that are not displayed, or that could form a formula, an address or a link.
func notInNames(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsMark(r) && !strings.ContainsRune(" '’.-,", r)
}

// Restrict stops an account from placing new orders, or allows them again, at its owner's request. Open orders
// continue, and payouts stay possible.
func Restrict(ctx context.Context, db *store.DB, userID string, restricted bool) error {
	err := db.ORM(ctx).Exec(`UPDATE users SET restricted_at = CASE WHEN ? THEN coalesce(restricted_at, clock_now()) END, updated_at = clock_now() WHERE id = ?`,
		restricted, userID).Error
	if err != nil {
		return fmt.Errorf("restrict account: %w", err)
	}
	return nil
}
