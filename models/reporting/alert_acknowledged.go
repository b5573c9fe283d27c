package reporting

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// AlertState narrows a list of alerts.
type AlertState string

// The states of an alert.
const (
	AlertStateOpen         AlertState = "open"         // nobody has acknowledged it
	AlertStateAcknowledged AlertState = "acknowledged" // and it is not over
	AlertStatePast         AlertState = "past"
)

var alertStateSQL = map[AlertState]string{
	AlertStateOpen:         "alerts.closed_at IS NULL AND alerts.acknowledged_at IS NULL",
	AlertStateAcknowledged: "alerts.closed_at IS NULL AND alerts.acknowledged_at IS NOT NULL",
	AlertStatePast:         "alerts.closed_at IS NOT NULL",
}

// KnownAlert is an alert as staff see it, with who acknowledged it.
type KnownAlert struct {
	Alert  `gorm:"embedded"`
	ByName string
}

// State is where the alert stands.
func (a *Alert) State() AlertState {
	switch {
	case a.ClosedAt != nil:
		return AlertStatePast
	case a.AcknowledgedAt != nil:
		return AlertStateAcknowledged
	}
	return AlertStateOpen
}

// For reports whether someone with these roles gets the alert's messages, and may acknowledge it.
func (a *Alert) For(roles []string) bool {
	return slices.ContainsFunc(a.roles(), func(role string) bool { return slices.Contains(roles, role) })
}

// Alerts is one page of the alerts in a state, and the cursor of the next one: those that are over by when they opened,
// newest first, and the others oldest first.
func Alerts(ctx context.Context, db *store.DB, state AlertState, p store.Page) ([]KnownAlert, *store.Cursor, error) {
	p.OldestFirst = state != AlertStatePast
	query := db.ORM(ctx).Table("alerts").Select("alerts.*, coalesce(" + people.NameOf("u") + ", '') AS by_name").
		Joins("LEFT JOIN users u ON u.id = alerts.acknowledged_by").Where(alertStateSQL[state])
	var rows []KnownAlert
	if err := p.By(query, "alerts", "opened_at").Find(&rows).Error; err != nil {
		return nil, nil, fmt.Errorf("read alerts: %w", err)
	}
	rows, next := store.Cut(rows, p, func(a KnownAlert) store.Cursor { return store.Cursor{At: a.OpenedAt, ID: a.ID} })
	return rows, next, nil
}

// CountAlerts counts the alerts in a state. Those that are over are counted as they end.
func CountAlerts(ctx context.Context, db *store.DB, state AlertState) (n int, err error) {
	if state == AlertStatePast {
		counts, err := store.CountByStatus[AlertState](ctx, db, "alerts", "")
		return counts.ByStatus[state], err
	}
	if err := db.Row(ctx, "SELECT count(*) FROM alerts WHERE "+alertStateSQL[state]).Scan(&n); err != nil {
		return 0, fmt.Errorf("count alerts: %w", err)
	}
	return n, nil
}

// OneAlert reads an alert.
func OneAlert(ctx context.Context, db *store.DB, id string) (*KnownAlert, error) {
	if _, err := store.RowByID[Alert](ctx, db, id, "Alert"); err != nil {
		return nil, err
	}
	var row KnownAlert
	err := db.ORM(ctx).Table("alerts").Select("alerts.*, coalesce("+people.NameOf("u")+", '') AS by_name").
		Joins("LEFT JOIN users u ON u.id = alerts.acknowledged_by").Where("alerts.id = ?", id).Take(&row).Error
	if err != nil {
		return nil, fmt.Errorf("read an alert: %w", err)
	}
	return &row, nil
}

// longestAlertNote bounds the note of an acknowledgment, in characters.
const longestAlertNote = 500

// Acknowledge records that someone who gets the alert sees to it. The first acknowledgment counts; a second changes
// nothing. Only its end and what opens after it are announced.
func Acknowledge(ctx context.Context, db *store.DB, id, note string, roles []string, by store.Actor) error {
	note = strings.TrimSpace(note)
	if utf8.RuneCountInString(note) > longestAlertNote {
		return store.Invalid("note", "too_long", "Enter a note of at most 500 characters")
	}
	return db.Tx(ctx, func(tx *store.DB) error {
		a, err := store.RowByID[Alert](ctx, tx, id, "Alert")
		if err != nil {
			return err
		}
		switch {
		case !a.For(roles):
			return store.Forbidden("not_yours", "This alert goes to people with another role")
		case a.AcknowledgedAt != nil:
			return nil
		case a.ClosedAt != nil:
			return store.Conflict("alert_over", "This alert is over")
		}
		done := tx.ORM(ctx).Exec(`UPDATE alerts SET acknowledged_at = clock_now(), acknowledged_by = ?, acknowledged_note = ?
			WHERE id = ? AND closed_at IS NULL AND acknowledged_at IS NULL`, by.ActorID, note, id)
		if done.Error != nil {
			return fmt.Errorf("acknowledge an alert: %w", done.Error)
		}
		if done.RowsAffected == 0 { // it ended, or another was quicker
			return nil
		}
		return audit.Audit(ctx, tx, audit.AuditEntry{ActorID: by.ActorID, ActorRole: by.ActorRole, Action: "alert.acknowledge",
			ObjectKind: "alert", ObjectID: id, After: map[string]any{"kind": a.Kind, "subject": a.Subject},
			Reason: note, RequestID: by.RequestID})
	})
}
