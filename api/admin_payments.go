package api

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/tradepost/tradepost/models"
	"github.com/tradepost/tradepost/models/money"
)

// PaymentFilter is what narrows the admin's payments.
type PaymentFilter struct {
	Status string `query:"status" enum:"all,pending,approved,declined" default:"all"`
	Method string `query:"method" maxLength:"32" default:"all"`
}

// Actionable narrows a queue to what staff can act on now.
type Actionable struct {
	Actionable bool `query:"actionable" doc:"only what staff can act on now, the longest wait first"`
}

func (f PaymentFilter) model() models.PaymentFilter {
	return models.PaymentFilter{Status: models.ApprovalStatus(unlessAll(f.Status)), Method: unlessAll(f.Method)}
}

type listPaymentsInput struct {
	Paging
	PaymentFilter
	Actionable
}

type listedPayments struct {
	Link  string `header:"Link"`
	Total int    `header:"X-Total-Count"`
	Body  PendingPayments
}

func (s *Server) listPendingPayments(ctx context.Context, in *listPaymentsInput) (*listedPayments, error) {
	wanted, err := in.page()
	if err != nil {
		return nil, err
	}
	filter := in.model()
	filter.Actionable, wanted.OldestFirst = in.Actionable.Actionable, in.Actionable.Actionable
	rows, next, err := s.DB.StaffPayments(ctx, filter, wanted)
	if err != nil {
		return nil, err
	}
	total, err := s.paymentsIn(ctx, filter)
	if err != nil {
		return nil, err
	}
	who := principalOf(ctx)
	view := func(p *models.StaffPayment) PendingPayment { return s.pendingPayment(p, who) }
	return &listedPayments{Link: linkTo(ctx, next, in.Limit), Total: total, Body: PendingPayments{Payments: mapped(rows, view)}}, nil
}

// paymentsIn counts the payments a filter lets through.
func (s *Server) paymentsIn(ctx context.Context, filter models.PaymentFilter) (int, error) {
	if filter.Actionable {
		return s.DB.CountActionablePayments(ctx, filter.Method)
	}
	counts, err := s.DB.CountPayments(ctx, filter)
	return counts.Matching, err
}

func (s *Server) getPaymentsSummary(ctx context.Context, in *PaymentFilter) (*body[PaymentsSummary], error) {
	n, err := s.DB.CountPayments(ctx, in.model())
	if err != nil {
		return nil, err
	}
	expiring, err := s.DB.CountExpiring(ctx, s.LapseWarning)
	if err != nil {
		return nil, err
	}
	actionable, err := s.DB.CountActionablePayments(ctx, unlessAll(in.Method))
	if err != nil {
		return nil, err
	}
	return &body[PaymentsSummary]{PaymentsSummary{Actionable: actionable, Expiring: expiring, Total: n.Total, Pending: n.Pending, Approved: n.Approved, Declined: n.Declined,
		TotalValue: money.USD.Format(n.Value), Matching: n.Matching,
		Methods: mapped(n.Methods, func(m *models.MethodCount) MethodChoice { return MethodChoice{m.Method, m.Count} })}}, nil
}

// pendingPayment is a payment as staff see it. The payment intent's id is shown
// once the whole amount is authorised, as SPEC's 'Not yet' means.
func (s *Server) pendingPayment(p *models.StaffPayment, who *models.Principal) PendingPayment {
	view := PendingPayment{ID: p.ID, OrderID: p.OrderID, TradeHash: p.Reference, CustomerUsername: p.CustomerName(),
		CustomerID: p.UserID, CustomerEmail: p.CustomerEmail, Country: p.Country, Risk: orderRisk(p.Order()),
		Amount: money.USD.Format(p.Amount), Currency: "USD", PaymentMethod: p.PaymentMethod, AdminApprovalStatus: string(p.AdminApprovalStatus),
		CardBrand: p.CardBrand, CardLast4: p.CardLast4, CustomerSubmittedAt: p.SubmittedAt,
		Validation: PaymentValidation{ReceiptURL: evidenceURL(p.ReceiptKey), CardPhotoURL: evidenceURL(p.CardPhotoKey)},
		DueAt:      p.DueAt, CaptureBefore: p.CaptureBefore, Expiring: p.Expiring(p.DBNow, s.LapseWarning), ReceivedAmount: dollars(p.ReceivedAmount), BankReference: p.BankReference,
		DeclineReason: p.DeclineReason, DecidedAt: p.DecidedAt, OrderStatus: string(p.OrderStatus), Resolution: p.Resolution,
		Decision: decisionView(p.OpenDecisionRow), Proposal: waitingProposal(p.OpenProposalRow), Actions: s.paymentActions(p, who), CreatedAt: p.CreatedAt}
	if p.AuthorisedAt != nil {
		view.StripePaymentIntentID = p.StripePaymentIntentID
	}
	if p.ReceivedOn != nil {
		day := p.ReceivedOn.Format(time.DateOnly)
		view.ReceivedOn = &day
	}
	return view
}

// paymentDecisions are the decisions of the payments screen, in SPEC's words.
var paymentDecisions = map[string]string{
	models.DecisionProcess: "process", models.DecisionDecline: "decline",
	models.DecisionConfirmReceipt: "confirm", models.DecisionReject: "reject",
}

// actionConfirmMore is the button for money that nobody waits for any more; it
// is the same decision.
const actionConfirmMore = "confirm_more"

// paymentActions are the buttons the signed-in person has on a payment.
func (s *Server) paymentActions(p *models.StaffPayment, who *models.Principal) []string {
	actions := []string{}
	if p.DecisionID != nil || who.UserID == p.UserID || !s.policy.allows(rolesOf(who), decidePayments) {
		return actions
	}
	kinds := models.DecisionsFor(p.Order(), &p.Payment)
	if p.ProposalID != nil {
		kinds = models.ProposalBars(kinds)
	}
	for _, kind := range kinds {
		if action, here := paymentDecisions[kind]; here {
			actions = append(actions, action)
		}
	}
	if p.Order().TakesMore() && p.ProposalID == nil {
		actions = append(actions, actionConfirmMore)
	}
	return actions
}

func (s *Server) processPayment(ctx context.Context, in *ObjectID) (*decided, error) {
	payment, err := s.DB.StaffPayment(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return s.decide(ctx, models.NewDecision{OrderID: payment.OrderID, Kind: models.DecisionProcess},
		"The payment has been successfully captured and charged.")
}

type rejectionInput struct {
	ObjectID
	Body Rejection
}

// rejectPayment is SPEC's Decline: it releases an authorised card, or rejects
// a payment by another rail.
func (s *Server) rejectPayment(ctx context.Context, in *rejectionInput) (*decided, error) {
	payment, err := s.DB.StaffPayment(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	kind := models.DecisionReject
	if payment.ByCard() {
		kind = models.DecisionDecline
	}
	return s.decide(ctx, models.NewDecision{OrderID: payment.OrderID, Kind: kind, Reason: in.Body.Reason}, "The payment has been declined.")
}

type confirmationInput struct {
	ObjectID
	Body Confirmation
}

// confirmPayment records money seen on our account.
func (s *Server) confirmPayment(ctx context.Context, in *confirmationInput) (*decided, error) {
	payment, err := s.DB.StaffPayment(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	amount, err := money.USD.Parse(in.Body.Amount)
	if err != nil || amount.Sign() <= 0 {
		return nil, models.Invalid("amount", "invalid_amount", "Enter the amount received")
	}
	reference := strings.TrimSpace(in.Body.BankReference)
	if reference == "" {
		return nil, models.Invalid("bankReference", "required", "Enter the bank's reference")
	}
	now, err := s.DB.Now(ctx)
	if err != nil {
		return nil, err
	}
	day, err := time.Parse(time.DateOnly, in.Body.ReceivedOn)
	if err != nil || day.After(now) || day.Before(payment.CreatedAt.Add(-48*time.Hour)) {
		return nil, models.Invalid("receivedOn", "invalid_date", "Enter the day the money arrived")
	}
	done := receiptConfirmed
	if payment.Order().TakesMore() {
		done = "The money was credited to the customer's balance."
	}
	answer, err := s.decide(ctx, models.NewDecision{OrderID: payment.OrderID, Kind: models.DecisionConfirmReceipt,
		Data: models.Receipt{Amount: amount, ReceivedOn: in.Body.ReceivedOn, BankReference: reference}}, done)
	return s.aboutReceipt(ctx, &models.Decision{OrderID: payment.OrderID, Kind: models.DecisionConfirmReceipt}, answer), err
}

// receiptConfirmed is said when money paid its order.
const receiptConfirmed = "The receipt has been confirmed."

// aboutReceipt says of a receipt that is booked when it does not fit its order.
func (s *Server) aboutReceipt(ctx context.Context, d *models.Decision, answer *decided) *decided {
	if answer == nil || d.Kind != models.DecisionConfirmReceipt || answer.Status != http.StatusOK {
		return answer
	}
	order, err := s.DB.Order(ctx, d.OrderID)
	if err == nil && order.MoneyWaits() {
		answer.Body.Message = misfitTexts[*order.AttentionReason]
	}
	return answer // it is booked, whatever the message says
}

// misfitTexts say to staff that money was booked which does not fit its order.
var misfitTexts = map[string]string{
	models.AttentionShort: "The receipt was booked. It is less than the order costs. We asked the customer what to do.",
	models.AttentionOver:  "The receipt was booked. It is more than the order costs. We asked the customer what to do.",
	models.AttentionLate:  "The receipt was booked. It arrived after the price expired. We asked the customer what to do.",
}

// allowed keeps of an order's decisions those a person may take.
func (s *Server) allowedDecisions(kinds []string, who *models.Principal) []string {
	roles := rolesOf(who)
	return slices.DeleteFunc(slices.Clone(kinds), func(kind string) bool {
		want, known := decisionPermissions[kind]
		return !known || !s.policy.allows(roles, want)
	})
}

// decisionPermissions are DECISIONS §7's rows for each decision of staff.
var decisionPermissions = map[string]permission{
	models.DecisionProcess: decidePayments, models.DecisionDecline: decidePayments,
	models.DecisionConfirmReceipt: decidePayments, models.DecisionReject: decidePayments, models.DecisionRefund: decidePayments,
	models.ActionRefundPart: decidePayments, models.DecisionContest: decidePayments, models.DecisionAccept: decidePayments,
	models.DecisionFulfill: decideOrders, models.DecisionRetry: decideOrders, models.DecisionHold: decideOrders,
	models.DecisionResume: decideOrders, models.DecisionAmendAddress: decideOrders, models.DecisionMarkSent: decideOrders, models.DecisionTransferDead: decideOrders,
}
