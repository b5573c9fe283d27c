package models_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local/source"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/customer"
	"github.com/tradepost/tradepost/models/payout"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/support"
	"github.com/tradepost/tradepost/models/team"
	"github.com/tradepost/tradepost/models/treasury"
)

// readsGrants lists the lines that read or write what staff were given, including the roles of frozen accounts, with
// the reason. All others ask people.EffectiveRoles.
var readsGrants = []struct{ file, with, why string }{ // of two of a file the first that matches
	{"people/roles.go", "INSERT", "gives roles"},
	{"people/roles.go", "DELETE", "takes roles away"},
	{"people/roles.go", "EXISTS", "whether a freeze concerns an admin"},
	{"people/roles.go", "FROM user_roles", "the effective roles themselves"},
	{"team/approval.go", "FROM user_roles", "the roles that a proposal changes"},
	{"audit/named.go", "EXISTS (SELECT", "who is found by a name in the log: what a frozen one did still counts"},
	{"reporting/approvals.go", "FROM user_roles", "who may approve, and why a frozen one may not"},
	{"people/personal.go", "FROM user_roles", "the copy of a person's data"},
	{"people/same.go", "IN (SELECT", "the accounts of one person: what a frozen one did still counts"},
	{"team/team.go", "rolesIn", "the roles that a proposal changes"},
	{"team/team.go", "FROM user_roles", "the list of the team, which marks the frozen ones"},
	{"privacy/account_closure.go", "FROM user_roles", "a frozen member of staff does not close their account"},
}

// Roles are read in one place, which leaves out who is frozen: a query that reads the grants themselves is listed.
func TestRolesAreReadInOnePlace(t *testing.T) {
	met := map[int]bool{}
	for _, root := range []string{".", "../api", "../activities", "../worker", "../workflows"} {
		files, err := source.Files(root)
		require.NoError(t, err)
		for _, file := range files {
			if file == "store/grants.go" {
				continue
			}
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, line := range strings.Split(string(text), "\n") {
				line = strings.TrimSpace(line)
				if !strings.Contains(line, "user_roles") || strings.HasPrefix(line, "//") {
					continue
				}
				known := slices.IndexFunc(readsGrants, func(one struct{ file, with, why string }) bool {
					return one.file == file && strings.Contains(line, one.with)
				})
				require.GreaterOrEqual(t, known, 0, "%s reads who was given a role, including the frozen: %s", file, line)
				met[known] = true
			}
		}
	}
	for i, one := range readsGrants {
		require.True(t, met[i], "%s %s is an exception that nothing needs", one.file, one.with)
	}
}

// A frozen member of staff has no role: no session of theirs has one, none that begins, they are mailed nothing that is
// for staff, they answer no ticket, decide on no role and do not count as an admin. Their roles are back once they are
// unfrozen.
func TestFrozenStaffHaveNoRole(t *testing.T) {
	s := openCrew(t)
	s.signIn(s.c, "before")
	ticket, err := support.OpenTicket(t.Context(), s.db, support.NewTicket{UserID: s.user, Subject: "transaction", Message: "I wait"})
	require.NoError(t, err)
	act := func(by string, in support.TicketAct) error {
		in.TicketID, in.ActorID, in.ActorRole = ticket.ID, by, "admin"
		_, err := support.ActOnTicket(t.Context(), s.db, in)
		return err
	}
	require.NoError(t, act(s.c, support.TicketAct{Action: support.TicketTake}))
	p := s.proposes("support")

	freeze := s.about(s.a, s.c)
	require.NoError(t, customer.FreezeCustomer(t.Context(), s.db, freeze))
	s.signIn(s.c, "after")
	const toStaff = `SELECT count(*) FROM mails WHERE staff AND user_id = $1`
	told := s.one(toStaff, s.c)
	for _, token := range []string{"before", "after"} {
		require.Empty(t, s.principal(s.c, token).Roles, token)
		require.True(t, s.principal(s.c, token).Frozen)
	}
	seen, err := account.ReadAccount(t.Context(), s.db, s.c)
	require.NoError(t, err)
	require.Empty(t, seen.Roles)
	require.Zero(t, s.one(`SELECT count(*) FROM tickets WHERE assignee_id IS NOT NULL`), "their tickets are for others")
	require.Equal(t, 1, s.one(`SELECT count(*) FROM audit_log WHERE action = 'ticket.assign' AND object_id = $1 AND actor_id = $2`, ticket.ID, s.a))
	require.Equal(t, "may_not_answer", store.ReasonOf(act(s.a, support.TicketAct{Action: support.TicketAssign, AssigneeID: s.c})))
	answerers, err := support.Answerers(t.Context(), s.db)
	require.NoError(t, err)
	require.Len(t, answerers, 2)
	require.Equal(t, "no_admin", store.ReasonOf(team.ApproveRoles(t.Context(), s.db, p.ID, s.by(s.c))))
	_, err = team.TakeRoles(t.Context(), s.db, s.about(s.c, s.b), []string{"admin"})
	require.Equal(t, "no_admin", store.ReasonOf(err))
	require.Equal(t, "account_frozen", store.ReasonOf(customer.FreezeCustomer(t.Context(), s.db, s.about(s.c, s.b))))
	require.NoError(t, casework.MailAlert(t.Context(), s.db, s.alert(), "alert_opened", []string{"finance", "admin"}))
	require.Equal(t, 2, s.one(`SELECT count(*) FROM mails WHERE kind = 'alert_opened'`))
	require.NoError(t, team.RejectRoles(t.Context(), s.db, p.ID, s.by(s.b)))
	s.proposes("support")
	require.Equal(t, 3+2, s.one(`SELECT count(*) FROM mails WHERE kind = 'team_proposed'`))
	require.Equal(t, told, s.one(toStaff, s.c))

	members, _, err := team.Team(t.Context(), s.db, team.TeamFilter{}, store.Page{Limit: 10})
	require.NoError(t, err)
	require.Len(t, members, 3)
	for _, m := range members {
		require.Equal(t, m.ID == s.c, m.Frozen)
	}
	_, err = customer.UnfreezeCustomer(t.Context(), s.db, freeze)
	require.NoError(t, err)
	require.Equal(t, []string{"admin", "finance"}, s.principal(s.c, "after").Roles)
}

// principal is who a session is of.
func (s *crew) principal(id, token string) *account.Principal {
	s.Helper()
	used, err := account.UseSession(s.Context(), s.db, []byte(token+id))
	require.NoError(s, err)
	entered, _, err := account.Enter(s.Context(), s.db, []byte(token+id), "read:user:", store.RateLimit{Burst: 100, Every: 1}, false)
	require.NoError(s, err)
	read, err := account.ReadSession(s.Context(), s.db, []byte(token+id))
	require.NoError(s, err)
	require.Equal(s, used.Roles, entered.Roles)
	require.Equal(s, used, read)
	return used
}

// alert stores an alert.
func (s *crew) alert() string {
	id := store.NewID()
	s.exec(`INSERT INTO alerts (id, kind, subject, count, since) VALUES ($1, 'stale_prices', 'BTC', 1, clock_now())`, id)
	return id
}

// What a frozen member of staff has proposed ends: no admin may approve it any more.
func TestProposalsOfFrozenStaffEnd(t *testing.T) {
	s := openCrew(t)
	p := s.proposes("support")
	require.NoError(t, customer.FreezeCustomer(t.Context(), s.db, s.about(s.b, s.a)))
	require.Equal(t, "proposal_decided", store.ReasonOf(team.ApproveRoles(t.Context(), s.db, p.ID, s.by(s.b))))
	require.Empty(t, s.roles(s.user))
}

// First approvals by a frozen member of staff end. A move that they proposed waits until they are unfrozen or it is
// rejected.
func TestFirstApprovalsOfFrozenStaffEnd(t *testing.T) {
	v := openVault(t)
	till := &till{shop: v.shop, keys: cardKeys(t, 1), staff: [2]string{v.staff, v.second}}
	v.exec(`UPDATE users SET first_name = 'Ada', last_name = 'Lovelace' WHERE id = $1`, v.user)
	till.earn(150_000)
	paid, err := till.ask(150_000)
	require.NoError(t, err)
	require.NoError(t, till.decide(paid.ID, payout.PayoutApprove, 0))
	move, err := v.proposed(100_000_000)
	require.NoError(t, err)
	freeze := account.StaffAction{CustomerID: v.staff, ActorID: v.second, ActorRole: "admin", Reason: "a stolen laptop"}
	require.NoError(t, customer.FreezeCustomer(t.Context(), v.db, freeze))
	require.Nil(t, till.payout(paid.ID).FirstApprovedBy)
	require.Equal(t, 1, v.count(`SELECT count(*) FROM audit_log WHERE action = 'payout.approval_lapsed' AND actor_id = $1`, v.second))
	require.Equal(t, "proposer_frozen", store.ReasonOf(v.decides(move, treasury.MoveApprove, v.second)))
	_, err = customer.UnfreezeCustomer(t.Context(), v.db, freeze)
	require.NoError(t, err)
	require.NoError(t, v.decides(move, treasury.MoveApprove, v.second))
}

// The last admin who is not frozen stays: they are neither frozen nor lose their role, and of two who freeze each other
// at once one is too late.
func TestAnEffectiveAdminStays(t *testing.T) {
	s := openCrew(t)
	officer := s.person("compliance")
	require.NoError(t, customer.FreezeCustomer(t.Context(), s.db, s.about(officer, s.c)))
	outcomes := make(chan string, 2)
	go func() { outcomes <- store.ReasonOf(customer.FreezeCustomer(t.Context(), s.db, s.about(s.a, s.b))) }()
	go func() { outcomes <- store.ReasonOf(customer.FreezeCustomer(t.Context(), s.db, s.about(s.b, s.a))) }()
	require.ElementsMatch(t, []string{"", "account_frozen"}, []string{<-outcomes, <-outcomes})
	var last string
	require.NoError(t, s.db.Pool().QueryRow(t.Context(), `SELECT id FROM users WHERE id IN ($1, $2) AND frozen_at IS NULL`, s.a, s.b).Scan(&last))
	require.Equal(t, "last_admin", store.ReasonOf(customer.FreezeCustomer(t.Context(), s.db, s.about(officer, last))))
	require.Equal(t, 1, s.one(`SELECT count(*) FROM users WHERE id IN ($1, $2) AND frozen_at IS NULL`, s.a, s.b))
	_, err := s.db.Pool().Exec(t.Context(), `DELETE FROM user_roles WHERE user_id = $1 AND role = 'admin'`, last)
	require.ErrorContains(t, err, "the last admin stays")
}
