package reconciliation

import (
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// KindProposal is a break whose booking one person proposed.
const KindProposal casework.ApprovalKind = "break"

var _ = casework.ListApproval(&casework.ApprovalRules{Kind: KindProposal, Label: "breaks", Roles: store.Cashiers,
	Titles: map[string]string{"approve": "Book a difference"},
	Rows: casework.ApprovalRows{
		ID: "b.id", Act: "'approve'", Since: "b.wanted_at", Makers: "ARRAY[b.wanted_by]", Amount: "e.told - e.booked", Currency: "b.currency", Customer: "o.user_id",
		ObjectKind: "'break'", ObjectID: "b.id", Reference: "coalesce(o.reference, substr(b.key, strpos(b.key, ':') + 1))", Reason: "b.wanted_reason",
		Details: "jsonb_build_object('provider', b.holder, 'effect', replace(b.key, ':', ' '), 'account', b.wanted_account, 'booked', e.booked::text, 'reported', e.told::text)",
		From: `reconciliation_breaks b JOIN reconciled_effects e ON (e.holder, e.key, e.currency) = (b.holder, b.key, b.currency) LEFT JOIN orders o ON o.id = e.order_id
			WHERE b.wanted_by IS NOT NULL AND b.closed_at IS NULL`,
	},
	Complete: formatSides})

// formatSides writes both sides of a break in whole dollars or coins.
func formatSides(a *casework.Approval) error {
	for _, side := range []string{"booked", "reported"} {
		text, _ := a.AllDetails()[side].(string)
		units, err := money.ParseUnits(text)
		if err != nil {
			return err
		}
		a.Detail(side, a.Currency.Format(units)+" "+string(*a.Currency))
	}
	return nil
}
