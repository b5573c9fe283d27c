package api

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	reportingapi "github.com/tradepost/tradepost/api/reporting"
	teamapi "github.com/tradepost/tradepost/api/team"
)

func (v *visitor) address() string { return v.userID[24:] + "@example.com" }

// A role goes from one admin's proposal over another's approval to the person, who
// is signed out by it.
func TestBar05ARoleIsProposedByOneAdminAndApprovedByAnother(t *testing.T) {
	h := open(t, unscaled)
	first, second, v := h.customer("admin"), h.customer("admin"), h.customer()
	var found teamapi.TeamCandidate
	first.get("/api/admin/team/candidate?email=" + v.address()).is(http.StatusOK).read(&found)
	require.Equal(t, teamapi.TeamCandidate{ID: v.userID, Name: "Ada", Email: v.address(), Roles: []string{}}, found)
	first.get("/api/admin/team/candidate?email=nobody@example.com").is(http.StatusNotFound)
	h.exec(`UPDATE users SET email_verified = false WHERE id = $1`, v.userID)
	first.get("/api/admin/team/candidate?email=" + v.address()).is(http.StatusNotFound)
	h.exec(`UPDATE users SET email_verified = true WHERE id = $1`, v.userID)

	path := "/api/admin/team/" + v.userID
	first.post(path+"/propose", `{"roles":["support"],"reason":" "}`).refused(http.StatusUnprocessableEntity, "required")
	first.post(path+"/propose", `{"roles":[],"reason":"x"}`).refused(http.StatusUnprocessableEntity, "unknown_role")
	first.post(path+"/propose", `{"roles":["owner"],"reason":"x"}`).is(http.StatusUnprocessableEntity)
	first.post("/api/admin/team/"+first.userID+"/propose", `{"roles":["finance"],"reason":"x"}`).refused(http.StatusForbidden, "own_account")
	asked := first.post(path+"/propose", `{"roles":["support"],"reason":"joins us"}`).is(http.StatusCreated)
	var mine teamapi.RoleProposal
	asked.read(&mine)
	require.Equal(t, []string{"withdraw"}, mine.Actions)
	var list []teamapi.RoleProposal
	second.get("/api/admin/team/proposals?status=open").is(http.StatusOK).read(&list)
	require.Len(t, list, 1)
	require.Equal(t, []string{"approve", "reject"}, list[0].Actions)
	require.Equal(t, "joins us", list[0].Reason)
	var platform reportingapi.Platform
	second.get("/api/admin/platform").is(http.StatusOK).read(&platform)
	require.Equal(t, "team", platform.Queues[0].Name)
	h.customer("support").get("/api/admin/platform").is(http.StatusOK).read(&platform)
	require.Empty(t, platform.Queues, "whom it leads nowhere")

	answer := "/api/admin/team/proposals/" + mine.ID
	first.post(answer+"/approve", "").refused(http.StatusForbidden, "own_proposal")
	v.get("/api/auth/user").is(http.StatusOK)
	second.post(answer+"/approve", "").is(http.StatusOK)
	second.post(answer+"/approve", "").refused(http.StatusConflict, "proposal_decided")
	v.get("/api/auth/user").is(http.StatusUnauthorized)
	v.enter()
	v.get("/api/admin/support/tickets").is(http.StatusOK)
	v.get("/api/admin/team").is(http.StatusForbidden)

	again := `{"roles":["finance"],"reason":"does the books, too"}`
	first.post(path+"/propose", again).is(http.StatusCreated).read(&mine)
	answer = "/api/admin/team/proposals/" + mine.ID
	second.post(answer+"/reject", `{"reason":" "}`).refused(http.StatusUnprocessableEntity, "required")
	require.Equal(t, "rejected", second.post(answer+"/reject", `{"reason":"not yet"}`).is(http.StatusOK).text("status"))
	first.post(answer+"/reject", `{"reason":"withdrawn"}`).refused(http.StatusConflict, "proposal_decided")
	v.get("/api/admin/ledger/postings").is(http.StatusForbidden)
}

// The team page shows each member's state, and no member can act on themselves.
func TestTheTeamIsListedFilteredAndSignedOut(t *testing.T) {
	h := open(t, unscaled)
	h.customer()
	admin, clerk := h.customer("admin"), h.customer("finance", "support")
	var list []teamapi.TeamMember
	admin.get("/api/admin/team?role=support").is(http.StatusOK).read(&list)
	require.Len(t, list, 1)
	require.Equal(t, []string{"finance", "support"}, list[0].Roles)
	require.Equal(t, 1, list[0].Sessions)
	require.NotNil(t, list[0].LastSignIn)
	require.Equal(t, []string{"propose", "take", "sign_out"}, list[0].Actions)
	admin.get("/api/admin/team?q=" + admin.address()).is(http.StatusOK).read(&list)
	require.Len(t, list, 1)
	require.Empty(t, list[0].Actions)
	var summary teamapi.TeamSummary
	admin.get("/api/admin/team/summary").is(http.StatusOK).read(&summary)
	require.Equal(t, teamapi.TeamSummary{Total: 2, Support: 1, Finance: 1, Admin: 1}, summary)

	path := "/api/admin/team/" + clerk.userID
	admin.post(path+"/sign-out", `{"reason":""}`).refused(http.StatusUnprocessableEntity, "required")
	admin.post(path+"/sign-out", `{"reason":"lost a laptop"}`).is(http.StatusOK)
	clerk.get("/api/auth/user").is(http.StatusUnauthorized)
	clerk.enter()
	admin.post(path+"/take", `{"roles":["finance"],"reason":"moves on"}`).is(http.StatusOK)
	clerk.get("/api/auth/user").is(http.StatusUnauthorized)
	admin.post("/api/admin/team/"+admin.userID+"/take", `{"roles":["admin"],"reason":"x"}`).refused(http.StatusForbidden, "own_account")
	require.Equal(t, 2, one[int](h, `SELECT count(*) FROM audit_log WHERE object_id = $1 AND actor_id = $2 AND reason <> ''`, clerk.userID, admin.userID))
}
