package privacy

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/giftcard"
	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/payout"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/referral"
	"github.com/tradepost/tradepost/models/risk"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/support"
	"github.com/tradepost/tradepost/models/team"
	"github.com/tradepost/tradepost/models/voucher"
)

// holdings are all tables with rows about people, as their owners list them. A person's
// own row is erased from first, and so is locked before what is theirs.
var holdings = slices.Concat(people.Personal, account.Personal, casework.Personal, team.Personal, kyc.Personal, order.Personal, risk.Personal, execution.Personal,
	giftcard.Personal, voucher.Personal, payout.Personal, referral.Personal, ledger.Personal, support.Personal, own, []store.Personal{store.PersonalKeys})

// own are those of this package.
var own = []store.Personal{
	{Table: "data_exports", File: "copies", Query: `SELECT reference, status, created_at, ready_at FROM data_exports WHERE user_id = @user ORDER BY created_at`,
		AtClosing: []string{`UPDATE data_exports SET wake_at = clock_now() WHERE user_id = @user AND status = 'ready'`}},
	{Table: "account_closures", File: "closures", Query: `SELECT reference, status, created_at, wake_at AS due_at, closed_at FROM account_closures
		WHERE user_id = @user ORDER BY created_at`},
}

// DataOf collects what we hold of a person: rows by the name of their file. Nothing secret is in it, and nothing
// reserved to staff.
func DataOf(ctx context.Context, db *store.DB, userID string) (map[string]json.RawMessage, error) {
	files := map[string]json.RawMessage{}
	err := db.Tx(ctx, func(tx *store.DB) error {
		for _, h := range holdings {
			if h.File == "" {
				continue
			}
			var rows string
			err := tx.ORM(ctx).Raw("SELECT coalesce(json_agg(t), '[]') FROM ("+h.Query+") t", map[string]any{"user": userID}).Row().Scan(&rows)
			if err != nil {
				return fmt.Errorf("collect %s: %w", h.Table, err)
			}
			files[h.File] = json.RawMessage(rows)
		}
		return nil
	})
	return files, err
}

// PersonalTables lists the tables with rows about people.
func PersonalTables() []string {
	names := make([]string, 0, len(holdings))
	for _, h := range holdings {
		names = append(names, h.Table)
	}
	return names
}
