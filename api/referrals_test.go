package api

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	referralapi "github.com/tradepost/tradepost/api/referral"
	"github.com/tradepost/tradepost/api/site"
	"github.com/tradepost/tradepost/models/referral"
	"github.com/tradepost/tradepost/models/store"
)

func init() {
	caseSteps["referral."+referral.RewardApprove] = func(ctx context.Context, db *store.DB, id, decisionID string) error {
		return referral.ApproveReward(ctx, db, id, decisionID)
	}
	caseSteps["referral."+referral.RewardRefuse] = func(ctx context.Context, db *store.DB, id, decisionID string) error {
		return referral.RefuseReward(ctx, db, id, decisionID)
	}
}

// withSite gives a platform the smallest web app that pages are made of.
func withSite(t *testing.T) func(*Dependencies) {
	dir := builtSite(t, site.SitePage{Pattern: "/", Access: "public", Title: "Start"})
	return func(d *Dependencies) { d.WebDir = dir }
}

func TestBar24AReferralLinkSurvivesTheWayThroughTheIdentityProvider(t *testing.T) {
	h := open(t, withSite(t))
	payee := h.customer()
	code := payee.get("/api/referrals/my-code").is(http.StatusOK)
	require.Equal(t, h.web.URL+"/?ref="+code.text("referralCode"), code.text("referralUrl"))
	require.Equal(t, []string{"10.00", "25.00"}, []string{code.text("reward"), code.text("bonus")})
	link, err := url.Parse(code.text("referralUrl"))
	require.NoError(t, err)

	friend := h.visitor()
	landed := friend.get("/?" + link.RawQuery).is(http.StatusOK)
	cookie, err := http.ParseSetCookie(landed.header.Get("Set-Cookie"))
	require.NoError(t, err)
	require.True(t, cookie.HttpOnly && cookie.SameSite == http.SameSiteLaxMode && cookie.Path == "/")
	friendID := friend.signIn(person("f1", "grace@example.com", true))
	site, err := url.Parse(h.web.URL)
	require.NoError(t, err)
	for _, left := range friend.client.Jar.Cookies(site) {
		require.NotEqual(t, referralapi.ReferralCookie, left.Name, "used up")
	}
	require.Equal(t, payee.userID, one[string](h, `SELECT user_id::text FROM rewards WHERE friend_id = $1 AND kind = 'referral'`, friendID))
	require.Equal(t, 1, one[int](h, `SELECT count(*) FROM rewards WHERE friend_id = $1 AND kind = 'signup_bonus' AND amount = 2500`, friendID))

	var stats referralapi.ReferralStats
	payee.get("/api/referrals/stats").is(http.StatusOK).read(&stats)
	require.Equal(t, referralapi.ReferralStats{TotalReferrals: 1, PendingRewards: "10.00", TotalRewards: "0.00",
		Referrals: []referralapi.ReferralLine{{ID: stats.Referrals[0].ID, Name: "Ada L.", CreatedAt: stats.Referrals[0].CreatedAt, Status: "registered", Reward: "10.00"}}}, stats)
	h.exec(`INSERT INTO kyc_records (user_id, level, status) VALUES ($1, 'standard', 'approved')`, friendID)
	payee.get("/api/referrals/stats").is(http.StatusOK).read(&stats)
	require.Equal(t, "active", stats.Referrals[0].Status)
	require.Equal(t, 1, stats.ActiveReferrals)
	h.exec(`UPDATE rewards SET status = 'rewarded', closed_at = clock_now(), rewarded_at = clock_now() WHERE friend_id = $1 AND kind = 'referral'`, friendID)
	payee.get("/api/referrals/stats").is(http.StatusOK).read(&stats)
	require.Equal(t, 1, stats.ActiveReferrals, "also once it is rewarded")
	h.exec(`UPDATE rewards SET status = 'active', closed_at = NULL, rewarded_at = NULL WHERE friend_id = $1 AND kind = 'referral'`, friendID)

	// An invalid code sets no cookie; a person with an account cannot be referred.
	for _, hostile := range []string{"?ref=", "?ref=%00", "?ref=short", "?ref=" + strings.Repeat("A", 4000), "?ref=UUUUUUUU"} {
		require.Empty(t, h.visitor().get("/"+hostile).is(http.StatusOK).header.Get("Set-Cookie"), hostile)
	}
	known := h.visitor()
	known.signIn(person("k1", "known@example.com", true))
	known.get("/referral?" + link.RawQuery)
	known.signIn(person("k1", "known@example.com", true))
	require.Equal(t, 1, one[int](h, `SELECT count(*) FROM rewards WHERE kind = 'referral'`))
}

// heldReward is a reward that waits for a person.
func (h *testServer) heldReward(payee, friend string) (id string) {
	h.Helper()
	order := one[string](h, `SELECT id::text FROM orders WHERE user_id = $1 LIMIT 1`, friend)
	return one[string](h, `INSERT INTO rewards (id, reference, kind, user_id, friend_id, amount, revocable_seconds, status, signals, order_id)
		VALUES (gen_random_uuid(), 'RW-' || gen_random_uuid(), 'referral', $1, $2, 1000, 3600, 'held', '{same_wallet}', $3) RETURNING id::text`, payee, friend, order)
}

func TestBar18ManyStaffOnOneHeldRewardPayItOnce(t *testing.T) {
	h := open(t)
	payee, friend, staff := h.customer("admin"), h.customer("compliance"), h.customer("compliance")
	friend.order("card")
	id := h.heldReward(payee.userID, friend.userID)
	const why = `{"reason":"they are two people"}`
	approve := "/api/admin/referrals/" + id + "/approve"
	for _, own := range []*visitor{payee, friend} {
		own.post(approve, why).is(http.StatusForbidden)
		require.NotContains(t, string(own.get("/api/admin/referrals?status=held").is(http.StatusOK).body), `"approve"`)
	}
	staff.post(approve, `{"reason":" "}`).refused(http.StatusUnprocessableEntity, "required")
	staff.post(approve, `{"reason":"x","amount":"1000000"}`).is(http.StatusUnprocessableEntity)
	staff.post("/api/admin/referrals/"+store.NewID()+"/approve", why).is(http.StatusNotFound)
	var rows []referralapi.AdminReward
	staff.get("/api/admin/referrals?status=held").is(http.StatusOK).read(&rows)
	require.Equal(t, []string{"approve", "refuse"}, rows[0].Actions)
	require.Equal(t, []string{"same_wallet"}, rows[0].Signals)
	answers := make(chan int, 6)
	var clicks sync.WaitGroup
	for range cap(answers) {
		clicks.Go(func() { answers <- staff.post(approve, why).status })
	}
	clicks.Wait()
	close(answers)
	times := map[int]int{}
	for status := range answers {
		times[status]++
	}
	require.Equal(t, map[int]int{http.StatusOK: 1, http.StatusConflict: 5}, times)
	require.Equal(t, "10.00", payee.get("/api/balance").is(http.StatusOK).text("balance"))
	require.Contains(t, string(payee.get("/api/balance").body), "A friend you referred completed their first order")
	require.Equal(t, 1, one[int](h, `SELECT count(*) FROM audit_log WHERE action = 'referral.approve_reward'`))
	staff.post("/api/admin/referrals/"+id+"/refuse", why).refused(http.StatusConflict, "reward_state")
	var summary referralapi.RewardsSummary
	staff.get("/api/admin/referrals/summary?status=rewarded").is(http.StatusOK).read(&summary)
	require.Equal(t, referralapi.RewardsSummary{Total: 1, MatchingFilters: 1, Paid: "10.00", ByStatus: map[string]int{"registered": 0, "active": 0, "held": 0, "rewarded": 1, "refused": 0, "clawed_back": 0}}, summary)
}

func TestAHeldRewardThatIsRefusedCreditsNothing(t *testing.T) {
	h := open(t)
	payee, friend, staff := h.customer(), h.customer(), h.customer("compliance")
	friend.order("card")
	id := h.heldReward(payee.userID, friend.userID)
	staff.post("/api/admin/referrals/"+id+"/refuse", `{"reason":"one person"}`).is(http.StatusOK)
	require.Equal(t, "refused", one[string](h, `SELECT status FROM rewards WHERE id = $1`, id))
	require.Equal(t, "0.00", payee.get("/api/balance").is(http.StatusOK).text("balance"))
	require.Equal(t, 1, h.audited(id))
}
