package casework

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tradepost/tradepost/models/store"
)

// Kind is a kind of case: what has, beside orders and gift cards, a timeline,
// people's decisions and mails. Its rules are listed by ListCases.
type Kind string

// CaseRules are the settings of one kind of case.
type CaseRules struct {
	Matter Kind
	// Label is what a mail calls it: "payout".
	Label string
	// Page and StaffPage are its pages for its customer and for staff, from the
	// site's root; "{id}" stands for its id, "{reference}" for its reference.
	Page, StaffPage string
	// Events are the kinds its timeline can hold.
	Events []string
	// Mailings are the mails that its events cause.
	Mailings []Mailing
	// Table holds its rows where a workflow owns each; empty where none does.
	// Such a table has the columns id, user_id, created_at, workflow_started_at,
	// swept_at, wake_at (when something is due, or null) and closed_at.
	Table string
}

// kinds are all kinds of cases: each is listed where it is declared.
var kinds []*CaseRules

// ListCases adds a kind to the list. It is called once for each, as the program
// starts.
func ListCases(rules *CaseRules) *CaseRules {
	kinds = append(kinds, rules)
	return rules
}

// Kinds are all kinds of cases, by name.
func Kinds() []*CaseRules {
	return slices.SortedFunc(slices.Values(kinds), func(a, b *CaseRules) int { return strings.Compare(string(a.Matter), string(b.Matter)) })
}

// Rules are the rules of a case. An unlisted kind is a programming error and panics.
func (m Kind) Rules() *CaseRules {
	i := slices.IndexFunc(kinds, func(r *CaseRules) bool { return r.Matter == m })
	if i < 0 {
		panic(fmt.Sprintf("%q is no kind of case: list it", m))
	}
	return kinds[i]
}

// About names a case and its customer.
type About struct {
	Matter Kind
	ID     string
	UserID string
	// Reference is what people call it in mails and on screens.
	Reference string
	// Status is its status now.
	Status string
}

// CaseTimeline holds the events of cases of every kind.
var CaseTimeline = &Timeline{Table: "matter_events", Subject: "matter_id, matter", Columns: "matter, matter_id, user_id, reference", Mail: "matter_event_id"}

// Append adds to a case's timeline, as Timeline.Add does.
func Append(ctx context.Context, db *store.DB, about About, e Event) error {
	if !db.InTx() {
		return fmt.Errorf("write event %s: not in the transaction of what happened", e.Kind)
	}
	rules := about.Matter.Rules()
	return CaseTimeline.Add(ctx, db, rules.Events, Addition{Event: e, Subject: []any{about.Matter, about.ID, about.UserID, about.Reference},
		Status: about.Status, UserID: about.UserID, Mailings: rules.Mailings, MailOnce: func(m Mailing) *string { return &m.Kind }})
}

// CaseEvents reads a case's timeline from its beginning.
func CaseEvents(ctx context.Context, db *store.DB, caseKind Kind, id string) ([]StoredEvent, error) {
	return CaseTimeline.Events(ctx, db, id, caseKind)
}

// OrphanCase is a case whose workflow is to be started, or signalled.
type OrphanCase struct {
	Matter Kind
	ID     string
	Reason string // "orphan" or "due"
}

// OrphanCases finds open cases whose workflow may not run, or that something has been
// due for.
func OrphanCases(ctx context.Context, db *store.DB, grace, revive time.Duration, limit int) (found []OrphanCase, err error) {
	for _, rules := range Kinds() {
		if rules.Table == "" {
			continue
		}
		rows, err := store.Orphans[OrphanCase](ctx, db, store.OrphanTable{Table: rules.Table, Due: true,
			Returning: "'" + string(rules.Matter) + "' AS matter, id, CASE WHEN wake_at < clock_now() THEN 'due' ELSE 'stray' END AS reason"}, grace, revive, limit)
		if err != nil {
			return nil, err
		}
		found = append(found, rows...)
	}
	return found, nil
}

// CaseStarted records that a workflow owns a case.
func CaseStarted(ctx context.Context, db *store.DB, caseKind Kind, id string) error {
	err := db.ORM(ctx).Exec("UPDATE "+caseKind.Rules().Table+" SET workflow_started_at = clock_now() WHERE id = ? AND workflow_started_at IS NULL", id).Error
	if err != nil {
		return fmt.Errorf("record that a workflow owns a %s: %w", caseKind, err)
	}
	return nil
}
