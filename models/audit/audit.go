package audit

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/tradepost/tradepost/models/store"
)

// AuditEntry is one line of the append-only log of what staff did. It holds
// ids; personal values stay in rows that can be erased.
type AuditEntry struct {
	ActorID       string // empty for the system and for commands
	ActorRole     string
	Action        string
	ObjectKind    string
	ObjectID      string
	Before, After map[string]any
	Reason        string
	RequestID     string
}

// Audit adds an entry; inside a transaction it commits with what it is about.
func Audit(ctx context.Context, db *store.DB, entry AuditEntry) error {
	var actor, before, after any
	if entry.ActorID != "" {
		actor = entry.ActorID
	}
	for _, side := range []struct {
		from map[string]any
		to   *any
	}{{entry.Before, &before}, {entry.After, &after}} {
		if side.from == nil {
			continue
		}
		text, err := json.Marshal(side.from)
		if err != nil {
			return fmt.Errorf("write audit entry: %w", err)
		}
		*side.to = string(text)
	}
	return db.Later(ctx, store.Write{Table: "audit_log", Query: `INSERT INTO audit_log (actor_id, actor_role, action, object_kind, object_id, before, after, reason, request_id)
		VALUES ($1, $2, $3, $4, $5, $6::jsonb, $7::jsonb, $8, $9)`,
		Args: []any{actor, entry.ActorRole, entry.Action, entry.ObjectKind, entry.ObjectID, before, after, entry.Reason, entry.RequestID}})
}

// BySystem begins a query, to be named in a WITH, that audits what its other queries change;
// a SELECT of the role, the action, the object and its states before and after follows.
const BySystem = `INSERT INTO audit_log (actor_role, action, object_kind, object_id, before, after)`
