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
		w.Provider, "transfer:"+w.SequenceID).Scan(&left).Error
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

// Sending names a transfer in the groups of its postings. One that was declared dead may have been booked as sent,
// and reversed, under its earlier generation.
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

// TakeUpLost stores dead transfers that confirmed, whose rows a restored backup does not have, and whose subject has
// ended meanwhile. An open subject finds its own when it is fulfilled.
func TakeUpLost(ctx context.Context, db *store.DB) error {
	err := db.Exec(ctx, `WITH lost AS (
			SELECT holder, key, currency, substr(key, length('transfer:') + 1) AS sequence_id, substr(key, length('transfer:') + 1, 3) AS whose,
			       CASE WHEN key ~ '^transfer:(ord|vou)-[0-9a-f-]{36}-send-[0-9]{1,4}$' THEN substr(key, length('transfer:ord-') + 1, 36)::uuid END AS id
			  FROM reconciled_effects WHERE holder = `+ledger.ProviderOf(ledger.Custody)+` AND booked <> told AND booked = 0 AND told < 0 AND EXISTS (SELECT FROM restores)),
		ended AS (
			SELECT 'ord' AS whose, id, user_id, asset, network, dest_address, amount FROM orders
			 WHERE closed_at IS NOT NULL AND restored_at IS NOT NULL AND id IN (SELECT id FROM lost)
			UNION ALL
			SELECT 'vou', id, user_id, asset, network, dest_address, amount FROM voucher_redemptions
			 WHERE closed_at IS NOT NULL AND restored_at IS NOT NULL AND id IN (SELECT id FROM lost))
		INSERT INTO withdrawals (id, order_id, redemption_id, user_id, generation, asset, network, provider, address, amount, sequence_id, send_started_at, transfer_id, status, dead_at, created_at, updated_at)
		SELECT gen_random_uuid(), CASE e.whose WHEN 'ord' THEN e.id END, CASE e.whose WHEN 'vou' THEN e.id END, e.user_id, substring(lost.key from '[0-9]+$')::int,
		       e.asset, e.network, lost.holder, e.dest_address, e.amount, lost.sequence_id, l.at, l.id, 'dead', clock_now(), l.at, clock_now()
		  FROM lost JOIN ended e ON e.whose = lost.whose AND e.id = lost.id AND e.asset = lost.currency
		  JOIN statement_lines l ON l.holder = lost.holder AND l.key = lost.key AND l.currency = lost.currency AND l.state = 'confirmed' AND l.amount < 0
		    ON CONFLICT DO NOTHING`)
	if err != nil {
		return fmt.Errorf("take up transfers that a backup lost: %w", err)
	}
	return nil
}
