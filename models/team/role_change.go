package team

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"gorm.io/gorm"

	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/support"
)

// memberChange is one transaction on one person's roles: no other transaction changes any role meanwhile.
type memberChange struct {
	*account.Customer
	has []string // their roles now, sorted
	now time.Time
	in  account.StaffAction

	ctx context.Context
	tx  *store.DB
}

// changeMember locks the team and one of its members, and runs fn; it is the only way in which people change roles.
func changeMember(ctx context.Context, db *store.DB, in account.StaffAction, fn func(c *memberChange) error) error {
	return changeTeam(ctx, db, in.ActorID, func(tx *store.DB) error {
		return account.LockCustomerRow(ctx, tx, in, func(tx *store.DB, customer *account.Customer) error {
			has, err := rolesOf(ctx, tx, customer.ID)
			if err != nil {
				return err
			}
			now, err := tx.Now(ctx)
			if err != nil {
				return err
			}
			return fn(&memberChange{Customer: customer, has: has, now: now, in: in, ctx: ctx, tx: tx})
		})
	})
}

// answerRoles runs fn on a proposal that is open. One that is decided is refused with its decider's name.
func answerRoles(ctx context.Context, db *store.DB, id string, in account.StaffAction, fn func(c *memberChange, p *RoleProposal) error) error {
	p, err := ReadRoleProposal(ctx, db, id)
	if err != nil {
		return err
	}
	in.CustomerID = p.UserID
	return changeMember(ctx, db, in, func(c *memberChange) error {
		p, err := ReadRoleProposal(ctx, c.tx, id) // as it is now, under the lock
		switch {
		case err != nil:
			return err
		case p.Status == casework.ProposalExpired:
			return store.Conflict("proposal_decided", "This proposal has expired because roles were removed or an account was frozen")
		case p.Status != casework.ProposalOpen:
			return store.Conflict("proposal_decided", fmt.Sprintf("%s has already %s this", p.Decider, p.Status))
		}
		return fn(c, &p.RoleProposal)
	})
}

// mayHave refuses roles that a user must not have, or that give them nothing more.
func (c *memberChange) mayHave(roles []string) error {
	switch {
	case c.DisabledAt != nil || c.ClosedAt != nil:
		return store.Conflict("account_ended", "This account is disabled or closed")
	case c.FrozenAt != nil:
		return store.Conflict("account_frozen", "This account is frozen")
	case !c.EmailVerified:
		return store.Conflict("email_unverified", "Their e-mail address isn't confirmed yet")
	case !slices.ContainsFunc(roles, func(role string) bool { return !slices.Contains(c.has, role) }):
		return store.Conflict("gives_nothing", "This adds no role. You don't need a second admin to remove one.")
	}
	return nil
}

// become gives and removes roles until a user has exactly these, and ends all of their sessions. If they answer
// tickets no more, theirs are unassigned, and their first approvals end.
func (c *memberChange) become(roles []string, by string) (ended int64, err error) {
	if err := people.SetRoles(c.ctx, c.tx, c.ID, roles, by); err != nil {
		return 0, err
	}
	if !slices.ContainsFunc(roles, func(role string) bool { return slices.Contains(support.TicketAnswerers, role) }) {
		by := audit.AuditEntry{ActorID: c.in.ActorID, ActorRole: c.in.ActorRole, RequestID: c.in.RequestID}
		if err := support.LeaveTickets(c.ctx, c.tx, c.ID, by); err != nil {
			return 0, err
		}
	}
	if err := expireFirstApprovals(c.ctx, c.tx, c.in, roles); err != nil {
		return 0, err
	}
	return account.EndSessions(c.ctx, c.tx, c.ID)
}

func (c *memberChange) openProposal() (*RoleProposal, error) {
	var rows []RoleProposal
	err := c.tx.ORM(c.ctx).Where("user_id = ? AND status = ?", c.ID, casework.ProposalOpen).Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read role proposal: %w", err)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	return &rows[0], nil
}

func (c *memberChange) decide(p *RoleProposal, how casework.ProposalStatus, answer string) error {
	err := c.tx.ORM(c.ctx).Exec("UPDATE role_proposals SET status = ?, decided_by = ?, decided_at = ?, answer = ? WHERE id = ? AND status = ?",
		how, c.in.ActorID, c.now, answer, p.ID, casework.ProposalOpen).Error
	if err != nil {
		return fmt.Errorf("store role proposal: %w", err)
	}
	return nil
}

// expireProposals ends the proposals about a user whose roles were removed, or who is frozen, and their own proposals,
// which no admin may approve any more.
func expireProposals(ctx context.Context, tx *store.DB, user string) error {
	err := tx.ORM(ctx).Exec("UPDATE role_proposals SET status = ?, decided_at = clock_now() WHERE status = ? AND (user_id = ? OR proposed_by = ?)",
		casework.ProposalExpired, casework.ProposalOpen, user, user).Error
	if err != nil {
		return fmt.Errorf("end role proposals: %w", err)
	}
	return nil
}

// appendEvent appends what happened to the timeline, with the mail that it causes. The timeline stores roles and no free
// text: it is never erased.
func (c *memberChange) appendEvent(kind string, internal bool, occasion string, had, has []string) error {
	about := casework.About{Matter: KindTeam, ID: c.ID, UserID: c.ID, Status: roleWords(has)}
	return casework.Append(c.ctx, c.tx, about, casework.Event{Kind: kind, Actor: casework.ByStaff, Internal: internal, Dedupe: kind + ":" + occasion,
		Data: map[string]any{"had": roleWords(had), "roles": roleWords(has)}})
}

func (c *memberChange) audit(action string, had, has []string, more map[string]any) error {
	after := maps.Clone(more)
	after["roles"] = has
	return account.AuditStaff(c.ctx, c.tx, c.in, action, map[string]any{"roles": had}, after)
}

func knownRoleProposals(ctx context.Context, db *store.DB) *gorm.DB {
	return db.ORM(ctx).Table("role_proposals").
		Select("role_proposals.*, u.email, u.first_name, u.last_name, p.email AS proposer, coalesce(d.email, '') AS decider").
		Joins("JOIN users u ON u.id = role_proposals.user_id").Joins("JOIN users p ON p.id = role_proposals.proposed_by").
		Joins("LEFT JOIN users d ON d.id = role_proposals.decided_by")
}
