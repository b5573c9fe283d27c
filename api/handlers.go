package api

import (
	accountapi "github.com/tradepost/tradepost/api/account"
	auditapi "github.com/tradepost/tradepost/api/audit"
	caseworkapi "github.com/tradepost/tradepost/api/casework"
	"github.com/tradepost/tradepost/api/confirmation"
	correctionapi "github.com/tradepost/tradepost/api/correction"
	customerapi "github.com/tradepost/tradepost/api/customer"
	dualcontrolapi "github.com/tradepost/tradepost/api/dualcontrol"
	"github.com/tradepost/tradepost/api/event"
	executionapi "github.com/tradepost/tradepost/api/execution"
	giftcardapi "github.com/tradepost/tradepost/api/giftcard"
	kycapi "github.com/tradepost/tradepost/api/kyc"
	ledgerapi "github.com/tradepost/tradepost/api/ledger"
	orderapi "github.com/tradepost/tradepost/api/order"
	payoutapi "github.com/tradepost/tradepost/api/payout"
	pricingapi "github.com/tradepost/tradepost/api/pricing"
	reconciliationapi "github.com/tradepost/tradepost/api/reconciliation"
	referralapi "github.com/tradepost/tradepost/api/referral"
	reportingapi "github.com/tradepost/tradepost/api/reporting"
	"github.com/tradepost/tradepost/api/rest"
	riskapi "github.com/tradepost/tradepost/api/risk"
	"github.com/tradepost/tradepost/api/site"
	supportapi "github.com/tradepost/tradepost/api/support"
	teamapi "github.com/tradepost/tradepost/api/team"
	treasuryapi "github.com/tradepost/tradepost/api/treasury"
	voucherapi "github.com/tradepost/tradepost/api/voucher"
	webhookapi "github.com/tradepost/tradepost/api/webhook"
	"github.com/tradepost/tradepost/models/support"
)

// handlers answer the calls, by domain: the table of routes names their methods.
type handlers struct {
	account        *accountapi.Handlers
	audit          *auditapi.Handlers
	confirmation   *confirmation.Handlers
	correction     *correctionapi.Handlers
	customer       *customerapi.Handlers
	dualcontrol    *dualcontrolapi.Handlers
	event          *event.Handlers
	giftcard       *giftcardapi.Handlers
	kyc            *kycapi.Handlers
	ledger         *ledgerapi.Handlers
	order          *orderapi.Handlers
	payout         *payoutapi.Handlers
	pricing        *pricingapi.Handlers
	reconciliation *reconciliationapi.Handlers
	referral       *referralapi.Handlers
	reporting      *reportingapi.Handlers
	risk           *riskapi.Handlers
	site           *site.Handlers
	support        *supportapi.Handlers
	team           *teamapi.Handlers
	treasury       *treasuryapi.Handlers
	voucher        *voucherapi.Handlers
	webhook        *webhookapi.Handlers
}

// parts are what the handlers of several domains share.
type parts struct {
	cases        *caseworkapi.Cases
	console      *caseworkapi.Console
	limits       *dualcontrolapi.Limits
	networks     *executionapi.Networks
	decisions    *orderapi.Decisions
	cookies      *rest.Cookies
	exports      *rest.Exports
	guard        *rest.Guard
	languages    rest.Languages
	middleware   *rest.Middleware
	secondFactor *rest.SecondFactor
}

// wire gives each domain what it needs.
func (s *Server) wire() {
	s.wirePeople()
	s.wireTrade()
	s.wireBooks()
}

// wirePeople makes the handlers of people, and of the site they see.
func (s *Server) wirePeople() {
	d := s.Dependencies
	s.referral = &referralapi.Handlers{Cases: s.cases, Console: s.console, Cookies: s.cookies, DB: d.DB, Languages: s.languages, Policy: s.policy, Programme: d.Programme,
		PublicURL: d.PublicURL}
	s.account = &accountapi.Handlers{Cases: s.cases, Cookies: s.cookies, Guard: s.guard, SecondFactor: s.secondFactor, AddressURL: d.AddressURL,
		Brand: d.Brand, Claims: d.Claims, Answers: &support.Answers{DB: d.DB},
		Clock: s.clock, Legal: d.Legal, DB: d.DB, Files: d.Files, Languages: s.languages, Log: d.Log, Mode: d.Mode, PasswordURL: d.PasswordURL, Policy: s.policy,
		PublicURL: d.PublicURL, Quoter: d.Quoter, RecoveryDelay: d.RecoveryDelay, Rehearsal: d.rehearsal(), SignIn: d.SignIn,
		StaffNeedTwoFactor: d.StaffNeedTwoFactor, Imprint: d.Imprint, SupportEmail: d.SupportEmail, TemporalUIURL: d.TemporalUIURL, TidioPublicKey: d.TidioPublicKey,
		Vault: d.Vault, WidgetURL: d.WidgetURL, Referral: s.referral}
	s.guard.Consented = s.account.Consented
	s.site = &site.Handlers{Guard: s.guard, Build: s.build, Clock: s.clock, Legal: d.Legal, DB: d.DB, Languages: s.languages, PublicURL: d.PublicURL, StartingFile: d.StartingFile,
		TidioPublicKey: d.TidioPublicKey, WidgetURL: d.WidgetURL, Workflows: d.Workflows, Account: s.account, Referral: s.referral}
	s.kyc = &kycapi.Handlers{Cases: s.cases, Console: s.console, SecondFactor: s.secondFactor, DB: d.DB, EnhancedLevel: d.EnhancedLevel, Identity: d.Identity,
		IdentityDashboard: d.IdentityDashboard, Log: d.Log, Policy: s.policy, Quoter: d.Quoter, Workflows: d.Workflows}
	s.customer = &customerapi.Handlers{Cases: s.cases, Background: &s.background, DB: d.DB, Policy: s.policy}
	s.support = &supportapi.Handlers{DB: d.DB, Policy: s.policy, Vault: d.Vault}
	s.team = &teamapi.Handlers{SecondFactor: s.secondFactor, DB: d.DB}
	s.confirmation = &confirmation.Handlers{SecondFactor: s.secondFactor, DB: d.DB, Log: d.Log, Background: &s.background, Workflows: d.Workflows}
	s.event = &event.Handlers{SecondFactor: s.secondFactor, DB: d.DB, Hub: event.NewHub(), Policy: s.policy}
}

// wireTrade makes the handlers of what is bought, sold and paid out.
func (s *Server) wireTrade() {
	d := s.Dependencies
	s.pricing = &pricingapi.Handlers{SecondFactor: s.secondFactor, Background: &s.background, DB: d.DB, Log: d.Log, Quoter: d.Quoter, Workflows: d.Workflows}
	s.order = &orderapi.Handlers{Console: s.console, Limits: s.limits, Networks: s.networks, Decisions: s.decisions, SecondFactor: s.secondFactor,
		Brand: d.Brand, DB: d.DB, Files: d.Files, Histories: d.Histories, LapseWarning: d.LapseWarning, Log: d.Log, Places: d.Places, Policy: s.policy,
		Quoter: d.Quoter, RateScale: d.RateScale, Recipients: d.Recipients, RemindAfter: d.RemindAfter, Replay: d.Replay, Vault: d.Vault,
		Workflows: d.Workflows}
	s.giftcard = &giftcardapi.Handlers{Console: s.console, Limits: s.limits, SecondFactor: s.secondFactor, Background: &s.background,
		CardReview: d.CardReview, DB: d.DB, Files: d.Files, Log: d.Log, Offer: d.Quoter.Offer(), Policy: s.policy, Vault: d.Vault, Workflows: d.Workflows}
	s.voucher = &voucherapi.Handlers{Cases: s.cases, Console: s.console, Networks: s.networks, Exports: s.exports, SecondFactor: s.secondFactor, DB: d.DB,
		Log: d.Log, Policy: s.policy, RateScale: d.RateScale, Vault: d.Vault, Vouchers: d.Vouchers}
	s.payout = &payoutapi.Handlers{Cases: s.cases, Console: s.console, Limits: s.limits, SecondFactor: s.secondFactor, DB: d.DB, Log: d.Log,
		PayoutTwoAbove: d.PayoutTwoAbove, Policy: s.policy, Vault: d.Vault}
	s.risk = &riskapi.Handlers{Cases: s.cases, Limits: s.limits, Decisions: s.decisions, SecondFactor: s.secondFactor, Background: &s.background, DB: d.DB, Policy: s.policy}
	s.treasury = &treasuryapi.Handlers{Custodian: d.Custodian, Console: s.console, SecondFactor: s.secondFactor, Background: &s.background, DB: d.DB, Log: d.Log,
		Offer: d.Quoter.Offer(), Places: d.Places, Policy: s.policy, Treasury: d.Treasury, Workflows: d.Workflows}
}

// wireBooks makes the handlers of the books, and of what is reported of them.
func (s *Server) wireBooks() {
	d := s.Dependencies
	s.ledger = &ledgerapi.Handlers{Exports: s.exports, DB: d.DB}
	s.audit = &auditapi.Handlers{Exports: s.exports, DB: d.DB}
	s.correction = &correctionapi.Handlers{Cases: s.cases, Decisions: s.decisions, SecondFactor: s.secondFactor, Cards: d.Workflows, DB: d.DB,
		Files: d.Files, Policy: s.policy, Vault: d.Vault, Log: d.Log}
	s.reconciliation = &reconciliationapi.Handlers{Limits: s.limits, DB: d.DB, Places: d.Places, Policy: s.policy, Workflows: d.Workflows}
	s.dualcontrol = &dualcontrolapi.Handlers{DB: d.DB, Policy: s.policy}
	s.reporting = &reportingapi.Handlers{Exports: s.exports, DB: d.DB, Log: d.Log, Offer: d.Quoter.Offer(), Places: d.Places, Policy: s.policy, Workflows: d.Workflows}
	s.webhook = &webhookapi.Handlers{Clock: s.clock, DB: d.DB, Log: d.Log, Webhooks: d.Webhooks, Workflows: d.Workflows}
}
