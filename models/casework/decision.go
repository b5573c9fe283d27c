package casework

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"

	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/store"
)

// Decision is what a person decided about a subject: an order, a gift card or a
// case. It is a row first, then an Update with the row's id.
type Decision struct {
	ID          string `gorm:"primaryKey"`
	Kind        string
	ActorID     string
	Reason      string
	CreatedAt   time.Time `gorm:"default:clock_now()"`
	DeliveredAt *time.Time
	SettledAt   *time.Time
	OutcomeCode *string
	ActorEmail  string `gorm:"->"` // where List read it
}

// Common is what every decision has.
func (d Decision) Common() Decision { return d }

// DecisionDone is the outcome of a decision that was executed.
const DecisionDone = "done"

// ErrDecisionExecuted is the answer to a step that is run again because the answer of its first run was lost. The
// decision's effect is committed: the step has succeeded.
var ErrDecisionExecuted = errors.New("the decision is executed")

// Refusals of a decision that cannot be executed.
var (
	ErrDecisionResolved  = store.Conflict("decision_settled", "This decision is no longer open. Refresh the page.")
	ErrOtherDecisionKind = store.Conflict("decision_kind", "This decision is about something else. Refresh the page.")
)

// Decisions is a table whose rows, of type D, are a Decision and what its subject
// needs beside it. One decision is open per subject at a time.
type Decisions[D interface{ Common() Decision }] struct {
	Table   string
	Subject string // its column of what a decision is about
	OneOpen string // its index that refuses a second open one
	Outcome bool   // it has a column outcome too: done or refused

	only Kind // in a table of several kinds of case
}

// Of narrows a table of several kinds of case to one of them.
func (t *Decisions[D]) Of(caseKind Kind) *Decisions[D] {
	narrowed := *t
	narrowed.only = caseKind
	return &narrowed
}

// about are the decisions about a subject.
func (t *Decisions[D]) about(ctx context.Context, db *store.DB, subject string) *gorm.DB {
	query := db.ORM(ctx).Table(t.Table+" d").Where("d."+t.Subject+" = ?", subject)
	if t.only != "" {
		query = query.Where("d.matter = ?", t.only)
	}
	return query
}

// Store writes a decision with the other writes of its change; open refuses it while
// another one about its subject is open.
func (t *Decisions[D]) Store(ctx context.Context, tx *store.DB, decision *D, open error) error {
	err := tx.LaterORM(ctx, store.Write{Table: t.Table, Fails: store.Means(t.OneOpen, open)}, func(orm *gorm.DB) *gorm.DB { return orm.Create(decision) })
	if err != nil {
		return fmt.Errorf("store decision: %w", err)
	}
	return nil
}

// Open reads the decision that is being executed, or nil.
func (t *Decisions[D]) Open(ctx context.Context, db *store.DB, subject string) (*D, error) {
	var decision D
	err := t.about(ctx, db, subject).Where("d.settled_at IS NULL").Take(&decision).Error
	if store.IsMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read open decision: %w", err)
	}
	return &decision, nil
}

// Current reads the decision that is to be executed now: it is open, and of one of the kinds. For one that was resolved
// before the error is that of Resolved.
func (t *Decisions[D]) Current(ctx context.Context, db *store.DB, subject, id string, kinds ...string) (*D, error) {
	open, err := t.Open(ctx, db, subject)
	if err != nil {
		return nil, err
	}
	switch {
	case open == nil || (*open).Common().ID != id:
		return nil, t.Resolved(ctx, db, subject, id)
	case !slices.Contains(kinds, (*open).Common().Kind):
		return nil, ErrOtherDecisionKind
	}
	return open, nil
}

// Resolved is the error of a step whose decision is no longer open: ErrDecisionExecuted where its outcome is
// DecisionDone or one of the others, else a Conflict, so that its workflow reads the subject again instead of acting twice.
func (t *Decisions[D]) Resolved(ctx context.Context, db *store.DB, subject, id string, others ...string) error {
	var done int64
	err := t.about(ctx, db, subject).Where("d.id = ? AND d.outcome_code IN ?", id, append(others, DecisionDone)).Count(&done).Error
	switch {
	case err != nil:
		return fmt.Errorf("read resolved decision: %w", err)
	case done == 0:
		return ErrDecisionResolved
	}
	return ErrDecisionExecuted
}

// Resolve records the outcome of a decision: DecisionDone in the transaction of its effect, or why it could not be
// executed. One resolved before stays as it is.
func (t *Decisions[D]) Resolve(ctx context.Context, db *store.DB, id, code string) error {
	if code != DecisionDone {
		if err := dualcontrol.WithdrawOpen(ctx, db, dualcontrol.Ref{Kind: t.Table, ID: id}); err != nil {
			return err
		}
	}
	outcome := ""
	if t.Outcome {
		outcome = ", outcome = CASE $2 WHEN '" + DecisionDone + "' THEN $2 ELSE 'refused' END"
	}
	return db.Later(ctx, store.Write{Table: t.Table, Args: []any{id, code}, Query: "UPDATE " + t.Table + `
		SET settled_at = now.at, delivered_at = coalesce(delivered_at, now.at), outcome_code = $2` + outcome + `
		FROM (SELECT clock_timestamp() + ahead AS at FROM clock) now WHERE id = $1 AND settled_at IS NULL`})
}

// MarkDelivered records that a workflow accepted a decision.
func (t *Decisions[D]) MarkDelivered(ctx context.Context, db *store.DB, id string) error {
	err := db.ORM(ctx).Exec("UPDATE "+t.Table+" SET delivered_at = clock_now() WHERE id = ? AND settled_at IS NULL", id).Error
	if err != nil {
		return fmt.Errorf("record delivery of decision: %w", err)
	}
	return nil
}

// List reads the decisions about a subject with who made them, oldest first.
func (t *Decisions[D]) List(ctx context.Context, db *store.DB, subject string) ([]D, error) {
	var rows []D
	err := t.about(ctx, db, subject).Select("d.*, u.email AS actor_email").Joins("JOIN users u ON u.id = d.actor_id").
		Order("d.created_at, d.id").Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read decisions: %w", err)
	}
	return rows, nil
}

// Undelivered finds open decisions that were not delivered within grace, and delivered ones that are open for so long
// that their workflow may have lost them. The never delivered come first, half of the limit the newest, so that a
// backlog delays no new one.
func (t *Decisions[D]) Undelivered(ctx context.Context, db *store.DB, grace, lost time.Duration, limit int) ([]D, error) {
	var rows []D
	err := db.ORM(ctx).Raw(`
		SELECT * FROM (
		  SELECT *, row_number() OVER (PARTITION BY lost ORDER BY created_at) AS oldest, row_number() OVER (PARTITION BY lost ORDER BY created_at DESC) AS newest FROM (
		    SELECT *, delivered_at IS NOT NULL AS lost FROM `+t.Table+` WHERE settled_at IS NULL
		       AND (delivered_at IS NULL AND created_at < clock_now() - ?::interval OR delivered_at < clock_now() - ?::interval)) d) d
		 ORDER BY lost, least(oldest, newest), oldest LIMIT ?`, store.Seconds(grace), store.Seconds(lost), limit).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("find undelivered decisions: %w", err)
	}
	return rows, nil
}
