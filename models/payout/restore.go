package payout

import (
	"context"
	"fmt"
	"strings"

	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/store"
)

// MarkRestored marks payouts that may have been paid after a backup that was restored, and counts them.
func MarkRestored(ctx context.Context, tx *store.DB) (int64, error) {
	const mark = "UPDATE payouts SET restored_at = clock_now() WHERE status IN ? AND restored_at IS NULL"
	result := tx.ORM(ctx).Exec(mark, inProgress)
	return result.RowsAffected, result.Error
}

// BankStatement is the data of a rejection, and of the approval of a restored payout that the bank made: what the
// bank's statement since the backup shows.
type BankStatement struct {
	Statement string `json:"statement"`
}

// checkStatement returns an error while a payout of a restored backup may have been paid: its amount neither leaves
// nor returns to the balance before staff have read the bank's statement.
func (c *PayoutChange) checkStatement() error {
	if c.Payout.RestoredAt == nil {
		return nil
	}
	return store.Conflict("statement_unread", "A backup was restored, so this payout may be paid already. "+
		"Read the bank's statement since the backup and enter what it shows.")
}

// checkOwnStatement is checkStatement for the customer's own decisions.
func (c *PayoutChange) checkOwnStatement() error {
	if c.checkStatement() == nil {
		return nil
	}
	return store.Conflict("statement_unread",
		"We're checking this payout with our bank, so you can't cancel it right now.")
}

// readStatement records that a member of staff read the bank's statement since the backup, and found no transfer of
// the payout. It returns the error of checkStatement if they did not state what it shows.
func (c *PayoutChange) readStatement(who store.Actor, statement string) error {
	statement = strings.TrimSpace(statement)
	if c.Payout.RestoredAt == nil || statement == "" {
		return c.checkStatement()
	}
	c.Payout.RestoredAt = nil
	return c.auditStatement(who, statement)
}

// wasPaid reports whether an approval states that the bank made the transfer of a restored payout. The payout stays
// restored until the transfer is confirmed by its reference, so its amount is not released meanwhile.
func (c *PayoutChange) wasPaid(stated BankStatement) bool {
	return c.Payout.RestoredAt != nil && strings.TrimSpace(stated.Statement) != ""
}

// auditStatement records who read the bank's statement of a restored payout, and what it shows.
func (c *PayoutChange) auditStatement(who store.Actor, statement string) error {
	if err := c.event(casework.Event{Kind: "statement_read", Actor: casework.ByStaff, Internal: true}); err != nil {
		return err
	}
	err := audit.Audit(c.ctx, c.tx, audit.AuditEntry{ActorID: who.ActorID, ActorRole: who.ActorRole,
		Action: "payout.statement_read", ObjectKind: string(KindPayout), ObjectID: c.Payout.ID, Reason: statement,
		RequestID: who.RequestID})
	if err != nil {
		return fmt.Errorf("record that the statement was read: %w", err)
	}
	return nil
}
