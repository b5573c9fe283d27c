package api

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/giftcard"
	"github.com/tradepost/tradepost/models/kyc"
)

// routes is the whole route table. Each line: path, operation id, what it does,
// permission (policy/policy.csv says who holds it), rate class, handler.
func routes(s *Server, api huma.API) {
	t := &table{api: api, server: s}

	t.tag = "session"
	get(t, "/api/login", "login", "Start signing in at the identity provider", anyone, signing, s.login, browsed())
	get(t, "/api/login/callback", "loginCallback", "Finish signing in with what the identity provider sends back", anyone, signing, s.loginCallback, browsed(http.StatusForbidden, http.StatusServiceUnavailable), says("Only the browser that started the sign-in gets a session, and a new one each time."))
	get(t, "/api/logout", "logout", "Sign out, or ask first when the link was followed from another site", anyone, signing, s.logout, browsed(http.StatusOK))
	post(t, "/api/logout", "confirmLogout", "Sign out after the page has asked", anyone, signing, s.confirmLogout, browsed())
	get(t, "/api/session", "getSession", "Read who is signed in, what they may do and what the site is called", anyone, reading, s.getSession)
	post(t, "/api/logout/backchannel", "backchannelLogout", "End a person's sessions on a signed notice of the identity provider", anyone, hooks, s.backchannelLogout, signedBytes)
	get(t, "/api/auth/user", "getUser", "Read the signed-in person's account", ownSession, reading, s.getUser)
	get(t, "/api/csrf-token", "getCsrfToken", "Read the token that the posts of two-factor authentication need", ownSession, reading, s.getCSRFToken)
	get(t, "/api/config", "getConfig", "Read the site's public settings", anyone, reading, s.getConfig)

	t.tag = "two-factor"
	get(t, "/api/2fa/status", "getTwoFactorStatus", "Read whether two-factor authentication is on, and any open request to reset it", ownSession, reading, s.getTwoFactorStatus)
	post(t, "/api/2fa/setup", "setUpTwoFactor", "Get a new secret for an authenticator app", ownSession, proving, s.setUpTwoFactor, tokened, says("The secret is shown once and counts only after a code made with it was verified."))
	post(t, "/api/2fa/verify", "verifyTwoFactor", "Turn two-factor authentication on with a first code", ownSession, proving, s.verifyTwoFactor, tokened, says("Answers the backup codes, once, and renews the session."))
	post(t, "/api/2fa/login-verify", "passTwoFactor", "Finish signing in with a two-factor code or a backup code", ownSession, proving, s.passTwoFactor, tokened, says("Renews the session. A backup code counts once."))
	post(t, "/api/2fa/disable", "disableTwoFactor", "Turn two-factor authentication off with a code", ownAccount, proving, s.disableTwoFactor, tokened)
	post(t, "/api/2fa/regenerate-backup-codes", "regenerateBackupCodes", "Replace the backup codes with new ones", ownAccount, proving, s.regenerateBackupCodes, tokened, says("The earlier codes stop counting at once."))
	post(t, "/api/2fa/recovery", "askTwoFactorRecovery", "Request a 2FA reset after losing the authenticator app", ownSession, proving, s.askTwoFactorRecovery, created, tokened, says("Two admins have to agree, and a waiting period has to pass."))
	post(t, "/api/2fa/recovery/cancel", "cancelTwoFactorRecovery", "Cancel the request for a 2FA reset", ownSession, proving, s.cancelTwoFactorRecovery, tokened, finds)
	get(t, "/api/sessions", "listSessions", "List where the account is signed in", ownAccount, reading, s.listSessions)
	post(t, "/api/sessions/{id}/end", "endOneSession", "Sign one other device out", ownAccount, writing, s.endOneSession, stateless)
	post(t, "/api/sessions/end-others", "endOtherSessions", "Sign out everywhere but here", ownAccount, writing, s.endOtherSessions, stateless)

	t.tag = "kyc"
	get(t, "/api/kyc/status", "getKycStatus", "Read the state of identity verification", ownAccount, reading, s.getKYCStatus)
	post(t, "/api/kyc/token", "createKycToken", "Start identity verification and get a token for its widget", ownAccount, writing, s.createKYCToken)
	get(t, "/api/kyc/levels", "listKycLevels", "List the verification levels and what each allows", ownAccount, reading, s.listKYCLevels)
	post(t, "/api/kyc/enhanced", "applyForEnhanced", "Apply for the enhanced verification level", ownAccount, writing, s.applyForEnhanced)
	post(t, "/api/kyc/renew", "renewKyc", "Show documents again before the earlier ones expire", ownAccount, writing, s.renewKYC)
	get(t, "/api/limits", "getLimits", "Read the purchase limits and what is left of them", ownAccount, reading, s.getLimits)

	t.tag = "prices"
	get(t, "/api/exchange-rates", "getExchangeRates", "Read the price of each asset in US dollars", anyone, browsing, s.getExchangeRates, says("An asset without a recent price is missing."))
	get(t, "/api/public/prices", "getPublicPrices", "Read prices, payment methods and fees as the pricing page shows them", anyone, browsing, s.getPublicPrices)
	get(t, "/api/public/price-history", "getPriceHistory", "Read each asset's prices of the last day, oldest first", anyone, browsing, s.getPriceHistory, says("One point every ten minutes; an asset without any is missing."))

	get(t, "/api/public/notices", "getPublicNotices", "Read what is paused for everybody", anyone, browsing, s.getPublicNotices)

	t.tag = "orders"
	get(t, "/api/orders", "listOrders", "List one's own orders, newest first", ownOrders, reading, s.listOrders)
	get(t, "/api/orders/summary", "getOrdersSummary", "Count one's own orders by status and add them up", ownOrders, reading, s.getOrdersSummary)
	get(t, "/api/orders/{id}", "getOrder", "Read one of one's own orders with its timeline", ownOrders, reading, s.getOrder)
	get(t, "/api/orders/{id}/receipt", "getOrderReceipt", "Read the receipt of one's own order", ownOrders, reading, s.getOrderReceipt)
	post(t, "/api/orders/calculate-pricing", "calculatePricing", "Quote a price for an amount and a payment method", ownOrders, quoting, s.calculatePricing, says("Stores nothing. The quote can be used for one order until it expires."))
	post(t, "/api/orders", "createOrder", "Place an order at a quoted price", ownOrders, writing, s.createOrder, created, says("It is accepted at once and paid and fulfilled afterwards. A quote that expired or was used is refused with the price in force."))
	post(t, "/api/buy", "buy", "Place an order for an amount of dollars at the price before fees", ownOrders, writing, s.buy, created, stateless)
	post(t, "/api/orders/{id}/cancel", "cancelOrder", "Cancel one's own unpaid order", ownOrders, writing, s.cancelOrder)
	post(t, "/api/orders/{id}/keep-trying", "keepTrying", "Keep a delayed order in progress instead of taking a refund", ownOrders, writing, s.keepTrying)
	post(t, "/api/orders/{id}/refund", "refundNow", "Take a refund of a delayed order instead of waiting", ownOrders, writing, s.refundNow)
	get(t, "/api/orders/{id}/requote", "getRequote", "Price what the money that came for one's order buys now", ownOrders, quoting, s.getRequote, says("Stores nothing."), ofState)
	post(t, "/api/orders/{id}/requote", "requoteOrder", "Accept the new price of one's order", ownOrders, writing, s.requoteOrder, says("An expired one is refused together with the one in force."))
	post(t, "/api/orders/{id}/keep", "keepOrder", "Keep an order as placed after paying more than it costs", ownOrders, writing, s.keepOrder, says("The rest goes to the balance."))
	post(t, "/api/orders/{id}/address", "nameAddress", "Name another wallet address after the first was refused", ownOrders, writing, s.nameAddress, asksFreshCode, says("Who has no second factor confirms it with a link that is mailed to them."))
	post(t, "/api/orders/{id}/address/confirm", "confirmAddress", "Confirm another wallet address by its mailed link", ownOrders, writing, s.confirmAddress)
	post(t, "/api/orders/{id}/evidence", "uploadEvidence", "Upload a picture that proves the payment of one's order", ownOrders, uploading, s.uploadEvidence, created, upload("file", 1))
	get(t, "/evidence/{key}", "getEvidence", "Read a picture of evidence", ownOrders, reading, s.getEvidence, imageFile, says("For its owner and for staff who decide on payments."))
	get(t, "/api/withdrawals", "listWithdrawals", "List the transfers of crypto to one's wallets, newest first", ownOrders, reading, s.listWithdrawals)
	get(t, "/api/transactions", "listTransactions", "List one's own transactions, newest first", ownOrders, reading, s.listTransactions)
	get(t, "/api/transactions/summary", "getTransactionsSummary", "Count one's own transactions that the filters find", ownOrders, reading, s.getTransactionsSummary)
	get(t, "/api/transactions/export", "exportTransactions", "Download the filtered transactions as CSV", ownOrders, writing, s.exportTransactions, csvFile)
	get(t, "/api/balance", "getBalance", "Read one's own balance and its ledger entries", ownAccount, reading, s.getBalance)
	get(t, "/api/payouts", "listPayouts", "List one's own payouts, newest first", ownOrders, reading, s.listPayouts)
	post(t, "/api/payouts", "requestPayout", "Request a payout of the balance to a bank account", ownOrders, writing, s.requestPayout, created, asksFreshCode, says("The amount is reserved at once; staff review it before the money leaves."))
	get(t, "/api/payouts/{id}", "getPayout", "Read one of one's own payouts with its timeline", ownOrders, reading, s.getPayout)
	post(t, "/api/payouts/{id}/cancel", "cancelPayout", "Cancel one's own payout before it is approved", ownOrders, writing, s.cancelPayout, says("The reserved amount returns to the balance."))
	get(t, "/api/referrals/my-code", "getReferralCode", "Read one's own referral code and link", ownAccount, reading, s.getReferralCode)
	get(t, "/api/referrals/stats", "getReferralStats", "Read one's own referrals and rewards", ownAccount, reading, s.getReferralStats)
	get(t, "/api/events", "streamEvents", "Follow what changes, as server-sent events", ownOrders, reading, s.streamEvents, eventStream, says("An event names a kind and an id; what changed is read with the call for it."))

	t.tag = "gift-cards"
	get(t, "/api/gift-cards/catalogue", "getGiftCardCatalogue", "List the gift card brands and what they pay", ownAccount, reading, s.getGiftCardCatalogue)
	get(t, "/api/gift-cards", "listGiftCards", "List one's own gift cards, newest first", ownOrders, reading, s.listGiftCards)
	post(t, "/api/gift-cards", "submitGiftCard", "Submit a gift card with its pictures for review", ownOrders, uploading, s.submitGiftCard, created, upload("images", giftcard.MaxCardImages))
	get(t, "/api/gift-cards/{id}", "getGiftCard", "Read one of one's own gift cards with its timeline", ownOrders, reading, s.getGiftCard)
	get(t, "/gift-card-images/{key}", "getGiftCardImage", "Read a picture of a gift card", ownOrders, reading, s.getGiftCardImage, imageFile, says("For its owner, and for the reviewer who has just revealed the card."))

	t.tag = "support"
	get(t, "/api/support/tickets", "listTickets", "List one's own support tickets, newest first", ownAccount, reading, s.listTickets)
	post(t, "/api/support/tickets", "createTicket", "Open a support ticket", ownAccount, asking, s.createTicket, created, finds, stateless)
	get(t, "/api/support/tickets/{id}", "getTicket", "Read one of one's own tickets with its messages", ownAccount, reading, s.getTicket)
	post(t, "/api/support/tickets/{id}/messages", "writeInTicket", "Write a message in one's own ticket", ownAccount, asking, s.writeInTicket)
	post(t, "/api/support/tickets/{id}/close", "closeTicket", "Close one's own ticket", ownAccount, writing, s.closeTicket)

	t.tag = "profile"
	get(t, "/api/profile", "getProfile", "Read one's own profile", ownAccount, reading, s.getProfile)
	post(t, "/api/profile/name", "correctName", "Correct one's own name", ownAccount, writing, s.correctName, says("A name that identity verification confirmed, or is checking, is refused, 409."))
	post(t, "/api/profile/preferences", "setPreferences", "Set one's own preferences", ownAccount, writing, s.setPreferences, stateless)
	get(t, "/api/account/rights", "getAccountRights", "Read the state of one's privacy requests", ownAccount, reading, s.getAccountRights)
	post(t, "/api/account/restriction", "restrictAccount", "Stop or allow new orders on one's own account", ownAccount, writing, s.restrictAccount, says("What is in progress continues."), stateless)
	post(t, "/api/account/data", "askForData", "Request a copy of one's data", ownAccount, asking, s.askForData, accepted, asksFreshCode, says("A mail says when it is ready."))
	get(t, "/api/account/data/{id}", "getData", "Download the copy of one's data as ZIP", ownAccount, writing, s.getData, zipped)
	post(t, "/api/account/closure", "askToClose", "Request the closure of one's account", ownAccount, asking, s.askToClose, accepted, asksFreshCode)
	post(t, "/api/account/closure/cancel", "keepAccount", "Cancel the closure of one's account", ownAccount, writing, s.keepAccount)

	t.tag = "vouchers"
	post(t, "/api/vouchers/validate", "validateVoucher", "Read what a voucher code is worth", ownOrders, writing, s.validateVoucher, says("Changes nothing; attempts are limited."), finds, stateless)
	post(t, "/api/vouchers/redeem", "redeemVoucher", "Redeem a voucher for crypto to a wallet address", ownOrders, writing, s.redeemVoucher, created, finds, stateless)
	get(t, "/api/vouchers", "listVouchers", "List the vouchers one has redeemed, newest first", ownOrders, reading, s.listVouchers)
	get(t, "/api/vouchers/{id}", "getVoucher", "Read one of one's redeemed vouchers with its timeline", ownOrders, reading, s.getVoucher)

	t.tag = "admin-dashboard"
	get(t, "/api/admin/stats", "getAdminStats", "Read the dashboard's figures", readCustomers, reading, s.getAdminStats)
	get(t, "/api/admin/recent-activity", "listRecentActivity", "List what happened last, newest first", readCustomers, reading, s.listRecentActivity)
	get(t, "/api/admin/queues", "listQueues", "Count what needs action in each queue", readCustomers, reading, s.listQueues)
	get(t, "/api/admin/platform", "getPlatform", "Read the state of workers, providers and queues", readCustomers, reading, s.getPlatform)

	t.tag = "admin-search"
	get(t, "/api/admin/search", "searchBackOffice", "Find customers, orders and other records by what is known of them", readCustomers, reading, s.searchBackOffice)

	t.tag = "admin-customers"
	get(t, "/api/admin/customers", "listCustomers", "List customers with their verification, tier and volume", readCustomers, reading, s.listCustomers)
	get(t, "/api/admin/customers/summary", "getCustomersSummary", "Count customers by status", readCustomers, reading, s.getCustomersSummary)
	get(t, "/api/admin/customers/{id}", "getAdminCustomer", "Read a customer with their records and notes", readCustomers, reading, s.getAdminCustomer)
	get(t, "/api/admin/customers/{id}/stats", "getCustomerStats", "Read what a customer has bought", readCustomers, reading, s.getCustomerStats)
	patch(t, "/api/admin/customers/{id}/tier", "setCustomerTier", "Set a customer's volume tier, whatever they buy", configure, writing, s.setCustomerTier)
	post(t, "/api/admin/customers/{id}/tier/release", "releaseCustomerTier", "Let a customer's volume tier follow what they buy again", configure, writing, s.releaseCustomerTier)
	post(t, "/api/admin/customers/{id}/freeze", "freezeCustomer", "Freeze a customer's account", reviewCustomers, writing, s.freezeCustomer)
	post(t, "/api/admin/customers/{id}/unfreeze", "unfreezeCustomer", "Lift the freeze of a customer's account", reviewCustomers, writing, s.unfreezeCustomer, movesMoney, says("What waited for it continues."))
	post(t, "/api/admin/customers/{id}/sign-out", "signCustomerOut", "End all sessions of a customer", reviewCustomers, writing, s.signCustomerOut, stateless)
	post(t, "/api/admin/customers/{id}/notes", "noteAboutCustomer", "Add a note about a customer, read by staff only", readCustomers, writing, s.noteAboutCustomer, stateless)

	t.tag = "admin-payments"
	get(t, "/api/admin/payments/pending", "listPendingPayments", "List payments, those that need action first", readCustomers, reading, s.listPendingPayments)
	get(t, "/api/admin/payments/summary", "getPaymentsSummary", "Count payments by status and add them up", readCustomers, reading, s.getPaymentsSummary)
	post(t, "/api/admin/payments/{id}/process", "processPayment", "Capture the authorised card payment of an order", decidePayments, writing, s.processPayment, movesMoney)
	post(t, "/api/admin/payments/{id}/reject", "rejectPayment", "Decline a payment: release the hold on the card, or reject the transfer", decidePayments, writing, s.rejectPayment)
	post(t, "/api/admin/payments/{id}/confirm", "confirmPayment", "Confirm money received for an order on our bank account", decidePayments, writing, s.confirmPayment, movesMoney)

	t.tag = "admin-orders"
	get(t, "/api/admin/orders", "listAdminOrders", "List orders", readCustomers, reading, s.listAdminOrders)
	get(t, "/api/admin/orders/summary", "getAdminOrdersSummary", "Count orders by status", readCustomers, reading, s.getAdminOrdersSummary)
	get(t, "/api/admin/orders/{id}", "getAdminOrder", "Read an order with its payment, transfers and timeline", readCustomers, reading, s.getAdminOrder)
	get(t, "/api/admin/orders/{id}/proof", "getOrderProof", "Download the proof pack of an order as ZIP", readCustomers, writing, s.getOrderProof, zipped, says("The download is noted in the audit log."))
	post(t, "/api/admin/orders/{id}/fulfill", "fulfillOrder", "Start the fulfilment of a paid order", decideOrders, writing, s.fulfillOrder, movesMoney)
	post(t, "/api/admin/orders/{id}/retry", "retryOrder", "Retry the failed step of an order", decideOrders, writing, s.retryOrder, movesMoney)
	post(t, "/api/admin/orders/{id}/refund", "refundOrder", "Refund an order in whole or in part", decidePayments, writing, s.refundOrder, movesMoney, says("Above the daily limit of one person it becomes a proposal for a second one."))
	post(t, "/api/admin/orders/{id}/proposal/approve", "approveProposal", "Approve what a colleague proposed for an order", decidePayments, writing, s.approveProposal, movesMoney)
	post(t, "/api/admin/orders/{id}/proposal/reject", "rejectProposal", "Reject a proposal for an order, or withdraw one's own", decidePayments, writing, s.rejectProposal)
	post(t, "/api/admin/orders/{id}/notes", "noteAboutOrder", "Add a note about an order, read by staff only", readCustomers, writing, s.noteAboutOrder, stateless)
	post(t, "/api/admin/orders/{id}/dispute/contest", "contestDispute", "Contest a card dispute with the order's evidence", decidePayments, writing, s.contestDispute)
	post(t, "/api/admin/orders/{id}/dispute/accept", "acceptDispute", "Accept a card dispute", decidePayments, writing, s.acceptDispute, movesMoney)
	post(t, "/api/admin/orders/{id}/hold", "holdOrder", "Hold an order until somebody resumes it", decideOrders, writing, s.holdOrder)
	post(t, "/api/admin/orders/{id}/resume", "resumeOrder", "Resume an order that is on hold", decideOrders, writing, s.resumeOrder, movesMoney)
	post(t, "/api/admin/orders/{id}/amend-address", "amendOrderAddress", "Change the wallet address of an order, on the same network", decideOrders, writing, s.amendOrderAddress, movesMoney)
	post(t, "/api/admin/orders/{id}/transfer-dead", "declareTransferDead", "Propose that an order's removed transfer can never confirm", decideOrders, writing, s.declareTransferDead, movesMoney, says("Another person approves it."))
	post(t, "/api/admin/orders/{id}/mark-sent", "markOrderSent", "Record a transfer of crypto that was made by other means", decideOrders, writing, s.markOrderSent, movesMoney)

	t.tag = "admin-gift-cards"
	get(t, "/api/admin/gift-cards", "listAdminGiftCards", "List gift cards", readCustomers, reading, s.listAdminGiftCards)
	get(t, "/api/admin/gift-cards/pending", "listPendingGiftCards", "List the gift cards that need a decision", readCustomers, reading, s.listPendingGiftCards)
	get(t, "/api/admin/gift-cards/summary", "getGiftCardsSummary", "Count gift cards by status", readCustomers, reading, s.getGiftCardsSummary)
	get(t, "/api/admin/gift-cards/{id}", "getAdminGiftCard", "Read a gift card with its timeline, without its code", readCustomers, reading, s.getAdminGiftCard)
	post(t, "/api/admin/gift-cards/{id}/reveal", "revealGiftCard", "Reveal the code and PIN of a gift card", reviewCustomers, revealing, s.revealGiftCard, asksFreshCode, says("Noted in the audit log before it answers."))
	post(t, "/api/admin/gift-cards/{id}/approve", "approveGiftCard", "Approve a gift card and credit its customer", reviewCustomers, writing, s.approveGiftCard, movesMoney)
	post(t, "/api/admin/gift-cards/{id}/reject", "rejectGiftCard", "Reject a gift card with a reason", reviewCustomers, writing, s.rejectGiftCard)
	post(t, "/api/admin/gift-cards/{id}/realise", "realiseGiftCard", "Book what an approved gift card brought in", decidePayments, writing, s.realiseGiftCard, movesMoney)

	t.tag = "admin-support"
	get(t, "/api/admin/support/tickets", "listAdminTickets", "List support tickets", readCustomers, reading, s.listAdminTickets)
	get(t, "/api/admin/support/summary", "getTicketsSummary", "Count support tickets by each filter", readCustomers, reading, s.getTicketsSummary)
	get(t, "/api/admin/support/answerers", "listAnswerers", "List the staff a ticket can be assigned to", answerTickets, reading, s.listAnswerers)
	get(t, "/api/admin/support/tickets/{id}", "getAdminTicket", "Read a ticket with its messages and notes", readCustomers, reading, s.getAdminTicket)
	post(t, "/api/admin/support/tickets/{id}/notes", "noteOnTicket", "Add a note to a ticket, read by staff only", readCustomers, writing, s.noteOnTicket, stateless)
	post(t, "/api/admin/support/tickets/{id}/reply", "replyToTicket", "Reply to a ticket, and close it if wanted", answerTickets, writing, s.replyToTicket)
	post(t, "/api/admin/support/tickets/{id}/take", "takeTicket", "Take an unassigned ticket", answerTickets, writing, s.takeTicket)
	post(t, "/api/admin/support/tickets/{id}/assign", "assignTicket", "Assign a ticket to a colleague or to nobody", answerTickets, writing, s.assignTicket, says("Names whose it was: of two who assign at once, the second is refused."))
	post(t, "/api/admin/support/tickets/{id}/close", "closeTicketForCustomer", "Close a ticket without a reply, for a reason that staff see", answerTickets, writing, s.closeTicketForCustomer)
	post(t, "/api/admin/support/tickets/{id}/reopen", "reopenTicket", "Reopen a closed ticket", answerTickets, writing, s.reopenTicket)

	t.tag = "admin-security"
	get(t, "/api/admin/recoveries", "listRecoveries", "List open requests for a 2FA reset", liftFactors, reading, s.listRecoveries)
	post(t, "/api/admin/recoveries/{id}/vouch", "vouchForRecovery", "Confirm the identity behind a request for a 2FA reset", liftFactors, writing, s.decideRecovery(account.RecoveryVouch, "Identity confirmed. Another admin can approve once the waiting period is over."), asksFreshCode)
	post(t, "/api/admin/recoveries/{id}/approve", "approveRecovery", "Approve a 2FA reset as the second admin", liftFactors, writing, s.decideRecovery(account.RecoveryApprove, "Two-factor authentication was turned off. The customer was signed out everywhere."), asksFreshCode, says("Turns two-factor authentication off and signs the customer out everywhere."))
	post(t, "/api/admin/recoveries/{id}/refuse", "refuseRecovery", "Reject a request for a 2FA reset", liftFactors, writing, s.decideRecovery(account.RecoveryRefuse, "The request was rejected."))

	t.tag = "admin-team"
	get(t, "/api/admin/team", "listTeam", "List staff and their roles", grantRoles, reading, s.listTeam)
	get(t, "/api/admin/team/summary", "getTeamSummary", "Count staff by role", grantRoles, reading, s.getTeamSummary)
	get(t, "/api/admin/team/candidate", "getTeamCandidate", "Find the person with an e-mail address, to propose roles for", grantRoles, reading, s.getTeamCandidate, finds, ofState)
	get(t, "/api/admin/team/proposals", "listRoleProposals", "List proposals to give roles", grantRoles, reading, s.listRoleProposals)
	post(t, "/api/admin/team/proposals/{id}/approve", "approveRoles", "Approve the roles that another admin proposed", grantRoles, writing, s.approveRoles, asksFreshCode)
	post(t, "/api/admin/team/proposals/{id}/reject", "rejectRoles", "Reject a proposal of roles, or withdraw one's own", grantRoles, writing, s.rejectRoles)
	post(t, "/api/admin/team/{id}/propose", "proposeRoles", "Propose roles for a person", grantRoles, writing, s.proposeRoles, created, asksFreshCode, says("Another admin has to approve."))
	post(t, "/api/admin/team/{id}/take", "takeRoles", "Take roles away at once", grantRoles, writing, s.takeRoles, asksFreshCode, says("Ends the person's sessions."))
	post(t, "/api/admin/team/{id}/sign-out", "signMemberOut", "End all sessions of a colleague", grantRoles, writing, s.signMemberOut, stateless)

	t.tag = "admin-kyc"
	get(t, "/api/admin/kyc", "listAdminKyc", "List identity verifications", readCustomers, reading, s.listAdminKYC)
	get(t, "/api/admin/kyc/summary", "getKycSummary", "Count identity verifications by status", readCustomers, reading, s.getKYCSummary)
	get(t, "/api/admin/kyc/{id}", "getAdminKyc", "Read a customer's identity verification with its timeline", readCustomers, reading, s.getAdminKYC)
	post(t, "/api/admin/kyc/{id}/approve", "approveKyc", "Approve an identity verification at a level", reviewCustomers, writing, s.approveKYC)
	post(t, "/api/admin/kyc/{id}/reject", "rejectKyc", "Reject an identity verification with a reason", reviewCustomers, writing, s.rejectKYC)
	post(t, "/api/admin/kyc/{id}/revoke", "revokeKyc", "Revoke a customer's verification", reviewCustomers, writing, s.decideKYCWith(kyc.KYCRevoke))
	post(t, "/api/admin/kyc/{id}/hold", "holdKyc", "Put a customer's identity verification on hold", reviewCustomers, writing, s.decideKYCWith(kyc.KYCHold))
	post(t, "/api/admin/kyc/{id}/release", "releaseKyc", "Release a customer's identity verification from hold", reviewCustomers, writing, s.decideKYCWith(kyc.KYCRelease), movesMoney, says("Orders that waited for it continue."))
	post(t, "/api/admin/kyc/{id}/ask", "askKycAgain", "Ask a customer to verify their identity again", reviewCustomers, writing, s.decideKYCWith(kyc.KYCAsk))

	t.tag = "admin-payouts"
	get(t, "/api/admin/payouts", "listAdminPayouts", "List payouts", readCustomers, reading, s.listAdminPayouts)
	get(t, "/api/admin/payouts/summary", "getPayoutsSummary", "Count payouts by status", readCustomers, reading, s.getPayoutsSummary)
	get(t, "/api/admin/payouts/{id}", "getAdminPayout", "Read a payout with its timeline, without the bank account", readCustomers, reading, s.getAdminPayout)
	post(t, "/api/admin/payouts/{id}/reveal", "revealPayout", "Reveal the bank account of a payout", decidePayments, revealing, s.revealPayout, asksFreshCode, says("Noted in the audit log before it answers."))
	post(t, "/api/admin/payouts/{id}/approve", "approvePayout", "Approve a payout", decidePayments, writing, s.approvePayout, movesMoney, says("Above the daily limit two people have to approve."))
	post(t, "/api/admin/payouts/{id}/reject", "rejectPayout", "Reject a payout", decidePayments, writing, s.rejectPayout, says("The reserved amount returns to the balance."))
	post(t, "/api/admin/payouts/{id}/confirm", "confirmPayout", "Confirm that the bank transfer of a payout was made", decidePayments, writing, s.confirmPayout, movesMoney)
	post(t, "/api/admin/payouts/{id}/return", "returnPayout", "Book a payout that the bank sent back", decidePayments, writing, s.returnPayout, movesMoney)
	get(t, "/api/admin/closed-credits", "listClosedCredits", "List credits of closed accounts", decidePayments, reading, s.listClosedCredits)
	post(t, "/api/admin/closed-credits/{id}/pay-back", "payBackClosedCredit", "Book that the credit of a closed account was sent back", decidePayments, writing, s.payBackClosedCredit, movesMoney)
	t.tag = "admin-treasury"
	get(t, "/api/admin/treasury", "getTreasury", "Read wallets and holdings at the providers against the books", decidePayments, reading, s.getTreasury)
	get(t, "/api/admin/treasury/history", "getTreasuryHistory", "Read how the holdings at the providers developed", decidePayments, reading, s.getTreasuryHistory)
	get(t, "/api/admin/treasury/moves", "listTreasuryMoves", "List transfers of crypto from the exchange to wallets", decidePayments, reading, s.listTreasuryMoves)
	post(t, "/api/admin/treasury/moves", "proposeTreasuryMove", "Propose a transfer of crypto from the exchange to a wallet", decidePayments, writing, s.proposeTreasuryMove, created, movesMoney, says("Nothing moves before a second person approves."))
	get(t, "/api/admin/treasury/moves/{id}", "getTreasuryMove", "Read a treasury move with its timeline", decidePayments, reading, s.getTreasuryMove)
	post(t, "/api/admin/treasury/moves/{id}/approve", "approveTreasuryMove", "Approve a treasury move and send the crypto", decidePayments, writing, s.approveTreasuryMove, asksFreshCode)
	post(t, "/api/admin/treasury/moves/{id}/reject", "rejectTreasuryMove", "Reject a treasury move", decidePayments, writing, s.rejectTreasuryMove)
	post(t, "/api/admin/treasury/moves/{id}/withdraw", "withdrawTreasuryMove", "Withdraw one's own treasury move before it is approved", decidePayments, writing, s.withdrawTreasuryMove)
	post(t, "/api/admin/treasury/moves/{id}/resolve", "resolveTreasuryMove", "Say what became of a treasury move that the provider does not show", decidePayments, writing, s.resolveTreasuryMove, asksFreshCode)

	t.tag = "admin-vouchers"
	get(t, "/api/admin/vouchers", "listAdminVouchers", "List vouchers", readCustomers, reading, s.listAdminVouchers)
	get(t, "/api/admin/vouchers/summary", "getVouchersSummary", "Count vouchers by status and add them up", readCustomers, reading, s.getVouchersSummary)
	get(t, "/api/admin/vouchers/{id}", "getAdminVoucher", "Read a voucher with its redemption, without its code", readCustomers, reading, s.getAdminVoucher)
	post(t, "/api/admin/vouchers", "generateVoucher", "Generate a voucher and get its code", configure, writing, s.generateVoucher, created, movesMoney, says("The code is in this answer only."))
	post(t, "/api/admin/vouchers/export", "exportVouchers", "Download vouchers with their codes as CSV", configure, revealing, s.exportVouchers, asksFreshCode, csvFile, says("Noted in the audit log before it answers."))
	post(t, "/api/admin/vouchers/{id}/void", "voidVoucher", "Void a voucher that nobody has redeemed", configure, writing, s.voidVoucher, movesMoney)
	post(t, "/api/admin/vouchers/{id}/resume", "resumeVoucher", "Resume the redemption of a voucher", configure, writing, s.resumeVoucher, movesMoney)
	post(t, "/api/admin/vouchers/{id}/transfer-dead", "declareVoucherTransferDead", "Propose that a voucher's removed transfer can never confirm", configure, writing, s.declareVoucherTransferDead, movesMoney, says("Another person approves it."))
	post(t, "/api/admin/vouchers/{id}/restore", "restoreVoucher", "Restore a voucher whose redemption did not complete", configure, writing, s.restoreVoucher, movesMoney)
	get(t, "/api/admin/voucher-batches", "listVoucherBatches", "List batches of vouchers, newest first", readCustomers, reading, s.listVoucherBatches)
	get(t, "/api/admin/voucher-batches/{id}", "getVoucherBatch", "Read a batch of vouchers", readCustomers, reading, s.getVoucherBatch)
	post(t, "/api/admin/voucher-batches/{id}/approve", "approveVouchers", "Approve a batch of vouchers as the second admin", configure, writing, s.approveVouchers, movesMoney)
	post(t, "/api/admin/voucher-batches/{id}/void", "voidVoucherBatch", "Void what is not redeemed of a batch", configure, writing, s.voidVoucherBatch, movesMoney, says("Above what one admin makes alone, a second one has to agree."))
	post(t, "/api/admin/voucher-batches/{id}/void/agree", "agreeToVoidBatch", "Agree that a batch of vouchers is voided", configure, writing, s.agreeToVoidBatch, movesMoney)
	post(t, "/api/admin/voucher-batches/{id}/void/refuse", "refuseToVoidBatch", "Reject that a batch of vouchers is voided", configure, writing, s.refuseToVoidBatch)

	t.tag = "admin-referrals"
	get(t, "/api/admin/referrals", "listAdminReferrals", "List referrals and bonuses", readCustomers, reading, s.listAdminReferrals)
	get(t, "/api/admin/referrals/summary", "getReferralsSummary", "Count referrals and bonuses by status", readCustomers, reading, s.getReferralsSummary)
	post(t, "/api/admin/referrals/{id}/approve", "approveReward", "Approve a held reward and credit it", reviewCustomers, writing, s.approveReward, movesMoney)
	post(t, "/api/admin/referrals/{id}/refuse", "refuseReward", "Reject a held reward", reviewCustomers, writing, s.refuseReward)

	t.tag = "admin-pricing"
	get(t, "/api/admin/pricing/payment-methods", "listMethodPricing", "List the prices of the payment methods", readCustomers, reading, s.listMethodPricing)
	patch(t, "/api/admin/pricing/payment-methods/{id}", "changeMethodPricing", "Change the price of a payment method", configure, writing, s.changeMethodPricing)
	post(t, "/api/admin/pricing/payment-methods/{id}/preview", "previewMethodPricing", "Preview what an order costs after a change of prices", configure, quoting, s.previewMethodPricing, says("Changes nothing."))
	get(t, "/api/admin/pricing/volume-tiers", "listVolumeTiers", "List the volume tiers", readCustomers, reading, s.listVolumeTiers)
	get(t, "/api/admin/pricing/kyc", "listKycPricing", "List the limits of the verification levels", readCustomers, reading, s.listKYCPricing)
	get(t, "/api/admin/pricing/locations", "getLocationPricing", "Read the prices by country", readCustomers, reading, s.getLocationPricing)
	post(t, "/api/admin/pricing/locations", "addLocationPricing", "Add a price for a country", configure, writing, s.addLocationPricing, created, stateless)
	patch(t, "/api/admin/pricing/locations/{id}", "changeLocationPricing", "Change the price of a country", configure, writing, s.changeLocationPricing)
	post(t, "/api/admin/pricing/locations/{id}/remove", "removeLocationPricing", "Remove the price of a country", configure, writing, s.removeLocationPricing)
	get(t, "/api/admin/pricing/history", "listPricingHistory", "List the changes of prices, newest first", readCustomers, reading, s.listPricingHistory)

	t.tag = "admin-transactions"
	get(t, "/api/admin/transactions", "listAdminTransactions", "List transactions", readCustomers, reading, s.listAdminTransactions)
	get(t, "/api/admin/transactions/summary", "getAdminTransactionsSummary", "Count transactions and add them up", readCustomers, reading, s.getAdminTransactionsSummary)
	get(t, "/api/admin/transactions/export", "exportAdminTransactions", "Download the filtered transactions as CSV, with customers as ids", readLedger, writing, s.exportAdminTransactions, csvFile)

	t.tag = "admin-ledger"
	get(t, "/api/admin/ledger", "getLedger", "Read the balance of each ledger account at a moment", readLedger, reading, s.getLedger)
	get(t, "/api/admin/ledger/export", "exportLedger", "Download the balance of each ledger account as CSV", readLedger, writing, s.exportLedger, csvFile)
	get(t, "/api/admin/ledger/account", "getLedgerAccount", "Read what a ledger account held before and after a period", readLedger, reading, s.getLedgerAccount, finds)
	get(t, "/api/admin/ledger/words", "getLedgerWords", "List the accounts and events that the ledger knows", readLedger, reading, s.getLedgerWords)
	get(t, "/api/admin/ledger/postings", "listPostings", "List ledger postings, newest first", readLedger, reading, s.listPostings)
	get(t, "/api/admin/ledger/postings/export", "exportPostings", "Download the filtered ledger postings as CSV", readLedger, writing, s.exportPostings, csvFile)

	t.tag = "admin-reconciliation"
	get(t, "/api/admin/reconciliation", "getReconciliation", "Read the state of the comparison of provider statements with the books", readLedger, reading, s.getReconciliation)
	post(t, "/api/admin/reconciliation/run", "reconcileNow", "Compare provider statements with the books now", decidePayments, writing, s.reconcileNow, stateless)
	get(t, "/api/admin/reconciliation/breaks", "listBreaks", "List differences between statements and books", readLedger, reading, s.listBreaks)
	get(t, "/api/admin/reconciliation/breaks/{id}", "getBreak", "Read one difference with what is known of it", readLedger, reading, s.getBreak)
	post(t, "/api/admin/reconciliation/breaks/{id}/resolve", "resolveBreak", "Book a difference", decidePayments, writing, s.resolveBreak, movesMoney, says("Above what one person books alone it becomes a proposal for a second one."))
	post(t, "/api/admin/reconciliation/breaks/{id}/approve", "approveBreak", "Approve the booking of a difference as the second person", decidePayments, writing, s.approveBreak, movesMoney)
	post(t, "/api/admin/reconciliation/breaks/{id}/end", "endBreak", "Close a difference about a line that does not settle", decidePayments, writing, s.endBreak)
	post(t, "/api/admin/reconciliation/breaks/{id}/reject", "rejectBreak", "Reject the booking of a difference, or withdraw one's own", decidePayments, writing, s.rejectBreak)

	t.tag = "admin-money"
	get(t, "/api/admin/money", "getMoneySummary", "Count unmatched bank payments and open proposals", readLedger, reading, s.getMoneySummary)
	get(t, "/api/admin/money/unplaced", "listUnplaced", "List bank payments that belong to no order", readLedger, reading, s.listUnplaced)
	post(t, "/api/admin/money/unplaced", "openUnplaced", "Record a bank payment that belongs to no order", decidePayments, writing, s.openUnplaced, created, movesMoney)
	get(t, "/api/admin/money/unplaced/{id}", "getUnplaced", "Read an unmatched bank payment", readLedger, reading, s.getUnplaced)
	post(t, "/api/admin/money/unplaced/{id}/place", "placeMoney", "Propose to match a bank payment to an order", decidePayments, writing, s.placeMoney, created, movesMoney)
	post(t, "/api/admin/money/unplaced/{id}/credit", "creditMoney", "Propose to credit a bank payment to a customer", decidePayments, writing, s.creditMoney, created, movesMoney)
	post(t, "/api/admin/money/unplaced/{id}/send-back", "sendBackMoney", "Propose to book that a bank payment was sent back", decidePayments, writing, s.sendBackMoney, created, movesMoney)
	post(t, "/api/admin/money/receipts/{id}/reverse", "reverseReceipt", "Propose to take a receipt away from its order", decidePayments, writing, s.reverseReceipt, created, movesMoney)
	post(t, "/api/admin/money/receipts/{id}/return", "returnReceipt", "Propose to book a receipt that its bank took back", decidePayments, writing, s.returnReceipt, created, movesMoney)
	post(t, "/api/admin/money/returns/{id}/reinstate", "reinstateReturn", "Propose to count a returned receipt again", decidePayments, writing, s.reinstateReturn, created, movesMoney)
	post(t, "/api/admin/money/journal", "proposeJournal", "Propose a manual ledger entry", decidePayments, writing, s.proposeJournal, created, movesMoney)
	post(t, "/api/admin/money/documents", "addMoneyDocument", "Upload a document that a proposal refers to", decidePayments, uploading, s.addMoneyDocument, created, upload("file", 1), stateless)
	get(t, "/api/admin/money/documents/{id}", "getMoneyDocument", "Read a document of a proposal", readLedger, reading, s.getMoneyDocument, imageFile)
	get(t, "/api/admin/money/proposals", "listMoneyProposals", "List proposals about money", readLedger, reading, s.listMoneyProposals)
	post(t, "/api/admin/money/proposals/{id}/approve", "approveMoney", "Approve what a colleague proposed about money", decidePayments, writing, s.approveMoney, asksFreshCode)
	post(t, "/api/admin/money/proposals/{id}/reject", "rejectMoney", "Reject a proposal about money, or withdraw one's own", decidePayments, writing, s.rejectMoney)

	t.tag = "admin-audit"
	get(t, "/api/admin/audit", "listAudit", "List the audit log, newest first", readAudit, reading, s.listAudit)
	get(t, "/api/admin/audit/summary", "getAuditSummary", "Read what the audit log can be filtered by, and its last seal", readAudit, reading, s.getAuditSummary)
	get(t, "/api/admin/audit/export", "exportAudit", "Download the filtered audit log as CSV", readAudit, writing, s.exportAudit, csvFile)

	t.tag = "admin-switches"
	get(t, "/api/admin/switches", "listSwitches", "List what can be paused and what is", readCustomers, reading, s.listSwitches)
	post(t, "/api/admin/switches", "turnSwitch", "Pause or resume a part of the business", configure, writing, s.turnSwitch, movesMoney)

	t.tag = "admin-risk"
	get(t, "/api/admin/risk/reviews", "listRiskReviews", "List what is under risk review, oldest first, or what was decided", readCustomers, reading, s.listRiskReviews)
	get(t, "/api/admin/risk/summary", "getRiskSummary", "Count risk reviews", readCustomers, reading, s.getRiskSummary)
	post(t, "/api/admin/risk/reviews/{id}/release", "releaseRisk", "Release what is under risk review", reviewCustomers, writing, s.releaseRisk, movesMoney)
	post(t, "/api/admin/risk/reviews/{id}/refuse", "refuseRisk", "Reject what is under risk review", reviewCustomers, writing, s.refuseRisk, movesMoney, says("An unpaid order is declined, a paid one refunded, a voucher restored."))
	get(t, "/api/admin/risk/rules", "listRiskRules", "List the rules of risk reviews", readCustomers, reading, s.listRiskRules)
	patch(t, "/api/admin/risk/rules/{id}", "changeRiskRule", "Change a rule of risk reviews", reviewCustomers, writing, s.changeRiskRule)
	get(t, "/api/admin/risk/lists", "listAddressLists", "List the lists of blocked addresses", readCustomers, reading, s.listAddressLists)
	post(t, "/api/admin/risk/lists", "importAddressList", "Preview or replace a list of blocked addresses", reviewCustomers, uploading, s.importAddressList, upload("file", 1))

	t.tag = "operations"
	post(t, "/api/webhooks/stripe", "stripeWebhook", "Receive a signed notice of Stripe", anyone, hooks, s.webhook("stripe"), signedBytes, bySignature)
	post(t, "/api/webhooks/bitgo", "bitgoWebhook", "Receive a signed notice of BitGo", anyone, hooks, s.webhook("bitgo"), signedBytes, bySignature, answeredOK)
	post(t, "/api/webhooks/sumsub", "sumsubWebhook", "Receive a signed notice of Sumsub", anyone, hooks, s.webhook("sumsub"), signedBytes, bySignature)
	get(t, "/healthz", "getHealth", "Say that the process is alive", anyone, unlimited, s.health)
	get(t, "/readyz", "getReadiness", "Say whether requests should be sent here", anyone, unlimited, s.readiness)
}
