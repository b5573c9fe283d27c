package support

import (
	"time"
)

// Ticket is a customer's support ticket, as specification §4 has its status.
type Ticket struct {
	ID        string       `json:"id" format:"uuid"`
	Reference string       `json:"reference" doc:"short public reference, such as ST-7K3M-9QWX"`
	Subject   string       `json:"subject" enum:"general,transaction,account,technical,kyc,voucher"`
	Status    string       `json:"status" enum:"open,in_progress,closed"`
	Message   string       `json:"message" doc:"how it begins"`
	About     *TicketAbout `json:"about" doc:"the order or gift card it was opened from"`
	Messages  int          `json:"messages" doc:"how many there are"`
	Awaits    string       `json:"awaits" enum:"staff,customer" doc:"who writes next"`
	CreatedAt time.Time    `json:"createdAt"`
	UpdatedAt time.Time    `json:"updatedAt"`
	ClosedAt  *time.Time   `json:"closedAt"`
}

// TicketAbout is what a ticket is about.
type TicketAbout struct {
	Kind      string `json:"kind" enum:"order,gift_card"`
	ID        string `json:"id" format:"uuid"`
	Reference string `json:"reference"`
}

// TicketDetail is a ticket with its conversation.
type TicketDetail struct {
	Ticket
	Conversation []TicketMessage `json:"conversation"`
	ClosesAt     *time.Time      `json:"closesAt" doc:"when it closes by itself unless its customer writes"`
}

// TicketMessage is one message: always plain text.
type TicketMessage struct {
	ID        int64     `json:"id"`
	Author    string    `json:"author" enum:"customer,staff"`
	Name      string    `json:"name" doc:"the writer's first name"`
	Body      string    `json:"body"`
	Erased    bool      `json:"erased,omitempty" doc:"its text went with its writer's account"`
	CreatedAt time.Time `json:"createdAt"`
}

// NewTicket is the specification's form, and what the ticket is about.
type NewTicket struct {
	Subject    string `json:"subject" required:"false" maxLength:"20" doc:"general, transaction, account, technical, kyc or voucher"`
	Message    string `json:"message" required:"false" maxLength:"20000" doc:"at most 5000 characters"`
	OrderID    string `json:"orderId,omitempty" maxLength:"64" doc:"the order it is about"`
	GiftCardID string `json:"giftCardId,omitempty" maxLength:"64" doc:"the gift card it is about"`
}

// NewTicketMessage is a message to be added to a ticket.
type NewTicketMessage struct {
	Message string `json:"message" required:"false" maxLength:"20000" doc:"at most 5000 characters"`
}
