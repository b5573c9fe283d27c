package correction

import (
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/store"
)

// The kinds of approvals about money.
const (
	KindMoneyProposal casework.ApprovalKind = "money_proposal"
	KindClosedCredit  casework.ApprovalKind = "closed_credit"
)

// given is a field of a proposal's data as an id.
func given(field string) string { return "CAST(nullif(p.data->>'" + field + "', '') AS uuid)" }

// dollars is an amount in cents as a detail of an approval.
func dollars(cents string) string {
	return "to_char(" + cents + " / 100, 'FM999999999990.00') || ' USD'"
}

// oneRow joins a row of a table by its id. OFFSET 0 keeps the planner from hashing the whole table for a few open
// proposals.
func oneRow(table, name, id string) string {
	return "LEFT JOIN LATERAL (SELECT * FROM " + table + " one WHERE one.id = " + id + " OFFSET 0) " + name + " ON true"
}

func oneOrder(name, id string) string { return oneRow("orders", name, id) }

// journalCustomers are the customers whose balances a journal's lines change.
const journalCustomers = `(SELECT array_agg(DISTINCT c.id) FROM jsonb_array_elements(CASE p.kind WHEN 'journal' THEN p.data->'lines' ELSE '[]' END) l,
	LATERAL (SELECT substring(l->>'from' FROM '^customer:(.*):balance$') AS id UNION SELECT substring(l->>'to' FROM '^customer:(.*):balance$')) c WHERE c.id IS NOT NULL)`

// Each money proposal is about one of a receipt, a return, unplaced money, a payout, a redemption or a gift card; target
// is the order that the money is to be confirmed on.
var _ = casework.ListApproval(&casework.ApprovalRules{Kind: KindMoneyProposal, Label: "proposals about money", Roles: store.Cashiers,
	Titles: map[string]string{
		"reverse_receipt": "Take a receipt away from its order", "bank_return": "Book that the bank took money back",
		"reinstate_return": "Book returned money again", "place_money": "Match money to an order", "credit_money": "Credit money to a customer",
		"recall_money":    "Book that the bank took credited money back",
		"send_back_money": "Book that money was sent back", "journal": "Journal entry", "return_payout": "Book a returned payout",
		"transfer_dead": "Declare a voucher's transfer dead", "claim_card": "Claim a used gift card from its customer",
		"reverse_card_claim": "Credit the claim of a gift card again",
	},
	Rows: casework.ApprovalRows{
		ID: "p.id", Act: "p.kind", Since: "p.created_at", Makers: "ARRAY[p.proposed_by]",
		Amount: "coalesce(CAST(p.data->>'amount' AS numeric), CAST(p.data->>'returned' AS numeric), r.amount, b.amount, k.amount, u.amount, y.amount, " +
			"v.base_price, gc.amount)",
		Currency: "CASE WHEN p.kind <> 'journal' THEN 'USD' END", Coins: "v.amount", Asset: "v.asset",
		Customer: "coalesce(" + given("userId") + ", target.user_id, o.user_id, y.user_id, v.user_id, g.user_id, k.user_id, u.user_id, " +
			"CAST(" + journalCustomers + "[1] AS uuid))",
		Subjects: "array_remove(ARRAY[" + given("userId") + "::text, target.user_id::text, o.user_id::text, y.user_id::text, v.user_id::text, " +
			"g.user_id::text, k.user_id::text, u.user_id::text] || " + journalCustomers + ", NULL)",
		ObjectKind: `CASE WHEN y.id IS NOT NULL THEN 'payout' WHEN v.id IS NOT NULL THEN 'voucher'
			WHEN g.id IS NOT NULL THEN 'gift_card' WHEN coalesce(target.id, o.id) IS NOT NULL THEN 'order' ELSE '' END`,
		ObjectID:  "coalesce(y.id, v.voucher_id, g.id, target.id, o.id)",
		Reference: "coalesce(y.reference, v.reference, g.reference, target.reference, o.reference)",
		BankReference: "coalesce(u.bank_reference, r.bank_reference, b.bank_reference, k.bank_reference, y.bank_reference, " +
			"CASE WHEN g.id IS NOT NULL THEN nullif(p.data->>'bankReference', '') END)",
		BankDate: "coalesce(u.received_on, r.received_on, b.returned_on, k.returned_on)", BankSender: "u.sender", Reason: "p.reason", Document: "p.document_id",
		Details: `jsonb_build_object('fromOrder', CASE WHEN target.id IS NOT NULL THEN o.reference END, 'orderStatus', coalesce(target.status, o.status),
			'orderTotal', to_char(coalesce(target.total, o.total) / 100, 'FM999999999990.00') || ' USD', 'rail', u.rail, 'note', nullif(u.note, ''),
			'kept', CASE WHEN p.kind = 'reverse_receipt' THEN CASE WHEN (p.data->>'kept')::bool OR target.id IS NOT NULL THEN 'yes' ELSE 'no' END END,
			'returnReference', CASE WHEN p.kind IN ('bank_return', 'recall_money', 'reinstate_return', 'send_back_money') THEN p.data->>'bankReference' END,
			'returnDate', coalesce(p.data->>'returnedOn', p.data->>'reinstatedOn', p.data->>'sentOn'), 'bankCode', p.data->>'code',
			'statement', p.data->>'statement',
			'evidence', p.data->>'seen', 'lines', p.data->'lines',
			'toldCustomer', CASE WHEN p.kind IN ('return_payout', 'claim_card', 'reverse_card_claim') THEN p.data->>'said' END,
			'brand', g.brand_label, 'cardPaid', ` + dollars("g.paid") + `, 'proceeds', ` + dollars("g.realised_amount") + `,
			'takenBack', ` + dollars("CAST(nullif(p.data->>'takenBack', '0') AS numeric)") + `,
			'paidAgain', ` + dollars("CAST(nullif(p.data->>'paidAgain', '0') AS numeric)") + `)`,
		From: `money_proposals p LEFT JOIN receipts r ON r.id = ` + given("receiptId") + ` LEFT JOIN receipt_returns b ON b.id = ` + given("returnId") + `
			LEFT JOIN recalls k ON k.id = ` + given("returnId") + ` LEFT JOIN unplaced_money u ON u.id = ` + given("moneyId") + ` ` + oneOrder("o", "coalesce(r.order_id, b.order_id, u.from_order_id)") + `
			` + oneOrder("target", given("orderId")) + ` LEFT JOIN payouts y ON y.id = ` + given("payoutId") + `
			LEFT JOIN voucher_redemptions v ON v.id = ` + given("redemptionId") + `
			` + oneRow("gift_cards", "g", given("cardId")) + ` LEFT JOIN gift_card_claims gc ON gc.card_id = g.id WHERE p.status = 'open'`,
	}})

var _ = casework.ListApproval(&casework.ApprovalRules{Kind: KindClosedCredit, Label: "credits of closed accounts", Roles: store.Cashiers,
	Titles: map[string]string{"pay_back": "Send back money of a closed account"},
	Rows: casework.ApprovalRows{
		ID: "c.id", Act: "'pay_back'", Since: "c.first_at", Makers: "ARRAY[c.first_by]", Amount: "c.amount - c.taken", Currency: "'USD'", Customer: "c.user_id",
		ObjectKind: "CASE WHEN o.id IS NOT NULL THEN 'order' ELSE '' END", ObjectID: "o.id", Reference: "o.reference", BankReference: "c.bank_reference", Reason: "c.reason",
		From: "(SELECT * FROM stranded_credits WHERE first_by IS NOT NULL AND " + ledger.StrandedOpen + ") c LEFT JOIN orders o ON o.id = c.order_id",
	}})
