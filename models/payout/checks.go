package payout

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/tradepost/tradepost/internal/secret"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/store"
)

// payoutFigures is what the checks of a payout are made of.
type payoutFigures struct {
	Barred, Verified    bool
	AccountAge          float64 // seconds, at the request of the payout
	Paid, Returned      int     // other payouts of its customer
	FirstName, LastName string
}

// PayoutChecks runs the automatic checks of a payout. The holder's name is compared here, so that an approval needs
// no view of the account.
func PayoutChecks(ctx context.Context, db *store.DB, keys *secret.Keys, p *Payout) ([]casework.Check, error) {
	var f payoutFigures
	err := db.ORM(ctx).Raw(`SELECT `+casework.AccountFacts+`, u.first_name, u.last_name, extract(epoch FROM p.created_at - u.created_at) AS account_age,
		(SELECT count(*) FROM (SELECT FROM payouts o WHERE o.user_id = p.user_id AND o.status = 'paid' AND o.id <> p.id LIMIT 100) x) AS paid,
		(SELECT count(*) FROM (SELECT FROM payouts o WHERE o.user_id = p.user_id AND o.status = 'returned' AND o.id <> p.id LIMIT 100) x) AS returned
		FROM payouts p JOIN users u ON u.id = p.user_id LEFT JOIN kyc_records k ON k.user_id = u.id WHERE p.id = ?`, p.ID).Scan(&f).Error
	if err != nil {
		return nil, fmt.Errorf("read what is known of a payout: %w", err)
	}
	have, err := ledger.HoldingsOf(ctx, db, p.UserID)
	if err != nil {
		return nil, err
	}
	days := int(f.AccountAge / (24 * time.Hour).Seconds())
	checks := []casework.Check{
		{Name: "account", Result: casework.Worst(f.Barred, false), N: 0},
		{Name: "identity", Result: casework.Worst(!f.Verified, false), N: 0},
		{Name: "owes", Result: casework.Worst(have.Receivable.Sign() > 0, false), N: 0},
		{Name: "age", Result: casework.Worst(false, days < casework.YoungDays), N: max(days, 0)},
		{Name: "paid_before", Result: casework.CheckPass, N: f.Paid},
		{Name: "returned_before", Result: casework.Worst(false, f.Returned > 0), N: f.Returned},
	}
	if p.AccountDestroyedAt != nil {
		return checks, nil
	}
	account, err := p.open(keys) // an account that no key here opens is not known to be theirs
	same := err == nil && sameHolder(account.Holder, f.FirstName, f.LastName)
	return slices.Concat([]casework.Check{{Name: "holder", Result: casework.Worst(false, !same), N: 0}}, checks), nil
}
