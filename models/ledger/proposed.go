package ledger

import (
	"context"
	"fmt"

	"github.com/tradepost/tradepost/models/store"
)

// ErrMoneyProposed refuses what an open proposal is about.
var ErrMoneyProposed = store.Conflict("proposal_open", "There is an open proposal for this. Approve or reject it first.")

// UnproposedMoney refuses to act on what a proposal is open about.
func UnproposedMoney(ctx context.Context, db *store.DB, subject string) error {
	var open bool
	if err := db.Row(ctx, "SELECT EXISTS (SELECT FROM money_proposals WHERE subject_id = $1 AND status = 'open')", subject).Scan(&open); err != nil {
		return fmt.Errorf("look for an open proposal: %w", err)
	}
	if open {
		return ErrMoneyProposed
	}
	return nil
}
