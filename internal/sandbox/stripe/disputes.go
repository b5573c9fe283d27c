package stripe

import (
	"strings"
	"time"
)

// disputeFee is what Stripe charges for a dispute, regardless of its outcome.
const disputeFee = 1500

// evidenceTime is how long a dispute can be answered.
const evidenceTime = 7 * 24 * time.Hour

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
// withdraws the money at once, and Stripe its fee.
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
		EvidenceDetails: map[string]any{"due_by": c.now.Add(evidenceTime).Unix(), "has_evidence": false, "past_due": false, "submission_count": 0, "enhanced_eligibility": map[string]any{}},
		EnhancedTypes:   []string{},
	}}
	line, err := c.book("adjustment", dp.ID, dp.Currency, -dp.Amount, disputeFee, "Chargeback withdrawal for "+ch.ID)
	if err != nil {
		return nil, err
	}
	dp.BalanceTransactions = []any{line}
	ch.Disputed = true
	if err := c.tx.Put(charges, ch.ID, ch); err != nil {
		return nil, err
	}
	if err := insert(c.tx, disputes, dp.ID, dp); err != nil {
		return nil, err
	}
	if err := schedule(c.tx, c.now.Add(evidenceTime), dp.ID); err != nil {
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
		line, err := c.book("adjustment", dp.ID, dp.Currency, dp.Amount, 0, "Chargeback reversal for "+dp.Charge)
		if err != nil {
			return nil, err
		}
		dp.BalanceTransactions = append(dp.BalanceTransactions, line)
	}
	if err := c.tx.Put(disputes, dp.ID, dp); err != nil {
		return nil, err
	}
	if outcome == "won" {
		if err := c.emit("charge.dispute.funds_reinstated", dp, dp.Order, nil); err != nil {
			return nil, err
		}
	}
	return dp, c.emit("charge.dispute.closed", dp, dp.Order, previous)
}

// reinstate returns the money of a lost dispute, as when its cardholder withdraws it.
func (c *change) reinstate(id string) error {
	dp, err := load[disputeDoc](c.tx, disputes, "dispute", id)
	if err != nil {
		return err
	}
	if dp.Status != "lost" || len(dp.BalanceTransactions) > 1 {
		return unfit("", "Only the money of a lost dispute can be reinstated, once.")
	}
	line, err := c.book("adjustment", dp.ID, dp.Currency, dp.Amount, 0, "Chargeback reversal for "+dp.Charge)
	if err != nil {
		return err
	}
	dp.BalanceTransactions = append(dp.BalanceTransactions, line)
	if err := c.tx.Put(disputes, dp.ID, dp); err != nil {
		return err
	}
	return c.emit("charge.dispute.funds_reinstated", dp, dp.Order, nil)
}

// pastDue records that no answer arrived in time: the bank accepts no evidence any more,
// and decides later.
func (c *change) pastDue(id string) error {
	dp, err := load[disputeDoc](c.tx, disputes, "dispute", id)
	if err != nil || dp.Status != "needs_response" {
		return err
	}
	dp.EvidenceDetails["past_due"] = true
	if err := c.tx.Put(disputes, dp.ID, dp); err != nil {
		return err
	}
	return c.emit("charge.dispute.updated", dp, dp.Order, map[string]any{"evidence_details": map[string]any{"past_due": false}})
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
	if dp.EvidenceDetails["past_due"] == true {
		return nil, unfit("", "This dispute no longer takes evidence: it was due by %s.", time.Unix(dp.Created, 0).Add(evidenceTime).UTC().Format(time.RFC1123))
	}
	for key, values := range c.form.Values {
		if name, found := strings.CutPrefix(key, "evidence["); found {
			dp.Evidence[strings.TrimSuffix(name, "]")] = values[0]
		}
	}
	if dp.Metadata, err = c.form.mergeMetadata(dp.Metadata); err != nil {
		return nil, err
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
