package casework

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// CaseDecision is what a person decided about a case: a row first, then an
// Update with the row's id. One is open per case at a time.
type CaseDecision struct {
	ID       string `gorm:"primaryKey"`
	Matter   Kind
	MatterID string
	Kind     string
	ActorID  string
	Reason   string
	// Data holds ids, amounts and references that the kind needs.
	Data        json.RawMessage `gorm:"type:jsonb"`
	CreatedAt   time.Time       `gorm:"default:clock_now()"`
	DeliveredAt *time.Time
	SettledAt   *time.Time
	OutcomeCode *string
}

// TableName implements GORM's Tabler.
func (CaseDecision) TableName() string { return "matter_decisions" }

// NewCaseDecision is a decision about to be taken. The caller has checked that
// the actor's role allows it.
type NewCaseDecision struct {
	Kind, ActorID, ActorRole, Reason, RequestID string
	// Own is a decision that only the owner of the case takes, such as taking
	// it back; every other is staff's, and never the owner's.
	Own bool
	// Alone is how many cents one person lets in for a customer in a day, for a kind
	// that credits; more is refused with ErrSecondPerson. Nil does not ask.
	Alone *money.Units
	// Data is what the kind needs.
	Data any
}

// OwnCase refuses staff a decision on what is their own.
func OwnCase(caseKind Kind) error {
	return store.Forbidden("own_"+string(caseKind), "You can't decide on your own case")
}

// StoreCaseDecision writes a decision, and its audit entry when staff took it,
// in the transaction in which the caller has locked the case's row and found
// that it waits for this kind. It refuses with Conflict while another decision
// is being carried out, and with Forbidden who must not decide.
func StoreCaseDecision(ctx context.Context, db *store.DB, about About, in NewCaseDecision) (*CaseDecision, error) {
	own := OwnCase(about.Matter)
	if in.Own && in.ActorID != about.UserID {
		return nil, own
	}
	if !in.Own {
		if err := audit.AnotherPerson(ctx, db, in.ActorID, own, about.UserID); err != nil {
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
	decision := &CaseDecision{ID: store.NewID(), Matter: about.Matter, MatterID: about.ID, Kind: in.Kind, ActorID: in.ActorID,
		Reason: strings.TrimSpace(in.Reason), Data: data}
	// A conflict must not end the transaction, so the open one is looked for first.
	if open, err := OpenCaseDecision(ctx, db, about.Matter, about.ID); err != nil || open != nil {
		if open != nil {
			err = store.Conflict("decision_open", "Another decision on this is in progress: "+strings.ReplaceAll(open.Kind, "_", " "))
		}
		return nil, err
	}
	if err := db.ORM(ctx).Create(decision).Error; err != nil {
		return nil, fmt.Errorf("store decision: %w", err)
	}
	if in.Own {
		return decision, nil // a customer's own doing is no matter for the audit log
	}
	return decision, audit.Audit(ctx, db, audit.AuditEntry{ActorID: in.ActorID, ActorRole: in.ActorRole, Action: string(about.Matter) + "." + in.Kind,
		ObjectKind: string(about.Matter), ObjectID: about.ID, Before: map[string]any{"status": about.Status},
		After: map[string]any{"decision": decision.ID, "asked": data}, Reason: decision.Reason, RequestID: in.RequestID})
}

// OpenCaseDecision reads the decision that is being carried out, or nil.
func OpenCaseDecision(ctx context.Context, db *store.DB, caseKind Kind, id string) (*CaseDecision, error) {
	var decision CaseDecision
	err := db.ORM(ctx).Where("matter_id = ? AND matter = ? AND settled_at IS NULL", id, caseKind).Take(&decision).Error
	if store.IsMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read open decision: %w", err)
	}
	return &decision, nil
}

// ReadCaseDecision gives the decision that is to be carried out now: it is open,
// and of one of the kinds. One that was settled before is refused with
// Conflict, so that its carrier looks again instead of acting twice.
func ReadCaseDecision(ctx context.Context, db *store.DB, about About, id string, kinds ...string) (*CaseDecision, error) {
	open, err := OpenCaseDecision(ctx, db, about.Matter, about.ID)
	if err != nil {
		return nil, err
	}
	if open == nil || open.ID != id {
		return nil, store.Conflict("decision_settled", "This decision is no longer open. Refresh the page.")
	}
	if !slices.Contains(kinds, open.Kind) {
		return nil, store.Conflict("decision_kind", "This decision is about something else. Refresh the page.")
	}
	return open, nil
}

// ResolveCaseDecision notes what became of a decision, in the transaction of
// its effect; DecisionDone is the code of one that was carried out.
func ResolveCaseDecision(ctx context.Context, db *store.DB, id, code string) error {
	err := db.ORM(ctx).Exec(`UPDATE matter_decisions SET settled_at = clock_now(), delivered_at = coalesce(delivered_at, clock_now()), outcome_code = ?
		WHERE id = ? AND settled_at IS NULL`, code, id).Error
	if err != nil {
		return fmt.Errorf("settle decision: %w", err)
	}
	return nil
}

// RefuseCaseDecision settles a decision that could not be carried out, so that
// another can be taken.
func RefuseCaseDecision(ctx context.Context, db *store.DB, id, code string) error {
	return ResolveCaseDecision(ctx, db, id, code)
}

// MarkCaseDecisionDelivered notes that a workflow accepted a decision.
func MarkCaseDecisionDelivered(ctx context.Context, db *store.DB, id string) error {
	err := db.ORM(ctx).Exec("UPDATE matter_decisions SET delivered_at = clock_now() WHERE id = ? AND settled_at IS NULL", id).Error
	if err != nil {
		return fmt.Errorf("note delivery of decision: %w", err)
	}
	return nil
}

// StaffCaseDecision is a decision with who took it.
type StaffCaseDecision struct {
	CaseDecision `gorm:"embedded"`
	ActorEmail   string
}

// CaseDecisions reads the decisions about a case, oldest first.
func CaseDecisions(ctx context.Context, db *store.DB, caseKind Kind, id string) ([]StaffCaseDecision, error) {
	var rows []StaffCaseDecision
	err := db.ORM(ctx).Table("matter_decisions d").Select("d.*, u.email AS actor_email").Joins("JOIN users u ON u.id = d.actor_id").
		Where("d.matter_id = ? AND d.matter = ?", id, caseKind).Order("d.created_at, d.id").Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read decisions: %w", err)
	}
	return rows, nil
}

// UndeliveredCaseDecisions finds open decisions that were not delivered within
// grace, and delivered ones that are open for so long that their workflow may
// have lost them.
func UndeliveredCaseDecisions(ctx context.Context, db *store.DB, grace, lost time.Duration, limit int) ([]CaseDecision, error) {
	var rows []CaseDecision
	err := db.ORM(ctx).Where(`settled_at IS NULL AND (delivered_at IS NULL AND created_at < clock_now() - CAST(? AS interval)
		OR delivered_at < clock_now() - CAST(? AS interval))`, store.Seconds(grace), store.Seconds(lost)).Order("delivered_at IS NOT NULL, created_at").Limit(limit).Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("find undelivered decisions: %w", err)
	}
	return rows, nil
}
