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

// The values of withdrawals.status: requested until the custodian answered, then the custodian's states.
const (
	TransferRequested = "requested"
	TransferRefused   = "refused" // the custodian refused the request
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

// Dead reports whether the transfer is known to have ended without effect, so that staff may decide on another.
func (w *Withdrawal) Dead() bool { return slices.Contains(withoutEffect, w.Status) }

// InDoubt reports whether custody calls the transfer removed or replaced: it may still confirm, until it is known to be
// dead.
func (w *Withdrawal) InDoubt() bool { return slices.Contains(inDoubt, w.Status) }

// inDoubt are the statuses of a transfer that left custody's sight.
var inDoubt = []string{TransferRemoved, TransferReplaced}

// InDoubtSQL is InDoubt as a condition on withdrawals.
const InDoubtSQL = "status IN ('" + TransferRemoved + "', '" + TransferReplaced + "')"

// Caps are the limits of what custody sends, in whole dollars of locked base price: for one transfer, and for all
// transfers of a day.
type Caps struct{ Order, Day int64 }

// TransferJob is a transfer to be sent, read or followed.
type TransferJob struct {
	Done       bool // nothing is left to do here
	SentBefore bool // read before sending
	Withdrawal Withdrawal
	At         time.Time // before the request to the custodian; of StartTransfer
}

// StartTransfer gives the transfer whose outcome is open, to be read, or else commits the next one, within custody's
// caps.
func StartTransfer(c Change, caps Caps) (TransferJob, error) {
	s := c.Subject()
	last, err := s.LastTransfer()
	if err != nil {
		return TransferJob{}, err
	}
	if last != nil && !last.Dead() {
		return TransferJob{SentBefore: true, Withdrawal: *last, At: s.Now}, nil
	}
	reason, err := c.Unsendable(caps)
	if err != nil {
		return TransferJob{}, err
	}
	if reason != "" {
		return TransferJob{Done: true, At: s.Now}, c.Escalate(reason)
	}
	next, err := s.nextTransfer(last)
	if err != nil {
		return TransferJob{}, err
	}
	return TransferJob{SentBefore: next.SendStartedAt.Before(next.CreatedAt), Withdrawal: next, At: s.Now}, nil
}

// MaySend reports whether a transfer whose first send left no trace may be sent again
// under its identity. Where nothing new may begin, its subject waits.
func MaySend(c Change) (may bool, err error) {
	reason, err := c.Halted()
	if may = reason == "" && err == nil; may || err != nil {
		return may, err
	}
	return false, c.Escalate(reason)
}

// LastTransfer reads the newest transfer of the subject, or nil.
func (s *Subject) LastTransfer() (*Withdrawal, error) {
	var rows []Withdrawal
	if err := s.Tx.ORM(s.Ctx).Where(s.column()+" = ?", s.ID).Order("generation DESC").Limit(1).Find(&rows).Error; err != nil {
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

// LockCaps serializes the count of what custody sends in a day.
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

// nextTransfer writes the transfer that is about to be sent. Its sequence id
// ends with its generation.
func (s *Subject) nextTransfer(last *Withdrawal) (Withdrawal, error) {
	since := s.maybeSince()
	row := Withdrawal{ID: store.NewID(), Generation: 1, Status: TransferRequested, SendStartedAt: &since, UserID: s.UserID, Asset: s.Asset, Network: s.Network,
		Address: s.Address, Amount: s.Amount, CreatedAt: s.Now, UpdatedAt: s.Now}
	s.name(&row.OrderID, &row.RedemptionID)
	if last != nil {
		row.Generation = last.Generation + 1
	}
	row.SequenceID = fmt.Sprintf("%s-%s-send-%d", s.Sequence, s.ID, row.Generation)
	if err := s.Tx.LaterORM(s.Ctx, store.Write{Table: "withdrawals"}, func(orm *gorm.DB) *gorm.DB { return orm.Create(&row) }); err != nil {
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

// RefuseTransfer records that the custodian refused a transfer.
func (s *Subject) RefuseTransfer(generation int) error {
	return s.Tx.ORM(s.Ctx).Exec(`UPDATE withdrawals SET status = ?, updated_at = ? WHERE `+s.column()+` = ? AND generation = ? AND status = ?`,
		TransferRefused, s.Now, s.ID, generation, TransferRequested).Error
}
