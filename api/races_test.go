package api

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// contest has two people act at the same time, repeatedly, and returns how often each
// succeeded. The other's refusal is a conflict, or one of the other allowed statuses.
func contest(t *testing.T, presses int, one, other func() *answer, or ...int) (won [2]int) {
	t.Helper()
	var mu sync.Mutex
	var all sync.WaitGroup
	start := make(chan struct{})
	for i := range presses {
		all.Go(func() {
			<-start
			a := []func() *answer{one, other}[i%2]()
			mu.Lock()
			defer mu.Unlock()
			if a.status < http.StatusMultipleChoices {
				won[i%2]++
				return
			}
			require.Contains(t, append(or, http.StatusConflict), a.status, string(a.body))
			require.NotEmpty(t, a.text("message"))
			require.NotEmpty(t, a.text("code"))
		})
	}
	close(start)
	all.Wait()
	require.Equal(t, 1, won[0]+won[1], "one of them counts")
	return won
}

// audited is how many entries of the audit log are about an object.
func (h *testServer) audited(id string) int {
	h.Helper()
	return one[int](h, `SELECT count(*) FROM audit_log WHERE object_id = $1`, id)
}

// rounds is how often a race is run. Neither side surely wins any of them.
const rounds = 4

func TestBar18TwoReviewersOfAnIdentityPressFiftyTimes(t *testing.T) {
	h := open(t, unscaled)
	a, b := h.customer("compliance"), h.customer("admin")
	for range rounds {
		v := h.newcomer()
		v.says(inReview)
		won := contest(t, 50,
			func() *answer {
				return a.post("/api/admin/kyc/"+v.userID+"/approve", `{"level":"standard","reason":"seen"}`)
			},
			func() *answer {
				return b.post("/api/admin/kyc/"+v.userID+"/reject", `{"canRetry":false,"reason":"forged"}`)
			})
		require.Equal(t, map[bool]string{true: "approved", false: "rejected"}[won[0] == 1], v.kyc().Status)
		require.Equal(t, 1, h.audited(v.userID))
		require.Equal(t, 1, one[int](h, `SELECT count(*) FROM matter_decisions WHERE matter_id = $1 AND settled_at IS NOT NULL`, v.userID))
		late := a.post("/api/admin/kyc/"+v.userID+"/reject", `{"canRetry":true,"reason":"late"}`).refused(http.StatusConflict, "kyc_state")
		require.Contains(t, late.text("message"), v.kyc().Status, "it says what it is now")
	}
}

func TestBar18ALostFactorIsLiftedOrKeptWhenBothAreAskedAtOnce(t *testing.T) {
	h := open(t, unscaled, func(d *Dependencies) { d.RecoveryDelay = time.Hour })
	first, second := h.customer("admin"), h.customer("admin")
	for range rounds {
		v := h.customer()
		v.enrol()
		owing := v.again()
		id := owing.post("/api/2fa/recovery", "").is(http.StatusCreated).text("id")
		path, because := "/api/admin/recoveries/"+id, `{"reason":"seen on video"}`
		first.post(path+"/vouch", because).is(http.StatusOK)
		h.advance("61 minutes")
		for _, who := range []*visitor{first, second, owing} {
			who.enter()
		}
		won := contest(t, 20,
			func() *answer { return second.post(path+"/approve", because) },
			func() *answer { return owing.post("/api/2fa/recovery/cancel", "") },
			http.StatusNotFound, http.StatusUnauthorized) // nothing is left to cancel, or their sessions ended with it
		lifted := won[0] == 1
		require.Equal(t, map[bool]int{true: 0, false: 1}[lifted], one[int](h, `SELECT count(*) FROM second_factors WHERE user_id = $1 AND enabled_at IS NOT NULL`, v.userID))
		require.Equal(t, map[bool]int{true: 2, false: 1}[lifted], h.audited(id), "vouched for, and approved or not")
		second.post(path+"/approve", because).refused(http.StatusConflict, "recovery_state")
	}
}

func TestBar18APayoutIsCancelledOrApprovedNeverBoth(t *testing.T) {
	h := open(t, unscaled, func(d *Dependencies) { d.PayoutTwoAbove = 1000 })
	finance := h.customer("finance")
	for range rounds {
		v := h.rich(30_000)
		id := v.paysOut(payoutOf("200"))
		won := contest(t, 20,
			func() *answer { return v.post("/api/payouts/"+id+"/cancel", "") },
			func() *answer { return finance.post("/api/admin/payouts/"+id+"/approve", "{}") })
		cancelled := won[0] == 1
		require.Equal(t, map[bool]string{true: "cancelled", false: "approved"}[cancelled], v.get("/api/payouts/"+id).text("status"))
		require.Equal(t, map[bool]string{true: "300.00", false: "100.00"}[cancelled], v.get("/api/balance").text("balance"))
		require.Equal(t, won[1], h.audited(id))
		late := finance.post("/api/admin/payouts/"+id+"/approve", "{}").refused(http.StatusConflict, "payout_state")
		require.Contains(t, late.text("message"), v.get("/api/payouts/"+id).text("status"), "it says what it is now")
	}
}

func TestBar17AVoucherIsVoidedOrRedeemedNeverBoth(t *testing.T) {
	h := open(t, unscaled)
	admin := h.customer("admin")
	for range rounds {
		v, made := h.customer(), admin.generate("100", "USD")
		won := contest(t, 20,
			func() *answer {
				return admin.post("/api/admin/vouchers/"+made.ID+"/void", `{"reason":"sent to the wrong person"}`)
			},
			func() *answer { return v.post("/api/vouchers/redeem", redemptionOf(made.Code)) },
			http.StatusNotFound) // to a customer, a voided one is none
		require.Equal(t, won[1], one[int](h, `SELECT count(*) FROM voucher_redemptions WHERE voucher_id = $1`, made.ID))
		require.Equal(t, won[0], one[int](h, `SELECT count(*) FROM audit_log WHERE object_id = $1 AND action = 'voucher.void'`, made.ID))
		require.Equal(t, 1, one[int](h, `SELECT count(DISTINCT group_key) FROM postings WHERE matter_id IN (SELECT id FROM voucher_redemptions WHERE voucher_id = $1 UNION SELECT $1) AND event IN ('voucher_redeemed', 'voucher_ended')`, made.ID))
		late := admin.post("/api/admin/vouchers/"+made.ID+"/void", `{"reason":"late"}`).refused(http.StatusConflict, "voucher_state")
		require.Contains(t, late.text("message"), map[bool]string{true: "voided", false: "redeemed"}[won[0] == 1], "it says what it is now")
	}
}

func TestBar18AHeldRewardIsApprovedOrRefusedNeverBoth(t *testing.T) {
	h := open(t, unscaled)
	a, b := h.customer("compliance"), h.customer("admin")
	for range rounds {
		payee, friend := h.customer(), h.customer()
		friend.order("card")
		id := h.heldReward(payee.userID, friend.userID)
		decide := func(who *visitor, kind string) func() *answer {
			return func() *answer {
				return who.post(fmt.Sprintf("/api/admin/referrals/%s/%s", id, kind), `{"reason":"looked at"}`)
			}
		}
		won := contest(t, 20, decide(a, "approve"), decide(b, "refuse"))
		require.Equal(t, map[bool]string{true: "10.00", false: "0.00"}[won[0] == 1], payee.get("/api/balance").text("balance"))
		require.Equal(t, 1, h.audited(id))
		late := decide(a, "refuse")().refused(http.StatusConflict, "reward_state")
		require.Contains(t, late.text("message"), map[bool]string{true: "rewarded", false: "refused"}[won[0] == 1], "it says what it is now")
	}
}
