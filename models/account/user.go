package account

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lib/pq"

	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/referral"
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
	return store.PersonName(u.FirstName, u.LastName, u.Email)
}

// Claims are what an issuer says of a person at sign-in.
type Claims struct {
	Issuer, Subject     string
	Email               string
	EmailVerified       bool
	EmailVerifiedAt     *time.Time // when the address was proved; nil when the issuer did not say
	FirstName, LastName string
	Picture             string
	Country             string
	TermsVersion        string
	TermsAcceptedAt     *time.Time
	AdultConfirmedAt    *time.Time
	Consents            []Consent  // that the sign-up gave
	IssuedAt            time.Time  // when the issuer said so
	AuthenticatedAt     *time.Time // when the person proved who they are; nil when the issuer did not say
}

// Proved is when the person authenticated, as far as known: an issuer that was asked for a new authentication and
// states no auth_time has done it by IssuedAt.
func (c Claims) Proved(anew bool) *time.Time {
	if c.AuthenticatedAt == nil && anew {
		return &c.IssuedAt
	}
	return c.AuthenticatedAt
}

// freshly is the longest time from a person's new authentication to their return from the issuer: the longest
// duration of a sign-in.
const freshly = LoginLifetime

// MayEnter reports whether the sign-in that c describes is newer than the last end of the person's sessions. anew is
// that the issuer was asked for a new authentication; this is trusted, unless its auth_time shows an old one.
func (u *User) MayEnter(c Claims, anew bool) bool {
	switch {
	case u.SignInAfter == nil:
		return true
	case anew:
		return c.AuthenticatedAt == nil || c.IssuedAt.Sub(*c.AuthenticatedAt) <= freshly
	}
	// auth_time is in whole seconds: one of the same second may be older, so that a new authentication is needed.
	return c.AuthenticatedAt != nil && !c.AuthenticatedAt.Before(*u.SignInAfter)
}

// SignIn finds or makes the account of an issuer's subject and refreshes what
// the issuer says of it; empty claims leave what is known. Roles promised to
// the address are granted once, and only when this issuer says that the
// address is verified. The country is the issuer's only until an identity
// check has corrected it.
//
// Who is new here is promised what their arrival says.
func SignIn(ctx context.Context, db *store.DB, claims Claims, arrival referral.Arrival) (*User, error) {
	var user User
	err := db.Tx(ctx, func(tx *store.DB) error {
		before, err := provenAddress(ctx, tx, claims)
		if err != nil {
			return err
		}
		isNew, err := upsertUser(ctx, tx, claims, &user)
		if err != nil {
			return err
		}
		if err := mailAddressChange(ctx, tx, &user, before); err != nil {
			return err
		}
		if err := ledger.OpenCustomerAccounts(ctx, tx, user.ID); err != nil {
			return err
		}
		if err := GiveConsents(ctx, tx, user.ID, claims.Consents); err != nil {
			return err
		}
		if isNew {
			if err := pricing.LetsIn(ctx, tx); err != nil {
				return err
			}
			if err := referral.PromiseRewards(ctx, tx, user.ID, user.Email, arrival); err != nil {
				return err
			}
			if err := beginIn(ctx, tx, user.ID, arrival.Language); err != nil {
				return err
			}
		}
		if user.DisabledAt != nil {
			return store.Forbidden("account_disabled", "This account is disabled. Contact support.")
		}
		if !claims.EmailVerified {
			return nil
		}
		return honourGrants(ctx, tx, &user, claims.EmailVerifiedAt)
	})
	if err != nil {
		return nil, err
	}
	return &user, nil
}

// emailChanged is what an account's timeline calls another address, and the mail that
// goes to the one before.
const emailChanged = "email_changed"

// provenAddress is the verified address that an issuer's subject had until now, or
// empty.
func provenAddress(ctx context.Context, db *store.DB, claims Claims) (address string, err error) {
	err = db.ORM(ctx).Raw("SELECT email FROM users WHERE issuer = ? AND subject = ? AND email_verified FOR NO KEY UPDATE", claims.Issuer, claims.Subject).Scan(&address).Error
	if err != nil {
		return "", fmt.Errorf("read the address before: %w", err)
	}
	return address, nil
}

// mailAddressChange notifies the former address that another one replaced it: the person who signs in with the new one may
// not be the owner of the old one.
func mailAddressChange(ctx context.Context, db *store.DB, user *User, before string) error {
	if before == "" || strings.EqualFold(before, user.Email) {
		return nil
	}
	if err := casework.Append(ctx, db, accountSecurity(user.ID, emailChanged), casework.Event{Kind: emailChanged, Actor: casework.ByCustomer}); err != nil {
		return err
	}
	return casework.AddressMail(ctx, db, user.ID, emailChanged, before)
}

func upsertUser(ctx context.Context, db *store.DB, claims Claims, user *User) (isNew bool, err error) {
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
		RETURNING *, xmax = 0 AS is_new`, map[string]any{"id": store.NewID(), "issuer": claims.Issuer, "subject": claims.Subject,
		"email": claims.Email, "verified": claims.EmailVerified, "first": claims.FirstName, "last": claims.LastName,
		"picture": claims.Picture, "country": claims.Country, "terms": claims.TermsVersion,
		"accepted": claims.TermsAcceptedAt, "adult": claims.AdultConfirmedAt}).Scan(&row).Error
	if err != nil {
		return false, fmt.Errorf("store user: %w", err)
	}
	*user = row.User
	return row.IsNew, nil
}

// honourGrants turns the roles promised to a verified address into roles, once. An address that was verified before
// the promise gains no role: its owner at that time need not be the person meant.
func honourGrants(ctx context.Context, db *store.DB, user *User, proved *time.Time) error {
	var granted []struct{ Role, GrantedBy string }
	err := db.ORM(ctx).Raw(`DELETE FROM pending_grants WHERE issuer = ? AND email = ? AND coalesce(promised_at <= CAST(? AS timestamptz), true) RETURNING role, granted_by`,
		user.Issuer, strings.ToLower(user.Email), proved).Scan(&granted).Error
	if err != nil {
		return fmt.Errorf("read promised roles: %w", err)
	}
	for _, g := range granted {
		if err := grant(ctx, db, user.ID, g.Role, g.GrantedBy); err != nil {
			return err
		}
	}
	return nil
}

func grant(ctx context.Context, db *store.DB, userID, role, by string) error {
	result := db.ORM(ctx).Exec(`INSERT INTO user_roles (user_id, role, granted_by) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`, userID, role, by)
	if result.Error != nil {
		return fmt.Errorf("grant role: %w", result.Error)
	}
	if result.RowsAffected == 0 {
		return nil
	}
	return audit.Audit(ctx, db, audit.AuditEntry{ActorRole: "system", Action: "role_granted", ObjectKind: "user", ObjectID: userID,
		After: map[string]any{"role": role, "by": by}})
}

// GrantRole gives a role to the account with a verified e-mail address at an
// issuer, or promises it to the address until its first verified sign-in. It
// is what the `admin grant` command does; granted reports which of the two.
func GrantRole(ctx context.Context, db *store.DB, issuer, email, role, by string) (granted bool, err error) {
	if !slices.Contains(store.StaffRoles, role) {
		return false, store.Invalid("role", "unknown_role", "Unknown role; choose one of "+strings.Join(store.StaffRoles, ", "))
	}
	email = strings.ToLower(strings.TrimSpace(email))
	err = db.Tx(ctx, func(tx *store.DB) error {
		var ids pq.StringArray
		err := tx.ORM(ctx).Raw(`SELECT coalesce(array_agg(id::text), '{}') FROM users WHERE issuer = ? AND lower(email) = ? AND email_verified`, issuer, email).Row().Scan(&ids)
		if err != nil {
			return fmt.Errorf("find user: %w", err)
		}
		if len(ids) > 1 {
			return store.Conflict("ambiguous_email", "Several accounts of this issuer have this address")
		}
		if granted = len(ids) == 1; granted {
			return grant(ctx, tx, ids[0], role, by)
		}
		return promise(ctx, tx, issuer, email, role, by)
	})
	return granted, err
}

// SetRoles gives and removes roles until a user has exactly these.
func SetRoles(ctx context.Context, tx *store.DB, userID string, roles []string, by string) error {
	err := tx.ORM(ctx).Exec("DELETE FROM user_roles WHERE user_id = ? AND role <> ALL(?)", userID, pq.StringArray(roles)).Error
	for _, role := range roles {
		if err == nil {
			err = tx.ORM(ctx).Exec("INSERT INTO user_roles (user_id, role, granted_by) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", userID, role, by).Error
		}
	}
	if err != nil {
		return fmt.Errorf("store roles: %w", err)
	}
	return nil
}

// promise keeps a role for an address until its first verified sign-in. The
// log names the issuer and the role; the address stays in its row.
func promise(ctx context.Context, db *store.DB, issuer, email, role, by string) error {
	result := db.ORM(ctx).Exec(`INSERT INTO pending_grants (issuer, email, role, granted_by) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`, issuer, email, role, by)
	if result.Error != nil {
		return fmt.Errorf("promise role: %w", result.Error)
	}
	if result.RowsAffected == 0 {
		return nil
	}
	return audit.Audit(ctx, db, audit.AuditEntry{ActorRole: "system", Action: "role_promised", ObjectKind: "issuer", ObjectID: issuer,
		After: map[string]any{"role": role, "by": by}})
}

// Account is a person with what the session page shows beside their row.
type Account struct {
	User
	Roles   []string
	Balance money.Units // US cents
	KYC     kyc.KYCRecord
	Agreed  []string // versions they have agreed to, as AgreedTo
}

// ReadAccount reads a person's account, in one query.
func ReadAccount(ctx context.Context, db *store.DB, userID string) (*Account, error) {
	type row struct {
		User
		Granted, Agreed                  []string
		Balance                          money.Units
		KYCLevel, KYCStatus, KYCReason   string
		KYCApplicantID                   string
		KYCCanRetry, KYCOnHold           bool
		KYCRevokedAt, KYCAt, KYCPolledAt *time.Time
	}
	rows, err := store.RowsOf[row](ctx, db, `
		SELECT u.id, u.issuer, u.subject, u.email, u.email_verified, u.first_name, u.last_name, u.profile_image_url, u.country,
		       u.terms_version, u.terms_accepted_at, u.adult_confirmed_at, u.volume_tier, u.tier_until, u.disabled_at, u.frozen_at,
		       u.restricted_at, u.closed_at, u.created_at, u.updated_at,
		       (SELECT coalesce(array_agg(role ORDER BY role), '{}') FROM user_roles WHERE user_id = u.id) AS granted,
		       (`+agreedTo+`) AS agreed,
		       coalesce((SELECT amount FROM customer_balances WHERE account = $2 AND currency = 'USD'), 0) AS balance,
		       coalesce(k.level, 'none') AS kyc_level, coalesce(k.status, 'not_started') AS kyc_status,
		       coalesce(k.can_retry, true) AS kyc_can_retry, coalesce(k.on_hold, false) AS kyc_on_hold, coalesce(k.reason, '') AS kyc_reason,
		       coalesce(k.applicant_id, '') AS kyc_applicant_id, k.revoked_at AS kyc_revoked_at, k.provider_at AS kyc_at, k.polled_at AS kyc_polled_at
		  FROM users u LEFT JOIN kyc_records k ON k.user_id = u.id WHERE u.id = $1`, userID, ledger.CustomerBalance(userID))
	if err != nil {
		return nil, fmt.Errorf("read account: %w", err)
	}
	if len(rows) == 0 {
		return nil, store.NotFound("User")
	}
	r := rows[0]
	return &Account{User: r.User, Roles: r.Granted, Agreed: r.Agreed, Balance: r.Balance, KYC: kyc.KYCRecord{UserID: userID, Level: r.KYCLevel, Status: r.KYCStatus,
		CanRetry: r.KYCCanRetry, OnHold: r.KYCOnHold, Reason: r.KYCReason, ApplicantID: r.KYCApplicantID,
		RevokedAt: r.KYCRevokedAt, ProviderAt: r.KYCAt, PolledAt: r.KYCPolledAt}}, nil
}
