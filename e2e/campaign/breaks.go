package main

import (
	"context"
	"net/http"
	"slices"
	"strings"
)

// foundBreak is a difference between a statement and the ledger.
type foundBreak struct {
	ID, Kind, Subject, Currency, Difference string
	Actions                                 []string
	Wanted                                  *struct{ Account string }
}

// resolveBreaks has staff book what no row of ours explains, and another one approve
// it where it takes two: coin that came in, the network's fee of coin that was sent by
// hand, and what belongs to something that a backup did not have. Any other break
// stays, and is a violation in the end.
func (c *campaign) resolveBreaks(ctx context.Context) {
	for _, found := range c.breaks(ctx, "resolve") {
		account := c.accountFor(ctx, found)
		if account == "" {
			continue
		}
		c.staff[0].post(ctx, "/api/admin/reconciliation/breaks/"+found.ID+"/resolve", "", map[string]string{"account": account, "difference": found.Difference, "reason": "looked at"})
		c.count("breaks resolved")
	}
	for _, found := range c.breaks(ctx, "withdraw") { // what staff[0] proposed
		c.staff[1].post(ctx, "/api/admin/reconciliation/breaks/"+found.ID+"/approve", "", map[string]string{"account": found.Wanted.Account, "difference": found.Difference})
	}
}

// breaks lists those that staff[0] can do something about.
func (t *cluster) breaks(ctx context.Context, action string) []foundBreak {
	got := t.staff[0].call(ctx, http.MethodGet, "/api/admin/reconciliation/breaks?limit=100", "", nil)
	var list []foundBreak
	if !got.done() || got.read(&list) != nil {
		return nil
	}
	return slices.DeleteFunc(list, func(b foundBreak) bool {
		return !slices.Contains(b.Actions, action) || action == "withdraw" && b.Wanted == nil
	})
}

// accountFor is the account that a break is booked to; empty when no admin may book it.
func (c *campaign) accountFor(ctx context.Context, b foundBreak) string {
	lost := c.whatIsLost()
	c.cluster.mu.Lock()
	byHand, restored := slices.Contains(c.byHand, b.Subject), len(c.gaps) > 0
	c.cluster.mu.Unlock()
	switch {
	case b.Kind == "receipt":
		return "equity"
	case byHand && c.exists(ctx, `SELECT FROM orders WHERE txid = $1 AND status = 'sent'`, b.Subject):
		return "network_fees"
	case b.Kind == "by_hand" && c.isFloat(ctx, b.Subject):
		return "equity"
	case !restored:
		return ""
	case b.Kind == "withdraw" && !c.exists(ctx, `SELECT FROM treasury_moves WHERE closed_at IS NULL AND $1 <> ''`, b.Subject), c.isOfLost(ctx, lost, b):
		return "equity"
	}
	return ""
}

func (t *cluster) exists(ctx context.Context, query string, subject string) (there bool) {
	return t.database.QueryRow(ctx, "SELECT EXISTS ("+query+")", subject).Scan(&there) == nil && there
}

// isOfLost reports whether an effect at a provider belongs to something lost, by the provider's own records: a
// payment's order, a transfer's address, the identity of a purchase. A purchase whose row is lost is found by its order
// when that buys again, so it is booked by hand only once its order is over.
func (t *cluster) isOfLost(ctx context.Context, lost Lost, b foundBreak) bool {
	f := &Facts{}
	switch b.Kind {
	case "charge", "refund", "dispute":
		return t.readStripe(ctx, f) == nil && slices.ContainsFunc(f.Intents, func(i IntentFact) bool {
			return lost.order(i.OrderID) && (i.ID == b.Subject || slices.Contains(i.Parts, b.Subject))
		})
	case "transfer", "by_hand":
		return t.readCustody(ctx, f) == nil && slices.ContainsFunc(f.Transfers, func(transfer TransferFact) bool {
			_, ours := lost.sentTo(transfer.Address)
			return ours && (transfer.SequenceID == b.Subject || transfer.TxID == b.Subject)
		})
	case "fill":
		return t.isLostPurchase(ctx, lost, b)
	}
	return false
}

func (t *cluster) isLostPurchase(ctx context.Context, lost Lost, b foundBreak) bool {
	var detail struct{ ToldLines []struct{ Ours string } }
	got := t.staff[0].call(ctx, http.MethodGet, "/api/admin/reconciliation/breaks/"+b.ID, "", nil)
	if got.read(&detail) != nil {
		return false
	}
	for _, line := range detail.ToldLines {
		i := slices.IndexFunc(lost.Purchases, func(p PurchaseOwner) bool { return strings.EqualFold(p.ClientID, line.Ours) })
		if i >= 0 && (lost.owns(lost.Purchases[i].Owner) || t.exists(ctx, `SELECT FROM orders WHERE id::text = $1 AND closed_at IS NOT NULL`, lost.Purchases[i].Owner)) {
			return true
		}
	}
	return false
}
