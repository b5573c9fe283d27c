package models

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/tradepost/tradepost/internal/secret"
)

// payoutFigures is what the checks of a payout are made of.
type payoutFigures struct {
	Barred, Verified    bool
	AccountAge          float64 // seconds, when the payout was asked for
	Paid, Returned      int     // other payouts of its customer
	FirstName, LastName string
}

// PayoutChecks looks at everything that can be told of a payout without a person.
// The holder's name is compared here, so that whoever approves needs not see the
// account.
func (db *DB) PayoutChecks(ctx context.Context, keys *secret.Keys, p *Payout) ([]Check, error) {
	var f payoutFigures
	err := db.orm(ctx).Raw(`SELECT `+accountFacts+`, u.first_name, u.last_name, extract(epoch FROM p.created_at - u.created_at) AS account_age,
		(SELECT count(*) FROM (SELECT FROM payouts o WHERE o.user_id = p.user_id AND o.status = 'paid' AND o.id <> p.id LIMIT 100) x) AS paid,
		(SELECT count(*) FROM (SELECT FROM payouts o WHERE o.user_id = p.user_id AND o.status = 'returned' AND o.id <> p.id LIMIT 100) x) AS returned
		FROM payouts p JOIN users u ON u.id = p.user_id LEFT JOIN kyc_records k ON k.user_id = u.id WHERE p.id = ?`, p.ID).Scan(&f).Error
	if err != nil {
		return nil, fmt.Errorf("read what is known of a payout: %w", err)
	}
	have, err := db.HoldingsOf(ctx, p.UserID)
	if err != nil {
		return nil, err
	}
	days := int(f.AccountAge / (24 * time.Hour).Seconds())
	checks := []Check{
		{"account", worst(f.Barred, false), 0},
		{"identity", worst(!f.Verified, false), 0},
		{"owes", worst(have.Receivable.Sign() > 0, false), 0},
		{"age", worst(false, days < youngDays), max(days, 0)},
		{"paid_before", CheckPass, f.Paid},
		{"returned_before", worst(false, f.Returned > 0), f.Returned},
	}
	if p.AccountDestroyedAt != nil {
		return checks, nil
	}
	account, err := p.open(keys) // one that no key here opens is not known to be theirs
	same := err == nil && sameName(account.Holder, f.FirstName+" "+f.LastName)
	return slices.Concat([]Check{{"holder", worst(false, !same), 0}}, checks), nil
}

// sameName reports whether two names have the same words, in whatever order and
// case.
func sameName(a, b string) bool {
	words := func(name string) []string {
		return slices.Sorted(slices.Values(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) })))
	}
	one, other := words(a), words(b)
	return len(one) > 0 && slices.Equal(one, other)
}
