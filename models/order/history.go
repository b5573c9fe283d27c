package order

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"time"

	"gorm.io/gorm/clause"

	"github.com/tradepost/tradepost/models/store"
)

// History is one run of a workflow about an order, as Temporal reports it.
type History struct {
	WorkflowID   string `gorm:"primaryKey"`
	RunID        string `gorm:"primaryKey"`
	OrderID      string
	WorkflowType string
	Events       int
	StartedAt    time.Time
	ClosedAt     *time.Time // nil: it still runs, and is not stored yet
	Zipped       []byte     // JSON, gzipped
}

// TableName implements GORM's Tabler.
func (History) TableName() string { return "histories" }

// Zip keeps the history's JSON in it.
func (h *History) Zip(text []byte) error {
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	if _, err := zip.Write(text); err != nil {
		return fmt.Errorf("compress a history: %w", err)
	}
	if err := zip.Close(); err != nil {
		return fmt.Errorf("compress a history: %w", err)
	}
	h.Zipped = out.Bytes()
	return nil
}

// JSON is the history as Temporal's tools read it.
func (h *History) JSON() ([]byte, error) {
	zip, err := gzip.NewReader(bytes.NewReader(h.Zipped))
	if err != nil {
		return nil, fmt.Errorf("read a kept history: %w", err)
	}
	text, err := io.ReadAll(zip)
	if err != nil {
		return nil, fmt.Errorf("read a kept history: %w", err)
	}
	return text, nil
}

// DueHistory is a closed order whose histories are to be kept.
type DueHistory struct {
	OrderID string
	DueAt   time.Time
}

// DueHistories finds closed orders whose workflows have had grace to end.
func DueHistories(ctx context.Context, db *store.DB, grace time.Duration, limit int) ([]DueHistory, error) {
	var rows []DueHistory
	err := db.ORM(ctx).Raw(`SELECT order_id, due_at FROM histories_due WHERE due_at < clock_now() - CAST(? AS interval) ORDER BY due_at LIMIT ?`,
		store.Seconds(grace), limit).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("find histories to keep: %w", err)
	}
	return rows, nil
}

// KeepHistories stores the runs that have ended and are not kept yet. When all
// have ended the order is done with, unless it has changed since; otherwise it
// comes up again after a while.
func KeepHistories(ctx context.Context, db *store.DB, due DueHistory, runs []History, again time.Duration) error {
	running := false
	for i := range runs {
		if runs[i].ClosedAt == nil {
			running = true
			continue
		}
		if len(runs[i].Zipped) == 0 {
			continue // kept before
		}
		if err := db.ORM(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&runs[i]).Error; err != nil {
			return fmt.Errorf("keep a history: %w", err)
		}
	}
	var err error
	if running {
		err = db.ORM(ctx).Exec(`UPDATE histories_due SET due_at = clock_now() + CAST(? AS interval) WHERE order_id = ? AND due_at = ?`, store.Seconds(again), due.OrderID, due.DueAt).Error
	} else {
		err = db.ORM(ctx).Exec(`DELETE FROM histories_due WHERE order_id = ? AND due_at = ?`, due.OrderID, due.DueAt).Error
	}
	if err != nil {
		return fmt.Errorf("note that histories are kept: %w", err)
	}
	return nil
}

// KeptHistories reads what is kept of an order's runs, oldest first.
func KeptHistories(ctx context.Context, db *store.DB, orderID string) ([]History, error) {
	var rows []History
	if err := db.ORM(ctx).Where("order_id = ?", orderID).Order("started_at, run_id").Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read kept histories: %w", err)
	}
	return rows, nil
}

// PrunedHistories are those of runs that ended long ago; Postgres refuses to delete one of the last two years.
var PrunedHistories = store.Pruned{Table: "histories", Age: "closed_at"}
