package order

import (
	"context"

	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/store"
)

// OrderNotes reads what staff noted about an order, newest first.
func OrderNotes(ctx context.Context, db *store.DB, orderID string, limit int) ([]casework.Note, error) {
	return casework.OrderNotes.About(ctx, db, orderID, limit)
}

// AddOrderNote notes something about an order; nothing else of it changes.
func AddOrderNote(ctx context.Context, db *store.DB, orderID, body string, who store.Actor) error {
	body, err := casework.NoteText(body)
	if err != nil {
		return err
	}
	if _, err := ReadOrder(ctx, db, orderID); err != nil {
		return err
	}
	return db.Tx(ctx, func(tx *store.DB) error {
		id, err := casework.OrderNotes.Add(ctx, tx, orderID, who.ActorID, body)
		if err != nil {
			return err
		}
		return audit.Audit(ctx, tx, audit.AuditEntry{ActorID: who.ActorID, ActorRole: who.ActorRole, Action: "order.noted", ObjectKind: "order", ObjectID: orderID,
			After: map[string]any{"note": id}, RequestID: who.RequestID})
	})
}
