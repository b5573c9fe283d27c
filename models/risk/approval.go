package risk

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/dualcontrol"
)

// The kinds of approvals of compliance.
const (
	KindRelease   casework.ApprovalKind = "risk_release"
	KindLoosening casework.ApprovalKind = "risk_loosening"
)

// reviewers decide about reviews and rules.
var reviewers = []string{"compliance", "admin"}

var _ = casework.ListApproval(&casework.ApprovalRules{Kind: KindRelease, Label: "releases of risk reviews", Roles: reviewers, Begins: true,
	Titles: map[string]string{"release": "Release from risk review"}, Releases: map[string]dualcontrol.Action{"release": dualcontrol.ReleaseReview},
	Rows: casework.ApprovalRows{
		ID: "v.id", Act: "'release'", Since: "v.first_at", Makers: "ARRAY[v.first_by]", Amount: "coalesce(orders.total, r.base_price)", Currency: "'USD'",
		Coins: "coalesce(orders.amount, r.amount)", Asset: "coalesce(orders.asset, r.asset)", Customer: "v.user_id",
		ObjectKind: "CASE WHEN v.order_id IS NULL THEN 'voucher' ELSE 'order' END", ObjectID: "coalesce(v.order_id, r.voucher_id)",
		Reference: "coalesce(orders.reference, r.reference)", Reason: "v.first_reason",
		Details: `jsonb_build_object('score', v.score::text, 'riskReasons', array_to_string(v.reasons, ', '), 'network', coalesce(orders.network, r.network),
			'address', coalesce(orders.dest_address, r.dest_address), 'orderStatus', coalesce(orders.status, r.status))`,
		SubjectKind: "CASE WHEN v.order_id IS NULL THEN 'redemption' ELSE 'order' END", SubjectID: "coalesce(v.order_id, v.redemption_id)",
		Spent: "CASE orders.payment_method WHEN 'balance' THEN coalesce(orders.paid_at, clock_now()) END",
		From:  "risk_reviews v LEFT JOIN orders ON orders.id = v.order_id LEFT JOIN voucher_redemptions r ON r.id = v.redemption_id WHERE v.first_by IS NOT NULL AND v.closed_at IS NULL",
	}})

var _ = casework.ListApproval(&casework.ApprovalRules{Kind: KindLoosening, Label: "changes of risk rules and lists", Roles: reviewers,
	Titles: map[string]string{"rule": "Loosen a risk rule", "list": "Remove addresses from a list"},
	Rows: casework.ApprovalRows{
		// A rule or a list has a name instead of an id.
		ID: "CAST(md5(l.thing) AS uuid)", Act: "split_part(l.thing, ' ', 1)", Since: "l.first_at", Makers: "ARRAY[l.first_by]",
		Reference: "substr(l.thing, strpos(l.thing, ' ') + 1)", Details: "jsonb_build_object('change', l.wish)", From: "risk_loosenings l WHERE true",
	},
	Complete: func(a *casework.Approval) error {
		change, _ := a.AllDetails()["change"].(string)
		a.Detail("change", wishText(a.Act, change))
		return nil
	}})

// wishText describes a requested change.
func wishText(act, wish string) string {
	var code string
	var enabled bool
	var most, hours, score, version int64
	switch words := strings.Fields(wish); {
	case act == "list" && len(words) == 2:
		return "import of the file " + words[1][:min(12, len(words[1]))]
	case act == "rule":
		_, err := fmt.Sscanf(strings.Trim(wish, "&{}"), "%s %t %d %d %d %d", &code, &enabled, &most, &hours, &score, &version)
		switch {
		case err != nil:
		case !enabled:
			return "off"
		case code == riskThreshold:
			return "score " + strconv.FormatInt(score, 10)
		default:
			return fmt.Sprintf("from %d within %d hours, score %d", most, hours, score)
		}
	}
	return wish
}
