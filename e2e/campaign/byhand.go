package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/tradepost/tradepost/models/money"
)

// sendsByHand has staff send an order's coin beside the product, as they would in
// custody's own web pages: without an identity of ours. Two people then mark the order
// as sent with that transaction.
func (l *life) sendsByHand(ctx context.Context) {
	if l.byHand == "" && !l.paysByHand(ctx) {
		return
	}
	l.decide(ctx, "mark-sent", map[string]string{"reason": "sent in custody's own pages", "txid": l.byHand})
}

// paysByHand makes the transfer, unless custody shows that it is there: an answer may
// have been lost.
func (l *life) paysByHand(ctx context.Context) bool {
	f := &Facts{}
	if l.cluster.readCustody(ctx, f) != nil {
		return false
	}
	i := slices.IndexFunc(f.Transfers, func(t TransferFact) bool { return t.Address == l.plan.Address && t.alive() })
	if i < 0 {
		if l.cluster.sendCoin(ctx, l.plan) != nil {
			return false
		}
		return l.paysByHand(ctx)
	}
	l.byHand = f.Transfers[i].TxID
	l.cluster.mu.Lock()
	l.cluster.byHand = append(l.cluster.byHand, l.byHand)
	l.cluster.mu.Unlock()
	l.cluster.count("coin sent by hand")
	return l.byHand != ""
}

// sendCoin makes a transfer without a sequence id.
func (t *cluster) sendCoin(ctx context.Context, o OrderPlan) error {
	ids, err := t.walletIDs(ctx)
	if err != nil {
		return err
	}
	amount, err := money.Currency(o.Asset).Parse(o.Amount)
	if err != nil {
		return err
	}
	coin := coinOf(o.Asset, o.Network)
	body, err := json.Marshal(map[string]string{"address": o.Address, "amount": amount.String(), "walletPassphrase": t.stack.Secret("BITGO_PASSPHRASE")})
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, t.stack.SandboxURL()+"/api/v2/"+coin+"/wallet/"+ids[coin]+"/sendcoins", bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+t.stack.Secret("BITGO_TOKEN"))
	request.Header.Set("Content-Type", "application/json")
	return readInto(request, nil)
}
