package ledger

import (
	"context"
	"fmt"

	"github.com/lib/pq"

	"github.com/tradepost/tradepost/models/store"
)

// BankLine names the line of the bank's statement that a posting belongs to.
type BankLine struct {
	Reference string
	Day       *string // the value date, as YYYY-MM-DD; nil: the bank stated none
}

// bankLines finds the bank's reference and value date of postings on the bank's account. The group of a posting holds
// the id of the row that the line was entered in. The reversal of a receipt that was entered by mistake has the
// reference and day of that receipt: the bank has no line of it.
const bankLines = `WITH p AS (
		SELECT id, at, event, amount, order_id, gift_card_id, matter_id, group_key, group_key LIKE '%reinstated%' AS again,
		       CAST((regexp_match(group_key, '(receipt|return|unplaced|closed_account):([0-9a-f-]{36})'))[2] AS uuid) AS source
		  FROM postings WHERE id = ANY(?) AND '` + AccountBank + `' IN (from_account, to_account))
	SELECT p.id, to_char(coalesce(r.received_on, CASE WHEN p.event = 'unplaced_sent_back' THEN u.sent_on ELSE u.received_on END,
	         CASE WHEN p.again THEN t.reinstated_on ELSE coalesce(t.returned_on, y.received_on) END,
	         CASE WHEN p.again THEN c.reinstated_on ELSE c.returned_on END,
	         CAST(CASE WHEN p.event = 'payout_paid' THEN o.paid_at END AT TIME ZONE 'UTC' AS date),
	         CAST(s.paid_at AT TIME ZONE 'UTC' AS date)), 'YYYY-MM-DD') AS day,
	       coalesce(r.bank_reference, CASE WHEN p.event = 'unplaced_sent_back' THEN u.sent_reference ELSE u.bank_reference END,
	         CASE WHEN p.again THEN t.reinstated_reference ELSE coalesce(t.bank_reference, y.bank_reference) END,
	         CASE WHEN p.again THEN c.reinstated_reference ELSE c.bank_reference END, o.bank_reference,
	         s.bank_reference,
	         CASE WHEN p.event = 'proceeds_returned' THEN k.returned_reference ELSE k.bank_reference END,
	         g.realised_reference, '') AS reference
	  FROM p
	  LEFT JOIN LATERAL (SELECT x.bank_reference, x.received_on FROM receipts x
	       WHERE x.order_id = p.order_id AND (x.id = p.source OR p.source IS NULL AND x.amount = p.amount)
	       ORDER BY abs(extract(epoch FROM x.created_at - p.at)) LIMIT 1) r ON p.event IN ('receipt_confirmed', 'money_received')
	  LEFT JOIN unplaced_money u ON u.id = p.source AND p.event LIKE 'unplaced%'
	  LEFT JOIN receipt_returns t ON t.id = p.source AND p.group_key LIKE '%return:%'
	  LEFT JOIN receipts y ON y.id = t.receipt_id
	  LEFT JOIN stranded_credits s ON s.id = p.source AND p.event = 'closed_account_paid'
	  LEFT JOIN payouts o ON o.id = p.matter_id AND p.event LIKE 'payout%'
	  LEFT JOIN recalls c ON c.id = p.matter_id
	  LEFT JOIN gift_card_claims k ON k.card_id = p.gift_card_id
	       AND p.event IN ('proceeds_taken_back', 'proceeds_returned')
	  LEFT JOIN gift_cards g ON g.id = p.gift_card_id AND p.event = 'gift_card_realised'`

// addBankLines notes the bank's lines on the postings of a page.
func addBankLines(ctx context.Context, db *store.DB, rows []StoredPosting) error {
	at, ids := map[int64]int{}, pq.Int64Array{}
	for i := range rows {
		if rows[i].FromAccount == AccountBank || rows[i].ToAccount == AccountBank {
			at[rows[i].ID], ids = i, append(ids, rows[i].ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	var found []struct {
		ID        int64
		Reference string
		Day       *string
	}
	if err := db.CustomPlans(ctx).Raw(bankLines, ids).Scan(&found).Error; err != nil {
		return fmt.Errorf("read the bank's lines: %w", err)
	}
	for _, line := range found {
		if line.Reference != "" {
			rows[at[line.ID]].Bank = &BankLine{Reference: line.Reference, Day: line.Day}
		}
	}
	return nil
}
