package models

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm/clause"

	"github.com/tradepost/tradepost/internal/secret"
)

// DataExportMatter is a copy of what we hold of a person, which they asked for.
const DataExportMatter Matter = "data_export"

var _ = ListMatter(&MatterRules{Matter: DataExportMatter, Label: "data export", Page: "/settings/privacy", Table: "data_exports",
	Events: []string{"requested", "ready", "fetched", "expired"},
	Mailings: []Mailing{
		{Event: "ready", Kind: "data_export_ready"},
	}})

// Statuses of a data export.
const (
	ExportRequested = "requested"
	ExportReady     = "ready"
	ExportExpired   = "expired"
)

// ExportLife is how long the file of an export is kept.
const ExportLife = 7 * 24 * time.Hour

// exportPause is how soon after one export a person can ask for another.
const exportPause = 24 * time.Hour

// DataExport is a copy of a person's data. The file lies in the bucket under
// FileKey, sealed with SealKey: either alone says nothing, and both go when it
// expires.
type DataExport struct {
	ID                string `gorm:"primaryKey"`
	Reference         string
	UserID            string
	Status            string
	FileKey           string
	SealKey           []byte
	Size              *int
	ReadyAt           *time.Time
	WakeAt            *time.Time // when it expires
	WorkflowStartedAt *time.Time
	SweptAt           *time.Time
	CreatedAt         time.Time `gorm:"default:clock_now()"`
	UpdatedAt         time.Time `gorm:"autoUpdateTime:false;default:clock_now()"`
	ClosedAt          *time.Time
}

// Place is where the file is sealed for.
func (e *DataExport) Place() secret.Place {
	return secret.Place{Table: "data_exports", Column: "file", ID: e.ID}
}

func (e *DataExport) about() About {
	return About{Matter: DataExportMatter, ID: e.ID, UserID: e.UserID, Reference: e.Reference, Status: e.Status}
}

// AskForData writes down that a person wants a copy of their data; fileKey is
// the random name its file will have. One is made at a time, and one a day.
func (db *DB) AskForData(ctx context.Context, userID, fileKey string) (*DataExport, error) {
	export := &DataExport{ID: NewID(), UserID: userID, Status: ExportRequested, FileKey: fileKey, Reference: reference("DX-")}
	err := db.Tx(ctx, func(tx *DB) error {
		if err := tx.lockKey(ctx, "data export:"+userID); err != nil {
			return fmt.Errorf("lock customer: %w", err)
		}
		last, err := tx.LastExport(ctx, userID)
		if err != nil {
			return err
		}
		now, err := tx.Now(ctx)
		if err != nil {
			return err
		}
		switch {
		case last != nil && last.Status == ExportRequested:
			return Conflict("export_open", "We're already preparing your data")
		case last != nil && last.CreatedAt.After(now.Add(-exportPause)):
			return &Error{Code: CodeTooMany, Reason: "export_recent", Message: "You can request a copy once a day. Download the last one."}
		}
		export.CreatedAt, export.UpdatedAt = now, now
		if err := tx.orm(ctx).Create(export).Error; err != nil {
			return fmt.Errorf("store data export: %w", err)
		}
		return tx.tell(ctx, export.about(), Event{Kind: "requested", Actor: ByCustomer})
	})
	if err != nil {
		return nil, err
	}
	return export, nil
}

// LastExport is the one a person asked for last, or nil.
func (db *DB) LastExport(ctx context.Context, userID string) (*DataExport, error) {
	var export DataExport
	err := db.orm(ctx).Where("user_id = ?", userID).Order("created_at DESC").Take(&export).Error
	if isMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read data export: %w", err)
	}
	return &export, nil
}

// Export reads an export by its id.
func (db *DB) Export(ctx context.Context, id string) (*DataExport, error) {
	var export DataExport
	if err := db.orm(ctx).Where("id = ?", id).Take(&export).Error; err != nil {
		if isMissing(err) {
			return nil, NotFound("Data export")
		}
		return nil, fmt.Errorf("read data export: %w", err)
	}
	return &export, nil
}

// changeExport locks an export and runs fn on it, at the database's time.
func (db *DB) changeExport(ctx context.Context, id string, fn func(tx *DB, e *DataExport, now time.Time) error) error {
	return db.Tx(ctx, func(tx *DB) error {
		var export DataExport
		err := tx.orm(ctx).Clauses(clause.Locking{Strength: "UPDATE"}).Where("id = ?", id).Take(&export).Error
		if isMissing(err) {
			return NotFound("Data export")
		}
		if err != nil {
			return fmt.Errorf("read data export: %w", err)
		}
		now, err := tx.Now(ctx)
		if err != nil {
			return err
		}
		if err := fn(tx, &export, now); err != nil {
			return err
		}
		export.UpdatedAt = now
		if err := tx.orm(ctx).Select("*").Omit("id", "created_at").Updates(&export).Error; err != nil {
			return fmt.Errorf("store data export: %w", err)
		}
		return nil
	})
}

// ExportKey gives the key that the file of an export is sealed with: the one of
// an earlier attempt, or this fresh one, so that attempts together write the
// same. done reports an export that is made already.
func (db *DB) ExportKey(ctx context.Context, id string, fresh []byte) (export *DataExport, done bool, err error) {
	err = db.changeExport(ctx, id, func(_ *DB, e *DataExport, _ time.Time) error {
		export, done = e, e.Status != ExportRequested
		if !done && len(e.SealKey) == 0 {
			e.SealKey = fresh
		}
		return nil
	})
	return export, done, err
}

// ExportMade notes that the file of an export lies in the bucket.
func (db *DB) ExportMade(ctx context.Context, id string, size int) error {
	return db.changeExport(ctx, id, func(tx *DB, e *DataExport, now time.Time) error {
		if e.Status != ExportRequested {
			return nil
		}
		expires := now.Add(ExportLife)
		e.Status, e.Size, e.ReadyAt, e.WakeAt = ExportReady, &size, &now, &expires
		return tx.tell(ctx, e.about(), Event{Kind: "ready", Dedupe: "ready", Data: map[string]any{"until": expires.UTC().Format(time.RFC3339)}})
	})
}

// ExpireExport forgets the key of an export whose file is gone.
func (db *DB) ExpireExport(ctx context.Context, id string) error {
	return db.changeExport(ctx, id, func(tx *DB, e *DataExport, now time.Time) error {
		if e.Status != ExportReady {
			return nil
		}
		e.Status, e.SealKey, e.ClosedAt = ExportExpired, nil, &now
		return tx.tell(ctx, e.about(), Event{Kind: "expired", Dedupe: "expired"})
	})
}

// ExportState is an export as its workflow knows it.
type ExportState struct {
	Status string `json:"status"`
	// Wake is how long until it expires; zero when it is due.
	Wake   time.Duration `json:"wake"`
	Closed bool          `json:"closed"`
}

// ExportState reads where an export stands, and notes that a workflow carries
// it.
func (db *DB) ExportState(ctx context.Context, id string) (ExportState, error) {
	if err := db.MatterStarted(ctx, DataExportMatter, id); err != nil {
		return ExportState{}, err
	}
	e, err := db.Export(ctx, id)
	if err != nil {
		return ExportState{}, err
	}
	state := ExportState{Status: e.Status, Closed: e.ClosedAt != nil}
	if e.WakeAt != nil {
		now, err := db.Now(ctx)
		if err != nil {
			return ExportState{}, err
		}
		state.Wake = max(0, e.WakeAt.Sub(now))
	}
	return state, nil
}

// ReadyExport finds a person's own export whose file can be fetched, and notes
// that it was.
func (db *DB) ReadyExport(ctx context.Context, userID, id string) (*DataExport, error) {
	var export DataExport
	err := db.orm(ctx).Where("CAST(id AS text) = ? AND user_id = ? AND status = ? AND wake_at > clock_now()", id, userID, ExportReady).Take(&export).Error
	if isMissing(err) {
		return nil, NotFound("File")
	}
	if err != nil {
		return nil, fmt.Errorf("read data export: %w", err)
	}
	err = db.Tx(ctx, func(tx *DB) error { return tx.tell(ctx, export.about(), Event{Kind: "fetched", Actor: ByCustomer}) })
	return &export, err
}
