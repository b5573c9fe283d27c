package treasury

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm/clause"

	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// MoveStatus is the state of a move of coin.
type MoveStatus string

// The statuses, in the order a good move passes them.
const (
	MoveProposed  MoveStatus = "proposed"
	MoveApproved  MoveStatus = "approved" // waits for its workflow
	MoveSending   MoveStatus = "sending"  // out of the exchange's account in the books, about to be requested
	MoveUnknown   MoveStatus = "unknown"  // requested, and left no trace: a person decides
	MoveSent      MoveStatus = "sent"     // the exchange has it under a reference
	MoveDiffers   MoveStatus = "differs"  // another amount left, or arrived, than was requested: a person decides
	MoveArrived   MoveStatus = "arrived"
	MoveRejected  MoveStatus = "rejected"
	MoveWithdrawn MoveStatus = "withdrawn" // by who proposed it
	MoveFailed    MoveStatus = "failed"    // the coin is at the exchange
)

// moveTransitions is the one table of what a move's status may become.
var moveTransitions = map[MoveStatus][]MoveStatus{
	MoveProposed: {MoveApproved, MoveRejected, MoveWithdrawn},
	MoveApproved: {MoveSending, MoveFailed},
	MoveSending:  {MoveSent, MoveUnknown, MoveFailed},
	MoveUnknown:  {MoveSending, MoveSent, MoveFailed},
	MoveSent:     {MoveArrived, MoveDiffers, MoveUnknown, MoveFailed},
	MoveDiffers:  {MoveSent, MoveArrived},
}

// Over reports whether a move of a status has ended.
func (s MoveStatus) Over() bool { return len(moveTransitions[s]) == 0 }

// MoveEvents are the kinds of events a move's timeline can hold.
var MoveEvents = []string{"proposed", "approved", "rejected", "withdrawn", "sending", "not_sent", "unknown", "found", "adopted", "resend", "sent",
	"problem", "differs", "accepted", "recheck", "settled", "arrived", "failed"}

// Move is coin sent from the exchange to one of our wallets, once. Amount leaves the exchange; its fee comes out of
// it.
type Move struct {
	ID         string `gorm:"primaryKey"`
	Reference  string
	Asset      money.Currency
	Network    string
	Amount     money.Units
	Status     MoveStatus
	Reason     string
	ProposedBy *string // nil: the wallet fell below its threshold
	DecidedBy  *string
	DecidedAt  *time.Time
	Answer     string

	WithdrawKey   *string
	MostFee       *money.Units
	Generation    int
	FirstSentAt   *time.Time
	SendStartedAt *time.Time
	ExchangeRef   *string
	AdoptedAt     *time.Time // a person named the withdrawal
	Fee           *money.Units
	TxID          *string `gorm:"column:txid"`
	SettledAt     *time.Time
	Arrived       *money.Units
	Differing     *money.Units // the amount that was not expected, while a person has to decide about it
	ReceiptID     *string
	ArrivedAt     *time.Time
	Problem       *string

	WorkflowStartedAt *time.Time
	SweptAt           *time.Time
	RestoredAt        *time.Time // was open when a backup was restored (restore.go)
	WakeAt            *time.Time
	CreatedAt         time.Time `gorm:"default:clock_now()"`
	UpdatedAt         time.Time `gorm:"autoUpdateTime:false;default:clock_now()"`
	ClosedAt          *time.Time
}

// TableName implements GORM's Tabler.
func (Move) TableName() string { return "treasury_moves" }

// Wallet is the destination of the coin.
func (m *Move) Wallet() Wallet { return Wallet{m.Asset, m.Network} }

// Sentence is the move in one line, for workflow summaries.
func (m *Move) Sentence() string {
	return fmt.Sprintf("%s · %s %s from the exchange to the wallet on %s", m.Reference, m.Asset.Format(m.Amount), m.Asset, m.Network)
}

// MoveEvent is a stored event of a move.
type MoveEvent struct {
	ID      int64 `gorm:"primaryKey"`
	MoveID  string
	At      time.Time `gorm:"default:clock_now()"`
	Kind    string
	ActorID *string
	Status  MoveStatus
	Data    json.RawMessage `gorm:"type:jsonb"`
}

// TableName implements GORM's Tabler.
func (MoveEvent) TableName() string { return "treasury_move_events" }

// MoveChange is one transaction on one move. Nothing it does is visible until all
// of it is.
type MoveChange struct {
	Move *Move
	Now  time.Time

	ctx context.Context
	tx  *store.DB
	was Move // as it was read
}

// ChangeMove locks a move and runs fn on it; what fn did commits together with the
// move's row. It is the only way a move changes.
func ChangeMove(ctx context.Context, db *store.DB, id string, fn func(c *MoveChange) error) error {
	return db.Tx(ctx, func(tx *store.DB) error {
		move, now, err := store.LockedRow[Move](ctx, tx, "treasury_moves", id, "Move")
		if err != nil {
			return err
		}
		c := &MoveChange{Move: move, Now: now, ctx: ctx, tx: tx, was: *move}
		if err := fn(c); err != nil {
			return err
		}
		return c.store()
	})
}

// errWithdrawalUsed refuses one withdrawal as two moves.
var errWithdrawalUsed = store.Conflict("reference_used", "This withdrawal already belongs to another move")

// store writes what changed of the move's row, guarded by the status it was read with.
func (c *MoveChange) store() error {
	c.Move.UpdatedAt = c.Now
	if c.Move.Status.Over() && c.Move.ClosedAt == nil {
		c.Move.ClosedAt, c.Move.WakeAt = &c.Now, nil
	}
	_, values, err := store.ChangedColumns(c.ctx, c.tx, &c.was, c.Move)
	if err != nil {
		return err
	}
	result := c.tx.ORM(c.ctx).Model(&Move{}).Where("id = ? AND status = ?", c.Move.ID, c.was.Status).Updates(values)
	if store.Violates(result.Error, "treasury_moves_exchange_ref_key") {
		return errWithdrawalUsed
	}
	if result.Error != nil {
		return fmt.Errorf("store move: %w", result.Error)
	}
	if result.RowsAffected != 1 {
		return store.Conflict("move_moved", "The move has changed. Refresh the page.")
	}
	return nil
}

// become changes the move's status; one the table does not list is refused.
func (c *MoveChange) become(to MoveStatus) error {
	if !slices.Contains(moveTransitions[c.Move.Status], to) {
		return store.Conflict("move_state", fmt.Sprintf("A move that is %s can't become %s", c.Move.Status, to))
	}
	c.Move.Status = to
	return nil
}

// event appends to the move's timeline; a nil actor is the system.
func (c *MoveChange) event(kind string, actor *string, data map[string]any) error {
	if !slices.Contains(MoveEvents, kind) {
		return fmt.Errorf("write event: %q is no kind of event: list it", kind)
	}
	if data == nil {
		data = map[string]any{}
	}
	raw, err := json.Marshal(data)
	if err != nil {
		return fmt.Errorf("write event %s: %w", kind, err)
	}
	row := MoveEvent{MoveID: c.Move.ID, At: c.Now, Kind: kind, ActorID: actor, Status: c.Move.Status, Data: raw}
	if err := c.tx.ORM(c.ctx).Create(&row).Error; err != nil {
		return fmt.Errorf("write event %s: %w", kind, err)
	}
	return nil
}

// troubled records what blocks the move, and appends it to its timeline once.
func (c *MoveChange) troubled(code string) error {
	if store.Text(c.Move.Problem) == code {
		return nil
	}
	c.Move.Problem = &code
	return c.event("problem", nil, map[string]any{"code": code})
}

// KindMove is what postings and the audit log call a move.
const KindMove = "treasury_move"

// book writes postings of the move: once, since the group is the move's.
func (c *MoveChange) book(event, group string, lines ...ledger.Posting) error {
	return ledger.PostAbout(c.ctx, c.tx, ledger.About(KindMove, c.Move.ID, event, group), lines)
}

// MoveLeftPostings deduct coin from the exchange's account before the withdrawal is requested: what may have left is
// promised to nothing else.
func MoveLeftPostings(m *Move) []ledger.Posting {
	return []ledger.Posting{{From: ledger.AccountExchange, To: InTransitAccount(m.Network), Currency: m.Asset, Amount: m.Amount}}
}

// MoveBackPostings are for coin that never left the exchange, or returned to it.
func MoveBackPostings(m *Move) []ledger.Posting {
	return []ledger.Posting{{From: InTransitAccount(m.Network), To: ledger.AccountExchange, Currency: m.Asset, Amount: m.Amount}}
}

// MoveArrivedPostings are for coin that arrived in the wallet; the rest was the
// exchange's fee for sending it.
func MoveArrivedPostings(m *Move, arrived money.Units) []ledger.Posting {
	fee := ledger.MovedPostings(ledger.AccountNetworkFee, InTransitAccount(m.Network), m.Asset, m.Amount.Sub(arrived))
	return append([]ledger.Posting{{From: InTransitAccount(m.Network), To: ledger.WalletAccount(m.Network), Currency: m.Asset, Amount: arrived}}, fee...)
}

// insertMove writes a new move, unless its wallet has an open one.
func insertMove(ctx context.Context, db *store.DB, m *Move) error {
	for {
		m.Reference = store.Reference("TM-")
		result := db.ORM(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(m)
		if result.Error != nil {
			return fmt.Errorf("store move: %w", result.Error)
		}
		if result.RowsAffected == 1 {
			return nil
		}
		open, err := openMove(ctx, db, m.Wallet())
		if err != nil {
			return err
		}
		if open != nil {
			return store.Conflict("move_open", fmt.Sprintf("%s is in progress for this wallet. Wait until it's completed.", open.Reference))
		}
	}
}

// openMove is the move to a wallet that has not ended, or nil.
func openMove(ctx context.Context, db *store.DB, w Wallet) (*Move, error) {
	var rows []Move
	err := db.ORM(ctx).Where("asset = ? AND network = ? AND closed_at IS NULL", w.Asset, w.Network).Limit(1).Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read the open move: %w", err)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	return &rows[0], nil
}
