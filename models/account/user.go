package account

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lib/pq"

	"github.com/tradepost/tradepost/internal/typed"
	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/referral"
	"github.com/tradepost/tradepost/models/store"
)

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
func (c Claims) MayEnter(u *people.User, anew bool) bool {
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
func SignIn(ctx context.Context, db *store.DB, claims Claims, arrival referral.Arrival) (*people.User, error) {
	var user *people.User
	err := db.Tx(ctx, func(tx *store.DB) error {
		before, err := people.ProvenAddress(ctx, tx, claims.Issuer, claims.Subject)
		if err != nil {
			return err
		}
		stored, isNew, err := people.Upsert(ctx, tx, claims.user())
		if err != nil {
			return err
		}
		user = stored
		if err := mailAddressChange(ctx, tx, user, before); err != nil {
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
		return honourGrants(ctx, tx, user, claims.EmailVerifiedAt)
	})
	if err != nil {
		return nil, err
	}
	return user, nil
}

// user is the person's row as the issuer describes it.
func (c Claims) user() *people.User {
	return &people.User{Issuer: c.Issuer, Subject: c.Subject, Email: c.Email, EmailVerified: c.EmailVerified,
		FirstName: shown(c.FirstName), LastName: shown(c.LastName), ProfileImageURL: c.Picture, Country: c.Country, TermsVersion: c.TermsVersion,
		TermsAcceptedAt: c.TermsAcceptedAt, AdultConfirmedAt: c.AdultConfirmedAt}
}

// shown is a name as an issuer says it, or none if it is not displayed as one.
func shown(name string) string {
	clean, fault := typed.Name(name)
	if fault == typed.NameControl || fault == typed.NameEmpty {
		return ""
	}
	return clean
}

// emailChanged is what an account's timeline calls another address, and the mail that
// goes to the one before.
const emailChanged = "email_changed"

// mailAddressChange notifies the former address that another one replaced it: the person who signs in with the new one may
// not be the owner of the old one.
func mailAddressChange(ctx context.Context, db *store.DB, user *people.User, before string) error {
	if before == "" || typed.EmailKey(before) == typed.EmailKey(user.Email) {
		return nil
	}
	if err := casework.Append(ctx, db, accountSecurity(user.ID, emailChanged), casework.Event{Kind: emailChanged, Actor: casework.ByCustomer}); err != nil {
		return err
	}
	return casework.AddressMail(ctx, db, user.ID, emailChanged, before)
}

// honourGrants turns the roles promised to a verified address into roles, once. An address that was verified before
// the promise gains no role: its owner at that time need not be the person meant.
func honourGrants(ctx context.Context, db *store.DB, user *people.User, proved *time.Time) error {
	var granted []struct{ Role, GrantedBy string }
	err := db.ORM(ctx).Raw(`DELETE FROM pending_grants WHERE issuer = ? AND email IN ? AND coalesce(promised_at <= CAST(? AS timestamptz), true) RETURNING role, granted_by`,
		user.Issuer, typed.EmailForms(user.Email), proved).Scan(&granted).Error
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
	added, err := people.Grant(ctx, db, userID, role, by)
	if err != nil || !added {
		return err
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
	email = typed.EmailKey(email)
	err = db.Tx(ctx, func(tx *store.DB) error {
		var ids pq.StringArray
		err := tx.ORM(ctx).Raw(`SELECT coalesce(array_agg(id::text), '{}') FROM users WHERE issuer = ? AND lower(email) IN ? AND email_verified`,
			issuer, typed.EmailForms(email)).Row().Scan(&ids)
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

// EffectiveAdmin returns the id of the account with a verified e-mail address at an issuer whose role admin can be used
// now, and reports whether there is exactly one.
func EffectiveAdmin(ctx context.Context, db *store.DB, issuer, email string) (id string, found bool, err error) {
	var ids pq.StringArray
	err = db.ORM(ctx).Raw(`SELECT coalesce(array_agg(u.id::text), '{}') FROM users u
		WHERE u.issuer = ? AND lower(u.email) IN ? AND u.email_verified
		  AND EXISTS (SELECT FROM `+people.EffectiveRoles+` r WHERE r.user_id = u.id AND r.role = 'admin')`,
		issuer, typed.EmailForms(typed.EmailKey(email))).Row().Scan(&ids)
	if err != nil {
		return "", false, fmt.Errorf("find admin: %w", err)
	}
	if len(ids) != 1 {
		return "", false, nil
	}
	return ids[0], true, nil
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
	people.User
	Roles   []string    // effective
	Balance money.Units // US cents
	KYC     kyc.KYCRecord
	Agreed  []string // versions they have agreed to, as AgreedTo
}

// ReadAccount reads a person's account, in one query.
func ReadAccount(ctx context.Context, db *store.DB, userID string) (*Account, error) {
	type row struct {
		people.User
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
		       (SELECT coalesce(array_agg(role ORDER BY role), '{}') FROM `+people.EffectiveRoles+` r WHERE user_id = u.id) AS granted,
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
