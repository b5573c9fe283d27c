package api

import (
	"encoding/json"
	"net/http"
	"os"
	"slices"
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
	"setCustomerTier": terms, "releaseCustomerTier": terms, "changeMethodPricing": terms, "addLocationPricing": terms, "changeLocationPricing": terms,
	"removeLocationPricing": terms, "previewMethodPricing": "answers a calculation",
	"freezeCustomer": stops, "signCustomerOut": stops, "signMemberOut": stops,
	"noteAboutCustomer": writes, "noteAboutOrder": writes, "noteOnTicket": writes, "replyToTicket": writes, "takeTicket": writes, "assignTicket": writes,
	"closeTicketForCustomer": writes, "reopenTicket": writes,
	"addMoneyDocument": "keeps a picture", "rejectMoney": declines,
	"rejectPayment": declines, "rejectProposal": declines, "rejectGiftCard": declines, "rejectPayout": declines, "rejectTreasuryMove": declines,
	"withdrawTreasuryMove": declines, "rejectBreak": declines, "endBreak": declines, "refuseReward": declines, "refuseToVoidBatch": declines,
	"refuseRecovery": declines, "rejectRoles": declines,
	"holdOrder": stops, "contestDispute": "sends documents to the card scheme", "reconcileNow": "reads statements",
	"approveKyc": permits, "rejectKyc": declines, "revokeKyc": stops, "holdKyc": stops, "askKycAgain": stops,
	"changeRiskRule": permits, "importAddressList": permits,
}

const (
	terms    = "changes what later quotes cost"
	stops    = "stops something"
	permits  = "permits customers to ask; every order is decided by itself"
	writes   = "writes a text"
	declines = "leaves the money where it is, or gives it back to whom it came from"
)

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
