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
func (a Attempt) Recorded(ctx context.Context, tx *store.DB, events, of, id string) (recorded bool, err error) {
	err = tx.ORM(ctx).Raw("SELECT EXISTS (SELECT FROM "+events+" WHERE "+of+" = ? AND dedupe = ?)", id, a.dedupe()).Row().Scan(&recorded)
	if err != nil {
		return false, fmt.Errorf("look for attempt: %w", err)
	}
	return recorded, nil
}
