package privacy

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm/clause"

	"github.com/tradepost/tradepost/internal/secret"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/store"
)

// KindDataExport is a copy of what we hold of a person, at their request.
const KindDataExport casework.Kind = "data_export"

var _ = casework.ListCases(&casework.CaseRules{Matter: KindDataExport, Label: "data export", Page: "/settings/privacy", Table: ExportTable,
	Events: []string{"confirmation_requested", "requested", "ready", "fetched", "expired"},
	Mailings: []casework.Mailing{
		{Event: "confirmation_requested", Kind: MailConfirmExport},
		{Event: "ready", Kind: "data_export_ready"},
	}})

// MailConfirmExport is the mail with the link that confirms a data export.
const MailConfirmExport = "data_export_confirm"

// Statuses of a data export.
const (
	ExportUnconfirmed = "unconfirmed" // waits for its owner to follow the mailed link

	ExportRequested = "requested"
	ExportReady     = "ready"
	ExportExpired   = "expired"
)

// ExportTable has the exports.
const ExportTable = "data_exports"

// ExportLife is how long the file of an export is kept.
const ExportLife = 7 * 24 * time.Hour

// exportPause is how soon after one export a person can request another.
const exportPause = 24 * time.Hour

// DataExport is a copy of a person's data. The file is in the bucket under FileKey, sealed with SealKey: either alone
// is unreadable, and both are deleted when it expires.
type DataExport struct {
	ID                string `gorm:"primaryKey"`
	Reference         string
	UserID            string
	Status            string
	FileKey           string
	SealKey           []byte
	Size              *int
	ReadyAt           *time.Time
	WakeAt            *time.Time // when it expires, or when the time to confirm it is over
	WorkflowStartedAt *time.Time
	SweptAt           *time.Time
	CreatedAt         time.Time `gorm:"default:clock_now()"`
	UpdatedAt         time.Time `gorm:"autoUpdateTime:false;default:clock_now()"`
	ClosedAt          *time.Time
}

// Place is where the file is sealed for.
func (e *DataExport) Place() secret.Place {
	return secret.Place{Table: ExportTable, Column: "file", ID: e.ID}
}

func (e *DataExport) about() casework.About {
	return casework.About{Matter: KindDataExport, ID: e.ID, UserID: e.UserID, Reference: e.Reference, Status: e.Status}
}

// AskForData stores a person's request for a copy of their data; fileKey is the random name its file will have. One
// is made at a time, and one a day. With byMail, its owner has no second factor, and confirms it by a mailed link.
func AskForData(ctx context.Context, db *store.DB, userID, fileKey string, byMail bool) (*DataExport, error) {
	export := &DataExport{ID: store.NewID(), UserID: userID, Status: ExportRequested, FileKey: fileKey, Reference: store.Reference("DX-")}
	err := db.Tx(ctx, func(tx *store.DB) error {
		if err := tx.LockKey(ctx, "data export:"+userID); err != nil {
			return fmt.Errorf("lock customer: %w", err)
		}
		last, err := LastExport(ctx, tx, userID)
		if err != nil {
			return err
		}
		now, err := tx.Now(ctx)
		if err != nil {
			return err
		}
		switch {
		case last != nil && last.Status == ExportRequested:
			return store.Conflict("export_open", "We're already preparing your data")
		case last != nil && last.Status == ExportUnconfirmed:
			return store.Conflict("export_unconfirmed", "Open the link in our e-mail to confirm your request.")
		case last != nil && last.wasConfirmed() && last.CreatedAt.After(now.Add(-exportPause)):
			return &store.Error{Code: store.CodeTooMany, Reason: "export_recent", Message: "You can request a copy once a day. Download the last one."}
		}
		export.CreatedAt, export.UpdatedAt = now, now
		if byMail {
			until := now.Add(casework.LinkTTL)
			export.Status, export.WakeAt = ExportUnconfirmed, &until
		}
		if err := tx.ORM(ctx).Create(export).Error; err != nil {
			return fmt.Errorf("store data export: %w", err)
		}
		if byMail {
			link := casework.MailedLink{Subject: export.ID, Kind: KindDataExport, UserID: userID, ExpiresAt: *export.WakeAt}
			return store.FirstError(casework.OpenLink(ctx, tx, link), export.mailLink(ctx, tx))
		}
		return casework.Append(ctx, tx, export.about(), casework.Event{Kind: "requested", Actor: casework.ByCustomer})
	})
	if err != nil {
		return nil, err
	}
	return export, nil
}

// wasConfirmed reports whether an export is, or was, made.
func (e *DataExport) wasConfirmed() bool { return e.Status != ExportExpired || e.ReadyAt != nil }

// mailLink has the link that confirms the export mailed.
func (e *DataExport) mailLink(ctx context.Context, tx *store.DB) error {
	return casework.Append(ctx, tx, e.about(), casework.Event{Kind: "confirmation_requested", Actor: casework.ByCustomer})
}

// MailExportLinkAgain has the link of an export mailed again.
func MailExportLinkAgain(ctx context.Context, db *store.DB, userID, id string) error {
	return changeExport(ctx, db, id, func(tx *store.DB, e *DataExport, _ time.Time) error {
		if e.Status != ExportUnconfirmed {
			return casework.ErrLinkGone
		}
		return store.FirstError(casework.CheckLink(ctx, tx, userID, id), e.mailLink(ctx, tx))
	})
}

// ConfirmExport has an export made whose owner followed the mailed link; casework.ErrLinkGone for any other token.
func ConfirmExport(ctx context.Context, db *store.DB, userID, id, token string) error {
	return changeExport(ctx, db, id, func(tx *store.DB, e *DataExport, now time.Time) error {
		if e.Status != ExportUnconfirmed || !now.Before(*e.WakeAt) {
			return casework.ErrLinkGone
		}
		if err := casework.UseLink(ctx, tx, userID, id, token); err != nil {
			return err
		}
		e.Status, e.WakeAt = ExportRequested, &now // due at once, if its workflow is not notified
		return casework.Append(ctx, tx, e.about(), casework.Event{Kind: "requested", Actor: casework.ByCustomer})
	})
}

// LastExport is the one a person requested last, or nil.
func LastExport(ctx context.Context, db *store.DB, userID string) (*DataExport, error) {
	var export DataExport
	err := db.ORM(ctx).Where("user_id = ?", userID).Order("created_at DESC").Take(&export).Error
	if store.IsMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read data export: %w", err)
	}
	return &export, nil
}

// Export reads an export by its id.
func Export(ctx context.Context, db *store.DB, id string) (*DataExport, error) {
	var export DataExport
	if err := db.ORM(ctx).Where("id = ?", id).Take(&export).Error; err != nil {
		if store.IsMissing(err) {
			return nil, store.NotFound("Data export")
		}
		return nil, fmt.Errorf("read data export: %w", err)
	}
	return &export, nil
}

// changeExport locks an export and runs fn on it, at the database's time.
func changeExport(ctx context.Context, db *store.DB, id string, fn func(tx *store.DB, e *DataExport, now time.Time) error) error {
	return db.Tx(ctx, func(tx *store.DB) error {
		var export DataExport
		err := tx.ORM(ctx).Clauses(clause.Locking{Strength: "UPDATE"}).Where("id = ?", id).Take(&export).Error
		if store.IsMissing(err) {
			return store.NotFound("Data export")
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
		if err := tx.ORM(ctx).Select("*").Omit("id", "created_at").Updates(&export).Error; err != nil {
			return fmt.Errorf("store data export: %w", err)
		}
		return nil
	})
}

// ExportKey gives the key that the file of an export is sealed with: the one of
// an earlier attempt, or this fresh one, so that attempts together write the
// same. done reports an export that is made already.
func ExportKey(ctx context.Context, db *store.DB, id string, fresh []byte) (export *DataExport, done bool, err error) {
	err = changeExport(ctx, db, id, func(_ *store.DB, e *DataExport, _ time.Time) error {
		export, done = e, e.Status != ExportRequested
		if !done && len(e.SealKey) == 0 {
			e.SealKey = fresh
		}
		return nil
	})
	return export, done, err
}

// ExportMade records that the file of an export is in the bucket.
func ExportMade(ctx context.Context, db *store.DB, id string, size int) error {
	return changeExport(ctx, db, id, func(tx *store.DB, e *DataExport, now time.Time) error {
		if e.Status != ExportRequested {
			return nil
		}
		expires := now.Add(ExportLife)
		e.Status, e.Size, e.ReadyAt, e.WakeAt = ExportReady, &size, &now, &expires
		return casework.Append(ctx, tx, e.about(), casework.Event{Kind: "ready", Dedupe: "ready", Data: map[string]any{"until": expires.UTC().Format(time.RFC3339)}})
	})
}

// ExpireExport deletes the key of an export whose file is deleted, and ends one that was not confirmed in time.
func ExpireExport(ctx context.Context, db *store.DB, id string) error {
	return changeExport(ctx, db, id, func(tx *store.DB, e *DataExport, now time.Time) error {
		if e.Status != ExportReady && (e.Status != ExportUnconfirmed || now.Before(*e.WakeAt)) {
			return nil
		}
		e.Status, e.SealKey, e.ClosedAt = ExportExpired, nil, &now
		if err := casework.DropLink(ctx, tx, id); err != nil {
			return err
		}
		return casework.Append(ctx, tx, e.about(), casework.Event{Kind: "expired", Dedupe: "expired"})
	})
}

// ExportState is an export as its workflow reads it.
type ExportState struct {
	Status string `json:"status"`
	// Wake is how long until it expires; zero when it is due.
	Wake   time.Duration `json:"wake"`
	Closed bool          `json:"closed"`
}

// ReadExportState reads where an export stands, and records that a workflow runs for it.
func ReadExportState(ctx context.Context, db *store.DB, id string) (ExportState, error) {
	if err := casework.CaseStarted(ctx, db, KindDataExport, id); err != nil {
		return ExportState{}, err
	}
	e, err := Export(ctx, db, id)
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

// ReadyExport finds a person's own export whose file can be fetched, and records that it was.
func ReadyExport(ctx context.Context, db *store.DB, userID, id string) (*DataExport, error) {
	var export DataExport
	err := db.ORM(ctx).Where("CAST(id AS text) = ? AND user_id = ? AND status = ? AND wake_at > clock_now()", id, userID, ExportReady).Take(&export).Error
	if store.IsMissing(err) {
		return nil, store.NotFound("File")
	}
	if err != nil {
		return nil, fmt.Errorf("read data export: %w", err)
	}
	err = db.Tx(ctx, func(tx *store.DB) error {
		return casework.Append(ctx, tx, export.about(), casework.Event{Kind: "fetched", Actor: casework.ByCustomer})
	})
	return &export, err
}
