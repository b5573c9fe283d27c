package voucher

import (
	"strings"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/money"
)

// The kinds of approvals about batches of vouchers.
const (
	KindBatch casework.ApprovalKind = "voucher_batch"
	KindVoid  casework.ApprovalKind = "voucher_void"
)

// batchSum is what vouchers of a batch are worth, by status.
func batchSum(status string) string {
	return `LATERAL (SELECT count(*) AS n, sum(v.usd_value) AS value, sum(v.amount) AS amount, min(v.currency) AS currency, count(DISTINCT v.currency) AS currencies,
		min(v.amount) AS least, max(v.amount) AS most, max(v.expires_at) AS expires FROM vouchers v WHERE v.batch_id = b.id AND v.status = '` + status + `') s`
}

// batchDetails are the facts of a batch beside its value. An amount of several currencies is not added up.
const batchDetails = `jsonb_build_object('quantity', s.n::text, 'currency', CASE WHEN s.currencies = 1 THEN s.currency END, 'each', CASE WHEN s.least = s.most THEN s.least::text ELSE s.least || ' ' || s.most END,
	'expires', to_char(s.expires, 'YYYY-MM-DD'), 'made', to_char(b.created_at, 'YYYY-MM-DD'))`

var _ = casework.ListApproval(&casework.ApprovalRules{Kind: KindBatch, Label: "batches of vouchers", Roles: VoucherKeepers,
	Titles: map[string]string{"approve": "Activate vouchers"},
	Rows: casework.ApprovalRows{
		ID: "b.id", Act: "'approve'", Since: "first.created_at", Makers: "ARRAY[b.created_by]", Amount: "s.value", Currency: "'USD'",
		Coins: "CASE WHEN s.currencies = 1 AND s.currency <> 'USD' THEN s.amount END", Asset: "CASE WHEN s.currencies = 1 AND s.currency <> 'USD' THEN s.currency END",
		ObjectKind: "'voucher_batch'", ObjectID: "b.id", Reference: "left(b.id::text, 8)", Reason: "b.purpose", Details: batchDetails,
		// One index walk: the first voucher that waits stands for its batch. The subquery gives the answer itself, because
		// the planner takes a comparison with it for one row of all and reads every voucher.
		From: `vouchers first JOIN voucher_batches b ON b.id = first.batch_id, ` + batchSum("awaiting_approval") + ` WHERE first.status = 'awaiting_approval'
			AND (SELECT x.id = first.id FROM vouchers x WHERE x.batch_id = first.batch_id AND x.status = 'awaiting_approval' ORDER BY x.created_at, x.id LIMIT 1)`,
	},
	Complete: formatEach})

var _ = casework.ListApproval(&casework.ApprovalRules{Kind: KindVoid, Label: "voids of voucher batches", Roles: VoucherKeepers,
	Titles: map[string]string{"void": "Void vouchers"},
	Rows: casework.ApprovalRows{
		ID: "b.id", Act: "'void'", Since: "b.asked_at", Makers: "ARRAY[b.asked_by]", Amount: "coalesce(s.value, 0)", Currency: "'USD'",
		ObjectKind: "'voucher_batch'", ObjectID: "b.id", Reference: "left(b.id::text, 8)", Reason: "b.asked_why", Details: batchDetails,
		From: `voucher_batches b, ` + batchSum("active") + ` WHERE b.asked_by IS NOT NULL`,
	},
	Complete: formatEach})

// formatEach writes what each voucher of a batch of one currency is worth: one amount, or the least and the most.
func formatEach(a *casework.Approval) error {
	details := a.AllDetails()
	each, _ := details["each"].(string)
	currency, _ := details["currency"].(string)
	var amounts []string
	for _, text := range strings.Fields(each) {
		units, err := money.ParseUnits(text)
		if err != nil {
			return err
		}
		amounts = append(amounts, money.Currency(currency).Format(units)+" "+currency)
	}
	if currency == "" { // of several currencies
		amounts = nil
	}
	a.Detail("each", strings.Join(amounts, " – "))
	return nil
}
