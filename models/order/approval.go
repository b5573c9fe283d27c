package order

import (
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/store"
)

// KindProposal is a decision about an order that waits for a second person.
const KindProposal casework.ApprovalKind = "order_proposal"

var _ = casework.ListApproval(&casework.ApprovalRules{Kind: KindProposal, Label: "proposals about orders", Roles: store.Cashiers,
	Titles: map[string]string{
		DecisionRefund: "Refund", DecisionMarkSent: "Mark as sent", DecisionConfirmReceipt: "Confirm that money arrived",
		DecisionAmendAddress: "Send to another address", DecisionTransferDead: "Declare the transfer dead",
	},
	Releases: releases,
	Rows: casework.ApprovalRows{
		ID: "p.id", Act: "p.kind", Since: "p.created_at", Makers: "ARRAY[p.proposed_by]", Amount: "p.amount", Currency: "'USD'",
		Coins: "orders.amount", Asset: "orders.asset", Customer: "orders.user_id", ObjectKind: "'order'", ObjectID: "orders.id", Reference: "orders.reference",
		BankReference: "p.data->>'bankReference'", BankDate: "p.data->>'receivedOn'",
		BankSender: "(SELECT u.sender FROM unplaced_money u WHERE u.id = CAST(nullif(p.data->>'unplacedId', '') AS uuid))", Reason: "CASE WHEN p.reason IS DISTINCT FROM p.data->>'bankReference' THEN p.reason END",
		Details: `jsonb_build_object('orderStatus', orders.status, 'orderTotal', CASE WHEN p.kind <> 'mark_sent' THEN to_char(orders.total / 100, 'FM999999999990.00') || ' USD' END,
			'paidBy', orders.payment_method, 'network', orders.network, 'address', orders.dest_address, 'newAddress', p.data->>'address',
			'refunded', CASE WHEN orders.refunded > 0 THEN to_char(orders.refunded / 100, 'FM999999999990.00') || ' USD' END,
			'transaction', p.data->>'txid', 'evidence', p.data->>'seen', 'refundTo', nullif(p.data->>'to', ''), 'lessCoin', CASE WHEN p.data->>'lessCoin' = 'true' THEN 'yes' END,
			'ends', CASE WHEN p.kind = 'refund' THEN CASE WHEN p.ends THEN 'yes' ELSE 'no' END END)`,
		SubjectKind: "'order'", SubjectID: "orders.id", Spent: "CASE orders.payment_method WHEN 'balance' THEN coalesce(orders.paid_at, clock_now()) END",
		From: "order_proposals p JOIN orders ON orders.id = p.order_id WHERE p.status = 'open'",
	}})
