package correction

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tradepost/tradepost/internal/typed"
	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// PayBack is a transfer that returned a stranded credit to its sender, as staff record it.
type PayBack struct {
	ID        string
	Reference string // of the bank, unique for ever; empty for a credit of a restored backup that was not sent
	Statement string // what the bank's statement since a restored backup shows
	// TwoAbove is the amount of a closed account's credits of one day above which
	// two people have to say so.
	TwoAbove money.Units
	By       store.Actor
}

// PayBackStranded books the transfer; above the limit the first of two people only
// writes it down. A statement without a reference books no transfer: it records that the bank did not send a credit of
// a restored backup.
func PayBackStranded(ctx context.Context, db *store.DB, in PayBack) (row *ledger.StrandedCredit, err error) {
	in.By.Reason, in.Reference = strings.TrimSpace(in.By.Reason), typed.Reference(in.Reference)
	in.Statement = strings.TrimSpace(in.Statement)
	switch {
	case in.By.Reason == "":
		return nil, store.Invalid("reason", "required", "Enter a reason")
	case in.Reference == "" && in.Statement != "":
		return recordNotSent(ctx, db, in)
	case in.Reference == "" || len(in.Reference) > 140:
		return nil, errNoReference
	}
	if err := oweFirst(ctx, db, in.ID); err != nil {
		return nil, err
	}
	err = db.Tx(ctx, func(tx *store.DB) error {
		if err := ledger.FreeReference(ctx, tx, ledger.MoneyOut, in.Reference, in.ID); err != nil {
			return err
		}
		var now time.Time
		if row, now, err = lockStranded(ctx, tx, in.ID); err != nil {
			return err
		}
		if err := store.FirstError(mayPayBack(ctx, tx, row, in), casework.CheckApproval(ctx, tx, KindClosedCredit, row.ID, in.By.Seen)); err != nil {
			return err
		}
		two, err := needsTwo(ctx, tx, row, in.TwoAbove)
		if err != nil {
			return err
		}
		row.BankReference, row.Reason = &in.Reference, &in.By.Reason
		action := "closed_account.pay_back_first"
		if two && row.FirstBy == nil {
			row.FirstBy, row.FirstAt = &in.By.ActorID, &now
		} else {
			row.PaidBy, row.PaidAt, row.RestoredAt = &in.By.ActorID, &now, nil
			amount := row.Left()
			paid := dualcontrol.Attestation{Kind: dualcontrol.PaidBack, By: in.By.ActorID, Customer: row.UserID, Subject: strandedRef(row), Amount: &amount, Source: strandedRef(row)}
			if err := dualcontrol.Attest(ctx, tx, paid); err != nil {
				return err
			}
			action = "closed_account.pay_back"
			if err := ledger.Post(ctx, tx, "closed_account_paid", "closed_account:"+row.ID+":paid", row.OrderID, PaidBackPostings(row.Left())); err != nil {
				return err
			}
		}
		return storePayBack(ctx, tx, row, in, action)
	})
	return row, err
}

var errNoReference = store.Invalid("reference", "required", "Enter the bank's reference of the transfer")

// recordNotSent records that the bank's statement shows no transfer of a credit of a restored backup: its mark and a
// first approval end, and what its customer owes us is taken out of it.
func recordNotSent(ctx context.Context, db *store.DB, in PayBack) (*ledger.StrandedCredit, error) {
	err := db.Tx(ctx, func(tx *store.DB) error {
		row, _, err := lockStranded(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if err := checkStillHere(row); err != nil {
			return err
		}
		if row.RestoredAt == nil {
			return errNoReference
		}
		if err := people.Another(ctx, tx, in.By.ActorID, errOwnAccount, row.UserID); err != nil {
			return err
		}
		row.RestoredAt, row.FirstBy, row.FirstAt, row.BankReference, row.Reason = nil, nil, nil, nil, nil
		if err := ledger.StorePayBack(ctx, tx, row, ledger.ErrReferenceUsed); err != nil {
			return err
		}
		return audit.Audit(ctx, tx, audit.AuditEntry{ActorID: in.By.ActorID, ActorRole: in.By.ActorRole,
			Action: "closed_account.not_sent", ObjectKind: "stranded_credit", ObjectID: row.ID,
			After: map[string]any{"statement": in.Statement}, Reason: in.By.Reason, RequestID: in.By.RequestID})
	})
	if err != nil {
		return nil, err
	}
	if err := oweFirst(ctx, db, in.ID); err != nil {
		return nil, err
	}
	return store.RowByID[ledger.StrandedCredit](ctx, db, in.ID, "Credit")
}

// lockStranded locks a credit under its customer's lock, as every debit of it does.
func lockStranded(ctx context.Context, db *store.DB, id string) (*ledger.StrandedCredit, time.Time, error) {
	known, err := store.RowByID[ledger.StrandedCredit](ctx, db, id, "Credit")
	if err != nil {
		return nil, time.Time{}, err
	}
	if err := ledger.LockCustomer(ctx, db, known.UserID); err != nil {
		return nil, time.Time{}, err
	}
	return store.LockedRow[ledger.StrandedCredit](ctx, db, "stranded_credits", id, "Credit")
}

// oweFirst pays what the customer of a credit owes us from what waits for them. They can owe while something waits,
// where the first of two approvals of its return has expired.
func oweFirst(ctx context.Context, db *store.DB, id string) error {
	return db.Tx(ctx, func(tx *store.DB) error {
		row, now, err := lockStranded(ctx, tx, id)
		if err != nil || row.FirstBy != nil {
			return err
		}
		have, err := ledger.HoldingsOf(ctx, tx, row.UserID)
		if err != nil || have.Receivable.Sign() <= 0 {
			return err
		}
		left, err := ledger.TakeStranded(ctx, tx, row.UserID, row.OrderID, have.Receivable)
		if err != nil {
			return err
		}
		group := fmt.Sprintf("closed_account:%s:netted:%d", row.ID, now.UnixMicro())
		return ledger.Post(ctx, tx, "debt_paid", group, nil, ledger.NettedPostings(row.UserID, ledger.AccountClosed, have.Receivable.Sub(left)))
	})
}

// checkStillHere returns a Conflict if nothing of a credit waits to be sent back.
func checkStillHere(row *ledger.StrandedCredit) error {
	switch {
	case row.TakenAt != nil:
		return store.Conflict("taken_back", "This money was taken back before it was sent. There is nothing left to send.")
	case row.PaidAt != nil:
		return store.Conflict("paid_back", "This money was already sent back")
	}
	return nil
}

func mayPayBack(ctx context.Context, db *store.DB, row *ledger.StrandedCredit, in PayBack) error {
	if err := checkStillHere(row); err != nil {
		return err
	}
	switch {
	case row.RestoredAt != nil && in.Statement == "":
		return order.ErrStatementUnread
	case row.FirstBy != nil && !strings.EqualFold(*row.BankReference, in.Reference):
		return store.Conflict("other_reference", "The first person entered another bank reference. Check both.")
	}
	return dualcontrol.CheckRelease(ctx, db, dualcontrol.Release{Action: dualcontrol.PayBack, Actors: []string{in.By.ActorID}, First: store.Text(row.FirstBy),
		Customer: row.UserID, Subject: strandedRef(row), Balance: true})
}

func strandedRef(row *ledger.StrandedCredit) dualcontrol.Ref {
	return dualcontrol.Ref{Kind: "stranded_credits", ID: row.ID}
}

// needsTwo counts the open credits of one closed account, with those sent back within a day, so that many small ones
// do not bypass the limit of one person.
func needsTwo(ctx context.Context, db *store.DB, row *ledger.StrandedCredit, above money.Units) (bool, error) {
	var sum money.Units
	err := db.Row(ctx, "SELECT coalesce(sum(amount - taken), 0) FROM stranded_credits WHERE user_id = $1 AND "+strandedDay, row.UserID).Scan(&sum)
	if err != nil {
		return false, fmt.Errorf("sum stranded credits: %w", err)
	}
	return sum.Cmp(above) > 0, nil
}

func storePayBack(ctx context.Context, db *store.DB, row *ledger.StrandedCredit, in PayBack, action string) error {
	by, after := in.By, map[string]any{"amount": money.USD.Format(row.Left()), "reference": *row.BankReference}
	if in.Statement != "" {
		after["statement"] = in.Statement
	}
	if err := ledger.StorePayBack(ctx, db, row, ledger.ErrReferenceUsed); err != nil {
		return err
	}
	return audit.Audit(ctx, db, audit.AuditEntry{ActorID: by.ActorID, ActorRole: by.ActorRole, Action: action, ObjectKind: "stranded_credit", ObjectID: row.ID,
		After: after, Reason: by.Reason, RequestID: by.RequestID})
}

// PaidBackPostings are for money of a closed account that left our bank to its sender.
func PaidBackPostings(amount money.Units) []ledger.Posting {
	return []ledger.Posting{{From: ledger.AccountBank, To: ledger.AccountClosed, Currency: money.USD, Amount: amount}}
}
