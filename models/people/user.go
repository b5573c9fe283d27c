package people

import (
	"context"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/store"
)

// User is a person with an account. An account belongs to one subject of one
// issuer, never to an e-mail address.
type User struct {
	ID               string `gorm:"primaryKey"`
	Issuer           string
	Subject          string
	Email            string
	EmailVerified    bool
	FirstName        string
	LastName         string
	ProfileImageURL  string
	Country          string
	TermsVersion     string
	TermsAcceptedAt  *time.Time
	AdultConfirmedAt *time.Time
	VolumeTier       string
	TierUntil        *time.Time
	DisabledAt       *time.Time
	FrozenAt         *time.Time
	RestrictedAt     *time.Time // by its owner: no new orders
	ClosedAt         *time.Time
	SignInAfter      *time.Time // an older sign-in at the issuer opens no session; by the wall's clock, as the issuer's
	CreatedAt        time.Time  `gorm:"default:clock_now()"`
	UpdatedAt        time.Time  `gorm:"autoUpdateTime:false;default:clock_now()"`
}

// Name is what staff and receipts call a person.
func (u *User) Name() string {
	return PersonName(u.FirstName, u.LastName, u.Email)
}

// ProvenAddress locks the row of an issuer's subject and returns their address if it is verified, or else an empty
// text.
func ProvenAddress(ctx context.Context, db *store.DB, issuer, subject string) (address string, err error) {
	err = db.ORM(ctx).Raw("SELECT email FROM users WHERE issuer = ? AND subject = ? AND email_verified FOR NO KEY UPDATE", issuer, subject).Scan(&address).Error
	if err != nil {
		return "", fmt.Errorf("read the address before: %w", err)
	}
	return address, nil
}

// Upsert stores what an issuer says of a person, and reports whether they are new. Empty fields leave what is known;
// a name that was corrected stays, and so does a country.
func Upsert(ctx context.Context, db *store.DB, said *User) (stored *User, isNew bool, err error) {
	var row struct {
		User  `gorm:"embedded"`
		IsNew bool
	}
	err = db.ORM(ctx).Raw(`
		INSERT INTO users (id, issuer, subject, email, email_verified, first_name, last_name, profile_image_url,
		                   country, terms_version, terms_accepted_at, adult_confirmed_at)
		VALUES (@id, @issuer, @subject, @email, @verified, @first, @last, @picture, @country, @terms, @accepted, @adult)
		ON CONFLICT (issuer, subject) DO UPDATE SET
		  email = coalesce(nullif(excluded.email, ''), users.email),
		  email_verified = CASE WHEN excluded.email = '' THEN users.email_verified ELSE excluded.email_verified END,
		  first_name = CASE WHEN users.name_corrected_at IS NULL THEN coalesce(nullif(excluded.first_name, ''), users.first_name) ELSE users.first_name END,
		  last_name = CASE WHEN users.name_corrected_at IS NULL THEN coalesce(nullif(excluded.last_name, ''), users.last_name) ELSE users.last_name END,
		  profile_image_url = excluded.profile_image_url,
		  country = CASE WHEN users.country = '' THEN excluded.country ELSE users.country END,
		  terms_version = coalesce(nullif(excluded.terms_version, ''), users.terms_version),
		  terms_accepted_at = coalesce(excluded.terms_accepted_at, users.terms_accepted_at),
		  adult_confirmed_at = coalesce(excluded.adult_confirmed_at, users.adult_confirmed_at),
		  updated_at = clock_now()
		RETURNING *, xmax = 0 AS is_new`, map[string]any{"id": store.NewID(), "issuer": said.Issuer, "subject": said.Subject,
		"email": said.Email, "verified": said.EmailVerified, "first": said.FirstName, "last": said.LastName,
		"picture": said.ProfileImageURL, "country": said.Country, "terms": said.TermsVersion,
		"accepted": said.TermsAcceptedAt, "adult": said.AdultConfirmedAt}).Scan(&row).Error
	if err != nil {
		return nil, false, fmt.Errorf("store user: %w", err)
	}
	return &row.User, row.IsNew, nil
}

// SetName stores a corrected name, which outlives later sign-ins.
func SetName(ctx context.Context, tx *store.DB, id, first, last string) error {
	err := tx.ORM(ctx).Exec(`UPDATE users SET first_name = ?, last_name = ?, name_corrected_at = clock_now(), updated_at = clock_now() WHERE id = ?`,
		first, last, id).Error
	if err != nil {
		return fmt.Errorf("store name: %w", err)
	}
	return nil
}

// SetCountry stores the country that documents prove.
func SetCountry(ctx context.Context, tx *store.DB, id, country string) error {
	if err := tx.ORM(ctx).Exec(`UPDATE users SET country = ?, updated_at = clock_now() WHERE id = ?`, country, id).Error; err != nil {
		return fmt.Errorf("correct country: %w", err)
	}
	return nil
}

// RequireNewSignIn records that sign-ins before this moment open no session.
func RequireNewSignIn(ctx context.Context, tx *store.DB, id string) error {
	return tx.ORM(ctx).Exec("UPDATE users SET sign_in_after = clock_timestamp() WHERE id = ?", id).Error
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

// Freeze records who froze a customer, and why. Staff have no role while frozen, so it returns an error if no admin
// would be left. The caller holds the team's lock (LockTeam).
func Freeze(ctx context.Context, tx *store.DB, id, by, reason string) error {
	err := tx.ORM(ctx).Exec("UPDATE users SET frozen_at = clock_now(), frozen_by = ?, frozen_reason = ?, version = version + 1, updated_at = clock_now() WHERE id = ?",
		by, reason, id).Error
	if err != nil {
		return fmt.Errorf("freeze customer: %w", err)
	}
	return checkAdminRemains(ctx, tx, id)
}

// Unfreeze lifts a customer's freeze.
func Unfreeze(ctx context.Context, tx *store.DB, id string) error {
	err := tx.ORM(ctx).Exec("UPDATE users SET frozen_at = NULL, frozen_by = NULL, frozen_reason = '', version = version + 1, updated_at = clock_now() WHERE id = ?", id).Error
	if err != nil {
		return fmt.Errorf("unfreeze customer: %w", err)
	}
	return nil
}

// SetTier gives a customer a tier, until a time when it is set by hand.
func SetTier(ctx context.Context, tx *store.DB, id, tier string, until *time.Time, by *string) error {
	err := tx.ORM(ctx).Exec("UPDATE users SET volume_tier = ?, tier_until = ?, tier_set_by = ?, version = version + 1, updated_at = clock_now() WHERE id = ?", tier, until, by, id).Error
	if err != nil {
		return fmt.Errorf("store tier: %w", err)
	}
	return nil
}

// FollowTiers is the query, to be named in a WITH, that gives customers the tiers that their
// volumes have earned: those of earned, with id, tier, volume_tier and tier_until as they are.
const FollowTiers = `UPDATE users u SET volume_tier = e.tier, tier_until = NULL, tier_set_by = NULL, version = version + 1, updated_at = clock_now()
			FROM earned e WHERE u.id = e.id AND e.tier IS NOT NULL AND u.closed_at IS NULL AND (e.tier <> e.volume_tier OR e.tier_until IS NOT NULL)
			RETURNING u.id, e.volume_tier AS was, e.tier, e.tier_until IS NOT NULL AS by_hand`

// Shut ends the account of a person who closed it. Their address is kept for a while, to notify them, and the records
// of a customer who traded for as long as the law requires.
func Shut(ctx context.Context, db *store.DB, userID string, now time.Time, forMail, byLaw time.Duration) error {
	err := db.ORM(ctx).Exec(`
		UPDATE users u SET closed_at = @now, disabled_at = coalesce(disabled_at, @now), updated_at = @now,
		       erase_after = greatest(CAST(@now AS timestamptz) + CAST(@mail AS interval), CAST(@law AS interval) + (SELECT max(t.at) FROM (
		         SELECT max(updated_at) AS at FROM orders WHERE user_id = u.id UNION ALL SELECT max(updated_at) FROM gift_cards WHERE user_id = u.id
		         UNION ALL SELECT max(p.at) FROM postings p JOIN accounts a ON a.code IN (p.from_account, p.to_account) WHERE a.user_id = u.id) t))
		 WHERE id = @user`, map[string]any{"now": now, "mail": store.Seconds(forMail), "law": store.Seconds(byLaw), "user": userID}).Error
	if err != nil {
		return fmt.Errorf("end account: %w", err)
	}
	return nil
}
