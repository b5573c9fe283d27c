package privacy

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm/clause"

	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/chore"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// KindClosure is the end of an account, at its owner's request.
const KindClosure casework.Kind = "account_closure"

var _ = casework.ListCases(&casework.CaseRules{Matter: KindClosure, Label: "account", Page: "/settings/privacy", Table: "account_closures",
	Events: []string{"requested", "cancelled", "refused", "closed"},
	Mailings: []casework.Mailing{
		{Event: "requested", Kind: "account_closing"},
		{Event: "cancelled", Kind: "account_kept"},
		{Event: "refused", Kind: "account_not_closed"},
		{Event: "closed", Kind: "account_closed", Page: "/privacy"},
	}})

// Statuses of a closure.
const (
	ClosureWaiting   = "waiting"
	ClosureCancelled = "cancelled"
	ClosureRefused   = "refused" // something was open when it came due
	ClosureClosing   = "closing" // closed here, not yet erased at the identity provider
	ClosureDone      = "closed"
)

// How long closing waits, and things are kept.
const (
	// ClosurePause is how long the owner of an account can withdraw its closure.
	ClosurePause = 7 * 24 * time.Hour
	// keptByLaw is how long the records of a customer who traded are kept after the last of them (specification §9).
	keptByLaw = 7 * 365 * 24 * time.Hour
	// keptForMail is how long an address is kept to notify its owner of the closure.
	keptForMail = 4 * 24 * time.Hour
)

// AccountClosure is a person's request to close their account.
type AccountClosure struct {
	ID                string `gorm:"primaryKey"`
	Reference         string
	UserID            string
	Status            string
	WakeAt            time.Time // when the account ends
	RefusedBecause    *string
	WorkflowStartedAt *time.Time
	SweptAt           *time.Time
	CreatedAt         time.Time `gorm:"default:clock_now()"`
	UpdatedAt         time.Time `gorm:"autoUpdateTime:false;default:clock_now()"`
	ClosedAt          *time.Time
}

func (a *AccountClosure) about() casework.About {
	return casework.About{Matter: KindClosure, ID: a.ID, UserID: a.UserID, Reference: a.Reference, Status: a.Status}
}

// KeepsOpen lists, by code, the open records of a customer that block a closure. Each is a query that finds one such
// row.
var KeepsOpen = []struct{ Code, Query string }{
	{"staff", `SELECT FROM user_roles WHERE user_id = @user`},
	{"balance", `SELECT FROM customer_balances WHERE user_id = @user AND amount > 0`},
	{"order", `SELECT FROM orders WHERE user_id = @user AND closed_at IS NULL`},
	{"refund", `SELECT FROM refunds r JOIN orders o ON o.id = r.order_id WHERE o.user_id = @user AND r.done_at IS NULL`},
	{"approval", `SELECT FROM order_proposals p JOIN orders o ON o.id = p.order_id WHERE o.user_id = @user AND p.status = 'open'`},
	{"approval", `SELECT FROM decisions d JOIN orders o ON o.id = d.order_id WHERE o.user_id = @user AND d.settled_at IS NULL`},
	{"receipt", `SELECT FROM postings p JOIN orders o ON o.id = p.order_id WHERE o.user_id = @user AND 'unallocated_receipts' IN (p.from_account, p.to_account)
		HAVING sum(CASE p.from_account WHEN 'unallocated_receipts' THEN p.amount ELSE -p.amount END) <> 0`},
	{"dispute", `SELECT FROM disputes d JOIN orders o ON o.id = d.order_id WHERE o.user_id = @user AND d.closed_at IS NULL`},
	{"gift_card", `SELECT FROM gift_cards WHERE user_id = @user AND status IN ('received', 'in_review', 'offered')`},
	{"identity", `SELECT FROM kyc_records WHERE user_id = @user AND status = 'pending'`},
}

// Idle are kinds of cases that do not block a closure, or end with the account.
var Idle = map[casework.Kind]bool{KindDataExport: true, KindClosure: true, "kyc": true}

// openOf is the first thing that is still open, or empty.
func openOf(ctx context.Context, db *store.DB, userID string) (code string, err error) {
	for _, thing := range KeepsOpen {
		var open bool
		if err := db.ORM(ctx).Raw("SELECT EXISTS ("+thing.Query+")", map[string]any{"user": userID}).Row().Scan(&open); err != nil {
			return "", fmt.Errorf("look for an open %s: %w", thing.Code, err)
		}
		if open {
			return thing.Code, nil
		}
	}
	for _, rules := range casework.Kinds() {
		if rules.Table == "" || Idle[rules.Matter] {
			continue
		}
		var open bool
		err := db.ORM(ctx).Raw("SELECT EXISTS (SELECT FROM "+rules.Table+" WHERE user_id = ? AND closed_at IS NULL)", userID).Row().Scan(&open)
		if err != nil {
			return "", fmt.Errorf("look for an open %s: %w", rules.Matter, err)
		}
		if open {
			return string(rules.Matter), nil
		}
	}
	held, err := ledger.HoldingsOf(ctx, db, userID)
	if err == nil && held.Receivable.Sign() > 0 {
		code = "owed"
	}
	return code, err
}

// openTexts say what keeps an account from being closed.
var openTexts = map[string]string{
	"staff":     "Your account has a role in the back office. Ask an admin to remove it first.",
	"balance":   "You have money in your balance. Spend it or pay it out first.",
	"order":     "You have an order in progress. Wait until it's completed.",
	"refund":    "You have a refund in progress. Wait until it's completed.",
	"approval":  "We're still reviewing one of your orders. Wait for our decision.",
	"receipt":   "We still have to use or return money you sent us. Wait until it's completed.",
	"dispute":   "You have an open payment dispute. Wait until it's closed.",
	"gift_card": "We're still reviewing your gift card. Wait for our decision.",
	"identity":  "We're reviewing your documents. Wait for our decision.",
	"owed":      "You owe us money. Contact support.",
}

// MayClose refuses what keeps an account from being closed.
func MayClose(ctx context.Context, db *store.DB, userID string) error {
	open, err := openOf(ctx, db, userID)
	if err != nil {
		return err
	}
	if open != "" {
		return store.Conflict("open_"+open, StillOpen(open))
	}
	return nil
}

// AskToClose stores a person's request to close their account; it is closed after ClosurePause, unless they withdraw
// it. Nothing may be open.
func AskToClose(ctx context.Context, db *store.DB, userID string) (*AccountClosure, error) {
	closure := &AccountClosure{ID: store.NewID(), UserID: userID, Status: ClosureWaiting, Reference: store.Reference("AC-")}
	err := db.Tx(ctx, func(tx *store.DB) error {
		if err := tx.LockKey(ctx, "customer:"+userID); err != nil {
			return fmt.Errorf("lock customer: %w", err)
		}
		last, err := LastClosure(ctx, tx, userID)
		if err != nil {
			return err
		}
		if last != nil && last.Status == ClosureWaiting {
			return store.Conflict("closing", "You already asked us to close your account")
		}
		if err := MayClose(ctx, tx, userID); err != nil {
			return err
		}
		now, err := tx.Now(ctx)
		if err != nil {
			return err
		}
		closure.CreatedAt, closure.UpdatedAt, closure.WakeAt = now, now, now.Add(ClosurePause)
		if err := tx.ORM(ctx).Create(closure).Error; err != nil {
			return fmt.Errorf("store closure: %w", err)
		}
		return casework.Append(ctx, tx, closure.about(), casework.Event{Kind: "requested", Actor: casework.ByCustomer, Data: map[string]any{"at": closure.WakeAt.UTC().Format(time.RFC3339)}})
	})
	if err != nil {
		return nil, err
	}
	return closure, nil
}

// LastClosure is the one a person requested last, or nil.
func LastClosure(ctx context.Context, db *store.DB, userID string) (*AccountClosure, error) {
	var closure AccountClosure
	err := db.ORM(ctx).Where("user_id = ?", userID).Order("created_at DESC").Take(&closure).Error
	if store.IsMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read closure: %w", err)
	}
	return &closure, nil
}

// changeClosure locks a closure, after its customer, and runs fn on it.
func changeClosure(ctx context.Context, db *store.DB, id string, fn func(tx *store.DB, a *AccountClosure, now time.Time) error) error {
	return db.Tx(ctx, func(tx *store.DB) error {
		var a AccountClosure
		err := tx.ORM(ctx).Where("id = ?", id).Take(&a).Error
		if err == nil {
			if err := tx.LockKey(ctx, "customer:"+a.UserID); err != nil {
				return fmt.Errorf("lock customer: %w", err)
			}
			err = tx.ORM(ctx).Clauses(clause.Locking{Strength: "UPDATE"}).Where("id = ?", id).Take(&a).Error
		}
		if store.IsMissing(err) {
			return store.NotFound("Closure")
		}
		if err != nil {
			return fmt.Errorf("read closure: %w", err)
		}
		now, err := tx.Now(ctx)
		if err != nil {
			return err
		}
		if err := fn(tx, &a, now); err != nil {
			return err
		}
		a.UpdatedAt = now
		if err := tx.ORM(ctx).Select("*").Omit("id", "created_at").Updates(&a).Error; err != nil {
			return fmt.Errorf("store closure: %w", err)
		}
		return nil
	})
}

// KeepAccount withdraws the request to close an account.
func KeepAccount(ctx context.Context, db *store.DB, userID string) (*AccountClosure, error) {
	last, err := LastClosure(ctx, db, userID)
	if err != nil {
		return nil, err
	}
	if last == nil {
		return nil, store.Conflict("not_closing", "You haven't asked us to close your account")
	}
	err = changeClosure(ctx, db, last.ID, func(tx *store.DB, a *AccountClosure, now time.Time) error {
		if a.Status != ClosureWaiting {
			return store.Conflict("not_closing", "You haven't asked us to close your account")
		}
		a.Status, a.ClosedAt = ClosureCancelled, &now
		last = a
		return casework.Append(ctx, tx, a.about(), casework.Event{Kind: "cancelled", Actor: casework.ByCustomer, Dedupe: "ended"})
	})
	return last, err
}

// CloseAccount closes an account whose time has come, in one transaction: its sessions end, sign-ins are refused, and
// what the law does not require is deleted. With something open it is refused, and its owner notified.
func CloseAccount(ctx context.Context, db *store.DB, id string) error {
	return changeClosure(ctx, db, id, func(tx *store.DB, a *AccountClosure, now time.Time) error {
		if a.Status != ClosureWaiting || a.WakeAt.After(now) {
			return nil
		}
		open, err := openOf(ctx, tx, a.UserID)
		if err != nil {
			return err
		}
		if open != "" {
			a.Status, a.RefusedBecause, a.ClosedAt = ClosureRefused, &open, &now
			return casework.Append(ctx, tx, a.about(), casework.Event{Kind: "refused", Dedupe: "ended", Data: map[string]any{"because": open}})
		}
		a.Status = ClosureClosing
		if err := casework.Append(ctx, tx, a.about(), casework.Event{Kind: "closed", Dedupe: "ended"}); err != nil {
			return err
		}
		if err := endAccount(ctx, tx, a.UserID, now); err != nil {
			return err
		}
		return audit.Audit(ctx, tx, audit.AuditEntry{ActorRole: "system", Action: "account.close", ObjectKind: "user", ObjectID: a.UserID})
	})
}

// ClosingAt gives the account at an identity provider that a closure deletes, or nothing when none is left to delete.
func ClosingAt(ctx context.Context, db *store.DB, id string) (issuer, subject string, err error) {
	var row struct{ Issuer, Subject string }
	err = db.ORM(ctx).Raw(`SELECT u.issuer, u.subject FROM account_closures a JOIN users u ON u.id = a.user_id WHERE a.id = ? AND a.status = ?`,
		id, ClosureClosing).Scan(&row).Error
	if err != nil {
		return "", "", fmt.Errorf("read whose account is closed: %w", err)
	}
	return row.Issuer, row.Subject, nil
}

// ErasedAtIssuer records that the identity provider has no such account any more: with that the closure is over.
func ErasedAtIssuer(ctx context.Context, db *store.DB, id string) error {
	return changeClosure(ctx, db, id, func(_ *store.DB, a *AccountClosure, now time.Time) error {
		if a.Status == ClosureClosing {
			a.Status, a.ClosedAt = ClosureDone, &now
		}
		return nil
	})
}

// endAccount shuts the account, and returns how long its records are kept: as the law requires when its owner ever
// traded.
func endAccount(ctx context.Context, db *store.DB, userID string, now time.Time) error {
	if err := people.Shut(ctx, db, userID, now, keptForMail, keptByLaw); err != nil {
		return err
	}
	return eraseOf(ctx, db, userID, func(h store.Personal) []string { return h.AtClosing })
}

// eraseOf runs the erasures of every holding that when gives.
func eraseOf(ctx context.Context, db *store.DB, userID string, when func(store.Personal) []string) error {
	for _, h := range holdings {
		for _, statement := range when(h) {
			if err := db.ORM(ctx).Exec(statement, map[string]any{"user": userID}).Error; err != nil {
				return fmt.Errorf("erase from %s: %w", h.Table, err)
			}
		}
	}
	return nil
}

// EraseClosedAccounts erases what is left of people whose accounts were closed
// and whose records need not be kept any longer. Ids stay, in the ledger and the
// audit log; nothing says any more whose they were.
func EraseClosedAccounts(ctx context.Context, db *store.DB, limit int) error {
	return chore.Each(ctx, db, "accounts to erase", `SELECT id FROM users WHERE erase_after < clock_now() AND erased_at IS NULL AND id <> ALL(@done) ORDER BY erase_after LIMIT @limit`, limit, func(id string) error {
		return db.Tx(ctx, func(tx *store.DB) error {
			// Repeat the deletion of the closing: a call in progress then may have written since.
			if err := eraseOf(ctx, tx, id, func(h store.Personal) []string { return slices.Concat(h.AtClosing, h.AtEnd) }); err != nil {
				return err
			}
			return audit.Audit(ctx, tx, audit.AuditEntry{ActorRole: "system", Action: "account.erase", ObjectKind: "user", ObjectID: id})
		})
	})
}

// ClosureState is a closure as its workflow reads it.
type ClosureState struct {
	Status string        `json:"status"`
	Wake   time.Duration `json:"wake"`
	Closed bool          `json:"closed"`
}

// ReadClosureState reads where a closure stands, and records that a workflow runs for it.
func ReadClosureState(ctx context.Context, db *store.DB, id string) (ClosureState, error) {
	if err := casework.CaseStarted(ctx, db, KindClosure, id); err != nil {
		return ClosureState{}, err
	}
	var row struct {
		AccountClosure `gorm:"embedded"`
		DBNow          time.Time `gorm:"column:db_now"`
	}
	result := db.ORM(ctx).Raw("SELECT *, clock_now() AS db_now FROM account_closures WHERE id = ?", id).Scan(&row)
	if result.Error != nil {
		return ClosureState{}, fmt.Errorf("read closure: %w", result.Error)
	}
	if result.RowsAffected == 0 {
		return ClosureState{}, store.NotFound("Closure")
	}
	return ClosureState{Status: row.Status, Closed: row.ClosedAt != nil, Wake: max(0, row.WakeAt.Sub(row.DBNow))}, nil
}

// StillOpen says what kept an account from being closed, by its code.
func StillOpen(code string) string {
	if text, known := openTexts[code]; known {
		return text
	}
	return "You have a " + casework.Kind(code).Rules().Label + " in progress. Wait until it's completed."
}
