package models

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tradepost/tradepost/models/money"
)

// MatterDecision is what a person decided about a matter: a row first, then an
// Update with the row's id. One is open per matter at a time.
type MatterDecision struct {
	ID       string `gorm:"primaryKey"`
	Matter   Matter
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

// NewMatterDecision is a decision about to be taken. The caller has checked that
// the actor's role allows it.
type NewMatterDecision struct {
	Kind, ActorID, ActorRole, Reason, RequestID string
	// Own is a decision that only the owner of the matter takes, such as taking
	// it back; every other is staff's, and never the owner's.
	Own bool
	// Alone is how many cents one person lets in for a customer in a day, for a kind
	// that credits; more is refused with ErrSecondPerson. Nil does not ask.
	Alone *money.Units
	// Data is what the kind needs.
	Data any
}

// ownMatter refuses staff a decision on what is their own.
func ownMatter(matter Matter) error {
	return Forbidden("own_"+string(matter), "You can't decide on your own case")
}

// openMatterDecision writes a decision, and its audit entry when staff took it,
// in the transaction in which the caller has locked the matter's row and found
// that it waits for this kind. It refuses with Conflict while another decision
// is being carried out, and with Forbidden who must not decide.
func (db *DB) openMatterDecision(ctx context.Context, about About, in NewMatterDecision) (*MatterDecision, error) {
	own := ownMatter(about.Matter)
	if in.Own && in.ActorID != about.UserID {
		return nil, own
	}
	if !in.Own {
		if err := db.anotherPerson(ctx, in.ActorID, own, about.UserID); err != nil {
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
	decision := &MatterDecision{ID: NewID(), Matter: about.Matter, MatterID: about.ID, Kind: in.Kind, ActorID: in.ActorID,
		Reason: strings.TrimSpace(in.Reason), Data: data}
	// A conflict must not end the transaction, so the open one is looked for first.
	if open, err := db.OpenMatterDecision(ctx, about.Matter, about.ID); err != nil || open != nil {
		if open != nil {
			err = Conflict("decision_open", "Another decision on this is in progress: "+strings.ReplaceAll(open.Kind, "_", " "))
		}
		return nil, err
	}
	if err := db.orm(ctx).Create(decision).Error; err != nil {
		return nil, fmt.Errorf("store decision: %w", err)
	}
	if in.Own {
		return decision, nil // a customer's own doing is no matter for the audit log
	}
	return decision, db.Audit(ctx, AuditEntry{ActorID: in.ActorID, ActorRole: in.ActorRole, Action: string(about.Matter) + "." + in.Kind,
		ObjectKind: string(about.Matter), ObjectID: about.ID, Before: map[string]any{"status": about.Status},
		After: map[string]any{"decision": decision.ID, "asked": data}, Reason: decision.Reason, RequestID: in.RequestID})
}

// OpenMatterDecision reads the decision that is being carried out, or nil.
func (db *DB) OpenMatterDecision(ctx context.Context, matter Matter, id string) (*MatterDecision, error) {
	var decision MatterDecision
	err := db.orm(ctx).Where("matter_id = ? AND matter = ? AND settled_at IS NULL", id, matter).Take(&decision).Error
	if isMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read open decision: %w", err)
	}
	return &decision, nil
}

// matterDecision gives the decision that is to be carried out now: it is open,
// and of one of the kinds. One that was settled before is refused with
// Conflict, so that its carrier looks again instead of acting twice.
func (db *DB) matterDecision(ctx context.Context, about About, id string, kinds ...string) (*MatterDecision, error) {
	open, err := db.OpenMatterDecision(ctx, about.Matter, about.ID)
	if err != nil {
		return nil, err
	}
	if open == nil || open.ID != id {
		return nil, Conflict("decision_settled", "This decision is no longer open. Refresh the page.")
	}
	if !slices.Contains(kinds, open.Kind) {
		return nil, Conflict("decision_kind", "This decision is about something else. Refresh the page.")
	}
	return open, nil
}

// settleMatterDecision notes what became of a decision, in the transaction of
// its effect; DecisionDone is the code of one that was carried out.
func (db *DB) settleMatterDecision(ctx context.Context, id, code string) error {
	err := db.orm(ctx).Exec(`UPDATE matter_decisions SET settled_at = clock_now(), delivered_at = coalesce(delivered_at, clock_now()), outcome_code = ?
		WHERE id = ? AND settled_at IS NULL`, code, id).Error
	if err != nil {
		return fmt.Errorf("settle decision: %w", err)
	}
	return nil
}

// RefuseMatterDecision settles a decision that could not be carried out, so that
// another can be taken.
func (db *DB) RefuseMatterDecision(ctx context.Context, id, code string) error {
	return db.settleMatterDecision(ctx, id, code)
}

// MarkMatterDecisionDelivered notes that a workflow accepted a decision.
func (db *DB) MarkMatterDecisionDelivered(ctx context.Context, id string) error {
	err := db.orm(ctx).Exec("UPDATE matter_decisions SET delivered_at = clock_now() WHERE id = ? AND settled_at IS NULL", id).Error
	if err != nil {
		return fmt.Errorf("note delivery of decision: %w", err)
	}
	return nil
}

// TakenMatterDecision is a decision with who took it.
type TakenMatterDecision struct {
	MatterDecision `gorm:"embedded"`
	ActorEmail     string
}

// MatterDecisions reads the decisions about a matter, oldest first.
func (db *DB) MatterDecisions(ctx context.Context, matter Matter, id string) ([]TakenMatterDecision, error) {
	var rows []TakenMatterDecision
	err := db.orm(ctx).Table("matter_decisions d").Select("d.*, u.email AS actor_email").Joins("JOIN users u ON u.id = d.actor_id").
		Where("d.matter_id = ? AND d.matter = ?", id, matter).Order("d.created_at, d.id").Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read decisions: %w", err)
	}
	return rows, nil
}

// UndeliveredMatterDecisions finds open decisions that were not delivered within
// grace, and delivered ones that are open for so long that their workflow may
// have lost them.
func (db *DB) UndeliveredMatterDecisions(ctx context.Context, grace, lost time.Duration, limit int) ([]MatterDecision, error) {
	var rows []MatterDecision
	err := db.orm(ctx).Where(`settled_at IS NULL AND (delivered_at IS NULL AND created_at < clock_now() - CAST(? AS interval)
		OR delivered_at < clock_now() - CAST(? AS interval))`, seconds(grace), seconds(lost)).Order("delivered_at IS NOT NULL, created_at").Limit(limit).Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("find undelivered decisions: %w", err)
	}
	return rows, nil
}
