package api

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/tradepost/tradepost/models/account"
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
	Query     string `query:"q" maxLength:"100" doc:"order id, asset or destination address"`
}

func (f AdminOrderFilter) model() order.OrderFilter {
	return order.OrderFilter{Status: order.OrderStatus(unlessAll(f.Status)), Attention: f.Attention, Proposed: f.Proposed, Query: f.Query}
}

type listAdminOrdersInput struct {
	Paging
	AdminOrderFilter
	Actionable
}

func (s *Server) listAdminOrders(ctx context.Context, in *listAdminOrdersInput) (*page[AdminOrder], error) {
	wanted, err := in.page()
	if err != nil {
		return nil, err
	}
	filter := in.model()
	filter.Actionable, wanted.OldestFirst = in.Actionable.Actionable, in.Actionable.Actionable
	rows, next, err := order.StaffOrders(ctx, s.DB, filter, wanted)
	if err != nil {
		return nil, err
	}
	total, err := s.ordersIn(ctx, filter, wanted, next, len(rows))
	if err != nil {
		return nil, err
	}
	who := principalOf(ctx)
	view := func(o *order.StaffOrder) AdminOrder { return s.adminOrder(o, who) }
	return &page[AdminOrder]{Link: linkTo(ctx, next, in.Limit), Total: total, Body: mapped(rows, view)}, nil
}

// getAdminOrdersSummary counts all orders the search lets through, by status;
// the status filter itself narrows only matchingFilters, so that the counters
// stay put while one of them is chosen.
func (s *Server) getAdminOrdersSummary(ctx context.Context, in *AdminOrderFilter) (*body[AdminOrdersSummary], error) {
	matching, err := order.CountOrders(ctx, s.DB, in.model())
	if err != nil {
		return nil, err
	}
	n, err := order.CountOrders(ctx, s.DB, order.OrderFilter{Query: in.Query})
	if err != nil {
		return nil, err
	}
	proposed, err := order.CountOrders(ctx, s.DB, order.OrderFilter{Proposed: true, Query: in.Query})
	if err != nil {
		return nil, err
	}
	actionable, err := order.CountOrders(ctx, s.DB, order.OrderFilter{Actionable: true, Query: in.Query})
	if err != nil {
		return nil, err
	}
	return &body[AdminOrdersSummary]{AdminOrdersSummary{Actionable: actionable.Total, Proposed: proposed.Total, Total: n.Total, Pending: n.Pending, Approved: n.PaymentApproved, Fulfilling: n.Fulfilling,
		Filled: n.Filled, Sent: n.Sent, Failed: n.Failed, NeedsAttention: n.Attention, MatchingFilters: matching.Total}}, nil
}

// adminOrder is an order as staff see it.
func (s *Server) adminOrder(o *order.StaffOrder, who *account.Principal) AdminOrder {
	view := AdminOrder{ID: o.ID, Reference: o.Reference, UserID: o.UserID, CustomerEmail: o.CustomerEmail, CustomerName: o.CustomerName(), Country: o.Country, Asset: string(o.Asset),
		AmountAsset: o.Asset.Format(o.Amount), QuoteFiat: money.USD.Format(o.Total), PaymentMethod: o.PaymentMethod, Channel: o.Channel,
		Status: string(o.Status), DestAddress: o.DestAddress, Network: o.Network, KrakenOrderID: o.KrakenOrderID,
		BitgoTransferID: o.BitgoTransferID, TxID: o.TxID, Held: o.Held, Authorised: order.IsAuthorised(&o.Order, &o.Payment), Received: money.USD.Format(o.Payment.Received(&o.Order)), Refunded: money.USD.Format(o.Refunded),
		CaptureBefore: o.Payment.CaptureBefore, Expiring: o.Payment.Expiring(o.DBNow, s.LapseWarning), Decision: decisionView(o.OpenDecisionRow), Actions: []string{},
		Metadata: AdminOrderMetadata{Resolution: resolution(&o.Order), FailedStep: o.FailedStep, FulfillmentCode: o.FulfillmentCode,
			FulfillmentError: o.FulfillmentError, RetryCount: o.RetryCount, LastError: o.LastError, LastErrorAt: o.LastErrorAt},
		Risk: orderRisk(&o.Order), WorkflowURL: s.workflowURL(workflows.OrderID(o.ID)), CreatedAt: o.CreatedAt, UpdatedAt: o.UpdatedAt}
	if o.AttentionReason != nil && o.AttentionSince != nil {
		view.Attention = &Attention{Reason: *o.AttentionReason, Since: *o.AttentionSince, Choices: append([]string{}, o.AttentionChoices...)}
	}
	view.Proposal = waitingProposal(o.OpenProposalRow)
	view.OwnReceipt = slices.Contains(o.ReceiptPeople, who.UserID)
	if o.DecisionID == nil && who.UserID != o.UserID {
		view.Actions = append(view.Actions, s.allowedDecisions(staffActions(&o.Order, &o.Payment), who)...)
		if view.OwnReceipt {
			view.Actions = order.ReceiptBars(view.Actions)
		}
		if o.ProposalID != nil {
			view.Actions = append(order.ProposalBars(view.Actions), s.proposalActions(o.OpenProposalRow, who, view.OwnReceipt)...)
		}
	}
	return view
}

// staffActions are all that staff can do about an order: what its workflow waits
// for, an end of its transfer, refunds beside it, and answers to a dispute.
func staffActions(o *order.Order, p *order.Payment) []string {
	return slices.Concat(order.AnswersFor(o), order.DecisionsFor(o, p), order.TransferEndsFor(o), order.RefundsFor(o))
}

// workflowURL is the page of a workflow in Temporal's web UI, where there is one.
func (s *Server) workflowURL(workflowID string) *string {
	if s.TemporalUIURL == "" {
		return nil
	}
	link := strings.TrimRight(s.TemporalUIURL, "/") + "/namespaces/" + url.PathEscape(s.Namespace) + "/workflows/" + url.PathEscape(workflowID)
	return &link
}

func (s *Server) getAdminOrder(ctx context.Context, in *ObjectID) (*body[AdminOrderDetail], error) {
	o, err := order.ReadStaffOrder(ctx, s.DB, in.ID)
	if err != nil {
		return nil, err
	}
	payment, err := order.ReadStaffPayment(ctx, s.DB, o.Payment.ID)
	if err != nil {
		return nil, err
	}
	events, err := order.OrderEvents(ctx, s.DB, o.ID)
	if err != nil {
		return nil, err
	}
	transfers, err := execution.OrderWithdrawals(ctx, s.DB, o.ID)
	if err != nil {
		return nil, err
	}
	record, err := order.ReadOrderRecord(ctx, s.DB, o.ID)
	if err != nil {
		return nil, err
	}
	given, err := s.adminMoney(ctx, &o.Order, &payment.Payment)
	if err != nil {
		return nil, err
	}
	notes, err := order.OrderNotes(ctx, s.DB, o.ID, notesShown)
	if err != nil {
		return nil, err
	}
	credit, refund, err := s.aloneLeft(ctx, &o.Order)
	if err != nil {
		return nil, err
	}
	who := principalOf(ctx)
	return &body[AdminOrderDetail]{AdminOrderDetail{AdminOrder: s.adminOrder(o, who), Notes: mapped(notes, orderNote), TwoAbove: money.USD.Format(s.refundAlone()), RefundAlone: money.USD.Format(refund), CreditAlone: money.USD.Format(credit),
		References: s.references(&o.Order, &payment.Payment, given, record.Purchases, transfers), OrderRecord: orderRecord(record), AdminMoney: given, BasePrice: money.USD.Format(o.BasePrice),
		PaymentMethodFee: money.USD.Format(o.PaymentFee), VolumeDiscount: money.USD.Format(o.VolumeDiscount),
		Total: money.USD.Format(o.Total), UnitPrice: o.UnitPrice.String(),
		Payment: s.pendingPayment(payment, who), Events: mapped(events, eventView), Transfers: mapped(transfers, adminWithdrawal),
		ConfirmedAt: o.ConfirmedAt}}, nil
}

// aloneLeft is what one person may still let in for the order's customer today, and
// give back to them, in cents.
func (s *Server) aloneLeft(ctx context.Context, order *order.Order) (credit, refund money.Units, err error) {
	if credit, err = s.creditLeft(ctx, order.UserID); err != nil {
		return credit, refund, err
	}
	refund, err = s.refundLeft(ctx, order)
	return credit, refund, err
}

// adminMoney is what became of an order's money so far.
func (s *Server) adminMoney(ctx context.Context, o *order.Order, p *order.Payment) (AdminMoney, error) {
	refunds, err := order.OrderRefunds(ctx, s.DB, o.ID)
	if err != nil {
		return AdminMoney{}, err
	}
	receipts, err := order.OrderReceipts(ctx, s.DB, o.ID)
	if err != nil {
		return AdminMoney{}, err
	}
	returns, err := order.OrderReturns(ctx, s.DB, o.ID)
	if err != nil {
		return AdminMoney{}, err
	}
	disputes, err := order.Disputes(ctx, s.DB, o.ID)
	if err != nil {
		return AdminMoney{}, err
	}
	proposals, err := order.OrderProposals(ctx, s.DB, o.ID)
	if err != nil {
		return AdminMoney{}, err
	}
	return AdminMoney{Proposals: mapped(proposals, orderProposal), Receipts: mapped(receipts, adminReceipt), Returns: mapped(returns, adminReturn), Refunds: mapped(refunds, adminRefund), Disputes: mapped(disputes, adminDispute), Choice: choiceView(o, p)}, nil
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

func adminWithdrawal(w *execution.Withdrawal) AdminWithdrawal {
	return AdminWithdrawal{ID: w.ID, Generation: w.Generation, SequenceID: w.SequenceID, TransferID: w.TransferID, ApprovalID: w.ApprovalID,
		TxID: w.TxID, Address: w.Address, Amount: w.Asset.Format(w.Amount), Status: w.Status, CreatedAt: w.CreatedAt}
}

type reasonedInput struct {
	ObjectID
	Body *Reasoned
}

// decideOrder is a decision that carries nothing but an optional reason.
func (s *Server) decideOrder(ctx context.Context, in *reasonedInput, kind, done string) (*decided, error) {
	decision := order.NewDecision{OrderID: in.ID, Kind: kind}
	if in.Body != nil {
		decision.Reason = in.Body.Reason
	}
	return s.decide(ctx, decision, done)
}

func (s *Server) fulfillOrder(ctx context.Context, in *reasonedInput) (*decided, error) {
	return s.decideOrder(ctx, in, order.DecisionFulfill, "Order fulfillment has been initiated")
}

func (s *Server) retryOrder(ctx context.Context, in *reasonedInput) (*decided, error) {
	return s.decideOrder(ctx, in, order.DecisionRetry, "The order continues from where it stopped.")
}

func (s *Server) holdOrder(ctx context.Context, in *reasonedInput) (*decided, error) {
	return s.decideOrder(ctx, in, order.DecisionHold, "The order is on hold.")
}

func (s *Server) resumeOrder(ctx context.Context, in *reasonedInput) (*decided, error) {
	return s.decideOrder(ctx, in, order.DecisionResume, "The order is no longer on hold.")
}

type amendInput struct {
	ObjectID
	Body AmendAddress
}

// amendOrderAddress sends an order elsewhere, on the network it was sold for.
func (s *Server) amendOrderAddress(ctx context.Context, in *amendInput) (*decided, error) {
	o, err := order.ReadOrder(ctx, s.DB, in.ID)
	if err != nil {
		return nil, err
	}
	place, err := s.checkAddress(o.Asset, in.Body.DestAddress, &o.Network)
	if err != nil {
		return nil, err
	}
	return s.decide(ctx, order.NewDecision{OrderID: in.ID, Kind: order.DecisionAmendAddress, Reason: in.Body.Reason,
		Data: order.AmendedAddress{Address: place.Normalised, AddressKey: place.Key()}}, proposalCarried[order.DecisionAmendAddress])
}

type deadInput struct {
	ObjectID
	Body TransferDeath
}

// declareTransferDead proposes that a transfer which custody calls removed can never
// confirm.
func (s *Server) declareTransferDead(ctx context.Context, in *deadInput) (*decided, error) {
	return s.decide(ctx, order.NewDecision{OrderID: in.ID, Kind: order.DecisionTransferDead, Reason: in.Body.Reason,
		Data: order.DeathEvidence{Seen: strings.TrimSpace(in.Body.Evidence)}}, proposalCarried[order.DecisionTransferDead])
}

type markSentInput struct {
	ObjectID
	Body MarkSent
}

// markOrderSent records a transfer that was made by other means.
func (s *Server) markOrderSent(ctx context.Context, in *markSentInput) (*decided, error) {
	txid := strings.TrimSpace(in.Body.TxID)
	if txid == "" {
		return nil, store.Invalid("txid", "required", "Enter the transaction ID")
	}
	evidence := order.SentEvidence{TxID: txid, TransferID: strings.TrimSpace(in.Body.TransferID)}
	return s.decide(ctx, order.NewDecision{OrderID: in.ID, Kind: order.DecisionMarkSent, Reason: in.Body.Reason, Data: evidence}, proposalCarried[order.DecisionMarkSent])
}
