package api

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tradepost/tradepost/api/policy"
	"github.com/tradepost/tradepost/api/rest"
	webhookapi "github.com/tradepost/tradepost/api/webhook"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/giftcard"
	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/ledger"
)

// routes is the whole route table. Each line: path, operation id, what it does, permission
// (policy/policy.csv defines who holds it), rate class, handler.
func routes(s *Server, api huma.API) {
	t := rest.NewTable(api, s.guard)

	t.Tag = "session"
	rest.Get(t, "/api/login", "login", "Start signing in at the identity provider", policy.Anyone, rest.Signing, s.account.Login, rest.Browsed())
	rest.Get(t, "/api/login/callback", "loginCallback", "Finish signing in with what the identity provider sends back", policy.Anyone, rest.Signing, s.account.LoginCallback, rest.Browsed(http.StatusForbidden, http.StatusServiceUnavailable), rest.Says("Only the browser that started the sign-in gets a session, and a new one each time."))
	rest.Get(t, "/api/logout", "logout", "Sign out, or ask first when the link was followed from another site", policy.Anyone, rest.Signing, s.account.Logout, rest.Browsed(http.StatusOK))
	rest.Post(t, "/api/logout", "confirmLogout", "Sign out after the page has asked", policy.Anyone, rest.Signing, s.account.ConfirmLogout, rest.Browsed())
	rest.Get(t, "/api/session", "getSession", "Read who is signed in, what they may do and what the site is called", policy.Anyone, rest.Reading, s.account.GetSession)
	rest.Post(t, "/api/logout/backchannel", "backchannelLogout", "End a person's sessions on a signed notice of the identity provider", policy.Anyone, rest.Hooks, s.account.BackchannelLogout, rest.SignedBytes)
	rest.Get(t, "/api/auth/user", "getUser", "Read the signed-in person's account", policy.OwnSession, rest.Reading, s.account.GetUser)
	rest.Get(t, "/api/csrf-token", "getCsrfToken", "Read the token that the posts of two-factor authentication need", policy.OwnSession, rest.Reading, s.account.GetCSRFToken)
	rest.Get(t, "/api/config", "getConfig", "Read the site's public settings", policy.Anyone, rest.Reading, s.account.GetConfig)

	rest.Get(t, "/api/legal/{document}", "getLegalText", "Read a text that customers agree to", policy.Anyone, rest.Reading, s.account.LegalText)
	rest.Post(t, "/api/consents", "giveConsents", "Agree to versions in force", policy.OwnAccount, rest.Writing, s.account.GiveConsents)

	t.Tag = "two-factor"
	rest.Get(t, "/api/2fa/status", "getTwoFactorStatus", "Read whether two-factor authentication is on, and any open request to reset it", policy.OwnSession, rest.Reading, s.account.GetTwoFactorStatus)
	rest.Post(t, "/api/2fa/setup", "setUpTwoFactor", "Get a new secret for an authenticator app", policy.OwnSession, rest.Proving, s.account.SetUpTwoFactor, rest.Tokened, rest.Says("The secret is shown once and counts only after a code made with it was verified."))
	rest.Post(t, "/api/2fa/verify", "verifyTwoFactor", "Turn two-factor authentication on with a first code", policy.OwnSession, rest.Proving, s.account.VerifyTwoFactor, rest.Tokened, rest.Says("Answers the backup codes, once, and renews the session."))
	rest.Post(t, "/api/2fa/login-verify", "passTwoFactor", "Finish signing in with a two-factor code or a backup code", policy.OwnSession, rest.Proving, s.account.PassTwoFactor, rest.Tokened, rest.Says("Renews the session. A backup code counts once."))
	rest.Post(t, "/api/2fa/disable", "disableTwoFactor", "Turn two-factor authentication off with a code", policy.OwnAccount, rest.Proving, s.account.DisableTwoFactor, rest.Tokened)
	rest.Post(t, "/api/2fa/regenerate-backup-codes", "regenerateBackupCodes", "Replace the backup codes with new ones", policy.OwnAccount, rest.Proving, s.account.RegenerateBackupCodes, rest.Tokened, rest.Says("The earlier codes stop counting at once."))
	rest.Post(t, "/api/2fa/recovery", "askTwoFactorRecovery", "Request a 2FA reset after losing the authenticator app", policy.OwnSession, rest.Proving, s.account.AskTwoFactorRecovery, rest.Created, rest.Tokened, rest.Says("Two admins have to agree, and a waiting period has to pass."))
	rest.Post(t, "/api/2fa/recovery/cancel", "cancelTwoFactorRecovery", "Cancel the request for a 2FA reset", policy.OwnSession, rest.Proving, s.account.CancelTwoFactorRecovery, rest.Tokened, rest.Finds)
	rest.Get(t, "/api/sessions", "listSessions", "List where the account is signed in", policy.OwnAccount, rest.Reading, s.account.ListSessions)
	rest.Post(t, "/api/sessions/{id}/end", "endOneSession", "Sign one other device out", policy.OwnAccount, rest.Writing, s.account.EndOneSession, rest.Stateless)
	rest.Post(t, "/api/sessions/end-others", "endOtherSessions", "Sign out everywhere but here", policy.OwnAccount, rest.Writing, s.account.EndOtherSessions, rest.Stateless)

	t.Tag = "kyc"
	rest.Get(t, "/api/kyc/status", "getKycStatus", "Read the state of identity verification", policy.OwnAccount, rest.Reading, s.kyc.GetKYCStatus)
	rest.Post(t, "/api/kyc/token", "createKycToken", "Start identity verification and get a token for its widget", policy.OwnAccount, rest.Writing, s.kyc.CreateKYCToken)
	rest.Get(t, "/api/kyc/levels", "listKycLevels", "List the verification levels and what each allows", policy.OwnAccount, rest.Reading, s.kyc.ListKYCLevels)
	rest.Post(t, "/api/kyc/enhanced", "applyForEnhanced", "Apply for the enhanced verification level", policy.OwnAccount, rest.Writing, s.kyc.ApplyForEnhanced)
	rest.Post(t, "/api/kyc/renew", "renewKyc", "Show documents again before the earlier ones expire", policy.OwnAccount, rest.Writing, s.kyc.RenewKYC)
	rest.Get(t, "/api/limits", "getLimits", "Read the purchase limits and what is left of them", policy.OwnAccount, rest.Reading, s.kyc.GetLimits)

	t.Tag = "prices"
	rest.Get(t, "/api/exchange-rates", "getExchangeRates", "Read the price of each asset in US dollars", policy.Anyone, rest.Browsing, s.pricing.GetExchangeRates, rest.Says("An asset without a recent price is missing."))
	rest.Get(t, "/api/public/prices", "getPublicPrices", "Read prices, payment methods and fees as the pricing page shows them", policy.Anyone, rest.Browsing, s.pricing.GetPublicPrices)
	rest.Get(t, "/api/public/price-history", "getPriceHistory", "Read each asset's prices of the last day, oldest first", policy.Anyone, rest.Browsing, s.pricing.GetPriceHistory, rest.Says("One point every ten minutes; an asset without any is missing."))

	rest.Get(t, "/api/public/notices", "getPublicNotices", "Read what is paused for everybody", policy.Anyone, rest.Browsing, s.pricing.GetPublicNotices)

	t.Tag = "orders"
	rest.Get(t, "/api/orders", "listOrders", "List one's own orders, newest first", policy.OwnOrders, rest.Reading, s.order.ListOrders)
	rest.Get(t, "/api/orders/summary", "getOrdersSummary", "Count one's own orders by status and add them up", policy.OwnOrders, rest.Reading, s.order.GetOrdersSummary)
	rest.Get(t, "/api/orders/{id}", "getOrder", "Read one of one's own orders with its timeline", policy.OwnOrders, rest.Reading, s.order.GetOrder)
	rest.Get(t, "/api/orders/{id}/receipt", "getOrderReceipt", "Read the receipt of one's own order", policy.OwnOrders, rest.Reading, s.order.GetOrderReceipt)
	rest.Post(t, "/api/orders/calculate-pricing", "calculatePricing", "Quote a price for an amount and a payment method", policy.OwnOrders, rest.Quoting, s.order.CalculatePricing, rest.Says("Stores nothing. The quote can be used for one order until it expires."))
	rest.Post(t, "/api/orders", "createOrder", "Place an order at a quoted price", policy.OwnOrders, rest.Writing, s.order.CreateOrder, rest.Created, rest.NeedsConsent, rest.Says("It is accepted at once and paid and fulfilled afterwards. A quote that expired or was used is refused with the price in force."))
	rest.Post(t, "/api/buy", "buy", "Place an order for an amount of dollars at the price before fees", policy.OwnOrders, rest.Writing, s.order.Buy, rest.Created, rest.Stateless)
	rest.Post(t, "/api/orders/{id}/cancel", "cancelOrder", "Cancel one's own unpaid order", policy.OwnOrders, rest.Writing, s.order.CancelOrder)
	rest.Post(t, "/api/orders/{id}/keep-trying", "keepTrying", "Keep a delayed order in progress instead of taking a refund", policy.OwnOrders, rest.Writing, s.order.KeepTrying)
	rest.Post(t, "/api/orders/{id}/refund", "refundNow", "Take a refund of a delayed order instead of waiting", policy.OwnOrders, rest.Writing, s.order.RefundNow)
	rest.Get(t, "/api/orders/{id}/requote", "getRequote", "Price what the money that came for one's order buys now", policy.OwnOrders, rest.Quoting, s.order.GetRequote, rest.Says("Stores nothing."), rest.OfState)
	rest.Post(t, "/api/orders/{id}/requote", "requoteOrder", "Accept the new price of one's order", policy.OwnOrders, rest.Writing, s.order.RequoteOrder, rest.Says("An expired one is refused together with the one in force."))
	rest.Post(t, "/api/orders/{id}/keep", "keepOrder", "Keep an order as placed after paying more than it costs", policy.OwnOrders, rest.Writing, s.order.KeepOrder, rest.Says("The rest is held as a surplus."))
	rest.Post(t, "/api/orders/{id}/surplus", "chooseSurplus", "Choose what becomes of the money that arrived beyond the price of one's order", policy.OwnOrders, rest.Writing, s.order.ChooseSurplus, rest.Says("Without a choice it is credited to the balance once its time is over. The same choice again changes nothing."))
	rest.Post(t, "/api/orders/{id}/less-coin/agree", "agreeToLessCoin", "Agree to a refund with less crypto", policy.OwnOrders, rest.Writing,
		s.order.AgreeToLessCoin, rest.Says("The order changes and the refund starts at once. A repeated call gets the same answer."))
	rest.Post(t, "/api/orders/{id}/less-coin/decline", "keepAllCoin", "Decline a refund with less crypto", policy.OwnOrders, rest.Writing,
		s.order.KeepAllCoin, rest.Says("The order stays as it is."))
	rest.Post(t, "/api/orders/{id}/address", "nameAddress", "Name another wallet address after the first was refused", policy.OwnOrders, rest.Writing, s.order.NameAddress, rest.AsksFreshCode, rest.Says("Who has no second factor confirms it with a link that is mailed to them."))
	rest.Post(t, "/api/orders/{id}/address/confirm", "confirmAddress", "Confirm another wallet address by its mailed link", policy.OwnOrders, rest.Writing, s.order.ConfirmAddress)
	rest.Post(t, "/api/orders/{id}/evidence", "uploadEvidence", "Upload a picture that proves the payment of one's order", policy.OwnOrders, rest.Uploading, s.order.UploadEvidence, rest.Created, rest.Upload("file", 1))
	rest.Get(t, "/evidence/{key}", "getEvidence", "Read a picture of evidence", policy.OwnOrders, rest.Reading, s.order.GetEvidence, rest.ReceiptFile, rest.Says("For its owner and for staff who decide on payments."))
	rest.Get(t, "/api/withdrawals", "listWithdrawals", "List the transfers of crypto to one's wallets, newest first", policy.OwnOrders, rest.Reading, s.reporting.ListWithdrawals)
	rest.Get(t, "/api/transactions", "listTransactions", "List one's own transactions, newest first", policy.OwnOrders, rest.Reading, s.reporting.ListTransactions)
	rest.Get(t, "/api/transactions/summary", "getTransactionsSummary", "Count one's own transactions that the filters find", policy.OwnOrders, rest.Reading, s.reporting.GetTransactionsSummary)
	rest.Get(t, "/api/transactions/export", "exportTransactions", "Download the filtered transactions as CSV", policy.OwnOrders, rest.Writing, s.reporting.ExportTransactions, rest.CSVFile)
	rest.Get(t, "/api/balance", "getBalance", "Read one's own balance and its ledger entries", policy.OwnAccount, rest.Reading, s.ledger.GetBalance)
	rest.Get(t, "/api/payouts", "listPayouts", "List one's own payouts, newest first", policy.OwnOrders, rest.Reading, s.payout.ListPayouts)
	rest.Post(t, "/api/payouts", "requestPayout", "Request a payout of the balance to a bank account", policy.OwnOrders, rest.Writing, s.payout.RequestPayout, rest.Created, rest.AsksFreshCode, rest.Says("The amount is reserved at once; staff review it before the money leaves. Who has no second factor confirms it first, by a mailed link."))
	rest.Get(t, "/api/payouts/{id}", "getPayout", "Read one of one's own payouts with its timeline", policy.OwnOrders, rest.Reading, s.payout.GetPayout)
	rest.Post(t, "/api/payouts/{id}/cancel", "cancelPayout", "Cancel one's own payout before it is approved", policy.OwnOrders, rest.Writing, s.payout.CancelPayout, rest.Says("The reserved amount returns to the balance."))
	rest.Post(t, "/api/confirmations/{id}", "confirmByMail", "Confirm a payout, a copy of one's data or an order by its mailed link", policy.OwnAccount, rest.Writing, s.confirmation.Confirm, rest.Says("For who has no second factor. The id is that of what is confirmed."))
	rest.Post(t, "/api/confirmations/{id}/mail", "mailLinkAgain", "Send the mailed link of a request again", policy.OwnAccount, rest.Writing, s.confirmation.MailAgain)
	rest.Get(t, "/api/referrals/my-code", "getReferralCode", "Read one's own referral code and link", policy.OwnAccount, rest.Reading, s.referral.GetReferralCode)
	rest.Get(t, "/api/referrals/stats", "getReferralStats", "Read one's own referrals and rewards", policy.OwnAccount, rest.Reading, s.referral.GetReferralStats)
	rest.Get(t, "/api/events", "streamEvents", "Follow what changes, as server-sent events", policy.OwnOrders, rest.Reading, s.event.StreamEvents, rest.EventStream, rest.Says("An event names a kind and an id; what changed is read with the call for it."))

	t.Tag = "gift-cards"
	rest.Get(t, "/api/gift-cards/catalogue", "getGiftCardCatalogue", "List the gift card brands and what they pay", policy.OwnAccount, rest.Reading, s.giftcard.GetGiftCardCatalogue)
	rest.Get(t, "/api/gift-cards", "listGiftCards", "List one's own gift cards, newest first", policy.OwnOrders, rest.Reading, s.giftcard.ListGiftCards)
	rest.Post(t, "/api/gift-cards", "submitGiftCard", "Submit a gift card with its pictures for review", policy.OwnOrders, rest.Uploading, s.giftcard.SubmitGiftCard, rest.Created, rest.NeedsConsent, rest.Upload("images", giftcard.MaxCardImages))
	rest.Get(t, "/api/gift-cards/{id}", "getGiftCard", "Read one of one's own gift cards with its timeline", policy.OwnOrders, rest.Reading, s.giftcard.GetGiftCard)
	rest.Post(t, "/api/gift-cards/{id}/accept", "acceptGiftCardOffer", "Accept the counter-offer for one's own gift card",
		policy.OwnOrders, rest.Writing, s.giftcard.AcceptGiftCardOffer, rest.Says("The payout is credited to the balance."))
	rest.Post(t, "/api/gift-cards/{id}/decline", "declineGiftCardOffer", "Decline the counter-offer for one's own gift card",
		policy.OwnOrders, rest.Writing, s.giftcard.DeclineGiftCardOffer, rest.Says("The card's details are deleted."))
	rest.Get(t, "/gift-card-images/{key}", "getGiftCardImage", "Read a picture of a gift card", policy.OwnOrders, rest.Reading, s.giftcard.GetGiftCardImage, rest.ImageFile, rest.Says("For its owner, and for the reviewer who has just revealed the card."))

	t.Tag = "support"
	rest.Get(t, "/api/support/tickets", "listTickets", "List one's own support tickets, newest first", policy.OwnAccount, rest.Reading, s.support.ListTickets)
	rest.Post(t, "/api/support/tickets", "createTicket", "Open a support ticket", policy.OwnAccount, rest.Asking, s.support.CreateTicket, rest.Created, rest.Finds, rest.Stateless)
	rest.Get(t, "/api/support/tickets/{id}", "getTicket", "Read one of one's own tickets with its messages", policy.OwnAccount, rest.Reading, s.support.GetTicket)
	rest.Post(t, "/api/support/tickets/{id}/messages", "writeInTicket", "Write a message in one's own ticket", policy.OwnAccount, rest.Asking, s.support.WriteInTicket)
	rest.Post(t, "/api/support/tickets/{id}/close", "closeTicket", "Close one's own ticket", policy.OwnAccount, rest.Writing, s.support.CloseTicket)

	t.Tag = "profile"
	rest.Get(t, "/api/profile", "getProfile", "Read one's own profile", policy.OwnAccount, rest.Reading, s.account.GetProfile)
	rest.Post(t, "/api/profile/name", "correctName", "Correct one's own name", policy.OwnAccount, rest.Writing, s.account.CorrectName, rest.Says("A name that identity verification confirmed, or is checking, is refused, 409."))
	rest.Post(t, "/api/profile/preferences", "setPreferences", "Set one's own preferences", policy.OwnAccount, rest.Writing, s.account.SetPreferences, rest.Stateless)
	rest.Get(t, "/api/account/rights", "getAccountRights", "Read the state of one's privacy requests", policy.OwnAccount, rest.Reading, s.account.GetAccountRights)
	rest.Post(t, "/api/account/restriction", "restrictAccount", "Stop or allow new orders on one's own account", policy.OwnAccount, rest.Writing, s.account.RestrictAccount, rest.Says("What is in progress continues."), rest.Stateless)
	rest.Post(t, "/api/account/data", "askForData", "Request a copy of one's data", policy.OwnAccount, rest.Asking, s.account.AskForData, rest.Accepted, rest.AsksFreshCode, rest.Says("A mail says when it is ready. Who has no second factor confirms it first, by a mailed link."))
	rest.Get(t, "/api/account/data/{id}", "getData", "Download the copy of one's data as ZIP", policy.OwnAccount, rest.Writing, s.account.GetData, rest.Zipped)
	rest.Post(t, "/api/account/closure", "askToClose", "Request the closure of one's account", policy.OwnAccount, rest.Asking, s.account.AskToClose, rest.Accepted, rest.AsksFreshCode)
	rest.Post(t, "/api/account/closure/cancel", "keepAccount", "Cancel the closure of one's account", policy.OwnAccount, rest.Writing, s.account.KeepAccount)

	t.Tag = "vouchers"
	rest.Post(t, "/api/vouchers/validate", "validateVoucher", "Read what a voucher code is worth", policy.OwnOrders, rest.Writing, s.voucher.ValidateVoucher, rest.Says("Changes nothing; attempts are limited."), rest.Finds, rest.Stateless)
	rest.Post(t, "/api/vouchers/redeem", "redeemVoucher", "Redeem a voucher for crypto to a wallet address", policy.OwnOrders, rest.Writing, s.voucher.RedeemVoucher, rest.Created, rest.NeedsConsent, rest.Finds, rest.Stateless)
	rest.Get(t, "/api/vouchers", "listVouchers", "List the vouchers one has redeemed, newest first", policy.OwnOrders, rest.Reading, s.voucher.ListVouchers)
	rest.Get(t, "/api/vouchers/{id}", "getVoucher", "Read one of one's redeemed vouchers with its timeline", policy.OwnOrders, rest.Reading, s.voucher.GetVoucher)

	t.Tag = "admin-dashboard"
	rest.Get(t, "/api/admin/stats", "getAdminStats", "Read the dashboard's figures", policy.ReadCustomers, rest.Reading, s.reporting.GetAdminStats)
	rest.Get(t, "/api/admin/recent-activity", "listRecentActivity", "List what happened last, newest first", policy.ReadCustomers, rest.Reading, s.reporting.ListRecentActivity)
	rest.Get(t, "/api/admin/queues", "listQueues", "Count what needs action in each queue", policy.ReadCustomers, rest.Reading, s.reporting.ListQueues)
	rest.Get(t, "/api/admin/platform", "getPlatform", "Read the state of workers, providers and queues", policy.ReadCustomers, rest.Reading, s.reporting.GetPlatform)

	t.Tag = "admin-alerts"
	rest.Get(t, "/api/admin/alerts", "listAlerts", "List alerts that are open, acknowledged or over", policy.ReadCustomers, rest.Reading, s.reporting.ListAlerts)
	rest.Post(t, "/api/admin/alerts/{id}/acknowledge", "acknowledgeAlert", "Say that one sees to an alert", policy.ReadCustomers, rest.Writing, s.reporting.AcknowledgeAlert)

	t.Tag = "admin-approvals"
	rest.Get(t, "/api/admin/approvals", "listApprovals", "List what waits for a second person, the longest wait first", policy.ReadCustomers, rest.Reading, s.reporting.ListApprovals)

	t.Tag = "admin-search"
	rest.Get(t, "/api/admin/search", "searchBackOffice", "Find customers, orders and other records by what is known of them", policy.ReadCustomers, rest.Reading, s.reporting.SearchBackOffice)

	t.Tag = "admin-customers"
	rest.Get(t, "/api/admin/customers", "listCustomers", "List customers with their verification, tier and volume", policy.ReadCustomers, rest.Reading, s.customer.ListCustomers)
	rest.Get(t, "/api/admin/customers/summary", "getCustomersSummary", "Count customers by status", policy.ReadCustomers, rest.Reading, s.customer.GetCustomersSummary)
	rest.Get(t, "/api/admin/customers/{id}", "getAdminCustomer", "Read a customer with their records and notes", policy.ReadCustomers, rest.Reading, s.customer.GetAdminCustomer)
	rest.Get(t, "/api/admin/customers/{id}/stats", "getCustomerStats", "Read what a customer has bought", policy.ReadCustomers, rest.Reading, s.customer.GetCustomerStats)
	rest.Patch(t, "/api/admin/customers/{id}/tier", "setCustomerTier", "Set a customer's volume tier, whatever they buy", policy.Configure, rest.Writing, s.customer.SetCustomerTier)
	rest.Post(t, "/api/admin/customers/{id}/tier/release", "releaseCustomerTier", "Let a customer's volume tier follow what they buy again", policy.Configure, rest.Writing, s.customer.ReleaseCustomerTier)
	rest.Post(t, "/api/admin/customers/{id}/freeze", "freezeCustomer", "Freeze a customer's account", policy.ReviewCustomers, rest.Writing, s.customer.FreezeCustomer,
		rest.Says("What a member of staff proposed or approved first ends."))
	rest.Post(t, "/api/admin/customers/{id}/unfreeze", "unfreezeCustomer", "Lift the freeze of a customer's account", policy.ReviewCustomers, rest.Writing, s.customer.UnfreezeCustomer, rest.MovesMoney, rest.Says("What waited for it continues."))
	rest.Post(t, "/api/admin/customers/{id}/sign-out", "signCustomerOut", "End all sessions of a customer", policy.ReviewCustomers, rest.Writing, s.customer.SignCustomerOut, rest.Stateless)
	rest.Post(t, "/api/admin/customers/{id}/notes", "noteAboutCustomer", "Add a note about a customer, read by staff only", policy.ReadCustomers, rest.Writing, s.customer.NoteAboutCustomer, rest.Stateless)

	t.Tag = "admin-payments"
	rest.Get(t, "/api/admin/payments/pending", "listPendingPayments", "List payments, those that need action first", policy.ReadCustomers, rest.Reading, s.order.ListPendingPayments)
	rest.Get(t, "/api/admin/payments/summary", "getPaymentsSummary", "Count payments by status and add them up", policy.ReadCustomers, rest.Reading, s.order.GetPaymentsSummary)
	rest.Post(t, "/api/admin/payments/{id}/process", "processPayment", "Capture the authorised card payment of an order", policy.DecidePayments, rest.Writing, s.order.ProcessPayment, rest.MovesMoney)
	rest.Post(t, "/api/admin/payments/{id}/reject", "rejectPayment", "Decline a payment: release the hold on the card, or reject the transfer", policy.DecidePayments, rest.Writing, s.order.RejectPayment)
	rest.Post(t, "/api/admin/payments/{id}/confirm", "confirmPayment", "Confirm money received for an order on our bank account", policy.DecidePayments, rest.Writing, s.order.ConfirmPayment, rest.MovesMoney)

	t.Tag = "admin-orders"
	rest.Get(t, "/api/admin/orders", "listAdminOrders", "List orders", policy.ReadCustomers, rest.Reading, s.order.ListAdminOrders)
	rest.Get(t, "/api/admin/orders/summary", "getAdminOrdersSummary", "Count orders by status", policy.ReadCustomers, rest.Reading, s.order.GetAdminOrdersSummary)
	rest.Get(t, "/api/admin/orders/{id}", "getAdminOrder", "Read an order with its payment, transfers and timeline", policy.ReadCustomers, rest.Reading, s.order.GetAdminOrder)
	rest.Get(t, "/api/admin/orders/{id}/proof", "getOrderProof", "Download the proof pack of an order as ZIP", policy.ReadCustomers, rest.Writing, s.order.GetOrderProof, rest.Zipped, rest.Says("The download is noted in the audit log."))
	rest.Post(t, "/api/admin/orders/{id}/fulfill", "fulfillOrder", "Start the fulfilment of a paid order", policy.DecideOrders, rest.Writing, s.order.FulfillOrder, rest.MovesMoney)
	rest.Post(t, "/api/admin/orders/{id}/retry", "retryOrder", "Retry the failed step of an order", policy.DecideOrders, rest.Writing, s.order.RetryOrder, rest.MovesMoney)
	rest.Get(t, "/api/admin/orders/{id}/less-coin", "getLessCoin", "Calculate what a partial refund with less coin leaves", policy.DecidePayments,
		rest.Quoting, s.order.GetLessCoin, rest.Says("Stores nothing."), rest.OfState)
	rest.Post(t, "/api/admin/orders/{id}/less-coin/withdraw", "withdrawCoinOffer", "Withdraw an offer of a refund with less coin", policy.DecidePayments,
		rest.Writing, s.order.WithdrawCoinOffer)
	rest.Post(t, "/api/admin/orders/{id}/refund", "refundOrder", "Refund an order in whole or in part", policy.DecidePayments, rest.Writing, s.order.RefundOrder, rest.MovesMoney, rest.Says("Above the daily limit of one person it becomes a proposal for a second one."))
	rest.Post(t, "/api/admin/orders/{id}/proposal/approve", "approveProposal", "Approve what a colleague proposed for an order", policy.DecidePayments, rest.Writing, s.order.ApproveProposal, rest.MovesMoney)
	rest.Post(t, "/api/admin/orders/{id}/proposal/reject", "rejectProposal", "Reject a proposal for an order, or withdraw one's own", policy.DecidePayments, rest.Writing, s.order.RejectProposal)
	rest.Post(t, "/api/admin/orders/{id}/notes", "noteAboutOrder", "Add a note about an order, read by staff only", policy.ReadCustomers, rest.Writing, s.order.NoteAboutOrder, rest.Stateless)
	rest.Post(t, "/api/admin/orders/{id}/dispute/contest", "contestDispute", "Contest a card dispute with the order's evidence", policy.DecidePayments, rest.Writing, s.order.ContestDispute)
	rest.Post(t, "/api/admin/orders/{id}/dispute/accept", "acceptDispute", "Accept a card dispute", policy.DecidePayments, rest.Writing, s.order.AcceptDispute, rest.MovesMoney)
	rest.Post(t, "/api/admin/orders/{id}/hold", "holdOrder", "Hold an order until somebody resumes it", policy.DecideOrders, rest.Writing, s.order.HoldOrder)
	rest.Post(t, "/api/admin/orders/{id}/resume", "resumeOrder", "Resume an order that is on hold", policy.DecideOrders, rest.Writing, s.order.ResumeOrder, rest.MovesMoney)
	rest.Post(t, "/api/admin/orders/{id}/amend-address", "amendOrderAddress", "Change the wallet address of an order, on the same network", policy.DecideOrders, rest.Writing, s.order.AmendOrderAddress, rest.MovesMoney)
	rest.Post(t, "/api/admin/orders/{id}/transfer-dead", "declareTransferDead", "Propose that an order's removed transfer can never confirm", policy.DecideOrders, rest.Writing, s.order.DeclareTransferDead, rest.MovesMoney, rest.Says("Another person approves it."))
	rest.Post(t, "/api/admin/orders/{id}/mark-sent", "markOrderSent", "Record a transfer of crypto that was made by other means", policy.DecideOrders, rest.Writing, s.order.MarkOrderSent, rest.MovesMoney)

	t.Tag = "admin-gift-cards"
	rest.Get(t, "/api/admin/gift-cards", "listAdminGiftCards", "List gift cards", policy.ReadCustomers, rest.Reading, s.giftcard.ListAdminGiftCards)
	rest.Get(t, "/api/admin/gift-cards/pending", "listPendingGiftCards", "List the gift cards that need a decision", policy.ReadCustomers, rest.Reading, s.giftcard.ListPendingGiftCards)
	rest.Get(t, "/api/admin/gift-cards/summary", "getGiftCardsSummary", "Count gift cards by status", policy.ReadCustomers, rest.Reading, s.giftcard.GetGiftCardsSummary)
	rest.Get(t, "/api/admin/gift-cards/{id}", "getAdminGiftCard", "Read a gift card with its timeline, without its code", policy.ReadCustomers, rest.Reading, s.giftcard.GetAdminGiftCard)
	rest.Post(t, "/api/admin/gift-cards/{id}/reveal", "revealGiftCard", "Reveal the code and PIN of a gift card", policy.ReviewCustomers, rest.Revealing, s.giftcard.RevealGiftCard, rest.AsksFreshCode, rest.Says("Noted in the audit log before it answers."))
	rest.Post(t, "/api/admin/gift-cards/{id}/approve", "approveGiftCard", "Approve a gift card and credit its customer", policy.ReviewCustomers, rest.Writing, s.giftcard.ApproveGiftCard, rest.MovesMoney)
	rest.Post(t, "/api/admin/gift-cards/{id}/reject", "rejectGiftCard", "Reject a gift card with a reason", policy.ReviewCustomers, rest.Writing, s.giftcard.RejectGiftCard)
	rest.Post(t, "/api/admin/gift-cards/{id}/realise", "realiseGiftCard", "Book what an approved gift card brought in", policy.DecidePayments, rest.Writing, s.giftcard.RealiseGiftCard, rest.MovesMoney)

	t.Tag = "admin-support"
	rest.Get(t, "/api/admin/support/tickets", "listAdminTickets", "List support tickets", policy.ReadCustomers, rest.Reading, s.support.ListAdminTickets)
	rest.Get(t, "/api/admin/support/summary", "getTicketsSummary", "Count support tickets by each filter", policy.ReadCustomers, rest.Reading, s.support.GetTicketsSummary)
	rest.Get(t, "/api/admin/support/answerers", "listAnswerers", "List the staff a ticket can be assigned to", policy.AnswerTickets, rest.Reading, s.support.ListAnswerers)
	rest.Get(t, "/api/admin/support/tickets/{id}", "getAdminTicket", "Read a ticket with its messages and notes", policy.ReadCustomers, rest.Reading, s.support.GetAdminTicket)
	rest.Post(t, "/api/admin/support/tickets/{id}/notes", "noteOnTicket", "Add a note to a ticket, read by staff only", policy.ReadCustomers, rest.Writing, s.support.NoteOnTicket, rest.Stateless)
	rest.Post(t, "/api/admin/support/tickets/{id}/reply", "replyToTicket", "Reply to a ticket, and close it if wanted", policy.AnswerTickets, rest.Writing, s.support.ReplyToTicket)
	rest.Post(t, "/api/admin/support/tickets/{id}/take", "takeTicket", "Take an unassigned ticket", policy.AnswerTickets, rest.Writing, s.support.TakeTicket)
	rest.Post(t, "/api/admin/support/tickets/{id}/assign", "assignTicket", "Assign a ticket to a colleague or to nobody", policy.AnswerTickets, rest.Writing, s.support.AssignTicket, rest.Says("Names whose it was: of two who assign at once, the second is refused."))
	rest.Post(t, "/api/admin/support/tickets/{id}/close", "closeTicketForCustomer", "Close a ticket without a reply, for a reason that staff see", policy.AnswerTickets, rest.Writing, s.support.CloseTicketForCustomer)
	rest.Post(t, "/api/admin/support/tickets/{id}/reopen", "reopenTicket", "Reopen a closed ticket", policy.AnswerTickets, rest.Writing, s.support.ReopenTicket)

	t.Tag = "admin-security"
	rest.Get(t, "/api/admin/recoveries", "listRecoveries", "List open requests for a 2FA reset", policy.LiftFactors, rest.Reading, s.account.ListRecoveries)
	rest.Post(t, "/api/admin/recoveries/{id}/vouch", "vouchForRecovery", "Confirm the identity behind a request for a 2FA reset", policy.LiftFactors, rest.Writing, s.account.DecideRecovery(account.RecoveryVouch, "Identity confirmed. Another admin can approve once the waiting period is over."), rest.AsksFreshCode)
	rest.Post(t, "/api/admin/recoveries/{id}/approve", "approveRecovery", "Approve a 2FA reset as the second admin", policy.LiftFactors, rest.Writing, s.account.DecideRecovery(account.RecoveryApprove, "Two-factor authentication was turned off. The customer was signed out everywhere."), rest.AsksFreshCode, rest.Says("Turns two-factor authentication off and signs the customer out everywhere."))
	rest.Post(t, "/api/admin/recoveries/{id}/refuse", "refuseRecovery", "Reject a request for a 2FA reset", policy.LiftFactors, rest.Writing, s.account.DecideRecovery(account.RecoveryRefuse, "The request was rejected."))

	t.Tag = "admin-team"
	rest.Get(t, "/api/admin/team", "listTeam", "List staff and their roles", policy.GrantRoles, rest.Reading, s.team.ListTeam)
	rest.Get(t, "/api/admin/team/summary", "getTeamSummary", "Count staff by role", policy.GrantRoles, rest.Reading, s.team.GetTeamSummary)
	rest.Get(t, "/api/admin/team/candidate", "getTeamCandidate", "Find the person with an e-mail address, to propose roles for", policy.GrantRoles, rest.Reading, s.team.GetTeamCandidate, rest.Finds, rest.OfState)
	rest.Get(t, "/api/admin/team/proposals", "listRoleProposals", "List proposals to give roles", policy.GrantRoles, rest.Reading, s.team.ListRoleProposals)
	rest.Post(t, "/api/admin/team/proposals/{id}/approve", "approveRoles", "Approve the roles that another admin proposed", policy.GrantRoles, rest.Writing, s.team.ApproveRoles, rest.AsksFreshCode)
	rest.Post(t, "/api/admin/team/proposals/{id}/reject", "rejectRoles", "Reject a proposal of roles, or withdraw one's own", policy.GrantRoles, rest.Writing, s.team.RejectRoles)
	rest.Post(t, "/api/admin/team/{id}/propose", "proposeRoles", "Propose roles for a person", policy.GrantRoles, rest.Writing, s.team.ProposeRoles, rest.Created, rest.AsksFreshCode, rest.Says("Another admin has to approve."))
	rest.Post(t, "/api/admin/team/{id}/take", "takeRoles", "Take roles away at once", policy.GrantRoles, rest.Writing, s.team.TakeRoles, rest.AsksFreshCode, rest.Says("Ends the person's sessions."))
	rest.Post(t, "/api/admin/team/{id}/sign-out", "signMemberOut", "End all sessions of a colleague", policy.GrantRoles, rest.Writing, s.team.SignMemberOut, rest.Stateless)

	t.Tag = "admin-kyc"
	rest.Get(t, "/api/admin/kyc", "listAdminKyc", "List identity verifications", policy.ReadCustomers, rest.Reading, s.kyc.ListAdminKYC)
	rest.Get(t, "/api/admin/kyc/summary", "getKycSummary", "Count identity verifications by status", policy.ReadCustomers, rest.Reading, s.kyc.GetKYCSummary)
	rest.Get(t, "/api/admin/kyc/{id}", "getAdminKyc", "Read a customer's identity verification with its timeline", policy.ReadCustomers, rest.Reading, s.kyc.GetAdminKYC)
	rest.Post(t, "/api/admin/kyc/{id}/approve", "approveKyc", "Approve an identity verification at a level", policy.ReviewCustomers, rest.Writing, s.kyc.ApproveKYC, rest.AsksFreshCode, rest.Says("An identity that was rejected finally takes two people: it becomes a proposal."))
	rest.Post(t, "/api/admin/kyc/{id}/proposal/approve", "approveKycProposal", "Approve an identity as the second person", policy.ReviewCustomers, rest.Writing, s.kyc.ApproveProposal, rest.AsksFreshCode, rest.Says("A proposal that changed since it was read is refused with the change, 409."))
	rest.Post(t, "/api/admin/kyc/{id}/proposal/reject", "rejectKycProposal", "Reject a proposed approval of an identity, or withdraw one's own", policy.ReviewCustomers, rest.Writing, s.kyc.RejectProposal)
	rest.Post(t, "/api/admin/kyc/{id}/reject", "rejectKyc", "Reject an identity verification with a reason", policy.ReviewCustomers, rest.Writing, s.kyc.RejectKYC)
	rest.Post(t, "/api/admin/kyc/{id}/revoke", "revokeKyc", "Revoke a customer's verification", policy.ReviewCustomers, rest.Writing, s.kyc.DecideKYCWith(kyc.KYCRevoke))
	rest.Post(t, "/api/admin/kyc/{id}/hold", "holdKyc", "Put a customer's identity verification on hold", policy.ReviewCustomers, rest.Writing, s.kyc.DecideKYCWith(kyc.KYCHold))
	rest.Post(t, "/api/admin/kyc/{id}/release", "releaseKyc", "Release a customer's identity verification from hold", policy.ReviewCustomers, rest.Writing, s.kyc.DecideKYCWith(kyc.KYCRelease), rest.MovesMoney, rest.Says("Orders that waited for it continue."))
	rest.Post(t, "/api/admin/kyc/{id}/ask", "askKycAgain", "Ask a customer to verify their identity again", policy.ReviewCustomers, rest.Writing, s.kyc.DecideKYCWith(kyc.KYCAsk))

	t.Tag = "admin-payouts"
	rest.Get(t, "/api/admin/payouts", "listAdminPayouts", "List payouts", policy.ReadCustomers, rest.Reading, s.payout.ListAdminPayouts)
	rest.Get(t, "/api/admin/payouts/summary", "getPayoutsSummary", "Count payouts by status", policy.ReadCustomers, rest.Reading, s.payout.GetPayoutsSummary)
	rest.Get(t, "/api/admin/payouts/{id}", "getAdminPayout", "Read a payout with its timeline, without the bank account", policy.ReadCustomers, rest.Reading, s.payout.GetAdminPayout)
	rest.Post(t, "/api/admin/payouts/{id}/reveal", "revealPayout", "Reveal the bank account of a payout", policy.DecidePayments, rest.Revealing, s.payout.RevealPayout, rest.AsksFreshCode, rest.Says("Noted in the audit log before it answers."))
	rest.Post(t, "/api/admin/payouts/{id}/approve", "approvePayout", "Approve a payout", policy.DecidePayments, rest.Writing, s.payout.ApprovePayout, rest.MovesMoney, rest.Says("Above the daily limit two people have to approve."))
	rest.Post(t, "/api/admin/payouts/{id}/reject", "rejectPayout", "Reject a payout", policy.DecidePayments, rest.Writing, s.payout.RejectPayout, rest.Says("The reserved amount returns to the balance."))
	rest.Post(t, "/api/admin/payouts/{id}/confirm", "confirmPayout", "Confirm that the bank transfer of a payout was made", policy.DecidePayments, rest.Writing, s.payout.ConfirmPayout, rest.MovesMoney)
	rest.Post(t, "/api/admin/payouts/{id}/return", "returnPayout", "Book a payout that the bank sent back", policy.DecidePayments, rest.Writing, s.payout.ReturnPayout, rest.MovesMoney)
	rest.Get(t, "/api/admin/closed-credits", "listClosedCredits", "List credits of closed accounts", policy.DecidePayments, rest.Reading, s.payout.ListClosedCredits)
	rest.Post(t, "/api/admin/closed-credits/{id}/pay-back", "payBackClosedCredit", "Book that the credit of a closed account was sent back", policy.DecidePayments, rest.Writing, s.payout.PayBackClosedCredit, rest.MovesMoney)
	rest.Get(t, "/api/admin/attestations", "listAttestations", "List the statements of one person that bar that person from releasing value", policy.ReadCustomers, rest.Reading, s.dualcontrol.ListAttestations)
	rest.Post(t, "/api/admin/attestations/{id}/second", "secondAttestation", "Confirm, as another person, what one member of staff stated", policy.ReadCustomers, rest.Writing, s.dualcontrol.SecondAttestation, rest.MovesMoney, rest.Says("Whoever stated it may then release the value that rests on it."))
	t.Tag = "admin-treasury"
	rest.Get(t, "/api/admin/treasury", "getTreasury", "Read wallets and holdings at the providers against the books", policy.DecidePayments, rest.Reading, s.treasury.GetTreasury)
	rest.Get(t, "/api/admin/treasury/history", "getTreasuryHistory", "Read how the holdings at the providers developed", policy.DecidePayments, rest.Reading, s.treasury.GetTreasuryHistory)
	rest.Get(t, "/api/admin/treasury/moves", "listTreasuryMoves", "List transfers of crypto from the exchange to wallets", policy.DecidePayments, rest.Reading, s.treasury.ListTreasuryMoves)
	rest.Post(t, "/api/admin/treasury/moves", "proposeTreasuryMove", "Propose a transfer of crypto from the exchange to a wallet", policy.DecidePayments, rest.Writing, s.treasury.ProposeTreasuryMove, rest.Created, rest.MovesMoney, rest.Says("Nothing moves before a second person approves."))
	rest.Get(t, "/api/admin/treasury/moves/{id}", "getTreasuryMove", "Read a treasury move with its timeline", policy.DecidePayments, rest.Reading, s.treasury.GetTreasuryMove)
	rest.Post(t, "/api/admin/treasury/moves/{id}/approve", "approveTreasuryMove", "Approve a treasury move and send the crypto", policy.DecidePayments, rest.Writing, s.treasury.ApproveTreasuryMove, rest.AsksFreshCode)
	rest.Post(t, "/api/admin/treasury/moves/{id}/reject", "rejectTreasuryMove", "Reject a treasury move", policy.DecidePayments, rest.Writing, s.treasury.RejectTreasuryMove)
	rest.Post(t, "/api/admin/treasury/moves/{id}/withdraw", "withdrawTreasuryMove", "Withdraw one's own treasury move before it is approved", policy.DecidePayments, rest.Writing, s.treasury.WithdrawTreasuryMove)
	rest.Post(t, "/api/admin/treasury/moves/{id}/resolve", "resolveTreasuryMove", "Say what became of a treasury move that the provider does not show", policy.DecidePayments, rest.Writing, s.treasury.ResolveTreasuryMove, rest.AsksFreshCode)

	t.Tag = "admin-vouchers"
	rest.Get(t, "/api/admin/vouchers", "listAdminVouchers", "List vouchers", policy.ReadCustomers, rest.Reading, s.voucher.ListAdminVouchers)
	rest.Get(t, "/api/admin/vouchers/summary", "getVouchersSummary", "Count vouchers by status and add them up", policy.ReadCustomers, rest.Reading, s.voucher.GetVouchersSummary)
	rest.Get(t, "/api/admin/vouchers/{id}", "getAdminVoucher", "Read a voucher with its redemption, without its code", policy.ReadCustomers, rest.Reading, s.voucher.GetAdminVoucher)
	rest.Post(t, "/api/admin/vouchers", "generateVoucher", "Generate a voucher and get its code", policy.Configure, rest.Writing, s.voucher.GenerateVoucher, rest.Created, rest.MovesMoney, rest.Says("The code is in this answer only."))
	rest.Post(t, "/api/admin/vouchers/export", "exportVouchers", "Download vouchers with their codes as CSV", policy.Configure, rest.Revealing, s.voucher.ExportVouchers, rest.AsksFreshCode, rest.CSVFile, rest.Says("Noted in the audit log before it answers."))
	rest.Post(t, "/api/admin/vouchers/{id}/void", "voidVoucher", "Void a voucher that nobody has redeemed", policy.Configure, rest.Writing, s.voucher.VoidVoucher, rest.MovesMoney)
	rest.Post(t, "/api/admin/vouchers/{id}/resume", "resumeVoucher", "Resume the redemption of a voucher", policy.Configure, rest.Writing, s.voucher.ResumeVoucher, rest.MovesMoney)
	rest.Post(t, "/api/admin/vouchers/{id}/transfer-dead", "declareVoucherTransferDead", "Propose that a voucher's removed transfer can never confirm", policy.Configure, rest.Writing, s.voucher.DeclareVoucherTransferDead, rest.MovesMoney, rest.Says("Another person approves it."))
	rest.Post(t, "/api/admin/vouchers/{id}/restore", "restoreVoucher", "Restore a voucher whose redemption did not complete", policy.Configure, rest.Writing, s.voucher.RestoreVoucher, rest.MovesMoney)
	rest.Get(t, "/api/admin/voucher-batches", "listVoucherBatches", "List batches of vouchers, newest first", policy.ReadCustomers, rest.Reading, s.voucher.ListVoucherBatches)
	rest.Post(t, "/api/admin/voucher-batches", "generateVoucherBatch", "Generate a batch of vouchers", policy.Configure, rest.Writing, s.voucher.GenerateVoucherBatch,
		rest.Created, rest.MovesMoney, rest.Stateless, rest.Says("All or no vouchers are made. Their codes are in the export only."))
	rest.Get(t, "/api/admin/voucher-batches/{id}", "getVoucherBatch", "Read a batch of vouchers", policy.ReadCustomers, rest.Reading, s.voucher.GetVoucherBatch)
	rest.Post(t, "/api/admin/voucher-batches/{id}/approve", "approveVouchers", "Approve a batch of vouchers as the second admin", policy.Configure, rest.Writing, s.voucher.ApproveVouchers, rest.MovesMoney)
	rest.Post(t, "/api/admin/voucher-batches/{id}/void", "voidVoucherBatch", "Void what is not redeemed of a batch", policy.Configure, rest.Writing, s.voucher.VoidVoucherBatch, rest.MovesMoney, rest.Says("Above what one admin makes alone, a second one has to agree."))
	rest.Post(t, "/api/admin/voucher-batches/{id}/void/agree", "agreeToVoidBatch", "Agree that a batch of vouchers is voided", policy.Configure, rest.Writing, s.voucher.AgreeToVoidBatch, rest.MovesMoney)
	rest.Post(t, "/api/admin/voucher-batches/{id}/void/refuse", "refuseToVoidBatch", "Reject that a batch of vouchers is voided", policy.Configure, rest.Writing, s.voucher.RefuseToVoidBatch)

	t.Tag = "admin-referrals"
	rest.Get(t, "/api/admin/referrals", "listAdminReferrals", "List referrals and bonuses", policy.ReadCustomers, rest.Reading, s.referral.ListAdminReferrals)
	rest.Get(t, "/api/admin/referrals/summary", "getReferralsSummary", "Count referrals and bonuses by status", policy.ReadCustomers, rest.Reading, s.referral.GetReferralsSummary)
	rest.Post(t, "/api/admin/referrals/{id}/approve", "approveReward", "Approve a held reward and credit it", policy.ReviewCustomers, rest.Writing, s.referral.ApproveReward, rest.MovesMoney)
	rest.Post(t, "/api/admin/referrals/{id}/refuse", "refuseReward", "Reject a held reward", policy.ReviewCustomers, rest.Writing, s.referral.RefuseReward)

	t.Tag = "admin-pricing"
	rest.Get(t, "/api/admin/pricing/payment-methods", "listMethodPricing", "List the prices of the payment methods", policy.ReadCustomers, rest.Reading, s.pricing.ListMethodPricing)
	rest.Patch(t, "/api/admin/pricing/payment-methods/{id}", "changeMethodPricing", "Change the price of a payment method", policy.Configure, rest.Writing, s.pricing.ChangeMethodPricing, rest.AsksFreshCode)
	rest.Post(t, "/api/admin/pricing/payment-methods/{id}/preview", "previewMethodPricing", "Preview what an order costs after a change of prices", policy.Configure, rest.Quoting, s.pricing.PreviewMethodPricing, rest.Says("Changes nothing."))
	rest.Get(t, "/api/admin/pricing/volume-tiers", "listVolumeTiers", "List the volume tiers", policy.ReadCustomers, rest.Reading, s.pricing.ListVolumeTiers)
	rest.Get(t, "/api/admin/pricing/kyc", "listKycPricing", "List the limits of the verification levels", policy.ReadCustomers, rest.Reading, s.pricing.ListKYCPricing)
	rest.Get(t, "/api/admin/pricing/locations", "getLocationPricing", "Read the prices by country", policy.ReadCustomers, rest.Reading, s.pricing.GetLocationPricing)
	rest.Post(t, "/api/admin/pricing/locations", "addLocationPricing", "Add a price for a country", policy.Configure, rest.Writing, s.pricing.AddLocationPricing, rest.Created, rest.Stateless, rest.AsksFreshCode)
	rest.Patch(t, "/api/admin/pricing/locations/{id}", "changeLocationPricing", "Change the price of a country", policy.Configure, rest.Writing, s.pricing.ChangeLocationPricing, rest.AsksFreshCode)
	rest.Post(t, "/api/admin/pricing/locations/{id}/remove", "removeLocationPricing", "Remove the price of a country", policy.Configure, rest.Writing, s.pricing.RemoveLocationPricing, rest.AsksFreshCode)
	rest.Get(t, "/api/admin/pricing/history", "listPricingHistory", "List the changes of prices, newest first", policy.ReadCustomers, rest.Reading, s.pricing.ListPricingHistory)

	t.Tag = "admin-transactions"
	rest.Get(t, "/api/admin/transactions", "listAdminTransactions", "List transactions", policy.ReadCustomers, rest.Reading, s.reporting.ListAdminTransactions)
	rest.Get(t, "/api/admin/transactions/summary", "getAdminTransactionsSummary", "Count transactions and add them up", policy.ReadCustomers, rest.Reading, s.reporting.GetAdminTransactionsSummary)
	rest.Get(t, "/api/admin/transactions/export", "exportAdminTransactions", "Download the filtered transactions as CSV, with customers as ids", policy.ReadLedger, rest.Writing, s.reporting.ExportAdminTransactions, rest.CSVFile)

	t.Tag = "admin-ledger"
	rest.Get(t, "/api/admin/ledger", "getLedger", "Read the balance of each ledger account at a moment", policy.ReadLedger, rest.Reading, s.ledger.GetLedger)
	rest.Get(t, "/api/admin/ledger/export", "exportLedger", "Download the balance of each ledger account as CSV", policy.ReadLedger, rest.Writing, s.ledger.ExportLedger, rest.CSVFile)
	rest.Get(t, "/api/admin/ledger/account", "getLedgerAccount", "Read what a ledger account held before and after a period", policy.ReadLedger, rest.Reading, s.ledger.GetLedgerAccount, rest.Finds)
	rest.Get(t, "/api/admin/ledger/words", "getLedgerWords", "List the accounts and events that the ledger knows", policy.ReadLedger, rest.Reading, s.ledger.GetLedgerWords)
	rest.Get(t, "/api/admin/ledger/postings", "listPostings", "List ledger postings, newest first", policy.ReadLedger, rest.Reading, s.ledger.ListPostings)
	rest.Get(t, "/api/admin/ledger/postings/export", "exportPostings", "Download the filtered ledger postings as CSV", policy.ReadLedger, rest.Writing, s.ledger.ExportPostings, rest.CSVFile)

	t.Tag = "admin-reconciliation"
	rest.Get(t, "/api/admin/reconciliation", "getReconciliation", "Read the state of the comparison of provider statements with the books", policy.ReadLedger, rest.Reading, s.reconciliation.GetReconciliation)
	rest.Post(t, "/api/admin/reconciliation/run", "reconcileNow", "Compare provider statements with the books now", policy.DecidePayments, rest.Writing, s.reconciliation.ReconcileNow, rest.Stateless)
	rest.Get(t, "/api/admin/reconciliation/breaks", "listBreaks", "List differences between statements and books", policy.ReadLedger, rest.Reading, s.reconciliation.ListBreaks)
	rest.Get(t, "/api/admin/reconciliation/breaks/{id}", "getBreak", "Read one difference with what is known of it", policy.ReadLedger, rest.Reading, s.reconciliation.GetBreak)
	rest.Post(t, "/api/admin/reconciliation/breaks/{id}/resolve", "resolveBreak", "Book a difference", policy.DecidePayments, rest.Writing, s.reconciliation.ResolveBreak, rest.MovesMoney, rest.Says("Above what one person books alone it becomes a proposal for a second one."))
	rest.Post(t, "/api/admin/reconciliation/breaks/{id}/approve", "approveBreak", "Approve the booking of a difference as the second person", policy.DecidePayments, rest.Writing, s.reconciliation.ApproveBreak, rest.MovesMoney)
	rest.Post(t, "/api/admin/reconciliation/breaks/{id}/end", "endBreak", "Close a difference about a line that does not settle", policy.DecidePayments, rest.Writing, s.reconciliation.EndBreak)
	rest.Post(t, "/api/admin/reconciliation/breaks/{id}/reject", "rejectBreak", "Reject the booking of a difference, or withdraw one's own", policy.DecidePayments, rest.Writing, s.reconciliation.RejectBreak)

	t.Tag = "admin-money"
	rest.Get(t, "/api/admin/money", "getMoneySummary", "Count unmatched bank payments and open proposals", policy.ReadLedger, rest.Reading, s.correction.GetMoneySummary)
	rest.Get(t, "/api/admin/money/unplaced", "listUnplaced", "List bank payments that belong to no order", policy.ReadLedger, rest.Reading, s.correction.ListUnplaced)
	rest.Post(t, "/api/admin/money/unplaced", "openUnplaced", "Record a bank payment that belongs to no order", policy.DecidePayments, rest.Writing, s.correction.OpenUnplaced, rest.Created, rest.MovesMoney)
	rest.Get(t, "/api/admin/money/unplaced/{id}", "getUnplaced", "Read an unmatched bank payment", policy.ReadLedger, rest.Reading, s.correction.GetUnplaced)
	rest.Post(t, "/api/admin/money/unplaced/{id}/place", "placeMoney", "Propose to match a bank payment to an order", policy.DecidePayments, rest.Writing, s.correction.PlaceMoney, rest.Created, rest.MovesMoney)
	rest.Post(t, "/api/admin/money/unplaced/{id}/credit", "creditMoney", "Propose to credit a bank payment to a customer", policy.DecidePayments, rest.Writing, s.correction.CreditMoney, rest.Created, rest.MovesMoney)
	rest.Post(t, "/api/admin/money/unplaced/{id}/return", "recallMoney", "Propose to book that the bank took back a credited payment", policy.DecidePayments, rest.Writing, s.correction.RecallMoney, rest.Created, rest.MovesMoney)
	rest.Post(t, "/api/admin/money/unplaced/{id}/send-back", "sendBackMoney", "Propose to book that a bank payment was sent back", policy.DecidePayments, rest.Writing, s.correction.SendBackMoney, rest.Created, rest.MovesMoney)
	rest.Post(t, "/api/admin/money/receipts/{id}/reverse", "reverseReceipt", "Propose to take a receipt away from its order", policy.DecidePayments, rest.Writing, s.correction.ReverseReceipt, rest.Created, rest.MovesMoney)
	rest.Post(t, "/api/admin/money/receipts/{id}/return", "returnReceipt", "Propose to book a receipt that its bank took back", policy.DecidePayments, rest.Writing, s.correction.ReturnReceipt, rest.Created, rest.MovesMoney)
	rest.Post(t, "/api/admin/money/returns/{id}/reinstate", "reinstateReturn", "Propose to count a returned receipt again", policy.DecidePayments, rest.Writing, s.correction.ReinstateReturn, rest.Created, rest.MovesMoney)
	rest.Post(t, "/api/admin/money/gift-cards/{id}/claim", "claimGiftCard", "Propose to claim a used gift card from its customer",
		policy.DecidePayments, rest.Writing, s.correction.ClaimGiftCard, rest.Created, rest.MovesMoney)
	rest.Post(t, "/api/admin/money/gift-cards/{id}/reverse-claim", "reverseGiftCardClaim",
		"Propose to credit the claim of a gift card again", policy.DecidePayments, rest.Writing, s.correction.ReverseGiftCardClaim,
		rest.Created, rest.MovesMoney)
	rest.Post(t, "/api/admin/money/journal", "proposeJournal", "Propose a manual ledger entry", policy.DecidePayments, rest.Writing, s.correction.ProposeJournal, rest.Created, rest.MovesMoney)
	rest.Post(t, "/api/admin/money/documents", "addMoneyDocument", "Upload a document that a proposal refers to", policy.DecidePayments, rest.Uploading, s.correction.AddMoneyDocument, rest.Created, rest.Upload("file", 1), rest.Stateless)
	rest.Get(t, "/api/admin/money/documents/{id}", "getMoneyDocument", "Read a document of a proposal", policy.ReadLedger, rest.Reading, s.correction.GetMoneyDocument, rest.ImageFile)
	rest.Get(t, "/api/admin/money/proposals", "listMoneyProposals", "List proposals about money", policy.ReadLedger, rest.Reading, s.correction.ListMoneyProposals)
	rest.Post(t, "/api/admin/money/proposals/{id}/approve", "approveMoney", "Approve what a colleague proposed about money", policy.DecidePayments, rest.Writing, s.correction.ApproveMoney, rest.AsksFreshCode)
	rest.Post(t, "/api/admin/money/proposals/{id}/reject", "rejectMoney", "Reject a proposal about money, or withdraw one's own", policy.DecidePayments, rest.Writing, s.correction.RejectMoney)

	t.Tag = "admin-audit"
	rest.Get(t, "/api/admin/audit", "listAudit", "List the audit log, newest first", policy.ReadAudit, rest.Reading, s.audit.ListAudit)
	rest.Get(t, "/api/admin/audit/summary", "getAuditSummary", "Read what the audit log can be filtered by, and its last seal", policy.ReadAudit, rest.Reading, s.audit.GetAuditSummary)
	rest.Get(t, "/api/admin/audit/export", "exportAudit", "Download the filtered audit log as CSV", policy.ReadAudit, rest.Writing, s.audit.ExportAudit, rest.CSVFile)

	t.Tag = "admin-switches"
	rest.Get(t, "/api/admin/switches", "listSwitches", "List what can be paused and what is", policy.ReadCustomers, rest.Reading, s.pricing.ListSwitches)
	rest.Post(t, "/api/admin/switches", "turnSwitch", "Pause or resume a part of the business", policy.Configure, rest.Writing, s.pricing.TurnSwitch, rest.MovesMoney)

	t.Tag = "admin-risk"
	rest.Get(t, "/api/admin/risk/reviews", "listRiskReviews", "List what is under risk review, oldest first, or what was decided", policy.ReadCustomers, rest.Reading, s.risk.ListRiskReviews)
	rest.Get(t, "/api/admin/risk/summary", "getRiskSummary", "Count risk reviews", policy.ReadCustomers, rest.Reading, s.risk.GetRiskSummary)
	rest.Post(t, "/api/admin/risk/reviews/{id}/release", "releaseRisk", "Release what is under risk review", policy.ReviewCustomers, rest.Writing, s.risk.ReleaseRisk, rest.MovesMoney)
	rest.Post(t, "/api/admin/risk/reviews/{id}/refuse", "refuseRisk", "Reject what is under risk review", policy.ReviewCustomers, rest.Writing, s.risk.RefuseRisk, rest.MovesMoney, rest.Says("An unpaid order is declined, a paid one refunded, a voucher restored."))
	rest.Get(t, "/api/admin/risk/rules", "listRiskRules", "List the rules of risk reviews", policy.ReadCustomers, rest.Reading, s.risk.ListRiskRules)
	rest.Patch(t, "/api/admin/risk/rules/{id}", "changeRiskRule", "Change a rule of risk reviews", policy.ReviewCustomers, rest.Writing, s.risk.ChangeRiskRule, rest.AsksFreshCode)
	rest.Get(t, "/api/admin/risk/lists", "listAddressLists", "List the lists of blocked addresses", policy.ReadCustomers, rest.Reading, s.risk.ListAddressLists)
	rest.Post(t, "/api/admin/risk/lists", "importAddressList", "Preview or replace a list of blocked addresses", policy.ReviewCustomers, rest.Uploading, s.risk.ImportAddressList, rest.Upload("file", 1), rest.AsksFreshCode, rest.Says("A preview needs no code."))

	t.Tag = "operations"
	rest.Post(t, "/api/webhooks/stripe", "stripeWebhook", "Receive a signed notice of Stripe", policy.Anyone, rest.Hooks, s.webhook.Webhook(ledger.ProviderStripe, ledger.Payments), rest.SignedBytes, rest.BySignature)
	rest.Post(t, "/api/webhooks/"+string(s.Custodian), string(s.Custodian)+"Webhook", "Receive a signed notice of "+s.Custodian.Name(), policy.Anyone, rest.Hooks, s.webhook.Webhook(s.Custodian, ledger.Custody), rest.SignedBytes, rest.BySignature, webhookapi.AnsweredOK)
	rest.Post(t, "/api/webhooks/sumsub", "sumsubWebhook", "Receive a signed notice of Sumsub", policy.Anyone, rest.Hooks, s.webhook.Webhook("sumsub", webhookapi.Identity), rest.SignedBytes, rest.BySignature)
	rest.Get(t, "/healthz", "getHealth", "Say that the process is alive", policy.Anyone, rest.Unlimited, s.site.Health)
	rest.Get(t, "/readyz", "getReadiness", "Say whether requests should be sent here", policy.Anyone, rest.Unlimited, s.site.Readiness)
}
