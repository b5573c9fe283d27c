package kyc

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lib/pq"

	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// An identity that was rejected finally is approved by two people: one proposes it, and another approves what was
// proposed. The approval is a decision of the second person, which the customer's workflow executes.

// ErrSecondPerson refuses one person the approval of an identity that was rejected finally; it can be proposed.
var ErrSecondPerson = store.Conflict("second_person", "This identity was rejected finally. A second person must approve it")

// NeedsTwo reports whether two people must approve the identity: it was rejected finally, by the provider or by staff,
// and no approval has followed. Documents that are shown again do not change that; the provider's approval does.
func (r *KYCRecord) NeedsTwo() bool { return r.FinalAt != nil }

// rejectFinally records a final rejection with the attempt's labels.
func (c *kycChange) rejectFinally(by casework.Actor) {
	c.FinalAt, c.FinalBy, c.FinalLabels = &c.now, by, slices.Clone(c.Labels)
}

// Proposal is an approval that waits for a second person, or its outcome. One is open per customer.
type Proposal struct {
	ID         string `gorm:"primaryKey"`
	UserID     string
	Level      string
	Version    int // of the verification as the proposer saw it
	FinalAt    time.Time
	FinalBy    casework.Actor
	Labels     pq.StringArray `gorm:"type:text[]"` // the provider's, of the rejection that it overrules
	Reason     string
	ProposedBy string
	CreatedAt  time.Time               `gorm:"default:clock_now()"`
	Status     casework.ProposalStatus `gorm:"default:open"`
	DecidedBy  *string
	DecidedAt  *time.Time
	Answer     string
	DecisionID *string
}

// TableName implements GORM's Tabler.
func (Proposal) TableName() string { return "kyc_proposals" }

// KnownProposal is a proposal with its customer's name and the addresses of its proposer and decider.
type KnownProposal struct {
	Proposal      `gorm:"embedded"`
	Email         string
	FirstName     string
	LastName      string
	ProviderState string // the provider's present word
	Proposer      string
	Decider       string
}

// CustomerName returns what the customer is called.
func (p *KnownProposal) CustomerName() string {
	return people.PersonName(p.FirstName, p.LastName, p.Email)
}

const knownProposals = `SELECT p.*, u.email, u.first_name, u.last_name, k.provider_state, a.email AS proposer, coalesce(d.email, '') AS decider
	FROM kyc_proposals p JOIN users u ON u.id = p.user_id JOIN kyc_records k ON k.user_id = p.user_id
	JOIN users a ON a.id = p.proposed_by LEFT JOIN users d ON d.id = p.decided_by`

// OpenProposals returns the approvals that wait for a second person, oldest first.
func OpenProposals(ctx context.Context, db *store.DB) ([]KnownProposal, error) {
	return readProposals(ctx, db, "p.status = 'open'")
}

// Proposals returns what was proposed about a customer's identity, oldest first.
func Proposals(ctx context.Context, db *store.DB, userID string) ([]KnownProposal, error) {
	return readProposals(ctx, db, "p.user_id = ?", userID)
}

func readProposals(ctx context.Context, db *store.DB, which string, args ...any) (rows []KnownProposal, err error) {
	err = db.ORM(ctx).Raw(knownProposals+" WHERE "+which+" ORDER BY p.created_at, p.id", args...).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read identity proposals: %w", err)
	}
	return rows, nil
}

// ProposeKYC proposes the approval of an identity that was rejected finally. It changes nothing else, and refuses what
// could not be approved now.
func ProposeKYC(ctx context.Context, db *store.DB, userID, level string, by store.Actor) (row *Proposal, err error) {
	if by.Reason = strings.TrimSpace(by.Reason); by.Reason == "" {
		return nil, store.Invalid("reason", "required", "Enter a reason")
	}
	if known, err := hasKYC(ctx, db, userID); err != nil || !known {
		return nil, orNotFound(err)
	}
	err = changeKYC(ctx, db, userID, func(c *kycChange) error {
		err := people.Another(ctx, c.tx, by.ActorID, casework.OwnCase(KindKYC), userID)
		if err = store.FirstError(err, c.checkProposable()); err != nil {
			return err
		}
		row = &Proposal{ID: store.NewID(), UserID: userID, Level: level, Version: c.Version, FinalAt: *c.FinalAt, FinalBy: c.FinalBy,
			Labels: append(pq.StringArray{}, c.FinalLabels...), Reason: by.Reason, ProposedBy: by.ActorID, CreatedAt: c.now, Status: casework.ProposalOpen}
		if err := c.tx.ORM(ctx).Create(row).Error; err != nil {
			return fmt.Errorf("store identity proposal: %w", err)
		}
		event := casework.Event{Kind: "proposed", Actor: casework.ByStaff, Internal: true, Dedupe: "proposal:" + row.ID, Data: map[string]any{"level": level}}
		return store.FirstError(c.record(event), c.auditProposal(row, "proposed", by))
	})
	return row, err
}

// checkProposable returns an error unless the approval is awaited and needs two people, and no decision or proposal is
// open.
func (c *kycChange) checkProposable() error {
	if err := c.checkAwaits(KYCApprove); err != nil {
		return err
	}
	if !c.NeedsTwo() {
		return store.Conflict("kyc_state", "The verification has changed. Refresh the page.")
	}
	decision, err := casework.CaseDecisions.Of(KindKYC).Open(c.ctx, c.tx, c.UserID)
	if err != nil {
		return err
	}
	if decision != nil {
		return store.Conflict("decision_open", "Another decision on this is in progress: "+decision.Kind)
	}
	open, err := readProposals(c.ctx, c.tx, "p.user_id = ? AND p.status = 'open'", c.UserID)
	if err == nil && len(open) > 0 {
		err = store.Conflict("proposal_open", open[0].Proposer+" proposed to approve this identity. Approve or reject it first.")
	}
	return err
}

// ProposalAnswer is a decision about a proposal: which one, and the version that was seen.
type ProposalAnswer struct {
	UserID, ID string
	Version    int
	store.Actor
}

// ApproveProposal makes a proposed approval the decision of a second person. The caller passes the decision to the
// customer's workflow.
func ApproveProposal(ctx context.Context, db *store.DB, in ProposalAnswer) (decision *casework.CaseDecision, err error) {
	err = answerProposal(ctx, db, in, func(c *kycChange, p *KnownProposal) error {
		own := store.Forbidden("own_proposal", "A second person must approve this")
		err := people.Another(ctx, c.tx, in.ActorID, own, p.ProposedBy)
		if err = store.FirstError(err, dualcontrol.CheckNotFrozen(ctx, c.tx, p.ProposedBy), c.checkAwaits(KYCApprove)); err != nil {
			return err
		}
		decision, err = casework.StoreCaseDecision(ctx, c.tx, c.about(), casework.NewCaseDecision{Kind: KYCApprove, ActorID: in.ActorID, ActorRole: in.ActorRole,
			Reason: p.Reason, RequestID: in.RequestID, Data: KYCVerdict{Level: p.Level, Proposal: p.ID, ProposedBy: p.ProposedBy}})
		if err != nil {
			return err
		}
		p.DecisionID = &decision.ID
		return c.decideProposal(p, casework.ProposalApproved, in.ActorID, "")
	})
	return decision, err
}

// RejectProposal ends a proposal without effect; its proposer withdraws it so.
func RejectProposal(ctx context.Context, db *store.DB, in ProposalAnswer) error {
	if in.Reason = strings.TrimSpace(in.Reason); in.Reason == "" {
		return store.Invalid("reason", "required", "Enter a reason")
	}
	return answerProposal(ctx, db, in, func(c *kycChange, p *KnownProposal) error {
		how := casework.ProposalRejected
		if in.ActorID == p.ProposedBy {
			how = casework.ProposalWithdrawn
		}
		if err := c.decideProposal(p, how, in.ActorID, in.Reason); err != nil {
			return err
		}
		return c.auditProposal(&p.Proposal, string(how), in.Actor)
	})
}

// answerProposal locks the verification and runs fn on its open proposal. A proposal that is decided, or is not the
// version that was seen, is refused with the change.
func answerProposal(ctx context.Context, db *store.DB, in ProposalAnswer, fn func(c *kycChange, p *KnownProposal) error) error {
	if !store.IsID(in.UserID) || !store.IsID(in.ID) {
		return store.NotFound("Proposal")
	}
	if known, err := hasKYC(ctx, db, in.UserID); err != nil || !known {
		return orNotFound(err)
	}
	return changeKYC(ctx, db, in.UserID, func(c *kycChange) error {
		rows, err := readProposals(ctx, c.tx, "p.user_id = ? AND p.id = ?", in.UserID, in.ID)
		if err = store.FirstError(err, people.Another(ctx, c.tx, in.ActorID, casework.OwnCase(KindKYC), in.UserID)); err != nil {
			return err
		}
		if len(rows) == 0 {
			return store.NotFound("Proposal")
		}
		p := &rows[0]
		switch {
		case p.Status == casework.ProposalExpired && c.Version != p.Version:
			return store.Conflict("proposal_outdated", "The verification has changed since this was proposed: it is now "+strings.ReplaceAll(c.Status, "_", " ")+". Refresh the page.")
		case p.Status == casework.ProposalExpired:
			return store.Conflict("proposal_decided", "This proposal has expired because the proposer's role or the customer's account changed")
		case p.Status != casework.ProposalOpen:
			return store.Conflict("proposal_decided", fmt.Sprintf("%s has already %s this", p.Decider, p.Status))
		case p.Version != in.Version:
			return store.Conflict("proposal_outdated", fmt.Sprintf("You saw another version of this proposal. It now proposes the level %s. Refresh the page.", p.Level))
		}
		return fn(c, p)
	})
}

func (c *kycChange) decideProposal(p *KnownProposal, how casework.ProposalStatus, by, answer string) error {
	err := c.tx.ORM(c.ctx).Exec("UPDATE kyc_proposals SET status = ?, decided_by = ?, decided_at = ?, answer = ?, decision_id = ? WHERE id = ? AND status = 'open'",
		how, by, c.now, answer, p.DecisionID, p.ID).Error
	if err != nil {
		return fmt.Errorf("store identity proposal: %w", err)
	}
	return c.recordProposal(p.ID, p.Level, how, casework.ByStaff)
}

func (c *kycChange) recordProposal(id, level string, how casework.ProposalStatus, by casework.Actor) error {
	return c.record(casework.Event{Kind: "proposal_decided", Actor: by, Internal: true, Dedupe: "proposal:" + id + ":decided",
		Data: map[string]any{"level": level, "outcome": how}})
}

// auditProposal writes the audit entry of a proposal, or of its end, with who proposed it.
func (c *kycChange) auditProposal(p *Proposal, how string, by store.Actor) error {
	return audit.Audit(c.ctx, c.tx, audit.AuditEntry{ActorID: by.ActorID, ActorRole: by.ActorRole, Action: "kyc.approve_" + how, ObjectKind: string(KindKYC), ObjectID: c.UserID,
		Before: map[string]any{"status": c.Status, "rejectedBy": p.FinalBy, "labels": p.Labels},
		After:  map[string]any{"proposal": p.ID, "proposedBy": p.ProposedBy, "level": p.Level}, Reason: by.Reason, RequestID: by.RequestID})
}

// outdateProposal counts a change of what staff decide upon, and ends the open proposal, whose proposer saw something
// else. It runs at the end of each change.
func (c *kycChange) outdateProposal() error {
	if c.looksLike(&c.before) {
		return nil
	}
	c.Version++
	if !c.before.NeedsTwo() { // an identity without a final rejection has no proposal
		return nil
	}
	var rows []Proposal
	err := c.tx.ORM(c.ctx).Raw("UPDATE kyc_proposals SET status = 'lapsed', decided_at = ? WHERE user_id = ? AND status = 'open' RETURNING *", c.now, c.UserID).Scan(&rows).Error
	if err != nil {
		return fmt.Errorf("end identity proposal: %w", err)
	}
	for _, p := range rows {
		if err := c.recordProposal(p.ID, p.Level, casework.ProposalExpired, casework.BySystem); err != nil {
			return err
		}
	}
	return nil
}

// looksLike reports whether staff who saw another state of the record would decide upon the same.
func (r *KYCRecord) looksLike(o *KYCRecord) bool {
	same := func(a, b *time.Time) bool { return timeOf(a).Equal(timeOf(b)) }
	return r.Status == o.Status && r.CanRetry == o.CanRetry && r.OnHold == o.OnHold && r.LevelInForce() == o.LevelInForce() &&
		r.ReviewLevel == o.ReviewLevel && r.ProviderState == o.ProviderState && r.ApplicantID == o.ApplicantID && r.Attempt == o.Attempt &&
		r.Reason == o.Reason && slices.Equal(r.Labels, o.Labels) && same(r.ProviderAt, o.ProviderAt) && same(r.HeldAt, o.HeldAt) &&
		same(r.DecidedAt, o.DecidedAt) && same(r.FinalAt, o.FinalAt)
}

// approveByStaff executes an approval. An identity that was rejected finally is approved only if the decision completes
// a proposal about the verification as it is now.
func (c *kycChange) approveByStaff(decision *casework.CaseDecision, verdict KYCVerdict, terms KYCTerms) error {
	by, err := c.approversOf(decision)
	if err != nil {
		return err
	}
	if !by.two() && (c.NeedsTwo() || verdict.Proposal != "") {
		return store.Conflict("kyc_state", "The verification has changed. Refresh the page.")
	}
	c.DecidedAt, c.HeldAt, c.ResetWantedAt = &c.now, nil, nil
	if err := c.approve(verdict.Level, "", casework.ByStaff, true, time.Time{}, terms); err != nil {
		return err
	}
	return dualcontrol.Attest(c.ctx, c.tx, dualcontrol.Attestation{Kind: dualcontrol.Identity, By: by.First, Second: by.Second, Customer: c.UserID,
		Subject: dualcontrol.Ref{Kind: "identity", ID: c.UserID}, Source: dualcontrol.Ref{Kind: casework.CaseDecisions.Table, ID: decision.ID}})
}

// approvers are the members of staff whose word an approval rests on. Second is empty if one person approved alone.
type approvers struct{ First, Second string }

func (a approvers) two() bool { return a.Second != "" }

// approversOf reads who made an approval: the decision's actor alone, or the proposer and the actor.
func (c *kycChange) approversOf(decision *casework.CaseDecision) (approvers, error) {
	var first []string
	err := c.tx.ORM(c.ctx).Raw("SELECT proposed_by FROM kyc_proposals WHERE decision_id = ? AND user_id = ? AND status = 'approved' AND version = ?",
		decision.ID, c.UserID, c.Version).Scan(&first).Error
	if err != nil {
		return approvers{}, fmt.Errorf("read who proposed an approval: %w", err)
	}
	if len(first) == 0 {
		return approvers{First: decision.ActorID}, nil
	}
	return approvers{First: first[0], Second: decision.ActorID}, nil
}

// WithdrawProposals ends a person's open proposals about identities, and returns their customers.
func WithdrawProposals(ctx context.Context, tx *store.DB, by string) ([]string, error) {
	return tx.Changed(ctx, `UPDATE kyc_proposals SET status = 'lapsed', decided_at = clock_now() WHERE proposed_by = ? AND status = 'open' RETURNING user_id`, by)
}
