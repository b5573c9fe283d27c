package order

import (
	"context"
	"slices"
	"strings"
	"time"

	caseworkapi "github.com/tradepost/tradepost/api/casework"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// OrderFilter is what narrows a customer's orders.
type OrderFilter struct {
	Status       string   `query:"status" enum:"all,pending,authorised,payment_approved,fulfilling,filled,sent,failed,declined,cancelled,expired,refunded" default:"all" doc:"its status, or the word that its page shows instead"`
	LegacyStatus []string `query:"legacyStatus" enum:"pending,payment_processing,completed,failed,cancelled" doc:"comma-separated"`
	Query        string   `query:"q" maxLength:"100" doc:"order id, reference, asset or destination address"`
	Action       bool     `query:"action" doc:"only those that wait for their customer"`
}

func (f OrderFilter) of(userID string) order.OrderFilter {
	filter := order.OrderFilter{UserID: userID, Legacy: f.LegacyStatus, NotEnded: f.onlyOpen(), ToAct: f.Action, Query: f.Query}
	word := rest.UnlessAll(f.Status)
	if _, is := order.StateSQL[word]; is {
		filter.State = word
	} else {
		filter.Status = order.OrderStatus(word)
		filter.NotEnded = filter.NotEnded || filter.Status == order.StatusFailed
	}
	return filter
}

// onlyOpen reports whether the legacy statuses asked for are those of orders that are not
// over: one whose money was refunded is over, though it counts as failed.
func (f OrderFilter) onlyOpen() bool {
	return slices.Contains(f.LegacyStatus, "failed") && !slices.Contains(f.LegacyStatus, "cancelled")
}

type listOrdersInput struct {
	rest.Paging
	OrderFilter
}

// ListOrders answers GET /api/orders.
func (h *Handlers) ListOrders(ctx context.Context, in *listOrdersInput) (*rest.Page[Order], error) {
	who := rest.PrincipalOf(ctx)
	filter := in.of(who.UserID)
	wanted, err := in.Page()
	if err != nil {
		return nil, err
	}
	rows, next, err := order.Orders(ctx, h.DB, filter, wanted)
	if err != nil {
		return nil, err
	}
	total, err := h.ordersIn(ctx, filter, wanted, next, len(rows))
	if err != nil {
		return nil, err
	}
	payments, err := order.PendingPayments(ctx, h.DB, rows)
	if err != nil {
		return nil, err
	}
	held, err := order.HeldAddressesOf(ctx, h.DB, rows)
	if err != nil {
		return nil, err
	}
	after, err := order.AfterSent(ctx, h.DB, rows...)
	if err != nil {
		return nil, err
	}
	view := func(o *order.Order) Order {
		return customerOrder(o, payments[o.ID], held[o.ID], after[o.ID], who.Frozen)
	}
	return &rest.Page[Order]{Link: rest.LinkTo(ctx, next, in.Limit), Total: total, Body: rest.Mapped(rows, view)}, nil
}

// ordersIn is how many orders a list holds, of which a page of that many rows was
// read: a list that fits into its first page is not read again to be counted.
func (h *Handlers) ordersIn(ctx context.Context, f order.OrderFilter, read store.Page, next *store.Cursor, rows int) (int, error) {
	if read.Whole(next) {
		return rows, nil
	}
	counts, err := order.CountOrders(ctx, h.DB, f)
	return counts.Total, err
}

// GetOrdersSummary answers GET /api/orders/summary.
func (h *Handlers) GetOrdersSummary(ctx context.Context, in *OrderFilter) (*rest.Body[OrdersSummary], error) {
	n, err := order.CountOrders(ctx, h.DB, in.of(rest.PrincipalOf(ctx).UserID))
	if err != nil {
		return nil, err
	}
	return &rest.Body[OrdersSummary]{Body: OrdersSummary{Total: n.Total, TotalSpent: money.USD.Format(n.FiatSent),
		Pending: n.Pending + n.PaymentApproved + n.Fulfilling + n.Filled, Completed: n.Sent,
		ByStatus: map[string]int{"pending": n.Pending, "payment_approved": n.PaymentApproved, "fulfilling": n.Fulfilling,
			"filled": n.Filled, "sent": n.Sent, "failed": n.Failed}}}, nil
}

// customerOrder is an order as its customer sees it, with the payment's progress while the
// order is pending; nil omits it. To a frozen account no wait is disclosed; after is the
// order's AfterSent.
func customerOrder(o *order.Order, p *order.Payment, held *order.HeldAddress, after string, frozen bool) Order {
	amount, total := o.Asset.Format(o.Amount), money.USD.Format(o.Total)
	return Order{ID: o.ID, Reference: o.Reference, UserID: o.UserID, Asset: rest.Coin(o.Asset), AmountAsset: amount, QuoteFiat: total,
		PaymentMethod: o.PaymentMethod, Channel: o.Channel, Status: string(o.Status), DestAddress: o.DestAddress, Network: rest.Network(o.Network),
		TxID: money.ShownTransaction(o.Network, o.TxID), CryptoCurrency: string(o.Asset), Amount: amount, FiatAmount: total, WalletAddress: o.DestAddress,
		LegacyStatus: order.LegacyStatus(o), PaymentDueAt: o.PaymentDueAt, Attention: customerAttention(o, frozen),
		Authorised: order.IsAuthorised(o, p), Action: orderAction(o, p, held, frozen),
		Metadata:  OrderMetadata{Resolution: resolution(o), AfterSent: rest.Optional(after), FulfillmentCode: customerCode(o), FulfillmentError: failureText(o), RetryCount: o.RetryCount},
		CreatedAt: o.CreatedAt, UpdatedAt: o.UpdatedAt}
}

func orderAction(o *order.Order, p *order.Payment, held *order.HeldAddress, frozen bool) *OrderAction {
	action := order.ActionOf(o, p, held, frozen)
	if action == nil {
		return nil
	}
	return &OrderAction{Kind: action.Kind, Deadline: action.DueAt}
}

// customerCode is the platform's code of why an order failed.
func customerCode(o *order.Order) *string {
	if o.Status != order.StatusFailed || o.MoneyWaits() || o.Resolution != nil && o.FulfillmentCode == nil {
		return nil
	}
	code := customerWord(rest.Word(o.FulfillmentCode))
	if _, ours := failureTexts[code]; !ours || code == "" {
		code = "fulfillment_failed"
	}
	return &code
}

// customerWord is the code of why fulfilment failed without internal causes: a lack of
// funds at the exchange is not disclosed to the customer.
func customerWord(code string) string {
	if code == "insufficient_funds" {
		return "exchange_refused"
	}
	return code
}

// customerAttention is the code of what an order waits for, for its customer: internal
// reasons are shown as a review, and what a frozen account cannot answer as the hold.
func customerAttention(o *order.Order, frozen bool) *CustomerAttention {
	if o.AttentionReason == nil || o.AttentionSince == nil {
		return nil
	}
	reason := *o.AttentionReason
	if frozen && order.ActionOf(o, nil, nil, false) != nil {
		reason = casework.AttentionCustomer
	}
	return &CustomerAttention{Reason: waitingWord(reason), Since: *o.AttentionSince, Choices: []string{}}
}

func resolution(o *order.Order) *string {
	if o.Resolution == nil {
		return nil
	}
	text := string(*o.Resolution)
	return &text
}

// GetOrder answers GET /api/orders/{id}.
func (h *Handlers) GetOrder(ctx context.Context, in *rest.ObjectID) (*rest.Body[OrderDetail], error) {
	who := rest.PrincipalOf(ctx)
	o, err := order.OrderOf(ctx, h.DB, who.UserID, in.ID)
	if err != nil {
		return nil, err
	}
	detail, err := h.orderDetail(ctx, o, who.Frozen)
	if err != nil {
		return nil, err
	}
	return &rest.Body[OrderDetail]{Body: *detail}, nil
}

// orderDetail is an order with all that its page shows to its customer.
func (h *Handlers) orderDetail(ctx context.Context, o *order.Order, frozen bool) (*OrderDetail, error) {
	payment, err := order.PaymentOf(ctx, h.DB, o.ID)
	if err != nil {
		return nil, err
	}
	events, err := order.Timeline.Events(ctx, h.DB, o.ID)
	if err != nil {
		return nil, err
	}
	files, err := order.OrderEvidence(ctx, h.DB, o.ID)
	if err != nil {
		return nil, err
	}
	open, err := order.OpenDecisionOf(ctx, h.DB, o.ID)
	if err != nil {
		return nil, err
	}
	pricing, err := h.Quoter.Pricing(ctx)
	if err != nil {
		return nil, err
	}
	given, err := h.orderMoney(ctx, o, payment, frozen)
	if err != nil {
		return nil, err
	}
	method, known := pricing.Methods[o.PaymentMethod]
	wantsPhoto := known && method.WantsCardPhoto
	shown, held, err := h.oneOrder(ctx, o, payment, frozen)
	if err != nil {
		return nil, err
	}
	detail := &OrderDetail{Order: *shown, OrderMoney: given, BasePrice: money.USD.Format(o.BasePrice),
		PaymentMethodFee: money.USD.Format(o.PaymentFee), VolumeDiscount: money.USD.Format(o.VolumeDiscount),
		Total: money.USD.Format(o.Total), UnitPrice: o.UnitPrice.String(),
		Payment: h.orderPayment(o, payment, files, wantsPhoto), Events: customerEvents(events),
		Choices: choices(o, payment, wantsPhoto, open, frozen), Decision: decisionView(open),
		PaidAt: o.PaidAt, SentAt: o.SentAt, ConfirmedAt: o.ConfirmedAt, ClosedAt: o.ClosedAt, ExplorerURL: h.Places.Transaction(o.Network, o.TxID), Retrying: retrying(events)}
	if held != nil {
		detail.HeldAddress = &HeldAddress{Address: held.Address, ExpiresAt: held.ExpiresAt}
	}
	return detail, nil
}

// oneOrder is customerOrder of one alone, with the address that waits for its link.
func (h *Handlers) oneOrder(ctx context.Context, o *order.Order, p *order.Payment, frozen bool) (*Order, *order.HeldAddress, error) {
	held, err := order.HeldAddressOf(ctx, h.DB, o)
	if err != nil {
		return nil, nil, err
	}
	after, err := order.AfterSent(ctx, h.DB, *o)
	if err != nil {
		return nil, nil, err
	}
	shown := customerOrder(o, p, held, after[o.ID], frozen)
	return &shown, held, nil
}

// retrying reports whether an order's step is tried again: any event after a failed
// attempt ends that.
func retrying(events []casework.StoredEvent) bool {
	return len(events) > 0 && events[len(events)-1].Kind == "attempt_failed"
}

// orderMoney is the course of an order's money so far.
func (h *Handlers) orderMoney(ctx context.Context, o *order.Order, p *order.Payment, frozen bool) (OrderMoney, error) {
	refunds, err := order.OrderRefunds(ctx, h.DB, o.ID)
	if err != nil {
		return OrderMoney{}, err
	}
	receipts, err := order.OrderReceipts(ctx, h.DB, o.ID)
	if err != nil {
		return OrderMoney{}, err
	}
	receipts = slices.DeleteFunc(receipts, func(r order.StoredReceipt) bool { return r.ReversedAt != nil }) // not for this order
	out := OrderMoney{Refunds: rest.Mapped(refunds, orderRefund), Receipts: rest.Mapped(receipts, moneyReceipt)}
	if !frozen {
		out.Choice = choiceView(o, p)
		if out.CoinOffer, err = h.openCoinOffer(ctx, o); err != nil {
			return OrderMoney{}, err
		}
	}
	disputes, err := order.Disputes(ctx, h.DB, o.ID)
	if err != nil {
		return OrderMoney{}, err
	}
	if n := len(disputes); n > 0 {
		last := &disputes[n-1]
		out.Dispute = &OrderDispute{Status: last.Outcome(), Amount: money.USD.Format(last.Amount), At: last.CreatedAt}
	}
	out.Received, out.Refunded, out.Reduced = money.USD.Format(p.Received(o)), money.USD.Format(o.Refunded), money.USD.Format(o.Reduced)
	if out.Surpluses, err = h.orderSurpluses(ctx, o, frozen); err != nil {
		return OrderMoney{}, err
	}
	return out, nil
}

// choiceView is the choice that the customer has, or that the platform keeps trying; nil
// without a choice.
func choiceView(o *order.Order, p *order.Payment) *Choice {
	reason := order.ChoiceOf(o)
	if reason == "" {
		return nil
	}
	return &Choice{Reason: reason, DueAt: o.ChoiceDueAt, Default: order.DecisionRefundNow, KeptUntil: o.KeptUntil, Offers: order.CustomerChoices(o, p)}
}

func moneyReceipt(r *order.StoredReceipt) MoneyReceipt {
	return MoneyReceipt{Amount: money.USD.Format(r.Amount), ReceivedOn: r.ReceivedOn.Format(time.DateOnly), At: r.CreatedAt}
}

func orderRefund(r *order.Refund) OrderRefund {
	return OrderRefund{Amount: money.USD.Format(r.Amount), Destination: r.Destination, Status: r.Status, At: r.CreatedAt}
}

func (h *Handlers) orderPayment(o *order.Order, p *order.Payment, files []order.Evidence, wantsPhoto bool) OrderPayment {
	total := money.USD.Format(p.Amount)
	return OrderPayment{Method: p.PaymentMethod, Status: string(p.AdminApprovalStatus), Amount: total, Currency: "USD", DueAt: p.DueAt,
		Reference: o.Reference, Checkout: checkout(o, p), Instructions: h.Recipients.instructions(o, total), WantsCardPhoto: wantsPhoto,
		Evidence: rest.Mapped(files, evidenceView), SubmittedAt: p.SubmittedAt, AuthorisedAt: p.AuthorisedAt, CapturedAt: p.CapturedAt,
		CardBrand: p.CardBrand, CardLast4: p.CardLast4, DeclineCode: p.DeclineCode}
}

// checkout is the hosted card page, as far as there is one.
func checkout(o *order.Order, p *order.Payment) *Checkout {
	if !o.ByCard() {
		return nil
	}
	switch {
	case p.AuthorisedAt != nil:
		return &Checkout{State: "done"}
	case o.Status != order.StatusPending:
		return &Checkout{State: "closed"}
	case p.CheckoutURL == nil:
		return &Checkout{State: "preparing"}
	}
	return &Checkout{State: "ready", URL: p.CheckoutURL, ExpiresAt: p.CheckoutExpiresAt}
}

// customerEvents are the events a customer may see, with the figures a
// customer may see.
func customerEvents(events []casework.StoredEvent) []OrderEvent {
	out := make([]OrderEvent, 0, len(events))
	for _, e := range events {
		if e.Internal {
			continue
		}
		view := eventView(&e)
		for key := range view.Data {
			if !shownToCustomers[key] {
				delete(view.Data, key)
			}
		}
		if code, ok := view.Data["code"].(string); ok && e.Kind == "failed" {
			view.Data["code"] = customerWord(code)
		}
		if reason, ok := view.Data["reason"].(string); ok && strings.HasPrefix(e.Kind, "attention") {
			view.Data["reason"] = waitingWord(reason)
		}
		out = append(out, view)
	}
	return out
}

func eventView(e *casework.StoredEvent) OrderEvent {
	return OrderEvent{ID: e.ID, At: e.At, Kind: EventKind(e.Kind), Actor: string(e.Actor), Status: e.Status, Internal: e.Internal, Data: e.Fields()}
}

func evidenceView(f *order.Evidence) Evidence {
	view := Evidence{ID: f.ID, Kind: f.Kind, CreatedAt: f.CreatedAt}
	if f.PurgedAt == nil {
		view.URL = evidenceURL(&f.FileKey)
	}
	return view
}

func evidenceURL(key *string) *string {
	if key == nil {
		return nil
	}
	url := "/evidence/" + *key
	return &url
}

func decisionView(d order.OpenDecisionRow) *caseworkapi.Decision {
	if d.DecisionID == nil || d.DecisionKind == nil || d.DecisionAt == nil {
		return nil
	}
	return &caseworkapi.Decision{ID: *d.DecisionID, Kind: *d.DecisionKind, CreatedAt: *d.DecisionAt}
}

// choices are what the customer can do about an order now: the customer's
// buttons follow from this list. A frozen account can show what it has paid, and
// cancel.
func choices(o *order.Order, p *order.Payment, wantsPhoto bool, open order.OpenDecisionRow, frozen bool) []string {
	out := []string{}
	if o.Status == order.StatusPending && o.ByCard() && p.AuthorisedAt == nil && p.CheckoutURL != nil && !frozen {
		out = append(out, "pay")
	}
	if o.Status == order.StatusPending && !o.ByCard() && o.PaymentMethod != pricing.MethodBalance {
		out = append(out, "upload_receipt")
		if wantsPhoto {
			out = append(out, "upload_card_photo")
		}
	}
	if open.DecisionID == nil && order.NamesAddress(o) && !frozen {
		out = append(out, order.DecisionAmendAddress)
	}
	if open.DecisionID == nil {
		if slices.Contains(order.DecisionsFor(o, p), order.DecisionCancel) {
			out = append(out, order.DecisionCancel)
		}
		if !frozen {
			out = append(out, order.CustomerChoices(o, p)...)
		}
	}
	return append(out, "receipt")
}

// GetOrderReceipt answers GET /api/orders/{id}/receipt.
func (h *Handlers) GetOrderReceipt(ctx context.Context, in *rest.ObjectID) (*rest.Body[OrderReceipt], error) {
	who := rest.PrincipalOf(ctx)
	o, err := order.OrderOf(ctx, h.DB, who.UserID, in.ID)
	if err != nil {
		return nil, err
	}
	p, err := order.PaymentOf(ctx, h.DB, o.ID)
	if err != nil {
		return nil, err
	}
	account, err := account.ReadAccount(ctx, h.DB, who.UserID)
	if err != nil {
		return nil, err
	}
	return &rest.Body[OrderReceipt]{Body: OrderReceipt{Brand: h.Brand, OrderID: o.ID, Reference: o.Reference, CustomerName: account.Name(),
		CustomerEmail: account.Email, Asset: string(o.Asset), AmountAsset: o.Asset.Format(o.Amount), UnitPrice: o.UnitPrice.String(),
		BasePrice: money.USD.Format(o.BasePrice), PaymentMethodFee: money.USD.Format(o.PaymentFee),
		VolumeDiscount: money.USD.Format(o.VolumeDiscount), Total: money.USD.Format(o.Total), Currency: "USD",
		PaymentMethod: o.PaymentMethod, CardBrand: p.CardBrand, CardLast4: p.CardLast4, DestAddress: o.DestAddress, Network: o.Network,
		TxID: money.ShownTransaction(o.Network, o.TxID), Status: string(o.Status), Resolution: resolution(o),
		Authorised: order.IsAuthorised(o, p), CreatedAt: o.CreatedAt, PaidAt: o.PaidAt, SentAt: o.SentAt}}, nil
}
