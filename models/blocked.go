package models

import (
	"context"
	"fmt"
)

// BlockedAddress is an address we do not send to. Key is the form addresses
// are compared in.
type BlockedAddress struct{ Network, Key string }

// ReplaceBlocked makes a source's list exactly these addresses: new ones are
// added, those no longer on it are removed. kind is "blocked", or "own" for our
// own wallets. Who did it is in the audit log.
func (db *DB) ReplaceBlocked(ctx context.Context, kind, source string, addresses []BlockedAddress) error {
	return db.Tx(ctx, func(tx *DB) error {
		if err := tx.lockKey(ctx, "blocked:"+source); err != nil {
			return fmt.Errorf("lock list: %w", err)
		}
		orm := tx.orm(ctx)
		if err := orm.Exec("DELETE FROM blocked_addresses WHERE source = ?", source).Error; err != nil {
			return fmt.Errorf("clear list: %w", err)
		}
		for _, a := range addresses {
			err := orm.Exec(`INSERT INTO blocked_addresses (network, address_key, kind, source) VALUES (?, ?, ?, ?)
				ON CONFLICT DO NOTHING`, a.Network, a.Key, kind, source).Error
			if err != nil {
				return fmt.Errorf("store address: %w", err)
			}
		}
		return tx.Audit(ctx, AuditEntry{ActorRole: "system", Action: "addresses_imported", ObjectKind: "blocked_addresses", ObjectID: source,
			After: map[string]any{"kind": kind, "count": len(addresses)}})
	})
}
