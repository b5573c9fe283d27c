package support

import (
	"time"
)

// AdminTicket is a ticket as staff see it.
type AdminTicket struct {
	Ticket
	UserID        string      `json:"userId" format:"uuid"`
	CustomerName  string      `json:"customerName"`
	CustomerEmail string      `json:"customerEmail"`
	Assignee      *TicketDesk `json:"assignee" doc:"who has it; null while nobody does"`
	WaitsSince    *time.Time  `json:"waitsSince" doc:"when the first message came that nobody has answered"`
	Actions       []string    `json:"actions" doc:"what the signed-in person can do: reply, take, assign, close, reopen"`
}

// TicketDesk is who has a ticket, and since when.
type TicketDesk struct {
	ID    string    `json:"id" format:"uuid"`
	Name  string    `json:"name"`
	Mine  bool      `json:"mine"`
	Since time.Time `json:"since"`
}

// AdminTicketDetail is a ticket with its conversation, as staff see it: internal notes,
// history and assignee.
type AdminTicketDetail struct {
	AdminTicket
	Conversation []TicketMessage `json:"conversation"`
	Notes        []TicketNote    `json:"notes" doc:"for staff alone, oldest first"`
	History      []TicketStep    `json:"history" doc:"oldest first"`
	Customer     TicketCustomer  `json:"customer"`
	MayNote      bool            `json:"mayNote"`
	ClosesAt     *time.Time      `json:"closesAt"`
}

// TicketNote is a staff member's note about a ticket.
type TicketNote struct {
	ID        string    `json:"id" format:"uuid"`
	Author    string    `json:"author"`
	Body      string    `json:"body"`
	CreatedAt time.Time `json:"createdAt"`
}

// TicketStep is one action on a ticket.
type TicketStep struct {
	At     time.Time `json:"at"`
	Kind   string    `json:"kind" doc:"take, assign, reply, reply_close, close, reopen; by its customer or the system: opened, closed"`
	By     string    `json:"by" enum:"staff,customer,system"`
	Name   string    `json:"name" doc:"who of the staff"`
	To     *string   `json:"to" doc:"whom it was given to; null where that did not change, or it is nobody's since"`
	Reason string    `json:"reason"`
}

// TicketCustomer is the customer's data for the staff who answer a ticket.
type TicketCustomer struct {
	KYCStatus  string        `json:"kycStatus" enum:"not_started,pending,verified,enhanced,rejected"`
	Balance    string        `json:"balance" doc:"US dollars"`
	Receivable string        `json:"receivable" doc:"US dollars they owe us"`
	Frozen     bool          `json:"frozen"`
	Flags      []string      `json:"flags" doc:"as on the customer's page"`
	Orders     []TicketOrder `json:"orders" doc:"the one it is about, then the newest"`
}

// TicketOrder is an order beside a ticket.
type TicketOrder struct {
	ID         string    `json:"id" format:"uuid"`
	Reference  string    `json:"reference"`
	Status     string    `json:"status" enum:"pending,payment_approved,fulfilling,filled,sent,failed"`
	Resolution *string   `json:"resolution"`
	Authorised bool      `json:"authorised" doc:"its card holds the amount, and nobody has accepted it yet"`
	Total      string    `json:"total" doc:"US dollars"`
	Asset      string    `json:"asset"`
	Amount     string    `json:"amount" doc:"in coins"`
	About      bool      `json:"about" doc:"the ticket is about this one"`
	CreatedAt  time.Time `json:"createdAt"`
}

// TicketsSummary counts the tickets that the other filters let through, for each
// filter.
type TicketsSummary struct {
	Total     int            `json:"total" doc:"of all statuses"`
	ByStatus  map[string]int `json:"byStatus"`
	ByDesk    map[string]int `json:"byDesk" doc:"all, mine, nobody"`
	BySubject map[string]int `json:"bySubject" doc:"and all"`
}

// Answerer is a member of staff to whom a ticket can be assigned.
type Answerer struct {
	ID      string `json:"id" format:"uuid"`
	Name    string `json:"name"`
	Mine    bool   `json:"me"`
	Tickets int    `json:"tickets" doc:"how many of theirs are not closed"`
}

// TicketAnswer is what staff answer.
type TicketAnswer struct {
	Message string `json:"message" required:"false" maxLength:"20000" doc:"at most 5000 characters"`
	Close   bool   `json:"close,omitempty" doc:"and nothing is left to be done"`
}

// TicketAssignment assigns a ticket to a member of staff, or to none.
type TicketAssignment struct {
	AssigneeID string `json:"assigneeId" maxLength:"36" doc:"who gets it; empty: nobody"`
	From       string `json:"from" maxLength:"36" doc:"whose it was as the chooser saw it; empty: nobody's"`
}

// TicketClosing is why a ticket is closed without an answer.
type TicketClosing struct {
	Reason string `json:"reason" maxLength:"500"`
}

// NewTicketNote is a note about a ticket.
type NewTicketNote struct {
	Body string `json:"body" maxLength:"2000"`
}
