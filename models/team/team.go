package team

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lib/pq"

	"github.com/tradepost/tradepost/internal/typed"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// KindTeam is a member's place in the team, with their roles; its id is the person's. No workflow runs for it: a
// change of a role applies at once.
const KindTeam casework.Kind = "team"

// RoleAdmin is who decides about roles.
const RoleAdmin = "admin"

var _ = casework.ListCases(&casework.CaseRules{Matter: KindTeam, Label: "your role", Page: "/", StaffPage: "/admin/team",
	Events: []string{"proposed", "given", "taken"},
	Mailings: []casework.Mailing{
		// Also to the proposer, who so learns of a proposal made in their name.
		{Event: "proposed", Kind: "team_proposed", Roles: []string{RoleAdmin}},
		{Event: "given", Kind: "team_given", Page: "/admin"},
		{Event: "taken", Kind: "team_taken"},
	}})

// TeamMember is a user with a role other than customer.
type TeamMember struct {
	ID         string
	Email      string
	FirstName  string
	LastName   string
	Roles      pq.StringArray `gorm:"type:text[]"`
	Frozen     bool           // their roles do not count until they are unfrozen
	CreatedAt  time.Time      // since when they have a role
	TwoFactor  bool
	LastSignIn *time.Time
	Sessions   int // where they are signed in
}

// Name is what others call them.
func (m *TeamMember) Name() string {
	return (&people.User{Email: m.Email, FirstName: m.FirstName, LastName: m.LastName}).Name()
}

// TeamFilter narrows the team. Empty fields do not narrow.
type TeamFilter struct{ Role, Query string }

// team is every user with a role. It is a few dozen people, whom one scan of the roles finds, however many customers
// there are.
const team = `(SELECT r.user_id AS id, min(r.granted_at) AS created_at, array_agg(r.role ORDER BY r.role) AS roles FROM user_roles r GROUP BY r.user_id) t`

// memberColumns are TeamMember's, of the team and its users. Sessions are kept for weeks and browsers for good: after
// a longer absence the latter shows the last sign-in.
const memberColumns = `t.id, t.roles, t.created_at, u.email, u.first_name, u.last_name, u.frozen_at IS NOT NULL AS frozen,
	EXISTS (SELECT FROM second_factors f WHERE f.user_id = t.id AND f.enabled_at IS NOT NULL) AS two_factor,
	greatest((SELECT max(s.created_at) FROM sessions s WHERE s.user_id = t.id), (SELECT max(d.last_seen_at) FROM devices d WHERE d.user_id = t.id)) AS last_sign_in,
	(SELECT count(*) FROM sessions s WHERE s.user_id = t.id AND s.revoked_at IS NULL AND s.expires_at > clock_now()
	    AND s.last_seen_at > clock_now() - CAST(? AS interval)) AS sessions`

// searched is the text of a member that a search compares.
const searched = "lower(u.email || ' ' || u.first_name || ' ' || u.last_name)"

// Team is one page of the team, who joined last first.
func Team(ctx context.Context, db *store.DB, f TeamFilter, p store.Page) ([]TeamMember, *store.Cursor, error) {
	query := db.ORM(ctx).Table(team).Select(memberColumns, store.Seconds(account.SessionIdle)).Joins("JOIN users u ON u.id = t.id")
	if f.Role != "" {
		query = query.Where("? = ANY(t.roles)", f.Role)
	}
	if strings.TrimSpace(f.Query) != "" {
		condition, patterns := people.AddressLike(searched, f.Query)
		query = query.Where("("+condition+")", patterns...)
	}
	var rows []TeamMember
	if err := p.In(query, "t").Scan(&rows).Error; err != nil {
		return nil, nil, fmt.Errorf("read the team: %w", err)
	}
	rows, next := store.Cut(rows, p, func(m TeamMember) store.Cursor { return store.Cursor{At: m.CreatedAt, ID: m.ID} })
	return rows, next, nil
}

// CountTeam counts the team that a search finds, and those who have each role.
func CountTeam(ctx context.Context, db *store.DB, text string) (total int, byRole map[string]int, err error) {
	condition, patterns := people.AddressLike(searched, text)
	var members []struct {
		Roles pq.StringArray `gorm:"type:text[]"`
	}
	err = db.ORM(ctx).Raw(`SELECT t.roles FROM `+team+` JOIN users u ON u.id = t.id WHERE `+condition, patterns...).Scan(&members).Error
	if err != nil {
		return 0, nil, fmt.Errorf("count the team: %w", err)
	}
	byRole = map[string]int{}
	for _, m := range members {
		for _, role := range m.Roles {
			byRole[role]++
		}
	}
	return len(members), byRole, nil
}

// Candidate finds the user who can be given a role by their verified address. Two accounts with one address are
// refused.
func Candidate(ctx context.Context, db *store.DB, email string) (*TeamMember, error) {
	var rows []TeamMember
	err := db.ORM(ctx).Raw(`SELECT u.id, u.email, u.first_name, u.last_name, u.created_at,
		(SELECT coalesce(array_agg(role ORDER BY role), '{}') FROM user_roles WHERE user_id = u.id) AS roles,
		EXISTS (SELECT FROM second_factors f WHERE f.user_id = u.id AND f.enabled_at IS NOT NULL) AS two_factor
		FROM users u WHERE lower(u.email) IN ? AND u.email_verified AND u.closed_at IS NULL ORDER BY u.id LIMIT 2`,
		typed.EmailForms(email)).Scan(&rows).Error
	switch {
	case err != nil:
		return nil, fmt.Errorf("find a person: %w", err)
	case len(rows) == 0:
		return nil, &store.Error{Code: store.CodeNotFound, Reason: "not_found", Message: "There is no account with this confirmed address. Ask them to sign up, confirm it and sign in first."}
	case len(rows) > 1:
		return nil, store.Conflict("ambiguous_email", "Several accounts have this address")
	}
	return &rows[0], nil
}

// SignMemberOut ends all sessions of a member of the team.
func SignMemberOut(ctx context.Context, db *store.DB, in account.StaffAction) (ended int64, err error) {
	if err := in.NeedsReason(); err != nil {
		return 0, err
	}
	err = changeTeam(ctx, db, in.ActorID, func(tx *store.DB) error {
		roles, err := rolesOf(ctx, tx, in.CustomerID)
		if err != nil {
			return err
		}
		if len(roles) == 0 {
			return store.NotFound("Team member")
		}
		ended, err = account.EndSessionsAsStaff(ctx, tx, in)
		return err
	})
	return ended, err
}

// changeTeam runs fn under the lock of all roles. The actor must be an admin at that moment, whatever they were at
// the start of the call: since no admin removes their own role, the last admin stays.
func changeTeam(ctx context.Context, db *store.DB, actorID string, fn func(tx *store.DB) error) error {
	return db.Tx(ctx, func(tx *store.DB) error {
		if err := people.LockTeam(ctx, tx); err != nil {
			return err
		}
		roles, err := rolesIn(ctx, tx, people.EffectiveRoles+" r", actorID)
		if err != nil {
			return err
		}
		if !slices.Contains(roles, RoleAdmin) {
			return store.Forbidden("no_admin", "You are no longer an admin")
		}
		return fn(tx)
	})
}

// rolesOf reads the roles that a user was given, sorted, including those of a frozen account.
func rolesOf(ctx context.Context, db *store.DB, userID string) ([]string, error) {
	return rolesIn(ctx, db, "user_roles", userID)
}

// rolesIn reads a user's roles from the given rows, sorted.
func rolesIn(ctx context.Context, db *store.DB, from, userID string) ([]string, error) {
	var roles pq.StringArray
	err := db.ORM(ctx).Raw("SELECT coalesce(array_agg(role ORDER BY role), '{}') FROM "+from+" WHERE user_id = CAST(? AS uuid)", userID).Row().Scan(&roles)
	if err != nil {
		return nil, fmt.Errorf("read roles: %w", err)
	}
	return roles, nil
}

// roleWords are roles for people.
func roleWords(roles []string) string {
	if len(roles) == 0 {
		return "customer"
	}
	return strings.Join(roles, ", ")
}
