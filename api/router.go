package api

import (
	"context"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tradepost/tradepost/models"
)

// routes is the whole route table. Each line: path, operation id, permission
// (policy/policy.csv says who holds it), rate class, handler.
func routes(s *Server, api huma.API) {
	t := &table{api: api, server: s}

	t.tag = "session"
	get(t, "/api/login", "login", anyone, signing, s.login, browsed)
	get(t, "/api/login/callback", "loginCallback", anyone, signing, s.loginCallback, browsed)
	get(t, "/api/logout", "logout", anyone, signing, s.logout, browsed)
	post(t, "/api/logout", "confirmLogout", anyone, signing, s.confirmLogout, browsed)
	get(t, "/api/session", "getSession", anyone, reading, s.getSession)
	post(t, "/api/logout/backchannel", "backchannelLogout", anyone, hooks, s.backchannelLogout, signedBytes)
	get(t, "/api/auth/user", "getUser", ownSession, reading, s.getUser)
	get(t, "/api/csrf-token", "getCsrfToken", ownSession, reading, s.getCSRFToken)
	get(t, "/api/config", "getConfig", anyone, reading, s.getConfig)

	t.tag = "two-factor"
	get(t, "/api/2fa/status", "getTwoFactorStatus", ownSession, reading, s.getTwoFactorStatus)
	post(t, "/api/2fa/setup", "setUpTwoFactor", ownSession, proving, s.setUpTwoFactor, tokened)
	post(t, "/api/2fa/verify", "verifyTwoFactor", ownSession, proving, s.verifyTwoFactor, tokened)
	post(t, "/api/2fa/login-verify", "passTwoFactor", ownSession, proving, s.passTwoFactor, tokened)
	post(t, "/api/2fa/disable", "disableTwoFactor", ownAccount, proving, s.disableTwoFactor, tokened)
	post(t, "/api/2fa/regenerate-backup-codes", "regenerateBackupCodes", ownAccount, proving, s.regenerateBackupCodes, tokened)
	post(t, "/api/2fa/recovery", "askTwoFactorRecovery", ownSession, proving, s.askTwoFactorRecovery, created, tokened)
	post(t, "/api/2fa/recovery/cancel", "cancelTwoFactorRecovery", ownSession, proving, s.cancelTwoFactorRecovery, tokened)
	get(t, "/api/sessions", "listSessions", ownAccount, reading, s.listSessions)
	post(t, "/api/sessions/{id}/end", "endOneSession", ownAccount, writing, s.endOneSession)
	post(t, "/api/sessions/end-others", "endOtherSessions", ownAccount, writing, s.endOtherSessions)

	t.tag = "kyc"
	get(t, "/api/kyc/status", "getKycStatus", ownAccount, reading, s.getKYCStatus)
	post(t, "/api/kyc/token", "createKycToken", ownAccount, writing, s.createKYCToken)
	get(t, "/api/kyc/levels", "listKycLevels", ownAccount, reading, s.listKYCLevels)
	post(t, "/api/kyc/enhanced", "applyForEnhanced", ownAccount, writing, s.applyForEnhanced)
	post(t, "/api/kyc/renew", "renewKyc", ownAccount, writing, s.renewKYC)
	get(t, "/api/limits", "getLimits", ownAccount, reading, s.getLimits)

	t.tag = "prices"
	get(t, "/api/exchange-rates", "getExchangeRates", anyone, browsing, s.getExchangeRates)
	get(t, "/api/public/prices", "getPublicPrices", anyone, browsing, s.getPublicPrices)
	get(t, "/api/public/price-history", "getPriceHistory", anyone, browsing, s.getPriceHistory)

	get(t, "/api/public/notices", "getPublicNotices", anyone, browsing, s.getPublicNotices)

	t.tag = "orders"
	get(t, "/api/orders", "listOrders", ownOrders, reading, s.listOrders)
	get(t, "/api/orders/summary", "getOrdersSummary", ownOrders, reading, s.getOrdersSummary)
	get(t, "/api/orders/{id}", "getOrder", ownOrders, reading, s.getOrder)
	get(t, "/api/orders/{id}/receipt", "getOrderReceipt", ownOrders, reading, s.getOrderReceipt)
	post(t, "/api/orders/calculate-pricing", "calculatePricing", ownOrders, quoting, s.calculatePricing)
	post(t, "/api/orders", "createOrder", ownOrders, writing, s.createOrder, created)
	post(t, "/api/buy", "buy", ownOrders, writing, s.buy, created)
	post(t, "/api/orders/{id}/cancel", "cancelOrder", ownOrders, writing, s.cancelOrder)
	post(t, "/api/orders/{id}/keep-trying", "keepTrying", ownOrders, writing, s.keepTrying)
	post(t, "/api/orders/{id}/refund", "refundNow", ownOrders, writing, s.refundNow)
	get(t, "/api/orders/{id}/requote", "getRequote", ownOrders, quoting, s.getRequote)
	post(t, "/api/orders/{id}/requote", "requoteOrder", ownOrders, writing, s.requoteOrder)
	post(t, "/api/orders/{id}/keep", "keepOrder", ownOrders, writing, s.keepOrder)
	post(t, "/api/orders/{id}/address", "nameAddress", ownOrders, writing, s.nameAddress, asksFreshCode)
	post(t, "/api/orders/{id}/evidence", "uploadEvidence", ownOrders, uploading, s.uploadEvidence, created, upload("file", 1))
	get(t, "/evidence/{key}", "getEvidence", ownOrders, reading, s.getEvidence, imageFile)
	get(t, "/api/withdrawals", "listWithdrawals", ownOrders, reading, s.listWithdrawals)
	get(t, "/api/transactions", "listTransactions", ownOrders, reading, s.listTransactions)
	get(t, "/api/transactions/summary", "getTransactionsSummary", ownOrders, reading, s.getTransactionsSummary)
	get(t, "/api/transactions/export", "exportTransactions", ownOrders, writing, s.exportTransactions, csvFile)
	get(t, "/api/balance", "getBalance", ownAccount, reading, s.getBalance)
	get(t, "/api/payouts", "listPayouts", ownOrders, reading, s.listPayouts)
	post(t, "/api/payouts", "requestPayout", ownOrders, writing, s.requestPayout, created, asksFreshCode)
	get(t, "/api/payouts/{id}", "getPayout", ownOrders, reading, s.getPayout)
	post(t, "/api/payouts/{id}/cancel", "cancelPayout", ownOrders, writing, s.cancelPayout)
	get(t, "/api/referrals/my-code", "getReferralCode", ownAccount, reading, s.getReferralCode)
	get(t, "/api/referrals/stats", "getReferralStats", ownAccount, reading, s.getReferralStats)
	get(t, "/api/events", "streamEvents", ownOrders, reading, s.streamEvents, eventStream)

	t.tag = "gift-cards"
	get(t, "/api/gift-cards/catalogue", "getGiftCardCatalogue", ownAccount, reading, s.getGiftCardCatalogue)
	get(t, "/api/gift-cards", "listGiftCards", ownOrders, reading, s.listGiftCards)
	post(t, "/api/gift-cards", "submitGiftCard", ownOrders, uploading, s.submitGiftCard, created, upload("images", models.MaxCardImages))
	get(t, "/api/gift-cards/{id}", "getGiftCard", ownOrders, reading, s.getGiftCard)
	get(t, "/gift-card-images/{key}", "getGiftCardImage", ownOrders, reading, s.getGiftCardImage, imageFile)

	t.tag = "support"
	get(t, "/api/support/tickets", "listTickets", ownAccount, reading, s.listTickets)
	post(t, "/api/support/tickets", "createTicket", ownAccount, asking, s.createTicket, created)
	get(t, "/api/support/tickets/{id}", "getTicket", ownAccount, reading, s.getTicket)
	post(t, "/api/support/tickets/{id}/messages", "writeInTicket", ownAccount, asking, s.writeInTicket)
	post(t, "/api/support/tickets/{id}/close", "closeTicket", ownAccount, writing, s.closeTicket)

	t.tag = "profile"
	get(t, "/api/profile", "getProfile", ownAccount, reading, s.getProfile)
	post(t, "/api/profile/name", "correctName", ownAccount, writing, s.correctName)
	post(t, "/api/profile/preferences", "setPreferences", ownAccount, writing, s.setPreferences)
	get(t, "/api/account/rights", "getAccountRights", ownAccount, reading, s.getAccountRights)
	post(t, "/api/account/restriction", "restrictAccount", ownAccount, writing, s.restrictAccount)
	post(t, "/api/account/data", "askForData", ownAccount, asking, s.askForData, accepted, asksFreshCode)
	get(t, "/api/account/data/{id}", "getData", ownAccount, writing, s.getData, zipped)
	post(t, "/api/account/closure", "askToClose", ownAccount, asking, s.askToClose, accepted, asksFreshCode)
	post(t, "/api/account/closure/cancel", "keepAccount", ownAccount, writing, s.keepAccount)

	t.tag = "vouchers"
	post(t, "/api/vouchers/validate", "validateVoucher", ownOrders, writing, s.validateVoucher)
	post(t, "/api/vouchers/redeem", "redeemVoucher", ownOrders, writing, s.redeemVoucher, created)
	get(t, "/api/vouchers", "listVouchers", ownOrders, reading, s.listVouchers)
	get(t, "/api/vouchers/{id}", "getVoucher", ownOrders, reading, s.getVoucher)

	t.tag = "admin-dashboard"
	get(t, "/api/admin/stats", "getAdminStats", readCustomers, reading, s.getAdminStats)
	get(t, "/api/admin/recent-activity", "listRecentActivity", readCustomers, reading, s.listRecentActivity)
	get(t, "/api/admin/queues", "listQueues", readCustomers, reading, s.listQueues)
	get(t, "/api/admin/platform", "getPlatform", readCustomers, reading, s.getPlatform)

	t.tag = "admin-search"
	get(t, "/api/admin/search", "searchBackOffice", readCustomers, reading, s.searchBackOffice)

	t.tag = "admin-customers"
	get(t, "/api/admin/customers", "listCustomers", readCustomers, reading, s.listCustomers)
	get(t, "/api/admin/customers/summary", "getCustomersSummary", readCustomers, reading, s.getCustomersSummary)
	get(t, "/api/admin/customers/{id}", "getAdminCustomer", readCustomers, reading, s.getAdminCustomer)
	get(t, "/api/admin/customers/{id}/stats", "getCustomerStats", readCustomers, reading, s.getCustomerStats)
	patch(t, "/api/admin/customers/{id}/tier", "setCustomerTier", configure, writing, s.setCustomerTier)
	post(t, "/api/admin/customers/{id}/tier/release", "releaseCustomerTier", configure, writing, s.releaseCustomerTier)
	post(t, "/api/admin/customers/{id}/freeze", "freezeCustomer", reviewCustomers, writing, s.freezeCustomer)
	post(t, "/api/admin/customers/{id}/unfreeze", "unfreezeCustomer", reviewCustomers, writing, s.unfreezeCustomer, movesMoney)
	post(t, "/api/admin/customers/{id}/sign-out", "signCustomerOut", reviewCustomers, writing, s.signCustomerOut)
	post(t, "/api/admin/customers/{id}/notes", "noteAboutCustomer", readCustomers, writing, s.noteAboutCustomer)

	t.tag = "admin-payments"
	get(t, "/api/admin/payments/pending", "listPendingPayments", readCustomers, reading, s.listPendingPayments)
	get(t, "/api/admin/payments/summary", "getPaymentsSummary", readCustomers, reading, s.getPaymentsSummary)
	post(t, "/api/admin/payments/{id}/process", "processPayment", decidePayments, writing, s.processPayment, movesMoney)
	post(t, "/api/admin/payments/{id}/reject", "rejectPayment", decidePayments, writing, s.rejectPayment)
	post(t, "/api/admin/payments/{id}/confirm", "confirmPayment", decidePayments, writing, s.confirmPayment, movesMoney)

	t.tag = "admin-orders"
	get(t, "/api/admin/orders", "listAdminOrders", readCustomers, reading, s.listAdminOrders)
	get(t, "/api/admin/orders/summary", "getAdminOrdersSummary", readCustomers, reading, s.getAdminOrdersSummary)
	get(t, "/api/admin/orders/{id}", "getAdminOrder", readCustomers, reading, s.getAdminOrder)
	get(t, "/api/admin/orders/{id}/proof", "getOrderProof", readCustomers, writing, s.getOrderProof, zipped)
	post(t, "/api/admin/orders/{id}/fulfill", "fulfillOrder", decideOrders, writing, s.fulfillOrder, movesMoney)
	post(t, "/api/admin/orders/{id}/retry", "retryOrder", decideOrders, writing, s.retryOrder, movesMoney)
	post(t, "/api/admin/orders/{id}/refund", "refundOrder", decidePayments, writing, s.refundOrder, movesMoney)
	post(t, "/api/admin/orders/{id}/proposal/approve", "approveProposal", decidePayments, writing, s.approveProposal, movesMoney)
	post(t, "/api/admin/orders/{id}/proposal/reject", "rejectProposal", decidePayments, writing, s.rejectProposal)
	post(t, "/api/admin/orders/{id}/notes", "noteAboutOrder", readCustomers, writing, s.noteAboutOrder)
	post(t, "/api/admin/orders/{id}/dispute/contest", "contestDispute", decidePayments, writing, s.contestDispute)
	post(t, "/api/admin/orders/{id}/dispute/accept", "acceptDispute", decidePayments, writing, s.acceptDispute, movesMoney)
	post(t, "/api/admin/orders/{id}/hold", "holdOrder", decideOrders, writing, s.holdOrder)
	post(t, "/api/admin/orders/{id}/resume", "resumeOrder", decideOrders, writing, s.resumeOrder, movesMoney)
	post(t, "/api/admin/orders/{id}/amend-address", "amendOrderAddress", decideOrders, writing, s.amendOrderAddress, movesMoney)
	post(t, "/api/admin/orders/{id}/mark-sent", "markOrderSent", decideOrders, writing, s.markOrderSent, movesMoney)

	t.tag = "admin-gift-cards"
	get(t, "/api/admin/gift-cards", "listAdminGiftCards", readCustomers, reading, s.listAdminGiftCards)
	get(t, "/api/admin/gift-cards/pending", "listPendingGiftCards", readCustomers, reading, s.listPendingGiftCards)
	get(t, "/api/admin/gift-cards/summary", "getGiftCardsSummary", readCustomers, reading, s.getGiftCardsSummary)
	get(t, "/api/admin/gift-cards/{id}", "getAdminGiftCard", readCustomers, reading, s.getAdminGiftCard)
	post(t, "/api/admin/gift-cards/{id}/reveal", "revealGiftCard", reviewCustomers, revealing, s.revealGiftCard, asksFreshCode)
	post(t, "/api/admin/gift-cards/{id}/approve", "approveGiftCard", reviewCustomers, writing, s.approveGiftCard, movesMoney)
	post(t, "/api/admin/gift-cards/{id}/reject", "rejectGiftCard", reviewCustomers, writing, s.rejectGiftCard)
	post(t, "/api/admin/gift-cards/{id}/realise", "realiseGiftCard", decidePayments, writing, s.realiseGiftCard, movesMoney)

	t.tag = "admin-support"
	get(t, "/api/admin/support/tickets", "listAdminTickets", readCustomers, reading, s.listAdminTickets)
	get(t, "/api/admin/support/summary", "getTicketsSummary", readCustomers, reading, s.getTicketsSummary)
	get(t, "/api/admin/support/answerers", "listAnswerers", answerTickets, reading, s.listAnswerers)
	get(t, "/api/admin/support/tickets/{id}", "getAdminTicket", readCustomers, reading, s.getAdminTicket)
	post(t, "/api/admin/support/tickets/{id}/notes", "noteOnTicket", readCustomers, writing, s.noteOnTicket)
	post(t, "/api/admin/support/tickets/{id}/reply", "replyToTicket", answerTickets, writing, s.replyToTicket)
	post(t, "/api/admin/support/tickets/{id}/take", "takeTicket", answerTickets, writing, s.takeTicket)
	post(t, "/api/admin/support/tickets/{id}/assign", "assignTicket", answerTickets, writing, s.assignTicket)
	post(t, "/api/admin/support/tickets/{id}/close", "closeTicketForCustomer", answerTickets, writing, s.closeTicketForCustomer)
	post(t, "/api/admin/support/tickets/{id}/reopen", "reopenTicket", answerTickets, writing, s.reopenTicket)

	t.tag = "admin-security"
	get(t, "/api/admin/recoveries", "listRecoveries", liftFactors, reading, s.listRecoveries)
	post(t, "/api/admin/recoveries/{id}/vouch", "vouchForRecovery", liftFactors, writing, s.decideRecovery(models.RecoveryVouch, "Identity confirmed. Another admin can approve once the waiting period is over."), asksFreshCode)
	post(t, "/api/admin/recoveries/{id}/approve", "approveRecovery", liftFactors, writing, s.decideRecovery(models.RecoveryApprove, "Two-factor authentication was turned off. The customer was signed out everywhere."), asksFreshCode)
	post(t, "/api/admin/recoveries/{id}/refuse", "refuseRecovery", liftFactors, writing, s.decideRecovery(models.RecoveryRefuse, "The request was rejected."))

	t.tag = "admin-team"
	get(t, "/api/admin/team", "listTeam", grantRoles, reading, s.listTeam)
	get(t, "/api/admin/team/summary", "getTeamSummary", grantRoles, reading, s.getTeamSummary)
	get(t, "/api/admin/team/candidate", "getTeamCandidate", grantRoles, reading, s.getTeamCandidate)
	get(t, "/api/admin/team/proposals", "listRoleProposals", grantRoles, reading, s.listRoleProposals)
	post(t, "/api/admin/team/proposals/{id}/approve", "approveRoles", grantRoles, writing, s.approveRoles, asksFreshCode)
	post(t, "/api/admin/team/proposals/{id}/reject", "rejectRoles", grantRoles, writing, s.rejectRoles)
	post(t, "/api/admin/team/{id}/propose", "proposeRoles", grantRoles, writing, s.proposeRoles, created, asksFreshCode)
	post(t, "/api/admin/team/{id}/take", "takeRoles", grantRoles, writing, s.takeRoles, asksFreshCode)
	post(t, "/api/admin/team/{id}/sign-out", "signMemberOut", grantRoles, writing, s.signMemberOut)

	t.tag = "admin-kyc"
	get(t, "/api/admin/kyc", "listAdminKyc", readCustomers, reading, s.listAdminKYC)
	get(t, "/api/admin/kyc/summary", "getKycSummary", readCustomers, reading, s.getKYCSummary)
	get(t, "/api/admin/kyc/{id}", "getAdminKyc", readCustomers, reading, s.getAdminKYC)
	post(t, "/api/admin/kyc/{id}/approve", "approveKyc", reviewCustomers, writing, s.approveKYC)
	post(t, "/api/admin/kyc/{id}/reject", "rejectKyc", reviewCustomers, writing, s.rejectKYC)
	post(t, "/api/admin/kyc/{id}/revoke", "revokeKyc", reviewCustomers, writing, s.decideKYCWith(models.KYCRevoke))
	post(t, "/api/admin/kyc/{id}/hold", "holdKyc", reviewCustomers, writing, s.decideKYCWith(models.KYCHold))
	post(t, "/api/admin/kyc/{id}/release", "releaseKyc", reviewCustomers, writing, s.decideKYCWith(models.KYCRelease), movesMoney)
	post(t, "/api/admin/kyc/{id}/ask", "askKycAgain", reviewCustomers, writing, s.decideKYCWith(models.KYCAsk))

	t.tag = "admin-payouts"
	get(t, "/api/admin/payouts", "listAdminPayouts", readCustomers, reading, s.listAdminPayouts)
	get(t, "/api/admin/payouts/summary", "getPayoutsSummary", readCustomers, reading, s.getPayoutsSummary)
	get(t, "/api/admin/payouts/{id}", "getAdminPayout", readCustomers, reading, s.getAdminPayout)
	post(t, "/api/admin/payouts/{id}/reveal", "revealPayout", decidePayments, revealing, s.revealPayout, asksFreshCode)
	post(t, "/api/admin/payouts/{id}/approve", "approvePayout", decidePayments, writing, s.approvePayout, movesMoney)
	post(t, "/api/admin/payouts/{id}/reject", "rejectPayout", decidePayments, writing, s.rejectPayout)
	post(t, "/api/admin/payouts/{id}/confirm", "confirmPayout", decidePayments, writing, s.confirmPayout, movesMoney)
	post(t, "/api/admin/payouts/{id}/return", "returnPayout", decidePayments, writing, s.returnPayout, movesMoney)
	get(t, "/api/admin/closed-credits", "listClosedCredits", decidePayments, reading, s.listClosedCredits)
	post(t, "/api/admin/closed-credits/{id}/pay-back", "payBackClosedCredit", decidePayments, writing, s.payBackClosedCredit, movesMoney)
	t.tag = "admin-treasury"
	get(t, "/api/admin/treasury", "getTreasury", decidePayments, reading, s.getTreasury)
	get(t, "/api/admin/treasury/history", "getTreasuryHistory", decidePayments, reading, s.getTreasuryHistory)
	get(t, "/api/admin/treasury/moves", "listTreasuryMoves", decidePayments, reading, s.listTreasuryMoves)
	post(t, "/api/admin/treasury/moves", "proposeTreasuryMove", decidePayments, writing, s.proposeTreasuryMove, created, movesMoney)
	get(t, "/api/admin/treasury/moves/{id}", "getTreasuryMove", decidePayments, reading, s.getTreasuryMove)
	post(t, "/api/admin/treasury/moves/{id}/approve", "approveTreasuryMove", decidePayments, writing, s.approveTreasuryMove, asksFreshCode)
	post(t, "/api/admin/treasury/moves/{id}/reject", "rejectTreasuryMove", decidePayments, writing, s.rejectTreasuryMove)
	post(t, "/api/admin/treasury/moves/{id}/withdraw", "withdrawTreasuryMove", decidePayments, writing, s.withdrawTreasuryMove)
	post(t, "/api/admin/treasury/moves/{id}/resolve", "resolveTreasuryMove", decidePayments, writing, s.resolveTreasuryMove, asksFreshCode)

	t.tag = "admin-vouchers"
	get(t, "/api/admin/vouchers", "listAdminVouchers", readCustomers, reading, s.listAdminVouchers)
	get(t, "/api/admin/vouchers/summary", "getVouchersSummary", readCustomers, reading, s.getVouchersSummary)
	get(t, "/api/admin/vouchers/{id}", "getAdminVoucher", readCustomers, reading, s.getAdminVoucher)
	post(t, "/api/admin/vouchers", "generateVoucher", configure, writing, s.generateVoucher, created, movesMoney)
	post(t, "/api/admin/vouchers/export", "exportVouchers", configure, revealing, s.exportVouchers, asksFreshCode, csvFile)
	post(t, "/api/admin/vouchers/{id}/void", "voidVoucher", configure, writing, s.voidVoucher, movesMoney)
	post(t, "/api/admin/vouchers/{id}/resume", "resumeVoucher", configure, writing, s.resumeVoucher, movesMoney)
	post(t, "/api/admin/vouchers/{id}/restore", "restoreVoucher", configure, writing, s.restoreVoucher, movesMoney)
	get(t, "/api/admin/voucher-batches", "listVoucherBatches", readCustomers, reading, s.listVoucherBatches)
	get(t, "/api/admin/voucher-batches/{id}", "getVoucherBatch", readCustomers, reading, s.getVoucherBatch)
	post(t, "/api/admin/voucher-batches/{id}/approve", "approveVouchers", configure, writing, s.approveVouchers, movesMoney)
	post(t, "/api/admin/voucher-batches/{id}/void", "voidVoucherBatch", configure, writing, s.voidVoucherBatch, movesMoney)
	post(t, "/api/admin/voucher-batches/{id}/void/agree", "agreeToVoidBatch", configure, writing, s.agreeToVoidBatch, movesMoney)
	post(t, "/api/admin/voucher-batches/{id}/void/refuse", "refuseToVoidBatch", configure, writing, s.refuseToVoidBatch)

	t.tag = "admin-referrals"
	get(t, "/api/admin/referrals", "listAdminReferrals", readCustomers, reading, s.listAdminReferrals)
	get(t, "/api/admin/referrals/summary", "getReferralsSummary", readCustomers, reading, s.getReferralsSummary)
	post(t, "/api/admin/referrals/{id}/approve", "approveReward", reviewCustomers, writing, s.approveReward, movesMoney)
	post(t, "/api/admin/referrals/{id}/refuse", "refuseReward", reviewCustomers, writing, s.refuseReward)

	t.tag = "admin-pricing"
	get(t, "/api/admin/pricing/payment-methods", "listMethodPricing", readCustomers, reading, s.listMethodPricing)
	patch(t, "/api/admin/pricing/payment-methods/{id}", "changeMethodPricing", configure, writing, s.changeMethodPricing)
	post(t, "/api/admin/pricing/payment-methods/{id}/preview", "previewMethodPricing", configure, quoting, s.previewMethodPricing)
	get(t, "/api/admin/pricing/volume-tiers", "listVolumeTiers", readCustomers, reading, s.listVolumeTiers)
	get(t, "/api/admin/pricing/kyc", "listKycPricing", readCustomers, reading, s.listKYCPricing)
	get(t, "/api/admin/pricing/locations", "getLocationPricing", readCustomers, reading, s.getLocationPricing)
	post(t, "/api/admin/pricing/locations", "addLocationPricing", configure, writing, s.addLocationPricing, created)
	patch(t, "/api/admin/pricing/locations/{id}", "changeLocationPricing", configure, writing, s.changeLocationPricing)
	post(t, "/api/admin/pricing/locations/{id}/remove", "removeLocationPricing", configure, writing, s.removeLocationPricing)
	get(t, "/api/admin/pricing/history", "listPricingHistory", readCustomers, reading, s.listPricingHistory)

	t.tag = "admin-transactions"
	get(t, "/api/admin/transactions", "listAdminTransactions", readCustomers, reading, s.listAdminTransactions)
	get(t, "/api/admin/transactions/summary", "getAdminTransactionsSummary", readCustomers, reading, s.getAdminTransactionsSummary)
	get(t, "/api/admin/transactions/export", "exportAdminTransactions", readLedger, writing, s.exportAdminTransactions, csvFile)

	t.tag = "admin-ledger"
	get(t, "/api/admin/ledger", "getLedger", readLedger, reading, s.getLedger)
	get(t, "/api/admin/ledger/export", "exportLedger", readLedger, writing, s.exportLedger, csvFile)
	get(t, "/api/admin/ledger/account", "getLedgerAccount", readLedger, reading, s.getLedgerAccount)
	get(t, "/api/admin/ledger/words", "getLedgerWords", readLedger, reading, s.getLedgerWords)
	get(t, "/api/admin/ledger/postings", "listPostings", readLedger, reading, s.listPostings)
	get(t, "/api/admin/ledger/postings/export", "exportPostings", readLedger, writing, s.exportPostings, csvFile)

	t.tag = "admin-reconciliation"
	get(t, "/api/admin/reconciliation", "getReconciliation", readLedger, reading, s.getReconciliation)
	post(t, "/api/admin/reconciliation/run", "reconcileNow", decidePayments, writing, s.reconcileNow)
	get(t, "/api/admin/reconciliation/breaks", "listBreaks", readLedger, reading, s.listBreaks)
	get(t, "/api/admin/reconciliation/breaks/{id}", "getBreak", readLedger, reading, s.getBreak)
	post(t, "/api/admin/reconciliation/breaks/{id}/resolve", "resolveBreak", decidePayments, writing, s.resolveBreak, movesMoney)
	post(t, "/api/admin/reconciliation/breaks/{id}/approve", "approveBreak", decidePayments, writing, s.approveBreak, movesMoney)
	post(t, "/api/admin/reconciliation/breaks/{id}/end", "endBreak", decidePayments, writing, s.endBreak)
	post(t, "/api/admin/reconciliation/breaks/{id}/reject", "rejectBreak", decidePayments, writing, s.rejectBreak)

	t.tag = "admin-money"
	get(t, "/api/admin/money", "getMoneySummary", readLedger, reading, s.getMoneySummary)
	get(t, "/api/admin/money/unplaced", "listUnplaced", readLedger, reading, s.listUnplaced)
	post(t, "/api/admin/money/unplaced", "openUnplaced", decidePayments, writing, s.openUnplaced, created, movesMoney)
	get(t, "/api/admin/money/unplaced/{id}", "getUnplaced", readLedger, reading, s.getUnplaced)
	post(t, "/api/admin/money/unplaced/{id}/place", "placeMoney", decidePayments, writing, s.placeMoney, created, movesMoney)
	post(t, "/api/admin/money/unplaced/{id}/credit", "creditMoney", decidePayments, writing, s.creditMoney, created, movesMoney)
	post(t, "/api/admin/money/unplaced/{id}/send-back", "sendBackMoney", decidePayments, writing, s.sendBackMoney, created, movesMoney)
	post(t, "/api/admin/money/receipts/{id}/reverse", "reverseReceipt", decidePayments, writing, s.reverseReceipt, created, movesMoney)
	post(t, "/api/admin/money/receipts/{id}/return", "returnReceipt", decidePayments, writing, s.returnReceipt, created, movesMoney)
	post(t, "/api/admin/money/returns/{id}/reinstate", "reinstateReturn", decidePayments, writing, s.reinstateReturn, created, movesMoney)
	post(t, "/api/admin/money/journal", "proposeJournal", decidePayments, writing, s.proposeJournal, created, movesMoney)
	post(t, "/api/admin/money/documents", "addMoneyDocument", decidePayments, uploading, s.addMoneyDocument, created, upload("file", 1))
	get(t, "/api/admin/money/documents/{id}", "getMoneyDocument", readLedger, reading, s.getMoneyDocument, imageFile)
	get(t, "/api/admin/money/proposals", "listMoneyProposals", readLedger, reading, s.listMoneyProposals)
	post(t, "/api/admin/money/proposals/{id}/approve", "approveMoney", decidePayments, writing, s.approveMoney, asksFreshCode)
	post(t, "/api/admin/money/proposals/{id}/reject", "rejectMoney", decidePayments, writing, s.rejectMoney)

	t.tag = "admin-audit"
	get(t, "/api/admin/audit", "listAudit", readAudit, reading, s.listAudit)
	get(t, "/api/admin/audit/summary", "getAuditSummary", readAudit, reading, s.getAuditSummary)
	get(t, "/api/admin/audit/export", "exportAudit", readAudit, writing, s.exportAudit, csvFile)

	t.tag = "admin-switches"
	get(t, "/api/admin/switches", "listSwitches", readCustomers, reading, s.listSwitches)
	post(t, "/api/admin/switches", "turnSwitch", configure, writing, s.turnSwitch, movesMoney)

	t.tag = "admin-risk"
	get(t, "/api/admin/risk/reviews", "listRiskReviews", readCustomers, reading, s.listRiskReviews)
	get(t, "/api/admin/risk/summary", "getRiskSummary", readCustomers, reading, s.getRiskSummary)
	post(t, "/api/admin/risk/reviews/{id}/release", "releaseRisk", reviewCustomers, writing, s.releaseRisk, movesMoney)
	post(t, "/api/admin/risk/reviews/{id}/refuse", "refuseRisk", reviewCustomers, writing, s.refuseRisk, movesMoney)
	get(t, "/api/admin/risk/rules", "listRiskRules", readCustomers, reading, s.listRiskRules)
	patch(t, "/api/admin/risk/rules/{id}", "changeRiskRule", reviewCustomers, writing, s.changeRiskRule)
	get(t, "/api/admin/risk/lists", "listAddressLists", readCustomers, reading, s.listAddressLists)
	post(t, "/api/admin/risk/lists", "importAddressList", reviewCustomers, uploading, s.importAddressList, upload("file", 1))

	t.tag = "operations"
	post(t, "/api/webhooks/stripe", "stripeWebhook", anyone, hooks, s.webhook("stripe"), signedBytes)
	post(t, "/api/webhooks/bitgo", "bitgoWebhook", anyone, hooks, s.webhook("bitgo"), signedBytes)
	post(t, "/api/webhooks/sumsub", "sumsubWebhook", anyone, hooks, s.webhook("sumsub"), signedBytes)
	get(t, "/healthz", "getHealth", anyone, unlimited, s.health)
	get(t, "/readyz", "getReadiness", anyone, unlimited, s.readiness)
}

// table registers routes under the current tag.
type table struct {
	api    huma.API
	server *Server
	tag    string
}

// created makes a call answer 201.
func created(op *huma.Operation) { op.DefaultStatus = http.StatusCreated }

// accepted makes a call answer 202: it is seen to from now on.
func accepted(op *huma.Operation) { op.DefaultStatus = http.StatusAccepted }

func get[I, O any](t *table, path, id string, p permission, c rateClass, h func(context.Context, *I) (*O, error), options ...func(*huma.Operation)) {
	add(t, http.MethodGet, path, id, p, c, h, options)
}

func post[I, O any](t *table, path, id string, p permission, c rateClass, h func(context.Context, *I) (*O, error), options ...func(*huma.Operation)) {
	add(t, http.MethodPost, path, id, p, c, h, options)
}

func patch[I, O any](t *table, path, id string, p permission, c rateClass, h func(context.Context, *I) (*O, error), options ...func(*huma.Operation)) {
	add(t, http.MethodPatch, path, id, p, c, h, options)
}

// signedBytes leaves a body as the bytes that were signed: its sender's shape is
// not ours to check.
func signedBytes(op *huma.Operation) { op.SkipValidateBody = true }

// add registers one operation behind the guards it asks for. It panics on a
// route without a permission: that is a mistake no installation may start with.
func add[I, O any](t *table, method, path, id string, p permission, c rateClass, h func(context.Context, *I) (*O, error), options []func(*huma.Operation)) {
	if p == "" {
		panic(fmt.Sprintf("route %s %s has no permission", method, path))
	}
	op := huma.Operation{
		Method: method, Path: path, OperationID: id, Summary: summaryOf(id), Tags: []string{t.tag}, MaxBodyBytes: maxJSONBytes,
		Extensions: map[string]any{"x-permission": string(p)},
		Errors:     refusals[I](),
		Security:   []map[string][]string{},
		Middlewares: huma.Middlewares{
			t.server.guard(p, c),
		},
	}
	if p != anyone {
		op.Security = append(op.Security, map[string][]string{"session": {}})
	}
	if method != http.MethodGet && c != hooks {
		op.Parameters = append(op.Parameters, ownerParameter)
	}
	for _, option := range options {
		option(&op)
	}
	if op.Extensions[moneyMark] != nil {
		op.Middlewares = append(op.Middlewares, t.server.recentCode)
	}
	if op.Responses == nil {
		op.Responses = map[string]*huma.Response{}
	}
	statuses := statusesOf[O]()
	if op.DefaultStatus == 0 && len(statuses) > 0 {
		op.DefaultStatus = statuses[0]
	}
	huma.Register(t.api, op, func(ctx context.Context, in *I) (*O, error) {
		out, err := h(ctx, in)
		if err != nil {
			return nil, asProblem(ctx, err)
		}
		return out, nil
	})
	for _, status := range statuses {
		answersToo(op.Responses, op.DefaultStatus, status)
	}
}

// maxJSONBytes bounds every body but uploads.
const maxJSONBytes = 64 << 10
