package i18n

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local/source"
)

func TestASentenceKeepsItsValues(t *testing.T) {
	for english, said := range map[string]string{
		"Order not found":                "No encontramos esta orden",
		"The minimum purchase is $50.00": "La compra mínima es de $50.00",
		"This is above your daily limit. You have $12.50 of $1,000.00 left.":      "Esto supera tu límite diario. Te quedan $12.50 de $1,000.00.",
		"This is above your single purchase limit. You have $0.00 of $5.00 left.": "Esto supera tu límite por compra. Te quedan $0.00 de $5.00.",
		"Enter BTC with at most 8 decimals. The nearest amount is 0.12345678.":    "Ingresa BTC con 8 decimales como máximo. El monto más cercano es 0.12345678.",
		"Please fill in all required fields: Card Number, PIN":                    "Completa todos los campos obligatorios: Número de la tarjeta, PIN",
		"7-Eleven cards are regular":                                              "Las tarjetas de 7-Eleven son de regalo",
		"Picture 2: This picture is damaged. Choose another one.":                 "Foto 2: Esta foto está dañada. Elige otra.",
		"The order doesn't allow this: it is payment approved":                    "La orden no permite esto: está pagada",
		"The order doesn't allow this: it was cancelled":                          "La orden no permite esto: terminó cancelada",
		"The payout doesn't allow this: it is cancelled":                          "El retiro no permite esto: está cancelado",
		"You have a payout in progress. Wait until it's completed.":               "Tienes un retiro en curso. Espera a que termine.",
		"The ticket is already closed":                                            "El ticket ya está cerrado",
		"expected length <= 40":                                                   "debe tener como máximo 40 caracteres",
		"Do you want to log out of Trade\npost %s?":                               "¿Quieres cerrar tu sesión en Trade\npost %s?",
		"What nobody has translated":                                              "What nobody has translated",
		"Somebody wrote: Order not found":                                         "Somebody wrote: Order not found",
		"":                                                                        "",
	} {
		require.Equal(t, said, In("es", english))
		require.Equal(t, english, In("en", english))
		require.Equal(t, english, In("", english))
	}
}

// line and bill are an answer as the API makes them.
type line struct {
	Code  string
	Label string `prose:"yes"`
}

type bill struct {
	line
	Lines  []line
	Why    *string  `prose:"yes"`
	Notes  []string `prose:"yes"`
	Inner  *line
	Next   *bill
	secret string
}

func TestAnAnswerIsSaidWithoutBeingChanged(t *testing.T) {
	why := "Order not found"
	kept := bill{line: line{Code: "Total", Label: "Total"}, Lines: []line{{"Total", "Network fee"}}, Why: &why,
		Notes: []string{"The network fee is included."}, Inner: &line{Label: "Amount"}, secret: "Amount"}
	before, err := json.Marshal(kept)
	require.NoError(t, err)
	said := Body("es", &kept).(*bill)
	require.Equal(t, bill{line: line{Code: "Total", Label: "Total"}, Lines: []line{{"Total", "Comisión de red"}}, Why: said.Why,
		Notes: []string{"La comisión de red está incluida."}, Inner: &line{Label: "Monto"}, secret: "Amount"}, *said)
	require.Equal(t, "No encontramos esta orden", *said.Why)
	after, err := json.Marshal(kept)
	require.NoError(t, err)
	require.Equal(t, string(before), string(after), "it may be kept for others")
	require.Same(t, &kept, Body("en", &kept))
	require.Equal(t, bill{}, Body("es", bill{}))
	require.Equal(t, "Monto", Body("es", bill{Next: &bill{Inner: &line{Label: "Amount"}}}).(bill).Next.Inner.Label, "an answer may hold its like")
	require.Equal(t, map[string]string{"Total": "Total"}, Body("es", map[string]string{"Total": "Total"}))
	require.Nil(t, Body("es", nil))
	require.Equal(t, []byte("Total"), Body("es", []byte("Total")))
}

// staffs are the messages for staff and programs alone, by file or by function, and why.
var staffs = map[string]string{
	"api/rest/second_factor.go:requireRecentCode":                "staff move money",
	"api/rest/document.go":                                       "the contract, for programmers",
	"api/rest/operation.go":                                      "the contract, for programmers",
	"api/site/starting.go":                                       "who starts the local stack; its Spanish stands beside",
	"api/casework/state_texts.go":                                "what an order waits for, to staff",
	"models/correction/closed_reads.go":                          "staff send money of closed accounts back",
	"models/reconciliation/unsettled.go":                         "reconciliation",
	"models/reporting/alert.go":                                  "mails of alerts to the operators",
	"models/reporting/alert_acknowledged.go":                     "staff acknowledge alerts",
	"models/reporting/vitals.go":                                 "metrics, to operators",
	"models/correction/bank_return.go":                           "receipts taken back, and returns by banks",
	"models/order/receipt_undo.go":                               "receipts taken back, and returns by banks",
	"models/correction/journal.go":                               "the manual journal",
	"models/correction/money_proposal.go":                        "what two of finance do",
	"models/ledger/reference.go":                                 "the bank reference that finance enters",
	"models/ledger/proposed.go":                                  "what two of finance do",
	"models/execution/evidence.go":                               "staff mark orders as sent",
	"models/execution/dead.go":                                   "what two of staff say of a transfer",
	"models/order/transfer_dead.go":                              "what two of staff say of a transfer",
	"models/reconciliation/breaks.go":                            "reconciliation",
	"models/correction/recall.go":                                "money that nobody can place",
	"models/correction/unplaced.go":                              "money that nobody can place",
	"models/order/unplaced.go":                                   "money that nobody can place",
	"models/correction/unplaced_reads.go":                        "money that nobody can place",
	"models/risk/blocked.go:ImportAddresses":                     "compliance imports lists",
	"models/ledger/books.go":                                     "the ledger's pages",
	"models/correction/closed_money.go":                          "staff send money of closed accounts back",
	"models/account/customer_change.go":                          "freezing, tiers",
	"models/customer/change.go":                                  "freezing, tiers",
	"models/kyc/terms.go":                                        "freezing, tiers",
	"models/reporting/dashboard.go":                              "the dashboard's queues",
	"models/order/coin_terms.go:termsWithLess":                   "staff offer less coin",
	"models/order/coin_terms.go:restTooSmall":                    "staff offer less coin",
	"models/order/decision_told.go":                              "who decided, to staff",
	"models/order/coin_offer.go:checkNoCoinOffer":                "staff decide; the customer's sentence is translated",
	"api/order/coin_offer.go:GetLessCoin":                        "staff offer less coin",
	"api/order/coin_offer.go:offerLessCoin":                      "staff offer less coin",
	"api/order/coin_offer.go:coinOffered":                        "staff offer less coin",
	"api/order/coin_offer.go:WithdrawCoinOffer":                  "staff withdraw an offer",
	"models/order/dispute_answer.go":                             "what is written to a card's bank",
	"models/giftcard/decision.go":                                "the review of cards",
	"models/giftcard/claim.go":                                   "claims of used cards, by two of finance",
	"models/giftcard/reads.go:RevealGiftCard":                    "the review of cards",
	"models/kyc/decision.go":                                     "decisions about identities",
	"models/kyc/reads.go:ReadKYCCase":                            "decisions about identities",
	"models/casework/note.go":                                    "notes of staff",
	"models/dualcontrol/alone.go":                                "what takes two people",
	"models/dualcontrol/release.go":                              "what takes two people",
	"models/dualcontrol/second.go":                               "what takes two people",
	"models/kyc/proposal.go":                                     "identities that take two people",
	"models/reporting/approvals.go":                              "the inbox of approvals",
	"models/order/steps_fulfil.go:AmendAddress":                  "staff amend addresses",
	"models/order/steps_payment.go":                              "processing and confirming payments",
	"models/order/steps_receipt.go":                              "confirming receipts",
	"models/order/steps_send.go:MarkSent":                        "staff mark orders as sent",
	"models/order/steps_send.go:transferNamed":                   "staff mark orders as sent",
	"models/order/steps_send.go:unpaid":                          "what custody refuses to let out",
	"models/order/payment_reads.go":                              "the queue of payments",
	"models/payout/payout.go":                                    "the bank reference that finance enters",
	"models/payout/account.go:RevealPayout":                      "finance reads bank details",
	"models/payout/return.go":                                    "staff book what a bank sent back",
	"models/payout/steps.go:ApprovePayout":                       "finance approves the transfer",
	"models/payout/steps.go:ConfirmPayout":                       "finance makes the transfer",
	"models/payout/steps.go:freeReference":                       "finance makes the transfer",
	"models/payout/steps.go:checkPayable":                        "finance approves and makes the transfer",
	"models/payout/restore.go:checkStatement":                    "finance reads the bank's statement",
	"models/payout/steps.go:mayDecide":                           "but for its first, finance decides",
	"models/pricing/country_pricing.go":                          "the pricing's pages, but for what a country is told",
	"models/pricing/change.go":                                   "the pricing's pages",
	"models/store/roles.go":                                      "the pricing's pages",
	"models/order/proposal.go":                                   "refunds that take two people",
	"models/order/proposal_answer.go":                            "refunds that take two people",
	"models/order/surplus.go:returnSurplus":                      "the note on the money for finance",
	"models/order/surplus.go:takeSurplusBack":                    "finance books what a bank took back",
	"models/order/receipt.go":                                    "confirming receipts",
	"models/reconciliation/reads.go":                             "reconciliation",
	"models/referral/steps.go":                                   "the review of rewards",
	"models/order/refund.go":                                     "refunds by staff, but for what customers meet as well",
	"models/order/refund_carry.go":                               "a step of the workflow",
	"models/risk/risk.go":                                        "risk rules",
	"models/customer/risk_decide.go":                             "compliance's reviews",
	"models/order/risk_review.go":                                "compliance's reviews",
	"models/risk/decide.go":                                      "compliance's reviews",
	"models/risk/loosen.go":                                      "risk rules and lists",
	"models/risk/review.go":                                      "compliance's reviews",
	"models/people/roles.go":                                     "freezing staff",
	"models/team/role_change.go":                                 "the team",
	"models/team/role_proposal.go":                               "the team",
	"models/pricing/switches.go:turn":                            "turning switches",
	"models/pricing/switches.go:checkSwitch":                     "turning switches",
	"models/pricing/switches.go:turnedAlready":                   "turning switches",
	"models/team/team.go":                                        "the team",
	"models/support/staff.go":                                    "answering tickets",
	"models/treasury/decide.go":                                  "treasury",
	"models/treasury/move.go":                                    "treasury",
	"models/treasury/reads.go":                                   "treasury",
	"models/account/two_factor_recovery.go:OpenRecoveryDecision": "admins lift lost factors",
	"models/account/user.go:GrantRole":                           "the command that makes the first admin",
	"models/voucher/decision.go":                                 "redeemed vouchers that need staff",
	"models/voucher/found.go":                                    "the vouchers' pages",
	"models/voucher/make.go":                                     "making vouchers",
	"models/voucher/send.go":                                     "what custody refuses to let out",
	"models/voucher/void.go":                                     "voiding vouchers",
	"models/voucher/voucher.go:ReadVoucher":                      "the vouchers' pages",
	"models/kyc/kyc.go:about":                                    "the name of a story, which no answer holds",
	"api/account/backchannel.go":                                 "the identity provider's server calls it",
	"api/rest/contract.go":                                       "the API's document",
	"api/router.go":                                              "answers to admins who lift a lost factor",
	"api/account/sessions.go:DeviceName":                         "the name of a browser in a mail, which internal/mailtemplate says in its language",
	"api/site/site.go":                                           "the title of a page, in each language there",
	"api/treasury/treasury_decisions.go":                         "treasury",
	"api/voucher/voucher_batches.go":                             "voiding vouchers",
	"api/rest/rehearsal.go":                                      "what heads the pages of a rehearsal, in each language there",
	"api/rest/period.go":                                         "staff narrow lists by time",
	"api/reporting/approvals.go":                                 "the inbox of approvals",
	"api/execution/transfers.go":                                 "what two of staff say of a transfer",
	"api/webhook/webhooks.go":                                    "providers' servers call it",
}

// stepsOf are arguments passed on as messages, by function: their text is defined, and
// found, elsewhere.
var stepsOf = map[string]string{
	"models/privacy/account_closure.go:MayClose StillOpen()":         "its table and its last line",
	"models/store/rows.go:RowByID called":                            "its callers'",
	"models/store/rows.go:LockedRow called":                          "its callers'",
	"models/store/errors.go:Changed message":                         "its callers'",
	"models/payout/steps.go:checkPayable a table[]":                  "the table beside it",
	"models/treasury/decide.go:ProposeMove err.Error()":              "the refusal it repeats",
	"models/voucher/redeem.go:aboutWallet err.Error()":               "the refusal it repeats",
	"api/support/support.go:CreateTicket in.Body.Message":            "what a customer wrote",
	"api/support/support.go:ticket t.Opening":                        "what a customer wrote",
	"api/support/ticket_acts.go:ReplyToTicket in.Body.Message":       "what staff wrote",
	"api/order/admin_refunds.go:answerDispute message":               "its callers'",
	"api/confirmation/confirmation.go:Confirm of.done":               "the table above it",
	"api/order/decisions.go:Propose proposalRequested[]":             "the table above it",
	"api/casework/cases.go:Answer text":                              "its callers' tables",
	"api/casework/cases.go:Answer done":                              "its callers'",
	"api/execution/addresses.go:readAddress AddressTexts[]":          "the table above it",
	"api/voucher/vouchers.go:redemption executionapi.AddressTexts[]": "the table of addresses",
	"api/order/orders.go:openQuote err.Error()":                      "the refusal it repeats",
	"api/order/requote.go:RequoteOrder err.Error()":                  "the refusal it repeats",
	"api/rest/errors.go:about p.Message":                             "the problem's own",
	"api/rest/errors.go:AsProblem refusal.Message":                   "the refusal's own",
	"api/rest/errors.go:wrongWith d.Message":                         "huma's",
	"api/rest/errors.go:validationProblem err.Error()":               "huma's",
}

// makers hand on what they are given: they are the calls that the rest is found by.
var makers = regexp.MustCompile(`^(models/store|api/rest)/errors\.go:(Invalid|NotFound|Conflict|Forbidden|Unavailable|TooMany|Incomplete|NewProblem|FieldProblem|validationProblem)$`)

func (s sentence) place() string { return s.file + ":" + s.function }

// ofStaff matches the files of staff: their routes, and the approvals that need a second person.
var ofStaff = regexp.MustCompile(`^api/(\w+/)+(view_)?admin_|^models/\w+/approval\.go$`)

// staffOnly finds the reason why customers do not receive a message.
func (s sentence) staffOnly() (by string, is bool) {
	if ofStaff.MatchString(s.file) {
		return s.file, true
	}
	for _, by := range []string{s.place(), s.file} {
		if staffs[by] != "" {
			return by, true
		}
	}
	return "", makers.MatchString(s.place())
}

// domains are the packages below models, or below api, at any depth.
func domains(t *testing.T, above string) (paths []string) {
	t.Helper()
	files, err := source.Files(filepath.Join("..", "..", above))
	require.NoError(t, err)
	for _, file := range files {
		folder, err := filepath.Rel(filepath.Join("..", ".."), filepath.Dir(file))
		require.NoError(t, err)
		paths = append(paths, "github.com/tradepost/tradepost/"+filepath.ToSlash(folder))
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

func TestEverySentenceToCustomersIsSaidInSpanish(t *testing.T) {
	used, found, excused := map[string]bool{}, map[string]bool{}, map[string]bool{}
	messages := map[string]int{}
	for _, folder := range []string{"models", "api"} {
		r := read(t, folder)
		for _, s := range r.said {
			found[s.text] = true
			messages[folder]++
			by, staff := s.staffOnly()
			excused[by] = true
			if staff {
				continue
			}
			used[s.text] = true
			if _, known := spanish()[s.text]; !known {
				t.Errorf("%s: %s says %q to customers, and the tables of internal/i18n do not: translate it, or say in staffs who else it is for", s.file, s.function, s.text)
			}
		}
		for _, s := range r.stepsOf {
			key := s.place() + " " + s.text
			excused[key] = true
			if stepsOf[key] == "" && !makers.MatchString(s.place()) {
				t.Errorf("%s hands on %s as a sentence: say in carried where that is said", s.place(), s.text)
			}
		}
	}
	for folder, fewest := range map[string]int{"models": 500, "api": 600} {
		require.Greater(t, messages[folder], fewest, "the source of %s was read", folder)
	}
	require.Greater(t, len(used), 300, "sentences to customers")
	written := literals(t, "github.com/danielgtaylor/huma/v2", "github.com/danielgtaylor/huma/v2/validation")
	maps.Copy(written, literals(t, domains(t, "models")...))
	maps.Copy(written, literals(t, domains(t, "api")...))
	for _, english := range slices.Sorted(maps.Keys(spanish())) {
		if !found[english] && !written[english] {
			t.Errorf("nobody says %q any more", english)
		}
	}
	for by := range staffs {
		if !excused[by] {
			t.Errorf("staffs has %s, where nothing is said", by)
		}
	}
	for key := range stepsOf {
		if !excused[key] {
			t.Errorf("carried has %s, which is not there", key)
		}
	}
}

// Every translation says all that its original is given, once.
func TestTranslationsSayTheirValues(t *testing.T) {
	seen := map[string]bool{}
	for _, table := range tables {
		for english, said := range table {
			require.False(t, seen[english], "%q stands in two tables", english)
			seen[english] = true
			require.NotEmpty(t, said)
			require.NotContains(t, said, hole)
			var places []string
			for _, at := range place.FindAllStringSubmatch(said, -1) {
				places = append(places, at[1])
			}
			slices.Sort(places)
			require.Len(t, places, strings.Count(english, hole), english)
			require.Equal(t, slices.Compact(slices.Clone(places)), places, english)
		}
	}
}
