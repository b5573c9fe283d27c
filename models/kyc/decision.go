package kyc

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// What staff can decide about an identity.
const (
	KYCApprove = "approve" // whatever the provider says
	KYCReject  = "reject"  // for good, or to be tried again
	KYCRevoke  = "revoke"  // revoke the level in force
	KYCHold    = "hold"    // let nothing be granted for now
	KYCRelease = "release" // end the hold
	KYCAsk     = "ask"     // have the documents shown again
)

// KYCDecisionKinds lists them.
var KYCDecisionKinds = []string{KYCApprove, KYCReject, KYCRevoke, KYCHold, KYCRelease, KYCAsk}

// KYCVerdict is the data of a decision: the level of an approval, and whether the customer may try again after a
// refusal. An approval that two people made names its proposal and who proposed it.
type KYCVerdict struct {
	Level      string `json:"level,omitempty"`
	CanRetry   bool   `json:"canRetry,omitempty"`
	Proposal   string `json:"proposal,omitempty"`
	ProposedBy string `json:"proposedBy,omitempty"`
}

// Awaits lists what staff can decide now.
func (r *KYCRecord) Awaits() []string {
	open := r.Status == KYCPending || r.Status == KYCRejected
	offers := map[string]bool{
		KYCApprove: open && r.ApplicantID != "" && r.DecidedAt == nil, // two officers at once: the first counts
		KYCReject:  r.Status == KYCPending || r.Status == KYCRejected && r.CanRetry,
		KYCRevoke:  r.Verified(),
		KYCHold:    r.HeldAt == nil && r.Status != KYCApproved && (r.Status != KYCRejected || r.CanRetry),
		KYCRelease: r.HeldAt != nil,
		KYCAsk:     r.ResetWantedAt == nil && r.RenewingSince == nil && !BeingChecked(r.ProviderState) && r.Status != KYCNotStarted,
	}
	kinds := []string{}
	for _, kind := range KYCDecisionKinds {
		if offers[kind] {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// OpenKYCDecision writes what a person decided about a customer's identity, and
// its audit entry. It refuses with Conflict what the case does not wait for, and with ErrSecondPerson the approval of
// an identity that was rejected finally: ProposeKYC proposes it.
func OpenKYCDecision(ctx context.Context, db *store.DB, userID string, in casework.NewCaseDecision) (*casework.CaseDecision, error) {
	if !store.IsID(userID) {
		return nil, store.NotFound("Customer")
	}
	if strings.TrimSpace(in.Reason) == "" {
		return nil, store.Invalid("reason", "required", "Enter a reason")
	}
	if known, err := hasKYC(ctx, db, userID); err != nil || !known {
		return nil, orNotFound(err)
	}
	var decision *casework.CaseDecision
	err := changeKYC(ctx, db, userID, func(c *kycChange) (err error) {
		if err := c.checkAwaits(in.Kind); err != nil {
			return err
		}
		if in.Kind == KYCApprove && c.NeedsTwo() {
			return store.FirstError(people.Another(ctx, c.tx, in.ActorID, casework.OwnCase(KindKYC), userID), ErrSecondPerson)
		}
		decision, err = casework.StoreCaseDecision(ctx, c.tx, c.about(), in)
		return err
	})
	return decision, err
}

// checkAwaits returns a Conflict if the verification does not wait for a decision.
func (c *kycChange) checkAwaits(kind string) error {
	if slices.Contains(c.Awaits(), kind) {
		return nil
	}
	return store.Conflict("kyc_state", "The verification doesn't allow this: it is "+strings.ReplaceAll(c.Status, "_", " "))
}

func orNotFound(err error) error {
	if err == nil {
		return store.NotFound("Customer")
	}
	return err
}

func hasKYC(ctx context.Context, db *store.DB, userID string) (bool, error) {
	var known bool
	if err := db.Row(ctx, "SELECT EXISTS (SELECT FROM kyc_records WHERE user_id = $1)", userID).Scan(&known); err != nil {
		return false, fmt.Errorf("find KYC record: %w", err)
	}
	return known, nil
}

// DecideKYC executes a decision, in one transaction with the decision's end.
func DecideKYC(ctx context.Context, db *store.DB, userID, decisionID string, terms KYCTerms) error {
	return changeKYC(ctx, db, userID, func(c *kycChange) error {
		decision, err := casework.CaseDecisions.Of(KindKYC).Current(ctx, c.tx, userID, decisionID, KYCDecisionKinds...)
		if err != nil {
			return err
		}
		if !slices.Contains(c.Awaits(), decision.Kind) {
			return store.Conflict("kyc_state", "The verification has changed. Refresh the page.")
		}
		var verdict KYCVerdict
		if err := json.Unmarshal(decision.Data, &verdict); err != nil {
			return fmt.Errorf("read decision: %w", err)
		}
		if err := c.executeKind(decision, verdict, terms); err != nil {
			return err
		}
		return casework.CaseDecisions.Resolve(ctx, c.tx, decision.ID, casework.DecisionDone)
	})
}

func (c *kycChange) executeKind(decision *casework.CaseDecision, verdict KYCVerdict, terms KYCTerms) error {
	switch decision.Kind {
	case KYCApprove:
		return c.approveByStaff(decision, verdict, terms)
	case KYCReject:
		return c.refuse(verdict.CanRetry)
	case KYCRevoke:
		c.DecidedAt, c.Status, c.CanRetry, c.OnHold, c.Reason, c.Labels = &c.now, KYCRejected, false, false, "", nil
		c.rejectFinally(casework.ByStaff)
		return c.end(KYCEndedStaff, casework.ByStaff)
	case KYCHold:
		c.HeldAt = &c.now
		return c.record(casework.Event{Kind: "held", Actor: casework.ByStaff, Internal: true})
	case KYCRelease:
		c.HeldAt = nil
		return c.record(casework.Event{Kind: "released", Actor: casework.ByStaff, Internal: true})
	}
	return c.ask(terms)
}

// refuse rejects an attempt. If the customer may try again, the provider is asked to reset it; a final refusal also
// revokes the level in force.
func (c *kycChange) refuse(canRetry bool) error {
	c.DecidedAt, c.HeldAt, c.Status, c.CanRetry, c.OnHold, c.Reason, c.Labels = &c.now, nil, KYCRejected, canRetry, false, "", nil
	if canRetry && c.ApplicantID != "" {
		c.ResetWantedAt = &c.now
	}
	if !canRetry {
		c.rejectFinally(casework.ByStaff)
	}
	if !canRetry && c.Verified() {
		return c.end(KYCEndedStaff, casework.ByStaff)
	}
	return c.record(casework.Event{Kind: "rejected", Actor: casework.ByStaff, Data: map[string]any{"level": c.ReviewLevel, "canRetry": canRetry}})
}

// ask has the documents shown again. A level in force stays in force meanwhile, for as long as the warning before an
// expiry lasts.
func (c *kycChange) ask(terms KYCTerms) error {
	c.ResetWantedAt, c.DecidedAt = nil, nil
	if c.ApplicantID != "" {
		c.ResetWantedAt = &c.now
	}
	if c.Verified() {
		c.RenewingSince = &c.now
		if until := c.now.Add(terms.Notice); c.ExpiresAt == nil || until.Before(*c.ExpiresAt) {
			c.ExpiresAt = &until
		}
		c.RemindedAt = &c.now // the mail that requests them states it
		c.schedule(terms)
	} else {
		c.Status, c.CanRetry, c.OnHold, c.Reason, c.Labels = KYCNotStarted, true, false, "", nil
	}
	return c.record(casework.Event{Kind: "asked_again", Actor: casework.ByStaff})
}
