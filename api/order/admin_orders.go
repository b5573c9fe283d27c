package order

import (
	"context"
	"slices"
	"strings"
	"time"

	caseworkapi "github.com/tradepost/tradepost/api/casework"
	executionapi "github.com/tradepost/tradepost/api/execution"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/internal/typed"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/workflows"
)

// AdminOrderFilter is what narrows the admin's orders.
type AdminOrderFilter struct {
	Status    string `query:"status" enum:"all,pending,payment_approved,fulfilling,filled,sent,failed" default:"all"`
	Attention bool   `query:"attention" doc:"only orders that wait for a person"`
	Proposed  bool   `query:"proposed" doc:"only orders about which something waits for a second person"`
	NotEnded  bool   `query:"notEnded" doc:"not those that were declined, cancelled, refunded or expired"`
	Query     string `query:"q" maxLength:"100" doc:"order id, asset or destination address"`
}

func (f AdminOrderFilter) model() order.OrderFilter {
	return order.OrderFilter{Status: order.OrderStatus(rest.UnlessAll(f.Status)), Attention: f.Attention, Proposed: f.Proposed, NotEnded: f.NotEnded, Query: f.Query}
}

type listAdminOrdersInput struct {
	rest.Paging
	AdminOrderFilter
	caseworkapi.Actionable
}

// ListAdminOrders answers GET /api/admin/orders.
func (h *Handlers) ListAdminOrders(ctx context.Context, in *listAdminOrdersInput) (*rest.Page[AdminOrder], error) {
	wanted, err := in.Page()
	if err != nil {
		return nil, err
	}
	filter := in.model()
	filter.Actionable, wanted.OldestFirst = in.Actionable.Actionable, in.Actionable.Actionable
	rows, next, err := order.StaffOrders(ctx, h.DB, filter, wanted)
	if err != nil {
		return nil, err
	}
	total, err := h.ordersIn(ctx, filter, wanted, next, len(rows))
	if err != nil {
		return nil, err
	}
	who := rest.PrincipalOf(ctx)
	bars, err := order.BarsOf(ctx, h.DB, who.UserID, rows)
	if err != nil {
		return nil, err
	}
	body := make([]AdminOrder, len(rows))
	for i := range rows {
		body[i] = h.adminOrder(&rows[i], who, bars[i])
	}
	return &rest.Page[AdminOrder]{Link: rest.LinkTo(ctx, next, in.Limit), Total: total, Body: body}, nil
}

// GetAdminOrdersSummary counts all orders the search lets through, by status;
// the status filter itself narrows only matchingFilters, so that the counters
// stay put while one of them is chosen.
func (h *Handlers) GetAdminOrdersSummary(ctx context.Context, in *AdminOrderFilter) (*rest.Body[AdminOrdersSummary], error) {
	matching, err := order.CountOrders(ctx, h.DB, in.model())
	if err != nil {
		return nil, err
	}
	n, err := order.CountOrders(ctx, h.DB, order.OrderFilter{Query: in.Query})
	if err != nil {
		return nil, err
	}
	proposed, err := order.CountOrders(ctx, h.DB, order.OrderFilter{Proposed: true, Query: in.Query})
	if err != nil {
		return nil, err
	}
	actionable, err := order.CountOrders(ctx, h.DB, order.OrderFilter{Actionable: true, Query: in.Query})
	if err != nil {
		return nil, err
	}
	return &rest.Body[AdminOrdersSummary]{Body: AdminOrdersSummary{Actionable: actionable.Total, Proposed: proposed.Total, Total: n.Total, Pending: n.Pending, Approved: n.PaymentApproved, Fulfilling: n.Fulfilling,
		Filled: n.Filled, Sent: n.Sent, Failed: n.Failed, NeedsAttention: n.Attention, MatchingFilters: matching.Total}}, nil
}

// adminOrder is an order as staff see it.
// barredBy is why the principal must not release the order's value, or empty.
func (h *Handlers) adminOrder(o *order.StaffOrder, who *account.Principal, barredBy string) AdminOrder {
	view := AdminOrder{ID: o.ID, Reference: o.Reference, UserID: o.UserID, CustomerEmail: o.CustomerEmail, CustomerName: o.CustomerName(), Country: o.Country, Asset: string(o.Asset),
		AmountAsset: o.Asset.Format(o.Amount), QuoteFiat: money.USD.Format(o.Total), PaymentMethod: o.PaymentMethod, Channel: o.Channel,
		Status: string(o.Status), DestAddress: o.DestAddress, Network: o.Network, KrakenOrderID: o.KrakenOrderID,
		BitgoTransferID: o.BitgoTransferID, TxID: money.ShownTransaction(o.Network, o.TxID), Held: o.Held, Authorised: order.IsAuthorised(&o.Order, &o.Payment), Received: money.USD.Format(o.Payment.Received(&o.Order)), Refunded: money.USD.Format(o.Refunded),
		Reduced: money.USD.Format(o.Reduced), LessCoin: order.SellsLess(&o.Order), OfferUntil: o.OfferUntil,
		CaptureBefore: o.Payment.CaptureBefore, Expiring: o.Payment.Expiring(o.DBNow, h.LapseWarning), Decision: decisionView(o.OpenDecisionRow), Actions: []string{},
		Metadata: AdminOrderMetadata{Resolution: resolution(&o.Order), FailedStep: o.FailedStep, FulfillmentCode: o.FulfillmentCode,
			FulfillmentError: o.FulfillmentError, RetryCount: o.RetryCount, LastError: o.LastError, LastErrorAt: o.LastErrorAt,
			NextAttemptAt: o.NextAttemptAt},
		Risk: orderRisk(&o.Order), WorkflowURL: h.WorkflowURL(workflows.OrderID(o.ID)), CreatedAt: o.CreatedAt, UpdatedAt: o.UpdatedAt}
	if o.AttentionReason != nil && o.AttentionSince != nil {
		view.Attention = &executionapi.Attention{Reason: *o.AttentionReason, Since: *o.AttentionSince, Choices: append([]string{}, o.AttentionChoices...)}
	}
	view.Proposal = waitingProposal(o.OpenProposalRow)
	view.OwnReceipt, view.BarredBy = barredBy == store.ReasonOf(dualcontrol.ErrOwnReceipt), barredBy
	if o.DecisionID == nil && who.UserID != o.UserID {
		view.Actions = append(view.Actions, h.allowedDecisions(staffActions(&o.Order, &o.Payment), who)...)
		if barredBy != "" {
			view.Actions = order.WithoutReleases(view.Actions)
		}
		view.Actions = o.Offered(view.Actions)
		if o.ProposalID != nil {
			view.Actions = append(order.ProposalBars(view.Actions), h.proposalActions(o.OpenProposalRow, who, barredBy != "")...)
		}
	}
	return view
}

// oneAdminOrder is an order as the principal sees it, and what one person may still credit and refund of it alone.
func (h *Handlers) oneAdminOrder(ctx context.Context, o *order.StaffOrder) (view AdminOrder, credit, refund money.Units, err error) {
	who := rest.PrincipalOf(ctx)
	bars, err := order.BarsOf(ctx, h.DB, who.UserID, []order.StaffOrder{*o})
	if err != nil {
		return view, credit, refund, err
	}
	credit, refund, err = h.aloneLeft(ctx, &o.Order)
	return h.adminOrder(o, who, bars[0]), credit, refund, err
}

// staffActions are all that staff can do about an order: what its workflow waits
// for, an end of its transfer, refunds beside it, and answers to a dispute.
func staffActions(o *order.Order, p *order.Payment) []string {
	return slices.Concat(order.AnswersFor(o), order.DecisionsFor(o, p), order.TransferEndsFor(o), order.RefundsFor(o), order.CoinOfferActions(o))
}

// GetAdminOrder answers GET /api/admin/orders/{id}.
func (h *Handlers) GetAdminOrder(ctx context.Context, in *rest.ObjectID) (*rest.Body[AdminOrderDetail], error) {
	o, err := order.ReadStaffOrder(ctx, h.DB, in.ID)
	if err != nil {
		return nil, err
	}
	payment, err := order.ReadStaffPayment(ctx, h.DB, o.Payment.ID)
	if err != nil {
		return nil, err
	}
	events, err := order.Timeline.Events(ctx, h.DB, o.ID)
	if err != nil {
		return nil, err
	}
	transfers, err := execution.OrderWithdrawals(ctx, h.DB, o.ID)
	if err != nil {
		return nil, err
	}
	record, err := order.ReadOrderRecord(ctx, h.DB, o.ID)
	if err != nil {
		return nil, err
	}
	given, err := h.adminMoney(ctx, &o.Order, &payment.Payment)
	if err != nil {
		return nil, err
	}
	notes, err := order.OrderNotes(ctx, h.DB, o.ID, notesShown)
	if err != nil {
		return nil, err
	}
	view, credit, refund, err := h.oneAdminOrder(ctx, o)
	if err != nil {
		return nil, err
	}
	return &rest.Body[AdminOrderDetail]{Body: AdminOrderDetail{AdminOrder: view, Notes: rest.Mapped(notes, orderNote), TwoAbove: money.USD.Format(h.RefundAlone()), RefundAlone: money.USD.Format(refund), CreditAlone: money.USD.Format(credit),
		References: h.references(&o.Order, &payment.Payment, given, record.Purchases, transfers), OrderRecord: h.orderRecord(ctx, record), AdminMoney: given, BasePrice: money.USD.Format(o.BasePrice),
		PaymentMethodFee: money.USD.Format(o.PaymentFee), VolumeDiscount: money.USD.Format(o.VolumeDiscount),
		Total: money.USD.Format(o.Total), UnitPrice: o.UnitPrice.String(),
		Payment: h.pendingPayment(payment, rest.PrincipalOf(ctx)), Events: rest.Mapped(events, eventView), Transfers: rest.Mapped(transfers, executionapi.ShownWithdrawal),
		ConfirmedAt: o.ConfirmedAt}}, nil
}

// aloneLeft is what one person may still credit to the order's customer today, and refund
// to them, in cents.
func (h *Handlers) aloneLeft(ctx context.Context, order *order.Order) (credit, refund money.Units, err error) {
	if credit, err = h.CreditLeft(ctx, order.UserID); err != nil {
		return credit, refund, err
	}
	refund, err = h.RefundLeft(ctx, order)
	return credit, refund, err
}

// adminMoney is the course of an order's money so far.
func (h *Handlers) adminMoney(ctx context.Context, o *order.Order, p *order.Payment) (AdminMoney, error) {
	refunds, err := order.OrderRefunds(ctx, h.DB, o.ID)
	if err != nil {
		return AdminMoney{}, err
	}
	receipts, err := order.OrderReceipts(ctx, h.DB, o.ID)
	if err != nil {
		return AdminMoney{}, err
	}
	returns, err := order.OrderReturns(ctx, h.DB, o.ID)
	if err != nil {
		return AdminMoney{}, err
	}
	disputes, err := order.Disputes(ctx, h.DB, o.ID)
	if err != nil {
		return AdminMoney{}, err
	}
	proposals, err := order.OrderProposals(ctx, h.DB, o.ID)
	if err != nil {
		return AdminMoney{}, err
	}
	offers, err := order.CoinOffers(ctx, h.DB, o.ID)
	if err != nil {
		surpluses, err := h.surpluses(ctx, o, true)
		if err != nil {
			return AdminMoney{}, err
		}
		return AdminMoney{Surpluses: surpluses}, err
	}
	surpluses, err := h.surpluses(ctx, o, true)
	if err != nil {
		return AdminMoney{}, err
	}
	return AdminMoney{Surpluses: surpluses, CoinOffers: rest.Mapped(offers, func(f *order.CoinOffer) CoinOffer { return coinOffer(o, f) }), Proposals: rest.Mapped(proposals, orderProposal), Receipts: rest.Mapped(receipts, adminReceipt), Returns: rest.Mapped(returns, adminReturn), Refunds: rest.Mapped(refunds, adminRefund), Disputes: rest.Mapped(disputes, adminDispute), Choice: choiceView(o, p)}, nil
}

func adminReceipt(r *order.StoredReceipt) AdminReceipt {
	return AdminReceipt{ID: r.ID, Amount: money.USD.Format(r.Amount), ReceivedOn: r.ReceivedOn.Format(time.DateOnly),
		BankReference: r.BankReference, At: r.CreatedAt, Reversed: r.ReversedAt != nil}
}

func adminRefund(r *order.Refund) AdminRefund {
	return AdminRefund{ID: r.Key, Amount: money.USD.Format(r.Amount), Destination: r.Destination, Status: r.Status, Origin: r.Origin,
		ProviderID: r.ProviderID, FailureCode: r.FailureCode, Gone: r.Gone(), At: r.CreatedAt, DoneAt: r.DoneAt}
}

func adminDispute(d *order.Dispute) AdminDispute {
	return AdminDispute{ID: d.ProviderID, Amount: money.USD.Format(d.Amount), Status: d.Status, Reason: d.Reason, DueBy: d.DueBy, ProviderID: &d.ProviderID,
		At: d.CreatedAt, Fee: money.USD.Format(d.Fee), Answer: d.Answer, AnsweredAt: d.AnsweredAt, ClosedAt: d.ClosedAt}
}

type reasonedInput struct {
	rest.ObjectID
	Body *caseworkapi.Reasoned
}

// decideOrder is a decision with no input but an optional reason.
func (h *Handlers) decideOrder(ctx context.Context, in *reasonedInput, kind, done string) (*caseworkapi.Decided, error) {
	decision := order.NewDecision{OrderID: in.ID, Kind: kind}
	if in.Body != nil {
		decision.Reason = in.Body.Reason
	}
	return h.decide(ctx, decision, done)
}

// ReleaseCoin is the body of a decision after which an order's coin is sent.
type ReleaseCoin struct {
	Reason   string  `json:"reason,omitempty" maxLength:"500"`
	Refunded *string `json:"refunded,omitempty" maxLength:"20" doc:"US dollars refunded so far as shown; 409 if changed"`
}

type releaseInput struct {
	rest.ObjectID
	Body *ReleaseCoin
}

// decideRelease makes a decision after which an order's coin is sent. It names the refunds that were shown.
func (h *Handlers) decideRelease(
	ctx context.Context, in *releaseInput, kind, done string,
) (*caseworkapi.Decided, error) {
	decision := order.NewDecision{OrderID: in.ID, Kind: kind}
	if in.Body != nil {
		decision.Reason = in.Body.Reason
		if in.Body.Refunded != nil {
			seen, err := money.USD.Parse(*in.Body.Refunded)
			if err != nil {
				return nil, store.Invalid("refunded", "invalid_amount", "Enter an amount of US dollars")
			}
			decision.SeenRefunded = &seen
		}
	}
	return h.decide(ctx, decision, done)
}

// FulfillOrder answers POST /api/admin/orders/{id}/fulfill.
func (h *Handlers) FulfillOrder(ctx context.Context, in *releaseInput) (*caseworkapi.Decided, error) {
	return h.decideRelease(ctx, in, order.DecisionFulfill, "Order fulfillment has been initiated")
}

// RetryOrder answers POST /api/admin/orders/{id}/retry.
func (h *Handlers) RetryOrder(ctx context.Context, in *releaseInput) (*caseworkapi.Decided, error) {
	return h.decideRelease(ctx, in, order.DecisionRetry, "The order continues from where it stopped.")
}

// HoldOrder answers POST /api/admin/orders/{id}/hold.
func (h *Handlers) HoldOrder(ctx context.Context, in *reasonedInput) (*caseworkapi.Decided, error) {
	return h.decideOrder(ctx, in, order.DecisionHold, "The order is on hold.")
}

// ResumeOrder answers POST /api/admin/orders/{id}/resume.
func (h *Handlers) ResumeOrder(ctx context.Context, in *reasonedInput) (*caseworkapi.Decided, error) {
	return h.decideOrder(ctx, in, order.DecisionResume, "The order is no longer on hold.")
}

type amendInput struct {
	rest.ObjectID
	Body AmendAddress
}

// AmendOrderAddress sends an order elsewhere, on the network it was sold for.
func (h *Handlers) AmendOrderAddress(ctx context.Context, in *amendInput) (*caseworkapi.Decided, error) {
	o, err := order.ReadOrder(ctx, h.DB, in.ID)
	if err != nil {
		return nil, err
	}
	place, err := h.CheckAddress(o.Asset, in.Body.DestAddress, &o.Network)
	if err != nil {
		return nil, err
	}
	return h.decide(ctx, order.NewDecision{OrderID: in.ID, Kind: order.DecisionAmendAddress, Reason: in.Body.Reason,
		Data: order.AmendedAddress{Address: place.Normalised, AddressKey: place.Key()}}, proposalExecuted[order.DecisionAmendAddress])
}

type deadInput struct {
	rest.ObjectID
	Body executionapi.TransferDeath
}

// DeclareTransferDead proposes that a transfer which custody calls removed can never
// confirm.
func (h *Handlers) DeclareTransferDead(ctx context.Context, in *deadInput) (*caseworkapi.Decided, error) {
	return h.decide(ctx, order.NewDecision{OrderID: in.ID, Kind: order.DecisionTransferDead, Reason: in.Body.Reason,
		Data: order.DeathEvidence{Seen: strings.TrimSpace(in.Body.Evidence)}}, proposalExecuted[order.DecisionTransferDead])
}

type markSentInput struct {
	rest.ObjectID
	Body MarkSent
}

// MarkOrderSent records a transfer that was made by other means.
func (h *Handlers) MarkOrderSent(ctx context.Context, in *markSentInput) (*caseworkapi.Decided, error) {
	txid := typed.Reference(in.Body.TxID)
	if txid == "" {
		return nil, store.Invalid("txid", "required", "Enter the transaction ID")
	}
	evidence := order.SentEvidence{TxID: txid, TransferID: typed.Reference(in.Body.TransferID)}
	return h.decide(ctx, order.NewDecision{OrderID: in.ID, Kind: order.DecisionMarkSent, Reason: in.Body.Reason, Data: evidence}, proposalExecuted[order.DecisionMarkSent])
}
