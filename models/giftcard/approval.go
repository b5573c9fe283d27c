package giftcard

import (
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
)

// KindApproval is a gift card that one reviewer approved and a second one has to.
const KindApproval casework.ApprovalKind = "gift_card"

var _ = casework.ListApproval(&casework.ApprovalRules{Kind: KindApproval, Label: "gift cards", Roles: CardReviewers, Begins: true,
	Titles: map[string]string{CardApprove: "Pay for a gift card"},
	Rows: casework.ApprovalRows{
		ID: "g.id", Act: "'approve'", Since: "g.first_approved_at", Makers: "ARRAY[g.first_approved_by]", Amount: "g.first_value", Currency: "'USD'", Customer: "g.user_id",
		ObjectKind: "'gift_card'", ObjectID: "g.id", Reference: "g.reference",
		Details: "jsonb_build_object('brand', g.brand_label, 'claimed', to_char(g.value / 100, 'FM999999999990.00') || ' USD')",
		From:    "gift_cards g WHERE g.first_approved_by IS NOT NULL AND g.status = 'in_review'",
	},
	// The amount is what the customer is paid; the query has the value that the first reviewer found.
	Complete: func(a *casework.Approval) error {
		found := *a.Amount
		paid, err := pricing.CardPayout(found)
		if err != nil {
			return err
		}
		a.Amount = &paid
		a.Detail("found", money.USD.Format(found)+" USD")
		return nil
	}})
