package api

import (
	"context"
	"slices"
	"strings"

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
	desk := map[string]string{"mine": who.UserID, "nobody": support.Unassigned}[f.Desk]
	return support.TicketFilter{Status: support.TicketStatus(unlessAll(f.Status)), Desk: desk, Subject: unlessAll(f.Subject), Query: strings.TrimSpace(f.Query)}
}

type listAdminTicketsInput struct {
	Paging
	TicketFilter
}

func (s *Server) listAdminTickets(ctx context.Context, in *listAdminTicketsInput) (*page[AdminTicket], error) {
	wanted, err := in.page()
	if err != nil {
		return nil, err
	}
	who := principalOf(ctx)
	filter := in.model(who)
	rows, next, err := support.Tickets(ctx, s.DB, filter, wanted)
	if err != nil {
		return nil, err
	}
	counts, err := support.InboxCounts(ctx, s.DB, filter.Query)
	if err != nil {
		return nil, err
	}
	total := 0
	for _, c := range counts {
		if among(string(filter.Status), string(c.Status)) && among(filter.Desk, c.Desk) && among(filter.Subject, c.Subject) {
			total += c.N
		}
	}
	view := func(t *support.ListedTicket) AdminTicket { return s.adminTicket(t, who) }
	return &page[AdminTicket]{Link: linkTo(ctx, next, in.Limit), Total: total, Body: mapped(rows, view)}, nil
}

// among reports whether a filter lets a value through.
func among(wanted, value string) bool { return wanted == "" || wanted == value }

// getTicketsSummary counts what each value of a filter would show beside the
// other filters as they are.
func (s *Server) getTicketsSummary(ctx context.Context, in *TicketFilter) (*body[TicketsSummary], error) {
	who := principalOf(ctx)
	f := in.model(who)
	counts, err := support.InboxCounts(ctx, s.DB, f.Query)
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
		status, desk, subject := among(string(f.Status), string(c.Status)), among(f.Desk, c.Desk), among(f.Subject, c.Subject)
		if desk && subject {
			out.Total += c.N
			out.ByStatus[string(c.Status)] += c.N
		}
		if status && desk {
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
	return &body[TicketsSummary]{out}, nil
}

// listAnswerers lists whom a ticket can be given to.
func (s *Server) listAnswerers(ctx context.Context, _ *nothing) (*body[[]Answerer], error) {
	rows, err := support.Answerers(ctx, s.DB)
	if err != nil {
		return nil, err
	}
	me := principalOf(ctx).UserID
	return &body[[]Answerer]{mapped(rows, func(a *support.Answerer) Answerer {
		return Answerer{ID: a.ID, Name: a.Name, Mine: a.ID == me, Tickets: a.Tickets}
	})}, nil
}

// adminTicket is a ticket as staff see it, with the buttons they have on it.
func (s *Server) adminTicket(t *support.ListedTicket, who *account.Principal) AdminTicket {
	view := AdminTicket{Ticket: ticket(t), UserID: t.UserID, CustomerName: strings.TrimSpace(t.FirstName + " " + t.LastName), CustomerEmail: t.Email, Actions: []string{}}
	if t.Status != support.TicketClosed && t.Awaits == support.TicketStaff {
		view.WaitsSince = t.WaitsSince
	}
	if t.AssigneeID != nil && t.AssignedAt != nil {
		view.Assignee = &TicketDesk{ID: *t.AssigneeID, Name: word(t.Assignee), Mine: *t.AssigneeID == who.UserID, Since: *t.AssignedAt}
	}
	if t.UserID != who.UserID && s.policy.allows(rolesOf(who), answerTickets) {
		view.Actions = t.Actions()
	}
	return view
}

func (s *Server) getAdminTicket(ctx context.Context, in *ObjectID) (*body[AdminTicketDetail], error) {
	record, messages, err := support.TicketRecord(ctx, s.DB, "", in.ID)
	if err != nil {
		return nil, err
	}
	who := principalOf(ctx)
	out := AdminTicketDetail{AdminTicket: s.adminTicket(record, who), Conversation: mapped(messages, ticketMessage), Notes: []TicketNote{}, History: []TicketStep{},
		MayNote: record.UserID != who.UserID, ClosesAt: record.ClosesAt}
	if out.Customer, err = s.ticketCustomer(ctx, record); err != nil || !out.MayNote { // nobody reads what colleagues noted about them
		return &body[AdminTicketDetail]{out}, err
	}
	notes, err := support.TicketNotes(ctx, s.DB, in.ID)
	if err != nil {
		return nil, err
	}
	steps, err := support.TicketHistory(ctx, s.DB, in.ID)
	out.Notes = mapped(notes, func(n *casework.Note) TicketNote {
		return TicketNote{ID: n.ID, Author: n.Author, Body: n.Body, CreatedAt: n.CreatedAt}
	})
	out.History = mapped(steps, func(t *support.TicketStep) TicketStep {
		return TicketStep{At: t.At, Kind: t.Kind, By: string(t.By), Name: t.Actor, To: optional(t.To), Reason: t.Reason}
	})
	return &body[AdminTicketDetail]{out}, err
}

// shownBesideTicket is how many of a customer's orders stand beside a ticket.
const shownBesideTicket = 5

// ticketCustomer reads what stands beside a conversation.
func (s *Server) ticketCustomer(ctx context.Context, t *support.ListedTicket) (out TicketCustomer, err error) {
	c, err := customer.Customer(ctx, s.DB, t.UserID)
	if err != nil {
		return out, err
	}
	have, err := ledger.HoldingsOf(ctx, s.DB, c.ID)
	if err != nil {
		return out, err
	}
	out = TicketCustomer{KYCStatus: c.KYCStatus, Balance: money.USD.Format(have.Balance), Receivable: money.USD.Format(have.Receivable), Frozen: c.FrozenAt != nil, Orders: []TicketOrder{}}
	if out.Flags, err = customer.RiskFlags(ctx, s.DB, c); err != nil {
		return out, err
	}
	newest, _, err := order.Orders(ctx, s.DB, order.OrderFilter{UserID: c.ID}, store.Page{Limit: shownBesideTicket})
	if err != nil {
		return out, err
	}
	if t.OrderID != nil {
		about, err := order.ReadOrder(ctx, s.DB, *t.OrderID)
		if err != nil {
			return out, err
		}
		newest = append([]order.Order{*about}, slices.DeleteFunc(newest, func(o order.Order) bool { return o.ID == about.ID })...)
	}
	payments, err := order.PendingPayments(ctx, s.DB, newest)
	if err != nil {
		return out, err
	}
	for i := range newest {
		out.Orders = append(out.Orders, ticketOrder(&newest[i], payments[newest[i].ID], newest[i].ID == word(t.OrderID)))
	}
	return out, nil
}

func ticketOrder(o *order.Order, p *order.Payment, about bool) TicketOrder {
	return TicketOrder{ID: o.ID, Reference: o.Reference, Status: string(o.Status), Resolution: optional(word(o.Resolution)), Authorised: order.IsAuthorised(o, p), Total: money.USD.Format(o.Total),
		Asset: string(o.Asset), Amount: o.Asset.Format(o.Amount), About: about, CreatedAt: o.CreatedAt}
}
