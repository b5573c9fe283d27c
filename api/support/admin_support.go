package support

import (
	"context"
	"slices"
	"strings"

	"github.com/tradepost/tradepost/api/policy"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/customer"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/support"
)

// TicketFilter is what narrows the inbox.
type TicketFilter struct {
	Status  string `query:"status" enum:"all,open,in_progress,closed" default:"all" doc:"of one status the longest wait is first, of all the newest"`
	Desk    string `query:"desk" enum:"all,mine,nobody" default:"all" doc:"whose they are"`
	Subject string `query:"subject" enum:"all,general,transaction,account,technical,kyc,voucher" default:"all"`
	Query   string `query:"q" maxLength:"100" doc:"a reference, an id or the beginning of one, or the customer's name or e-mail"`
}

func (f TicketFilter) model(who *account.Principal) support.TicketFilter {
	assignee := map[string]string{"mine": who.UserID, "nobody": support.Unassigned}[f.Desk]
	return support.TicketFilter{Status: support.TicketStatus(rest.UnlessAll(f.Status)), Desk: assignee, Subject: rest.UnlessAll(f.Subject), Query: strings.TrimSpace(f.Query)}
}

type listAdminTicketsInput struct {
	rest.Paging
	TicketFilter
}

// ListAdminTickets answers GET /api/admin/support/tickets.
func (h *Handlers) ListAdminTickets(ctx context.Context, in *listAdminTicketsInput) (*rest.Page[AdminTicket], error) {
	wanted, err := in.Page()
	if err != nil {
		return nil, err
	}
	who := rest.PrincipalOf(ctx)
	filter := in.model(who)
	rows, next, err := support.Tickets(ctx, h.DB, filter, wanted)
	if err != nil {
		return nil, err
	}
	counts, err := support.InboxCounts(ctx, h.DB, filter.Query)
	if err != nil {
		return nil, err
	}
	total := 0
	for _, c := range counts {
		if among(string(filter.Status), string(c.Status)) && among(filter.Desk, c.Desk) && among(filter.Subject, c.Subject) {
			total += c.N
		}
	}
	view := func(t *support.ListedTicket) AdminTicket { return h.adminTicket(t, who) }
	return &rest.Page[AdminTicket]{Link: rest.LinkTo(ctx, next, in.Limit), Total: total, Body: rest.Mapped(rows, view)}, nil
}

// among reports whether a filter lets a value through.
func among(wanted, value string) bool { return wanted == "" || wanted == value }

// GetTicketsSummary counts what each value of a filter would show beside the
// other filters as they are.
func (h *Handlers) GetTicketsSummary(ctx context.Context, in *TicketFilter) (*rest.Body[TicketsSummary], error) {
	who := rest.PrincipalOf(ctx)
	f := in.model(who)
	counts, err := support.InboxCounts(ctx, h.DB, f.Query)
	if err != nil {
		return nil, err
	}
	out := TicketsSummary{ByStatus: map[string]int{}, ByDesk: map[string]int{"all": 0, "mine": 0, "nobody": 0}, BySubject: map[string]int{"all": 0}}
	for _, status := range support.TicketStatuses {
		out.ByStatus[string(status)] = 0
	}
	for _, subject := range support.TicketSubjects {
		out.BySubject[subject] = 0
	}
	handlers := map[string]string{who.UserID: "mine", support.Unassigned: "nobody"}
	for _, c := range counts {
		status, inAssignee, subject := among(string(f.Status), string(c.Status)), among(f.Desk, c.Desk), among(f.Subject, c.Subject)
		if inAssignee && subject {
			out.Total += c.N
			out.ByStatus[string(c.Status)] += c.N
		}
		if status && inAssignee {
			out.BySubject["all"] += c.N
			out.BySubject[c.Subject] += c.N
		}
		if name := handlers[c.Desk]; status && subject && name != "" {
			out.ByDesk[name] += c.N
		}
		if status && subject {
			out.ByDesk["all"] += c.N
		}
	}
	return &rest.Body[TicketsSummary]{Body: out}, nil
}

// ListAnswerers lists the staff to whom a ticket can be assigned.
func (h *Handlers) ListAnswerers(ctx context.Context, _ *rest.Nothing) (*rest.Body[[]Answerer], error) {
	rows, err := support.Answerers(ctx, h.DB)
	if err != nil {
		return nil, err
	}
	me := rest.PrincipalOf(ctx).UserID
	return &rest.Body[[]Answerer]{Body: rest.Mapped(rows, func(a *support.Answerer) Answerer {
		return Answerer{ID: a.ID, Name: a.Name, Mine: a.ID == me, Tickets: a.Tickets}
	})}, nil
}

// adminTicket is a ticket as staff see it, with the buttons they have on it.
func (h *Handlers) adminTicket(t *support.ListedTicket, who *account.Principal) AdminTicket {
	view := AdminTicket{Ticket: ticket(t), UserID: t.UserID, CustomerName: strings.TrimSpace(t.FirstName + " " + t.LastName), CustomerEmail: t.Email, Actions: []string{}}
	if t.Status != support.TicketClosed && t.Awaits == support.TicketStaff {
		view.WaitsSince = t.WaitsSince
	}
	if t.AssigneeID != nil && t.AssignedAt != nil {
		view.Assignee = &TicketDesk{ID: *t.AssigneeID, Name: rest.Word(t.Assignee), Mine: *t.AssigneeID == who.UserID, Since: *t.AssignedAt}
	}
	if t.UserID != who.UserID && h.Policy.Allows(rest.RolesOf(who), policy.AnswerTickets) {
		view.Actions = t.Actions()
	}
	return view
}

// GetAdminTicket answers GET /api/admin/support/tickets/{id}.
func (h *Handlers) GetAdminTicket(ctx context.Context, in *rest.ObjectID) (*rest.Body[AdminTicketDetail], error) {
	record, messages, err := support.TicketRecord(ctx, h.DB, "", in.ID)
	if err != nil {
		return nil, err
	}
	who := rest.PrincipalOf(ctx)
	out := AdminTicketDetail{AdminTicket: h.adminTicket(record, who), Conversation: rest.Mapped(messages, ticketMessage), Notes: []TicketNote{}, History: []TicketStep{},
		MayNote: record.UserID != who.UserID, ClosesAt: record.ClosesAt}
	if out.Customer, err = h.ticketCustomer(ctx, record); err != nil || !out.MayNote { // staff do not read colleagues' notes about themselves
		return &rest.Body[AdminTicketDetail]{Body: out}, err
	}
	notes, err := support.TicketNotes(ctx, h.DB, in.ID)
	if err != nil {
		return nil, err
	}
	steps, err := support.TicketHistory(ctx, h.DB, in.ID)
	out.Notes = rest.Mapped(notes, func(n *casework.Note) TicketNote {
		return TicketNote{ID: n.ID, Author: n.Author, Body: n.Body, CreatedAt: n.CreatedAt}
	})
	out.History = rest.Mapped(steps, func(t *support.TicketStep) TicketStep {
		return TicketStep{At: t.At, Kind: t.Kind, By: string(t.By), Name: t.Actor, To: rest.Optional(t.To), Reason: t.Reason}
	})
	return &rest.Body[AdminTicketDetail]{Body: out}, err
}

// shownBesideTicket is how many of a customer's orders are shown beside a ticket.
const shownBesideTicket = 5

// ticketCustomer reads what is shown beside a conversation.
func (h *Handlers) ticketCustomer(ctx context.Context, t *support.ListedTicket) (out TicketCustomer, err error) {
	c, err := customer.Customer(ctx, h.DB, t.UserID)
	if err != nil {
		return out, err
	}
	have, err := ledger.HoldingsOf(ctx, h.DB, c.ID)
	if err != nil {
		return out, err
	}
	out = TicketCustomer{KYCStatus: c.KYCStatus, Balance: money.USD.Format(have.Balance), Receivable: money.USD.Format(have.Receivable), Frozen: c.FrozenAt != nil, Orders: []TicketOrder{}}
	if out.Flags, err = customer.RiskFlags(ctx, h.DB, c); err != nil {
		return out, err
	}
	newest, _, err := order.Orders(ctx, h.DB, order.OrderFilter{UserID: c.ID}, store.Page{Limit: shownBesideTicket})
	if err != nil {
		return out, err
	}
	if t.OrderID != nil {
		about, err := order.ReadOrder(ctx, h.DB, *t.OrderID)
		if err != nil {
			return out, err
		}
		newest = append([]order.Order{*about}, slices.DeleteFunc(newest, func(o order.Order) bool { return o.ID == about.ID })...)
	}
	payments, err := order.PendingPayments(ctx, h.DB, newest)
	if err != nil {
		return out, err
	}
	for i := range newest {
		out.Orders = append(out.Orders, ticketOrder(&newest[i], payments[newest[i].ID], newest[i].ID == rest.Word(t.OrderID)))
	}
	return out, nil
}

func ticketOrder(o *order.Order, p *order.Payment, about bool) TicketOrder {
	return TicketOrder{ID: o.ID, Reference: o.Reference, Status: string(o.Status), Resolution: rest.Optional(rest.Word(o.Resolution)), Authorised: order.IsAuthorised(o, p), Total: money.USD.Format(o.Total),
		Asset: string(o.Asset), Amount: o.Asset.Format(o.Amount), About: about, CreatedAt: o.CreatedAt}
}
