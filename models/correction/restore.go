package correction

import (
	"context"
	"fmt"

	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/treasury"
	"github.com/tradepost/tradepost/models/voucher"
)

// Restored is what was open when a backup was restored.
type Restored struct{ Orders, Redemptions, Moves int64 }

// NoteRestored marks everything open as restored from a backup, before any worker runs on it: what is sent next is
// first searched for at its provider since the row was made, and an approved move to a wallet ends, to be proposed
// again after a check. by is the operator's name; a repeated call changes nothing.
func NoteRestored(ctx context.Context, db *store.DB, by string) (Restored, error) {
	var marked Restored
	err := db.Tx(ctx, func(tx *store.DB) (err error) {
		if marked.Orders, err = order.MarkRestored(ctx, tx); err != nil {
			return fmt.Errorf("mark orders: %w", err)
		}
		if marked.Redemptions, err = voucher.MarkRestored(ctx, tx); err != nil {
			return fmt.Errorf("mark redemptions: %w", err)
		}
		if marked.Moves, err = treasury.MarkRestored(ctx, tx); err != nil {
			return fmt.Errorf("mark treasury moves: %w", err)
		}
		if err := store.RecordRestore(ctx, tx); err != nil {
			return err
		}
		return audit.Audit(ctx, tx, audit.AuditEntry{ActorRole: "system", Action: "backup_restored", ObjectKind: "backup", ObjectID: by,
			After: map[string]any{"orders": marked.Orders, "redemptions": marked.Redemptions, "moves": marked.Moves}})
	})
	return marked, err
}
