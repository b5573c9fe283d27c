package api

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/payout"
)

// Bar 5: what needs two people needs two however it is divided.
func TestBar05ManySmallPayoutsNeedASecondPersonAsOneLargeOneDoes(t *testing.T) {
	h := open(t, func(d *Dependencies) { d.PayoutTwoAbove = 150 })
	v, finance, admin := h.rich(100_000), h.customer("finance"), h.customer("admin")
	asks := func() string { return v.paysOut(payoutOf("90")) }
	status := func(id string) string { return v.get("/api/payouts/" + id).is(http.StatusOK).text("status") }
	approved := func(who *visitor, id string) string {
		who.post("/api/admin/payouts/"+id+"/approve", h.naming(payout.KindApproval, id, "")).is(http.StatusOK)
		return status(id)
	}
	first, second := asks(), asks()
	require.Equal(t, "approved", approved(finance, first))
	require.Equal(t, "requested", approved(finance, second), "together they are above what one person approves")
	finance.post("/api/admin/payouts/"+second+"/approve", "").refused(http.StatusForbidden, "second_person")
	require.Equal(t, "approved", approved(admin, second))

	v.post("/api/payouts/"+asks()+"/cancel", "").is(http.StatusOK)
	for _, id := range []string{first, second} {
		finance.post("/api/admin/payouts/"+id+"/confirm", `{"reference":"wire `+id+`"}`).is(http.StatusOK)
	}
	third := asks()
	require.Equal(t, "requested", approved(finance, third), "what was paid today counts")
	v.post("/api/payouts/"+third+"/cancel", "").is(http.StatusOK)
	h.advance("25 hours")
	v.enter()
	finance.enter()
	require.Equal(t, "approved", approved(finance, asks()), "of another day")
}

// Bar 5: the approval of a person whose role was revoked does not count for a second
// person's.
func TestBar05AFirstApprovalOfADemotedPersonDoesNotCount(t *testing.T) {
	h := open(t, func(d *Dependencies) { d.PayoutTwoAbove, d.RecoveryDelay = 150, time.Hour })
	v, gone, admin, other := h.rich(100_000), h.customer("admin"), h.customer("admin"), h.customer("admin")
	asked := v.paysOut(payoutOf("200"))
	approve := "/api/admin/payouts/" + asked + "/approve"
	gone.post(approve, "").is(http.StatusOK)

	lost := h.customer()
	lost.enrol()
	recovery := "/api/admin/recoveries/" + lost.again().post("/api/2fa/recovery", "").is(http.StatusCreated).text("id")
	because := `{"reason":"seen on video"}`
	gone.post(recovery+"/vouch", because).is(http.StatusOK)

	admin.post("/api/admin/team/"+gone.userID+"/take", `{"roles":["admin"],"reason":"not to be trusted"}`).is(http.StatusOK)
	h.advance("2 hours")
	admin.post(approve, "").is(http.StatusOK)
	require.Equal(t, "requested", v.get("/api/payouts/"+asked).is(http.StatusOK).text("status"), "admin is the first of two")
	admin.post(recovery+"/approve", because).refused(http.StatusConflict, "recovery_state")
	admin.post(recovery+"/vouch", because).is(http.StatusOK)
	other.post(recovery+"/approve", because).is(http.StatusOK)
	other.post(approve, h.naming(payout.KindApproval, asked, "")).is(http.StatusOK)
	require.Equal(t, "approved", v.get("/api/payouts/"+asked).is(http.StatusOK).text("status"))
	require.Equal(t, 1, one[int](h, `SELECT count(*) FROM audit_log WHERE action = 'payout.approval_lapsed' AND object_id = $1 AND actor_id = $2`, asked, admin.userID))
}

// Bar 5: staff whose role shows them a voucher's code do not redeem it.
func TestBar05NoOneRedeemsAVoucherWhoseCodeTheyExported(t *testing.T) {
	h := open(t)
	maker, taker, v := h.customer("admin"), h.customer("admin"), h.customer()
	before := maker.generate("50", "USD")
	taker.post("/api/admin/vouchers/export", "{}").is(http.StatusOK)
	after := maker.generate("50", "USD")
	for _, who := range []*visitor{taker, h.spelled(taker)} {
		who.post("/api/vouchers/validate", `{"code":"`+before.Code+`"}`).refused(http.StatusNotFound, "voucher_not_found")
		who.post("/api/vouchers/redeem", redemptionOf(before.Code)).refused(http.StatusNotFound, "voucher_not_found")
	}
	taker.post("/api/vouchers/validate", `{"code":"`+after.Code+`"}`).is(http.StatusOK)
	v.post("/api/vouchers/validate", `{"code":"`+before.Code+`"}`).is(http.StatusOK)
}

// A recovery is of the factor that was lost: it never lifts another one.
func TestBar12ARecoveryEndsWithTheFactorItIsAbout(t *testing.T) {
	h := open(t, func(d *Dependencies) { d.RecoveryDelay = time.Hour })
	first, second, because := h.customer("admin"), h.customer("admin"), `{"reason":"seen on video"}`
	asked := func(v *visitor) (path string) {
		path = "/api/admin/recoveries/" + v.again().post("/api/2fa/recovery", "").is(http.StatusCreated).text("id")
		first.post(path+"/vouch", because).is(http.StatusOK)
		return path
	}
	v := h.customer()
	p := v.enrol()
	path := asked(v)
	v.post("/api/2fa/disable", `{"token":"`+p.codes[0]+`"}`).is(http.StatusOK)
	v.enrol()
	h.advance("2 hours")
	second.post(path+"/approve", because).refused(http.StatusConflict, "recovery_state")
	require.Equal(t, "cancelled", one[string](h, `SELECT status FROM two_factor_recoveries WHERE user_id = $1`, v.userID))

	found := h.customer()
	p = found.enrol()
	path = asked(found)
	found.again().pass(p).is(http.StatusOK)
	second.post(path+"/approve", because).refused(http.StatusConflict, "recovery_state")
	require.Equal(t, 2, one[int](h, `SELECT count(*) FROM mails WHERE kind = 'two_factor_recovery_cancelled'`), "its owner is told")

	lost := h.customer()
	p = lost.enrol()
	path = asked(lost)
	lost.again().post("/api/2fa/login-verify", `{"backupCode":"`+p.codes[0]+`"}`).is(http.StatusOK)
	h.advance("2 hours")
	second.post(path+"/approve", because).is(http.StatusOK)
}

// Bar 5: no person decides about themselves, however they write their own id.
func TestBar05AnIDInAnotherSpellingIsNotFound(t *testing.T) {
	h := open(t, unscaled)
	v := h.customer("admin", "compliance")
	h.exec(`UPDATE kyc_records SET level = 'none', status = 'pending', applicant_id = 'a1' WHERE user_id = $1`, v.userID)
	because := `{"reason":"it is me"}`
	for _, mine := range []string{strings.ToUpper(v.userID), "{" + v.userID + "}", strings.ReplaceAll(v.userID, "-", "")} {
		path := "/api/admin/customers/" + url.PathEscape(mine)
		v.post(path+"/unfreeze", because).is(http.StatusNotFound)
		v.unsafe(http.MethodPatch, path+"/tier", `{"volumeTier":"platinum"}`).is(http.StatusNotFound)
		v.post("/api/admin/kyc/"+url.PathEscape(mine)+"/approve", `{"reason":"it is me","level":"standard"}`).is(http.StatusNotFound)
		v.post("/api/admin/team/"+url.PathEscape(mine)+"/take", `{"roles":["compliance"],"reason":"x"}`).is(http.StatusNotFound)
		v.post("/api/admin/team/"+url.PathEscape(mine)+"/propose", `{"roles":["finance"],"reason":"x"}`).is(http.StatusNotFound)
	}
	h.exec(`UPDATE users SET frozen_at = now(), frozen_reason = 'looks like theft' WHERE id = $1`, v.userID)
	for _, mine := range []string{v.userID, strings.ToUpper(v.userID), "{" + v.userID + "}", strings.ReplaceAll(v.userID, "-", "")} {
		v.post("/api/admin/customers/"+url.PathEscape(mine)+"/unfreeze", because).refused(http.StatusForbidden, "forbidden")
	}
	require.Equal(t, 1, one[int](h, `SELECT count(*) FROM users WHERE id = $1 AND frozen_at IS NOT NULL`, v.userID))
}

// Bar 5: breaks are booked by the day, whichever of their accounts a person uses.
func TestBar05ManySmallBreaksNeedASecondPersonAsOneLargeOneDoes(t *testing.T) {
	h := open(t, unscaled, func(d *Dependencies) { d.RefundTwoAbove = 150 })
	finance, colleague := h.customer("finance"), h.customer("admin")
	again := h.spelled(finance, "finance")
	n := 0
	books := func(who *visitor) bool {
		n++
		id := h.broken("stripe", fmt.Sprint("charge:pi_", n), "USD", 90_00)
		return strings.Contains(string(who.post("/api/admin/reconciliation/breaks/"+id+"/resolve", booking("equity", "90.00", "ours")).is(http.StatusOK).body), `"waiting":false`)
	}
	require.True(t, books(finance))
	require.False(t, books(finance), "together they are above what one person books")
	require.False(t, books(again))
	require.True(t, books(colleague), "another person has a day of their own")
	waiting := one[string](h, `SELECT id::text FROM reconciliation_breaks WHERE wanted_by = $1 LIMIT 1`, finance.userID)
	colleague.post("/api/admin/reconciliation/breaks/"+waiting+"/approve", approving("equity", "90.00")).is(http.StatusOK)
	h.exec(`UPDATE reconciliation_breaks SET closed_at = closed_at - interval '25 hours' WHERE closed_by = $1`, finance.userID)
	require.True(t, books(finance), "of another day")
	require.False(t, books(colleague), "what they approved for another does not count, what they booked does")
}

// Bar 5: who decides about themselves does so under any of their accounts.
func TestBar05NoOneDecidesAboutThemselvesByAnotherAccount(t *testing.T) {
	h := open(t, unscaled)
	v, officer := h.customer(), h.customer("compliance")
	again := h.spelled(v, "compliance")
	v.order("card")
	reward := h.heldReward(officer.userID, v.userID)
	h.exec(`UPDATE users SET frozen_at = clock_now(), frozen_reason = 'looks like theft' WHERE id = $1`, v.userID)
	again.post("/api/admin/referrals/"+reward+"/approve", `{"reason":"two people"}`).refused(http.StatusForbidden, "own_referral")
	again.post("/api/admin/customers/"+v.userID+"/unfreeze", `{"reason":"it is me"}`).refused(http.StatusForbidden, "own_account")
	officer.post("/api/admin/customers/"+v.userID+"/unfreeze", `{"reason":"settled"}`).is(http.StatusOK)
}

// Bar 5: unapproved vouchers of a person who was demoted have to be made anew.
func TestBar05VouchersProposedByADemotedPersonExpire(t *testing.T) {
	h := open(t)
	gone, admin := h.customer("admin"), h.customer("admin")
	gone.generate("2000", "USD")
	made := gone.generate("600", "USD")
	require.Equal(t, "awaiting_approval", made.Status)
	admin.post("/api/admin/team/"+gone.userID+"/take", `{"roles":["admin"],"reason":"not to be trusted"}`).is(http.StatusOK)
	admin.post("/api/admin/voucher-batches/"+made.BatchID+"/approve", "").refused(http.StatusConflict, "voucher_state")
	require.Equal(t, "voided", admin.get("/api/admin/vouchers/"+made.ID).is(http.StatusOK).text("status"))
	require.Equal(t, 1, one[int](h, `SELECT count(*) FROM audit_log WHERE action = 'voucher.lapsed' AND object_id = $1`, made.ID))
}
