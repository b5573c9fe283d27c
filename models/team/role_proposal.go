package team

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/lib/pq"

	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// Giving a role needs two admins: one proposes, another approves. Removing one is safe and may be urgent, so that one
// admin does it; no admin does either to themselves.

// RoleProposal is a change of a user's roles that waits for a second admin. One is open per person.
type RoleProposal struct {
	ID         string `gorm:"primaryKey"`
	UserID     string
	Had        pq.StringArray `gorm:"type:text[]"` // the roles as the proposer saw them
	Roles      pq.StringArray `gorm:"type:text[]"` // all that they have once it is approved
	Reason     string
	ProposedBy string
	CreatedAt  time.Time               `gorm:"default:clock_now()"`
	Status     casework.ProposalStatus `gorm:"default:open"`
	DecidedBy  *string
	DecidedAt  *time.Time
	Answer     string
}

// KnownRoleProposal is a proposal with the names of its subject, proposer and decider.
type KnownRoleProposal struct {
	RoleProposal `gorm:"embedded"`
	Email        string
	FirstName    string
	LastName     string
	Proposer     string
	Decider      string
}

// Name is what others call whose roles it is about.
func (p *KnownRoleProposal) Name() string {
	return (&people.User{Email: p.Email, FirstName: p.FirstName, LastName: p.LastName}).Name()
}

// RoleProposals is one page of what was proposed, newest first, or of those in
// one status; an empty one is all.
func RoleProposals(ctx context.Context, db *store.DB, status casework.ProposalStatus, p store.Page) ([]KnownRoleProposal, *store.Cursor, error) {
	query := knownRoleProposals(ctx, db)
	if status != "" {
		query = query.Where("role_proposals.status = ?", status)
	}
	var rows []KnownRoleProposal
	if err := p.In(query, "role_proposals").Scan(&rows).Error; err != nil {
		return nil, nil, fmt.Errorf("read role proposals: %w", err)
	}
	rows, next := store.Cut(rows, p, func(r KnownRoleProposal) store.Cursor { return store.Cursor{At: r.CreatedAt, ID: r.ID} })
	return rows, next, nil
}

// CountRoleProposals counts what was proposed, without reading it.
func CountRoleProposals(ctx context.Context, db *store.DB) (store.Counts[casework.ProposalStatus], error) {
	return store.CountByStatus[casework.ProposalStatus](ctx, db, "role_proposals", "")
}

// ReadRoleProposal reads one.
func ReadRoleProposal(ctx context.Context, db *store.DB, id string) (*KnownRoleProposal, error) {
	if _, err := store.RowByID[RoleProposal](ctx, db, id, "Proposal"); err != nil {
		return nil, err
	}
	var row KnownRoleProposal
	if err := knownRoleProposals(ctx, db).Where("role_proposals.id = ?", id).Scan(&row).Error; err != nil {
		return nil, fmt.Errorf("read role proposal: %w", err)
	}
	return &row, nil
}

// ProposeRoles stores a proposed set of roles; nothing changes until another admin approves it. A change that only
// removes roles needs no second person, and is refused here.
func ProposeRoles(ctx context.Context, db *store.DB, in account.StaffAction, chosen []string) (row *RoleProposal, err error) {
	roles, err := store.KnownRoles(chosen)
	if err = store.FirstError(err, in.NeedsReason()); err != nil {
		return nil, err
	}
	err = changeMember(ctx, db, in, func(c *memberChange) error {
		if err := c.mayHave(roles); err != nil {
			return err
		}
		if open, err := c.openProposal(); err != nil || open != nil {
			return store.FirstError(err, store.Conflict("proposal_open", "A change of this person's roles already needs a second admin"))
		}
		row = &RoleProposal{ID: store.NewID(), UserID: in.CustomerID, Had: c.has, Roles: roles, Reason: in.Reason, ProposedBy: in.ActorID, CreatedAt: c.now, Status: casework.ProposalOpen}
		if err := c.tx.ORM(ctx).Create(row).Error; err != nil {
			return fmt.Errorf("store role proposal: %w", err)
		}
		if err := c.appendEvent("proposed", true, row.ID, c.has, roles); err != nil {
			return err
		}
		return c.audit("team.proposed", c.has, roles, map[string]any{"proposal": row.ID})
	})
	return row, err
}

// ApproveRoles gives a user the roles that another admin has proposed. All their sessions end: the roles apply from
// their next sign-in on.
func ApproveRoles(ctx context.Context, db *store.DB, id string, in account.StaffAction) error {
	return answerRoles(ctx, db, id, in, func(c *memberChange, p *RoleProposal) error {
		own := store.Forbidden("own_proposal", "A second admin must approve this")
		if err := store.FirstError(people.Another(ctx, c.tx, in.ActorID, own, p.ProposedBy), casework.CheckApproval(ctx, c.tx, KindApproval, p.ID, in.Seen)); err != nil {
			return err
		}
		if !slices.Equal(c.has, p.Had) {
			return store.Conflict("proposal_outdated", "Their roles have changed since this was proposed. Reject it and propose it again.")
		}
		if err := c.mayHave(p.Roles); err != nil {
			return err
		}
		ended, err := c.become(p.Roles, "proposal:"+p.ID)
		if err != nil {
			return err
		}
		if err := c.decide(p, casework.ProposalApproved, ""); err != nil {
			return err
		}
		if err := c.appendEvent("given", false, p.ID, p.Had, p.Roles); err != nil {
			return err
		}
		return c.audit("team.approved", p.Had, p.Roles, map[string]any{"proposal": p.ID, "proposedBy": p.ProposedBy, "sessionsEnded": ended})
	})
}

// RejectRoles ends a proposal without effect; its proposer withdraws it so.
func RejectRoles(ctx context.Context, db *store.DB, id string, in account.StaffAction) error {
	if err := in.NeedsReason(); err != nil {
		return err
	}
	return answerRoles(ctx, db, id, in, func(c *memberChange, p *RoleProposal) error {
		how := casework.ProposalRejected
		if in.ActorID == p.ProposedBy {
			how = casework.ProposalWithdrawn
		}
		if err := c.decide(p, how, in.Reason); err != nil {
			return err
		}
		return c.audit("team."+string(how), p.Had, p.Had, map[string]any{"proposal": p.ID, "proposedBy": p.ProposedBy})
	})
}

// TakeRoles removes roles at once, by one admin, and ends the person's sessions. Proposals by them, or about them,
// expire with it.
func TakeRoles(ctx context.Context, db *store.DB, in account.StaffAction, chosen []string) (ended int64, err error) {
	roles, err := store.KnownRoles(chosen)
	if err = store.FirstError(err, in.NeedsReason()); err != nil {
		return 0, err
	}
	err = changeMember(ctx, db, in, func(c *memberChange) error {
		if slices.ContainsFunc(roles, func(role string) bool { return !slices.Contains(c.has, role) }) {
			return store.Conflict("role_not_held", "They don't have this role. Refresh the page.")
		}
		had, left := c.has, slices.DeleteFunc(slices.Clone(c.has), func(role string) bool { return slices.Contains(roles, role) })
		if ended, err = c.become(left, ""); err != nil {
			return err
		}
		if err := expireProposals(c.ctx, c.tx, c.ID); err != nil {
			return err
		}
		if err := c.appendEvent("taken", false, store.NewID(), had, left); err != nil {
			return err
		}
		return c.audit("team.taken", had, left, map[string]any{"sessionsEnded": ended})
	})
	return ended, err
}
