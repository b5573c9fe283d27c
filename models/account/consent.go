package account

import (
	"context"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/store"
)

// Consent is a version of a document that a person has agreed to.
type Consent struct {
	Document      string
	Version       string
	Language      string // of the text shown; empty where it was not recorded, as the hash
	TextSHA256    string
	AddressPrefix string // of the network that it came from
	AtSignUp      bool
	GivenAt       time.Time
}

// GiveConsents records what a person agrees to. What they have agreed to before stays as it is.
func GiveConsents(ctx context.Context, db *store.DB, userID string, given []Consent) error {
	for _, c := range given {
		var at any
		if !c.GivenAt.IsZero() {
			at = c.GivenAt
		}
		err := db.ORM(ctx).Exec(`INSERT INTO consents (user_id, document, version, language, text_sha256, address_prefix, at_sign_up, given_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, coalesce(CAST(? AS timestamptz), clock_now())) ON CONFLICT DO NOTHING`,
			userID, c.Document, c.Version, c.Language, c.TextSHA256, c.AddressPrefix, c.AtSignUp, at).Error
		if err != nil {
			return fmt.Errorf("store consent: %w", err)
		}
	}
	return nil
}

// ConsentsOf are a person's consents, the latest first.
func ConsentsOf(ctx context.Context, db *store.DB, userID string) ([]Consent, error) {
	rows, err := store.RowsOf[Consent](ctx, db, `SELECT document, version, language, text_sha256, address_prefix, at_sign_up, given_at
		FROM consents WHERE user_id = $1 ORDER BY given_at DESC, document`, userID)
	if err != nil {
		return nil, fmt.Errorf("read consents: %w", err)
	}
	return rows, nil
}

// AgreedTo are the versions that a person has agreed to, as document and version.
func AgreedTo(ctx context.Context, db *store.DB, userID string) (keys []string, err error) {
	if err := db.Row(ctx, agreedTo, userID).Scan(&keys); err != nil {
		return nil, fmt.Errorf("read consents: %w", err)
	}
	return keys, nil
}

const agreedTo = `SELECT coalesce(array_agg(document || ' ' || version), '{}') FROM consents WHERE user_id = $1`
