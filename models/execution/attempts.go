package execution

import (
	"context"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/store"
)

// Attempt is one try of an activity that failed. Code is safe to show; Detail
// is cleaned provider text, for staff only.
type Attempt struct {
	Run      string
	Activity string // the activity's id in its workflow
	Step     string // what it does, in plain language
	Number   int32
	Code     string
	Detail   string
	// Again is how long after it the activity is tried once more; zero when it is not, or was begun already.
	Again time.Duration
}

func (a Attempt) dedupe() string {
	return fmt.Sprintf("attempt:%s:%s:%d", a.Run, a.Activity, a.Number)
}

// Message is what staff read of it.
func (a Attempt) Message() string {
	if a.Detail == "" {
		return a.Code
	}
	return a.Code + ": " + a.Detail
}

// Event is the attempt in a timeline.
func (a Attempt) Event() casework.Event {
	return casework.Event{Kind: "attempt_failed", Internal: true, Dedupe: a.dedupe(), Data: map[string]any{"step": a.Step, "attempt": a.Number, "code": a.Code}}
}

// Recorded reports whether a timeline holds the attempt already: events is its table,
// of the column that names the subject.
func (a Attempt) Recorded(ctx context.Context, tx *store.DB, events, of, id string) (bool, error) {
	return recorded(ctx, tx, events, of, id, a.dedupe())
}

// recorded reports whether a subject's timeline has an event with this mark.
func recorded(ctx context.Context, tx *store.DB, events, of, id, dedupe string) (found bool, err error) {
	row := tx.ORM(ctx).Raw("SELECT EXISTS (SELECT FROM "+events+" WHERE "+of+" = ? AND dedupe = ?)", id, dedupe).Row()
	err = row.Scan(&found)
	if err != nil {
		return false, fmt.Errorf("look for event %s: %w", dedupe, err)
	}
	return found, nil
}

// Stop identifies what stopped a step: the activity that failed, in its workflow run, or the decision that was not
// carried out. A workflow whose process dies notes the same stop again, perhaps after a decision has led past it.
type Stop string

// Dedupe is the stop's mark on the event that notes it; a stop without an identity has none.
func (s Stop) Dedupe() string {
	if s == "" {
		return ""
	}
	return "stop:" + string(s)
}

// Recorded reports whether a timeline holds the stop already.
func (s Stop) Recorded(ctx context.Context, tx *store.DB, events, of, id string) (bool, error) {
	if s == "" {
		return false, nil
	}
	return recorded(ctx, tx, events, of, id, s.Dedupe())
}
