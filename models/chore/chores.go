package chore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lib/pq"

	"github.com/tradepost/tradepost/models/store"
)

// The chores: what recurs beside orders. They are independent, and only the sweep and the deliveries need Temporal.
const (
	ChoreSweep     = "sweep"      // a run of the sweep found matching rows
	ChoreMails     = "mails"      // due mails were sent, or none was due
	ChoreAlerts    = "alerts"     // alert conditions were checked
	ChoreTallies   = "tallies"    // changes of counts folded
	ChoreRollUp    = "roll_up"    // balances of the ledger updated
	ChoreAuditSeal = "audit_seal" // the audit log sealed
	ChoreWebhooks  = "webhooks"   // webhooks marked that can have no effect
	ChoreTickets   = "tickets"    // silent tickets closed
	ChoreErasure   = "erasure"    // closed accounts erased
	ChoreVouchers  = "vouchers"   // vouchers expired
	ChoreAddresses = "addresses"  // unconfirmed addresses of orders expired
	ChoreSurpluses = "surpluses"  // surpluses of orders credited
	ChorePruning   = "pruning"    // rows deleted that are older than they are kept
)

// ChoreNames lists them; a row of another name is of another release.
var ChoreNames = []string{ChoreSweep, ChoreMails, ChoreAlerts, ChoreTallies, ChoreRollUp, ChoreAuditSeal, ChoreWebhooks, ChoreTickets, ChoreErasure, ChoreVouchers, ChoreAddresses, ChoreSurpluses, ChorePruning}

// Chore is how a chore does. Age is the time since it last succeeded, or since it
// was first begun when it never has.
type Chore struct {
	Name          string
	CreatedAt     time.Time
	LastStartedAt *time.Time
	LastDoneAt    *time.Time
	LastError     *string
	Progress      int64
	Age           float64 // seconds
}

// Since is when it last succeeded, or was first begun.
func (c *Chore) Since() time.Time {
	if c.LastDoneAt != nil {
		return *c.LastDoneAt
	}
	return c.CreatedAt
}

// Chores lists the chores that were ever begun, in the order of their names.
func Chores(ctx context.Context, db *store.DB) ([]Chore, error) {
	var rows []Chore
	err := db.ORM(ctx).Raw(`SELECT name, created_at, last_started_at, last_done_at, last_error, progress,
		extract(epoch FROM clock_timestamp() - coalesce(last_done_at, created_at)) AS age FROM chores WHERE name = ANY(?) ORDER BY name`, pq.StringArray(ChoreNames)).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read chores: %w", err)
	}
	return rows, nil
}

// ChoreAges is how many seconds ago each chore last succeeded, by name.
func ChoreAges(ctx context.Context, db *store.DB) (map[string]float64, error) {
	chores, err := Chores(ctx, db)
	ages := map[string]float64{}
	for i := range chores {
		ages[chores[i].Name] = chores[i].Age
	}
	return ages, err
}

// BeginChore claims a chore for as long as lease, unless another process holds it or began it within every. A process
// that dies with it delays it by the lease at most.
func BeginChore(ctx context.Context, db *store.DB, name string, every, lease time.Duration) (mine bool, err error) {
	result := db.ORM(ctx).Exec(`INSERT INTO chores AS c (name, last_started_at, held_until) VALUES (@name, clock_timestamp(), clock_timestamp() + CAST(@lease AS interval))
		ON CONFLICT (name) DO UPDATE SET last_started_at = clock_timestamp(), held_until = excluded.held_until
		 WHERE (c.held_until IS NULL OR c.held_until < clock_timestamp()) AND (c.last_started_at IS NULL OR c.last_started_at <= clock_timestamp() - CAST(@every AS interval))`,
		map[string]any{"name": name, "every": store.Seconds(every), "lease": store.Seconds(lease)})
	if result.Error != nil {
		return false, fmt.Errorf("begin chore %s: %w", name, result.Error)
	}
	return result.RowsAffected > 0, nil
}

// longestError bounds what is kept of an error.
const longestError = 300

// EndChore records a chore's result: that it succeeded, or why not. One that a schedule serialises needs no
// BeginChore.
func EndChore(ctx context.Context, db *store.DB, name string, progress int64, failed error) error {
	var said *string
	if failed != nil {
		text := failed.Error()
		text = text[:min(len(text), longestError)]
		said = &text
	}
	err := db.ORM(ctx).Exec(`INSERT INTO chores AS c (name, last_started_at, last_done_at, last_error, progress)
		VALUES (@name, clock_timestamp(), CASE WHEN CAST(@error AS text) IS NULL THEN clock_timestamp() END, @error, @progress)
		ON CONFLICT (name) DO UPDATE SET last_done_at = coalesce(excluded.last_done_at, c.last_done_at), last_error = excluded.last_error, progress = excluded.progress, held_until = NULL,
		  last_started_at = CASE WHEN c.held_until IS NULL THEN clock_timestamp() ELSE c.last_started_at END`,
		map[string]any{"name": name, "error": said, "progress": progress}).Error
	if err != nil {
		return fmt.Errorf("note how chore %s went: %w", name, err)
	}
	return nil
}

// Each runs do for every row that a query finds, in batches of limit. One failure delays no other row, and the errors
// are returned joined; the query leaves out the ids @done, and gives @limit at most.
func Each(ctx context.Context, db *store.DB, what, query string, limit int, do func(id string) error) error {
	var failed []error
	done := pq.StringArray{}
	for {
		var ids []string
		if err := db.ORM(ctx).Raw(query, map[string]any{"done": done, "limit": limit}).Scan(&ids).Error; err != nil {
			return errors.Join(append(failed, fmt.Errorf("find %s: %w", what, err))...)
		}
		for _, id := range ids {
			if err := do(id); err != nil {
				failed = append(failed, fmt.Errorf("%s: %w", id, err))
			}
		}
		if done = append(done, ids...); len(ids) < limit || ctx.Err() != nil {
			return errors.Join(append(failed, ctx.Err())...)
		}
	}
}
