package stripe

import (
	"strings"
	"time"
)

// disputeFee is what Stripe charges for a dispute, whoever wins it.
const disputeFee = 1500

// statement is one line of Stripe's own account statement about a dispute.
func (c *change) statement(dp *disputeDoc, amount, fee int64, note string) map[string]any {
	return map[string]any{"id": newID("txn"), "object": "balance_transaction", "amount": amount, "fee": fee, "net": amount - fee, "currency": dp.Currency,
		"available_on": c.now.Unix(), "created": c.now.Unix(), "description": note, "exchange_rate": nil, "fee_details": []any{},
		"reporting_category": "dispute", "source": dp.ID, "status": "available", "type": "adjustment"}
}

// contested reports whether a charge's money is in dispute, or was lost in one.
func (c *change) contested(chargeID string) (bool, error) {
	found := false
	err := newest(c.tx, disputes, func(_ string, dp *disputeDoc) bool {
		found = found || dp.Charge == chargeID && dp.Status != "won"
		return !found
	})
	return found, err
}

// dispute opens a dispute of a captured charge for what has not been refunded: the bank
// takes the money back at once, and Stripe its fee.
func (c *change) dispute(chargeID, reason string) (*disputeDoc, error) {
	ch, err := load[chargeDoc](c.tx, charges, "charge", chargeID)
	if err != nil {
		return nil, err
	}
	contested, err := c.contested(ch.ID)
	if err != nil {
		return nil, err
	}
	amount := ch.Amount - ch.AmountRefunded
	if !ch.Captured || contested || amount <= 0 {
		return nil, unfit("", "Only a captured charge that is neither disputed nor refunded can be disputed.")
	}
	dp := &disputeDoc{Order: ch.Order, dispute: dispute{
		ID: newID("dp"), Object: "dispute", Amount: amount, BalanceTransactions: []any{}, Charge: ch.ID, Created: c.now.Unix(), Currency: ch.Currency,
		Evidence: map[string]string{}, Metadata: map[string]string{}, PaymentIntent: ch.PaymentIntent, Reason: reason, Status: "needs_response",
		EvidenceDetails: map[string]any{"due_by": c.now.Add(7 * 24 * time.Hour).Unix(), "has_evidence": false, "past_due": false, "submission_count": 0},
	}}
	dp.BalanceTransactions = []any{c.statement(dp, -dp.Amount, disputeFee, "Chargeback withdrawal for "+ch.ID)}
	ch.Disputed = true
	if err := c.tx.Put(charges, ch.ID, ch); err != nil {
		return nil, err
	}
	if err := insert(c.tx, disputes, dp.ID, dp); err != nil {
		return nil, err
	}
	if err := balance(c.tx, dp.Currency, -dp.Amount-disputeFee); err != nil {
		return nil, err
	}
	if err := c.emit("charge.dispute.created", dp, dp.Order, nil); err != nil {
		return nil, err
	}
	return dp, c.emit("charge.dispute.funds_withdrawn", dp, dp.Order, nil)
}

// decide ends a dispute; one that is won brings the money back.
func (c *change) decide(id, outcome string) (*disputeDoc, error) {
	dp, err := load[disputeDoc](c.tx, disputes, "dispute", id)
	if err != nil {
		return nil, err
	}
	if dp.Status == "won" || dp.Status == "lost" {
		return nil, unfit("", "This dispute is already closed.")
	}
	previous := map[string]any{"status": dp.Status}
	dp.Status = outcome
	if outcome == "won" {
		dp.BalanceTransactions = append(dp.BalanceTransactions, c.statement(dp, dp.Amount, 0, "Chargeback reversal for "+dp.Charge))
	}
	if err := c.tx.Put(disputes, dp.ID, dp); err != nil {
		return nil, err
	}
	if outcome == "won" {
		if err := balance(c.tx, dp.Currency, dp.Amount); err != nil {
			return nil, err
		}
		if err := c.emit("charge.dispute.funds_reinstated", dp, dp.Order, nil); err != nil {
			return nil, err
		}
	}
	return dp, c.emit("charge.dispute.closed", dp, dp.Order, previous)
}

func readDispute(c *call) (any, error) { return load[disputeDoc](c.tx, disputes, "dispute", c.id) }

func listDisputes(c *call) (any, error) {
	return listOf(c, disputes, "/v1/disputes", func(dp *disputeDoc) (int64, bool) {
		return dp.Created, matches(c, "payment_intent", dp.PaymentIntent) && matches(c, "charge", &dp.Charge)
	})
}

// updateDispute keeps the evidence; with submit (the default) it goes to the
// bank and the dispute is under review.
func updateDispute(c *call) (any, error) {
	dp, err := load[disputeDoc](c.tx, disputes, "dispute", c.id)
	if err != nil {
		return nil, err
	}
	if dp.Status != "needs_response" {
		return nil, unfit("", "This dispute no longer takes evidence: it is %s.", dp.Status)
	}
	for key, values := range c.form.Values {
		if name, found := strings.CutPrefix(key, "evidence["); found {
			dp.Evidence[strings.TrimSuffix(name, "]")] = values[0]
		}
	}
	dp.EvidenceDetails["has_evidence"] = len(dp.Evidence) > 0
	previous := map[string]any{"status": dp.Status}
	if c.form.Get("submit") != "false" {
		dp.Status, dp.EvidenceDetails["submission_count"] = "under_review", 1
	}
	if err := c.tx.Put(disputes, dp.ID, dp); err != nil {
		return nil, err
	}
	if dp.Status == "under_review" {
		if err := c.count("contest", dp.Order); err != nil {
			return nil, err
		}
	}
	return dp, c.emit("charge.dispute.updated", dp, dp.Order, previous)
}

// concedeDispute accepts the dispute: it is lost.
func concedeDispute(c *call) (any, error) {
	dp, err := c.decide(c.id, "lost")
	if err != nil {
		return nil, err
	}
	return dp, c.count("concede", dp.Order)
}
