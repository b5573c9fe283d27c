package account

import (
	"context"
	"time"

	"github.com/tradepost/tradepost/internal/typed"
	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/people"
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

// CorrectName changes a customer's name. The change outlives later sign-ins, whatever the identity provider reports;
// a name that an identity check has confirmed, or is checking, is not changed here.
func CorrectName(ctx context.Context, db *store.DB, userID, first, last string) error {
	for _, part := range []struct {
		field string
		name  *string
	}{{"firstName", &first}, {"lastName", &last}} {
		var fault typed.NameFault
		switch *part.name, fault = typed.Name(*part.name); {
		case fault == typed.NameLong:
			return store.Invalid(part.field, "invalid_name", "Use at most 60 characters")
		case fault == typed.NameControl, fault == typed.NameEmpty && *part.name != "":
			return store.Invalid(part.field, "invalid_name", "Remove the characters that are not displayed")
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
		return people.SetName(ctx, tx, userID, first, last)
	})
}
