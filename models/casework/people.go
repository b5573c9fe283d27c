package casework

// ReceiptPeople are the members of staff who vouched that an order's money came: who confirmed a receipt, proposed
// one that is approved or still open, or opened or placed the unplaced money that became one.
const ReceiptPeople = `SELECT d.actor_id::text FROM decisions d WHERE d.order_id = orders.id AND d.kind = 'confirm_receipt' AND d.outcome IS DISTINCT FROM 'refused'
	UNION SELECT p.proposed_by::text FROM order_proposals p WHERE p.order_id = orders.id AND p.kind = 'confirm_receipt' AND p.status IN ('open', 'approved')
	UNION SELECT unnest(ARRAY(SELECT u.opened_by::text FROM unplaced_money u WHERE u.decision_id = d.id)
	  || ARRAY(SELECT m.proposed_by::text FROM unplaced_money u JOIN money_proposals m ON m.subject_id = u.id AND m.status = 'approved' WHERE u.decision_id = d.id)
	  || ARRAY(SELECT m.proposed_by::text FROM unplaced_money u JOIN money_proposals m ON m.id = u.id WHERE u.decision_id = d.id))
	  FROM decisions d WHERE d.order_id = orders.id AND d.kind = 'confirm_receipt'`
