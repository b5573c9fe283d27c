package models

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"
)

// Profile is what a person sees and changes of themselves.
type Profile struct {
	Email, FirstName, LastName, Country string
	// Verified is a name that an identity check has confirmed: it is put right
	// by a person, on a ticket.
	Verified     bool
	RestrictedAt *time.Time
	Preferences  Preferences
}

// Profile reads a person's profile.
func (db *DB) Profile(ctx context.Context, userID string) (*Profile, error) {
	account, err := db.Account(ctx, userID)
	if err != nil {
		return nil, err
	}
	preferences, err := db.PreferencesOf(ctx, userID)
	if err != nil {
		return nil, err
	}
	return &Profile{Email: account.Email, FirstName: account.FirstName, LastName: account.LastName, Country: account.Country,
		Verified: account.KYC.Verified() || account.KYC.Status == KYCPending, RestrictedAt: account.RestrictedAt, Preferences: *preferences}, nil
}

// maxName bounds each part of a name, in characters.
const maxName = 60

// CorrectName puts a person's name right. It is theirs from then on, whatever
// the identity provider says at a sign-in; but a name that an identity check has
// confirmed, or is looking at, is not changed here.
func (db *DB) CorrectName(ctx context.Context, userID, first, last string) error {
	for _, part := range []struct {
		field string
		name  *string
	}{{"firstName", &first}, {"lastName", &last}} {
		*part.name = strings.Join(strings.Fields(*part.name), " ")
		if len([]rune(*part.name)) > maxName || strings.ContainsFunc(*part.name, notInNames) {
			return Invalid(part.field, "invalid_name", "Use at most 60 letters")
		}
	}
	if first == "" {
		return Invalid("firstName", "required", "Enter your first name")
	}
	return db.Tx(ctx, func(tx *DB) error {
		record, err := tx.KYC(ctx, userID)
		if err != nil {
			return err
		}
		if record.Verified() || record.Status == KYCPending {
			return Conflict("name_verified", "Your name comes from your identity verification. Open a ticket to correct it.")
		}
		err = tx.orm(ctx).Exec(`UPDATE users SET first_name = ?, last_name = ?, name_corrected_at = clock_now(), updated_at = clock_now() WHERE id = ?`,
			first, last, userID).Error
		if err != nil {
			return fmt.Errorf("store name: %w", err)
		}
		return nil
	})
}

// notInNames refuses what no name holds: what is not shown, and what could be
// taken for a formula, an address or a page.
func notInNames(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsMark(r) && !strings.ContainsRune(" '’.-,", r)
}

// Restrict keeps an account from new orders, or lets it make them again, as its
// owner asks. What is under way goes on, and money can still be taken out.
func (db *DB) Restrict(ctx context.Context, userID string, restricted bool) error {
	err := db.orm(ctx).Exec(`UPDATE users SET restricted_at = CASE WHEN ? THEN coalesce(restricted_at, clock_now()) END, updated_at = clock_now() WHERE id = ?`,
		restricted, userID).Error
	if err != nil {
		return fmt.Errorf("restrict account: %w", err)
	}
	return nil
}
