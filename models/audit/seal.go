package audit

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/store"
)

// AuditSeal is a hash over the seal before it and all lines since: changing or deleting a line of the audit log would
// need every later seal to change, which a copy of one seal kept elsewhere reveals.
type AuditSeal struct {
	ThroughID int64 `gorm:"primaryKey"`
	SealedAt  time.Time
	Hash      []byte
}

// sealAtMost bounds how many lines one seal covers.
const sealAtMost = 5_000

// sealHash hashes the lines after one seal up to another's last, onto the hash
// of the first.
const sealHash = `SELECT sha256(CAST(@hash AS bytea) || convert_to(coalesce(string_agg(audit_line(a), chr(10) ORDER BY a.id), ''), 'UTF8')) FROM audit_log a WHERE a.id > @last AND a.id <= @through`

// SealAudit seals the unsealed lines of the audit log. It blocks no writer: it covers lines whose transactions have
// ended, as a roll-up does.
func SealAudit(ctx context.Context, db *store.DB) error {
	newest, settled, err := db.Settled(ctx, "audit_log")
	if err != nil || !settled {
		return err
	}
	return db.Tx(ctx, func(tx *store.DB) error {
		alone, err := tx.TryKey(ctx, "seal audit")
		if err != nil || !alone {
			return err
		}
		last, err := LastSeal(ctx, tx)
		if err != nil || newest <= last.ThroughID {
			return err
		}
		through := min(newest, last.ThroughID+sealAtMost)
		var hash []byte
		if err := tx.ORM(ctx).Raw(sealHash, map[string]any{"hash": hexed(last.Hash), "last": last.ThroughID, "through": through}).Row().Scan(&hash); err != nil {
			return fmt.Errorf("hash the audit log: %w", err)
		}
		if err := tx.ORM(ctx).Omit("SealedAt").Create(&AuditSeal{ThroughID: through, Hash: hash}).Error; err != nil {
			return fmt.Errorf("seal the audit log: %w", err)
		}
		return nil
	})
}

// hexed is a hash as Postgres reads it out of a text.
func hexed(hash []byte) string { return fmt.Sprintf(`\x%x`, hash) }

// LastSeal is the newest one; an empty one before there is any.
func LastSeal(ctx context.Context, db *store.DB) (AuditSeal, error) {
	var seals []AuditSeal
	if err := db.ORM(ctx).Order("through_id DESC").Limit(1).Find(&seals).Error; err != nil {
		return AuditSeal{}, fmt.Errorf("read the last seal: %w", err)
	}
	if len(seals) == 0 {
		return AuditSeal{}, nil
	}
	return seals[0], nil
}

// VerifyAudit hashes the whole audit log again and says up to which line it is
// as it was sealed; broken is the first seal that does not hold, or nil.
func VerifyAudit(ctx context.Context, db *store.DB) (through int64, broken *AuditSeal, err error) {
	var before AuditSeal
	for {
		var seals []AuditSeal
		if err := db.ORM(ctx).Where("through_id > ?", before.ThroughID).Order("through_id").Limit(100).Find(&seals).Error; err != nil {
			return 0, nil, fmt.Errorf("read seals: %w", err)
		}
		if len(seals) == 0 {
			return before.ThroughID, nil, nil
		}
		for _, seal := range seals {
			var hash []byte
			err := db.ORM(ctx).Raw(sealHash, map[string]any{"hash": hexed(before.Hash), "last": before.ThroughID, "through": seal.ThroughID}).Row().Scan(&hash)
			if err != nil {
				return 0, nil, fmt.Errorf("hash the audit log: %w", err)
			}
			if !bytes.Equal(hash, seal.Hash) {
				return before.ThroughID, &seal, nil
			}
			before = seal
		}
	}
}
