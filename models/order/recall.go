package order

import (
	"context"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// KindRecall is the kind of case of a Recall.
const KindRecall casework.Kind = "recall"

// The timeline and the mails of recalls.
var _ = casework.ListCases(&casework.CaseRules{
	Matter: KindRecall, Label: "bank return", Page: "/balance", StaffPage: "/admin/money?view=credited",
	Events: []string{"credit_recalled", "recall_reinstated"},
	Mailings: []casework.Mailing{
		{Event: "credit_recalled", Kind: "credit_recalled", Page: "/support?about={reference}"},
		{Event: "recall_reinstated", Kind: "recall_reinstated"},
	},
})

// Recall is unplaced money, or a part of it, that its bank took back after it was credited to a customer. Amount is
// cents; Owed is the part that the balance did not cover as it was booked.
type Recall struct {
	ID                  string `gorm:"primaryKey"` // of its proposal
	Reference           string
	MoneyID             string
	UserID              string
	Amount              money.Units
	Owed                money.Units
	BankReference       string
	ReturnedOn          time.Time
	Code                string // the bank's reason, such as R01
	CreatedAt           time.Time
	ReinstatedAt        *time.Time
	ReinstatedOn        *time.Time
	ReinstatedReference *string
}

// About is the recall among cases.
func (r *Recall) About() casework.About {
	status := "recalled"
	if r.ReinstatedAt != nil {
		status = "reinstated"
	}
	return casework.About{Matter: KindRecall, ID: r.ID, UserID: r.UserID, Reference: r.Reference, Status: status}
}

// RecallsOf reads the recalls of unplaced money, oldest first, by the money's id.
func RecallsOf(ctx context.Context, db *store.DB, moneyIDs ...string) (map[string][]Recall, error) {
	if len(moneyIDs) == 0 {
		return nil, nil
	}
	var rows []Recall
	if err := db.ORM(ctx).Where("money_id IN ?", moneyIDs).Order("created_at, id").Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read recalls: %w", err)
	}
	recalls := map[string][]Recall{}
	for _, r := range rows {
		recalls[r.MoneyID] = append(recalls[r.MoneyID], r)
	}
	return recalls, nil
}

// Recalled is the sum of the recalls that were not reinstated, in cents.
func Recalled(rows []Recall) (sum money.Units) {
	for _, r := range rows {
		if r.ReinstatedAt == nil {
			sum = sum.Add(r.Amount)
		}
	}
	return sum
}

// BookRecall books a recall, debits its customer's balance, and stores it with the part that the balance does not
// cover. It returns ledger.ErrReferenceUsed if other money left the bank under the reference.
func BookRecall(ctx context.Context, tx *store.DB, row *Recall) error {
	if err := ledger.FreeReference(ctx, tx, ledger.MoneyOut, row.BankReference); err != nil {
		return err
	}
	about := ledger.About(string(KindRecall), row.ID, "credit_recalled", "clawed")
	var err error
	if row.Owed, err = ledger.ClawBack(ctx, tx, about, row.UserID, ledger.AccountBank, row.Amount); err != nil {
		return err
	}
	for {
		row.Reference = store.Reference("RC-")
		result := tx.ORM(ctx).Exec(`INSERT INTO recalls
			(id, reference, money_id, user_id, amount, owed, bank_reference, returned_on, code, created_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (reference) DO NOTHING`,
			row.ID, row.Reference, row.MoneyID, row.UserID, row.Amount, row.Owed, row.BankReference, row.ReturnedOn, row.Code,
			row.CreatedAt)
		if result.Error != nil {
			return fmt.Errorf("store recall: %w", result.Error)
		}
		if result.RowsAffected == 1 {
			return nil
		}
	}
}

// StoreReinstatedRecall stores that the bank reinstated a recall. It returns ledger.ErrReferenceUsed if other money
// than the recalled money arrived under the reference.
func StoreReinstatedRecall(ctx context.Context, tx *store.DB, row *Recall) error {
	if err := ledger.FreeReference(ctx, tx, ledger.MoneyIn, *row.ReinstatedReference, row.MoneyID); err != nil {
		return err
	}
	if err := tx.ORM(ctx).Select("reinstated_at", "reinstated_on", "reinstated_reference").Updates(row).Error; err != nil {
		return fmt.Errorf("store recall: %w", err)
	}
	return nil
}
