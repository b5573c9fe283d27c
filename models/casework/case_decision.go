package casework

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// CaseDecision is a decision about a case.
type CaseDecision struct {
	Decision `gorm:"embedded"`
	Matter   Kind
	MatterID string
	// Data holds ids, amounts and references that the kind needs.
	Data json.RawMessage `gorm:"type:jsonb"`
}

// CaseDecisions are the decisions about cases of every kind; Of narrows them to one.
var CaseDecisions = &Decisions[CaseDecision]{Table: "matter_decisions", Subject: "matter_id", OneOpen: "matter_decisions_one_open"}

// TableName implements GORM's Tabler.
func (CaseDecision) TableName() string { return "matter_decisions" }

// NewCaseDecision is a decision about to be made. The caller has checked that
// the actor's role allows it.
type NewCaseDecision struct {
	Kind, ActorID, ActorRole, Reason, RequestID string
	// Own is a decision that only the case's owner makes, such as withdrawing it;
	// every other is staff's, and never the owner's.
	Own bool
	// Alone is how many cents one person credits to a customer in a day, for a kind that credits; more is refused
	// with ErrSecondPerson. Nil is no limit.
	Alone *money.Units
	// StaffAlone is how many cents may rest on the actor's statement alone in a day, over all customers. Nil is no limit.
	StaffAlone *money.Units
	// First is who proposed it, where two people decided; empty otherwise.
	First string
	// Data is what the kind needs.
	Data any
	// Seen is the version of the approval that the decision completes; empty where it is not checked.
	Seen string
}

// OwnCase refuses staff a decision on their own record.
func OwnCase(caseKind Kind) error {
	return store.Forbidden("own_"+string(caseKind), "You can't decide on your own case")
}

// StoreCaseDecision writes a decision, and its audit entry when staff made it, in the transaction in which the caller
// has locked the case's row and found that it waits for this kind. It refuses while another decision is being
// executed.
func StoreCaseDecision(ctx context.Context, db *store.DB, about About, in NewCaseDecision) (*CaseDecision, error) {
	own := OwnCase(about.Matter)
	if in.Own && in.ActorID != about.UserID {
		return nil, own
	}
	if !in.Own {
		if err := people.Another(ctx, db, in.ActorID, own, about.UserID); err != nil {
			return nil, err
		}
	}
	data := json.RawMessage("{}")
	if in.Data != nil {
		written, err := json.Marshal(in.Data)
		if err != nil {
			return nil, fmt.Errorf("write decision: %w", err)
		}
		data = written
	}
	decision := &CaseDecision{Decision: Decision{ID: store.NewID(), Kind: in.Kind, ActorID: in.ActorID, Reason: strings.TrimSpace(in.Reason)},
		Matter: about.Matter, MatterID: about.ID, Data: data}
	// A conflict must not end the transaction, so the open one is read first.
	if open, err := CaseDecisions.Of(about.Matter).Open(ctx, db, about.ID); err != nil || open != nil {
		if open != nil {
			err = store.Conflict("decision_open", "Another decision on this is in progress: "+strings.ReplaceAll(open.Kind, "_", " "))
		}
		return nil, err
	}
	if err := CaseDecisions.Store(ctx, db, decision, nil); err != nil || in.Own {
		return decision, err // the audit log holds what staff do
	}
	return decision, audit.Audit(ctx, db, audit.AuditEntry{ActorID: in.ActorID, ActorRole: in.ActorRole, Action: string(about.Matter) + "." + in.Kind,
		ObjectKind: string(about.Matter), ObjectID: about.ID, Before: map[string]any{"status": about.Status},
		After: map[string]any{"decision": decision.ID, "asked": data}, Reason: decision.Reason, RequestID: in.RequestID})
}
