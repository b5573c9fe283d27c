package order

import (
	"context"
	"net/http"
	"slices"
	"time"

	caseworkapi "github.com/tradepost/tradepost/api/casework"
	"github.com/tradepost/tradepost/api/policy"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/internal/typed"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
)

// PaymentFilter is what narrows the admin's payments.
type PaymentFilter struct {
	Status string `query:"status" enum:"all,pending,waiting,approved,declined" default:"all" doc:"waiting: pending, and staff cannot decide it yet"`
	Method string `query:"method" maxLength:"32" default:"all"`
}

// statusWaiting is the part of what is pending that staff cannot decide yet.
const statusWaiting = "waiting"

func (f PaymentFilter) model() order.PaymentFilter {
	filter := order.PaymentFilter{Status: order.ApprovalStatus(rest.UnlessAll(f.Status)), Method: rest.UnlessAll(f.Method)}
	if f.Status == statusWaiting {
		filter.Status, filter.Waiting = order.ApprovalPending, true
	}
	return filter
}

type listPaymentsInput struct {
	rest.Paging
	PaymentFilter
	caseworkapi.Actionable
}

type listedPayments struct {
	Link  string `header:"Link"`
	Total int    `header:"X-Total-Count"`
	Body  PendingPayments
}

// ListPendingPayments answers GET /api/admin/payments/pending.
func (h *Handlers) ListPendingPayments(ctx context.Context, in *listPaymentsInput) (*listedPayments, error) {
	wanted, err := in.Page()
	if err != nil {
		return nil, err
	}
	filter := in.model()
	filter.Actionable = in.Actionable.Actionable
	wanted.OldestFirst = filter.Actionable || filter.Waiting
	rows, next, err := order.StaffPayments(ctx, h.DB, filter, wanted)
	if err != nil {
		return nil, err
	}
	total, err := h.paymentsIn(ctx, filter)
	if err != nil {
		return nil, err
	}
	who := rest.PrincipalOf(ctx)
	view := func(p *order.StaffPayment) PendingPayment { return h.pendingPayment(p, who) }
	return &listedPayments{Link: rest.LinkTo(ctx, next, in.Limit), Total: total, Body: PendingPayments{Payments: rest.Mapped(rows, view)}}, nil
}

// paymentsIn counts the payments a filter lets through.
func (h *Handlers) paymentsIn(ctx context.Context, filter order.PaymentFilter) (int, error) {
	if filter.Actionable {
		return order.CountActionablePayments(ctx, h.DB, filter.Method)
	}
	counts, err := order.CountPayments(ctx, h.DB, filter)
	if err != nil || !filter.Waiting {
		return counts.Matching, err
	}
	actionable, err := order.CountActionablePayments(ctx, h.DB, filter.Method)
	return max(0, counts.Pending-actionable), err
}

// GetPaymentsSummary answers GET /api/admin/payments/summary.
func (h *Handlers) GetPaymentsSummary(ctx context.Context, in *PaymentFilter) (*rest.Body[PaymentsSummary], error) {
	n, err := order.CountPayments(ctx, h.DB, in.model())
	if err != nil {
		return nil, err
	}
	expiring, err := order.CountExpiring(ctx, h.DB, h.LapseWarning)
	if err != nil {
		return nil, err
	}
	actionable, err := order.CountActionablePayments(ctx, h.DB, rest.UnlessAll(in.Method))
	if err != nil {
		return nil, err
	}
	waiting := max(0, n.Pending-actionable)
	if in.Status == statusWaiting {
		n.Matching = waiting
	}
	return &rest.Body[PaymentsSummary]{Body: PaymentsSummary{Actionable: actionable, Waiting: waiting, Expiring: expiring, Total: n.Total, Pending: n.Pending, Approved: n.Approved, Declined: n.Declined,
		TotalValue: money.USD.Format(n.Value), Matching: n.Matching,
		Methods: rest.Mapped(n.Methods, func(m *order.MethodCount) MethodChoice { return MethodChoice{m.Method, m.Count} })}}, nil
}

// pendingPayment is a payment as staff see it. The payment intent's id is shown
// once the whole amount is authorised, as the specification's 'Not yet' means.
func (h *Handlers) pendingPayment(p *order.StaffPayment, who *account.Principal) PendingPayment {
	view := PendingPayment{ID: p.ID, OrderID: p.OrderID, TradeHash: p.Reference, CustomerUsername: p.CustomerName(),
		CustomerID: p.UserID, CustomerEmail: p.CustomerEmail, Country: p.Country, Risk: orderRisk(p.Order()),
		Amount: money.USD.Format(p.Amount), Currency: "USD", PaymentMethod: p.PaymentMethod, AdminApprovalStatus: string(p.AdminApprovalStatus),
		CardBrand: p.CardBrand, CardLast4: p.CardLast4, CustomerSubmittedAt: p.SubmittedAt,
		Validation: PaymentValidation{ReceiptURL: evidenceURL(p.ReceiptKey), CardPhotoURL: evidenceURL(p.CardPhotoKey)},
		DueAt:      p.DueAt, CaptureBefore: p.CaptureBefore, Expiring: p.Expiring(p.DBNow, h.LapseWarning), ReceivedAmount: rest.Dollars(p.ReceivedAmount), BankReference: p.BankReference,
		DeclineReason: p.DeclineReason, DecidedAt: p.DecidedAt, OrderStatus: string(p.OrderStatus), Resolution: p.Resolution,
		Decision: decisionView(p.OpenDecisionRow), Proposal: waitingProposal(p.OpenProposalRow), Actions: h.paymentActions(p, who), CreatedAt: p.CreatedAt}
	if waits := p.WaitsFor(); waits != "" && p.ProposalID == nil { // a proposed receipt waits for staff
		view.WaitsFor = &waits
	}
	if p.AuthorisedAt != nil {
		view.StripePaymentIntentID = p.StripePaymentIntentID
	}
	if p.ReceivedOn != nil {
		day := p.ReceivedOn.Format(time.DateOnly)
		view.ReceivedOn = &day
	}
	return view
}

// paymentDecisions are the decisions of the payments screen, under the specification's
// names.
var paymentDecisions = map[string]string{
	order.DecisionProcess: "process", order.DecisionDecline: "decline",
	order.DecisionConfirmReceipt: "confirm", order.DecisionReject: "reject",
}

// actionConfirmMore is the button for money on an order that no longer waits for any; it is
// the same decision.
const actionConfirmMore = "confirm_more"

// paymentActions are the caller's actions on a payment.
func (h *Handlers) paymentActions(p *order.StaffPayment, who *account.Principal) []string {
	actions := []string{}
	if p.DecisionID != nil || who.UserID == p.UserID || !h.Policy.Allows(rest.RolesOf(who), policy.DecidePayments) {
		return actions
	}
	kinds := order.DecisionsFor(p.Order(), &p.Payment)
	if p.ProposalID != nil {
		kinds = order.ProposalBars(kinds)
	}
	for _, kind := range kinds {
		if action, here := paymentDecisions[kind]; here {
			actions = append(actions, action)
		}
	}
	if p.Order().CreditsMore() && p.ProposalID == nil {
		actions = append(actions, actionConfirmMore)
	}
	return actions
}

// ProcessPayment answers POST /api/admin/payments/{id}/process.
func (h *Handlers) ProcessPayment(ctx context.Context, in *rest.ObjectID) (*caseworkapi.Decided, error) {
	payment, err := order.ReadStaffPayment(ctx, h.DB, in.ID)
	if err != nil {
		return nil, err
	}
	return h.decide(ctx, order.NewDecision{OrderID: payment.OrderID, Kind: order.DecisionProcess},
		"The payment has been successfully captured and charged.")
}

type rejectionInput struct {
	rest.ObjectID
	Body caseworkapi.Rejection
}

// RejectPayment is the specification's Decline: it releases an authorised card, or rejects
// a payment by another rail.
func (h *Handlers) RejectPayment(ctx context.Context, in *rejectionInput) (*caseworkapi.Decided, error) {
	payment, err := order.ReadStaffPayment(ctx, h.DB, in.ID)
	if err != nil {
		return nil, err
	}
	kind := order.DecisionReject
	if payment.ByCard() {
		kind = order.DecisionDecline
	}
	return h.decide(ctx, order.NewDecision{OrderID: payment.OrderID, Kind: kind, Reason: in.Body.Reason}, "The payment has been declined.")
}

type confirmationInput struct {
	rest.ObjectID
	Body Confirmation
}

// ConfirmPayment records money seen on our account.
func (h *Handlers) ConfirmPayment(ctx context.Context, in *confirmationInput) (*caseworkapi.Decided, error) {
	payment, err := order.ReadStaffPayment(ctx, h.DB, in.ID)
	if err != nil {
		return nil, err
	}
	amount, err := money.USD.Parse(in.Body.Amount)
	if err != nil || amount.Sign() <= 0 {
		return nil, store.Invalid("amount", "invalid_amount", "Enter the amount received")
	}
	reference := typed.Reference(in.Body.BankReference)
	if reference == "" {
		return nil, store.Invalid("bankReference", "required", "Enter the bank's reference")
	}
	now, err := h.DB.Now(ctx)
	if err != nil {
		return nil, err
	}
	day, err := time.Parse(time.DateOnly, in.Body.ReceivedOn)
	switch {
	case err != nil:
		return nil, store.Invalid("receivedOn", "invalid_date", "Enter the day the money arrived")
	case day.After(typed.LatestDay(now)):
		return nil, store.Invalid("receivedOn", "invalid_date", "This day is in the future everywhere. Enter the day the money arrived.")
	case day.Before(payment.CreatedAt.Add(-48 * time.Hour)):
		return nil, store.Invalid("receivedOn", "invalid_date", "This day is before the order. Enter the day the money arrived.")
	}
	done := receiptConfirmed
	if payment.Order().CreditsMore() {
		done = "The money was credited to the customer's balance."
	}
	answer, err := h.decide(ctx, order.NewDecision{OrderID: payment.OrderID, Kind: order.DecisionConfirmReceipt,
		Data: order.Receipt{Amount: amount, ReceivedOn: in.Body.ReceivedOn, BankReference: reference}}, done)
	return h.aboutReceipt(ctx, order.DecisionConfirmReceipt, payment.OrderID, answer), err
}

// receiptConfirmed is the message when money paid its order.
const receiptConfirmed = "The receipt has been confirmed."

// aboutReceipt is the message about a receipt that is booked although it does not fit its
// order.
func (h *Handlers) aboutReceipt(ctx context.Context, kind, orderID string, answer *caseworkapi.Decided) *caseworkapi.Decided {
	if answer == nil || kind != order.DecisionConfirmReceipt || answer.Status != http.StatusOK {
		return answer
	}
	order, err := order.ReadOrder(ctx, h.DB, orderID)
	if err == nil && order.MoneyWaits() {
		answer.Body.Message = misfitTexts[*order.AttentionReason]
	}
	return answer // it is booked, whatever the message
}

// misfitTexts are the messages for staff about booked money that does not fit its order.
var misfitTexts = map[string]string{
	order.AttentionShort: "The receipt was booked. It is less than the order costs. We asked the customer what to do.",
	order.AttentionOver:  "The receipt was booked. It is more than the order costs. We asked the customer what to do.",
	order.AttentionLate:  "The receipt was booked. It arrived after the price expired. We asked the customer what to do.",
}

// allowedDecisions returns those of an order's decisions that a person may make.
func (h *Handlers) allowedDecisions(kinds []string, who *account.Principal) []string {
	roles := rest.RolesOf(who)
	return slices.DeleteFunc(slices.Clone(kinds), func(kind string) bool {
		want, known := decisionPermissions[kind]
		return !known || !h.Policy.Allows(roles, want)
	})
}

// decisionPermissions are the rows of rules §7 for each decision of staff.
var decisionPermissions = map[string]policy.Permission{
	order.DecisionProcess: policy.DecidePayments, order.DecisionDecline: policy.DecidePayments,
	order.DecisionConfirmReceipt: policy.DecidePayments, order.DecisionReject: policy.DecidePayments, order.DecisionRefund: policy.DecidePayments,
	order.ActionRefundPart: policy.DecidePayments, order.ActionWithdrawCoinOffer: policy.DecidePayments, order.DecisionContest: policy.DecidePayments, order.DecisionAccept: policy.DecidePayments,
	order.DecisionFulfill: policy.DecideOrders, order.DecisionRetry: policy.DecideOrders, order.DecisionHold: policy.DecideOrders,
	order.DecisionResume: policy.DecideOrders, order.DecisionAmendAddress: policy.DecideOrders, order.DecisionMarkSent: policy.DecideOrders, order.DecisionTransferDead: policy.DecideOrders,
}
