package api

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/tradepost/tradepost/models"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/workflows"
)

// AdminOrderFilter is what narrows the admin's orders.
type AdminOrderFilter struct {
	Status    string `query:"status" enum:"all,pending,payment_approved,fulfilling,filled,sent,failed" default:"all"`
	Attention bool   `query:"attention" doc:"only orders that wait for a person"`
	Proposed  bool   `query:"proposed" doc:"only orders about which something waits for a second person"`
	Query     string `query:"q" maxLength:"100" doc:"order id, asset or destination address"`
}

func (f AdminOrderFilter) model() models.OrderFilter {
	return models.OrderFilter{Status: models.OrderStatus(unlessAll(f.Status)), Attention: f.Attention, Proposed: f.Proposed, Query: f.Query}
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
	rows, next, err := s.DB.StaffOrders(ctx, filter, wanted)
	if err != nil {
		return nil, err
	}
	total, err := s.ordersIn(ctx, filter, wanted, next, len(rows))
	if err != nil {
		return nil, err
	}
	who := principalOf(ctx)
	view := func(o *models.StaffOrder) AdminOrder { return s.adminOrder(o, who) }
	return &page[AdminOrder]{Link: linkTo(ctx, next, in.Limit), Total: total, Body: mapped(rows, view)}, nil
}

// getAdminOrdersSummary counts all orders the search lets through, by status;
// the status filter itself narrows only matchingFilters, so that the counters
// stay put while one of them is chosen.
func (s *Server) getAdminOrdersSummary(ctx context.Context, in *AdminOrderFilter) (*body[AdminOrdersSummary], error) {
	matching, err := s.DB.CountOrders(ctx, in.model())
	if err != nil {
		return nil, err
	}
	n, err := s.DB.CountOrders(ctx, models.OrderFilter{Query: in.Query})
	if err != nil {
		return nil, err
	}
	proposed, err := s.DB.CountOrders(ctx, models.OrderFilter{Proposed: true, Query: in.Query})
	if err != nil {
		return nil, err
	}
	actionable, err := s.DB.CountOrders(ctx, models.OrderFilter{Actionable: true, Query: in.Query})
	if err != nil {
		return nil, err
	}
	return &body[AdminOrdersSummary]{AdminOrdersSummary{Actionable: actionable.Total, Proposed: proposed.Total, Total: n.Total, Pending: n.Pending, Approved: n.PaymentApproved, Fulfilling: n.Fulfilling,
		Filled: n.Filled, Sent: n.Sent, Failed: n.Failed, NeedsAttention: n.Attention, MatchingFilters: matching.Total}}, nil
}

// adminOrder is an order as staff see it.
func (s *Server) adminOrder(o *models.StaffOrder, who *models.Principal) AdminOrder {
	view := AdminOrder{ID: o.ID, Reference: o.Reference, UserID: o.UserID, CustomerEmail: o.CustomerEmail, CustomerName: o.CustomerName(), Country: o.Country, Asset: string(o.Asset),
		AmountAsset: o.Asset.Format(o.Amount), QuoteFiat: money.USD.Format(o.Total), PaymentMethod: o.PaymentMethod, Channel: o.Channel,
		Status: string(o.Status), DestAddress: o.DestAddress, Network: o.Network, KrakenOrderID: o.KrakenOrderID,
		BitgoTransferID: o.BitgoTransferID, TxID: o.TxID, Held: o.Held, Authorised: models.IsAuthorised(&o.Order, &o.Payment), Received: money.USD.Format(o.Payment.Received(&o.Order)), Refunded: money.USD.Format(o.Refunded),
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
			view.Actions = models.ReceiptBars(view.Actions)
		}
		if o.ProposalID != nil {
			view.Actions = append(models.ProposalBars(view.Actions), s.proposalActions(o.OpenProposalRow, who, view.OwnReceipt)...)
		}
	}
	return view
}

// staffActions are all that staff can do about an order: what its workflow waits
// for, an end of its transfer, refunds beside it, and answers to a dispute.
func staffActions(o *models.Order, p *models.Payment) []string {
	return slices.Concat(models.AnswersFor(o), models.DecisionsFor(o, p), models.TransferEndsFor(o), models.RefundsFor(o))
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
	order, err := s.DB.StaffOrder(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	payment, err := s.DB.StaffPayment(ctx, order.Payment.ID)
	if err != nil {
		return nil, err
	}
	events, err := s.DB.OrderEvents(ctx, order.ID)
	if err != nil {
		return nil, err
	}
	transfers, err := s.DB.OrderWithdrawals(ctx, order.ID)
	if err != nil {
		return nil, err
	}
	record, err := s.DB.OrderRecord(ctx, order.ID)
	if err != nil {
		return nil, err
	}
	given, err := s.adminMoney(ctx, &order.Order, &payment.Payment)
	if err != nil {
		return nil, err
	}
	notes, err := s.DB.OrderNotes(ctx, order.ID, notesShown)
	if err != nil {
		return nil, err
	}
	credit, refund, err := s.aloneLeft(ctx, &order.Order)
	if err != nil {
		return nil, err
	}
	who := principalOf(ctx)
	return &body[AdminOrderDetail]{AdminOrderDetail{AdminOrder: s.adminOrder(order, who), Notes: mapped(notes, orderNote), TwoAbove: money.USD.Format(s.refundAlone()), RefundAlone: money.USD.Format(refund), CreditAlone: money.USD.Format(credit),
		References: s.references(&order.Order, &payment.Payment, given, record.Purchases, transfers), OrderRecord: orderRecord(record), AdminMoney: given, BasePrice: money.USD.Format(order.BasePrice),
		PaymentMethodFee: money.USD.Format(order.PaymentFee), VolumeDiscount: money.USD.Format(order.VolumeDiscount),
		Total: money.USD.Format(order.Total), UnitPrice: order.UnitPrice.String(),
		Payment: s.pendingPayment(payment, who), Events: mapped(events, eventView), Transfers: mapped(transfers, adminWithdrawal),
		ConfirmedAt: order.ConfirmedAt}}, nil
}

// aloneLeft is what one person may still let in for the order's customer today, and
// give back to them, in cents.
func (s *Server) aloneLeft(ctx context.Context, order *models.Order) (credit, refund money.Units, err error) {
	if credit, err = s.creditLeft(ctx, order.UserID); err != nil {
		return credit, refund, err
	}
	refund, err = s.refundLeft(ctx, order)
	return credit, refund, err
}

// adminMoney is what became of an order's money so far.
func (s *Server) adminMoney(ctx context.Context, o *models.Order, p *models.Payment) (AdminMoney, error) {
	refunds, err := s.DB.OrderRefunds(ctx, o.ID)
	if err != nil {
		return AdminMoney{}, err
	}
	receipts, err := s.DB.OrderReceipts(ctx, o.ID)
	if err != nil {
		return AdminMoney{}, err
	}
	returns, err := s.DB.OrderReturns(ctx, o.ID)
	if err != nil {
		return AdminMoney{}, err
	}
	disputes, err := s.DB.Disputes(ctx, o.ID)
	if err != nil {
		return AdminMoney{}, err
	}
	proposals, err := s.DB.OrderProposals(ctx, o.ID)
	if err != nil {
		return AdminMoney{}, err
	}
	return AdminMoney{Proposals: mapped(proposals, orderProposal), Receipts: mapped(receipts, adminReceipt), Returns: mapped(returns, adminReturn), Refunds: mapped(refunds, adminRefund), Disputes: mapped(disputes, adminDispute), Choice: choiceView(o, p)}, nil
}

func adminReceipt(r *models.StoredReceipt) AdminReceipt {
	return AdminReceipt{ID: r.ID, Amount: money.USD.Format(r.Amount), ReceivedOn: r.ReceivedOn.Format(time.DateOnly),
		BankReference: r.BankReference, At: r.CreatedAt, Reversed: r.ReversedAt != nil}
}

func adminRefund(r *models.Refund) AdminRefund {
	return AdminRefund{ID: r.Key, Amount: money.USD.Format(r.Amount), Destination: r.Destination, Status: r.Status, Origin: r.Origin,
		ProviderID: r.ProviderID, FailureCode: r.FailureCode, Gone: r.Gone(), At: r.CreatedAt, DoneAt: r.DoneAt}
}

func adminDispute(d *models.Dispute) AdminDispute {
	return AdminDispute{ID: d.ProviderID, Amount: money.USD.Format(d.Amount), Status: d.Status, Reason: d.Reason, DueBy: d.DueBy, ProviderID: &d.ProviderID,
		At: d.CreatedAt, Fee: money.USD.Format(d.Fee), Answer: d.Answer, AnsweredAt: d.AnsweredAt, ClosedAt: d.ClosedAt}
}

func adminWithdrawal(w *models.Withdrawal) AdminWithdrawal {
	return AdminWithdrawal{ID: w.ID, Generation: w.Generation, SequenceID: w.SequenceID, TransferID: w.TransferID, ApprovalID: w.ApprovalID,
		TxID: w.TxID, Address: w.Address, Amount: w.Asset.Format(w.Amount), Status: w.Status, CreatedAt: w.CreatedAt}
}

type reasonedInput struct {
	ObjectID
	Body *Reasoned
}

// decideOrder is a decision that carries nothing but an optional reason.
func (s *Server) decideOrder(ctx context.Context, in *reasonedInput, kind, done string) (*decided, error) {
	decision := models.NewDecision{OrderID: in.ID, Kind: kind}
	if in.Body != nil {
		decision.Reason = in.Body.Reason
	}
	return s.decide(ctx, decision, done)
}

func (s *Server) fulfillOrder(ctx context.Context, in *reasonedInput) (*decided, error) {
	return s.decideOrder(ctx, in, models.DecisionFulfill, "Order fulfillment has been initiated")
}

func (s *Server) retryOrder(ctx context.Context, in *reasonedInput) (*decided, error) {
	return s.decideOrder(ctx, in, models.DecisionRetry, "The order continues from where it stopped.")
}

func (s *Server) holdOrder(ctx context.Context, in *reasonedInput) (*decided, error) {
	return s.decideOrder(ctx, in, models.DecisionHold, "The order is on hold.")
}

func (s *Server) resumeOrder(ctx context.Context, in *reasonedInput) (*decided, error) {
	return s.decideOrder(ctx, in, models.DecisionResume, "The order is no longer on hold.")
}

type amendInput struct {
	ObjectID
	Body AmendAddress
}

// amendOrderAddress sends an order elsewhere, on the network it was sold for.
func (s *Server) amendOrderAddress(ctx context.Context, in *amendInput) (*decided, error) {
	order, err := s.DB.Order(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	place, err := checkAddress(order.Asset, in.Body.DestAddress, &order.Network)
	if err != nil {
		return nil, err
	}
	return s.decide(ctx, models.NewDecision{OrderID: in.ID, Kind: models.DecisionAmendAddress, Reason: in.Body.Reason,
		Data: models.AmendedAddress{Address: place.Normalised, AddressKey: place.Key()}}, proposalCarried[models.DecisionAmendAddress])
}

type deadInput struct {
	ObjectID
	Body TransferDeath
}

// declareTransferDead proposes that a transfer which custody calls removed can never
// confirm.
func (s *Server) declareTransferDead(ctx context.Context, in *deadInput) (*decided, error) {
	return s.decide(ctx, models.NewDecision{OrderID: in.ID, Kind: models.DecisionTransferDead, Reason: in.Body.Reason,
		Data: models.DeathEvidence{Seen: strings.TrimSpace(in.Body.Evidence)}}, proposalCarried[models.DecisionTransferDead])
}

type markSentInput struct {
	ObjectID
	Body MarkSent
}

// markOrderSent records a transfer that was made by other means.
func (s *Server) markOrderSent(ctx context.Context, in *markSentInput) (*decided, error) {
	txid := strings.TrimSpace(in.Body.TxID)
	if txid == "" {
		return nil, models.Invalid("txid", "required", "Enter the transaction ID")
	}
	evidence := models.SentEvidence{TxID: txid, TransferID: strings.TrimSpace(in.Body.TransferID)}
	return s.decide(ctx, models.NewDecision{OrderID: in.ID, Kind: models.DecisionMarkSent, Reason: in.Body.Reason, Data: evidence}, proposalCarried[models.DecisionMarkSent])
}
