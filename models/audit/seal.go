package audit

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"github.com/tradepost/tradepost/models/store"
)

// AuditSeal is a hash over the seal before it and all lines since, and a MAC of it: changing or deleting a line of the
// audit log would need every later seal to change, for which whoever may write to the database needs the key too. Seals of
// releases before 00171 have no MAC; the hash of the first that has one covers them.
type AuditSeal struct {
	ThroughID int64 `gorm:"primaryKey"`
	SealedAt  time.Time
	Hash      []byte
	MAC       []byte `gorm:"column:mac"`
}

// Sealing is what seals are made with.
type Sealing struct {
	// Keys are those of the MACs: the first one seals, each verifies. Without any, seals have no MAC.
	Keys [][]byte
	// Keep puts a copy of a seal where the database's owner cannot change it; a seal that has none is not stored. It is
	// called again for a seal that was not stored, and nil where there is no such place.
	Keep func(ctx context.Context, seal AuditSeal) error
}

// mac is the seal's with a key.
func (a *AuditSeal) mac(key []byte) []byte {
	h := hmac.New(sha256.New, key)
	fmt.Fprintf(h, "audit seal %d %x", a.ThroughID, a.Hash)
	return h.Sum(nil)
}

// Made reports whether the seal was made with one of the keys.
func (a *AuditSeal) Made(keys [][]byte) bool {
	return slices.ContainsFunc(keys, func(key []byte) bool { return hmac.Equal(a.MAC, a.mac(key)) })
}

// sealAtMost bounds how many lines one seal covers.
const sealAtMost = 5_000

// sealHash hashes the lines after one seal up to another's last, onto the hash
// of the first.
const sealHash = `SELECT sha256(CAST(@hash AS bytea) || convert_to(coalesce(string_agg(audit_line(a), chr(10) ORDER BY a.id), ''), 'UTF8')) FROM audit_log a WHERE a.id > @last AND a.id <= @through`

// SealAudit seals the unsealed lines of the audit log. It blocks no writer: it covers lines whose transactions have
// ended, as a roll-up does.
func SealAudit(ctx context.Context, db *store.DB, with Sealing) error {
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
		seal := AuditSeal{ThroughID: min(newest, last.ThroughID+sealAtMost)}
		if seal.Hash, err = hashed(ctx, tx, last, seal.ThroughID); err != nil {
			return err
		}
		if len(with.Keys) > 0 {
			seal.MAC = seal.mac(with.Keys[0])
		}
		if with.Keep != nil {
			if err := with.Keep(ctx, seal); err != nil {
				return fmt.Errorf("keep a copy of the seal: %w", err)
			}
		}
		if err := tx.ORM(ctx).Omit("SealedAt").Create(&seal).Error; err != nil {
			return fmt.Errorf("seal the audit log: %w", err)
		}
		return nil
	})
}

// hashed hashes the lines after a seal up to another's last.
func hashed(ctx context.Context, db *store.DB, after AuditSeal, through int64) (hash []byte, err error) {
	err = db.ORM(ctx).Raw(sealHash, map[string]any{"hash": hexed(after.Hash), "last": after.ThroughID, "through": through}).Row().Scan(&hash)
	if err != nil {
		return nil, fmt.Errorf("hash the audit log: %w", err)
	}
	return hash, nil
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

// Unsealed returns the numbers of the lines that no seal covers, the first ones up to limit, and how many they are.
func Unsealed(ctx context.Context, db *store.DB, limit int) (lines []int64, total int, err error) {
	err = db.Row(ctx, `SELECT coalesce((array_agg(id ORDER BY id))[1:$1], '{}'), count(*) FROM audit_log
		WHERE id > coalesce((SELECT max(through_id) FROM audit_seals), 0)`, limit).Scan(&lines, &total)
	if err != nil {
		return nil, 0, fmt.Errorf("read lines without a seal: %w", err)
	}
	return lines, total, nil
}

// VerifyAudit hashes the whole audit log again and says up to which line it is as it was sealed; broken is the first seal
// that does not hold, or nil. With keys, a seal holds whose MAC is of one of them, and one without a MAC before the first
// that has one; the last one must have one.
func VerifyAudit(ctx context.Context, db *store.DB, keys [][]byte) (through int64, broken *AuditSeal, err error) {
	var before AuditSeal
	for {
		var seals []AuditSeal
		if err := db.ORM(ctx).Where("through_id > ?", before.ThroughID).Order("through_id").Limit(100).Find(&seals).Error; err != nil {
			return 0, nil, fmt.Errorf("read seals: %w", err)
		}
		if len(seals) == 0 {
			if len(keys) > 0 && before.ThroughID > 0 && before.MAC == nil {
				return before.ThroughID, &before, nil
			}
			return before.ThroughID, nil, nil
		}
		for _, seal := range seals {
			hash, err := hashed(ctx, db, before, seal.ThroughID)
			if err != nil {
				return 0, nil, err
			}
			unkeyed := seal.MAC == nil && before.MAC == nil
			if !bytes.Equal(hash, seal.Hash) || len(keys) > 0 && !unkeyed && !seal.Made(keys) {
				return before.ThroughID, &seal, nil
			}
			before = seal
		}
	}
}

// VerifyCopy reports whether the audit log is still what a copy of a seal, kept elsewhere, says: the seals before it are,
// and the lines since. The copy may be of a seal that was not stored.
func VerifyCopy(ctx context.Context, db *store.DB, copied AuditSeal) (bool, error) {
	var seals []AuditSeal
	if err := db.ORM(ctx).Where("through_id < ?", copied.ThroughID).Order("through_id DESC").Limit(1).Find(&seals).Error; err != nil {
		return false, fmt.Errorf("read the seal before a copy: %w", err)
	}
	var before AuditSeal
	if len(seals) > 0 {
		before = seals[0]
	}
	hash, err := hashed(ctx, db, before, copied.ThroughID)
	return bytes.Equal(hash, copied.Hash), err
}
