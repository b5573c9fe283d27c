package main

import "slices"

// reason is the body of a decision.
const reason = `{"reason":"as the campaign has it"}`

const (
	atTicket   = "/api/admin/support/tickets/$ticket/"
	atKYC      = "/api/admin/kyc/$me/"
	atPayout   = "/api/admin/payouts/$payout/"
	atCard     = "/api/admin/gift-cards/$card/"
	atRecovery = "/api/admin/recoveries/$recovery/"
	atVoucher  = "/api/admin/vouchers/$voucher/"
	atProposal = "/api/admin/money/proposals/"
)

// scenarios lead to the events of cases that a scenario by chance does not reach.
var scenarios = []scenario{
	{"ticket_in_turns", false, []action{customer("/api/support/tickets", `{"subject":"general","message":"Where is it?"}`, "ticket=id"), admin(atTicket+"take", ""),
		admin(atTicket+"assign", `{"assigneeId":"$second","from":"$first"}`), secondAdmin(atTicket+"reply", `{"message":"On its way."}`),
		customer("/api/support/tickets/$ticket/messages", `{"message":"Thank you."}`), admin(atTicket+"close", reason), admin(atTicket+"reopen", "")}},
	{"copy_of_data", false, []action{customer("/api/account/data", "", "export=export.id"), confirms("export"), get("/api/account/data/$export")}},
	{"closure_refused", false, []action{customer("/api/account/closure", "{}"), submitIdentity("wait", 900)}},

	{"second_factor", false, slices.Concat([]action{signInElsewhere}, enableTwoFactor(), []action{withCode("/api/2fa/regenerate-backup-codes"), withCode("/api/2fa/disable")}, enableTwoFactor(), []action{enterWrongCodes})},
	{"factor_lost", false, append(enableTwoFactor(), customer("/api/2fa/recovery", ""), customer("/api/2fa/recovery/cancel", ""), customer("/api/2fa/recovery", "", "recovery=id"),
		admin(atRecovery+"vouch", reason))}, // approved when days have passed: approveRecoveries
	{"factor_not_lost", false, append(enableTwoFactor(), customer("/api/2fa/recovery", "", "recovery=id"), admin(atRecovery+"refuse", reason))},
	{"factor_left", false, append(enableTwoFactor(), customer("/api/2fa/recovery", ""))},

	{"identity_refused", false, []action{submitIdentity("reject", 900), awaitKYC("rejected")}},
	{"identity_asked_more", false, []action{submitIdentity("wait", 900), reviewOutcome("ask"), expect("/api/kyc/status", "moreAsked", "true"), submitIdentity("approve", 900), awaitKYC("approved")}},
	{"identity_held", false, []action{submitIdentity("wait", 900), awaitKYC("pending"), admin(atKYC+"hold", reason), admin(atKYC+"release", reason), reviewOutcome("approve"), awaitKYC("approved")}},
	{"identity_on_hold", false, []action{submitIdentity("hold", 900), expect("/api/kyc/status", "onHold", "true"), reviewOutcome("approve"), awaitKYC("approved")}},
	{"identity_level", false, []action{submitIdentity("retry", 900), awaitKYC("rejected"), reviewOutcome("level"), awaitKYC("not_started")}},
	{"identity_reset", false, []action{submitIdentity("retry", 900), awaitKYC("rejected"), reviewOutcome("reset"), awaitKYC("not_started")}},
	{"identity_deleted", false, []action{submitIdentity("retry", 900), awaitKYC("rejected"), reviewOutcome("delete"), awaitKYC("not_started")}},
	{"identity_enhanced", true, []action{customer("/api/kyc/enhanced", "")}},
	{"identity_renewed", false, []action{submitIdentity("approve", 15), expect("/api/kyc/status", "renewable", "true"), customer("/api/kyc/renew", ""), awaitKYC("approved")}},
	{"identity_runs_out", false, []action{submitIdentity("approve", 3), awaitKYC("approved")}},

	{"payouts", true, []action{submitCard("good"), admin(atCard+"reveal", ""), admin(atCard+"approve", `{"value":"300"}`), admin(atCard+"realise", `{"amount":"250","reference":"sold $card"}`),
		customer("/api/payouts", payoutOf("20"), "payout=id"), customer("/api/payouts/$payout/cancel", ""),
		customer("/api/payouts", payoutOf("21"), "payout=id"), confirms("payout"), admin(atPayout+"reveal", ""), admin(atPayout+"reject", reason), customer("/api/payouts", payoutOf("22"), "payout=id"), confirms("payout")}},
	{"card_twice", true, []action{submitCard("same"), submitCard("same"), admin(atCard+"reveal", ""), admin(atCard+"reject", reason)}},
	{"offer_accepted", true, append(offer(), customer("/api/gift-cards/$card/accept", ""))},
	{"offer_declined", true, append(offer(), customer("/api/gift-cards/$card/decline", ""))},
	{"offer_rejected", true, append(offer(), admin(atCard+"reject", reason))},
	{"offer_expires", true, offer()}, // declined when days have passed
	{"card_claimed", true, slices.Concat(soldCard("claimed"), []action{
		admin("/api/admin/money/gift-cards/$card/claim", `{"amount":"100","takenBack":"250","bankReference":"TB-$card","reason":"it was used"}`, "claim=id"),
		once(secondAdmin(atProposal+"$claim/approve", reason)),
		admin("/api/admin/money/gift-cards/$card/reverse-claim", `{"paidAgain":"250","bankReference":"PA-$card","reason":"the buyer was wrong"}`, "reversal=id"),
		once(secondAdmin(atProposal+"$reversal/approve", reason))})},
	{"credit_recalled", true, []action{
		admin("/api/admin/money/unplaced", `{"amount":"40","bankReference":"`+ofScenario+`$me","receivedOn":"$day","rail":"domestic_wire","sender":"unreadable"}`, "money=id"),
		admin("/api/admin/money/unplaced/$money/credit", `{"customer":"$mail","reason":"it is theirs","statement":"`+notSent+`"}`, "credit=id"),
		once(secondAdmin(atProposal+"$credit/approve", reason)),
		admin("/api/admin/money/unplaced/$money/return", `{"amount":"40","bankReference":"RR-$me","returnedOn":"$day","code":"R01","reason":"its bank took it back"}`, "recall=id"),
		once(secondAdmin(atProposal+"$recall/approve", reason))}},
	{"payout_frozen", true, slices.Concat(soldCard("frozen"), approvedPayout(), []action{
		admin("/api/admin/customers/$me/freeze", reason), refused(secondAdmin(atPayout+"reveal", ""), "account_frozen"),
		admin("/api/admin/customers/$me/unfreeze", reason), secondAdmin(atPayout+"reveal", ""), paidPayout})},
	{"card_unsold", true, []action{submitCard("unsold"), admin(atCard+"reveal", ""), admin(atCard+"approve", `{"value":"300"}`)}},
	{"voucher_given_up", true, []action{coinVoucher, once(approveVoucher), simulate("/control/faults", `{"provider":"bitgo","operation":"sendcoins","match":"$address","code":"insufficient","count":1}`),
		redeem("$address"), admin(atVoucher+"restore", reason), redeem("$other")}},
	{"voucher_dies", true, []action{coinVoucher, once(approveVoucher), simulate("/control/faults", `{"provider":"bitgo","operation":"sendcoins","match":"$address","code":"failed","count":1}`),
		redeem("$address"), admin(atVoucher+"resume", reason)}},
	{"role", false, []action{admin("/api/admin/team/$me/propose", `{"roles":["support"],"reason":"joins us"}`, "proposal=id"), secondAdmin("/api/admin/team/proposals/$proposal/approve", ""),
		admin("/api/admin/team/$me/take", `{"roles":["support"],"reason":"leaves us"}`)}},
}

// ofScenario begins the bank's reference of money that a scenario alone decides about.
const ofScenario = "scenario-"

// offer has a reviewer find less on a card than its customer stated.
func offer() []action {
	return []action{submitCard("offered"), admin(atCard+"reveal", ""), admin(atCard+"approve", `{"value":"200"}`)}
}

// soldCard has a card paid for and sold, so that its customer has a balance.
func soldCard(number string) []action {
	return []action{submitCard(number), admin(atCard+"reveal", ""), admin(atCard+"approve", `{"value":"300"}`),
		admin(atCard+"realise", `{"amount":"250","reference":"sold $card"}`)}
}

// approvedPayout has the customer request a payout, and another admin than the one of the card approve it.
func approvedPayout() []action {
	return []action{customer("/api/payouts", payoutOf("23"), "payout=id"), confirms("payout"), secondAdmin(atPayout+"approve", "")}
}

// paidPayout records the transfer.
var paidPayout = secondAdmin(atPayout+"confirm", `{"reference":"bank $payout"}`)

// coinVoucher makes a voucher.
var coinVoucher = admin("/api/admin/vouchers", `{"amount":"0.0005","currency":"BTC"}`, "code=code", "voucher=id", "batch=batchId")

// approveVoucher is the second approval, which a day's sum may need.
var approveVoucher = secondAdmin("/api/admin/voucher-batches/$batch/approve", "")

func redeem(address string) action {
	return customer("/api/vouchers/redeem", `{"code":"$code","cryptoType":"BTC","walletAddress":"`+address+`"}`)
}

// payoutOf is the body of a payout request.
func payoutOf(amount string) string {
	return `{"amount":"` + amount + `","accountKind":"us","accountHolder":"Erin Example","routingNumber":"021000021","accountNumber":"990011226789"}`
}
