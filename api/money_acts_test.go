package api

import (
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	kycapi "github.com/tradepost/tradepost/api/kyc"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/internal/local/asvs"
)

// movesNothing are the calls of staff that change something and neither move nor release
// money or coin, each with the reason. A call of staff that is not here is marked
// MovesMoney, or requires a code of its own each time.
var movesNothing = map[string]string{
	"setCustomerTier": terms, "releaseCustomerTier": terms, "previewMethodPricing": "answers a calculation",
	"freezeCustomer": stops, "signCustomerOut": stops, "signMemberOut": stops,
	"noteAboutCustomer": writes, "noteAboutOrder": writes, "noteOnTicket": writes, "replyToTicket": writes, "takeTicket": writes, "assignTicket": writes, "acknowledgeAlert": writes,
	"closeTicketForCustomer": writes, "reopenTicket": writes,
	"addMoneyDocument": "keeps a picture", "rejectMoney": declines,
	"rejectPayment": declines, "rejectProposal": declines, "rejectGiftCard": declines, "rejectPayout": declines, "rejectTreasuryMove": declines,
	"withdrawTreasuryMove": declines, "withdrawCoinOffer": declines, "rejectBreak": declines, "endBreak": declines, "refuseReward": declines, "refuseToVoidBatch": declines,
	"refuseRecovery": declines, "rejectRoles": declines,
	"holdOrder": stops, "contestDispute": "sends documents to the card scheme", "reconcileNow": "reads statements",
	"rejectKyc": declines, "rejectKycProposal": declines, "revokeKyc": stops, "holdKyc": stops, "askKycAgain": stops,
}

const (
	terms    = "changes what later quotes cost"
	stops    = "stops something"
	writes   = "writes a text"
	declines = "leaves the money where it is, or gives it back to whom it came from"
)

// codeEachTime are the calls of staff that require a fresh code each time, each with a body that is well formed: calls
// that open a way for value, reveal secrets, or change who may do so.
var codeEachTime = map[string]string{
	"approveKyc": `{"level":"standard","reason":"seen"}`, "approveKycProposal": `{"proposalId":"00000000-0000-4000-8000-000000000000","version":1}`,
	"changeMethodPricing": `{"baseMarginPercent":"5","processingFee":"1.00","minOrderAmount":"50","isEnabled":true}`, "addLocationPricing": `{"country":"CH","adjustmentPercent":"1.5","isBlocked":false}`,
	"changeLocationPricing": `{"adjustmentPercent":"2","isBlocked":false,"version":1}`, "removeLocationPricing": `{"version":1}`,
	"changeRiskRule": `{"enabled":true,"most":1,"hours":1,"score":100,"version":1,"reason":"tighter"}`, "importAddressList": "",
	"revealGiftCard": "", "revealPayout": "", "approveMoney": `{}`,
	"proposeRoles": `{"roles":["support"],"reason":"x"}`, "takeRoles": `{"roles":["support"],"reason":"x"}`, "approveRoles": "",
	"vouchForRecovery": `{"reason":"x"}`, "approveRecovery": `{"reason":"x"}`,
}

// codeForObject are the calls that require a code only if there is what they are about, each with
// the test of its code.
var codeForObject = map[string]string{
	"approveTreasuryMove": "TestMovesTakeAFreshCode", "resolveTreasuryMove": "the same check as approveTreasuryMove", "exportVouchers": "TestBar35VoucherCodesAreNowhereInClear",
}

// The cookie of a member of staff alone opens no way for value, reveals nothing and gives no role: each such call
// requires a code each time.
func TestOpeningAWayTakesAFreshCode(t *testing.T) {
	h := open(t, unscaled)
	c := h.callers()
	h.exec(`UPDATE kyc_records SET level = 'none', status = 'pending', applicant_id = 'a1' WHERE user_id = $1`, c.owner.userID)
	p, asking, tried := c.staff.enrol(), callsThatAsk(t), 0
	for _, op := range operations(t) {
		if !asking[op.id].each || slices.Contains([]string{"own_account", "own_orders"}, op.permission) || codeForObject[op.id] != "" {
			continue
		}
		tried++
		body, known := codeEachTime[op.id]
		require.True(t, known, "%s requires a fresh code: list a body of it", op.id)
		sends := func(headers ...string) *answer {
			if op.id == "importAddressList" {
				kind, form := formOf(t, listParts("import", "0", btcAddress))
				return c.staff.post(op.path, form, append([]string{"Content-Type", kind}, headers...)...)
			}
			return c.staff.unsafe(op.method, strings.Replace(op.path, "{id}", c.idFor(op), 1), body, headers...)
		}
		before := counted(h)
		sends().refused(http.StatusForbidden, "fresh_code_required")
		require.Equal(t, before, counted(h), op.id)
		if a := sends(rest.FreshCodeHeader, c.staff.code(p)); a.status >= http.StatusBadRequest {
			require.NotContains(t, []string{"fresh_code_required", "invalid_code", "two_factor_locked", "invalid"}, a.text("code"), "%s: %s", op.id, a.body)
		}
	}
	require.Equal(t, len(codeEachTime), tried)
}

// asks is how a call of the contract asks for a code.
type asks struct{ money, each bool }

func callsThatAsk(t *testing.T) map[string]asks {
	t.Helper()
	text, err := os.ReadFile("openapi.json")
	require.NoError(t, err)
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string `json:"operationId"`
			Money       bool   `json:"x-moves-money"`
			Parameters  []struct{ Name string }
		}
	}
	require.NoError(t, json.Unmarshal(text, &document))
	found := map[string]asks{}
	for _, methods := range document.Paths {
		for _, op := range methods {
			code := slices.ContainsFunc(op.Parameters, func(p struct{ Name string }) bool { return p.Name == rest.FreshCodeHeader })
			found[op.OperationID] = asks{money: op.Money, each: code && !op.Money}
		}
	}
	return found
}

// The cookie of a member of staff alone moves no money: each call that does requires a
// code, which then counts for ten minutes.
func TestCallsThatMoveMoneyAskForACodeOnceInTenMinutes(t *testing.T) {
	h := open(t)
	plain, staff := h.customer("admin", "finance", "compliance", "support"), h.customer("admin", "finance", "compliance", "support")
	p := staff.enrol()
	h.advance("11 minutes")
	var money []operation
	known, asking := map[string]bool{}, callsThatAsk(t)
	for _, op := range operations(t) {
		known[op.id] = true
		if op.method == http.MethodGet || slices.Contains([]string{"anyone", "own_session", "own_account", "own_orders"}, op.permission) || asking[op.id].each {
			continue
		}
		require.NotEqual(t, movesNothing[op.id] != "", asking[op.id].money, "%s moves money and asks for no code, or stands in movesNothing and asks", op.id)
		if asking[op.id].money {
			money = append(money, op)
		}
	}
	for id := range movesNothing {
		require.True(t, known[id], "%s is no call", id)
	}
	require.NotEmpty(t, money)
	for _, op := range money {
		staff.call(op).refused(http.StatusForbidden, "recent_code_required")
		plain.passesTheCode(op)
	}

	order := "/api/admin/orders/00000000-0000-4000-8000-000000000000/fulfill"
	staff.post(order, `{}`, rest.FreshCodeHeader, p.wrongCode(t)).refused(http.StatusUnprocessableEntity, "invalid_code")
	staff.post(order, `{}`).refused(http.StatusForbidden, "recent_code_required")
	staff.post(order, `{}`, rest.FreshCodeHeader, staff.code(p)).is(http.StatusNotFound)
	for _, op := range money {
		staff.passesTheCode(op)
	}

	// The code is this session's, and its time runs out.
	other := staff.again()
	other.pass(p).is(http.StatusOK)
	h.advance("9 minutes")
	staff.post(order, `{}`).is(http.StatusNotFound)
	h.advance("2 minutes")
	staff.post(order, `{}`).refused(http.StatusForbidden, "recent_code_required")
}

// passesTheCode calls and is not asked for a code.
func (v *visitor) passesTheCode(op operation) {
	v.Helper()
	a := v.call(op)
	require.NotEqual(v, http.StatusForbidden, a.status, "%s: %s", op.id, a.body)
}

// A cookie alone enrols no factor: its thief would shut the owner out.
func TestASecondFactorIsEnrolledAfterAFreshSignInOnly(t *testing.T) {
	h := open(t)
	v := h.visitor()
	who := person("s1", "ada@example.com", true)
	v.userID = v.signIn(who)
	v.csrf = v.get("/api/csrf-token").text("csrfToken")
	h.exec(`UPDATE sessions SET authenticated_at = authenticated_at - interval '11 minutes'`)
	v.post("/api/2fa/setup", "").refused(http.StatusForbidden, "sign_in_again", asvs.Claim(t, "6.8.4", "7.5.1", "10.3.4"))
	require.Zero(t, one[int](h, `SELECT count(*) FROM second_factors WHERE pending_seed IS NOT NULL`))

	// The issuer that lets them pass by its own session proves nothing.
	h.issuer.twist = func(claims map[string]any) { claims["auth_time"] = claims["auth_time"].(int64) - 3600 }
	v.signIn(who)
	v.csrf = v.get("/api/csrf-token").text("csrfToken")
	v.post("/api/2fa/setup", "").refused(http.StatusForbidden, "sign_in_again")
	h.issuer.twist = func(claims map[string]any) { delete(claims, "auth_time") }
	v.signIn(who)
	v.csrf = v.get("/api/csrf-token").text("csrfToken")
	v.post("/api/2fa/setup", "").refused(http.StatusForbidden, "sign_in_again")

	request := v.asked("/api/login?anew=true&returnTo=/settings/2fa")
	require.Equal(t, "login 0", request.Get("prompt")+" "+request.Get("max_age"))
	back := v.arrive(h.issuer.approve(request, who), request.Get("state")).is(http.StatusSeeOther)
	require.Equal(t, "/settings/2fa", back.header.Get("Location"))
	v.csrf = v.get("/api/csrf-token").text("csrfToken")
	v.enrol()
	require.True(t, v.account().TwoFactorEnabled)
}

// An attacker with the password alone cannot lock the session that has shown the factor.
func TestGuessesOfASessionThatOwesLockNoOther(t *testing.T) {
	h := open(t)
	owner := h.customer()
	p := owner.enrol()
	thief := owner.again()
	for range 5 {
		thief.post("/api/2fa/login-verify", `{"token":"`+p.wrongCode(t)+`"}`).refused(http.StatusUnprocessableEntity, "invalid_code")
	}
	thief.pass(p).refused(http.StatusTooManyRequests, "two_factor_locked")
	owner.post("/api/2fa/regenerate-backup-codes", `{"token":"`+owner.code(p)+`"}`).is(http.StatusOK)
	for range 5 {
		owner.post("/api/2fa/disable", `{"token":"`+p.wrongCode(t)+`"}`).refused(http.StatusUnprocessableEntity, "invalid_code")
	}
	owner.post("/api/2fa/disable", `{"token":"`+owner.code(p)+`"}`).refused(http.StatusTooManyRequests, "two_factor_locked")
}

// A customer with an unverified address begins nothing: neither a check of their identity
// nor an order, by any call.
func TestNothingBeginsBeforeTheAddressIsProven(t *testing.T) {
	h := open(t)
	v, code := h.customer(), h.customer("admin").generate("100", "USD").Code
	h.exec(`UPDATE users SET email_verified = false WHERE id = $1`, v.userID)
	h.exec(`UPDATE kyc_records SET level = 'none', status = 'not_started' WHERE user_id = $1`, v.userID)
	v.post("/api/kyc/token", "").refused(http.StatusForbidden, "email_unverified")
	h.exec(`UPDATE kyc_records SET level = 'standard', status = 'approved' WHERE user_id = $1`, v.userID)
	v.post("/api/orders", newOrder).refused(http.StatusForbidden, "email_unverified")
	v.post("/api/buy", `{"asset":"BTC","amountFiat":"100","destAddress":"`+btcAddress+`","paymentMethod":"card"}`).refused(http.StatusForbidden, "email_unverified")
	v.post("/api/vouchers/redeem", redemptionOf(code)).refused(http.StatusForbidden, "email_unverified")
	v.post("/api/kyc/enhanced", "").refused(http.StatusForbidden, "email_unverified")
	v.post("/api/kyc/renew", "").refused(http.StatusForbidden, "email_unverified")
	v.sell(regularCard, nil).refused(http.StatusForbidden, "email_unverified")
	var limits kycapi.Limits
	v.get("/api/limits").is(http.StatusOK).read(&limits)
	require.Contains(t, *limits.Refused, "Confirm your e-mail address")
	require.Zero(t, one[int](h, `SELECT (SELECT count(*) FROM orders) + (SELECT count(*) FROM gift_cards) + (SELECT count(*) FROM voucher_redemptions)`))
	h.exec(`UPDATE users SET email_verified = true WHERE id = $1`, v.userID)
	v.order("card")
}
