package correction

import (
	"context"
	"fmt"

	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/payout"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/treasury"
	"github.com/tradepost/tradepost/models/voucher"
)

// Restored counts what was open when a backup was restored.
type Restored struct {
	Orders, Redemptions, Moves            int64
	Payouts, Credits, Unplaced, Surpluses int64 // what the bank may have sent since
}

// String is what an operator reads after a restore.
func (r Restored) String() string {
	return fmt.Sprintf("%d orders, %d redemptions and %d treasury moves are open: "+
		"what is sent for them next is looked for first.\n"+
		"%d payouts, %d credits of closed accounts and %d receipts without an order may have left the bank since: "+
		"read its statement before any of them is sent.\n"+
		"%d surpluses of orders go back to their senders instead of to balances.",
		r.Orders, r.Redemptions, r.Moves, r.Payouts, r.Credits, r.Unplaced, r.Surpluses)
}

// NoteRestored marks everything open as restored from a backup, before any worker runs on it. What is sent next is
// first searched for at its provider since the row was made, and an approved move to a wallet ends, to be proposed
// again after a check. The bank cannot be searched, so what it may have sent waits until staff have read its statement.
// by is the operator's name; a repeated call changes nothing.
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
		if marked.Payouts, err = payout.MarkRestored(ctx, tx); err != nil {
			return fmt.Errorf("mark payouts: %w", err)
		}
		if marked.Credits, err = ledger.MarkStrandedRestored(ctx, tx); err != nil {
			return fmt.Errorf("mark credits of closed accounts: %w", err)
		}
		if marked.Unplaced, err = order.MarkMoneyRestored(ctx, tx); err != nil {
			return fmt.Errorf("mark unplaced money: %w", err)
		}
		if marked.Surpluses, err = order.MarkSurplusesRestored(ctx, tx); err != nil {
			return fmt.Errorf("mark surpluses: %w", err)
		}
		if err := store.RecordRestore(ctx, tx); err != nil {
			return err
		}
		return audit.Audit(ctx, tx, audit.AuditEntry{ActorRole: "system", Action: "backup_restored", ObjectKind: "backup", ObjectID: by,
			After: map[string]any{"orders": marked.Orders, "redemptions": marked.Redemptions, "moves": marked.Moves,
				"payouts": marked.Payouts, "credits": marked.Credits, "unplaced": marked.Unplaced,
				"surpluses": marked.Surpluses}})
	})
	return marked, err
}
