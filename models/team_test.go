package models_test

import (
	"context"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local/asvs"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/team"
)

// crew is a shop with three admins, and a customer with two sessions.
type crew struct {
	*shop
	a, b, c string
}

func openCrew(t *testing.T) *crew {
	s := &crew{shop: openShop(t)}
	s.a, s.b, s.c = s.person("admin"), s.person("admin"), s.person("admin", "finance")
	s.exec(`UPDATE users SET email_verified = true WHERE id = $1`, s.user)
	for _, token := range []string{"phone", "laptop"} {
		s.signIn(s.user, token)
	}
	return s
}

func (s *crew) person(roles ...string) string {
	s.Helper()
	id := store.NewID()
	s.exec(`INSERT INTO users (id, issuer, subject, email, email_verified) VALUES ($1, 'test', $2, $2 || '@example.com', true)`, id, id)
	for _, role := range roles {
		s.exec(`INSERT INTO user_roles (user_id, role, granted_by) VALUES ($1, $2, 'test')`, id, role)
	}
	return id
}

func (s *crew) signIn(id, token string) {
	s.Helper()
	require.NoError(s, account.CreateSession(s.Context(), s.db, account.NewSession{TokenHash: []byte(token + id), UserID: id}))
}

func (s *crew) by(actor string) account.StaffAction {
	return account.StaffAction{CustomerID: s.user, ActorID: actor, ActorRole: "admin", Reason: "joins us"}
}

func (s *crew) about(actor, person string) account.StaffAction {
	in := s.by(actor)
	in.CustomerID = person
	return in
}

func (s *crew) proposes(roles ...string) *team.RoleProposal {
	s.Helper()
	p, err := team.ProposeRoles(s.Context(), s.db, s.by(s.a), roles)
	require.NoError(s, err)
	return p
}

func (s *crew) one(sql string, args ...any) (n int) {
	s.Helper()
	require.NoError(s, s.db.Pool().QueryRow(s.Context(), sql, args...).Scan(&n))
	return n
}

func (s *crew) roles(id string) (roles []string) {
	s.Helper()
	require.NoError(s, s.db.Pool().QueryRow(s.Context(), `SELECT coalesce(array_agg(role ORDER BY role), '{}') FROM user_roles WHERE user_id = $1`, id).Scan(&roles))
	return roles
}

const signedIn = `SELECT count(*) FROM sessions WHERE user_id = $1 AND revoked_at IS NULL`

// A role is given by two admins, neither of whom gets it. Until the second approves, nothing changes; then the
// person's sessions end, and they are notified and have the role.
func TestBar05ARoleTakesTwoAdmins(t *testing.T) {
	s := openCrew(t)
	p := s.proposes("support", "finance")
	_, err := team.ProposeRoles(t.Context(), s.db, s.by(s.b), []string{"support"})
	require.Equal(t, "proposal_open", store.ReasonOf(err))
	require.Equal(t, "own_proposal", store.ReasonOf(team.ApproveRoles(t.Context(), s.db, p.ID, s.by(s.a))))
	require.Equal(t, "no_admin", store.ReasonOf(team.ApproveRoles(t.Context(), s.db, p.ID, s.by(s.person("finance")))))
	require.Equal(t, "no_admin", store.ReasonOf(team.ApproveRoles(t.Context(), s.db, p.ID, s.by(s.user))))
	require.Empty(t, s.roles(s.user))
	require.Equal(t, 2, s.one(signedIn, s.user))
	require.Equal(t, 3, s.one(`SELECT count(*) FROM mails WHERE kind = 'team_proposed'`), "every admin hears of it, also who is said to have proposed it")

	require.NoError(t, team.ApproveRoles(t.Context(), s.db, p.ID, s.by(s.b)))
	require.Equal(t, []string{"finance", "support"}, s.roles(s.user))
	require.Zero(t, s.one(signedIn, s.user))
	require.Equal(t, 1, s.one(`SELECT count(*) FROM mails WHERE kind = 'team_given' AND user_id = $1`, s.user))
	require.Equal(t, 2, s.one(`SELECT count(*) FROM audit_log WHERE object_id = $1 AND reason = 'joins us' AND action IN ('team.proposed', 'team.approved')`, s.user))
	err = team.RejectRoles(t.Context(), s.db, p.ID, s.by(s.c))
	require.Equal(t, "proposal_decided", store.ReasonOf(err))
	require.ErrorContains(t, err, "has already approved this")
	_, err = s.db.Pool().Exec(t.Context(), `UPDATE role_proposals SET decided_by = proposed_by`)
	require.Error(t, err, "Postgres keeps four eyes as well")
}

// What must not be given is refused, and so is a proposal that its approver did not read.
func TestRolesAreRefusedToWhoMustNotHaveThem(t *testing.T) {
	s := openCrew(t)
	for want, in := range map[string]struct {
		actor, person string
		roles         []string
	}{
		"unknown_role":  {s.a, s.user, []string{"owner"}},
		"own_account":   {s.a, s.a, []string{"finance"}},
		"gives_nothing": {s.a, s.c, []string{"admin"}},
		"not_found":     {s.a, store.NewID(), []string{"support"}},
		"no_admin":      {s.user, s.a, []string{"support"}},
	} {
		_, err := team.ProposeRoles(t.Context(), s.db, s.about(in.actor, in.person), in.roles)
		require.Equal(t, want, store.ReasonOf(err))
	}
	_, err := team.ProposeRoles(t.Context(), s.db, s.about(s.a, s.user), nil)
	require.Equal(t, "unknown_role", store.ReasonOf(err))
	silent := s.by(s.a)
	silent.Reason = " "
	_, err = team.ProposeRoles(t.Context(), s.db, silent, []string{"support"})
	require.Equal(t, "required", store.ReasonOf(err))

	p := s.proposes("support")
	for column, want := range map[string]string{"frozen_at = clock_now()": "account_frozen", "disabled_at = clock_now()": "account_ended", "email_verified = false": "email_unverified"} {
		s.exec(`UPDATE users SET `+column+` WHERE id = $1`, s.user)
		require.Equal(t, want, store.ReasonOf(team.ApproveRoles(t.Context(), s.db, p.ID, s.by(s.b))))
		s.exec(`UPDATE users SET frozen_at = NULL, disabled_at = NULL, email_verified = true WHERE id = $1`, s.user)
	}
	_, err = account.GrantRole(t.Context(), s.db, "test", "c@example.com", "compliance", "command")
	require.NoError(t, err)
	require.Equal(t, "proposal_outdated", store.ReasonOf(team.ApproveRoles(t.Context(), s.db, p.ID, s.by(s.b))))
	require.NoError(t, team.RejectRoles(t.Context(), s.db, p.ID, s.by(s.a)))
	require.Equal(t, 1, s.one(`SELECT count(*) FROM role_proposals WHERE status = 'withdrawn'`), "by who made it")
}

// Removing a role needs one admin and applies at once; the person's proposals end with it.
func TestARoleIsRevokedAtOnce(t *testing.T) {
	s := openCrew(t)
	p := s.proposes("support")
	s.signIn(s.a, "desk")
	_, err := team.TakeRoles(t.Context(), s.db, s.about(s.b, s.a), []string{"support"})
	require.Equal(t, "role_not_held", store.ReasonOf(err))
	_, err = team.TakeRoles(t.Context(), s.db, s.about(s.a, s.a), []string{"admin"})
	require.Equal(t, "own_account", store.ReasonOf(err))
	ended, err := team.TakeRoles(t.Context(), s.db, s.about(s.b, s.a), []string{"admin"})
	require.NoError(t, err)
	require.EqualValues(t, 1, ended, asvs.Claim(t, "7.4.5"))
	require.Empty(t, s.roles(s.a))
	require.Equal(t, 1, s.one(`SELECT count(*) FROM mails WHERE kind = 'team_taken' AND user_id = $1`, s.a))
	require.Equal(t, "proposal_decided", store.ReasonOf(team.ApproveRoles(t.Context(), s.db, p.ID, s.by(s.b))))

	_, err = team.TakeRoles(t.Context(), s.db, s.about(s.b, s.c), []string{"finance"})
	require.NoError(t, err)
	require.Equal(t, []string{"admin"}, s.roles(s.c), "the others stay")
	_, err = team.SignMemberOut(t.Context(), s.db, s.by(s.b))
	require.Equal(t, "not_found", store.ReasonOf(err), "customers are signed out elsewhere")
}

// together runs each at once and says which succeeded.
func together(acts ...func() error) []bool {
	won := make([]bool, len(acts))
	var wait sync.WaitGroup
	start := make(chan struct{})
	for i, act := range acts {
		wait.Go(func() {
			<-start
			won[i] = act() == nil
		})
	}
	close(start)
	wait.Wait()
	return won
}

// With concurrent removals by admins of each other, one is left; and Postgres keeps them even where the program would
// not.
func TestBar18TheLastAdminStays(t *testing.T) {
	s := openCrew(t)
	s.exec(`DELETE FROM user_roles WHERE user_id = $1`, s.c)
	for range 10 {
		won := together(
			func() error {
				_, err := team.TakeRoles(t.Context(), s.db, s.about(s.a, s.b), []string{"admin"})
				return err
			},
			func() error {
				_, err := team.TakeRoles(t.Context(), s.db, s.about(s.b, s.a), []string{"admin"})
				return err
			})
		require.NotEqual(t, won[0], won[1])
		require.Equal(t, 1, s.one(`SELECT count(*) FROM user_roles WHERE role = 'admin'`))
		s.exec(`INSERT INTO user_roles (user_id, role, granted_by) VALUES ($1, 'admin', 'test'), ($2, 'admin', 'test') ON CONFLICT DO NOTHING`, s.a, s.b)
		won = together(func() error { return s.removes(s.a) }, func() error { return s.removes(s.b) })
		require.NotEqual(t, won[0], won[1])
		s.exec(`INSERT INTO user_roles (user_id, role, granted_by) VALUES ($1, 'admin', 'test'), ($2, 'admin', 'test') ON CONFLICT DO NOTHING`, s.a, s.b)
	}
}

// removes deletes an admin past the program, in a transaction of several statements.
func (s *crew) removes(id string) error {
	return pgx.BeginFunc(context.Background(), s.db.Pool(), func(tx pgx.Tx) error {
		_, err := tx.Exec(context.Background(), `DELETE FROM user_roles WHERE user_id = $1 AND role = 'admin'`, id)
		return err
	})
}

// Of two concurrent answers one counts, and it is executed once.
func TestBar18ARoleProposalIsApprovedOrRejectedNeverBoth(t *testing.T) {
	s := openCrew(t)
	for range 10 {
		p := s.proposes("support")
		won := together(
			func() error { return team.ApproveRoles(t.Context(), s.db, p.ID, s.by(s.b)) },
			func() error { return team.ApproveRoles(t.Context(), s.db, p.ID, s.by(s.c)) },
			func() error { return team.RejectRoles(t.Context(), s.db, p.ID, s.by(s.c)) })
		wins := 0
		for _, each := range won {
			if each {
				wins++
			}
		}
		require.Equal(t, 1, wins)
		require.Equal(t, !won[2], len(s.roles(s.user)) == 1)
		require.Equal(t, 1, s.one(`SELECT count(*) FROM audit_log WHERE action IN ('team.approved', 'team.rejected') AND after->>'proposal' = $1`, p.ID))
		s.exec(`DELETE FROM user_roles WHERE user_id = $1`, s.user)
	}
}
