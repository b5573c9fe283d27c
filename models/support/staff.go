package support

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/lib/pq"

	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// TicketAnswerers are the roles that answer tickets (rules §7).
var TicketAnswerers = []string{"support", "admin"}

// What staff do with a ticket.
const (
	TicketReply  = "reply"
	TicketTake   = "take"
	TicketAssign = "assign"
	TicketClose  = "close"
	TicketReopen = "reopen"
)

// Actions is what staff can do with the ticket.
func (t *Ticket) Actions() []string {
	switch {
	case t.Status == TicketClosed:
		return []string{TicketReopen}
	case t.AssigneeID == nil:
		return []string{TicketReply, TicketTake, TicketAssign, TicketClose}
	}
	return []string{TicketReply, TicketAssign, TicketClose}
}

// TicketAct is something a member of staff does with a ticket. Message is what a reply says, which may also close the
// ticket. AssigneeID is the new assignee, none when empty, and From the assignee that the actor saw.
type TicketAct struct {
	TicketID, Action   string
	ActorID, ActorRole string
	Message            string
	Closes             bool
	AssigneeID, From   string
	Reason             string
	RequestID          string
}

// ActOnTicket does what staff decided, with its line in the audit log, in one transaction. No member of staff answers
// their own ticket.
func ActOnTicket(ctx context.Context, db *store.DB, in TicketAct) (*Ticket, error) {
	return changeTicket(ctx, db, in.TicketID, func(c *ticketChange) error {
		own := store.Forbidden("own_ticket", "You can't handle your own ticket")
		if err := people.Another(ctx, c.tx, in.ActorID, own, c.UserID); err != nil {
			return err
		}
		if err := c.mayAct(in); err != nil {
			return err
		}
		before := c.audited()
		if err := c.act(in); err != nil {
			return err
		}
		return audit.Audit(ctx, c.tx, audit.AuditEntry{ActorID: in.ActorID, ActorRole: in.ActorRole, Action: "ticket." + in.Action, ObjectKind: "ticket", ObjectID: c.ID,
			Before: before, After: c.audited(), Reason: in.Reason, RequestID: in.RequestID})
	})
}

// audited is what the audit log keeps of a ticket.
func (t *Ticket) audited() map[string]any {
	return map[string]any{"status": t.Status, "assignee": t.AssigneeID}
}

// mayAct refuses what cannot be done with the ticket in its state. The second to assign a ticket to themselves is
// refused with the name of the first.
func (c *ticketChange) mayAct(in TicketAct) error {
	assigns := in.Action == TicketTake || in.Action == TicketAssign
	if assigns && c.Status != TicketClosed && store.Text(c.AssigneeID) != in.From {
		return c.assignedTo(in.ActorID)
	}
	if !slices.Contains(c.Actions(), in.Action) {
		return store.Conflict("ticket_state", "The ticket is already "+strings.ReplaceAll(string(c.Status), "_", " ")+". Refresh the page.")
	}
	return nil
}

// assignedTo says whose the ticket is by now.
func (c *ticketChange) assignedTo(actorID string) error {
	switch store.Text(c.AssigneeID) {
	case "":
		return store.Conflict("ticket_taken", "This ticket is no longer assigned. Refresh the page.")
	case actorID:
		return store.Conflict("ticket_taken", "You already have this ticket")
	}
	who, err := people.UserName(c.ctx, c.tx, *c.AssigneeID)
	if err != nil {
		return err
	}
	return store.Conflict("ticket_taken", who+" already took this ticket")
}

func (c *ticketChange) act(in TicketAct) error {
	switch in.Action {
	case TicketReply:
		return c.reply(in)
	case TicketTake:
		return store.FirstError(c.assign(in.ActorID), c.appendEvent("taken", casework.ByStaff))
	case TicketAssign:
		if in.AssigneeID == in.From {
			return store.Invalid("assigneeId", "same", "Choose something else. This changes nothing.")
		}
		return store.FirstError(c.assign(in.AssigneeID), c.appendEvent("assigned", casework.ByStaff))
	case TicketClose:
		if strings.TrimSpace(in.Reason) == "" {
			return store.Invalid("reason", "required", "Enter a reason")
		}
		return store.FirstError(c.move(TicketClosed), c.appendEvent("closed", casework.ByStaff))
	}
	if err := store.FirstError(c.move(TicketOpen), c.leaveGone()); err != nil {
		return err
	}
	c.awaitStaff()
	return c.appendEvent("reopened", casework.ByStaff)
}

// reply writes an answer. An unassigned ticket is assigned to its answerer.
func (c *ticketChange) reply(in TicketAct) error {
	message, err := ticketText(in.Message)
	if err != nil {
		return err
	}
	if c.AssigneeID == nil {
		if err := c.assign(in.ActorID); err != nil {
			return err
		}
	}
	c.Status = TicketInProgress
	if err := store.FirstError(c.add(TicketStaff, in.ActorID, message), c.appendEvent("answered", casework.ByStaff)); err != nil || !in.Closes {
		return err
	}
	return store.FirstError(c.move(TicketClosed), c.appendEvent("closed", casework.ByStaff))
}

// assign assigns the ticket to a member of staff who answers tickets, or to none.
func (c *ticketChange) assign(to string) error {
	c.AssigneeID, c.AssignedAt = nil, nil
	if to == "" {
		return nil
	}
	if store.IsID(to) {
		own := store.Invalid("assigneeId", "own_ticket", "You can't handle your own ticket")
		if err := people.Another(c.ctx, c.tx, to, own, c.UserID); err != nil {
			return err
		}
	}
	may, err := mayAnswer(c.ctx, c.tx, to)
	if err != nil {
		return err
	}
	if !may {
		return store.Invalid("assigneeId", "may_not_answer", "They can't answer tickets. Choose someone else.")
	}
	c.AssigneeID, c.AssignedAt, c.Status = &to, &c.now, TicketInProgress
	return nil
}

// leaveGone unassigns the ticket when its assignee does not answer tickets any more.
func (c *ticketChange) leaveGone() error {
	if c.AssigneeID == nil {
		return nil
	}
	may, err := mayAnswer(c.ctx, c.tx, *c.AssigneeID)
	if err == nil && !may {
		c.AssigneeID, c.AssignedAt = nil, nil
	}
	return err
}

// mayAnswer reports whether a member of staff answers tickets. Their row is locked until the transaction ends, as a
// change of their roles does, so that no ticket stays with an assignee who loses the role.
func mayAnswer(ctx context.Context, db *store.DB, userID string) (bool, error) {
	if !store.IsID(userID) {
		return false, nil
	}
	orm, may := db.ORM(ctx), false
	if err := orm.Exec("SELECT FROM users WHERE id = ? FOR SHARE", userID).Error; err != nil {
		return false, fmt.Errorf("lock who may answer: %w", err)
	}
	err := orm.Raw("SELECT EXISTS (SELECT FROM "+people.EffectiveRoles+" r WHERE user_id = ? AND role = ANY(?))", userID, pq.StringArray(TicketAnswerers)).Row().Scan(&may)
	if err != nil {
		return false, fmt.Errorf("read who may answer: %w", err)
	}
	return may, nil
}

// LeaveTickets unassigns the open tickets of a member of staff who does not answer tickets any more.
func LeaveTickets(ctx context.Context, db *store.DB, userID string, by audit.AuditEntry) error {
	var ids []string
	err := db.ORM(ctx).Raw("UPDATE tickets SET assignee_id = NULL, assigned_at = NULL WHERE assignee_id = ? AND status <> ? RETURNING id", userID, TicketClosed).Scan(&ids).Error
	if err != nil {
		return fmt.Errorf("leave tickets: %w", err)
	}
	by.Action, by.ObjectKind = "ticket."+TicketAssign, "ticket"
	by.Before, by.After = map[string]any{"assignee": userID}, map[string]any{"assignee": nil}
	for _, id := range ids {
		by.ObjectID = id
		if err := audit.Audit(ctx, db, by); err != nil {
			return err
		}
	}
	return nil
}

// NoteOnTicket adds a note for staff to a ticket: its customer never sees it, and no mail contains it.
func NoteOnTicket(ctx context.Context, db *store.DB, id, body string, who store.Actor) error {
	body, err := casework.NoteText(body)
	if err != nil {
		return err
	}
	return db.Tx(ctx, func(tx *store.DB) error {
		ticket, _, err := store.LockedRow[Ticket](ctx, tx, "tickets", id, "Ticket")
		if err != nil {
			return err
		}
		own := store.Forbidden("own_ticket", "You can't handle your own ticket")
		if err := people.Another(ctx, tx, who.ActorID, own, ticket.UserID); err != nil {
			return err
		}
		note, err := casework.TicketNotes.Add(ctx, tx, id, who.ActorID, body)
		if err != nil {
			return err
		}
		return audit.Audit(ctx, tx, audit.AuditEntry{ActorID: who.ActorID, ActorRole: who.ActorRole, Action: "ticket.noted", ObjectKind: "ticket", ObjectID: id,
			After: map[string]any{"note": note}, RequestID: who.RequestID})
	})
}
