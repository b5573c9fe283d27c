package api

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	kycapi "github.com/tradepost/tradepost/api/kyc"
	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/store"
)

var kycTerms = kyc.KYCTerms{Valid: 365 * 24 * time.Hour, Notice: 30 * 24 * time.Hour}

func init() {
	for _, kind := range kyc.KYCDecisionKinds {
		caseSteps["kyc."+kind] = func(ctx context.Context, db *store.DB, id, decisionID string) error {
			return kyc.DecideKYC(ctx, db, id, decisionID, kycTerms)
		}
	}
}

// newcomer is signed in and not verified.
func (h *testServer) newcomer() *visitor {
	h.Helper()
	v := h.customer()
	h.exec(`UPDATE kyc_records SET level = 'none', status = 'not_started' WHERE user_id = $1`, v.userID)
	return v
}

// says stores what the provider says of a customer, as the workflow does.
func (v *visitor) says(review kyc.KYCReview) {
	v.Helper()
	now, err := v.db.Now(v.Context())
	require.NoError(v, err)
	review.ApplicantID, review.AskedAt = "applicant-1", now
	if review.Level == "" {
		review.Level = kyc.KYCStandard
	}
	if review.State == "completed" {
		review.At = now
	}
	require.NoError(v, kyc.ApplyReview(v.Context(), v.db, v.userID, review, kycTerms))
}

var (
	inReview = kyc.KYCReview{Status: kyc.KYCPending, State: "pending", Attempt: "1"}
	sharper  = kyc.KYCReview{Status: kyc.KYCRejected, State: "completed", Attempt: "1", CanRetry: true, Reason: "Sharper, please.", Labels: []string{"SCREENSHOTS"}}
	forged   = kyc.KYCReview{Status: kyc.KYCRejected, State: "completed", Attempt: "1", Labels: []string{"FORGERY"}}
	green    = kyc.KYCReview{Status: kyc.KYCApproved, State: "completed", Attempt: "1"}
)

func (v *visitor) kyc() (status kycapi.KYCStatus) {
	v.Helper()
	v.get("/api/kyc/status").is(http.StatusOK).read(&status)
	return status
}

// What a customer reads of each state, and which way on the server opens.
func TestKYCStatesAsTheirCustomerSeesThem(t *testing.T) {
	h := open(t)
	v := h.newcomer()
	token := func() *answer { return v.post("/api/kyc/token", "") }
	require.Equal(t, "not_started", v.kyc().Status)
	token().is(http.StatusOK)
	require.Contains(t, h.flows.seen(&h.flows.reviews), v.userID)
	v.says(inReview)
	require.Equal(t, kycapi.KYCStatus{Status: "pending", Level: "none", CanRetry: false}, v.kyc())
	v.says(kyc.KYCReview{Status: kyc.KYCPending, State: "onHold", OnHold: true, Attempt: "1"})
	require.True(t, v.kyc().OnHold)
	v.says(sharper)
	s := v.kyc()
	require.Equal(t, []any{"rejected", true, "Sharper, please."}, []any{s.Status, s.CanRetry, *s.Reason})
	v.get("/api/kyc/status", "Accept-Language", "es").is(http.StatusOK).read(&s)
	require.Equal(t, "Toma fotos del documento mismo. No podemos aceptar capturas de pantalla.", *s.Reason, "the reviewer writes English")
	token().is(http.StatusOK)
	v.says(kyc.KYCReview{Status: kyc.KYCRejected, State: "awaitingUser", CanRetry: true, Attempt: "1"})
	require.True(t, v.kyc().MoreAsked)
	v.post("/api/kyc/enhanced", "").refused(http.StatusConflict, "kyc_required")
	v.says(green)
	s = v.kyc()
	require.Equal(t, []any{"approved", "standard", true}, []any{s.Status, s.Level, s.Verified})
	require.NotNil(t, s.ExpiresAt)
	token().refused(http.StatusConflict, "kyc_verified")
	v.post("/api/kyc/renew", "").refused(http.StatusConflict, "kyc_not_due")

	var levels []kycapi.KYCLevel
	v.get("/api/kyc/levels").is(http.StatusOK).read(&levels)
	require.Len(t, levels, 2)
	require.True(t, levels[1].Available && !levels[0].Available)
	require.Equal(t, &kycapi.KYCAttempt{Level: "enhanced", Status: "not_started"}, func() *kycapi.KYCAttempt {
		var got kycapi.KYCStatus
		v.post("/api/kyc/enhanced", "").is(http.StatusOK).read(&got)
		return got.Attempt
	}())
	token().is(http.StatusOK)
	enhanced := inReview
	enhanced.Level, enhanced.Attempt = kyc.KYCEnhanced, "2"
	v.says(enhanced)
	s = v.kyc()
	require.Equal(t, []any{"approved", "standard", "pending"}, []any{s.Status, s.Level, s.Attempt.Status})
	require.Equal(t, "verified", v.get("/api/auth/user").text("kycStatus"), "verified while a higher level is looked at")
	v.says(forged)
	s = v.kyc()
	require.Equal(t, []any{"rejected", "none", false, "refused"}, []any{s.Status, s.Level, s.CanRetry, *s.Ended})
	require.Equal(t, "rejected", v.get("/api/auth/user").text("kycStatus"))
	token().refused(http.StatusConflict, "kyc_final")
	v.post("/api/orders", newOrder).refused(http.StatusForbidden, "kyc_required")
}

func TestKYCIsRenewedBeforeItEnds(t *testing.T) {
	h := open(t)
	v := h.newcomer()
	v.says(green)
	h.advance("340 days")
	require.NoError(t, kyc.DueKYC(t.Context(), h.db, v.userID, kycTerms))
	v.enter()
	require.True(t, v.kyc().Renewable)
	v.post("/api/kyc/renew", "").is(http.StatusOK)
	require.Contains(t, h.flows.seen(&h.flows.reviews), v.userID)
	require.True(t, v.kyc().Preparing)
	v.post("/api/kyc/token", "").refused(http.StatusConflict, "kyc_preparing")
	require.NoError(t, kyc.KYCReset(t.Context(), h.db, v.userID))
	v.post("/api/kyc/token", "").is(http.StatusOK)
	require.Equal(t, &kycapi.KYCAttempt{Level: "standard", Renewal: true, Status: "not_started"}, v.kyc().Attempt)
	require.True(t, v.kyc().Verified)
	h.advance("30 days")
	v.enter()
	require.NoError(t, kyc.DueKYC(t.Context(), h.db, v.userID, kycTerms))
	require.Equal(t, "expired", *v.kyc().Ended)
}

// Staff read the queue, officers decide, with a reason, never on their own; and
// a customer reads nothing of it.
func TestBar05KYCQueueAndDecisions(t *testing.T) {
	h := open(t)
	v, other, officer, support := h.newcomer(), h.newcomer(), h.customer("compliance"), h.customer("support")
	v.says(inReview)
	other.says(sharper)
	path := "/api/admin/kyc/" + v.userID
	list := support.get("/api/admin/kyc?standing=pending").is(http.StatusOK)
	var rows []kycapi.AdminKYC
	list.read(&rows)
	require.Len(t, rows, 1)
	require.Equal(t, "1", list.header.Get("X-Total-Count"))
	require.Equal(t, []any{v.userID, "pending"}, []any{rows[0].ID, rows[0].Standing})
	require.Empty(t, rows[0].Actions, "support reads only")
	var summary kycapi.KYCSummary
	officer.get("/api/admin/kyc/summary?standing=retry").is(http.StatusOK).read(&summary)
	require.Equal(t, []int{1, 1, 4}, []int{summary.MatchingFilters, summary.ByStanding["pending"], summary.Total})

	for body, code := range map[string]string{`{"level":"standard","reason":" "}`: "required", `{"level":"royal","reason":"x"}`: "", `{"level":"standard","reason":"x","status":"approved"}`: ""} {
		a := officer.post(path+"/approve", body).is(http.StatusUnprocessableEntity)
		if code != "" {
			require.Equal(t, code, a.text("code"))
		}
	}
	support.post(path+"/approve", `{"level":"standard","reason":"x"}`).is(http.StatusForbidden)
	v.get(path).is(http.StatusForbidden)
	officer.post("/api/admin/kyc/"+officer.userID+"/revoke", `{"reason":"x"}`).refused(http.StatusForbidden, "own_kyc")
	officer.post("/api/admin/kyc/"+store.NewID()+"/hold", `{"reason":"x"}`).is(http.StatusNotFound)
	officer.post("/api/admin/kyc/not-an-id/hold", `{"reason":"x"}`).is(http.StatusNotFound)
	officer.post(path+"/revoke", `{"reason":"x"}`).refused(http.StatusConflict, "kyc_state")

	officer.post(path+"/hold", `{"reason":"a second look"}`).is(http.StatusOK)
	v.says(green)
	require.Equal(t, "pending", v.kyc().Status)
	officer.post(path+"/release", `{"reason":"looked"}`).is(http.StatusOK)
	officer.post(path+"/approve", `{"level":"enhanced","reason":"seen in person"}`).is(http.StatusOK)
	require.Equal(t, "enhanced", v.kyc().Level)
	officer.post(path+"/ask", `{"reason":"the passport is old"}`).is(http.StatusOK)
	require.True(t, v.kyc().Verified && v.kyc().Preparing)
	officer.post(path+"/revoke", `{"reason":"CANARY"}`).is(http.StatusOK)
	require.False(t, v.kyc().Verified)
	officer.post("/api/admin/kyc/"+other.userID+"/reject", `{"canRetry":false,"reason":"CANARY"}`).is(http.StatusOK)
	require.NotContains(t, string(other.get("/api/kyc/status").body), "CANARY", "why is for the record")

	var detail kycapi.AdminKYCDetail
	officer.get(path).is(http.StatusOK).read(&detail)
	require.Len(t, detail.Decisions, 5)
	require.Equal(t, "https://identity.example.com/applicant-1", *detail.ProviderURL)
	require.Equal(t, 6, one[int](h, `SELECT count(*) FROM audit_log WHERE object_kind = 'kyc' AND reason <> ''`))
	require.NotContains(t, h.log.String(), "CANARY")
}

func TestBar18TwoOfficersDecideAndOneCounts(t *testing.T) {
	h := open(t)
	v, a, b := h.newcomer(), h.customer("compliance"), h.customer("admin")
	v.says(inReview)
	var all sync.WaitGroup
	statuses := make([]int, 4)
	for i := range statuses {
		all.Go(func() {
			who := []*visitor{a, b}[i%2]
			statuses[i] = who.post(fmt.Sprintf("/api/admin/kyc/%s/%s", v.userID, []string{"approve", "reject"}[i/2]), []string{`{"level":"standard","reason":"x"}`, `{"canRetry":false,"reason":"x"}`}[i/2]).status
		})
	}
	all.Wait()
	done := 0
	for _, status := range statuses {
		if status == http.StatusOK {
			done++
		} else {
			require.Equal(t, http.StatusConflict, status)
		}
	}
	require.Equal(t, done, one[int](h, `SELECT count(*) FROM matter_decisions WHERE outcome_code = 'done'`))
	require.Equal(t, 1, done)
}
