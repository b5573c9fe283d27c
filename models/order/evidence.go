package order

import (
	"context"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// Kinds of evidence.
const (
	EvidenceReceipt   = "receipt"
	EvidenceCardPhoto = "card_photo"
)

// maxEvidence bounds the files of one order.
const maxEvidence = 10

// Evidence is an image a customer sent in for an order. The file is sealed under FileKey in the bucket; one from
// before the sealing has no SealedAt yet.
type Evidence struct {
	ID          string `gorm:"primaryKey"`
	OrderID     string
	UserID      string
	Kind        string
	FileKey     string
	ContentType string
	Size        int
	CreatedAt   time.Time  `gorm:"default:clock_now()"`
	PurgedAt    *time.Time // the file is deleted
	ErasedAt    *time.Time // and deleted from the bucket
	SealedAt    *time.Time
	SealedWith  []byte // the key, as secret.Keys has it; nil: not known
}

// EvidenceFiles are the files of evidence.
var EvidenceFiles = store.SealedFiles{Table: "evidence", ByKey: true, Kept: "purged_at IS NULL", Plain: "sealed_at IS NULL", Mark: ", sealed_at = coalesce(sealed_at, clock_now())"}

// File is the file in the bucket.
func (e *Evidence) File() store.SealedFile {
	return EvidenceFiles.File(e.ID, e.FileKey, e.SealedAt == nil)
}

// TableName implements GORM's Tabler.
func (Evidence) TableName() string { return "evidence" }

// AddEvidence records a stored file on its owner's order and that the customer says they have paid. Only orders that
// await a payment without a card accept any.
func AddEvidence(ctx context.Context, db *store.DB, file Evidence) (*Evidence, error) {
	file.ID = store.NewID()
	err := ChangeOrder(ctx, db, file.OrderID, func(c *OrderChange) error {
		if err := acceptsEvidence(c, file); err != nil {
			return err
		}
		orm := c.Tx.ORM(ctx)
		var count int64
		if err := orm.Model(&Evidence{}).Where("order_id = ?", file.OrderID).Count(&count).Error; err != nil {
			return fmt.Errorf("count evidence: %w", err)
		}
		if count >= maxEvidence {
			return store.Conflict("too_many_files", fmt.Sprintf("You can upload up to %d files per order", maxEvidence))
		}
		file.CreatedAt, file.SealedAt = c.Now, &c.Now
		if err := orm.Create(&file).Error; err != nil {
			return fmt.Errorf("store evidence: %w", err)
		}
		p, err := c.Payment()
		if err != nil {
			return err
		}
		if p.SubmittedAt == nil {
			p.SubmittedAt = &c.Now
		}
		if err := c.savePayment(p); err != nil {
			return err
		}
		return c.Event(casework.Event{Kind: "payment_submitted", Actor: casework.ByCustomer, Data: map[string]any{"kind": file.Kind}})
	})
	if err != nil {
		return nil, err
	}
	return &file, nil
}

func acceptsEvidence(c *OrderChange, file Evidence) error {
	if c.Order.UserID != file.UserID {
		return store.NotFound("Order")
	}
	if c.Order.Status != StatusPending || c.Order.ByCard() || c.Order.PaymentMethod == pricing.MethodBalance {
		return store.Conflict("order_state", "You can't upload files for this order right now")
	}
	if file.Kind == EvidenceCardPhoto {
		var wants bool
		err := c.Tx.ORM(c.Ctx).Raw(`SELECT wants_card_photo FROM payment_methods WHERE payment_method = ?`, c.Order.PaymentMethod).Row().Scan(&wants)
		if err != nil {
			return fmt.Errorf("read payment method: %w", err)
		}
		if !wants {
			return store.Conflict("not_asked_for", "You don't need a photo of your card for this payment method")
		}
	}
	return nil
}

// OrderEvidence reads an order's files, oldest first.
func OrderEvidence(ctx context.Context, db *store.DB, orderID string) ([]Evidence, error) {
	var files []Evidence
	if err := db.ORM(ctx).Where("order_id = ?", orderID).Order("id").Find(&files).Error; err != nil {
		return nil, fmt.Errorf("read evidence: %w", err)
	}
	return files, nil
}

// EvidenceFile finds a file by its key for its owner, or for reviewers when userID is empty. A purged one is not
// found.
func EvidenceFile(ctx context.Context, db *store.DB, key, userID string) (*Evidence, error) {
	query := db.ORM(ctx).Where("file_key = ? AND purged_at IS NULL", key)
	if userID != "" {
		query = query.Where("user_id = ?", userID)
	}
	var file Evidence
	if err := query.Take(&file).Error; err != nil {
		if store.IsMissing(err) {
			return nil, store.NotFound("File")
		}
		return nil, fmt.Errorf("read evidence: %w", err)
	}
	return &file, nil
}

// ViewEvidence finds a file for a member of staff. The audit log records the access before the file is shown.
func ViewEvidence(ctx context.Context, db *store.DB, key string, who store.Actor) (file *Evidence, err error) {
	err = db.Tx(ctx, func(tx *store.DB) error {
		if file, err = EvidenceFile(ctx, tx, key, ""); err != nil || file.UserID == who.ActorID {
			return err
		}
		return audit.Audit(ctx, tx, audit.AuditEntry{ActorID: who.ActorID, ActorRole: who.ActorRole, Action: "evidence.view", ObjectKind: "order", ObjectID: file.OrderID,
			After: map[string]any{"file": file.ID, "kind": file.Kind}, RequestID: who.RequestID})
	})
	return file, err
}

// FilesToErase lists purged files whose bytes are still in the bucket.
func FilesToErase(ctx context.Context, db *store.DB, limit int) (keys []string, err error) {
	err = db.ORM(ctx).Model(&Evidence{}).Where("purged_at IS NOT NULL AND erased_at IS NULL").
		Order("purged_at").Limit(limit).Pluck("file_key", &keys).Error
	if err != nil {
		return nil, fmt.Errorf("read files to erase: %w", err)
	}
	return keys, nil
}

// MarkErased records that a file's bytes are deleted.
func MarkErased(ctx context.Context, db *store.DB, key string) error {
	if err := db.ORM(ctx).Exec(`UPDATE evidence SET erased_at = clock_now() WHERE file_key = ? AND erased_at IS NULL`, key).Error; err != nil {
		return fmt.Errorf("mark file erased: %w", err)
	}
	return nil
}
