package execution

import (
	"context"
	"fmt"

	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// Revived reads a dead transfer under the lock of what it is for, as custody's
// statement says it: what it cost is what left the wallets beyond its amount. It is
// nil once it is booked.
func Revived(ctx context.Context, db *store.DB, id, txid string) (*Withdrawal, error) {
	var rows []Withdrawal
	if err := db.ORM(ctx).Where("id = ? AND status = ?", id, TransferDead).Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read transfer: %w", err)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	w := &rows[0]
	var left []struct {
		Currency money.Currency
		Sum      money.Units
	}
	err := db.ORM(ctx).Raw(`SELECT currency, -sum(amount) AS sum FROM statement_lines WHERE holder = ? AND key = ? GROUP BY currency`,
		ledger.HolderBitGo, "transfer:"+w.SequenceID).Scan(&left).Error
	if err != nil {
		return nil, fmt.Errorf("read what left the wallet: %w", err)
	}
	w.TxID, w.Fee = &txid, money.Units{}
	for _, l := range left {
		if l.Currency == w.Asset {
			l.Sum = l.Sum.Sub(w.Amount)
		}
		if l.Sum.Sign() > 0 {
			w.Fee, w.FeeCurrency = l.Sum, &l.Currency
		}
	}
	return w, nil
}

// OthersOpen reports whether another transfer for the same may still be sent, or was.
func OthersOpen(ctx context.Context, db *store.DB, whose, id string, w *Withdrawal) (open bool, err error) {
	err = db.ORM(ctx).Raw("SELECT EXISTS (SELECT FROM withdrawals WHERE "+whose+" AND id <> ? AND status NOT IN ?)", id, w.ID, withoutEffect).Scan(&open).Error
	if err != nil {
		return false, fmt.Errorf("look for other transfers: %w", err)
	}
	return open, nil
}

// Sending names a transfer in the groups of its postings. One that was declared dead
// may have been booked as sent, and taken back, under its generation before.
func (w *Withdrawal) Sending() string {
	if w.DeadAt != nil {
		return fmt.Sprintf("%d:revived", w.Generation)
	}
	return fmt.Sprint(w.Generation)
}

// RevivedPostings are for coin of a dead transfer that left the wallet beside another
// end of what it was for: we bear it.
func RevivedPostings(w *Withdrawal) []ledger.Posting {
	return append([]ledger.Posting{{From: ledger.WalletAccount(w.Network), To: ledger.AccountLosses, Currency: w.Asset, Amount: w.Amount}}, NetworkFee(w)...)
}

// NetworkFee is the posting of what a transfer cost, once that is known.
func NetworkFee(w *Withdrawal) []ledger.Posting {
	if w.Fee.Sign() <= 0 {
		return nil
	}
	return []ledger.Posting{{From: ledger.WalletAccount(w.Network), To: ledger.AccountNetworkFee, Currency: w.PaidIn(), Amount: w.Fee}}
}
