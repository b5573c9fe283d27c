package api

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	kycapi "github.com/tradepost/tradepost/api/kyc"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/store"
)

// choiceOf names a proposal as the queue shows it.
func choiceOf(p *kycapi.KYCProposal) string {
	return fmt.Sprintf(`{"proposalId":%q,"version":%d}`, p.ID, p.Version)
}

func refusalOf(p *kycapi.KYCProposal) string {
	return fmt.Sprintf(`{"proposalId":%q,"version":%d,"reason":"not convinced"}`, p.ID, p.Version)
}

// identity is a verification as a member of staff sees it.
func (v *visitor) identity(userID string) (one kycapi.AdminKYCDetail) {
	v.Helper()
	v.get("/api/admin/kyc/" + userID).is(http.StatusOK).read(&one)
	return one
}

const overruling = `{"level":"enhanced","reason":"CANARY seen in person"}`

// An identity that the provider rejected finally is approved by two people; the second sees the level, the reason, who
// proposed it and what the provider said, and names the version that they saw.
func TestBar05FinallyRejectedIdentityIsProposed(t *testing.T) {
	h := open(t)
	v, first, second, support := h.newcomer(), h.customer("compliance"), h.customer("admin"), h.customer("support")
	alias := h.spelled(first, "compliance")
	v.says(forged)
	path := "/api/admin/kyc/" + v.userID
	shown := first.identity(v.userID)
	require.Contains(t, shown.Actions, kyc.KYCApprove)
	require.Equal(t, []any{"provider", []string{"FORGERY"}}, []any{shown.Final.By, shown.Final.Labels})
	asked := first.post(path+"/approve", overruling).is(http.StatusAccepted)
	require.Equal(t, []string{"proposed", "rejected"}, []string{asked.text("state"), asked.text("status")})
	require.Empty(t, h.flows.seen(&h.flows.decided), "nothing is passed to the workflow")
	require.Equal(t, "rejected", v.kyc().Status)
	second.post(path+"/approve", overruling).refused(http.StatusConflict, "proposal_open")

	var list []kycapi.AdminKYC
	second.get("/api/admin/kyc?standing=rejected").is(http.StatusOK).read(&list)
	p := list[0].Proposal
	require.Equal(t, []any{asked.text("decisionId"), "enhanced", "CANARY seen in person", first.userID[24:] + "@example.com", []string{"approve", "reject"}},
		[]any{p.ID, p.Level, p.Reason, p.Proposer, p.Actions})
	require.NotContains(t, list[0].Actions, kyc.KYCApprove)
	require.Equal(t, []string{"withdraw"}, first.identity(v.userID).Proposal.Actions)
	require.Empty(t, support.identity(v.userID).Proposal.Actions)

	require.NotContains(t, string(v.get("/api/kyc/status").is(http.StatusOK).body), "propos")
	support.post(path+"/proposal/approve", choiceOf(p)).refused(http.StatusForbidden, "forbidden")
	for _, own := range []*visitor{first, alias} {
		own.post(path+"/proposal/approve", choiceOf(p)).refused(http.StatusForbidden, "own_proposal")
	}
	h.exec(`INSERT INTO user_roles (user_id, role, granted_by) VALUES ($1, 'compliance', 'test')`, v.userID)
	v.post(path+"/proposal/approve", choiceOf(p)).refused(http.StatusForbidden, "own_kyc")
	second.post(path+"/proposal/approve", fmt.Sprintf(`{"proposalId":%q,"version":%d}`, p.ID, p.Version+1)).refused(http.StatusConflict, "proposal_outdated")
	second.post(path+"/proposal/approve", fmt.Sprintf(`{"proposalId":%q,"version":%d}`, store.NewID(), p.Version)).is(http.StatusNotFound)
	second.post(path+"/proposal/reject", fmt.Sprintf(`{"proposalId":%q,"version":%d,"reason":"no"}`, store.NewID(), p.Version)).is(http.StatusNotFound)
	second.post(path+"/proposal/approve", choiceOf(p)).is(http.StatusOK)
	require.Equal(t, "enhanced", v.kyc().Level)
	shown = second.identity(v.userID)
	require.True(t, shown.Final == nil && shown.Proposal == nil)
	second.post(path+"/proposal/reject", refusalOf(p)).refused(http.StatusConflict, "proposal_decided")
	require.NotContains(t, h.log.String(), "CANARY")
}

// A proposal is rejected by another person or withdrawn by its proposer; one about an identity that has changed since is
// refused with the change.
func TestBar05IdentityProposalsEndWithoutEffect(t *testing.T) {
	h := open(t)
	first, second := h.customer("compliance"), h.customer("admin")
	for name, end := range map[string]func(v *visitor, p *kycapi.KYCProposal){
		"rejected": func(v *visitor, p *kycapi.KYCProposal) {
			second.post("/api/admin/kyc/"+v.userID+"/proposal/reject", refusalOf(p)).is(http.StatusOK)
		},
		"withdrawn": func(v *visitor, p *kycapi.KYCProposal) {
			first.post("/api/admin/kyc/"+v.userID+"/proposal/reject", refusalOf(p)).is(http.StatusOK)
		},
		"lapsed": func(v *visitor, p *kycapi.KYCProposal) {
			v.says(kyc.KYCReview{Status: kyc.KYCRejected, State: "completed", Attempt: "2", Labels: []string{"SANCTIONS"}})
			late := second.post("/api/admin/kyc/"+v.userID+"/proposal/approve", choiceOf(p)).refused(http.StatusConflict, "proposal_outdated")
			require.Contains(t, late.text("message"), "it is now rejected")
		},
	} {
		v := h.newcomer()
		v.says(forged)
		first.post("/api/admin/kyc/"+v.userID+"/approve", overruling).is(http.StatusAccepted)
		end(v, second.identity(v.userID).Proposal)
		require.Equal(t, name, one[string](h, `SELECT status FROM kyc_proposals WHERE user_id = $1`, v.userID))
		require.Equal(t, "none", v.kyc().Level)
		require.Nil(t, second.identity(v.userID).Proposal)
		first.post("/api/admin/kyc/"+v.userID+"/approve", overruling).is(http.StatusAccepted)
	}
	require.Empty(t, h.flows.seen(&h.flows.decided))
}

// Each of the two people shows a fresh code, and a refused input uses none up.
func TestBar05OverrulingProviderTakesTwoCodes(t *testing.T) {
	h := open(t)
	v, first, second := h.newcomer(), h.customer("compliance"), h.customer("admin")
	v.says(forged)
	path, mine, theirs := "/api/admin/kyc/"+v.userID, first.enrol(), second.enrol()
	first.post(path+"/approve", overruling).refused(http.StatusForbidden, "fresh_code_required")
	first.post(path+"/approve", `{"level":"standard","reason":" "}`).refused(http.StatusUnprocessableEntity, "required")
	first.post(path+"/approve", overruling, rest.FreshCodeHeader, mine.wrongCode(t)).refused(http.StatusUnprocessableEntity, "invalid_code")
	require.Zero(t, one[int](h, `SELECT count(*) FROM kyc_proposals`))
	first.post(path+"/approve", overruling, rest.FreshCodeHeader, first.code(mine)).is(http.StatusAccepted)
	p := second.identity(v.userID).Proposal
	second.post(path+"/proposal/approve", choiceOf(p)).refused(http.StatusForbidden, "fresh_code_required")
	require.Equal(t, "none", v.kyc().Level)
	second.post(path+"/proposal/approve", choiceOf(p), rest.FreshCodeHeader, second.code(theirs)).is(http.StatusOK)
	require.Equal(t, "enhanced", v.kyc().Level)
}
