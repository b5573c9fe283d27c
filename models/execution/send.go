package execution

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// The words withdrawals.status holds: requested until the custodian answered,
// then the custodian's states.
const (
	TransferRequested = "requested"
	TransferRefused   = "refused" // the custodian would not even take it
	TransferAwaiting  = "awaiting_approval"
	TransferSigned    = "signed"
	TransferBroadcast = "broadcast"
	TransferConfirmed = "confirmed"
	TransferRejected  = "rejected"
	TransferFailed    = "failed"
	TransferRemoved   = "removed"
	TransferReplaced  = "replaced"
	TransferDead      = "dead"    // two people say that it can never confirm
	TransferRevived   = "revived" // it was dead, and confirmed beside another effect: a loss
)

// withoutEffect are the statuses of a transfer that ended without effect.
var withoutEffect = []string{TransferRefused, TransferRejected, TransferFailed, TransferDead}

// Dead reports whether the transfer is known to have ended without effect, so
// that a person may ask for another.
func (w *Withdrawal) Dead() bool { return slices.Contains(withoutEffect, w.Status) }

// Caps are what custody lets out, in whole dollars of locked base price: for
// one transfer, and for all transfers of a day.
type Caps struct{ Order, Day int64 }

// TransferJob is a transfer to be sent, looked up or followed.
type TransferJob struct {
	Done       bool // nothing is left to do here
	SentBefore bool // look up before sending
	Withdrawal Withdrawal
	At         time.Time // before anything was asked of the custodian; of StartTransfer
}

// sender is what coin is sent for: an order, or the redemption of a voucher, each
// under the lock of its row.
type sender interface {
	LastTransfer() (*Withdrawal, error)
	NextTransfer(last *Withdrawal) (Withdrawal, error)
	// unsendable says why custody does not send; "" when it does.
	Unsendable(caps Caps) (string, error)
	Escalate(reason string) error
}

// StartTransfer gives the transfer whose outcome is open, to be looked up, or else
// commits the next one, where custody lets it out.
func StartTransfer(s sender, caps Caps) (TransferJob, error) {
	last, err := s.LastTransfer()
	if err != nil {
		return TransferJob{}, err
	}
	if last != nil && !last.Dead() {
		return TransferJob{SentBefore: true, Withdrawal: *last}, nil
	}
	reason, err := s.Unsendable(caps)
	if err != nil {
		return TransferJob{}, err
	}
	if reason != "" {
		return TransferJob{Done: true}, s.Escalate(reason)
	}
	next, err := s.NextTransfer(last)
	if err != nil {
		return TransferJob{}, err
	}
	return TransferJob{SentBefore: next.SendStartedAt.Before(next.CreatedAt), Withdrawal: next}, nil
}

// LastTransfer reads the newest transfer of an order or of a redemption, or nil; whose is the column.
func LastTransfer(ctx context.Context, db *store.DB, whose, id string) (*Withdrawal, error) {
	var rows []Withdrawal
	if err := db.ORM(ctx).Where(whose, id).Order("generation DESC").Limit(1).Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read transfers: %w", err)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	return &rows[0], nil
}

// SentBy reads which custodian a transfer is sent by.
func SentBy(ctx context.Context, db *store.DB, id string) (by ledger.Provider, err error) {
	if err := db.Row(ctx, "SELECT provider FROM withdrawals WHERE id = $1", id).Scan(&by); err != nil {
		return "", fmt.Errorf("read who sends a transfer: %w", err)
	}
	return by, nil
}

// LetOutOn1 is what custody has let out on day $1, summed up already and since.
const LetOutOn1 = `SELECT coalesce(sum(amount), 0) FROM (SELECT amount FROM tallies WHERE list = 'let out' AND owner = '` + store.Everybody + `' AND facet = $1
	UNION ALL SELECT amount FROM tally_changes WHERE list = 'let out' AND facet = $1) t`

// LockCaps lets one transaction at a time count what custody lets out.
func LockCaps(ctx context.Context, db *store.DB) error {
	if err := db.LockKey(ctx, "custody caps"); err != nil {
		return fmt.Errorf("lock custody caps: %w", err)
	}
	return nil
}

// BeyondCaps says that so many cents more are not let out now; "" when they are.
func BeyondCaps(ctx context.Context, db *store.DB, now time.Time, worth money.Units, caps Caps) (string, error) {
	if err := LockCaps(ctx, db); err != nil {
		return "", err
	}
	var today money.Units
	if err := db.Row(ctx, LetOutOn1, now.UTC().Format(time.DateOnly)).Scan(&today); err != nil {
		return "", fmt.Errorf("read what custody let out: %w", err)
	}
	return caps.Reached(today, worth), nil
}

// Reached says that so many cents more, beside what was let out today, are not let out;
// "" when they are.
func (c Caps) Reached(today, worth money.Units) string {
	perOrder, perDay := money.FromInt(c.Order*100), money.FromInt(c.Day*100)
	if worth.Cmp(perOrder) > 0 || today.Add(worth).Cmp(perDay) > 0 {
		return casework.AttentionCaps
	}
	return ""
}

// NextTransfer writes the transfer that is about to be sent. Its sequence id
// begins as what it is for says, and ends with its generation; row says since
// when it may have been sent.
func NextTransfer(ctx context.Context, db *store.DB, now time.Time, last *Withdrawal, row Withdrawal) (Withdrawal, error) {
	row.Generation = 1
	if last != nil {
		row.Generation = last.Generation + 1
	}
	row.ID, row.Status, row.CreatedAt, row.UpdatedAt = store.NewID(), TransferRequested, now, now
	row.SequenceID = fmt.Sprintf("%s-send-%d", row.SequenceID, row.Generation)
	if err := db.LaterORM(ctx, store.Write{Table: "withdrawals"}, func(orm *gorm.DB) *gorm.DB { return orm.Create(&row) }); err != nil {
		return Withdrawal{}, fmt.Errorf("store transfer: %w", err)
	}
	return row, nil
}

// StoreTransfer writes what differs between a transfer as it was read and as it is now, with
// the other writes of its change.
func StoreTransfer(ctx context.Context, tx *store.DB, was, is *Withdrawal) error {
	return store.SaveChanged(ctx, tx, was, is, nil)
}

// SaveTransfer writes a transfer whole.
func SaveTransfer(ctx context.Context, tx *store.DB, w *Withdrawal) error {
	if err := tx.ORM(ctx).Save(w).Error; err != nil {
		return fmt.Errorf("store transfer: %w", err)
	}
	return nil
}

// RefuseTransfer notes that the custodian would not take a transfer; whose column says
// what it was for.
func RefuseTransfer(ctx context.Context, tx *store.DB, whose, id string, generation int, now time.Time) error {
	return tx.ORM(ctx).Exec(`UPDATE withdrawals SET status = ?, updated_at = ? WHERE `+whose+` = ? AND generation = ? AND status = ?`,
		TransferRefused, now, id, generation, TransferRequested).Error
}
